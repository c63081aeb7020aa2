//! Files of REST clients, `.http` and `.rest`, of Visual Studio Code, IntelliJ and others: requests with `###` between them,
//! comments, and variables (`@name = value`, `{{name}}`).

use tamiz::Source;

use crate::id::Id;
use crate::record::{At, Found, Parts, Reason};
use crate::url;
use crate::variables::Variables;
use crate::whole::Records;

const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/// Returns whether text is such a file: only these have requests behind `###`, variables, or request lines with URLs
/// and no version.
pub(crate) fn is_one(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let is_silent = |line: &&str| line.is_empty() || is_comment(line) || variable(line).is_some();
    let mut lines = text.lines().map(str::trim_end);
    let Some(first) = lines.clone().find(|line| !line.is_empty() && !is_comment(line)) else { return false };
    if variable(first).is_some() {
        return true;
    }
    if !is_request(first) {
        return false;
    }
    let is_url_alone = !first.contains("HTTP/") && is_url(first.split_once(' ').map_or("", |(_, url)| url));
    // A body may hold `###`, but no request line behind it.
    let mut is_behind = false;
    is_url_alone
        || lines.any(|line| {
            let is_one = is_behind && !is_silent(&line) && is_request(line);
            is_behind = line.starts_with("###") || is_behind && is_silent(&line);
            is_one
        })
}

fn is_url(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("http://") || text.starts_with("https://") || text.starts_with("{{")
}

/// A request line has a method, or is a URL alone.
fn is_request(line: &str) -> bool {
    let method = line.split(' ').next().unwrap_or_default();
    METHODS.contains(&method) && line.len() > method.len() || is_url(line)
}

fn is_comment(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("//")
}

/// `@name = value`.
fn variable(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix('@')?.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    is_name.then(|| (name, value.trim()))
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Records, Reason> {
    let text = std::str::from_utf8(bytes).map_err(|_| "text that is not UTF-8")?;
    let mut variables = Variables::default();
    text.lines()
        .filter_map(|line| variable(line.trim_end()))
        .for_each(|(name, value)| variables.set(name, value));
    let mut found = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    let mut first = 1_u64;
    for (line, number) in text.lines().chain(["###"]).zip(1_u64..) {
        if line.starts_with("###") {
            found.extend(request(&block, &variables).map(|result| (At::Line(first), result)));
            block.clear();
            first = number;
        }
        block.push(line);
    }
    Ok(found)
}

/// The request of one block; `None` if there is none.
fn request(block: &[&str], variables: &Variables) -> Option<Result<Found, Reason>> {
    let mut name = None;
    let mut lines = block.iter().map(|line| line.trim_end()).peekable();
    // Comments and variables before the request.
    while let Some(line) =
        lines.next_if(|line| line.is_empty() || is_comment(line) || variable(line).is_some())
    {
        let comment = line.trim_start_matches(['#', '/']).trim();
        if let Some(given) = comment.strip_prefix("@name") {
            name = Some(given.trim_start_matches(['=', ' ']).to_owned());
        } else if line.starts_with("###") && !comment.is_empty() {
            name = name.or_else(|| Some(comment.to_owned()));
        }
    }
    let line = lines.next()?;
    if !is_request(line) {
        return Some(Err("no request line where a request should begin".into()));
    }
    let (method, rest) = match line.split_once(' ') {
        Some((method, rest)) if METHODS.contains(&method) => (method, rest.trim()),
        _ => ("GET", line),
    };
    let (mut whole, version) = match rest.rsplit_once(" HTTP/") {
        Some((whole, version)) => (whole.trim().to_owned(), url::version(&format!("HTTP/{version}"))),
        None => (rest.to_owned(), None),
    };
    // A query may go on, a line each.
    while let Some(line) =
        lines.next_if(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with(['?', '&']))
    {
        whole.push_str(line.trim());
    }
    let mut parts = Parts { method: method.as_bytes().to_vec(), version, ..Parts::default() };
    url::put(url::without_fragment(variables.fill(&whole).as_bytes()), &mut parts);
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        if is_comment(line) {
            continue;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Some(Err("a line among the headers that is none".into()));
        };
        parts
            .headers
            .push((variables.fill(name.trim()).into_bytes(), variables.fill(value.trim()).into_bytes()));
    }
    // Scripts for responses, and where to put these, are not sent.
    let body: Vec<&str> = lines
        .take_while(|line| !["> ", ">> ", ">>! ", "<> "].iter().any(|mark| line.starts_with(mark)))
        .collect();
    let body = variables.fill(body.join("\n").trim_end());
    if body.starts_with("< ") || body.starts_with("<@ ") {
        return Some(Err("a request whose body is in another file".into()));
    }
    let is_form = parts.headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case(b"content-type") && value.starts_with(b"application/x-www-form-urlencoded")
    });
    // A form may go on, a line each.
    let body = if is_form { body.replace("\n&", "&") } else { body };
    parts.body = Some(body.into_bytes()).filter(|body| !body.is_empty());
    let mut found = Found::parts(parts, Source::JsonLines);
    found.id = name.map(Id::from);
    Some(Ok(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    const FILE: &str = "@host = https://ex.com\n# a comment\n\n### first\nGET {{host}}/a\n    ?b=1\n    &c=2\nX-A: 1\n\n\
                        ###\n// @name login\nPOST {{host}}/b HTTP/1.1\nContent-Type: text/plain\n\nbody of\ntwo lines\n\n> {% script %}\n\n\
                        ### \nhttps://ex.com/c\n###\nnonsense\n###\nPOST https://ex.com/d\n\n< ./file.json\n";

    #[test]
    fn forms_over_several_lines() {
        let text = "POST https://ex.com/\nContent-Type: application/x-www-form-urlencoded\n\na=1\n&b=2\n";
        let found = parse(text.as_bytes()).unwrap().remove(0).1.unwrap();
        let Request::Parts(parts) = found.request else { panic!("bytes") };
        assert_eq!(parts.body.as_deref(), Some(&b"a=1&b=2"[..]));
    }

    #[test]
    fn requests_with_variables() {
        assert!(is_one(FILE.as_bytes()) && is_one(b"GET https://ex.com/a\nA: b\n"));
        assert!(!is_one(b"GET /a HTTP/1.1\nHost: a\n\nx") && !is_one(b"nonsense\n###\n"));
        assert!(!is_one(b"POST /a HTTP/1.1\nHost: a\n\n### a title\nof a text\n"));
        assert!(is_one(b"GET /a HTTP/1.1\nHost: a\n\n### next\n\nGET /b\n"));
        let found = parse(FILE.as_bytes()).unwrap();
        assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [4, 10, 20, 22, 24].map(At::Line));
        let mut found = found.into_iter().map(|(_, result)| result);
        let first = found.next().unwrap().unwrap();
        let Request::Parts(parts) = first.request else { panic!("bytes") };
        assert_eq!((&parts.target[..], parts.headers.len()), (&b"/a?b=1&c=2"[..], 1));
        assert_eq!((first.id.as_deref(), parts.authority.as_deref()), (Some("first"), Some(&b"ex.com"[..])));
        let second = found.next().unwrap().unwrap();
        let Request::Parts(parts) = second.request else { panic!("bytes") };
        assert_eq!(
            (second.id.as_deref(), parts.body.as_deref()),
            (Some("login"), Some(&b"body of\ntwo lines"[..]))
        );
        assert!(found.next().unwrap().is_ok());
        assert!(found.next().unwrap().unwrap_err().contains("no request line"));
        assert!(found.next().unwrap().unwrap_err().contains("another file"));
    }
}
