//! Commands of curl, as browsers copy them and people keep them: the request that each would send, as far as the command
//! says it. Words are cut as a POSIX shell does, with `$'…'` of bash.

use tamiz::Source;

use crate::record::{At, Found, Parts, Reason};
use crate::url;
use crate::whole::Records;

/// Options that take a word and say nothing of the request.
const IGNORED: [&str; 24] = [
    "-o",
    "--output",
    "-x",
    "--proxy",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--cacert",
    "--cert",
    "-E",
    "--key",
    "-w",
    "--write-out",
    "--resolve",
    "-c",
    "--cookie-jar",
    "--retry",
    "--ciphers",
    "-D",
    "--dump-header",
    "-U",
    "--proxy-user",
    "--limit-rate",
    "--max-redirs",
];

/// Whether a line begins a command.
pub(crate) fn begins(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"$ ").unwrap_or(line);
    line.starts_with(b"curl ") || line.starts_with(b"curl.exe ")
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Records, Reason> {
    let text = std::str::from_utf8(bytes).map_err(|_| "text that is not UTF-8")?;
    let mut found = Vec::new();
    let mut rest = text;
    let mut line = 1_u64;
    while !rest.is_empty() {
        let (words, used) = words(rest);
        let (command, after) = rest.split_at_checked(used).unwrap_or((rest, ""));
        let at = At::Line(line);
        line = line.saturating_add(command.matches('\n').count() as u64);
        rest = after;
        match words {
            Ok(words) => {
                let words: Vec<&str> =
                    words.iter().map(String::as_str).skip_while(|word| *word == "$").collect();
                match words[..] {
                    [] => {}
                    ["curl" | "curl.exe", ref rest @ ..] => found.push((at, request(rest))),
                    _ => found.push((at, Err("a command that is not curl's".into()))),
                }
            }
            Err(reason) => found.push((at, Err(reason))),
        }
    }
    Ok(found)
}

/// The words of the first command, and how many bytes it has with its end.
fn words(text: &str) -> (Result<Vec<String>, Reason>, usize) {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.char_indices().peekable();
    let unclosed = || (Err("a command with a quote that does not end".into()), text.len());
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' | ';' => {
                words.extend(word);
                return (Ok(words), at.saturating_add(1));
            }
            '#' if word.is_none() => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            c if c.is_whitespace() => words.extend(word.take()),
            '\\' => match chars.next() {
                Some((_, '\n')) => {}
                Some((_, '\r')) => {
                    chars.next_if(|(_, c)| *c == '\n');
                }
                Some((_, escaped)) => word.get_or_insert_default().push(escaped),
                None => {}
            },
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, '\'')) => break,
                        Some((_, c)) => word.push(c),
                        None => return unclosed(),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, '"')) => break,
                        Some((_, '\\')) => match chars.next() {
                            Some((_, '\n')) => {}
                            Some((_, c @ ('"' | '\\' | '$' | '`'))) => word.push(c),
                            Some((_, c)) => word.extend(['\\', c]),
                            None => return unclosed(),
                        },
                        Some((_, c)) => word.push(c),
                        None => return unclosed(),
                    }
                }
            }
            '$' if chars.peek().is_some_and(|(_, c)| *c == '\'') => {
                chars.next();
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, '\'')) => break,
                        Some((_, '\\')) => match chars.next() {
                            Some((_, 'n')) => word.push('\n'),
                            Some((_, 'r')) => word.push('\r'),
                            Some((_, 't')) => word.push('\t'),
                            Some((_, 'u')) => {
                                let digits: String =
                                    std::iter::from_fn(|| chars.next_if(|(_, c)| c.is_ascii_hexdigit()))
                                        .take(4)
                                        .map(|(_, c)| c)
                                        .collect();
                                let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                                word.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                            }
                            Some((_, c)) => word.push(c),
                            None => return unclosed(),
                        },
                        Some((_, c)) => word.push(c),
                        None => return unclosed(),
                    }
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (Ok(words), text.len())
}

/// A request, as far as the options of a command have made it.
fn request(words: &[&str]) -> Result<Found, Reason> {
    let mut parts = Parts::default();
    let (mut method, mut whole, mut data) = (None, None, None::<Vec<u8>>);
    let (mut is_get, mut is_form) = (false, false);
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        // `--name=value`, and `-Xvalue`.
        let (option, attached) = match word {
            long if long.starts_with("--") => match long.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (long, None),
            },
            short if short.starts_with('-') && short.len() > 2 && takes_word(short) => {
                short.split_at_checked(2).map_or((short, None), |(option, value)| (option, Some(value)))
            }
            other => (other, None),
        };
        let mut value = || attached.or_else(|| words.next()).ok_or("an option without its value");
        match option {
            "-X" | "--request" => method = Some(value()?.to_owned()),
            "-H" | "--header" => {
                let header = value()?;
                if let Some((name, value)) = header.split_once(':') {
                    parts.headers.push((name.trim().into(), value.trim().into()));
                }
            }
            "-A" | "--user-agent" => parts.headers.push((b"user-agent".to_vec(), value()?.into())),
            "-e" | "--referer" => parts.headers.push((b"referer".to_vec(), value()?.into())),
            "-b" | "--cookie" => parts.headers.push((b"cookie".to_vec(), value()?.into())),
            "-u" | "--user" => {
                let encoded = data_encoding::BASE64.encode(value()?.as_bytes());
                parts.headers.push((b"authorization".to_vec(), format!("Basic {encoded}").into_bytes()));
            }
            "-d" | "--data" | "--data-ascii" | "--data-binary" | "--data-raw" | "--data-urlencode"
            | "--json" => {
                let value = value()?;
                if value.starts_with('@') && option != "--data-raw" {
                    return Err("a request whose body is in another file".into());
                }
                if option == "--json" {
                    parts.add_missing("content-type", "application/json");
                    parts.add_missing("accept", "application/json");
                }
                match &mut data {
                    Some(data) => {
                        data.push(b'&');
                        data.extend_from_slice(value.as_bytes());
                    }
                    None => data = Some(value.into()),
                }
            }
            "-F" | "--form" | "--form-string" => {
                value()?;
                is_form = true;
            }
            "-G" | "--get" => is_get = true,
            "-I" | "--head" => method = method.or(Some("HEAD".to_owned())),
            "--url" => whole = Some(value()?.to_owned()),
            ignored if IGNORED.contains(&ignored) => {
                value()?;
            }
            flag if flag.starts_with('-') => {}
            url => whole = whole.or(Some(url.to_owned())),
        }
    }
    if is_form {
        return Err("a request of a form whose parts curl puts together".into());
    }
    let whole = whole.ok_or("a command without a URL")?;
    let whole = if whole.contains("://") { whole } else { format!("http://{whole}") };
    url::put(url::without_fragment(whole.as_bytes()), &mut parts);
    match data {
        Some(data) if is_get => {
            parts.target.push(if parts.target.contains(&b'?') { b'&' } else { b'?' });
            parts.target.extend_from_slice(&data);
        }
        Some(data) => {
            method = method.or(Some("POST".to_owned()));
            parts.add_missing("content-type", "application/x-www-form-urlencoded");
            parts.body = Some(data);
        }
        None => {}
    }
    parts.method = method.unwrap_or_else(|| "GET".to_owned()).into_bytes();
    Ok(Found::parts(parts, Source::JsonLines))
}

/// Whether a short option takes a word, which may be attached to it.
fn takes_word(short: &str) -> bool {
    ["-X", "-H", "-A", "-e", "-b", "-u", "-d", "-F", "-o", "-x", "-m", "-w"]
        .iter()
        .any(|option| short.starts_with(option))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    fn parts(command: &str) -> Result<Parts, Reason> {
        let mut found = parse(command.as_bytes()).unwrap();
        assert_eq!(found.len(), 1, "{command}");
        match found.remove(0).1?.request {
            Request::Parts(parts) => Ok(parts),
            Request::Raw(_) => panic!("bytes"),
        }
    }

    #[test]
    fn commands_become_requests() {
        for command in [
            "curl 'https://ex.com/a?b=1' -X POST -H 'X-A: it'\\''s' --data-raw $'a=\\u00e9\\n' --compressed",
            "$ curl -XPOST \\\n  -H \"X-A: it's\" \\\n  --data \"a=\u{e9}\n\" https://ex.com/a?b=1#c",
            "curl --request=POST --url https://ex.com/a?b=1 -sS -o /dev/null -H \"X-A: it's\" -d 'a=\u{e9}\n'",
        ] {
            let parts = parts(command).unwrap();
            assert_eq!((&parts.method[..], &parts.target[..]), (&b"POST"[..], &b"/a?b=1"[..]), "{command}");
            assert_eq!(parts.headers[0], (b"X-A".to_vec(), b"it's".to_vec()), "{command}");
            assert_eq!(parts.body.as_deref(), Some("a=\u{e9}\n".as_bytes()), "{command}");
        }
        let get = parts("curl -G ex.com/a -d b=1 -d c=2 -u me:pw").unwrap();
        assert_eq!((&get.method[..], &get.target[..]), (&b"GET"[..], &b"/a?b=1&c=2"[..]));
        let several = parse(b"# two\ncurl a.com/x\n\ncurl b.com/y; curl c.com\n").unwrap();
        assert_eq!(several.iter().filter(|(_, result)| result.is_ok()).count(), 3);
        assert_eq!(several[0].0, At::Line(2));
    }

    #[test]
    fn commands_that_cannot_be_read() {
        for (command, reason) in [
            ("curl 'https://ex.com", "quote"),
            ("curl -H", "without its value"),
            ("curl -s", "without a URL"),
            ("curl ex.com -d @file", "another file"),
            ("curl ex.com -F a=b", "of a form"),
            ("wget ex.com", "not curl's"),
        ] {
            assert!(parts(command).unwrap_err().contains(reason), "{command}");
        }
    }
}
