//! `POST /v1/parts`: a request that is cut already, as JSON.

use std::fmt;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use data_encoding::BASE64;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Shared, answer, rendered};
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
        // What is wrong with it is not told: it would quote it.
        let parts: Parts = serde_json::from_slice(&whole.bytes).map_err(|_| Problem::Parts)?;
        Ok(rendered(&shared, &canonicalizer.canonicalize_parts(&parts.borrowed()), format))
    })
    .await??;
    Ok(answer(Body::from(document), format, chosen))
}

/// Refuses what says that it is something else.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case("application/json") { Ok(()) } else { Err(Problem::Type) }
}

/// The parts, as the body has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    method: Octets,
    target: Octets,
    #[serde(default, deserialize_with = "there")]
    scheme: Option<Octets>,
    #[serde(default, deserialize_with = "there")]
    authority: Option<Octets>,
    #[serde(default, deserialize_with = "there")]
    version: Option<Octets>,
    #[serde(default)]
    headers: Vec<(Octets, Octets)>,
    #[serde(default, deserialize_with = "there")]
    body: Option<Octets>,
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

/// What is named is there: `null` is nothing.
fn there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Octets>, D::Error> {
    Octets::deserialize(deserializer).map(Some)
}

/// Bytes: text, or `{"b64": …}`.
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
        let parts: Parts = serde_json::from_str(
            r#"{"method":"GET","target":{"b64":"/w=="},"headers":[["a","b"],["a",{"b64":""}]],"body":""}"#,
        )
        .unwrap();
        let borrowed = parts.borrowed();
        assert_eq!((borrowed.method, borrowed.target), (&b"GET"[..], &b"\xFF"[..]));
        assert_eq!(borrowed.headers, [(&b"a"[..], &b"b"[..]), (b"a", b"")]);
        assert_eq!((borrowed.body, borrowed.version), (Some(&b""[..]), None));
        for wrong in [
            "",
            "null",
            "[]",
            r#"{"method":"GET"}"#,
            r#"{"method":"GET","target":null}"#,
            r#"{"method":"GET","target":"/","scheme":null}"#,
            r#"{"method":"GET","target":"/","target":"/"}"#,
            r#"{"method":"GET","target":"/","other":1}"#,
            r#"{"method":"GET","target":{"b64":"/w"}}"#,
            r#"{"method":"GET","target":{"b64":"","x":1}}"#,
            r#"{"method":"GET","target":{}}"#,
            r#"{"method":"GET","target":"/","headers":{"a":"b"}}"#,
            r#"{"method":"GET","target":"/","headers":[["a"]]}"#,
            r#"{"method":"GET","target":"/","headers":[["a","b","c"]]}"#,
            r#"{"method":"GET","target":"/"} x"#,
        ] {
            assert!(serde_json::from_str::<Parts>(wrong).is_err(), "{wrong}");
        }
    }
}
