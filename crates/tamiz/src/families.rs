//! Well-known tokens (clause 6.11.1): found by what they begin with, or by what stands in them.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::bytes::{self, ALNUM, HIGH, NO_ALNUM, PATH_MARK, SLASH, UPPER};
use crate::decode::{self, GUARD};
use crate::eights::{self, eight_at};
use crate::lists::CREDENTIAL_PREFIXES;

/// No token is shorter, its head included.
pub(crate) const SHORTEST_TOKEN: usize = 12;
/// No token that begins with a gap is shorter.
const SHORTEST_GAPPED: usize = 37;
/// One of these is in every head but those of [`Families::unmarked`].
const IN_HEADS: u32 = UPPER | PATH_MARK | SLASH;

/// The characters of a part of a token, a bit each.
#[derive(Clone, Copy, Debug)]
struct Alphabet(u128);

impl Alphabet {
    /// By its name and the signs behind it.
    fn new(text: &str) -> Self {
        const NAMES: [(&str, &str, &str); 7] = [
            ("digit", "09", ""),
            ("hex", "09AFaf", ""),
            ("alnum", "09AZaz", ""),
            ("word", "09AZaz", "_"),
            ("url", "09AZaz", "_-"),
            ("dotted", "09AZaz", "_-."),
            ("b64", "09AZaz", "+/="),
        ];
        let mut bits = 0;
        if let Some((name, ranges, signs)) = NAMES.iter().find(|(name, ..)| text.starts_with(name)) {
            for range in ranges.as_bytes().chunks(2) {
                if let [first, last] = range {
                    (*first..=*last).for_each(|byte| bits |= 1 << byte);
                }
            }
            let own = text.get(name.len()..).unwrap_or_default();
            signs.bytes().chain(own.bytes()).for_each(|byte| bits |= 1 << (byte & 127));
        }
        Alphabet(bits)
    }

    fn has(self, byte: u8) -> bool {
        byte.is_ascii() && self.0 >> byte & 1 != 0
    }

    /// How many of them a text begins with, counted up to `most`.
    fn run(self, text: &[u8], most: usize) -> usize {
        text.iter().take(most).take_while(|byte| self.has(**byte)).count()
    }
}

/// What a head is made of.
#[derive(Clone, Debug)]
enum Piece {
    Text(&'static [u8]),
    Gap(Alphabet, Lengths),
}

/// How many characters there may be.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    least: usize,
    most: usize,
}

impl Lengths {
    /// `n`, `=n` or `n-m`; `open` is the most where the text names none.
    fn new(text: &str, open: Option<usize>) -> Self {
        let number = |text: &str| text.parse().unwrap_or(usize::MAX >> 1);
        match (text.strip_prefix('='), text.split_once('-')) {
            (Some(just), _) => Lengths { least: number(just), most: number(just) },
            (_, Some((least, most))) => Lengths { least: number(least), most: number(most) },
            _ => Lengths { least: number(text), most: open.unwrap_or_else(|| number(text)) },
        }
    }

    fn has(self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }

    fn is_open(self) -> bool {
        self.most == usize::MAX
    }
}

/// A row of the list.
#[derive(Clone, Debug)]
struct Family {
    row: usize,
    head: Vec<Piece>,
    alphabet: Alphabet,
    lengths: Lengths,
}

impl Family {
    fn new(row: usize, (head, alphabet, lengths): (&'static str, &str, &str)) -> Self {
        let mut pieces = Vec::new();
        let mut rest = head;
        while !rest.is_empty() {
            let gap = rest.strip_prefix('{').and_then(|gap| gap.split_once('}'));
            if let Some((gap, after)) = gap {
                let (alphabet, lengths) = gap.split_once(':').unwrap_or((gap, "1"));
                pieces.push(Piece::Gap(Alphabet::new(alphabet), Lengths::new(lengths, None)));
                rest = after;
            } else {
                let (text, after) =
                    rest.split_at_checked(rest.find('{').unwrap_or(rest.len())).unwrap_or((rest, ""));
                pieces.push(Piece::Text(text.as_bytes()));
                rest = after;
            }
        }
        let lengths = Lengths::new(lengths, Some(usize::MAX));
        Family { row, head: pieces, alphabet: Alphabet::new(alphabet), lengths }
    }

    /// Where the token ends that begins at `at`.
    fn end(&self, text: &[u8], at: usize) -> Option<usize> {
        self.end_of(&self.head, text, at)
    }

    /// The same, where `head` is left of the head.
    fn end_of(&self, head: &[Piece], text: &[u8], at: usize) -> Option<usize> {
        let at = head_end(head, text, at)?;
        let rest = text.get(at..)?;
        // What is too short is counted no further than that: the search stays linear.
        let count = self.alphabet.run(rest, self.lengths.most.saturating_add(1));
        let is_ended = || rest.get(count).is_none_or(|byte| !bytes::is(*byte, ALNUM));
        (self.lengths.has(count) && (self.lengths.is_open() || is_ended())).then_some(at + count)
    }

    /// The gaps that it begins with, and the rest of its head, which begins with a text.
    fn cut(&self) -> (&[Piece], &[Piece]) {
        let gaps = self.head.iter().take_while(|piece| matches!(piece, Piece::Gap(..))).count();
        self.head.split_at_checked(gaps).unwrap_or_default()
    }

    /// The token whose first text after gaps stands at `at`.
    fn around(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let (gaps, rest) = self.cut();
        // Most places are none by what follows; how long the token is, is told last, and at most once.
        head_end(rest, text, at)?;
        let mut start = at;
        for gap in gaps.iter().rev() {
            let Piece::Gap(alphabet, lengths) = gap else { return None };
            let before = text.get(..start)?;
            // The two digits of a guarded byte are no characters.
            let most = if lengths.least == lengths.most { lengths.most } else { lengths.most + 3 };
            let count = before.iter().rev().take(most).take_while(|byte| alphabet.has(**byte)).count();
            let is_guard =
                |back: usize| before.len().checked_sub(back).and_then(|at| before.get(at)) == Some(&GUARD);
            let digits = if is_guard(count + 1) { 2 } else { usize::from(is_guard(count + 2)) };
            let count = count.checked_sub(digits)?;
            start -= Some(count).filter(|count| lengths.has(*count))?;
        }
        if starts_word(text, start) { Some(start..self.end_of(rest, text, at)?) } else { None }
    }
}

/// Where a head ends that begins at `at`.
fn head_end(head: &[Piece], text: &[u8], mut at: usize) -> Option<usize> {
    for piece in head {
        let rest = text.get(at..)?;
        at += match piece {
            Piece::Text(piece) => rest.starts_with(piece).then_some(piece.len())?,
            Piece::Gap(alphabet, lengths) if lengths.least == lengths.most => {
                Some(alphabet.run(rest, lengths.most)).filter(|count| lengths.has(*count))?
            }
            Piece::Gap(alphabet, lengths) => {
                Some(alphabet.run(rest, lengths.most + 1)).filter(|count| lengths.has(*count))?
            }
        };
    }
    Some(at)
}

/// All families, by how they are looked for.
struct Families {
    /// By their first byte, those that begin with a text.
    by_first: Vec<Prefixes>,
    /// Those that begin with a gap.
    gapped: Vec<Gapped>,
    /// The heads that have nothing of [`IN_HEADS`].
    unmarked: Vec<Finder<'static>>,
    /// What the heads with a `/` have right before it.
    hosts: Vec<&'static [u8]>,
}

/// A family that begins with a gap.
struct Gapped {
    family: Family,
    /// What follows its gaps.
    text: &'static [u8],
    /// Where in that one of [`ANCHORS`] is.
    anchor: Option<usize>,
    /// What is looked for where none is.
    finder: Finder<'static>,
}

/// One of these is in what follows the gaps of most.
const ANCHORS: [u8; 3] = *b".:~";

impl Gapped {
    fn new(family: Family, text: &'static [u8]) -> Self {
        let anchor = text.iter().position(|byte| ANCHORS.contains(byte));
        Gapped { family, text, anchor, finder: Finder::new(text) }
    }

    /// The token whose anchor stands at `at`.
    fn at_anchor(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let at = at.checked_sub(self.anchor?)?;
        text.get(at..)?.starts_with(self.text).then(|| self.family.around(text, at))?
    }
}

/// The families whose heads begin with one byte.
#[derive(Clone, Default)]
struct Prefixes {
    list: Vec<(Head, Family)>,
}

/// The first four bytes of a head, or as many as it has, the first lowest.
#[derive(Clone, Copy)]
struct Head {
    bytes: u32,
    mask: u32,
}

impl Head {
    fn new(text: &[u8]) -> Self {
        let first = |byte: usize| text.get(byte).map_or(0, |byte| u32::from(*byte));
        let bytes = first(0) | first(1) << 8 | first(2) << 16 | first(3) << 24;
        Head { bytes, mask: u32::MAX >> (32 - 8 * text.len().clamp(1, 4)) }
    }
}

static FAMILIES: LazyLock<Families> = LazyLock::new(|| {
    let mut all = Families {
        by_first: vec![Prefixes::default(); 256],
        gapped: Vec::new(),
        unmarked: Vec::new(),
        hosts: Vec::new(),
    };
    for (row, columns) in CREDENTIAL_PREFIXES.iter().enumerate() {
        let family = Family::new(row, *columns);
        let texts = family.head.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(*text),
            Piece::Gap(..) => None,
        });
        all.hosts.extend(texts.filter_map(|text| text.get(..memchr::memchr(b'/', text)?)));
        if let (_, [Piece::Text(anchor), ..]) = family.cut()
            && !matches!(family.head.first(), Some(Piece::Text(_)))
        {
            let anchor = *anchor;
            all.gapped.push(Gapped::new(family, anchor));
            continue;
        }
        let Some(Piece::Text(text)) = family.head.first() else { continue };
        let &[first, ..] = *text else { continue };
        if bytes::union(text) & IN_HEADS == 0 && family.head.len() == 1 {
            all.unmarked.push(Finder::new(*text));
        }
        if let Some(place) = all.by_first.get_mut(usize::from(first)) {
            place.list.push((Head::new(text), family));
        }
    }
    all
});

/// Whether a token may begin with a host that a path follows.
pub(crate) fn may_begin_with(host: &[u8]) -> bool {
    FAMILIES.hosts.iter().any(|end| host.ends_with(end))
}

/// So many tokens of a text are looked at for one that holds a separator: each is a search of all that follows.
const MOST_ACROSS: usize = 16;

/// The first of the first sixteen well-known tokens of a text that holds `separator` among its characters.
pub(crate) fn find_across(text: &[u8], separator: u8) -> Option<Range<usize>> {
    let seen = bytes::union(text);
    let mut from = 0;
    for _ in 0..MOST_ACROSS {
        let found = find(text.get(from..)?, seen)?;
        let found = from + found.start..from + found.end;
        if memchr::memchr(separator, text.get(found.clone())?).is_some() {
            return Some(found);
        }
        from = found.end.max(from + 1);
    }
    None
}

/// A well-known token, not in the middle of a word; of several, the first. `seen` is the union of the
/// classes of its bytes.
pub(crate) fn find(text: &[u8], seen: u32) -> Option<Range<usize>> {
    if text.len() < SHORTEST_TOKEN {
        return None;
    }
    let prefixed = find_prefixed(text, seen);
    if text.len() < SHORTEST_GAPPED || seen & (NO_ALNUM | HIGH) == 0 {
        return prefixed.map(|(_, found)| found);
    }
    let first = find_gapped(text).into_iter().chain(prefixed).min_by_key(|(row, found)| (found.start, *row));
    first.map(|(_, found)| found)
}

/// The same of those that begin with a gap: all anchors in one pass, the first token of each family.
fn find_gapped(text: &[u8]) -> Option<(usize, Range<usize>)> {
    let [a, b, c] = ANCHORS;
    let mut first: Option<(usize, Range<usize>)> = None;
    let mut is_found = [false; 16];
    let mut take = |row: usize, found: Range<usize>| {
        if first.as_ref().is_none_or(|(of, first)| (found.start, row) < (first.start, *of)) {
            first = Some((row, found));
        }
    };
    for at in memchr::memchr3_iter(a, b, c, text) {
        for (gapped, is_found) in FAMILIES.gapped.iter().zip(&mut is_found) {
            if !*is_found && let Some(found) = gapped.at_anchor(text, at) {
                *is_found = true;
                take(gapped.family.row, found);
            }
        }
    }
    for gapped in FAMILIES.gapped.iter().filter(|gapped| gapped.anchor.is_none()) {
        if let Some(found) = gapped.finder.find_iter(text).find_map(|at| gapped.family.around(text, at)) {
            take(gapped.family.row, found);
        }
    }
    first
}

/// The same of those that begin with a text, with their rows.
fn find_prefixed(text: &[u8], seen: u32) -> Option<(usize, Range<usize>)> {
    if seen & IN_HEADS == 0 && !FAMILIES.unmarked.iter().any(|head| head.find(text).is_some()) {
        return None;
    }
    if seen & HIGH == 0 {
        return find_prefixed_in_ascii(text, seen);
    }
    word_starts(text, seen).find_map(|at| token_at(text, at))
}

/// The same, eight bytes at a time.
fn find_prefixed_in_ascii(text: &[u8], seen: u32) -> Option<(usize, Range<usize>)> {
    let at_start = if may_begin_token(text, 0) { token_at(text, 0) } else { None };
    // Letters and digits alone are one word.
    if at_start.is_some() || seen & NO_ALNUM == 0 {
        return at_start;
    }
    let mut start = 0;
    while start < text.len() {
        let eight = eight_at(text, start);
        let mut others = !(eights::letters(eight) | eights::digits(eight)) & eights::TOPS;
        while others != 0 {
            let at = start + others.trailing_zeros() as usize / 8 + 1;
            others &= others - 1;
            if may_begin_token(text, at)
                && let Some(found) = token_at(text, at)
            {
                return Some(found);
            }
        }
        start += 8;
    }
    None
}

/// The number of bits of [`TRIPLES`], as a power of two.
const TRIPLE_BITS: u32 = 13;

/// The first three characters of heads, hashed, a bit each.
const TRIPLES: [u64; 1 << (TRIPLE_BITS - 6)] = {
    let mut triples = [0; 1 << (TRIPLE_BITS - 6)];
    let mut row = 0;
    while row < CREDENTIAL_PREFIXES.len() {
        let head = CREDENTIAL_PREFIXES[row].0.as_bytes();
        if head[0] != b'{' && !is_short(head) {
            let bit = hash_triple(head[0], head[1], head[2]);
            triples[bit >> 6] |= 1 << (bit & 63);
        }
        row += 1;
    }
    triples
};

/// The second characters of heads that have two, by the first one, a bit each; some share a bit.
const SECONDS: [u32; 128] = {
    let mut seconds = [0; 128];
    let mut row = 0;
    while row < CREDENTIAL_PREFIXES.len() {
        let head = CREDENTIAL_PREFIXES[row].0.as_bytes();
        if head[0] != b'{' && is_short(head) {
            seconds[head[0] as usize] |= 1 << (head[1] & 31);
        }
        row += 1;
    }
    seconds
};

/// Whether a head has two characters before it ends or a gap begins.
const fn is_short(head: &[u8]) -> bool {
    head.len() == 2 || head[2] == b'{'
}

const fn hash_triple(first: u8, second: u8, third: u8) -> usize {
    let triple = first as u32 | (second as u32) << 8 | (third as u32) << 16;
    (triple.wrapping_mul(0x9E37_79B1) >> (u32::BITS - TRIPLE_BITS)) as usize
}

/// Whether the characters at `at` may begin a head.
#[inline]
fn may_begin_token(text: &[u8], at: usize) -> bool {
    let Some([first, second, third]) = text.get(at..).and_then(|rest| rest.first_chunk()) else {
        return false;
    };
    let bit = hash_triple(*first, *second, *third);
    TRIPLES.get(bit >> 6).is_some_and(|bits| bits >> (bit & 63) & 1 != 0)
        || SECONDS.get(usize::from(*first)).is_some_and(|seconds| seconds >> (second & 31) & 1 != 0)
}

/// The token that begins at `at` with the text of its head, with its row.
#[inline(never)]
fn token_at(text: &[u8], at: usize) -> Option<(usize, Range<usize>)> {
    let first = text.get(at..).and_then(|rest| rest.first_chunk())?;
    let bytes = u32::from_le_bytes(*first);
    let Prefixes { list } = FAMILIES.by_first.get(usize::from(*first.first()?))?;
    let mut families = list.iter().filter(|(head, _)| bytes & head.mask == head.bytes);
    families.find_map(|(_, family)| Some((family.row, at..family.end(text, at)?)))
}

/// Where no letter or digit stands right before.
fn word_starts(text: &[u8], seen: u32) -> impl Iterator<Item = usize> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let at = next?;
        // Letters and digits alone are one word.
        let rest = if seen & NO_ALNUM == 0 { &[] } else { text.get(at..).unwrap_or_default() };
        next = rest.iter().position(|&b| !bytes::is(b, ALNUM)).map(|len| match rest.get(len) {
            // The digits of a guarded byte are no characters.
            Some(&GUARD) => at + len + 3,
            _ => at + len + 1,
        });
        Some(at)
    })
}

/// Whether no letter or digit stands right before `at`.
pub(crate) fn starts_word(text: &[u8], at: usize) -> bool {
    match text.get(..at).unwrap_or_default() {
        // What begins with the digits of a guarded byte is no word.
        [.., GUARD] | [.., GUARD, _] => false,
        before => before.last().is_none_or(|&b| !bytes::is(b, ALNUM)) || decode::ends_guarded(before),
    }
}

#[cfg(test)]
mod tests;
