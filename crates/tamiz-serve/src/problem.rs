//! Errors, in fixed words (RFC 9457): nothing of a request is repeated.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::accept::Format;
use crate::answers::parts::Fault;
use crate::query::Names;

/// Why there is no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Malformed,
    /// The query is not one of these names.
    Query(Names),
    Parts(Fault),
    Check,
    Body,
    NotFound,
    Method,
    /// None of these formats is accepted.
    Accept(&'static [Format]),
    Slow,
    TooLarge,
    /// The body is of another type than JSON.
    Type,
    /// The body has a content coding.
    Coding,
    HeadTooLarge,
    Fault,
    Overload,
    Stopping,
}

impl Problem {
    /// One of each code.
    pub(crate) const ALL: [Problem; 15] = [
        Problem::Malformed,
        Problem::Query(Names::Wish),
        Problem::Parts(Fault::NotJson),
        Problem::Check,
        Problem::Body,
        Problem::NotFound,
        Problem::Method,
        Problem::Accept(Format::OF_ONE),
        Problem::Slow,
        Problem::TooLarge,
        Problem::Type,
        Problem::HeadTooLarge,
        Problem::Fault,
        Problem::Overload,
        Problem::Stopping,
    ];

    pub(crate) fn status(self) -> StatusCode {
        match self {
            Problem::Malformed | Problem::Query(_) | Problem::Parts(_) | Problem::Check | Problem::Body => {
                StatusCode::BAD_REQUEST
            }
            Problem::NotFound => StatusCode::NOT_FOUND,
            Problem::Method => StatusCode::METHOD_NOT_ALLOWED,
            Problem::Accept(_) => StatusCode::NOT_ACCEPTABLE,
            Problem::Slow => StatusCode::REQUEST_TIMEOUT,
            Problem::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Problem::Type | Problem::Coding => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Problem::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Problem::Fault => StatusCode::INTERNAL_SERVER_ERROR,
            Problem::Overload | Problem::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The word for it, in errors and in counters.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Problem::Malformed => "malformed",
            Problem::Query(_) => "query",
            Problem::Parts(_) => "parts",
            Problem::Check => "check",
            Problem::Body => "body",
            Problem::NotFound => "not-found",
            Problem::Method => "method",
            Problem::Accept(_) => "accept",
            Problem::Slow => "slow",
            Problem::TooLarge => "too-large",
            Problem::Type | Problem::Coding => "type",
            Problem::HeadTooLarge => "head-too-large",
            Problem::Fault => "fault",
            Problem::Overload => "overload",
            Problem::Stopping => "stopping",
        }
    }

    /// Describes the error and what would be right, in fixed words.
    fn detail(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Problem::Malformed => "What came is not HTTP/1.1.",
            Problem::Query(names) => return names.detail().into(),
            Problem::Parts(fault) => return fault.to_string().into(),
            Problem::Check => {
                "The headers that say which request is asked about are missing: X-Original-URI or X-Forwarded-Uri for \
                 /check, X-Tamiz-Request-Line for /check/nginx, X-Forwarded-Method and X-Forwarded-Uri for /check/caddy."
            }
            Problem::Body => "The body ended before it was whole, or its chunks are broken.",
            Problem::NotFound => "There is nothing here; GET /v1/openapi.json tells what there is.",
            Problem::Method => "This is not asked for with this method; see Allow.",
            Problem::Accept(formats) => {
                let types: Vec<&str> = formats.iter().map(|format| format.media_type()).collect();
                return format!("Accept names nothing that can be given: {}.", types.join(", ")).into();
            }
            Problem::Slow => "The body did not come in time (--body-timeout).",
            Problem::TooLarge => "The body is longer than the service takes (--max-body).",
            Problem::Type => "The Content-Type is not one that is read here: application/json, or none.",
            Problem::Coding => "The body has a Content-Encoding, and none is undone here: identity, or none.",
            Problem::HeadTooLarge => "The head of the request is longer than the service takes.",
            Problem::Fault => "A fault of the service; please report it.",
            Problem::Overload => "There is too much to do; come again later.",
            Problem::Stopping => "The service is about to stop.",
        })
    }

    /// The error as JSON.
    pub(crate) fn body(self) -> Vec<u8> {
        let status = self.status();
        let body = json!({
            "type": "about:blank",
            "title": status.canonical_reason().unwrap_or_default(),
            "status": status.as_u16(),
            "code": self.code(),
            "detail": self.detail(),
        });
        body.to_string().into_bytes()
    }

    /// The headers of the error, beside its type.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let more = match self {
            Problem::Overload | Problem::Stopping => Some(("retry-after", RETRY_AFTER_SECONDS)),
            // RFC 9110, section 15.5.16.
            Problem::Type => Some(("accept", Format::Json.media_type())),
            Problem::Coding => Some(("accept-encoding", "identity")),
            _ => None,
        };
        [("cache-control", "no-store")].into_iter().chain(more)
    }

    /// Returns whether what is left of the request is not worth reading.
    fn closes(self) -> bool {
        matches!(self, Problem::Body | Problem::Slow | Problem::TooLarge)
    }
}

/// The type of errors.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";
/// How many seconds a client should wait.
pub(crate) const RETRY_AFTER_SECONDS: &str = "1";

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body()));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        for (name, value) in self.fields() {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if self.closes() {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        // Whoever counts what was refused finds it here.
        response.extensions_mut().insert(self);
        response
    }
}
