//! Flags: what was odd about a request, or telling about its content.
//!
//! [`registry`] is the one table; [`set`] is how stages collect flags.

mod classes;
mod flag;
mod parameters;
mod profile;
mod registry;
mod set;

pub use profile::Profile;
pub use registry::Flag;
pub(crate) use set::{FlagSet, Flags, Mark};

use std::fmt;

use serde::Serialize;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The word used in documents, configuration and on the command line.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                $name::ALL.iter().copied().find(|value| value.as_str() == word).ok_or($crate::UnknownWord)
            }
        }
    };
}
pub(crate) use words;

words! {
    /// The families of flags.
    Family {
        /// How characters were encoded.
        Encoding = "encoding",
        /// Which characters there are beyond ASCII.
        Unicode = "unicode",
        /// The shape of the path or target.
        Path = "path",
        /// The shape of the query.
        Query = "query",
        /// Characters that attacks are made of.
        Danger = "danger",
        /// The content of a value.
        Content = "content",
        /// Header names, repeats and hosts.
        Header = "header",
        /// White space, folds and line ends.
        Whitespace = "whitespace",
        /// Where the request and its parts end.
        Framing = "framing",
        /// The body.
        Body = "body",
        /// Credentials and persons.
        Privacy = "privacy",
    }
}

words! {
    /// How telling a flag is.
    Weight {
        /// Ordinary traffic raises it.
        Structural = "structural",
        /// Worth a look.
        Notable = "notable",
        /// A spelling that honest clients do not use.
        Evasion = "evasion",
    }
}

/// The kind of text after a flag's colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// The flag is a bare name.
    None,
    /// The key of the pair that raised it (or `path`).
    Key,
    /// The name of the header that raised it.
    Name,
    /// A count.
    Number,
    /// A word of a closed list, given as the flag is raised.
    Word,
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Flag {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
