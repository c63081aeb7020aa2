//! Extracts what is counted from a document's text (`spec/canonical-form.md`, section 9).

use tamiz::{Family, Flag, Weight};

/// The most telling weight of a request's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    None,
    Structural,
    Notable,
    Evasion,
}

impl Rank {
    pub(crate) const ALL: [Rank; 4] = [Rank::None, Rank::Structural, Rank::Notable, Rank::Evasion];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Rank::None => "no flag",
            Rank::Structural => "structural",
            Rank::Notable => "notable",
            Rank::Evasion => "evasion",
        }
    }

    fn of(weight: Weight) -> Self {
        match weight {
            Weight::Evasion => Rank::Evasion,
            Weight::Notable => Rank::Notable,
            _ => Rank::Structural,
        }
    }
}

/// A document, cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: Option<&'a str>,
    pub(crate) path_length: Option<u64>,
    pub(crate) query_pairs: Option<u64>,
    pub(crate) header_length: Option<u64>,
    pub(crate) body_kind: Option<&'a str>,
    pub(crate) body_length: Option<u64>,
    rollup: &'a str,
    /// The parts of the URL before and after its path.
    authority: &'a str,
    query: Option<&'a str>,
    fragment: &'a str,
    keys: &'a str,
    /// `QK` and `BK` lines, and the marker of a whole body.
    query_values: Vec<(&'a str, &'a str)>,
    body_values: Vec<(&'a str, &'a str)>,
    body_shape: Option<&'a str>,
    /// Names and values of `H` lines.
    headers: Vec<(&'a str, &'a str)>,
}

impl<'a> Facts<'a> {
    /// Cuts a text; of what is no document, nothing is told.
    pub(crate) fn of(text: &'a str) -> Self {
        let mut facts = Facts::default();
        let mut url = None;
        for line in text.lines() {
            let Some((name, rest)) = line.split_once(':') else { continue };
            // ` [` is escaped in content: the first begins the flags.
            let content = rest.split_once(" [").map_or(rest, |(content, _)| content);
            match name {
                "M" => facts.method = content,
                "U" => url = Some(content),
                "P" => {
                    facts.path = content.split(' ').next();
                    facts.path_length = measure(content, " PLEN:");
                }
                "Q" => {
                    let (pairs, keys) = content.split_once(" KEYS:").unwrap_or_default();
                    (facts.query_pairs, facts.keys) = (pairs.parse().ok(), keys);
                }
                "QK" => facts.query_values.extend(content.split_once('=')),
                "FLAGS" => {
                    facts.rollup =
                        rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
                }
                "H" => facts.headers.extend(content.split_once('=')),
                "HCNT" => facts.header_length = measure(content, " HLEN:"),
                "B" => {
                    facts.body_kind = content.split(' ').next();
                    facts.body_length = measure(content, " BLEN:");
                    facts.body_shape = content.rsplit(' ').next().filter(|word| word.starts_with('<'));
                }
                "BK" => facts.body_values.extend(content.split_once('=')),
                _ => {}
            }
        }
        if let Some(url) = url {
            facts.cut_url(url);
        }
        facts
    }

    fn cut_url(&mut self, url: &'a str) {
        let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
        let end = after_scheme.find('/').unwrap_or(after_scheme.len());
        let (authority, rest) = after_scheme.split_at_checked(end).unwrap_or((after_scheme, ""));
        self.authority = authority;
        let path = self.path.unwrap_or_default();
        let rest = if path.starts_with('/') { rest } else { rest.strip_prefix('/').unwrap_or(rest) };
        let rest = rest.strip_prefix(path).unwrap_or_default();
        // A fragment is a marker behind an escaped `#`, and nothing else has a `<` there.
        let end = rest.find("%23<").unwrap_or(rest.len());
        let (query, fragment) = rest.split_at_checked(end).unwrap_or((rest, ""));
        (self.query, self.fragment) = (query.strip_prefix('?'), fragment);
    }

    /// The flags of all of it, each once: by name, and where a parameter is a word of a closed list, with that.
    pub(crate) fn flags(&self) -> Vec<(&'a str, Flag)> {
        let mut flags: Vec<(&str, Flag)> = Vec::new();
        for item in self.rollup.split(' ') {
            let name = item.split(':').next().unwrap_or_default();
            let Some(flag) = Flag::from_name(name) else { continue };
            let shown = if flag.parameter() == Some("word") { item } else { name };
            // They are sorted, so that those of one name follow each other.
            if flags.last().is_none_or(|(last, _)| *last != shown) {
                flags.push((shown, flag));
            }
        }
        flags
    }

    /// The most telling weight of its flags.
    pub(crate) fn rank(flags: &[(&str, Flag)]) -> Rank {
        flags.iter().map(|(_, flag)| Rank::of(flag.weight())).max().unwrap_or(Rank::None)
    }

    /// The families of its flags that are not structural.
    pub(crate) fn families(flags: &[(&str, Flag)]) -> Vec<Family> {
        let telling = flags.iter().filter(|(_, flag)| flag.weight() != Weight::Structural);
        let mut families: Vec<Family> = telling.map(|(_, flag)| flag.family()).collect();
        families.sort_unstable();
        families.dedup();
        families
    }

    /// Every value of query and body: `q` or `b`, its key and what is shown of it.
    pub(crate) fn values(&self) -> impl Iterator<Item = (char, &'a str, &'a str)> + '_ {
        let listed =
            self.query_values.iter().flat_map(|(key, values)| values.split('|').map(|value| (*key, value)));
        let in_url = self.query.filter(|_| self.query_values.is_empty()).into_iter().flat_map(|query| {
            let pairs = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("<more:"));
            pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "<mixed:0>")))
        });
        let in_body =
            self.body_values.iter().flat_map(|(key, values)| values.split('|').map(|value| (*key, value)));
        let query = listed.chain(in_url).map(|(key, value)| ('q', key, value));
        query.chain(in_body.map(|(key, value)| ('b', key, value)))
    }

    /// Calls `tell` with the place and the kind of every secret that is redacted, each once.
    pub(crate) fn secrets(&self, mut tell: impl FnMut(&str, &str)) {
        let mut at = |place: &str, text: &str| kinds_of_secrets(text).for_each(|kind| tell(place, kind));
        at("m", self.method);
        at("u", self.authority);
        at("u", self.fragment);
        at("p", self.path.unwrap_or_default());
        for (whole, key, value) in self.values() {
            at(&format!("{whole}.{}", without_lengths(key)), value);
        }
        // Without a URL, keys are shown here alone.
        if self.query.is_none() {
            at("q", self.keys);
        } else {
            self.values().filter(|(whole, ..)| *whole == 'q').for_each(|(_, key, _)| at("q", key));
        }
        self.body_values.iter().for_each(|(key, _)| at("b", key));
        at("b", self.body_shape.unwrap_or_default());
        for (name, value) in &self.headers {
            at(&format!("h.{}", without_lengths(name)), value);
            at("h", name);
        }
    }

    /// The cookies that are told by their length.
    pub(crate) fn cookies(&self) -> u64 {
        let cookies = self.headers.iter().filter(|(name, _)| matches!(*name, "cookie" | "set-cookie"));
        cookies.map(|(_, value)| value.matches("<len:").count() as u64).sum()
    }
}

/// The number of ` PLEN:12@0-15`.
fn measure(content: &str, name: &str) -> Option<u64> {
    let (_, from) = content.split_once(name)?;
    from.split('@').next()?.parse().ok()
}

/// The kinds of the secrets that a text shows as markers.
fn kinds_of_secrets(text: &str) -> impl Iterator<Item = &str> {
    text.split("<SECRET:").skip(1).filter_map(|rest| rest.split(':').next())
}

/// The name of a key that is a marker, without what differs from request to request.
pub(crate) fn without_lengths(key: &str) -> &str {
    match key.strip_prefix('<') {
        Some(marker) if marker.starts_with("SECRET:") => "<SECRET>",
        Some(_) => "<other>",
        None => key,
    }
}

/// The kind of a value as shown: its shape, `empty`, `SECRET`, `file`, or `in clear`.
pub(crate) fn kind(value: &str) -> &str {
    let marker = value.strip_prefix('<').and_then(|inside| inside.strip_suffix('>'));
    match marker.and_then(|inside| inside.split_once(':')) {
        Some(("mixed", "0")) => "empty",
        Some((word, _)) if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric()) => word,
        _ if value.is_empty() => "empty",
        _ => "in clear",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamiz::{Canonicalizer, Config, Profile, View};

    const REQUEST: &[u8] =
        b"POST http://u:p@ex.com/a/b?id=1&pwd=visionario&pwd=x&q=%27+UNION+SELECT+1&bare#top HTTP/1.1\r\n\
        Host: ex.com\r\nAuthorization: Bearer abcdefgh1234\r\nCookie: a=1; session=xyz\r\n\
        Content-Type: application/json\r\nContent-Length: 26\r\n\r\n{\"token\":\"s\",\"n\":{\"m\":[1]}}";

    fn text(profile: Profile, view: View) -> String {
        let mut config = Config::default();
        (config.profile, config.view) = (profile, view);
        Canonicalizer::new(config).canonicalize(REQUEST).to_string()
    }

    #[test]
    fn a_document_is_cut() {
        let text = text(Profile::Standard, View::Shape);
        let facts = Facts::of(&text);
        assert_eq!((facts.method, facts.path, facts.path_length), ("POST", Some("/a/b"), Some(4)));
        assert_eq!((facts.query_pairs, facts.body_kind), (Some(5), Some("json")));
        assert!(facts.header_length > Some(50) && facts.body_length > Some(20));
        let values: Vec<String> =
            facts.values().map(|(at, key, value)| format!("{at}.{key} {}", kind(value))).collect();
        assert_eq!(
            values,
            [
                "q.id num",
                "q.pwd SECRET",
                "q.pwd SECRET",
                "q.q mixed",
                "q.bare empty",
                "b.token SECRET",
                "b.n.m[] num"
            ]
        );
        let flags = facts.flags();
        let names: Vec<&str> = flags.iter().map(|(name, _)| *name).collect();
        assert!(
            names.contains(&"KW:sql") && names.contains(&"QREPEAT") && names.contains(&"COOKIE"),
            "{names:?}"
        );
        assert_eq!(Facts::rank(&flags), Rank::of(flags.iter().map(|(_, flag)| flag.weight()).max().unwrap()));
        assert!(Facts::families(&flags).contains(&Family::Danger));
        assert_eq!(facts.cookies(), 2);
    }

    #[test]
    fn every_secret_is_counted_once_in_every_profile() {
        for &profile in Profile::ALL {
            for &view in View::ALL {
                let text = text(profile, view);
                let mut secrets = Vec::new();
                Facts::of(&text).secrets(|place, kind| secrets.push(format!("{place} {kind}")));
                let mut expected = vec!["u userinfo", "q.pwd alpha", "q.pwd alpha", "h.authorization bearer"];
                if profile != Profile::Core {
                    expected.push("b.token alpha");
                }
                secrets.sort();
                expected.sort_unstable();
                assert_eq!(secrets, expected, "{profile} {view}\n{text}");
            }
        }
    }

    #[test]
    fn values_in_clear_are_told_by_that_alone() {
        let text = text(Profile::Standard, View::Literal);
        let kinds: Vec<&str> = Facts::of(&text).values().map(|(.., value)| kind(value)).collect();
        assert_eq!(kinds, ["in clear", "SECRET", "SECRET", "in clear", "empty", "SECRET", "num"]);
    }

    #[test]
    fn any_text_can_be_cut() {
        for text in
            ["", ":", "U:", "P:", "Q:", "B:", "H:", "FLAGS:", "FLAGS:[", "BK:=|", "U:http://", "B:form BLEN:"]
        {
            let facts = Facts::of(text);
            facts.secrets(|_, _| {});
            assert!(facts.flags().is_empty());
            facts.values().for_each(drop);
        }
    }
}
