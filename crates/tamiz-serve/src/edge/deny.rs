//! Which flags are enough to turn a request away. None are, unless somebody says so.

use std::fmt;
use std::str::FromStr;

use tamiz::Flag;
use tamiz_explain::named::{Named, NotAFlag};

/// Flags that are denied: `NAME`, or `NAME:word` for one word of its closed list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deny {
    flags: Vec<String>,
}

/// Says why a text names no flag that a proxy could be told. It repeats the text as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotADeny {
    /// There is no such flag, or it cannot have this parameter.
    NotAFlag(NotAFlag),
    /// The parameter is named by clients, so that proxies are told the flag without it.
    Untold(Flag),
}

impl fmt::Display for NotADeny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotADeny::NotAFlag(error) => error.fmt(f),
            NotADeny::Untold(flag) => {
                write!(f, "what follows '{flag}:' is not told to proxies; deny '{flag}' itself")
            }
        }
    }
}

impl std::error::Error for NotADeny {}

impl FromStr for Deny {
    type Err = NotADeny;

    fn from_str(text: &str) -> Result<Self, NotADeny> {
        let mut flags = Vec::new();
        for item in text.split(',') {
            let Named { flag, parameter } = Named::read(item).map_err(NotADeny::NotAFlag)?;
            if parameter.is_some() && flag.words().is_empty() {
                return Err(NotADeny::Untold(flag));
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

    /// Returns whether a flag of the list, which has a space between its items, is denied.
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
    fn what_could_never_match_is_refused() {
        for text in [
            "",
            "NOSUCHFLAG",
            "DOTDOT,",
            "dotdot",
            "DOTDOT:x",
            "KW:",
            "KW:sqql",
            "NUL,KW:SQL",
            "MAGIC:exe",
            "QREPEAT:id",
            "COOKIE:2",
            "DOTDOT COOKIE",
        ] {
            assert!(text.parse::<Deny>().is_err(), "{text}");
        }
        let told = |text: &str| text.parse::<Deny>().unwrap_err().to_string();
        assert!(
            told("KW:sqql")
                .ends_with("comes one of file, java, jndi, js, ldap, nosql, php, shell, sql, ssti, xxe")
        );
        assert_eq!(told("COOKIE:2"), "what follows 'COOKIE:' is not told to proxies; deny 'COOKIE' itself");
    }

    /// A word that is taken and never told would let everything through without a word.
    #[test]
    fn every_word_that_is_taken_is_told() {
        for &flag in Flag::ALL {
            for word in flag.words() {
                let line = format!("M:GET\nFLAGS:[{flag}:{word}]\nH:a=b\n");
                let deny: Deny = format!("{flag}:{word}").parse().unwrap();
                assert!(deny.denies(&crate::edge::verdict::told(&line)), "{flag}:{word}");
            }
        }
    }
}
