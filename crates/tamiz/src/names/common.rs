//! Names that many sites give to parameters and cookies. None of them raises a flag, and each may be shown, so that one that comes
//! again need not be judged again.

#![allow(clippy::arithmetic_side_effects, reason = "places in a table")]

use crate::swar::first_sixteen;

/// No name has more bytes: a record has one for the length.
const LONGEST: usize = 15;
/// The number of places in the table, as a power of two.
const PLACE_BITS: u32 = 10;
/// Where in a record the length is.
const LENGTH: u32 = 120;
/// Is set in the record of a name that makes a secret of its value.
const SENSITIVE: u128 = 1 << 127;

/// The names.
#[cfg(not(target_family = "wasm"))]
pub(crate) const NAMES: &str = "\
    a b c d e f g h i j k l m n o p q r s t u v w x y z _ \
    id ids uid pid cid sid tid aid gid mid uuid guid key keys code name names title type kind mode view format fmt \
    page pages per_page page_size pageSize perpage limit offset start end count size cursor from to since until before after \
    first last max min total step index pos rank \
    query search term keyword keywords text msg subject comment comments content body value values val data json \
    lang language locale hl gl lr country region city state province zip address street phone mobile tel email mail \
    sort sortby sort_by sortBy order orderby order_by dir direction asc desc group group_by filter filters fields field \
    include exclude expand embed depth level \
    date time ts timestamp year month day week hour tz timezone \
    status active enabled action act method module section tab form submit button btn option option_id choice \
    url uri link href path file filename image img icon photo video audio media color theme style font \
    width height lat lng lon latitude longitude zoom radius \
    user users username userid userId login remember first_name last_name firstname lastname \
    fname lname gender age birthday company job role \
    password passwd pass pwd token access_token auth api_key apikey secret session sessionid \
    csrf csrftoken csrf_token xsrf nonce client client_id account account_id \
    product product_id productId item item_id itemId items sku price amount currency qty quantity discount coupon cart \
    order_id orderId customer customer_id category category_id cat cat_id brand tag tags label \
    app app_id appid api version ver rev build release platform os device model browser screen network \
    ref referer referrer source src medium campaign channel redirect redirect_uri return return_url next prev back \
    callback jsonp cb rand random cache debug test preview lines revision hash \
    utm_source utm_medium utm_campaign utm_term utm_content utm_id gclid fbclid msclkid dclid \
    dt dl dr sr vp ul de ck ct cd co sc si rf pt \
    _ga _gid _gat _fbp __utma __utmb __utmc __utmz __utmt JSESSIONID PHPSESSID connect.sid SESSIONID \
    consent cookie_consent";
/// The page does without them.
#[cfg(target_family = "wasm")]
pub(crate) const NAMES: &str = "";

/// The names, found by their hash, each with whether it makes a secret of its value.
#[derive(Clone, Debug, Default)]
pub(super) struct Common {
    /// The bytes of the names, the first one lowest, and their lengths; zero where there is none.
    places: Box<[u128]>,
}

impl Common {
    pub(super) fn new(is_sensitive: impl Fn(&[u8]) -> bool) -> Self {
        let mut common = Common { places: vec![0; 1 << PLACE_BITS].into_boxed_slice() };
        for name in NAMES.split_ascii_whitespace().map(str::as_bytes) {
            let record = record_of(name, name.len());
            let marked = if is_sensitive(name) { record | SENSITIVE } else { record };
            let mut at = place_of(record);
            while let Some(place) = common.places.get_mut(at % (1 << PLACE_BITS)) {
                if *place & !SENSITIVE == record || *place == 0 {
                    *place = marked;
                    break;
                }
                at += 1;
            }
        }
        common
    }

    /// Returns whether the first `len` bytes of a text make a secret of the value under them, if they are one of the names.
    #[inline(always)]
    pub(super) fn get(&self, text: &[u8], len: usize) -> Option<bool> {
        if cfg!(target_family = "wasm") || len.wrapping_sub(1) >= LONGEST {
            return None;
        }
        let record = record_of(text, len);
        let mut at = place_of(record);
        loop {
            let found = *self.places.get(at % (1 << PLACE_BITS)).filter(|found| **found != 0)?;
            if found & !SENSITIVE == record {
                return Some(found & SENSITIVE != 0);
            }
            at += 1;
        }
    }
}

/// The first bytes of a text, as many as are asked for, the first one lowest, and their number.
#[inline(always)]
fn record_of(text: &[u8], len: usize) -> u128 {
    let bytes = match text.first_chunk() {
        Some(eight) if len <= 8 => u128::from(u64::from_le_bytes(*eight) & u64::MAX >> (64 - 8 * len.max(1))),
        _ => first_sixteen(text, len),
    };
    bytes | (len as u128) << LENGTH
}

/// The place of a name in the table, or the one that it is looked for first.
#[inline(always)]
fn place_of(record: u128) -> usize {
    let folded = record as u64 ^ ((record >> 64) as u64).rotate_left(29);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - PLACE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whole() {
        let common = Common::new(|name| name.contains(&b's'));
        let mut count = 0;
        for name in NAMES.split_ascii_whitespace().map(str::as_bytes) {
            assert!(name.len() <= LONGEST && name.is_ascii());
            let behind = [name, b"=a value behind it"].concat();
            for text in [name, &behind] {
                assert_eq!(
                    common.get(text, name.len()),
                    Some(name.contains(&b's')),
                    "{}",
                    name.escape_ascii()
                );
            }
            assert_eq!(common.get(&behind, name.len() + 1), None);
            count += 1;
        }
        assert!(count * 2 < 1 << PLACE_BITS, "{count}");
        for text in
            ["", "Q", "utm_source_that_is_longer", "\u{e9}", "id\0", "utm_medium\0", "redirect_uri\0\0\0\0"]
        {
            assert_eq!(common.get(text.as_bytes(), text.len()), None);
        }
    }
}
