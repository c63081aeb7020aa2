//! Vectors: data files, loaded strictly.

use std::path::Path;
use std::str::FromStr;

use tamiz::{Profile, Scheme, View};
use toml::{Table, Value};

/// A request and the document it must give.
#[derive(Debug)]
pub struct Vector {
    pub name: String,
    pub clause: String,
    pub why: String,
    pub view: Option<View>,
    pub profile: Option<Profile>,
    pub scheme: Option<Scheme>,
    request: String,
    pub document: String,
    tokens: Option<Vec<String>>,
    pub seed: Option<String>,
    pub seed_lines: Option<Vec<String>>,
    pub seed_flags: Option<Vec<String>>,
    pub superseded: Option<String>,
}

impl Vector {
    /// Reads a vector field by field. Deriving `Deserialize` would take a second more to compile in every test program.
    fn read(mut table: Table) -> Result<Self, String> {
        let fields = &mut table;
        let vector = Vector {
            name: needed(fields, "name")?,
            clause: needed(fields, "clause")?,
            why: needed(fields, "why")?,
            view: word(fields, "view")?,
            profile: word(fields, "profile")?,
            scheme: word(fields, "scheme")?,
            request: needed(fields, "request")?,
            document: needed(fields, "document")?,
            tokens: tokens(fields)?,
            seed: text(fields, "seed")?,
            seed_lines: list(fields, "seed_lines")?,
            seed_flags: list(fields, "seed_flags")?,
            superseded: text(fields, "superseded")?,
        };
        match table.keys().next() {
            Some(unknown) => Err(format!("unknown field `{unknown}`")),
            None => Ok(vector),
        }
    }

    /// All tokens that the document must give, where the vector names them.
    pub fn tokens(&self) -> Option<Vec<String>> {
        self.tokens.clone()
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

fn text(fields: &mut Table, name: &str) -> Result<Option<String>, String> {
    match fields.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` is no string")),
    }
}

fn needed(fields: &mut Table, name: &str) -> Result<String, String> {
    text(fields, name)?.ok_or_else(|| format!("`{name}` is missing"))
}

fn word<T: FromStr>(fields: &mut Table, name: &str) -> Result<Option<T>, String> {
    let word = text(fields, name)?;
    word.map(|word| word.parse().map_err(|_| format!("`{name}` is no known word"))).transpose()
}

fn list(fields: &mut Table, name: &str) -> Result<Option<Vec<String>>, String> {
    let Some(value) = fields.remove(name) else { return Ok(None) };
    let Value::Array(values) = value else { return Err(format!("`{name}` is no list")) };
    let strings = values.into_iter().map(|value| match value {
        Value::String(text) => Ok(text),
        _ => Err(format!("`{name}` has something that is no string")),
    });
    strings.collect::<Result<_, _>>().map(Some)
}

/// Tokens: a list, or a text that white space cuts.
fn tokens(fields: &mut Table) -> Result<Option<Vec<String>>, String> {
    match fields.get("tokens") {
        Some(Value::String(text)) => {
            let tokens = text.split_whitespace().map(String::from).collect();
            fields.remove("tokens");
            Ok(Some(tokens))
        }
        _ => list(fields, "tokens"),
    }
}

/// The vectors of one file.
fn read(text: &str) -> Result<Vec<Vector>, String> {
    let mut file: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let vectors = match file.remove("vector") {
        Some(Value::Array(tables)) if !tables.is_empty() => tables,
        _ => return Err("no vectors".to_owned()),
    };
    if let Some(unknown) = file.keys().next() {
        return Err(format!("unknown field `{unknown}`"));
    }
    let vectors = vectors.into_iter().enumerate().map(|(number, value)| match value {
        Value::Table(table) => Vector::read(table).map_err(|error| format!("vector {}: {error}", number + 1)),
        _ => Err("a vector is a table".to_owned()),
    });
    vectors.collect()
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
            vectors.extend(read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
        }
    }
}
