//! Flags as people name them on a command line: `DOTDOT`, `KW`, `KW:sql`, `QREPEAT:id`.

use std::fmt;

use tamiz::Flag;

/// A flag, and what follows its colon where something does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'t> {
    /// The flag.
    pub flag: Flag,
    /// A word of the flag's list; for other parameters, any text that one may be.
    pub parameter: Option<&'t str>,
}

/// Says why a text names no flag. It repeats the text as it is: show it through
/// [`harmless`](crate::visible::harmless).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAFlag {
    given: String,
    why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Why {
    UnknownName,
    /// The flag has no parameter.
    TakesNone(Flag),
    /// The parameter is not one that the flag can have.
    UnknownParameter(Flag),
}

impl<'t> Named<'t> {
    /// Reads a name in its exact case, with or without a parameter.
    ///
    /// # Errors
    /// When there is no such flag, or it cannot have this parameter.
    pub fn read(text: &'t str) -> Result<Self, NotAFlag> {
        let (name, parameter) = match text.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (text, None),
        };
        let refused = |why| NotAFlag { given: text.to_owned(), why };
        let flag = Flag::from_name(name).ok_or_else(|| refused(Why::UnknownName))?;
        let Some(parameter) = parameter else { return Ok(Named { flag, parameter }) };
        let fits = match flag.parameter() {
            None => return Err(refused(Why::TakesNone(flag))),
            Some("word") => flag.words().contains(&parameter),
            Some("n") => !parameter.is_empty() && parameter.bytes().all(|byte| byte.is_ascii_digit()),
            Some(_) => !parameter.is_empty(),
        };
        if fits {
            Ok(Named { flag, parameter: Some(parameter) })
        } else {
            Err(refused(Why::UnknownParameter(flag)))
        }
    }
}

impl NotAFlag {
    /// Returns whether there is no flag of this name, whatever follows its colon.
    pub fn is_unknown_name(&self) -> bool {
        self.why == Why::UnknownName
    }
}

impl fmt::Display for NotAFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = &self.given;
        match self.why {
            Why::UnknownName => write!(f, "there is no flag '{given}'; 'tamiz flags' lists them"),
            Why::TakesNone(flag) => write!(f, "there is no flag '{given}': nothing follows '{flag}'"),
            Why::UnknownParameter(flag) => {
                write!(f, "there is no flag '{given}': after '{flag}:' comes ")?;
                match flag.words().as_slice() {
                    [] if flag.parameter() == Some("n") => f.write_str("a number"),
                    [] => write!(f, "a {}", flag.parameter().unwrap_or_default()),
                    words => write!(f, "one of {}", words.join(", ")),
                }
            }
        }
    }
}

impl std::error::Error for NotAFlag {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_parameters_are_read() {
        for (text, name, parameter) in [
            ("DOTDOT", "DOTDOT", None),
            ("KW", "KW", None),
            ("KW:sql", "KW", Some("sql")),
            ("MAGIC:pe", "MAGIC", Some("pe")),
            ("URLVALUE:other", "URLVALUE", Some("other")),
            ("COOKIE:2", "COOKIE", Some("2")),
            ("QREPEAT:a:b", "QREPEAT", Some("a:b")),
        ] {
            let named = Named::read(text).unwrap();
            assert_eq!((named.flag.name(), named.parameter), (name, parameter));
        }
    }

    #[test]
    fn every_word_of_every_flag_is_taken_and_no_neighbour_of_it() {
        for &flag in Flag::ALL {
            for word in flag.words() {
                assert!(Named::read(&format!("{flag}:{word}")).is_ok());
                assert!(Named::read(&format!("{flag}:{word}x")).is_err());
            }
        }
    }

    #[test]
    fn what_is_no_flag_is_told_with_what_there_is() {
        for (text, told) in [
            ("", "there is no flag ''; 'tamiz flags' lists them"),
            ("NOPE", "there is no flag 'NOPE'; 'tamiz flags' lists them"),
            ("dotdot", "there is no flag 'dotdot'; 'tamiz flags' lists them"),
            ("NOPE:sql", "there is no flag 'NOPE:sql'; 'tamiz flags' lists them"),
            ("DOTDOT:x", "there is no flag 'DOTDOT:x': nothing follows 'DOTDOT'"),
            ("DOTDOT:", "there is no flag 'DOTDOT:': nothing follows 'DOTDOT'"),
            (
                "SERIAL:jav",
                "there is no flag 'SERIAL:jav': after 'SERIAL:' comes one of dotnet, java, php, python, ruby",
            ),
            ("COOKIE:two", "there is no flag 'COOKIE:two': after 'COOKIE:' comes a number"),
            ("QREPEAT:", "there is no flag 'QREPEAT:': after 'QREPEAT:' comes a key"),
        ] {
            assert_eq!(Named::read(text).unwrap_err().to_string(), told);
        }
    }
}
