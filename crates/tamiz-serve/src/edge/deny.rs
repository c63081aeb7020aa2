//! Which flags are enough to turn a request away. None are, unless somebody says so.

use std::fmt;
use std::str::FromStr;

use tamiz::Flag;

/// Flags that are denied: `NAME`, or `NAME:word` for one word of a closed list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deny {
    flags: Vec<String>,
}

/// A text that names no flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotADeny(String);

impl fmt::Display for NotADeny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no flag '{}'; 'tamiz flags' lists them", self.0.escape_debug())
    }
}

impl std::error::Error for NotADeny {}

impl FromStr for Deny {
    type Err = NotADeny;

    fn from_str(text: &str) -> Result<Self, NotADeny> {
        let mut flags = Vec::new();
        for item in text.split(',') {
            let (name, word) = item.split_once(':').unwrap_or((item, ""));
            let is_known = Flag::from_name(name).is_some_and(|flag| {
                // Other parameters are not told to proxies, and could not be matched.
                item.len() == name.len() || !word.is_empty() && flag.parameter() == Some("word")
            });
            if !is_known {
                return Err(NotADeny(item.to_owned()));
            }
            flags.push(item.to_owned());
        }
        Ok(Deny { flags })
    }
}

impl Deny {
    /// Those of several options, as one.
    pub fn all(rules: impl IntoIterator<Item = Deny>) -> Self {
        Deny { flags: rules.into_iter().flat_map(|rule| rule.flags).collect() }
    }

    /// Whether a flag of the list, which has a space between its items, is denied.
    pub(crate) fn denies(&self, flags: &str) -> bool {
        let is_denied = |flag: &str| {
            let name = flag.split(':').next().unwrap_or(flag);
            self.flags.iter().any(|denied| denied == flag || denied == name)
        };
        !self.flags.is_empty() && flags.split(' ').any(is_denied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_denied_by_name_or_by_word() {
        let none = Deny::default();
        assert!(!none.denies("") && !none.denies("DOTDOT KW:sql"));
        let deny = Deny::all(["DOTDOT,KW:sql".parse().unwrap(), "NUL".parse().unwrap()]);
        for (flags, is_denied) in [
            ("", false),
            ("DOTDOT", true),
            ("COOKIE DOTDOT", true),
            ("DOTDOTS", false),
            ("KW:sql", true),
            ("KW:xss", false),
            ("KW:sqli", false),
            ("A NUL", true),
        ] {
            assert_eq!(deny.denies(flags), is_denied, "{flags}");
        }
        assert!("KW".parse::<Deny>().unwrap().denies("KW:xss"));
    }

    #[test]
    fn what_is_no_flag_is_refused() {
        for text in ["", "NOSUCHFLAG", "DOTDOT,", "dotdot", "DOTDOT:x", "KW:", "DOTDOT COOKIE"] {
            assert!(text.parse::<Deny>().is_err(), "{text}");
        }
    }
}
