//! The secrets of a request, and the search for them in its parts.

mod search;
mod spelling;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, TOKEN, UPPER};
use crate::context::Context;
use crate::decode;

use search::Hits;
use spelling::{any_spelling, has_blank, may_have_spelling, shortest_to_spell};

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
    list: BumpVec<'a, &'a [u8]>,
    /// The request as it came.
    request: &'a [u8],
    /// Ranges of the request that hold a secret and are never shown, nor searched for another.
    own: BumpVec<'a, (usize, usize)>,
    /// Where else the needles are in the request; `None` where that is not known.
    hits: Option<Hits<'a>>,
    /// The length of the shortest needle.
    shortest: usize,
    /// No other spelling of a shorter text is so long as a needle; see [`shortest_to_spell`].
    shortest_to_spell: usize,
    /// The length of the shortest needle that the name of a header may hold, in lower case.
    pub(crate) shortest_in_name: usize,
    /// True if one of them has a blank in its plain form.
    has_blanks: bool,
    /// Sorted; used instead of `list` when these are too many.
    prefixes: Option<BumpVec<'a, [u8; SHORTEST]>>,
}

/// Returns whether a text contains a needle, which is not shorter than [`SHORTEST`].
fn contains(text: &[u8], needle: &[u8]) -> bool {
    let rarity = |byte: &u8| match byte {
        // Where one byte is escaped, many are.
        b'a'..=b'z' | b'%' => 0,
        b'0'..=b'9' | b'.' | b'-' | b'/' => 1,
        _ => 2,
    };
    let first = needle.get(..SHORTEST).unwrap_or_default();
    let rare = first.iter().enumerate().max_by_key(|(_, byte)| rarity(byte));
    let Some((rare, byte)) = rare.filter(|_| needle.len() <= text.len()) else { return false };
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
            request,
            own: BumpVec::new_in(cx.bump),
            hits: None,
            shortest: SHORTEST,
            shortest_to_spell: SHORTEST,
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
        if !self.push_one(secret, classes) || !may_have_spelling(secret, classes, true) {
            return;
        }
        let cx = self.cx;
        any_spelling(secret, classes, true, cx, |spelling| {
            let spelling = trim(spelling);
            if decode::chars(spelling) >= SHORTEST {
                self.push_one(cx.bump.alloc_slice_copy(spelling), bytes::union(spelling));
            }
            false
        });
    }

    /// Adds a secret that has no other spelling, nor blanks or quotes.
    pub(crate) fn push_plain(&mut self, secret: &'a [u8]) {
        if secret.len() >= SHORTEST {
            self.list.push(secret);
        }
    }

    /// Adds the needles of a part that is read in another arena.
    pub(crate) fn take(&mut self, others: &Needles<'_>) {
        for text in others.list.iter().copied() {
            if self.list.last().is_some_and(|last| *last == text) {
                continue;
            }
            let whole =
                offset_of(text, self.request).and_then(|at| self.request.get(at..)?.get(..text.len()));
            let text = whole.unwrap_or_else(|| self.cx.bump.alloc_slice_copy(text));
            self.list.push(text);
        }
        self.has_blanks |= others.has_blanks;
    }

    /// Adds one needle; whether it is long enough.
    fn push_one(&mut self, secret: &'a [u8], classes: u32) -> bool {
        let is_long = decode::chars_of(secret, classes) >= SHORTEST;
        if is_long {
            self.has_blanks |= has_blank(secret, classes);
            self.list.push(secret);
        }
        is_long
    }

    /// Searches the request once for all needles, after the last was added.
    pub(crate) fn prepare(&mut self) {
        let Needles { cx, request, has_blanks, .. } = *self;
        self.list.sort_unstable();
        self.list.dedup();
        self.own.sort_unstable();
        if self.list.len() > MOST {
            let mut prefixes = BumpVec::with_capacity_in(self.list.len(), cx.bump);
            prefixes.extend(self.list.iter().filter_map(|needle| needle.first_chunk().copied()));
            prefixes.dedup();
            let needles = prefixes.iter().map(|prefix: &[u8; SHORTEST]| &prefix[..]);
            self.shortest_in_name = shortest_in_name(needles.clone());
            self.hits = search::find(request, needles, has_blanks, &self.own, cx);
            self.prefixes = Some(prefixes);
        } else {
            let needles = self.list.iter().copied();
            self.shortest = needles.clone().map(<[u8]>::len).min().unwrap_or(SHORTEST);
            if needles.clone().all(<[u8]>::is_ascii) {
                self.shortest_to_spell = shortest_to_spell(self.shortest);
            }
            self.shortest_in_name = shortest_in_name(needles.clone());
            self.hits = search::find(request, needles, has_blanks, &self.own, cx);
        }
    }

    /// Returns whether a piece of the request contains a secret; nothing in it would be decoded, apart from blanks.
    pub(crate) fn is_in_undecoded(&self, text: &[u8]) -> bool {
        let may_differ = self.hits.as_ref().is_none_or(|hits| hits.may_differ_in_blanks);
        if self.has_blanks && may_differ { self.is_in(text) } else { self.is_in_plain(text) }
    }

    /// Returns whether `text`, as it is or decoded further, contains a secret.
    pub(crate) fn is_in(&self, text: &[u8]) -> bool {
        text.len() >= SHORTEST && self.is_in_known(text, bytes::union(text))
    }

    /// Returns whether `text`, as it is or decoded further, contains a secret. `classes` is the union of the classes of
    /// its bytes.
    pub(crate) fn is_in_known(&self, text: &[u8], classes: u32) -> bool {
        text.len() >= SHORTEST
            && (self.is_in_plain(text)
                || self.may_have_spelling(text, classes)
                    && any_spelling(text, classes, self.has_blanks, self.cx, |spelling| {
                        self.is_in_plain(spelling)
                    }))
    }

    /// Returns whether a text may have another spelling in which a secret may be. `classes` is the union of the classes of
    /// its bytes.
    pub(crate) fn may_have_spelling(&self, text: &[u8], classes: u32) -> bool {
        let is_alike = || {
            self.hits.as_ref().is_some_and(|hits| !hits.may_differ_in_blanks)
                && offset_of(text, self.request).is_some()
        };
        text.len() >= self.shortest_to_spell
            && may_have_spelling(text, classes, self.has_blanks && !is_alike())
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
        self.list.iter().any(|needle| contains(text, needle))
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
