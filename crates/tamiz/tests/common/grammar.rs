//! `spec/grammar.abnf`, read a second time: a checker that shares no code with the library.
//!
//! Regular expressions stand for the rules of the grammar, by their names; what a line may hold
//! once only, sorted or counted is checked in `properties.rs`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use regex::Regex;

/// The grammar's own text, for the words that it lists.
const ABNF: &str = include_str!("../../../../spec/grammar.abnf");

/// `unicode-char`.
const UNICODE: &str =
    r"[\x{80}-\x{10FFFF}&&[^\p{Cc}\x{2028}\x{2029}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]]";
/// `measure`.
const MEASURE: &str = r"(?:0|[1-9]\d*)@(?:\d+-\d+|>\d+)";
/// `host [ ":" port ]`, with `userinfo "@"` before it.
const AUTHORITY: &str =
    r"(?:<SECRET:userinfo:\d+>@)?(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?";
/// `lower-tchar`, for a class of a regular expression.
const TCHARS: &str = r"!#$%&'*+.^_`|~0-9-";

/// Every rule that is one regular expression, compiled once.
struct Rules {
    method: Regex,
    shape_marker: Regex,
    marker: Regex,
    leaf: Regex,
    body_key: Regex,
    path: Regex,
    path_line: Regex,
    authority_url: Regex,
    absolute_url: Regex,
    origin_url: Regex,
    fragment: Regex,
    literal: Regex,
    keys: Regex,
    name: Regex,
    parameter: Regex,
    value: Regex,
    cookie_item: Regex,
    counts: Regex,
    body: Regex,
    more: Regex,
    word: Regex,
    number: Regex,
}

/// The text between `%s"` and `"` in one rule of the grammar.
fn words(rule: &str) -> BTreeSet<&'static str> {
    let start = ABNF.find(&format!("\n{rule} ")).unwrap_or_else(|| panic!("no rule {rule}")) + 1;
    let rest = &ABNF[start..];
    let end = rest.match_indices('\n').find(|(at, _)| !rest[at + 1..].starts_with(' ')).map(|(at, _)| at);
    rest[..end.unwrap_or(rest.len())]
        .split("%s\"")
        .skip(1)
        .map(|word| word.split('"').next().unwrap())
        .collect()
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let shapes: Vec<&str> = words("shape").into_iter().collect();
    let shapes = shapes.join("|");
    let open_shapes = words("open-shape").into_iter().collect::<Vec<&str>>().join("|");
    // That it is sorted and has each sign once is for `has_sign_set`.
    let set = r#"(?:[!"$'()*+.@\\^_`{}-]|%[0-9A-F]{2})+"#;
    let entropy = r"(?:~\d{1,2}\.\d)?";
    let shape_marker = format!(r"(?:<(?:{shapes}):\d+{entropy}>|<(?:{open_shapes}):\d+{entropy}:{set}>)");
    let secret_marker = r"<SECRET:[a-z][a-z0-9-]*:\d+(?:~\d{1,2}\.\d)?>";
    let marker = format!("(?:{shape_marker}|{secret_marker})");
    let leaf = format!(
        r"(?:{marker}|<bool:[45]>|<null:4>|<obj:0>|<arr:0>|<file:\d+:[a-z0-9_-]+(?:\.[a-z0-9_-]+)?>)"
    );
    let unicode_dark = format!(r"[{UNICODE}&&[^\p{{White_Space}}]]");
    let exact = |rule: &str| Regex::new(&format!("^(?:{rule})$")).unwrap();
    Rules {
        method: exact(&format!("[A-Za-z{TCHARS}]{{1,32}}|{shape_marker}")),
        shape_marker: exact(&shape_marker),
        marker: exact(&marker),
        leaf: exact(&format!(r"{leaf}(?:\|{leaf})*")),
        body_key: exact(&format!(
            r"(?:[\x21-\x25\x27-\x2B\x2D-\x3B\x3F-\x7B\x7D-\x7E]|{unicode_dark}|{marker})*"
        )),
        path: exact(&format!(r"(?:[\x21-\x22\x24-\x3E\x40-\x7E]|{unicode_dark})+")),
        path_line: exact(&format!(r"(.*) PLEN:({MEASURE}) PMAX:({MEASURE})")),
        authority_url: exact(AUTHORITY),
        origin_url: exact(r"(/[^?]*)(?:\?(.*))?"),
        absolute_url: exact(&format!(r"(?:https?|wss?)://{AUTHORITY}(/[^?]*)(?:\?(.*))?")),
        fragment: exact(&format!("(.*)%23{marker}")),
        literal: exact(&format!(r"(?:[\x21-\x22\x24-\x25\x27-\x3B\x3F-\x7E]|{unicode_dark})*")),
        keys: exact(r"(0|[1-9]\d*) KEYS:(.*)"),
        name: exact(&format!("[a-z{TCHARS}]{{1,64}}|{marker}")),
        parameter: exact(&format!(
            "(?:[a-z{}]|%26|%7C|%2A){{1,64}}|{marker}",
            TCHARS.replace(['&', '|'], "")
        )),
        value: exact(&format!(r"(?:[\x20-\x7E]|{UNICODE})*")),
        cookie_item: exact(r"(?:%5B)?(.*)<len:(?:0|[1-9]\d*)>"),
        counts: exact(&format!(r"(0|[1-9]\d*) HLEN:{MEASURE}")),
        body: exact(&format!(r"(form|json|multipart|xml|text|binary) BLEN:({MEASURE})(?: ({marker}))?")),
        more: exact(r"<more:[1-9]\d*>"),
        word: exact("[a-z0-9._-]+"),
        number: exact(r"0|[1-9]\d*"),
    }
});

/// `hidden-letter`.
static HIDDEN_LETTERS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| words("hidden-letter"));

/// The flags of the grammar, by what follows their colon.
struct FlagNames {
    plain: BTreeSet<&'static str>,
    key: BTreeSet<&'static str>,
    name: BTreeSet<&'static str>,
    number: BTreeSet<&'static str>,
    word: BTreeSet<&'static str>,
    families: BTreeSet<&'static str>,
}

static FLAGS: LazyLock<FlagNames> = LazyLock::new(|| FlagNames {
    plain: words("plain-flag"),
    key: words("key-flag"),
    name: words("name-flag"),
    number: words("number-flag"),
    word: words("word-flag"),
    families: words("family"),
});

/// Returns whether `written`, as it stands between brackets, is a flag.
fn is_flag(written: &str) -> bool {
    let Some((name, parameter)) = written.split_once(':') else { return FLAGS.plain.contains(written) };
    let rest = parameter == "*";
    if FLAGS.key.contains(name) {
        rest || is_key(parameter)
    } else if FLAGS.name.contains(name) {
        rest || RULES.parameter.is_match(parameter)
    } else if FLAGS.number.contains(name) {
        rest || RULES.number.is_match(parameter)
    } else if FLAGS.word.contains(name) {
        rest || RULES.word.is_match(parameter)
    } else {
        let list = match name {
            "HIDDENHDR" => "content-length host transfer-encoding",
            "KW" => "file java jndi js ldap nosql php shell sql ssti xxe",
            "SERIAL" => "dotnet java php python ruby",
            _ => return false,
        };
        rest || list.split(' ').any(|word| word == parameter)
    }
}

/// `key`: a name of at most 64 characters, or a marker.
fn is_key(text: &str) -> bool {
    if RULES.marker.is_match(text) {
        return true;
    }
    let mut name = text.to_owned();
    for letter in HIDDEN_LETTERS.iter() {
        name = name.replace(letter, "x");
    }
    name.chars().all(is_name_char) && name.chars().count() <= 64
}

/// `name-char`. Not a regular expression: its tables are of an older Unicode version than the one that names are read
/// by.
fn is_name_char(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || "_.$:@[]-".contains(c);
    }
    matches!(
        CodePointMapData::<GeneralCategory>::new().get(c),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::DecimalNumber
    )
}

/// Items between commas, the last of which may be `<more:n>`.
fn is_key_list(list: &str, is_item: fn(&str) -> bool) -> bool {
    let mut items: Vec<&str> = list.split(',').collect();
    if items.last().is_some_and(|last| RULES.more.is_match(last)) {
        items.pop();
    }
    items.into_iter().all(is_item)
}

fn is_body_key(text: &str) -> bool {
    RULES.body_key.is_match(text)
}

fn is_query(query: &str) -> bool {
    let mut pairs: Vec<&str> = query.split('&').collect();
    if pairs.last().is_some_and(|last| RULES.more.is_match(last)) {
        pairs.pop();
    }
    pairs.into_iter().all(|pair| match pair.split_once('=') {
        None => is_key(pair),
        Some((key, value)) => is_key(key) && (RULES.marker.is_match(value) || RULES.literal.is_match(value)),
    })
}

fn is_url(url: &str) -> bool {
    let url = RULES.fragment.captures(url).map_or(url, |cut| cut.get(1).unwrap().as_str());
    if let Some(cut) = RULES.absolute_url.captures(url).or_else(|| RULES.origin_url.captures(url)) {
        return RULES.path.is_match(&cut[1]) && cut.get(2).is_none_or(|query| is_query(query.as_str()));
    }
    RULES.authority_url.is_match(url) && url.contains(':')
}

/// A bucket that holds its number.
fn is_measured(measure: &str) -> bool {
    let (length, bucket) = measure.split_once('@').unwrap();
    let length: u64 = length.parse().unwrap();
    match bucket.strip_prefix('>') {
        Some(least) => length > least.parse().unwrap(),
        None => {
            let (low, high) = bucket.split_once('-').unwrap();
            (low.parse().unwrap()..=high.parse().unwrap()).contains(&length)
        }
    }
}

fn is_path_line(line: &str) -> bool {
    let Some(cut) = RULES.path_line.captures(line) else { return false };
    let path = &cut[1];
    let number = |measure: &str| measure.split('@').next().unwrap().parse::<usize>().unwrap();
    let fits = |count: fn(&str) -> usize| {
        let lengths: Vec<usize> = path.split('/').map(count).collect();
        number(&cut[2]) == lengths.iter().sum::<usize>() + lengths.len() - 1
            && number(&cut[3]) == *lengths.iter().max().unwrap()
    };
    RULES.path.is_match(path)
        && is_measured(&cut[2])
        && is_measured(&cut[3])
        && (fits(|segment| segment.chars().count()) || fits(stated_length))
}

/// The length of a segment, its markers by what they state (clause 5.28).
fn stated_length(segment: &str) -> usize {
    let stated = |text: &str| {
        let rest = text.strip_prefix("<SECRET:").unwrap_or(text);
        let digits: String = rest.split(':').nth(1)?.chars().take_while(char::is_ascii_digit).collect();
        (RULES.marker.is_match(text) && has_sign_set(text) && digits.len() <= 7)
            .then(|| digits.parse().ok())?
    };
    let of_value = |text: &str| stated(text).unwrap_or_else(|| text.chars().count());
    stated(segment).unwrap_or_else(|| {
        let mut parts = segment.split(';');
        let first = parts.next().unwrap_or_default().chars().count();
        first
            + parts
                .map(|part| match part.split_once('=') {
                    Some((name, value)) => 1 + name.chars().count() + 1 + of_value(value),
                    None => 1 + part.chars().count(),
                })
                .sum::<usize>()
    })
}

/// Returns whether the set of a marker, if it has one, is a `sign-set`: sorted, each sign once, and those escaped that the
/// grammar lists.
fn has_sign_set(marker: &str) -> bool {
    let inside = marker.trim_start_matches('<').trim_end_matches('>');
    let Some(set) = inside.splitn(3, ':').nth(2).filter(|_| !inside.starts_with("SECRET:")) else {
        return true;
    };
    let (mut last, mut rest) = (None, set.as_bytes());
    while let [first, after @ ..] = rest {
        let (sign, is_escape);
        (sign, is_escape, rest) = match after {
            [high, low, after @ ..] if *first == b'%' => {
                let hex = [*high, *low];
                let byte = std::str::from_utf8(&hex).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
                (byte.unwrap_or(u8::MAX), true, after)
            }
            _ => (*first, false, after),
        };
        let is_escaped = !sign.is_ascii_graphic() || b"#%&,/:;<=>?[]|~".contains(&sign);
        if !sign.is_ascii() || sign.is_ascii_alphanumeric() || is_escaped != is_escape || last >= Some(sign) {
            return false;
        }
        last = Some(sign);
    }
    true
}

fn is_header(line: &str, has_flag: impl Fn(&str) -> bool) -> bool {
    if RULES.more.is_match(line) {
        return true;
    }
    let Some((name, value)) = line.split_once('=') else { return false };
    let is_trimmed = !value.starts_with(' ') && !value.ends_with(' ') && !value.contains("  ");
    match name {
        "?" => RULES.marker.is_match(value),
        "cookie" if !has_flag("BADCRLF") => {
            let is_item = |item: &str| RULES.cookie_item.captures(item).is_some_and(|cut| is_key(&cut[1]));
            value.is_empty() || value.split(' ').all(is_item)
        }
        _ => RULES.name.is_match(name) && is_trimmed && RULES.value.is_match(value),
    }
}

fn is_family_line(line: &str) -> bool {
    let is_count = |item: &str| {
        item.split_once('=').is_some_and(|(family, count)| {
            FLAGS.families.contains(family) && RULES.number.is_match(count) && count != "0"
        })
    };
    line.split(' ').all(is_count) && line.split(' ').is_sorted()
}

/// A line cut into what it begins with, what it says, and its flags.
pub struct Line<'d> {
    /// `M`, `KEYS_SORTED`…
    pub kind: &'d str,
    /// The text between the colon and the flags.
    pub content: &'d str,
    /// The flags, as written between brackets.
    pub flags: Vec<&'d str>,
}

/// Cuts a line at its first colon and, if it is of a kind that carries flags, at the first ` [`.
pub fn cut(line: &str) -> Option<Line<'_>> {
    let (kind, rest) = line.split_once(':')?;
    let at = rest.find(" [").filter(|_| matches!(kind, "M" | "U" | "P" | "Q" | "H" | "B"));
    let (content, flags) = at.map_or((rest, ""), |at| rest.split_at(at));
    let flags = match flags {
        "" => Vec::new(),
        flags => flags.strip_prefix(" [")?.strip_suffix(']')?.split("] [").collect(),
    };
    Some(Line { kind, content, flags })
}

/// Says which line is not what the grammar asks for.
pub fn check(text: &str) -> Result<(), String> {
    let body = text.strip_suffix('\n').ok_or("the last line does not end")?;
    let mut order = String::new();
    for (number, line) in body.split('\n').enumerate() {
        let wrong = || format!("line {} is not in the grammar: {line}", number + 1);
        let Line { kind, content, flags } = cut(line).ok_or_else(wrong)?;
        let has_flag = |name: &str| flags.contains(&name);
        let keys = || RULES.keys.captures(content);
        let (letter, fits) = match kind {
            "M" => ('M', RULES.method.is_match(content)),
            "U" => ('U', is_url(content)),
            "P" => ('P', is_path_line(content)),
            "Q" => ('Q', keys().is_some_and(|cut| is_key_list(cut.get(2).unwrap().as_str(), is_key))),
            "KEYS_SORTED" => ('S', content.split(',').all(is_key)),
            "QK" => {
                let is_pair = |(key, markers): (&str, &str)| {
                    is_key(key) && markers.split('|').all(|marker| RULES.marker.is_match(marker))
                };
                ('K', RULES.more.is_match(content) || content.split_once('=').is_some_and(is_pair))
            }
            "FLAGS" => {
                let inside = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                let is_list = |list: &str| list.split(' ').all(is_flag) && is_sorted(list.split(' '));
                ('F', inside.is_some_and(is_list))
            }
            "FAM" => ('A', is_family_line(content)),
            "H" => ('H', is_header(content, has_flag)),
            "HCNT" => ('C', RULES.counts.is_match(content)),
            "B" => {
                let cut = RULES.body.captures(content);
                let has_marker = cut.as_ref().is_some_and(|cut| cut.get(3).is_some());
                let has_keys = text.contains("\nBQ:");
                let is_keyed = cut.as_ref().is_some_and(|cut| !matches!(&cut[1], "text" | "binary"));
                (
                    'B',
                    cut.is_some_and(|cut| is_measured(&cut[2]))
                        && has_marker != has_keys
                        && (is_keyed || has_marker),
                )
            }
            "BQ" => ('X', keys().is_some_and(|cut| is_key_list(cut.get(2).unwrap().as_str(), is_body_key))),
            "BK" => {
                let is_pair = |(key, leaves): (&str, &str)| is_body_key(key) && RULES.leaf.is_match(leaves);
                ('Y', RULES.more.is_match(content) || content.split_once('=').is_some_and(is_pair))
            }
            _ => return Err(wrong()),
        };
        if !fits || !flags.iter().all(|flag| is_flag(flag)) || !is_sorted(flags.iter().copied()) {
            return Err(wrong());
        }
        order.push(letter);
    }
    static ORDER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("^MU?P?(?:QS?K*)?(?:FA?)?H*C(?:B(?:XY*)?)?$").unwrap());
    if ORDER.is_match(&order) { Ok(()) } else { Err(format!("lines in the order {order}")) }
}

/// Sorted by bytes, each once.
fn is_sorted<'d>(mut items: impl Iterator<Item = &'d str>) -> bool {
    let mut last = items.next();
    items.all(|item| {
        let before = last.replace(item);
        before < Some(item)
    })
}

/// Returns whether `text` is a marker that stands for a shape alone.
pub fn is_shape_marker(text: &str) -> bool {
    RULES.shape_marker.is_match(text)
}

/// Returns whether `text` is a marker of a shape or of a secret.
pub fn is_marker(text: &str) -> bool {
    RULES.marker.is_match(text)
}
