//! The document (section 9).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::Profile;
use crate::chars::{self, Char};
use crate::scan::Flags;

/// Writes what 9.6 names everywhere, and what `also` names, as `%HH`.
pub(crate) fn escape(text: &[Char], also: impl Fn(char) -> bool) -> String {
    text.iter()
        .map(|c| match *c {
            Char::Plain(c) if chars::is_control(c) || chars::is_invisible(c) || also(c) => {
                chars::hex_escape(c.to_string().as_bytes())
            }
            Char::Plain(c) => c.to_string(),
            Char::Stray(byte) | Char::Kept(byte) => chars::hex_escape(&[byte]),
            Char::Guarded(c) => chars::hex_escape(c.to_string().as_bytes()),
            Char::BornDot => ".".into(),
        })
        .collect()
}

pub(crate) fn escape_key(text: &[Char]) -> String {
    escape(text, |c| chars::is_white_space(c) || ",|&=<>".contains(c))
}

pub(crate) fn escape_query_value(text: &[Char]) -> String {
    escape(text, |c| chars::is_white_space(c) || "&=#<>".contains(c))
}

/// A header name as the parameter of a flag.
pub(crate) fn name_parameter(shown: &str) -> String {
    if shown.starts_with('<') {
        return shown.into();
    }
    if shown == "*" {
        return "%2A".into();
    }
    shown.replace('&', "%26").replace('|', "%7C").replace('=', "%3D").replace(',', "%2C")
}

/// Family, weight and profile of a flag.
type Card = (&'static str, &'static str, &'static str);

/// The index of `spec/flags.md`.
static CARDS: LazyLock<BTreeMap<&'static str, Card>> = LazyLock::new(|| {
    let mut cards = BTreeMap::new();
    for line in include_str!("../../../spec/flags.md").lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let between = |cell: &'static str, open: char, close: char| {
            cell.split_once(open).and_then(|(_, rest)| rest.split_once(close)).map(|(inner, _)| inner)
        };
        if let (Some(family), Some(flag)) = (between(cells[0], '[', ']'), between(cells[1], '`', '`')) {
            cards.insert(name_of(flag), (family, cells[2], cells[3]));
        }
    }
    cards
});

fn card(name: &str) -> Card {
    CARDS[name]
}

/// Returns whether the weight of a flag is not `structural` (7.7).
pub(crate) fn is_telling(flag: &str) -> bool {
    card(name_of(flag)).1 != "structural"
}

fn name_of(flag: &str) -> &str {
    flag.split(':').next().unwrap()
}

/// Returns whether a profile has a flag.
pub(crate) fn has_flag(profile: Profile, flag: &str) -> bool {
    match card(name_of(flag)).2 {
        "core" => true,
        "standard" => profile != Profile::Core,
        _ => profile == Profile::Full,
    }
}

/// Flags that a URL header does not tell of (8.23): those whose parameter is a key, name or number, and those that
/// every URL raises.
const NOT_OF_URL_HEADERS: &str = "QREPEAT QARRAY MULTIENC DOTDOTN BADHDRNAME DUPHDR UNKHDR HOPBYHOP COOKIE \
    B64TEXT GZIPMAGIC HOME JWT PATHPARAM QBARE QEMPTYVAL QLONG QNONASCII QSEMISEP TRAILSLASH URLVALUE";

/// Returns whether a URL header tells of a flag (8.23).
pub(crate) fn told_by_url_header(flag: &str) -> bool {
    !NOT_OF_URL_HEADERS.split(' ').any(|name| name == name_of(flag))
}

/// `{n}@{bucket}` (5.29).
pub(crate) fn measure(n: usize) -> String {
    let bounds = [15, 31, 63, 127, 255, 511, 1023];
    let mut from = 0;
    for to in bounds {
        if n <= to {
            return format!("{n}@{from}-{to}");
        }
        from = to + 1;
    }
    format!("{n}@>1023")
}

/// At most so many parameters of one flag (9.3, 8.31); whether some are left out.
pub(crate) fn limit_parameters(flags: &Flags, limit: usize) -> (Flags, bool) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shown = Flags::new();
    let mut capped = false;
    for flag in flags {
        let Some((name, parameter)) = flag.split_once(':') else {
            shown.insert(flag.clone());
            continue;
        };
        if parameter == "*" {
            shown.insert(flag.clone());
            continue;
        }
        let count = counts.entry(name).or_default();
        *count += 1;
        if *count <= limit {
            shown.insert(flag.clone());
        } else {
            shown.insert(format!("{name}:*"));
            capped = true;
        }
    }
    (shown, capped)
}

/// ` [A] [B]`.
pub(crate) fn written(flags: &Flags) -> String {
    flags.iter().map(|flag| format!(" [{flag}]")).collect()
}

/// The `FAM` line's counts (9.9).
pub(crate) fn families(rollup: &Flags) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for flag in rollup {
        let (family, weight, _) = card(name_of(flag));
        if weight != "structural" {
            *counts.entry(family).or_default() += 1;
        }
    }
    counts.iter().map(|(family, n)| format!("{family}={n}")).collect::<Vec<_>>().join(" ")
}
