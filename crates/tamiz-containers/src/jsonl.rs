//! JSON lines: an object a line, with the bytes of a request or with its parts.

use std::fmt;

use base64_simd::{STANDARD, STANDARD_NO_PAD};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tamiz::Source;

use crate::fields;
use crate::id::Id;
use crate::mapping::Mapping;
use crate::memory::Promise;
use crate::record::{Found, Reason};
use crate::time::Time;

/// The source of requests that are there by their parts.
const SOURCE: Source = Source::JsonLines;

/// A line that has the bytes of a request, which is what most have: nothing else in it is kept.
#[derive(Deserialize)]
struct Line {
    raw_b64: Option<Encoded>,
    raw: Option<String>,
    id: Option<Name>,
    label: Option<Word>,
    #[serde(alias = "timestamp", alias = "@timestamp")]
    time: Option<Word>,
}

/// Base64, decoded where it stands; `None` for what is none.
struct Encoded(Option<Vec<u8>>);

impl<'de> Deserialize<'de> for Encoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Decode;
        impl Visitor<'_> for Decode {
            type Value = Encoded;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("Base64")
            }

            fn visit_bytes<E: serde::de::Error>(self, text: &[u8]) -> Result<Encoded, E> {
                Ok(Encoded(decode(text)))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Encoded, E> {
                Ok(Encoded(decode(text.as_bytes())))
            }
        }
        // Whether it is UTF-8 need not be asked before whether it is Base64.
        deserializer.deserialize_bytes(Decode)
    }
}

/// A value that is told as text.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tell;
        impl Visitor<'_> for Tell {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text, a number or a truth")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Word, E> {
                Ok(Word(text.to_owned()))
            }

            fn visit_bool<E: serde::de::Error>(self, truth: bool) -> Result<Word, E> {
                Ok(Word(truth.to_string()))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }
        }
        deserializer.deserialize_any(Tell)
    }
}

/// A value that names a request.
struct Name(Id);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(Name(number.into())),
            Value::String(text) => Ok(Name(text.into())),
            Value::Bool(truth) => Ok(Name(truth.to_string().into())),
            _ => Err(serde::de::Error::custom("text, a number or a truth is expected")),
        }
    }
}

/// The request of an object that has its bytes.
pub(crate) fn of_bytes(value: &Value) -> Result<Found, Reason> {
    let line: Line =
        serde_json::from_value(value.clone()).map_err(|_| "the bytes of a request are not text")?;
    line.found()?.ok_or_else(|| "no bytes of a request in it".into())
}

impl Line {
    fn found(self) -> Result<Option<Found>, Reason> {
        let Line { raw_b64, raw, id, label, time } = self;
        let bytes = match (raw_b64, raw) {
            (Some(Encoded(decoded)), _) => Some(decoded.ok_or("`raw_b64` is not Base64")?),
            (None, raw) => raw.map(String::into_bytes),
        };
        Ok(bytes.map(|bytes| {
            let time = time.and_then(|Word(time)| Time::parse(time.as_bytes()));
            let (id, label) = (id.map(|Name(id)| id), label.map(|Word(label)| label));
            Found { id, label, time, ..Found::raw(bytes) }
        }))
    }
}

pub(crate) fn read(line: &[u8], mapping: &Mapping) -> Result<Found, Reason> {
    if mapping.is_empty()
        && let Ok(line) = serde_json::from_slice::<Line>(line)
        && let Some(found) = line.found()?
    {
        return Ok(found);
    }
    let _promise = Promise::to_parse(line.len())?;
    let value: Value = serde_json::from_slice(line).map_err(|error| not_json(&error))?;
    if !value.is_object() {
        return Err("JSON, but no object".into());
    }
    object(&value, mapping)
}

/// The request of an object: its bytes, or its parts.
pub(crate) fn object(value: &Value, mapping: &Mapping) -> Result<Found, Reason> {
    let has_bytes = ["raw_b64", "raw"].iter().any(|name| value.get(name).is_some_and(Value::is_string));
    if mapping.is_empty() && has_bytes {
        return of_bytes(value);
    }
    fields::read(value, SOURCE, mapping)
}

/// Returns whether an object has a request, by its bytes or by its parts.
pub(crate) fn has_request(value: &Value) -> bool {
    object(value, &Mapping::default()).is_ok()
}

/// Base64, with or without its padding.
pub(crate) fn decode(encoded: &[u8]) -> Option<Vec<u8>> {
    STANDARD.decode_to_vec(encoded).or_else(|_| STANDARD_NO_PAD.decode_to_vec(encoded)).ok()
}

/// Where a line stops being JSON; never what is there.
pub(crate) fn not_json(error: &serde_json::Error) -> Reason {
    match error.classify() {
        serde_json::error::Category::Eof => "JSON that ends early".into(),
        _ => format!("not JSON from column {} on", error.column()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    fn raw(line: &str) -> (Vec<u8>, Option<Id>, Option<String>) {
        match read(line.as_bytes(), &Mapping::default()).unwrap() {
            Found { request: Request::Raw(bytes), id, label, source: Source::Wire, .. } => (bytes, id, label),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn bytes_with_their_names() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            raw(r#"{"raw_b64":"R0VUIC8=","id":"a","label":"valid"}"#),
            (b"GET /".into(), Some("a".into()), some("valid"))
        );
        assert_eq!(
            raw(r#"{"id":7,"label":true,"raw_b64":"R0VUIC8"}"#),
            (b"GET /".into(), Some(serde_json::Number::from(7).into()), some("true"))
        );
        assert_eq!(raw(r#"{"id":"7","raw":""}"#).1, Some("7".into()));
        assert_eq!(raw(r#"{"raw":"GET /\r\n\u00e9","other":[{}]}"#).0, "GET /\r\né".as_bytes());
        assert_eq!(raw(r#"{"raw_b64":"","label":null}"#), (vec![], None, None));
    }

    #[test]
    fn what_is_wrong_is_told_without_what_is_there() {
        for (line, reason) in [
            (&br#"{"raw_b64":"s3cret!"}"#[..], "`raw_b64` is not Base64"),
            (br#"{"raw_b64":"#, "JSON that ends early"),
            (br#"{"raw_b64" s3cret}"#, "not JSON from column 12 on"),
            (b"[1]", "JSON, but no object"),
            (b"{\"raw\":\"\xFF\"}", "not JSON from column"),
            (br#"{"s3cret":1}"#, "no method in it"),
        ] {
            let told = read(line, &Mapping::default()).unwrap_err();
            assert!(told.starts_with(reason) && !told.contains("s3cret"), "{told}");
        }
    }
}
