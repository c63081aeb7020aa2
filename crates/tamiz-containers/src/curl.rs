//! Commands of curl, as browsers copy them and people keep them: the request that each would send, as far as the command
//! says it. Words are cut as a POSIX shell does, with `$'…'` of bash.

use tamiz::Source;

use crate::record::{At, Found, Parts, Reason};
use crate::shell_words::{without_carets, words};
use crate::url;
use crate::whole::Records;

/// Long options that take a word and say nothing of the request.
const IGNORED: [&str; 36] = [
    "--output",
    "--proxy",
    "--max-time",
    "--connect-timeout",
    "--cacert",
    "--capath",
    "--cert",
    "--cert-type",
    "--key",
    "--key-type",
    "--pass",
    "--pinnedpubkey",
    "--write-out",
    "--resolve",
    "--connect-to",
    "--cookie-jar",
    "--retry",
    "--retry-delay",
    "--retry-max-time",
    "--ciphers",
    "--tls-max",
    "--dump-header",
    "--proxy-user",
    "--proxy-header",
    "--limit-rate",
    "--max-redirs",
    "--max-filesize",
    "--interface",
    "--noproxy",
    "--proto",
    "--dns-servers",
    "--keepalive-time",
    "--unix-socket",
    "--config",
    "--continue-at",
    "--time-cond",
];

/// Short options that take a word.
const WITH_WORD: &str = "AbcCdDeEFHKmoPQrtTuUwxXyYz";

/// Words and prompts that may precede a command.
const BEFORE: [&str; 6] = ["$", "time", "sudo", "exec", "!", ">"];

/// Returns whether a line begins a command.
pub(crate) fn begins(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"$ ").unwrap_or(line);
    line.starts_with(b"curl ") || line.starts_with(b"curl.exe ")
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Records, Reason> {
    let text = std::str::from_utf8(bytes).map_err(|_| "text that is not UTF-8")?;
    let text = without_carets(text);
    let mut found = Vec::new();
    let mut rest = text.as_ref();
    let mut line = 1_u64;
    while !rest.is_empty() {
        let (words, used) = words(rest);
        let (command, after) = rest.split_at_checked(used).unwrap_or((rest, ""));
        let at = At::Line(line);
        line = line.saturating_add(command.matches('\n').count() as u64);
        rest = after;
        match words {
            Ok(words) => found.extend(commands(&words).into_iter().map(|result| (at, result))),
            Err(reason) => found.push((at, Err(reason))),
        }
    }
    Ok(found)
}

/// The requests of one line of commands; what their output is piped to says nothing of them.
fn commands(words: &[String]) -> Vec<Result<Found, Reason>> {
    let mut found = Vec::new();
    let pieces = words.split(|word| matches!(word.as_str(), "|" | "||" | "&&" | "&"));
    for (number, piece) in pieces.enumerate() {
        let piece: Vec<&str> =
            piece.iter().map(String::as_str).skip_while(|word| BEFORE.contains(word)).collect();
        match piece[..] {
            ["curl" | "curl.exe", ref rest @ ..] => match requests(rest) {
                Ok(requests) => found.extend(requests.into_iter().map(Ok)),
                Err(reason) => found.push(Err(reason)),
            },
            [] => {}
            _ if number > 0 => {}
            _ => found.push(Err("a command that is not curl's".into())),
        }
    }
    found
}

/// A word of a command, cut.
enum Word<'a> {
    Option(&'a str, Option<&'a str>),
    Url(&'a str),
}

/// Cuts words into options, with what they take, and URLs.
fn cut<'a>(words: &[&'a str]) -> Result<Vec<Word<'a>>, Reason> {
    let mut cut = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if let Some(name) = word.strip_prefix("--") {
            match word.split_once('=') {
                Some((option, value)) => cut.push(Word::Option(option, Some(value))),
                None if takes_word(name) => {
                    let value = words.next().ok_or("an option without its value")?;
                    cut.push(Word::Option(word, Some(value)));
                }
                None => cut.push(Word::Option(word, None)),
            }
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            // Several in one word; the last may have its value there.
            let end = letters.find(|c| WITH_WORD.contains(c));
            if let Some((at, rest)) = end.and_then(|at| Some((at, letters.get(at.saturating_add(1)..)?))) {
                cut.extend(letters.char_indices().take_while(|(index, _)| *index < at).map(flag));
                let option = SHORT
                    .iter()
                    .find(|(short, _)| letters.get(at..).is_some_and(|it| it.starts_with(*short)));
                let value = Some(rest).filter(|rest| !rest.is_empty()).or_else(|| words.next());
                let value = value.ok_or("an option without its value")?;
                cut.push(Word::Option(option.map_or("--output", |(_, long)| long), Some(value)));
            } else {
                cut.extend(letters.char_indices().map(flag));
            }
        } else if word.starts_with('>') || word.starts_with("2>") || word.starts_with('<') {
            // What is said to the shell, and the file behind it.
            if word.ends_with(['>', '<']) {
                words.next();
            }
        } else {
            cut.push(Word::Url(word));
        }
    }
    Ok(cut)
}

/// A short option without a word, by its long name.
fn flag<'a>((_, letter): (usize, char)) -> Word<'a> {
    let long = match letter {
        'G' => "--get",
        'I' => "--head",
        _ => "--silent",
    };
    Word::Option(long, None)
}

/// Short options that say something of the request, by their long names.
const SHORT: [(char, &str); 10] = [
    ('X', "--request"),
    ('H', "--header"),
    ('A', "--user-agent"),
    ('e', "--referer"),
    ('b', "--cookie"),
    ('u', "--user"),
    ('d', "--data"),
    ('F', "--form"),
    ('T', "--upload-file"),
    ('r', "--range"),
];

/// Returns whether a long option, without its dashes, takes a word.
fn takes_word(name: &str) -> bool {
    const OF_REQUEST: [&str; 16] = [
        "request",
        "header",
        "user-agent",
        "referer",
        "cookie",
        "user",
        "data",
        "data-ascii",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "json",
        "form",
        "form-string",
        "url",
        "url-query",
    ];
    OF_REQUEST.contains(&name)
        || ["upload-file", "range", "oauth2-bearer"].contains(&name)
        || IGNORED.iter().any(|option| option.strip_prefix("--") == Some(name))
}

/// A request, as far as the options of a command have made it.
#[derive(Default)]
struct Command<'a> {
    parts: Parts,
    method: Option<&'a str>,
    urls: Vec<&'a str>,
    data: Option<Vec<u8>>,
    is_get: bool,
}

impl<'a> Command<'a> {
    fn option(&mut self, option: &str, value: &'a str) -> Result<(), Reason> {
        let headers = &mut self.parts.headers;
        match option {
            "--request" => self.method = Some(value),
            "--header" => {
                if let Some((name, value)) = value.split_once(':') {
                    headers.push((name.trim().into(), value.trim().into()));
                }
            }
            "--user-agent" => headers.push((b"user-agent".to_vec(), value.into())),
            "--referer" => headers.push((b"referer".to_vec(), value.into())),
            "--cookie" => headers.push((b"cookie".to_vec(), value.into())),
            "--range" => headers.push((b"range".to_vec(), format!("bytes={value}").into_bytes())),
            "--user" => {
                let encoded = data_encoding::BASE64.encode(value.as_bytes());
                headers.push((b"authorization".to_vec(), format!("Basic {encoded}").into_bytes()));
            }
            "--oauth2-bearer" => {
                headers.push((b"authorization".to_vec(), format!("Bearer {value}").into_bytes()));
            }
            "--upload-file" => return Err("a request whose body is in another file".into()),
            "--form" | "--form-string" => {
                return Err("a request of a form whose parts curl puts together".into());
            }
            "--url" => self.urls.push(value),
            _ if option.starts_with("--data") || option == "--json" => self.add_data(option, value)?,
            _ => {}
        }
        Ok(())
    }

    fn add_data(&mut self, option: &str, value: &str) -> Result<(), Reason> {
        let name = value.split('=').next().unwrap_or_default();
        let is_file = match option {
            "--data-raw" => false,
            "--data-urlencode" => name.contains('@'),
            _ => value.starts_with('@'),
        };
        if is_file {
            return Err("a request whose body is in another file".into());
        }
        if option == "--json" {
            self.parts.add_missing("content-type", "application/json");
            self.parts.add_missing("accept", "application/json");
        }
        let mut bytes = Vec::new();
        match value.split_once('=').filter(|_| option == "--data-urlencode") {
            Some(("", content)) => url::add_escaped(content, &mut bytes),
            Some((name, content)) => {
                bytes.extend_from_slice(name.as_bytes());
                bytes.push(b'=');
                url::add_escaped(content, &mut bytes);
            }
            None if option == "--data-urlencode" => url::add_escaped(value, &mut bytes),
            None => bytes.extend_from_slice(value.as_bytes()),
        }
        match &mut self.data {
            Some(data) => {
                data.push(b'&');
                data.extend_from_slice(&bytes);
            }
            None => self.data = Some(bytes),
        }
        Ok(())
    }

    /// The request for one of its URLs.
    fn found(&self, whole: &str) -> Found {
        let mut parts = self.parts.clone();
        let mut method = self.method;
        let whole = if whole.contains("://") { whole.to_owned() } else { format!("http://{whole}") };
        url::put(url::without_fragment(whole.as_bytes()), &mut parts);
        match &self.data {
            Some(data) if self.is_get => {
                parts.target.push(if parts.target.contains(&b'?') { b'&' } else { b'?' });
                parts.target.extend_from_slice(data);
            }
            Some(data) => {
                method = method.or(Some("POST"));
                parts.add_missing("content-type", "application/x-www-form-urlencoded");
                parts.body = Some(data.clone());
            }
            None => {}
        }
        parts.method = method.unwrap_or("GET").into();
        Found::parts(parts, Source::JsonLines)
    }
}

/// The requests of a command: one for each URL.
fn requests(words: &[&str]) -> Result<Vec<Found>, Reason> {
    let mut command = Command::default();
    for word in cut(words)? {
        match word {
            Word::Url(url) => command.urls.push(url),
            Word::Option("--get", _) => command.is_get = true,
            Word::Option("--head", _) => command.method = command.method.or(Some("HEAD")),
            Word::Option(option, Some(value)) => command.option(option, value)?,
            Word::Option(_, None) => {}
        }
    }
    if command.urls.is_empty() {
        return Err("a command without a URL".into());
    }
    Ok(command.urls.iter().map(|whole| command.found(whole)).collect())
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
        for (command, method, target) in [
            ("curl -sXPUT https://ex.com/a", "PUT", "/a"),
            ("curl -sSLkX PUT https://ex.com/a | jq .", "PUT", "/a"),
            ("time curl -X PUT https://ex.com/a > out.txt 2>&1", "PUT", "/a"),
            ("curl -G https://ex.com/a --data-urlencode 'q=a b&c'", "GET", "/a?q=a%20b%26c"),
            (
                "curl \"https://ex.com/a?b=1^&c=2\" ^\r\n  -H ^\"accept: */*^\" ^\r\n -X PUT",
                "PUT",
                "/a?b=1&c=2",
            ),
        ] {
            let parts = parts(command).unwrap();
            assert_eq!(
                (&parts.method[..], &parts.target[..]),
                (method.as_bytes(), target.as_bytes()),
                "{command}"
            );
        }
        assert_eq!(parse(b"curl a.com/x b.com/y && curl c.com | sh").unwrap().len(), 3);
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
            ("curl ex.com -T file", "another file"),
            ("wget ex.com", "not curl's"),
        ] {
            assert!(parts(command).unwrap_err().contains(reason), "{command}");
        }
    }
}
