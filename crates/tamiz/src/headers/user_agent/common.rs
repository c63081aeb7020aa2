//! User agents of the words that nearly all browsers and clients send: read and written in one pass.
//!
//! ```text
//! agent   = part *( " " part )
//! part    = words / "(" item *( ( ";" / "," ) " " item ) ")"
//! words   = run *( ( " " / "/" / ":" ) run )
//! ```
//!
//! A run is a word of [`WORDS`] or a version. Such an agent raises no flag and holds no credential; a test tries each word beside
//! each. What it is written as is copied in ranges: outside of comments nothing but its case changes.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of what is in it")]

use crate::bytes::{self, Positions};
use crate::context::HAS_FAST_PATHS;
use crate::swar::first_sixteen;

/// A longer agent is read by itself.
const LONGEST: usize = 256;
/// A number of more digits is in no version.
const MOST_DIGITS: usize = 9;

/// The words, by rows: engines and browsers; systems; what is said of these; languages. None has more than fifteen letters.
const WORDS: [&[u8]; 91] = [
    b"Mozilla",
    b"Gecko",
    b"like",
    b"KHTML",
    b"AppleWebKit",
    b"Safari",
    b"Chrome",
    b"Chromium",
    b"HeadlessChrome",
    b"PTST",
    b"CriOS",
    b"FxiOS",
    b"EdgiOS",
    b"GSA",
    b"Firefox",
    b"Edg",
    b"Edge",
    b"EdgA",
    b"OPR",
    b"Opera",
    b"Presto",
    b"Vivaldi",
    b"YaBrowser",
    b"SamsungBrowser",
    b"Trident",
    b"MSIE",
    b"Konqueror",
    b"PhantomJS",
    b"Electron",
    b"Iceweasel",
    b"Thunderbird",
    b"SeaMonkey",
    b"Version",
    b"Mobile",
    b"X11",
    b"X",
    b"Windows",
    b"NT",
    b"OS",
    b"Mac",
    b"Macintosh",
    b"Intel",
    b"Linux",
    b"Ubuntu",
    b"Fedora",
    b"Debian",
    b"CrOS",
    b"FreeBSD",
    b"OpenBSD",
    b"Android",
    b"K",
    b"iPhone",
    b"iPad",
    b"iPod",
    b"CPU",
    b"Win64",
    b"Win32",
    b"WOW64",
    b"x64",
    b"arm64",
    b"armv7l",
    b"aarch64",
    b"amd64",
    b"i586",
    b"i686",
    b"PPC",
    b"x86_64",
    b"Pixel",
    b"Nexus",
    b"U",
    b"N",
    b"rv",
    b"compatible",
    b"Touch",
    b"Tablet",
    b"Phone",
    b"15E148",
    b"Wayland",
    b"en",
    b"en-US",
    b"en-GB",
    b"es",
    b"es-ES",
    b"de",
    b"fr",
    b"it",
    b"pt-BR",
    b"ja",
    b"zh-CN",
    b"CFNetwork",
    b"Darwin",
];

/// The clients that an agent may begin with, and that are nowhere else in it: some are names of commands.
const CLIENTS: [&[u8]; 14] = [
    b"python-requests",
    b"python-httpx",
    b"Python-urllib",
    b"curl",
    b"Wget",
    b"Go-http-client",
    b"okhttp",
    b"axios",
    b"node-fetch",
    b"Java",
    b"Ruby",
    b"Dalvik",
    b"PostmanRuntime",
    b"insomnia",
];

/// Comments that browsers have frozen: the first eight bytes, all of it, and the length of the name in it that is written as a likeness.
const COMMENTS: [(&[u8; 8], &[u8], usize); 10] = [
    (b"(KHTML, ", b"(KHTML, like Gecko)", 5),
    (b"(Windows", b"(Windows NT 10.0; Win64; x64)", 0),
    (b"(Macinto", b"(Macintosh; Intel Mac OS X 10_15_7)", 0),
    (b"(X11; Li", b"(X11; Linux x86_64)", 0),
    (b"(Linux; ", b"(Linux; Android 10; K)", 0),
    (b"(X11; Cr", b"(X11; CrOS x86_64 14541.0.0)", 0),
    (b"(Windows", b"(Windows NT 10.0; WOW64)", 0),
    (b"(Windows", b"(Windows NT 6.1; Win64; x64)", 0),
    (b"(Windows", b"(Windows NT 6.1; WOW64)", 0),
    (b"(Windows", b"(Windows NT 6.1)", 0),
];

/// Finds the comment of that list that a text begins with, if a space or nothing follows it.
#[inline]
fn frozen_comment(text: &[u8]) -> Option<(&'static [u8], usize)> {
    let first = text.first_chunk()?;
    let is_it = |comment: &&(&[u8; 8], &[u8], usize)| {
        comment.0 == first
            && text.strip_prefix(comment.1).is_some_and(|rest| matches!(rest, [] | [b' ', _, ..]))
    };
    COMMENTS.iter().find(is_it).map(|(_, comment, name_len)| (*comment, *name_len))
}

/// Tells a client from other words: no word has a sixteenth letter.
const CLIENT: u128 = 1 << 120;

/// The number of slots, as a power of two.
const BITS: u32 = 10;

static TABLE: Table = Table::new();

/// Words, found by their hash.
struct Table {
    /// The words as numbers, the first byte lowest; zero where none is.
    slots: [u128; 1 << BITS],
}

impl Table {
    #[allow(clippy::indexing_slicing, reason = "runs at compile time")]
    const fn new() -> Self {
        let mut slots = [0; 1 << BITS];
        let mut nth = 0;
        while nth < WORDS.len() + CLIENTS.len() {
            let (bytes, mut word) =
                if nth < WORDS.len() { (WORDS[nth], 0) } else { (CLIENTS[nth - WORDS.len()], CLIENT) };
            let mut at = 0;
            while at < bytes.len() {
                word |= (bytes[at] as u128) << (8 * at);
                at += 1;
            }
            let mut slot = slot(word);
            while slots[slot] != 0 {
                slot = (slot + 1) % slots.len();
            }
            slots[slot] = word;
            nth += 1;
        }
        Table { slots }
    }

    #[inline]
    fn has(&self, word: u128) -> bool {
        let mut slot = slot(word);
        while let Some(known) = self.slots.get(slot).filter(|known| **known != 0) {
            if *known == word {
                return true;
            }
            slot = (slot + 1) % self.slots.len();
        }
        false
    }
}

const fn slot(word: u128) -> usize {
    let mixed = (word as u64) ^ ((word >> 64) as u64).rotate_left(29);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - BITS)) as usize
}

/// Writes an agent of such words, if it has at most `most` that are written; returns whether it is one. Of others nothing is written.
pub(in crate::headers) fn write_common(text: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let is_common = HAS_FAST_PATHS
        && text.len() <= LONGEST
        && !may_be_encoded(text)
        && Agent { text, out, start, count: 0 }.write().is_some_and(|count| count <= most);
    if is_common {
        out.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
    } else {
        out.truncate(start);
    }
    is_common
}

/// Returns whether a text has no sign that is in no alphabet of Base64, or begins as binary data does in Base64.
fn may_be_encoded(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'A' | b'B' | b'H' | b'g' | b'r'))
        || bytes::position(b'.', text).is_none() && bytes::position(b'(', text).is_none()
}

/// An agent on its way to the output.
struct Agent<'t, 'o> {
    text: &'t [u8],
    out: &'o mut Vec<u8>,
    /// Where it begins in the output.
    start: usize,
    /// How many words are written.
    count: usize,
}

impl Agent<'_, '_> {
    /// Writes all of it; returns how many words that are.
    fn write(&mut self) -> Option<usize> {
        let ends = Positions::of_runs(self.text);
        // Where the present run begins, and the words or the item that it is in.
        let (mut at, mut from, mut in_comment) = (0, 0, false);
        let mut item = Item::default();
        loop {
            let end = ends.next(at).map_or(self.text.len(), |end| end.min(self.text.len()));
            let run = self.text.get(at..end)?;
            if !is_known(self.text, at, run) {
                return None;
            }
            at = end + 1;
            let rest = self.text.get(end..)?;
            // Behind brackets it may be a word of SQL.
            if run == b"like" {
                if !matches!(rest, [b' ', b'A'..=b'Z', ..]) {
                    return None;
                }
                item.begins_with_like = end - run.len() == from;
            }
            if !in_comment && let Some(behind) = self.put_frozen(rest, from, end) {
                if behind > self.text.len() {
                    return Some(self.count);
                }
                (at, from) = (behind, behind);
                continue;
            }
            match *rest {
                [] if !in_comment => {
                    self.put(b"", from, end);
                    return Some(self.count);
                }
                [b' ', b'(', next, ..] if !in_comment && next.is_ascii_alphabetic() => {
                    self.put(b"", from, end);
                    (at, from, in_comment, item) = (end + 2, end + 2, true, Item::default());
                }
                [b' ', ..] => {
                    self.count += usize::from(!in_comment);
                    item.others += 1;
                }
                [b'/', ..] => item.slashes += 1,
                [b':', next, ..] if next.is_ascii_digit() && run == b"rv" => item.others += 1,
                [b';' | b',', b' ', ..] if in_comment => {
                    self.put_item(item, from, end);
                    (at, from, item) = (end + 2, end + 2, Item::default());
                }
                [b')'] if in_comment => {
                    self.put_item(item, from, end);
                    return Some(self.count);
                }
                [b')', b' ', ..] if in_comment => {
                    self.put_item(item, from, end);
                    (at, from, in_comment) = (end + 2, end + 2, false);
                }
                _ => return None,
            }
        }
    }

    /// Writes words, and what a frozen comment behind them says; returns where the next words begin. `rest` follows the words.
    #[inline]
    fn put_frozen(&mut self, rest: &[u8], from: usize, to: usize) -> Option<usize> {
        let (comment, name_len) = frozen_comment(rest.strip_prefix(b" ")?)?;
        self.put(b"", from, to);
        let close = to + comment.len();
        if name_len > 0 {
            self.put(b"like:", close - name_len, close);
        }
        Some(close + 2)
    }

    /// Writes words that are in the text as they are written, of which all but the last are counted.
    fn put(&mut self, prefix: &[u8], from: usize, to: usize) {
        self.count += 1;
        if self.out.len() > self.start {
            self.out.push(b' ');
        }
        self.out.extend_from_slice(prefix);
        self.out.extend_from_slice(self.text.get(from..to).unwrap_or_default());
    }

    /// Writes an item of a comment, if it is a product or a likeness.
    #[inline]
    fn put_item(&mut self, item: Item, from: usize, to: usize) {
        match item {
            Item { begins_with_like: true, slashes: 0, others: 1 } => self.put(b"like:", from + 5, to),
            Item { slashes: 1, others: 0, .. } => self.put(b"", from, to),
            _ => {}
        }
    }
}

/// An item of a comment: what is between its runs.
#[derive(Clone, Copy, Default)]
struct Item {
    begins_with_like: bool,
    slashes: u16,
    /// Spaces and colons.
    others: u16,
}

/// Returns whether a run is a known word or a version.
#[inline]
fn is_known(text: &[u8], at: usize, run: &[u8]) -> bool {
    let is_word = || {
        let word = first_sixteen(text.get(at..).unwrap_or_default(), run.len());
        TABLE.has(word) || at == 0 && TABLE.has(word | CLIENT)
    };
    match run {
        [b'0'..=b'9', ..] if is_version(run) => true,
        _ => (1..16).contains(&run.len()) && is_word(),
    }
}

/// Returns whether a run is numbers with dots or underscores between them.
#[inline]
fn is_version(run: &[u8]) -> bool {
    let mut digits = 0;
    for byte in run {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'.' | b'_' if (1..=MOST_DIGITS).contains(&digits) => digits = 0,
            _ => return false,
        }
    }
    (1..=MOST_DIGITS).contains(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::context::tests::{random, with_context};
    use crate::headers::value::{self, Content};
    use crate::headers::whitespace;
    use crate::text::Text;

    /// Returns whether an agent is common, and asserts that it is then quiet, as it is opened, and is written as any other.
    fn is_common(agent: &str, cx: Context<'_>) -> bool {
        let mut out = b"before".to_vec();
        if !write_common(agent.as_bytes(), 16, &mut out) {
            assert_eq!(out, b"before");
            return false;
        }
        let rule = cx.settings.headers.get(b"user-agent");
        let text = Text::untraced(agent.as_bytes()).repaired();
        let mut flags = cx.flags();
        let classes = whitespace::classes_of_collapsed(text.bytes).unwrap();
        assert_eq!(classes & (bytes::BACKSLASH | bytes::ENCODED), 0);
        let content = value::inspect(text, classes, b"user-agent", rule, cx, &mut flags);
        crate::hidden::check_value(text, &mut flags);
        assert!(matches!(content, Content::Plain) && flags.set.is_empty(), "{agent}: {:?}", flags.set);
        let mut other = b"before".to_vec();
        value::write_plain(text.bytes, classes, rule, cx, &mut other);
        assert_eq!(String::from_utf8(out), String::from_utf8(other), "{agent}");
        true
    }

    #[test]
    fn agents_of_browsers_are_common() {
        with_context(|cx| {
            for agent in [
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
                "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
                "Mozilla/5.0 (compatible; Konqueror/3.5; Linux) KHTML/3.5.8 (like Gecko)",
                "python-requests/2.18.4",
                "curl/8.0.1",
            ] {
                assert!(is_common(agent, cx), "{agent}");
            }
            for agent in [
                "",
                " ",
                "Mozilla/5.0 ",
                "Mozilla//5",
                "Mozilla/5.0 (X11",
                "Mozilla/5.0 (X11))",
                "Mozilla/5.0 ((X11))",
                "Mozilla/5.0(X11)",
                "Mozilla/5.0 (X11;Linux)",
                "Mozilla/5.0 (X11;  Linux)",
                "Mozilla..5",
                "Mozilla/5.0 (1)",
                "Mozilla/5.0 (X11)Gecko",
                "mozilla/5.0",
                "Mozilla/1234567890",
                "Mozilla/5.0 ()",
                "Mozilla; X11",
                "Mozilla/5.0 (X11; )",
                "Mozilla/5.0 (like 5)",
                "Mozilla/5.0 Joe/1",
                "X11 X11 X11 X11",
                "Mozilla/5.0 curl/8.0",
                "AppleWebKit/537.36",
            ] {
                assert!(!is_common(agent, cx), "{agent}");
            }
            for (first, comment, _) in COMMENTS {
                assert!(comment.starts_with(first));
                let comment = std::str::from_utf8(comment).unwrap();
                assert!(is_common(&format!("Mozilla/5.0 {comment} Gecko/1 {comment}"), cx), "{comment}");
                // Read word by word.
                assert!(is_common(&format!("Mozilla/5.0 (N; {}", &comment[1..]), cx), "{comment}");
                assert!(!is_common(&format!("Mozilla/5.0 {comment} "), cx), "{comment}");
            }
            assert!(!is_common(&format!("{}5.0", "X11 ".repeat(16)), cx));
            assert!(is_common(&format!("{}5.0", "X11 ".repeat(15)), cx));
        });
    }

    #[test]
    fn words_are_quiet_beside_each_other() {
        let between = [" ", " ", "/", "_", ".", ":", "; ", ", ", " (", ") ", " (", ") "];
        let numbers = ["0", "5", "10", "127", "537", "2010", "20100101", "00", "169", "254"];
        let words: Vec<&str> = WORDS.iter().map(|word| std::str::from_utf8(word).unwrap()).collect();
        let mut random = random();
        let mut count = 0;
        // Each pair is tried many times: they are some hundred thousand, with what is between them.
        for nth in 0..12_000 {
            let first = CLIENTS[nth / 3 % CLIENTS.len()];
            let first = format!("{}/5.0 ", std::str::from_utf8(first).unwrap());
            let mut agent = ["", "Mozilla/5.0 ", &first][nth % 3].to_owned();
            let mut open = false;
            let mut last = "";
            for run in 0..4 + random(16) {
                let between: Vec<&str> = between
                    .iter()
                    .copied()
                    .filter(|sign| match *sign {
                        " (" => !open,
                        ") " | "; " | ", " => open,
                        ":" => last == "rv",
                        _ => true,
                    })
                    .collect();
                let sign = if run == 0 { "" } else { between[random(between.len() as u32) as usize] };
                let is_number = matches!(sign, "_" | "." | ":") || sign != " (" && random(5) == 0;
                // A dot has numbers on both sides.
                let is_after_number =
                    last.ends_with(|last: char| last.is_ascii_digit()) && numbers.contains(&last);
                let sign = if matches!(sign, "." | "_") && !is_after_number { "/" } else { sign };
                let (sign, is_number) = if last == "like" { (" ", false) } else { (sign, is_number) };
                open = (open || sign == " (") && sign != ") ";
                last = if is_number && run > 0 {
                    numbers[random(10) as usize]
                } else {
                    words[random(words.len() as u32) as usize]
                };
                agent.push_str(sign);
                agent.push_str(last);
            }
            agent.push_str(if open { ")" } else { "" });
            count += usize::from(with_context(|cx| is_common(&agent, cx)));
        }
        assert!(count > 8_000, "{count}");
    }
}
