//! Vectors: data files, loaded strictly.

use std::path::Path;

use serde::Deserialize;
use tamiz_reference::{Options, Profile, Scheme, View};

/// A request and the document it must give.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    pub name: String,
    pub clause: String,
    pub why: String,
    pub view: Option<tamiz::View>,
    pub profile: Option<tamiz::Profile>,
    pub scheme: Option<tamiz::Scheme>,
    request: String,
    pub document: String,
    tokens: Option<Tokens>,
    pub seed: Option<String>,
    pub seed_lines: Option<Vec<String>>,
    pub seed_flags: Option<Vec<String>>,
    pub superseded: Option<String>,
}

/// Tokens: a list, or a text that white space cuts.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Tokens {
    List(Vec<String>),
    Text(String),
}

impl Vector {
    /// All tokens that the document must give, where the vector names them.
    pub fn tokens(&self) -> Option<Vec<String>> {
        Some(match self.tokens.as_ref()? {
            Tokens::List(tokens) => tokens.clone(),
            Tokens::Text(text) => text.split_whitespace().map(String::from).collect(),
        })
    }

    /// The options that the vector asks for.
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        if self.view == Some(tamiz::View::Literal) {
            options.view = View::Literal;
        }
        options.profile = match self.profile {
            Some(tamiz::Profile::Core) => Profile::Core,
            Some(tamiz::Profile::Full) => Profile::Full,
            _ => Profile::Standard,
        };
        options.scheme = match self.scheme {
            Some(tamiz::Scheme::Https) => Scheme::Https,
            Some(tamiz::Scheme::Ws) => Scheme::Ws,
            Some(tamiz::Scheme::Wss) => Scheme::Wss,
            _ => Scheme::Http,
        };
        options
    }

    /// The request's bytes: `\r \n \t \\ \xHH` are escapes, everything else is itself.
    pub fn request(&self) -> Vec<u8> {
        unescape(&self.request).unwrap_or_else(|| panic!("{}: bad escape in the request", self.name))
    }
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        bytes.push(match chars.next()? {
            'r' => b'\r',
            'n' => b'\n',
            't' => b'\t',
            '\\' => b'\\',
            'x' => {
                let (high, low) = (chars.next()?.to_digit(16)?, chars.next()?.to_digit(16)?);
                u8::try_from(high * 16 + low).ok()?
            }
            _ => return None,
        });
    }
    Some(bytes)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    vector: Vec<Vector>,
}

/// Every vector of every file, in order of file names.
pub fn all() -> Vec<Vector> {
    let mut vectors = Vec::new();
    load(&super::root().join("spec/vectors"), &mut vectors);
    vectors
}

fn load(folder: &Path, vectors: &mut Vec<Vector>) {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            load(&path, vectors);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let file: File =
                toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(!file.vector.is_empty(), "{} is empty", path.display());
            vectors.extend(file.vector);
        }
    }
}
