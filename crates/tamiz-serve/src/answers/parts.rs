//! `POST /v1/parts`: a request that is cut already, as JSON.

use std::fmt;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use data_encoding::BASE64;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Shared, answer, held, rendered};
use crate::accept::{self, Format};
use crate::problem::Problem;
use crate::query::{self, Names};
use crate::{body, work};

/// Answers.
pub(crate) async fn post(State(app): Shared, request: Request) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let query = query::read(head.uri.query(), Names::Wish)?;
    let format = accept::choose(&head.headers, Format::OF_ONE)?;
    check_type(&head.headers)?;
    body::check_coding(&head.headers)?;
    let chosen = app.chosen(query.wish)?;
    let whole = body::read(&app, body).await?;
    let shared = Arc::clone(&app);
    let document = work::on(whole.slot, move || {
        let canonicalizer = &shared.chosen(query.wish)?.canonicalizer;
        let parts = read(&whole.bytes).map_err(Problem::Parts)?;
        Ok(rendered(&shared, &canonicalizer.canonicalize_parts(&parts.borrowed()), format))
    })
    .await??;
    Ok(answer(held(&app, document)?, format, chosen))
}

/// Refuses what says that it is something else.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case("application/json") { Ok(()) } else { Err(Problem::Type) }
}

/// The parts, as the body has them.
#[derive(Default)]
struct Parts {
    method: Octets,
    target: Octets,
    scheme: Option<Octets>,
    authority: Option<Octets>,
    version: Option<Octets>,
    headers: Vec<(Octets, Octets)>,
    body: Option<Octets>,
}

/// A field of the object, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Method,
    Target,
    Scheme,
    Authority,
    Version,
    Headers,
    Body,
}

impl Field {
    const ALL: [Field; 7] = [
        Field::Method,
        Field::Target,
        Field::Scheme,
        Field::Authority,
        Field::Version,
        Field::Headers,
        Field::Body,
    ];

    fn name(self) -> &'static str {
        match self {
            Field::Method => "method",
            Field::Target => "target",
            Field::Scheme => "scheme",
            Field::Authority => "authority",
            Field::Version => "version",
            Field::Headers => "headers",
            Field::Body => "body",
        }
    }

    /// Its type, in words.
    fn expected(self) -> &'static str {
        match self {
            Field::Headers => {
                "a list of [name, value], both strings, or {\"b64\": \"Base64\"} where they are not UTF-8"
            }
            _ => "a string, or {\"b64\": \"Base64\"} where it is not UTF-8",
        }
    }
}

/// Says what is wrong with the object, by names of ours: what it holds is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotJson,
    NotAnObject,
    Missing(Field),
    Twice(Field),
    /// The value is of another type.
    Type(Field),
    UnknownField,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotJson => f.write_str("The body is not JSON."),
            Fault::NotAnObject => f.write_str("The body is not a JSON object."),
            Fault::Missing(field) => write!(f, "'{}' is missing: {}.", field.name(), field.expected()),
            Fault::Twice(field) => write!(f, "'{}' is there twice.", field.name()),
            Fault::Type(field) => {
                write!(f, "'{}' is of another type than {}.", field.name(), field.expected())
            }
            Fault::UnknownField => {
                let names = Field::ALL.map(Field::name).join(", ");
                write!(f, "There is a field that is not one of {names}.")
            }
        }
    }
}

/// Reads the object.
fn read(bytes: &[u8]) -> Result<Parts, Fault> {
    let mut fault = Fault::NotAnObject;
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = Reader(&mut fault).deserialize(&mut json).and_then(|parts| json.end().map(|()| parts));
    let is_json = || serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
    read.map_err(|_| if is_json() { fault } else { Fault::NotJson })
}

/// Reads the object, and keeps what would be wrong if reading went no further.
struct Reader<'f>(&'f mut Fault);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Parts;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Parts, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Parts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the parts of a request")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Parts, M::Error> {
        let fault = self.0;
        let mut parts = Parts::default();
        let mut seen = Vec::with_capacity(Field::ALL.len());
        loop {
            *fault = Fault::UnknownField;
            let Some(field) = map.next_key::<Field>()? else { break };
            if seen.contains(&field) {
                *fault = Fault::Twice(field);
                return Err(M::Error::custom("twice"));
            }
            seen.push(field);
            *fault = Fault::Type(field);
            match field {
                Field::Method => parts.method = map.next_value()?,
                Field::Target => parts.target = map.next_value()?,
                Field::Scheme => parts.scheme = Some(map.next_value()?),
                Field::Authority => parts.authority = Some(map.next_value()?),
                Field::Version => parts.version = Some(map.next_value()?),
                Field::Headers => parts.headers = map.next_value()?,
                Field::Body => parts.body = Some(map.next_value()?),
            }
        }
        match [Field::Method, Field::Target].into_iter().find(|field| !seen.contains(field)) {
            Some(field) => {
                *fault = Fault::Missing(field);
                Err(M::Error::custom("missing"))
            }
            None => Ok(parts),
        }
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Field;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Field, E> {
                Field::ALL.into_iter().find(|field| field.name() == name).ok_or_else(|| E::custom("unknown"))
            }
        }

        deserializer.deserialize_identifier(Name)
    }
}

impl Parts {
    fn borrowed(&self) -> tamiz::Parts<'_> {
        let mut parts = tamiz::Parts::new(&self.method.0, &self.target.0);
        fn bytes(part: &Option<Octets>) -> Option<&[u8]> {
            part.as_ref().map(|Octets(bytes)| &bytes[..])
        }
        parts.scheme = bytes(&self.scheme);
        parts.authority = bytes(&self.authority);
        parts.version = bytes(&self.version);
        parts.headers =
            self.headers.iter().map(|(Octets(name), Octets(value))| (&name[..], &value[..])).collect();
        parts.body = bytes(&self.body);
        parts
    }
}

/// Bytes: text, or `{"b64": …}`.
#[derive(Default)]
struct Octets(Vec<u8>);

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Octets;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or Base64")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Octets, E> {
                Ok(Octets(text.as_bytes().to_vec()))
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Octets, E> {
                Ok(Octets(text.into_bytes()))
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Octets, M::Error> {
                let wrong = || M::Error::custom("expected b64");
                let Some(("b64", encoded)) = map.next_entry::<&str, String>()? else { return Err(wrong()) };
                let bytes = BASE64.decode(encoded.as_bytes()).map_err(|_| wrong())?;
                if map.next_key::<&str>()?.is_some() { Err(wrong()) } else { Ok(Octets(bytes)) }
            }
        }

        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_strictly() {
        let parts = read(
            br#"{"method":"GET","target":{"b64":"/w=="},"headers":[["a","b"],["a",{"b64":""}]],"body":""}"#,
        )
        .ok()
        .unwrap();
        let borrowed = parts.borrowed();
        assert_eq!((borrowed.method, borrowed.target), (&b"GET"[..], &b"\xFF"[..]));
        assert_eq!(borrowed.headers, [(&b"a"[..], &b"b"[..]), (b"a", b"")]);
        assert_eq!((borrowed.body, borrowed.version), (Some(&b""[..]), None));
        for (wrong, fault) in [
            ("", Fault::NotJson),
            ("null", Fault::NotAnObject),
            ("[]", Fault::NotAnObject),
            ("{", Fault::NotJson),
            ("{}", Fault::Missing(Field::Method)),
            (r#"{"method":"GET"}"#, Fault::Missing(Field::Target)),
            (r#"{"method":"GET","target":null}"#, Fault::Type(Field::Target)),
            (r#"{"method":"GET","target":"/","scheme":null}"#, Fault::Type(Field::Scheme)),
            (r#"{"method":"GET","target":"/","target":"/"}"#, Fault::Twice(Field::Target)),
            (r#"{"method":"GET","target":"/","other":1}"#, Fault::UnknownField),
            (r#"{"method":"GET","target":{"b64":"/w"}}"#, Fault::Type(Field::Target)),
            (r#"{"method":"GET","target":{"b64":"","x":1}}"#, Fault::Type(Field::Target)),
            (r#"{"method":"GET","target":{}}"#, Fault::Type(Field::Target)),
            (r#"{"method":7,"target":"/"}"#, Fault::Type(Field::Method)),
            (r#"{"method":"GET","target":"/","headers":{"a":"b"}}"#, Fault::Type(Field::Headers)),
            (r#"{"method":"GET","target":"/","headers":[["a"]]}"#, Fault::Type(Field::Headers)),
            (r#"{"method":"GET","target":"/","headers":[["a","b","c"]]}"#, Fault::Type(Field::Headers)),
            (r#"{"method":"GET","target":"/","body":[]}"#, Fault::Type(Field::Body)),
            (r#"{"method":"GET","target":"/"} x"#, Fault::NotJson),
            (r#"{"method":"GET","target":"/}"#, Fault::NotJson),
        ] {
            assert_eq!(read(wrong.as_bytes()).err(), Some(fault), "{wrong}");
        }
    }

    #[test]
    fn faults_name_the_field_and_its_type() {
        for (fault, told) in [
            (
                Fault::Missing(Field::Target),
                r#"'target' is missing: a string, or {"b64": "Base64"} where it is not UTF-8."#,
            ),
            (
                Fault::Type(Field::Headers),
                r#"'headers' is of another type than a list of [name, value], both strings, or {"b64": "Base64"} where they are not UTF-8."#,
            ),
            (
                Fault::UnknownField,
                "There is a field that is not one of method, target, scheme, authority, version, headers, body.",
            ),
        ] {
            assert_eq!(fault.to_string(), told);
        }
    }
}
