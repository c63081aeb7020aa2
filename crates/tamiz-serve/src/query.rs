//! The query of a URL: the names and values of the command's options, exactly.

use tamiz::{Profile, Scheme, View};

use crate::choices::Wish;
use crate::problem::Problem;

/// The options in the query of a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) wish: Wish,
    pub(crate) evidence: bool,
}

/// Which names there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// None.
    None,
    /// Those of how a document is made.
    Wish,
    /// Also `evidence`.
    WishAndEvidence,
}

impl Names {
    /// Says which names and values are taken.
    pub(crate) fn detail(self) -> String {
        if self == Names::None {
            return "There is no query here.".to_owned();
        }
        fn one<T: Copy>(name: &str, all: &[T], word: fn(T) -> &'static str) -> String {
            let words: Vec<&str> = all.iter().map(|value| word(*value)).collect();
            format!("{name}={}", words.join("|"))
        }
        let mut names = vec![
            one("view", View::ALL, View::as_str),
            one("profile", Profile::ALL, Profile::as_str),
            one("scheme", Scheme::ALL, Scheme::as_str),
        ];
        if self == Names::WishAndEvidence {
            names.push("evidence=true|false".to_owned());
        }
        format!("The query takes these, each once at most: {}.", names.join(", "))
    }
}

/// Reads it.
pub(crate) fn read(query: Option<&str>, names: Names) -> Result<Query, Problem> {
    let mut read = Query::default();
    let mut evidence = None;
    let query = query.unwrap_or_default();
    if query.is_empty() {
        return Ok(read);
    }
    let refused = Problem::Query(names);
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').ok_or(refused)?;
        let taken = match name {
            _ if names == Names::None => None,
            "view" => once(&mut read.wish.view, value.parse().ok()),
            "profile" => once(&mut read.wish.profile, value.parse().ok()),
            "scheme" => once(&mut read.wish.scheme, value.parse().ok()),
            "evidence" if names == Names::WishAndEvidence => once(&mut evidence, value.parse().ok()),
            _ => None,
        };
        taken.ok_or(refused)?;
    }
    read.evidence = evidence.unwrap_or_default();
    Ok(read)
}

/// Takes a value; `None` where there is none, or one was there before.
fn once<T>(to: &mut Option<T>, value: Option<T>) -> Option<()> {
    if to.is_some() {
        return None;
    }
    *to = Some(value?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_taken() {
        let all =
            read(Some("view=literal&evidence=true&profile=full&scheme=wss"), Names::WishAndEvidence).unwrap();
        let wish = Wish {
            view: Some(View::Literal),
            profile: Some(Profile::Full),
            scheme: Some(Scheme::Wss),
            source: None,
        };
        assert_eq!(all, Query { wish, evidence: true });
        for nothing in [None, Some("")] {
            assert_eq!(read(nothing, Names::Wish).unwrap(), Query::default());
        }
        assert!(!read(Some("evidence=false"), Names::WishAndEvidence).unwrap().evidence);
    }

    #[test]
    fn everything_else_is_refused() {
        for query in [
            "view",
            "view=",
            "view=Shape",
            "view=shape&",
            "&view=shape",
            "view=shape&view=shape",
            "View=shape",
            "view=shape=",
            "%76iew=shape",
            "evidence=1",
            "evidence=",
            "format=json",
            "config=/etc/passwd",
            "=",
        ] {
            for names in [Names::WishAndEvidence, Names::None] {
                assert_eq!(read(Some(query), names), Err(Problem::Query(names)), "{query}");
            }
        }
        assert_eq!(read(Some("evidence=true"), Names::Wish), Err(Problem::Query(Names::Wish)));
        assert_eq!(read(Some("view=shape"), Names::None), Err(Problem::Query(Names::None)));
    }

    #[test]
    fn what_is_taken_is_told() {
        assert_eq!(
            Names::WishAndEvidence.detail(),
            "The query takes these, each once at most: view=shape|literal, profile=core|standard|full, \
             scheme=http|https|ws|wss, evidence=true|false."
        );
        assert!(!Names::Wish.detail().contains("evidence"));
    }
}
