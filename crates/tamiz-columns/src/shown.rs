//! Extracts what a document shows from its text (`spec/canonical-form.md`, section 9).

/// The parts of a document that are columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown<'a> {
    /// The method.
    pub method: &'a str,
    /// The URL, or the authority of a `CONNECT`.
    pub url: Option<&'a str>,
    /// The path.
    pub path: Option<&'a str>,
    /// The value of `user-agent`, if that is there once.
    pub user_agent: Option<&'a str>,
    /// How many bytes the body has.
    pub body_size: Option<u64>,
    rollup: &'a str,
}

impl<'a> Shown<'a> {
    /// Cuts the text of a document. Of what is no document, nothing is shown.
    pub fn of(text: &'a str) -> Self {
        let mut shown = Shown::default();
        for line in lines(text) {
            // Most lines are headers.
            if let Some(header) = line.strip_prefix("H:") {
                if let Some(value) = header.strip_prefix("user-agent=").filter(|_| shown.user_agent.is_none())
                {
                    // ` [` is escaped in values: the first begins the flags.
                    shown.user_agent = Some(split_once(value, " [").map_or(value, |(value, _)| value));
                }
            } else if let Some(rest) = line.strip_prefix("M:") {
                // White space is escaped in this and the next two.
                shown.method = word(rest);
            } else if let Some(rest) = line.strip_prefix("U:") {
                shown.url = Some(word(rest));
            } else if let Some(rest) = line.strip_prefix("P:") {
                shown.path = Some(word(rest));
            } else if let Some(rest) = line.strip_prefix("FLAGS:[") {
                shown.rollup = rest.strip_suffix(']').unwrap_or_default();
            } else if let Some(rest) = line.strip_prefix("B:") {
                let (_, length) = split_once(rest, " BLEN:").unwrap_or_default();
                shown.body_size = length.split_once('@').and_then(|(length, _)| length.parse().ok());
            }
        }
        shown
    }

    /// The flags of all of it, sorted.
    pub fn flags(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut rest = self.rollup;
        std::iter::from_fn(move || {
            let flag = word(rest);
            rest = rest.get(flag.len().saturating_add(1)..).unwrap_or_default();
            (!flag.is_empty()).then_some(flag)
        })
    }

    /// The scheme of the URL.
    pub fn scheme(&self) -> Option<&'a str> {
        self.absolute_url().and_then(|url| split_once(url, "://")).map(|(scheme, _)| scheme)
    }

    /// The URL, unless it has no host: then it begins with its path.
    fn absolute_url(&self) -> Option<&'a str> {
        self.url.filter(|url| !url.starts_with('/'))
    }

    /// The query of the URL: what stands between its path and its fragment.
    pub fn query(&self) -> Option<&'a str> {
        let rest = match self.absolute_url() {
            None => self.url?,
            Some(url) => {
                let (_, rest) = split_once(url, "://")?;
                rest.get(memchr::memchr(b'/', rest.as_bytes())?..)?
            }
        };
        let path = self.path?;
        // An asterisk is a path without a slash of its own.
        let rest = if path.starts_with('/') { rest } else { rest.strip_prefix('/')? };
        let query = rest.strip_prefix(path)?.strip_prefix('?')?;
        // A fragment is written as a marker behind an escaped `#`, and a query has no `<` there.
        Some(split_once(query, "%23<").map_or(query, |(query, _)| query))
    }

    /// The host of the URL, an address of version 6 without its brackets, and the port, where it is told.
    pub fn server(&self) -> Option<(&'a str, Option<u16>)> {
        let url = self.absolute_url()?;
        let rest = split_once(url, "://").map_or(url, |(_, rest)| rest);
        let end = memchr::memchr2(b'/', b'?', rest.as_bytes()).unwrap_or(rest.len());
        let authority = rest.get(..end)?;
        // Userinfo is a marker, which has no `@`.
        let host = cut(authority, b'@').map_or(authority, |(_, host)| host);
        if let Some(rest) = host.strip_prefix('[') {
            let (address, port) = cut(rest, b']')?;
            return Some((address, port.strip_prefix(':').and_then(|port| port.parse().ok())));
        }
        match cut(host, b':') {
            Some((host, port)) => Some((host, port.parse().ok())),
            None => Some((host, None)),
        }
    }
}

/// The lines of a document, each without its end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text.as_bytes()).filter_map(move |end| {
        let line = text.get(start..end);
        start = end.saturating_add(1);
        line
    })
}

/// As [`str::split_once`], which takes longer to prepare a search than these take: what is looked for is short, and its
/// first character is rare.
fn split_once<'t>(text: &'t str, at: &str) -> Option<(&'t str, &'t str)> {
    let bytes = text.as_bytes();
    let is_here = |start: &usize| bytes.get(*start..).is_some_and(|rest| rest.starts_with(at.as_bytes()));
    let start = memchr::memchr_iter(*at.as_bytes().first()?, bytes).find(is_here)?;
    Some((text.get(..start)?, text.get(start.saturating_add(at.len())..)?))
}

/// The text before the first space.
fn word(rest: &str) -> &str {
    memchr::memchr(b' ', rest.as_bytes()).and_then(|end| rest.get(..end)).unwrap_or(rest)
}

/// As [`str::split_once`] of one ASCII character: this looks at many bytes at a time.
fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let start = memchr::memchr(at, text.as_bytes())?;
    Some((text.get(..start)?, text.get(start.saturating_add(1)..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "M:POST [X]\nU:http://<SECRET:userinfo:3>@ex.com:8080/a?b=<num:1>&c [USERINFO]\nP:/a PLEN:2@0-15 PMAX:1@0-15\n\
                        Q:2 KEYS:b,c\nFLAGS:[A B:c]\nH:user-agent=x y [QUOTE]\nHCNT:1 HLEN:9@0-15\nB:form BLEN:7@0-15 [BODYFORM]\n";

    #[test]
    fn a_document_is_cut() {
        let shown = Shown::of(TEXT);
        assert_eq!((shown.method, shown.path, shown.user_agent), ("POST", Some("/a"), Some("x y")));
        assert_eq!((shown.scheme(), shown.query()), (Some("http"), Some("b=<num:1>&c")));
        assert_eq!((shown.server(), shown.body_size), (Some(("ex.com", Some(8080))), Some(7)));
        assert_eq!(shown.flags().collect::<Vec<_>>(), ["A", "B:c"]);
    }

    #[test]
    fn servers() {
        for (url, server) in [
            ("db.example.com:5432", ("db.example.com", Some(5432))),
            ("http://[::1]:81/", ("::1", Some(81))),
            ("https://[2001:db8::1]/a", ("2001:db8::1", None)),
            ("http://ex.com?a", ("ex.com", None)),
        ] {
            let shown = Shown { url: Some(url), ..Shown::default() };
            assert_eq!(shown.server(), Some(server), "{url}");
        }
        assert_eq!(Shown::of("").server(), None);
    }
}
