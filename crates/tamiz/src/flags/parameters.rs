//! The closed lists of words that may follow the colon of a flag: `KW:sql`, `BODYENC:gzip`.

use super::Flag;
use crate::lists::{FIRST_BYTES, URL_SCHEMES};

impl Flag {
    /// Lists every word that may follow its colon, sorted; nothing for a flag whose parameter is no word.
    ///
    /// ```
    /// use tamiz::Flag;
    ///
    /// let words = Flag::from_name("SERIAL").map(Flag::words);
    /// assert_eq!(words, Some(vec!["dotnet", "java", "php", "python", "ruby"]));
    /// ```
    pub fn words(self) -> Vec<&'static str> {
        let mut words: Vec<&str> = match self {
            Flag::Kw => self.classes().collect(),
            Flag::Serial => vec!["dotnet", "java", "php", "python", "ruby"],
            Flag::HiddenHdr => vec!["content-length", "host", "transfer-encoding"],
            Flag::BodyEnc => {
                vec!["base64", "br", "compress", "deflate", "gzip", "other", "quoted-printable", "zstd"]
            }
            Flag::UrlValue => URL_SCHEMES.iter().map(|(scheme, _)| *scheme).chain(["other"]).collect(),
            // Kinds of text are told by how they begin, without a list.
            Flag::Magic => FIRST_BYTES
                .iter()
                .map(|(kind, ..)| *kind)
                .chain(["asp", "html", "php", "shell", "svg", "xml"])
                .collect(),
            _ => Vec::new(),
        };
        words.sort_unstable();
        words.dedup();
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Parameter;

    #[test]
    fn flags_with_a_word_list_their_words_and_no_others_do() {
        for &flag in Flag::ALL {
            assert_eq!(flag.words().is_empty(), flag.parameter_kind() != Parameter::Word, "{flag}");
        }
    }
}
