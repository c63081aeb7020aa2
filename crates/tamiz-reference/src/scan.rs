//! The flags of a value (section 7).

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use crate::chars::{self, Char, Text, is};
use crate::document;
use crate::layers::{self, Layer};
use crate::lists;
use crate::overlong;
use crate::places::{self, Place};
use crate::shape;
use crate::words;

/// Flags, each with its parameter.
pub(crate) type Flags = BTreeSet<String>;

/// The characters that are grammar in a text (7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Segment,
    Key,
    Value,
    Form,
    Path,
    Free,
    Structured,
    Brands,
    Cookie,
    Leaf,
    /// A leaf of JSON in a cookie (6.20.5): a leaf that raises nothing of 7.2.
    CookieLeaf,
    Opaque,
}

impl Kind {
    fn is_leaf(self) -> bool {
        matches!(self, Kind::Leaf | Kind::CookieLeaf)
    }

    /// Returns whether CR, LF and HTAB are no `CONTROL` in it.
    fn has_lines(self) -> bool {
        self.is_leaf() || self == Kind::Form
    }

    /// Returns whether 7.2 is told of the text as a whole.
    fn tells_characters(self) -> bool {
        !matches!(self, Kind::Path | Kind::Structured | Kind::Brands | Kind::Cookie | Kind::CookieLeaf)
    }

    /// Returns whether further texts tell nothing of 7.2 either.
    fn hides_characters(self) -> bool {
        matches!(self, Kind::Cookie | Kind::CookieLeaf | Kind::Brands)
    }
}

/// The flag of a character of 7.2.
fn danger(c: char) -> Option<&'static str> {
    Some(match c {
        '<' | '>' => "ANGLE",
        '\'' | '"' => "QUOTE",
        ';' => "SEMICOLON",
        '(' | ')' => "PAREN",
        '{' | '}' => "BRACE",
        '|' => "PIPE",
        '\\' => "BACKSLASH",
        _ => return None,
    })
}

/// The flags of 7.2 of a text, whatever is grammar in it.
pub(crate) fn characters(text: &[Char]) -> Flags {
    text.iter().filter_map(|c| danger(c.plain()?)).map(String::from).collect()
}

/// A letter of a script that is written from right to left (4.9).
fn is_right_to_left(c: char) -> bool {
    let ranges = [
        ('\u{590}', '\u{8FF}'),
        ('\u{FB1D}', '\u{FDFF}'),
        ('\u{FE70}', '\u{FEFC}'),
        ('\u{10800}', '\u{10FFF}'),
        ('\u{1E800}', '\u{1EFFF}'),
    ];
    chars::is_letter(c) && ranges.iter().any(|(from, to)| (*from..=*to).contains(&c))
}

/// `CONTROL`, `NUL`, `INVISIBLE` and `BADUTF8`. In a text that `has_lines`, CR, LF and HTAB are ordinary.
pub(crate) fn plain_oddities(text: &[Char], has_lines: bool, core: bool) -> Flags {
    let mut flags = Flags::new();
    let right_to_left = !core && text.iter().any(|c| c.plain().is_some_and(is_right_to_left));
    for c in text {
        match *c {
            Char::Plain('\u{200E}' | '\u{200F}') if right_to_left => {}
            Char::Plain('\r' | '\n' | '\t') if has_lines => {}
            Char::Plain(c) => {
                if chars::is_control(c) {
                    flags.insert("CONTROL".into());
                }
                if c == '\0' {
                    flags.insert("NUL".into());
                }
                if chars::is_invisible(c) {
                    flags.insert("INVISIBLE".into());
                }
            }
            Char::Stray(_) => {
                flags.insert("BADUTF8".into());
            }
            _ => {}
        }
    }
    flags
}

/// Returns whether the two `"` around a whole value are no `QUOTE` (7.2).
fn is_quoted_value(text: &[Char], kind: Kind) -> bool {
    let quote = Char::Plain('"');
    matches!(kind, Kind::Value | Kind::Form | Kind::Leaf)
        && text.len() >= 3
        && text[0] == quote
        && text[text.len() - 1] == quote
        && !text[1..text.len() - 1].iter().any(|c| matches!(c, Char::Plain('\'' | '"' | '\\')))
}

/// Two scripts of Latin, Cyrillic and Greek in one token (7.4).
pub(crate) fn is_mixed_script(token: &[Char]) -> bool {
    let scripts = token.iter().filter_map(|c| c.plain()).fold(0, |scripts, c| scripts | chars::script(c));
    u8::count_ones(scripts) >= 2
}

fn mixed_script(text: &[Char], kind: Kind) -> bool {
    if kind == Kind::Segment || kind == Kind::Key {
        return is_mixed_script(text);
    }
    text.split(|c| !c.plain().is_some_and(|c| chars::is_letter(c) || chars::is_mark(c) || chars::is_digit(c)))
        .any(is_mixed_script)
}

/// *Space* of 7.6.
fn is_space(c: &Char) -> bool {
    c.plain().is_some_and(|c| c == '+' || c.is_ascii_whitespace() || c == '\u{B}')
}

fn holds(text: &[Char], wanted: &str) -> bool {
    chars::find_text(text, &chars::text(wanted)).is_some()
}

fn holds_any_case(text: &[Char], wanted: &str) -> bool {
    (0..text.len()).any(|at| chars::begins_ignoring_case(&text[at..], wanted))
}

fn dot_dot(text: &[Char]) -> bool {
    let mut at = 0;
    while at < text.len() {
        let end = at + text[at..].iter().take_while(|c| **c == Char::Plain('.')).count();
        if end == at {
            at += 1;
            continue;
        }
        if end - at == 2 || end - at == 4 {
            let slash = |c: Option<&Char>| is(c, '/') || is(c, '\\');
            let before = at.checked_sub(1).map(|before| &text[before]);
            let after = text.get(end);
            let followed = slash(after) || (is(after, ';') && slash(text.get(end + 1)));
            let alnum = |c: Option<&Char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            if (end - at == text.len()) || (followed && !alnum(before)) || (slash(before) && !alnum(after)) {
                return true;
            }
        }
        at = end;
    }
    false
}

fn sql_comment(text: &[Char], kind: Kind) -> bool {
    let dashes = (0..text.len()).any(|at| {
        is(text.get(at), '-')
            && is(text.get(at + 1), '-')
            && !(at > 0 && is(text.get(at - 1), '-'))
            && text.get(at + 2).is_none_or(is_space)
    });
    let star = !matches!(kind, Kind::Path | Kind::Structured | Kind::Brands) && holds(text, "/*");
    let hash = text.iter().rposition(|c| *c == Char::Plain('#')).is_some_and(|at| {
        text[at + 1..].iter().all(is_space) && text[..at].iter().any(|c| matches!(c, Char::Plain('\'' | '"')))
    });
    dashes || star || hash
}

fn shell_operator(text: &[Char], kind: Kind) -> bool {
    let signs: &[&str] = if kind == Kind::Path { &["&&", "||", "$("] } else { &["&&", "||", ">/", "$("] };
    if signs.iter().any(|sign| holds(text, sign)) {
        return true;
    }
    if matches!(kind, Kind::Path | Kind::Structured | Kind::Brands) {
        return false;
    }
    (0..text.len()).any(|at| {
        if !matches!(text[at], Char::Plain(';' | '|')) {
            return false;
        }
        let spaces = text[at + 1..].iter().take_while(|c| is_space(c)).count();
        let from = at + 1 + spaces;
        spaces <= 32
            && lists::command_words().any(|word| {
                chars::begins_ignoring_case(&text[from..], word)
                    && text.get(from + word.len()).is_none_or(|c| {
                        is_space(c) || c.plain().is_some_and(|c| ";|&<>$(/'\"`\\#".contains(c))
                    })
            })
    })
}

fn crlf_injection(text: &[Char], kind: Kind) -> bool {
    let line_end = |c: &Char| matches!(c, Char::Plain('\r' | '\n'));
    (0..text.len()).any(|at| {
        if !line_end(&text[at]) {
            return false;
        }
        let mut from = at + text[at..].iter().take_while(|c| line_end(c)).count();
        from += text[from..].iter().take_while(|c| c.plain().is_some_and(chars::is_blank)).count();
        let rest = &text[from..];
        let token = rest.iter().take_while(|c| c.plain().is_some_and(chars::is_token_char)).count();
        if (1..=64).contains(&token) && is(rest.get(token), ':') {
            let name = chars::as_string(&chars::lower(&rest[..token])).unwrap();
            if !kind.is_leaf() || lists::known_headers().any(|known| known == name) {
                return true;
            }
        }
        let version = |text: &[Char]| {
            text.starts_with(&chars::text("HTTP/"))
                && text.get(5).is_some_and(|c| c.plain().is_some_and(|c| c.is_ascii_digit()))
        };
        if version(rest) {
            return true;
        }
        let command = ["QUIT", "RSET", "NOOP", "DATA", "STARTTLS"].iter().any(|command| {
            rest.starts_with(&chars::text(command)) && rest.get(command.len()).is_none_or(line_end)
        });
        if command {
            return true;
        }
        let method = rest.iter().take_while(|c| c.plain().is_some_and(|c| c.is_ascii_uppercase())).count();
        let line: Text = rest.iter().take_while(|c| !line_end(c)).copied().collect();
        let line = chars::read(&chars::to_bytes(&line).into_iter().take(512).collect::<Vec<_>>());
        method >= 3
            && is(line.get(method), ' ')
            && (method..line.len()).any(|at| is(line.get(at), ' ') && version(&line[at + 1..]))
    })
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64 of whole bytes, spare bits dropped.
pub(crate) fn base64(text: &[u8], alphabet: &[u8; 64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for c in text {
        let value = alphabet.iter().position(|a| a == c).unwrap();
        bits = (bits << 6 | u32::try_from(value).unwrap()) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    bytes
}

/// The ways a value may begin (7.6): its bytes, and what Base64 at its start decodes to.
fn beginnings(text: &[Char]) -> Vec<Vec<u8>> {
    let bytes = chars::to_bytes(text);
    let mut ways = Vec::new();
    for alphabet in [STANDARD, URL] {
        let run = bytes.iter().take_while(|b| alphabet.contains(b)).count();
        if run >= 12 {
            let take = run.min(24) / 4 * 4;
            ways.push(base64(&bytes[..take], alphabet));
        }
    }
    ways.push(bytes);
    ways
}

fn serial(text: &[Char], kind: Kind, flags: &mut Flags) {
    let begins = |test: &dyn Fn(&[u8]) -> bool| beginnings(text).iter().any(|way| test(way));
    let mut raise = |found: bool, flag: &str| {
        if found {
            flags.insert(flag.into());
        }
    };
    raise(
        begins(&|way| way.starts_with(&[0xAC, 0xED, 0, 5]))
            || holds_any_case(text, "aced0005")
            || holds_any_case(text, "!!javax.script."),
        "SERIAL:java",
    );
    raise(php_object(text, kind), "SERIAL:php");
    let pickle = |way: &[u8]| {
        way.first() == Some(&0x80)
            && way.get(1).is_some_and(|b| (2..=5).contains(b))
            && way.get(2).is_some_and(|b| b"c}](Xq\x95".contains(b))
    };
    let lines = chars::split(text, '\n');
    let whole_line = |wanted: &str| lines.iter().position(|line| *line == chars::text(wanted));
    let system = ["cos", "cposix", "cnt"].iter().any(|module| {
        lines.iter().enumerate().any(|(at, line)| {
            *line == chars::text(module)
                && lines.get(at + 1).is_some_and(|next| next.starts_with(&chars::text("system")))
        })
    });
    raise(
        begins(&pickle)
            || holds_any_case(text, "!!python/")
            || system
            || whole_line("c__builtin__").is_some(),
        "SERIAL:python",
    );
    raise(begins(&|way| way.starts_with(&[0, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])), "SERIAL:dotnet");
    let ruby = |way: &[u8]| way.starts_with(&[4, 8]) && way.get(2).is_some_and(|b| b"o[{IUueCS".contains(b));
    raise(
        begins(&ruby)
            || ["!ruby/object", "!ruby/hash", "!ruby/struct"].iter().any(|tag| holds_any_case(text, tag)),
        "SERIAL:ruby",
    );
    raise(begins(&|way| way.starts_with(&[0x1F, 0x8B, 8])), "GZIPMAGIC");
}

fn php_object(text: &[Char], kind: Kind) -> bool {
    (0..text.len()).any(|at| {
        let Char::Plain(letter @ ('O' | 'C' | 'a')) = text[at] else { return false };
        if !is(text.get(at + 1), ':') || (at > 0 && text[at - 1].is_ascii_alphanumeric()) {
            return false;
        }
        let mut from = at + 2;
        if letter != 'a' && is(text.get(from), '+') {
            from += 1;
        }
        let digits =
            text[from..].iter().take_while(|c| c.plain().is_some_and(|c| c.is_ascii_digit())).count();
        let rest = &text[from + digits..];
        if !(1..=10).contains(&digits) || !is(rest.first(), ':') {
            return false;
        }
        if letter == 'a' {
            kind != Kind::Cookie
                && is(rest.get(1), '{')
                && matches!(rest.get(2), Some(Char::Plain('i' | 's' | 'O' | 'a' | 'b' | 'd')))
                && is(rest.get(3), ':')
        } else {
            is(rest.get(1), '"')
        }
    })
}

/// An address as `inet_aton` reads it.
fn inet_aton(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = host.split('.').collect();
    if parts.len() > 4 {
        return None;
    }
    // Digits beyond what a number can hold change nothing: one alone is taken modulo 2^32, each of four modulo 256.
    let wraps = parts.len() == 1 || parts.len() == 4;
    let modulus: u64 = if parts.len() == 1 { 1 << 32 } else { 256 };
    let numbers: Vec<u64> = parts
        .iter()
        .map(|part| {
            let (digits, radix) = if let Some(hex) = part.strip_prefix("0x").or(part.strip_prefix("0X")) {
                (hex, 16)
            } else if part.len() > 1 && part.starts_with('0') {
                (&part[1..], 8)
            } else {
                (*part, 10)
            };
            let fits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            if !fits {
                return None;
            }
            digits.chars().try_fold(0u64, |value, c| {
                let value =
                    value.checked_mul(u64::from(radix))?.checked_add(u64::from(c.to_digit(radix)?))?;
                Some(if wraps { value % modulus } else { value })
            })
        })
        .collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    let limit = 1u64 << (8 * (4 - first.len()));
    if first.iter().any(|n| *n > 255) || *last >= limit {
        return None;
    }
    let mut value = *last;
    for (at, n) in first.iter().enumerate() {
        value |= n << (8 * (3 - at));
    }
    Some(Ipv4Addr::from(u32::try_from(value).ok()?))
}

/// `private` by 8.20.2.
pub(crate) fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    a == 10
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || a == 127
        || (a == 169 && b == 254)
        || (a == 100 && (64..128).contains(&b))
}

/// `private` by 8.20.2.
pub(crate) fn is_private_v6(address: std::net::Ipv6Addr) -> bool {
    let first = address.segments()[0];
    address == std::net::Ipv6Addr::LOCALHOST
        || first & 0xFFC0 == 0xFE80
        || first & 0xFE00 == 0xFC00
        || address.to_ipv4_mapped().is_some_and(is_private_v4)
}

struct Host {
    ip: bool,
    local: bool,
    /// An address that needs no `//` after a special scheme.
    telling: bool,
    named_local: bool,
}

fn url_host(text: &[Char]) -> Host {
    let mut host = Text::new();
    for c in text {
        if c.plain().is_some_and(|c| "/\\?#\"'<>& ".contains(c)) {
            break;
        }
        host.push(*c);
        if chars::to_bytes(&host).len() >= 512 {
            break;
        }
    }
    if let Some(at) = host.iter().rposition(|c| *c == Char::Plain('@')) {
        host.drain(..=at);
    }
    let none = Host { ip: false, local: false, telling: false, named_local: false };
    let host = host_text(&host);
    if let Some((inside, _)) = host.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        let inside = inside.split('%').next().unwrap();
        let Some(address) = shape::ipv6(inside) else { return none };
        let zero = address.is_unspecified()
            || address.to_ipv4_mapped().is_some_and(|mapped| mapped.octets()[0] == 0);
        return Host { ip: true, local: zero || is_private_v6(address), telling: true, named_local: false };
    }
    let whole = host.split(':').next().unwrap();
    let name = whole.strip_suffix('.').unwrap_or(whole);
    if let Some(address) = inet_aton(name) {
        let local = address.octets()[0] == 0 || is_private_v4(address);
        let telling = whole.contains('.') || whole.len() >= 6;
        return Host { ip: true, local, telling, named_local: false };
    }
    let local = is_listed_local(&name.to_ascii_lowercase());
    Host { ip: false, local, telling: false, named_local: local }
}

/// A host to compare with names: a stray byte is a character that no name has.
pub(crate) fn host_text(host: &[Char]) -> String {
    host.iter().map(|c| c.plain().unwrap_or('\u{FFFD}')).collect()
}

fn tell_host(host: &Host, flags: &mut Flags) {
    if host.ip {
        flags.insert("URLIP".into());
    }
    if host.local {
        flags.insert("URLLOCAL".into());
    }
}

/// The flags of the host after the slashes at the start of a text.
pub(crate) fn network_host(text: &[Char]) -> Flags {
    let slashes = text.iter().take_while(|c| matches!(c, Char::Plain('/' | '\\'))).count();
    let mut flags = Flags::new();
    tell_host(&url_host(&text[slashes..]), &mut flags);
    flags
}

fn is_listed_local(name: &str) -> bool {
    lists::local_hosts()
        .any(|entry| if entry.starts_with('.') { name.ends_with(entry) } else { name == entry })
}

/// Returns whether a host at the start of a value leads inside (7.6.1).
pub(crate) fn is_local_without_scheme(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let name = host.strip_suffix('.').unwrap_or(&host);
    let address = || {
        let four = name.split('.').count() == 4;
        inet_aton(name).filter(|_| four).is_some_and(|a| a.octets()[0] == 0 || is_private_v4(a))
    };
    host == "localhost" || (host.contains('.') && is_listed_local(name)) || address()
}

fn urls(text: &[Char], kind: Kind, flags: &mut Flags) {
    let slash = |c: Option<&Char>| is(c, '/') || is(c, '\\');
    if is(text.first(), '/') && is(text.get(1), '/') {
        flags.extend(network_host(text));
    }
    for colon in 0..text.len() {
        if text[colon] != Char::Plain(':') {
            continue;
        }
        let scheme_char =
            |c: &Char| c.is_ascii_alphanumeric() || c.plain().is_some_and(|c| "+.-".contains(c));
        let length = text[..colon].iter().rev().take(24).take_while(|c| scheme_char(c)).count();
        let run = chars::as_string(&chars::lower(&text[colon - length..colon])).unwrap();
        let starts: Vec<&str> = (0..run.len())
            .filter(|at| {
                run.as_bytes()[*at].is_ascii_alphabetic()
                    && (*at == 0 || !run.as_bytes()[at - 1].is_ascii_alphabetic())
            })
            .map(|at| &run[at..])
            .collect();
        let listed = starts.iter().find_map(|start| {
            lists::url_schemes().find_map(|line| {
                let (name, mark) = line.split_once(' ').unwrap_or((line, ""));
                (name == *start).then_some((name, mark))
            })
        });
        let after = &text[colon + 1..];
        let one_is_enough = kind == Kind::Path && listed.is_some();
        if slash(after.first()) && (slash(after.get(1)) || one_is_enough) {
            if starts.is_empty() {
                continue;
            }
            let name = listed.map_or("other", |(name, _)| name);
            flags.insert(format!("URLVALUE:{name}"));
            let slashes = after.iter().take_while(|c| slash(Some(c))).count();
            tell_host(&url_host(&after[slashes..]), flags);
        } else if let Some((name, "opaque")) = listed {
            let something =
                after.first().is_some_and(|c| !c.plain().is_some_and(|c| c.is_ascii_whitespace()));
            let typed = || {
                let end = after
                    .iter()
                    .take(64)
                    .take_while(|c| {
                        c.is_ascii_alphanumeric() || c.plain().is_some_and(|c| "/+.-".contains(c))
                    })
                    .count();
                matches!(after.get(end), Some(Char::Plain(',' | ';')))
            };
            if something && (name != "data" || typed()) {
                flags.insert(format!("URLVALUE:{name}"));
            }
        } else if let Some((name, "special")) = listed {
            let from = usize::from(slash(after.first()));
            let host = url_host(&after[from..]);
            if host.named_local || host.telling {
                flags.insert(format!("URLVALUE:{name}"));
                tell_host(&host, flags);
            }
        }
    }
}

/// The flags of 7.6 and 7.8.
fn structure(text: &[Char], kind: Kind) -> Flags {
    let mut flags = Flags::new();
    if kind == Kind::Segment {
        serial(text, kind, &mut flags);
        return flags;
    }
    let mut raise = |found: bool, flag: &str| {
        if found {
            flags.insert(flag.into());
        }
    };
    raise(kind != Kind::Path && dot_dot(text), "DOTDOT");
    raise(holds(text, "`"), "BACKTICK");
    if kind != Kind::Cookie {
        let dollar = text.windows(2).any(|two| {
            two[0] == Char::Plain('$')
                && two[1].plain().is_some_and(|c| c == '(' || c == '{' || c.is_ascii_alphabetic())
        });
        raise(dollar, "DOLLAR");
        raise(["${", "{{", "{%", "<%", "#{"].iter().any(|sign| holds(text, sign)), "TPL");
        raise(shell_operator(text, kind), "SHELLOP");
    }
    raise(sql_comment(text, kind), "SQLCMT");
    raise(crlf_injection(text, kind), "CRLFINJ");
    serial(text, kind, &mut flags);
    urls(text, kind, &mut flags);
    for class in words::words(text) {
        flags.insert(format!("KW:{class}"));
    }
    flags
}

/// The text that B64TEXT decodes to (7.7.4), stray bytes left out.
pub(crate) fn base64_text(text: &[Char]) -> Option<Text> {
    let mark = chars::text(";base64,");
    let after = chars::find_text(text, &mark).map(|at| &text[at + mark.len()..]);
    base64_whole(text).or_else(|| base64_whole(after?))
}

/// Decodes all of a text that 7.7.4 reads as Base64; `None` where a decoded byte is stray.
pub(crate) fn base64_without_stray(text: &[Char]) -> Option<Text> {
    let decoded = base64_whole(text)?;
    let signs = text.iter().filter(|c| **c != Char::Plain('=')).count();
    (chars::to_bytes(&decoded).len() == signs * 3 / 4).then_some(decoded)
}

/// Decodes all of a text where 7.7.4 reads it as Base64, stray bytes left out.
fn base64_whole(text: &[Char]) -> Option<Text> {
    // A space is a `+` that a form made one.
    let text = chars::as_string(text)?.replace(' ', "+");
    let bare = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(&text).as_bytes();
    let alphabet = [STANDARD, URL].into_iter().find(|alphabet| bare.iter().all(|b| alphabet.contains(b)))?;
    if bare.len() < 12 || bare.len() % 4 == 1 {
        return None;
    }
    let bytes = base64(bare, alphabet);
    let decoded: Text = chars::read(&bytes).into_iter().filter(|c| c.plain().is_some()).collect();
    let printable = |c: &&Char| matches!(c, Char::Plain(' '..='~' | '\t' | '\r' | '\n'));
    let many_printable = decoded.iter().filter(printable).count() * 10 >= bytes.len() * 9;
    let stray = chars::to_bytes(&decoded).len() < bytes.len();
    let control = decoded.iter().any(|c| c.is_ascii() && !printable(&c));
    (many_printable || (!stray && !control && chars::is_of_one_script(&decoded))).then_some(decoded)
}

/// Everything that a text tells. `core` leaves out 7.6–7.9.
pub(crate) fn scan(text: &[Char], kind: Kind, place: Place, core: bool) -> Flags {
    let mut flags = plain_oddities(text, kind.has_lines(), core);
    if mixed_script(text, kind) {
        flags.insert("MIXEDSCRIPT".into());
    }
    if kind == Kind::Opaque {
        return flags;
    }
    if kind.tells_characters() {
        flags.extend(characters(text));
        if !core && is_quoted_value(text, kind) {
            flags.remove("QUOTE");
        }
    }
    let space = Char::Plain(' ');
    let at_an_end = text.first() == Some(&space) || text.last() == Some(&space);
    let tells_space = match kind {
        Kind::Segment => at_an_end || (core && text.contains(&space)),
        Kind::Key => text.contains(&space),
        _ => false,
    };
    if tells_space {
        flags.insert("SPACE".into());
    }
    if !core {
        let told = if kind.tells_characters() { flags.clone() } else { Flags::new() };
        flags.extend(beyond_core(text, kind, place, &told));
    }
    flags
}

/// The flags of 7.6 and 7.8 in a text as it is, and `OVERLONG`.
fn found_as_it_is(text: &[Char], kind: Kind, place: Place) -> Flags {
    let mut flags = structure(text, kind);
    if overlong::holds_overlong(text) {
        flags.insert("OVERLONG".into());
    }
    if places::is_remote_inclusion(text, kind, place) {
        flags.insert("RFI".into());
    }
    if place.leads {
        flags.extend(places::redirect(text));
    }
    flags
}

/// The flags in the further texts of one decoding (7.7).
fn found_in_layers(layers: &[Layer], kind: Kind, place: Place) -> Flags {
    let mut found = Flags::new();
    for layer in layers {
        let own_kind = if layer.behind_base64 { Kind::Leaf } else { kind };
        found.extend(structure(&layer.text, own_kind));
        if overlong::holds_overlong(&layer.strict) {
            found.insert("OVERLONG".into());
        }
        if places::is_remote_inclusion(&layer.text, own_kind, place) {
            found.insert("RFI".into());
        }
        let chars: Vec<(Char, bool)> =
            layer.text.iter().copied().zip(layer.brought.iter().copied()).collect();
        let brought: Text = chars.iter().filter(|(_, brought)| *brought).map(|(c, _)| *c).collect();
        if brought.contains(&Char::Plain('\0')) {
            found.insert("NUL".into());
        }
        if kind.hides_characters() {
            continue;
        }
        let mut told = characters(&brought);
        if layer.undid_base64 && is_quoted_value(&layer.text, Kind::Leaf) {
            told.remove("QUOTE");
        }
        found.extend(told);
        let space = (Char::Plain(' '), true);
        let tells_space = match own_kind {
            Kind::Segment => chars.first() == Some(&space) || chars.last() == Some(&space),
            Kind::Key => chars.contains(&space),
            _ => false,
        };
        if tells_space {
            found.insert("SPACE".into());
        }
    }
    found
}

/// 7.6–7.9. What 7.2 has `told` of the text is nothing that a further look adds.
pub(crate) fn beyond_core(text: &[Char], kind: Kind, place: Place, told: &Flags) -> Flags {
    let mut flags = found_as_it_is(text, kind, place);
    let known: Flags = flags.union(told).cloned().collect();
    let decodings = layers::decodings(text, kind == Kind::Path);

    let mut found = found_in_layers(&decodings.percent, kind, place);
    if let (true, Some(first)) = (place.leads, decodings.percent.first()) {
        found.extend(places::redirect(&first.text));
    }
    let changes_path = kind == Kind::Path && layers::holds_escape_of(text, b"/\\.%");
    if changes_path || found.difference(&known).any(|flag| document::is_telling(flag)) {
        flags.insert("PCTVALUE".into());
    }
    flags.append(&mut found);

    let mut found = found_in_layers(&decodings.entities, kind, place);
    if !found.is_subset(&known) {
        flags.insert("HTMLENT".into());
    }
    flags.append(&mut found);

    flags.extend(found_in_layers(&decodings.script, kind, place));
    flags.extend(found_in_layers(&decodings.base64, kind, place));

    let all = [&decodings.percent, &decodings.entities, &decodings.script, &decodings.base64];
    if all.into_iter().flatten().any(|layer| layer.undid_base64) {
        flags.insert("B64TEXT".into());
    }
    best_fit(text, kind, place, &mut flags);
    flags
}

/// 7.9.
fn best_fit(text: &[Char], kind: Kind, place: Place, flags: &mut Flags) {
    let mut replaced = Text::new();
    for c in text {
        match c.plain() {
            Some('\u{2018}'..='\u{201B}') => replaced.push(Char::Plain('\'')),
            Some('\u{201C}'..='\u{201F}') => replaced.push(Char::Plain('"')),
            Some(c) if !c.is_ascii() => {
                let fit = lists::best_fit(c).map_or_else(|| chars::nfkc_string(&c.to_string()), String::from);
                let fit = chars::text(&fit);
                if kind != Kind::Brands
                    && fit.iter().any(|c| c.plain().is_some_and(|c| "<>'\"{}\\".contains(c)))
                {
                    flags.insert("BESTFIT".into());
                }
                if !kind.hides_characters() {
                    flags.extend(characters(&fit));
                }
                replaced.extend(fit);
            }
            _ => replaced.push(*c),
        }
    }
    if replaced != text {
        flags.extend(structure(&replaced, kind));
        if overlong::holds_overlong(&replaced) {
            flags.insert("OVERLONG".into());
        }
        if places::is_remote_inclusion(&replaced, kind, Place { bare_key: false, ..place }) {
            flags.insert("RFI".into());
        }
    }
}
