//! The name that a proxy gives a request, as far as it may be written down: beside a document that is redacted, it must
//! not be what the document hides.

use memchr::memmem;
use tamiz::{Parts, View};

use crate::app::App;
use crate::choices::Wish;

/// The longest name that is kept.
const LONGEST: usize = 64;
/// Shorter texts are found in requests by chance; the library looks for no echoes of them either.
const SHORTEST_ECHO: usize = 8;
/// How many layers of percent escapes are looked through for an echo.
const LAYERS: usize = 3;

/// Takes the name of a request. `None` for what a client may have chosen: other characters than ASCII letters, digits
/// and hyphens, over 64 of them, a credential, or what stands in the request as well.
pub(super) fn told<'a>(app: &App, id: Option<&'a [u8]>, parts: &Parts<'_>) -> Option<&'a str> {
    let id = std::str::from_utf8(id?).ok()?;
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let fits = (1..=LONGEST).contains(&id.len()) && is_plain;
    (fits && !is_echo(id, parts) && !is_secret(app, id)).then_some(id)
}

/// Returns whether the name stands in the request, in any case and behind percent escapes.
fn is_echo(id: &str, parts: &Parts<'_>) -> bool {
    if id.len() < SHORTEST_ECHO {
        return false;
    }
    let finder = id.to_ascii_lowercase();
    let finder = memmem::Finder::new(&finder);
    let first = [Some(parts.method), Some(parts.target), parts.authority, parts.body];
    let headers = parts.headers.iter().flat_map(|(name, value)| [*name, *value]);
    first.into_iter().flatten().chain(headers).any(|text| {
        let mut text = text.to_ascii_lowercase();
        for _ in 0..LAYERS {
            if finder.find(&text).is_some() || !unescape(&mut text) {
                break;
            }
        }
        finder.find(&text).is_some()
    })
}

/// Undoes one layer of percent escapes in place; `false` where there is none.
fn unescape(text: &mut Vec<u8>) -> bool {
    let (mut read, mut written) = (0, 0);
    while let Some(&byte) = text.get(read) {
        let escaped = text.get(read..read + 3).and_then(decoded);
        if let Some(slot) = text.get_mut(written) {
            *slot = escaped.unwrap_or(byte);
        }
        written += 1;
        read += if escaped.is_some() { 3 } else { 1 };
    }
    text.truncate(written);
    text.make_ascii_lowercase();
    read != written
}

/// The byte of `%41`.
fn decoded(escape: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(escape.strip_prefix(b"%")?).ok()?;
    let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u8::from_str_radix(digits, 16).ok().filter(|_| are_digits)
}

/// Returns whether the library hides the name by its content, as a credential.
fn is_secret(app: &App, id: &str) -> bool {
    let wish = Wish { view: Some(View::Literal), ..Wish::default() };
    let Ok(chosen) = app.chosen(wish) else { return true };
    let target = format!("/?v={id}");
    let document = chosen.canonicalizer.canonicalize_parts(&Parts::new(b"GET", target.as_bytes()));
    !document.as_str().contains(id)
}

#[cfg(test)]
mod tests {
    use tamiz::Config;

    use super::*;
    use crate::settings::Limits;

    fn kept(id: &str, parts: &Parts<'_>) -> bool {
        let app = App::new(Config::default(), Limits::default(), crate::Deny::default());
        told(&app, Some(id.as_bytes()), parts) == Some(id)
    }

    const UUID: &str = "16d5b8a2-3c04-9f11-8e7a-0242ac110002";
    const HEX: &str = "9f8a6c1d2b3e4f5061728394a5b6c7d8";

    #[test]
    fn names_that_proxies_give_are_kept() {
        let mut parts = Parts::new(b"GET", b"/item/7?a=16d5b8a2");
        parts.header(b"Cookie", b"sid=other");
        // Caddy and Envoy, nginx, HAProxy as configured here, a counter.
        for id in [UUID, HEX, "7F000001D2A07F0000011F90673B0A1C00010001", "7", "request-7", &"a".repeat(64)] {
            assert!(kept(id, &parts), "{id}");
        }
    }

    #[test]
    fn what_a_client_may_have_chosen_is_not() {
        let parts = Parts::new(b"GET", b"/");
        let mut cases = vec![String::new(), "a".repeat(65)];
        cases.extend(["a b", "a_b", "ana@example.com", "a\u{e9}", "a=b", "\u{1b}[31m"].map(str::to_owned));
        // Credentials of nothing but letters, digits and hyphens.
        cases.push(["glpat-", "x9Qk2mZr7Lw4Tn8Vb3Yc"].concat());
        cases.push(["AKIA", "IOSFODNN7EXAMPLQ"].concat());
        for id in cases {
            assert!(!kept(&id, &parts), "{id}");
        }
        let app = App::new(Config::default(), Limits::default(), crate::Deny::default());
        assert_eq!(told(&app, Some(b"\xFF"), &parts), None);
        assert_eq!(told(&app, None, &parts), None);
    }

    #[test]
    fn echoes_of_the_request_are_not() {
        let target = format!("/a?session={UUID}");
        let escaped: String = UUID.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let twice = escaped.replace('%', "%25");
        let escaped = format!("/a?session={escaped}");
        let twice = format!("/a?session={twice}");
        for target in [target.to_uppercase(), target, escaped, twice] {
            assert!(!kept(UUID, &Parts::new(b"GET", target.as_bytes())), "{target}");
        }
        let value = format!("sid={UUID}; x=y");
        let mut headed = Parts::new(b"GET", b"/");
        headed.header(b"Cookie", value.as_bytes());
        assert!(!kept(UUID, &headed));
        assert!(kept(HEX, &headed));
        let mut sent = Parts::new(b"POST", b"/");
        let body = format!("{{\"session\":\"{UUID}\"}}");
        sent.body = Some(body.as_bytes());
        assert!(!kept(UUID, &sent));
    }

    #[test]
    fn escapes_are_undone_one_layer_at_a_time() {
        for (text, undone, is_any) in
            [("a%41b", "aab", true), ("%2541", "%41", true), ("%4", "%4", false), ("%zz%+1", "%zz%+1", false)]
        {
            let mut bytes = text.as_bytes().to_vec();
            assert_eq!((unescape(&mut bytes), &bytes[..]), (is_any, undone.as_bytes()), "{text}");
        }
    }
}
