//! The query of a URL: the names and values of the command's options, exactly.

use crate::choices::Wish;
use crate::problem::Problem;

/// What the query says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) wish: Wish,
    pub(crate) evidence: bool,
}

/// Which names there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Those of how a document is made.
    Wish,
    /// Also `evidence`.
    WishAndEvidence,
}

/// Reads it.
pub(crate) fn read(query: Option<&str>, names: Names) -> Result<Query, Problem> {
    let mut read = Query::default();
    let mut evidence = None;
    let query = query.unwrap_or_default();
    if query.is_empty() {
        return Ok(read);
    }
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').ok_or(Problem::Query)?;
        match name {
            "view" => once(&mut read.wish.view, value.parse().ok())?,
            "profile" => once(&mut read.wish.profile, value.parse().ok())?,
            "scheme" => once(&mut read.wish.scheme, value.parse().ok())?,
            "evidence" if names == Names::WishAndEvidence => once(&mut evidence, value.parse().ok())?,
            _ => return Err(Problem::Query),
        }
    }
    read.evidence = evidence.unwrap_or_default();
    Ok(read)
}

fn once<T>(to: &mut Option<T>, value: Option<T>) -> Result<(), Problem> {
    match (&to, value) {
        (None, Some(value)) => *to = Some(value),
        _ => return Err(Problem::Query),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamiz::{Profile, Scheme, View};

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
            assert_eq!(read(Some(query), Names::WishAndEvidence), Err(Problem::Query), "{query}");
        }
        assert_eq!(read(Some("evidence=true"), Names::Wish), Err(Problem::Query));
    }
}
