//! The secrets of a request, and the search for them in its parts.

mod search;
mod spelling;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, ENCODED, HIGH, LOWER, TOKEN, UPPER};
use crate::context::{Context, HAS_FAST_PATHS};
use crate::decode;

use search::{Hits, Piece};
pub(crate) use spelling::any_further;
use spelling::{
    has_blank, has_further, has_lone_bytes_only, has_one_spelling, may_have_spelling, shortest_to_spell,
    with_plain_form,
};

/// Shorter secrets are not searched for: they would be found by chance.
pub(crate) const SHORTEST: usize = 8;
/// So many times the bytes of a text are compared with a needle before a better search is prepared, which takes longer
/// than most searches.
const MOST_COMPARED: usize = 64;
/// With more secrets than this, only the first eight bytes of each are searched for, so that the search stays linear.
const MOST: usize = 64;

/// The secrets of a request.
pub(crate) struct Needles<'a> {
    pub(crate) cx: Context<'a>,
    /// Each with whether it has a blank.
    list: BumpVec<'a, (&'a [u8], bool)>,
    /// Of each of the list a piece, once the request was searched for them.
    pieces: BumpVec<'a, Piece<'a>>,
    /// The request as it came.
    request: &'a [u8],
    /// Ranges of the request that hold a secret and are never shown, nor searched for another.
    own: BumpVec<'a, (usize, usize)>,
    /// Where else the needles are in the request; `None` where that is not known.
    hits: Option<Hits<'a>>,
    /// The length of the shortest needle.
    shortest: usize,
    /// No spelling of a shorter text is so long as a needle, nor is it searched for one; see [`shortest_to_spell`].
    least: usize,
    /// The length of the shortest needle that the name of a header may hold, in lower case.
    pub(crate) shortest_in_name: usize,
    /// True if one of them has a blank in its plain form.
    has_blanks: bool,
    /// Sorted; used instead of `list` when these are too many.
    prefixes: Option<&'a [[u8; SHORTEST]]>,
}

/// Returns whether a text contains a needle or a piece of one.
fn contains(text: &[u8], needle: &[u8]) -> bool {
    if needle.len() > text.len() {
        return false;
    }
    let first = needle.get(..SHORTEST).unwrap_or(needle);
    // Where one byte is escaped, many are.
    let is_rare = |byte: &u8| !bytes::is(*byte, LOWER) && *byte != b'%';
    let rare = first.iter().position(is_rare).unwrap_or_default();
    let Some(byte) = first.get(rare) else { return false };
    let mut left = text.len().saturating_mul(MOST_COMPARED);
    for at in memchr::memchr_iter(*byte, text).filter_map(|at| at.checked_sub(rare)) {
        let rest = text.get(at..).unwrap_or_default();
        if !rest.starts_with(first) {
            continue;
        }
        if rest.starts_with(needle) {
            return true;
        }
        let Some(after) = left.checked_sub(needle.len()) else {
            // The search stays linear, however often the beginning of a needle is repeated.
            return memchr::memmem::find(rest, needle).is_some();
        };
        left = after;
    }
    false
}

/// Where `part` is in `whole`, if it is a piece of it.
fn offset_of(part: &[u8], whole: &[u8]) -> Option<usize> {
    let offset = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (offset <= whole.len().checked_sub(part.len())?).then_some(offset)
}

/// A secret without the white space and quotes around it.
pub(crate) fn trim(mut secret: &[u8]) -> &[u8] {
    let is_around = |byte: u8| bytes::is_blank(byte) || matches!(byte, b'"' | b'\'' | b'`');
    while let [first, rest @ ..] = secret
        && is_around(*first)
    {
        secret = rest;
    }
    while let [rest @ .., last] = secret
        && is_around(*last)
    {
        secret = rest;
    }
    secret
}

impl<'a> Needles<'a> {
    pub(crate) fn new(request: &'a [u8], cx: Context<'a>) -> Self {
        Needles {
            cx,
            list: BumpVec::with_capacity_in(4, cx.bump),
            pieces: BumpVec::new_in(cx.bump),
            request,
            own: BumpVec::new_in(cx.bump),
            hits: None,
            shortest: SHORTEST,
            least: SHORTEST,
            shortest_in_name: usize::MAX,
            has_blanks: false,
            prefixes: None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Notes that a text is shown as a secret, so that a needle in it is no echo. It must be no part of another text that is
    /// searched.
    pub(crate) fn hide_own(&mut self, text: &[u8]) {
        if !self.cx.settings.literal()
            && let Some(start) = offset_of(text, self.request)
        {
            self.own.push((start, start.saturating_add(text.len())));
        }
    }

    /// Adds a secret, as it is and in its other spellings.
    pub(crate) fn push(&mut self, secret: &'a [u8]) {
        let secret = trim(secret);
        self.push_trimmed(secret, bytes::union(secret));
    }

    /// Adds a secret, as it is and in its other spellings. `classes` are those of its bytes, and perhaps of letters, digits and SP.
    pub(crate) fn push_known(&mut self, secret: &'a [u8], classes: u32) {
        if trim(secret).len() == secret.len() {
            self.push_trimmed(secret, classes);
        } else {
            self.push(secret);
        }
    }

    fn push_trimmed(&mut self, secret: &'a [u8], classes: u32) {
        if self.push_unspelled(secret, classes) {
            any_further(secret, classes, self.cx, |spelling, classes| {
                self.push_spelling(spelling, classes);
                false
            });
        }
    }

    /// Adds a secret without white space and quotes around it, as it is and in its plain form; whether its further texts
    /// are to be added too, by [`Needles::push_spelling`].
    pub(crate) fn push_unspelled(&mut self, secret: &'a [u8], classes: u32) -> bool {
        let is_spelled = self.push_one(secret, classes) && may_have_spelling(secret, classes, true);
        if is_spelled {
            with_plain_form(secret, classes, self.cx, |plain| self.push_copy(plain));
        }
        is_spelled
    }

    /// Adds a further text of a secret, as it is and in its plain form.
    pub(crate) fn push_spelling(&mut self, spelling: &[u8], classes: u32) {
        self.push_copy(spelling);
        with_plain_form(spelling, classes, self.cx, |plain| self.push_copy(plain));
    }

    fn push_copy(&mut self, spelling: &[u8]) {
        let spelling = trim(spelling);
        if decode::chars(spelling) >= SHORTEST {
            self.push_one(self.cx.bump.alloc_slice_copy(spelling), bytes::union(spelling));
        }
    }

    /// Adds a secret that has no other spelling, nor blanks or quotes.
    pub(crate) fn push_plain(&mut self, secret: &'a [u8]) {
        if secret.len() >= SHORTEST {
            self.list.push((secret, false));
        }
    }

    /// Adds the needles of a part that is read in another arena.
    pub(crate) fn take(&mut self, others: &Needles<'_>) {
        for (text, has_blank) in others.list.iter().copied() {
            if self.list.last().is_some_and(|(last, _)| *last == text) {
                continue;
            }
            let whole =
                offset_of(text, self.request).and_then(|at| self.request.get(at..)?.get(..text.len()));
            let text = whole.unwrap_or_else(|| self.cx.bump.alloc_slice_copy(text));
            self.list.push((text, has_blank));
        }
        self.has_blanks |= others.has_blanks;
    }

    /// Adds one needle; whether it is long enough.
    fn push_one(&mut self, secret: &'a [u8], classes: u32) -> bool {
        let is_long = decode::chars_of(secret, classes) >= SHORTEST;
        if is_long {
            let has_blank = has_blank(secret, classes);
            self.has_blanks |= has_blank;
            self.list.push((secret, has_blank));
        }
        is_long
    }

    /// Searches the request once for all needles, after the last was added.
    pub(crate) fn prepare(&mut self) {
        let Needles { cx, request, has_blanks, .. } = *self;
        self.list.sort_unstable();
        self.list.dedup();
        self.own.sort_unstable();
        let whole: &[(&[u8], bool)] = &self.list;
        if whole.len() > MOST {
            let mut prefixes = BumpVec::with_capacity_in(whole.len(), cx.bump);
            prefixes.extend(whole.iter().filter_map(|(needle, _)| needle.first_chunk().copied()));
            prefixes.dedup();
            let prefixes: &'a [[u8; SHORTEST]] = prefixes.into_bump_slice();
            self.shortest_in_name = shortest_in_name(prefixes.iter().map(|prefix| &prefix[..]));
            let needles = prefixes.iter().map(|prefix| (&prefix[..], has_blanks));
            self.pieces = search::pieces(needles, cx);
            self.prefixes = Some(prefixes);
        } else {
            let needles = whole.iter().map(|(needle, _)| *needle);
            self.shortest = needles.clone().map(<[u8]>::len).min().unwrap_or(SHORTEST);
            if needles.clone().all(<[u8]>::is_ascii) {
                self.least = shortest_to_spell(self.shortest).max(SHORTEST);
            }
            self.shortest_in_name = shortest_in_name(needles);
            self.pieces = search::pieces(whole.iter().copied(), cx);
        }
        self.hits = search::find(request, &mut self.pieces, &self.own, cx);
    }

    /// Returns whether a piece of the request contains a secret; nothing in it would be decoded, apart from blanks.
    pub(crate) fn is_in_undecoded(&self, text: &[u8]) -> bool {
        let may_differ = self.hits.as_ref().is_none_or(|hits| hits.may_differ_in_blanks);
        if self.has_blanks && may_differ { self.is_in(text) } else { self.is_in_plain(text) }
    }

    /// Returns whether `text`, as it is or decoded further, contains a secret.
    #[inline]
    pub(crate) fn is_in(&self, text: &[u8]) -> bool {
        self.may_be_in(text) && !self.is_out(text) && self.is_in_known(text, bytes::union(text))
    }

    /// Returns whether a long piece of the request contains no secret, as far as that is seen without the classes of its bytes.
    fn is_out(&self, text: &[u8]) -> bool {
        const LONG: usize = 64;
        HAS_FAST_PATHS
            && text.len() >= LONG
            && self.is_alike(text)
            && has_one_spelling(text)
            && !self.is_in_plain(text)
    }

    /// Returns whether a text is long enough to contain a secret, as it is or decoded further.
    #[inline]
    pub(crate) fn may_be_in(&self, text: &[u8]) -> bool {
        text.len() >= self.least
    }

    /// Returns whether `text`, as it is or decoded further, contains a secret. `classes` is the union of the classes of
    /// its bytes.
    pub(crate) fn is_in_known(&self, text: &[u8], classes: u32) -> bool {
        if !self.may_be_in(text) {
            return false;
        }
        let is_plain = HAS_FAST_PATHS && classes & HIGH != 0 && has_lone_bytes_only(text);
        let classes = if is_plain { classes & !(HIGH | ENCODED) } else { classes };
        let is_in = if self.is_alike(text) && classes & HIGH == 0 {
            self.is_in_plain(text)
        } else {
            self.is_in_any_blanks(text, classes)
        };
        is_in
            || has_further(text, classes)
                && any_further(text, classes, self.cx, |text, classes| self.is_in_any_blanks(text, classes))
    }

    /// Returns whether a text is a piece of the request, in which no needle has other blanks.
    fn is_alike(&self, text: &[u8]) -> bool {
        self.hits.as_ref().is_some_and(|hits| !hits.may_differ_in_blanks)
            && offset_of(text, self.request).is_some()
    }

    /// Returns whether a text may contain a secret, if it is decoded further. `classes` is the union of the classes of its
    /// bytes.
    pub(crate) fn may_have_spelling(&self, text: &[u8], classes: u32) -> bool {
        self.may_be_in(text) && may_have_spelling(text, classes, self.has_blanks && !self.is_alike(text))
    }

    /// Returns whether `text` contains a secret as it is.
    pub(crate) fn is_in_plain(&self, text: &[u8]) -> bool {
        if text.len() < self.shortest {
            return false;
        }
        if let Some(hits) = &self.hits
            && let Some(start) = offset_of(text, self.request)
        {
            let end = start.saturating_add(text.len());
            return hits.places.iter().any(|(from, to)| start <= *from && *to <= end);
        }
        if let Some(prefixes) = &self.prefixes {
            return text.windows(SHORTEST).any(|window| {
                window.first_chunk::<SHORTEST>().is_some_and(|chunk| prefixes.binary_search(chunk).is_ok())
            });
        }
        self.list.iter().any(|(needle, _)| contains(text, needle))
    }

    /// Returns whether `text`, as it is or in its plain form, contains a secret. `classes` is the union of the classes of
    /// its bytes.
    fn is_in_any_blanks(&self, text: &[u8], classes: u32) -> bool {
        let is_ascii = classes & HIGH == 0;
        if is_ascii && (!self.has_blanks || text.len() < self.shortest || !has_blank(text, classes)) {
            return self.is_in_plain(text);
        }
        // The plain form of ASCII has no other runs without blanks than the text.
        let has_piece = || self.pieces.iter().any(|piece| piece.has_blank || contains(text, piece.text()));
        if is_ascii && self.prefixes.is_none() && !has_piece() {
            return false;
        }
        self.is_in_plain(text) || with_plain_form(text, classes, self.cx, |plain| self.is_in_plain(plain))
    }
}

/// The length of the shortest needle that a header name in lower case may hold.
fn shortest_in_name<'n>(needles: impl Iterator<Item = &'n [u8]>) -> usize {
    let is_lower_token =
        |text: &&[u8]| text.iter().all(|byte| bytes::is(*byte, TOKEN) && !bytes::is(*byte, UPPER));
    needles.filter(is_lower_token).map(<[u8]>::len).min().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
