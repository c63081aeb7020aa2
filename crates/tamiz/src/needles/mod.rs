//! The secrets of a request, and the search for them in its parts.

mod spelling;

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

use crate::bytes;
use crate::context::Context;
use crate::decode;

use spelling::{any_spelling, has_blank, may_have_spelling};

/// Shorter secrets are not searched for: they would be found by chance.
pub(crate) const SHORTEST: usize = 8;
/// So many times the bytes of a text are compared with a needle before a better search is prepared, which takes longer
/// than most searches.
const MOST_COMPARED: usize = 64;
/// With more secrets than this, only the first eight bytes of each are searched for, so that the search stays linear.
const MOST: usize = 64;
/// With more echoes in the request than this, each part is searched by itself.
const MOST_HITS: usize = 64;

/// The secrets of a request.
pub(crate) struct Needles<'a> {
    pub(crate) cx: Context<'a>,
    list: BumpVec<'a, Needle<'a>>,
    /// The request as it came.
    request: &'a [u8],
    /// Where the needles are in the request, from and to; `None` where that is not known.
    hits: Option<BumpVec<'a, (usize, usize)>>,
    /// The length of the shortest needle.
    pub(crate) shortest: usize,
    /// True if one of them has a blank in its plain form.
    pub(crate) has_blanks: bool,
    /// Sorted; used instead of `list` when these are too many.
    prefixes: Option<BumpVec<'a, [u8; SHORTEST]>>,
}

/// A secret that is searched for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Needle<'a> {
    text: &'a [u8],
    /// The place, among its first bytes, of the one that is least frequent in requests.
    rare: usize,
}

impl<'a> Needle<'a> {
    fn new(text: &'a [u8]) -> Self {
        let rarity = |byte: &u8| match byte {
            // Where one byte is escaped, many are.
            b'a'..=b'z' | b'%' => 0,
            b'0'..=b'9' | b'.' | b'-' | b'/' => 1,
            _ => 2,
        };
        let rare = text.iter().take(SHORTEST).enumerate().max_by_key(|(_, byte)| rarity(byte));
        Needle { text, rare: rare.map(|(at, _)| at).unwrap_or_default() }
    }

    /// Calls `visit` with each place of the needle in a text, until it returns `false`.
    fn each(self, text: &[u8], mut visit: impl FnMut(usize) -> bool) {
        let Some(byte) = self.text.get(self.rare).filter(|_| self.text.len() <= text.len()) else { return };
        let places = memchr::memchr_iter(*byte, text).filter_map(|at| at.checked_sub(self.rare));
        let mut left = text.len().saturating_mul(MOST_COMPARED);
        for at in places {
            let rest = text.get(at..).unwrap_or_default();
            if rest.first_chunk::<SHORTEST>() != self.text.first_chunk() {
                continue;
            }
            let Some(after) = left.checked_sub(self.text.len()) else {
                // The search stays linear, however often the beginning of a needle is repeated.
                return self.each_slow(text, at, visit);
            };
            left = after;
            if rest.starts_with(self.text) && !visit(at) {
                return;
            }
        }
    }

    fn each_slow(self, text: &[u8], mut from: usize, mut visit: impl FnMut(usize) -> bool) {
        let finder = memchr::memmem::Finder::new(self.text);
        while let Some(found) = text.get(from..).and_then(|rest| finder.find(rest))
            && visit(from.saturating_add(found))
        {
            // Needles may overlap.
            from = from.saturating_add(found).saturating_add(1);
        }
    }

    fn is_in(self, text: &[u8]) -> bool {
        let mut is_in = false;
        self.each(text, |_| {
            is_in = true;
            false
        });
        is_in
    }
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
            hits: None,
            shortest: SHORTEST,
            has_blanks: false,
            prefixes: None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a secret, as it is and in its other spellings.
    pub(crate) fn push(&mut self, secret: &'a [u8]) {
        let secret = trim(secret);
        let classes = bytes::union(secret);
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

    /// Adds the needles of a part that is read in another arena.
    pub(crate) fn take(&mut self, others: &Needles<'_>) {
        for needle in &others.list {
            let text = needle.text;
            let is_last = self.list.last().is_some_and(|last| last.text == text);
            if is_last {
                continue;
            }
            let whole =
                offset_of(text, self.request).and_then(|at| self.request.get(at..)?.get(..text.len()));
            let text = whole.unwrap_or_else(|| self.cx.bump.alloc_slice_copy(text));
            self.list.push(Needle { text, rare: needle.rare });
        }
        self.has_blanks |= others.has_blanks;
    }

    /// Adds one needle; whether it is long enough.
    fn push_one(&mut self, secret: &'a [u8], classes: u32) -> bool {
        let is_long = decode::chars(secret) >= SHORTEST;
        if is_long {
            self.has_blanks |= has_blank(secret, classes);
            self.list.push(Needle::new(secret));
        }
        is_long
    }

    /// Searches the request once for all needles, after the last was added.
    pub(crate) fn prepare(&mut self, bump: &'a Bump) {
        self.list.sort_unstable();
        self.list.dedup();
        if self.list.len() <= MOST {
            self.shortest = self.list.iter().map(|needle| needle.text.len()).min().unwrap_or(SHORTEST);
            self.hits = self.find_in_request(bump);
            return;
        }
        let mut prefixes = BumpVec::with_capacity_in(self.list.len(), bump);
        prefixes.extend(self.list.iter().filter_map(|needle| needle.text.first_chunk::<SHORTEST>().copied()));
        prefixes.sort_unstable();
        prefixes.dedup();
        self.prefixes = Some(prefixes);
    }

    /// The places of all needles in the request, unless they are too many.
    fn find_in_request(&self, bump: &'a Bump) -> Option<BumpVec<'a, (usize, usize)>> {
        let mut hits = BumpVec::new_in(bump);
        for needle in &self.list {
            needle.each(self.request, |at| {
                hits.push((at, at.saturating_add(needle.text.len())));
                hits.len() <= MOST_HITS
            });
        }
        (hits.len() <= MOST_HITS).then_some(hits)
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

    /// Returns whether a text may have another spelling in which a secret may be.
    pub(crate) fn may_have_spelling(&self, text: &[u8], classes: u32) -> bool {
        may_have_spelling(text, classes, self.has_blanks)
    }

    /// Returns whether `text` contains a secret as it is.
    pub(crate) fn is_in_plain(&self, text: &[u8]) -> bool {
        if let Some(prefixes) = &self.prefixes {
            return text.windows(SHORTEST).any(|window| {
                window.first_chunk::<SHORTEST>().is_some_and(|chunk| prefixes.binary_search(chunk).is_ok())
            });
        }
        if text.len() < self.shortest {
            return false;
        }
        if let Some(hits) = &self.hits
            && let Some(start) = offset_of(text, self.request)
        {
            let end = start.saturating_add(text.len());
            return hits.iter().any(|(from, to)| start <= *from && *to <= end);
        }
        self.list.iter().any(|needle| needle.is_in(text))
    }
}
