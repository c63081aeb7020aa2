//! The page: files that were built before, and are part of the program.

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// Everything comes from here, and nothing goes elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file of the page.
pub(crate) struct File {
    content_type: &'static str,
    content: &'static [u8],
    tag: LazyLock<HeaderValue, fn() -> HeaderValue>,
}

macro_rules! files {
    ($($name:ident = $path:literal, $content_type:literal;)+) => {
        $(
            pub(crate) static $name: File = File {
                content_type: $content_type,
                content: include_bytes!(concat!("../page/", $path)),
                tag: LazyLock::new(|| tag($name.content)),
            };
        )+
    };
}

files! {
    INDEX = "index.html", "text/html; charset=utf-8";
    SCRIPT = "page.js", "text/javascript; charset=utf-8";
    STYLE = "page.css", "text/css; charset=utf-8";
    SPECIFICATION = "spec.html", "text/html; charset=utf-8";
    ICON = "favicon.svg", "image/svg+xml";
}

/// The entity tag of a content.
fn tag(content: &[u8]) -> HeaderValue {
    let digest = HEXLOWER.encode(&Sha256::digest(content));
    let tag = format!("\"{}\"", digest.get(..16).unwrap_or_default());
    HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))
}

impl File {
    /// The file, or that the client has it already.
    pub(crate) fn answer(&self, request: &HeaderMap) -> Response {
        let is_known = request.get_all(IF_NONE_MATCH).iter().any(|value| {
            let tags = value.to_str().unwrap_or_default().split(',').map(str::trim);
            tags.map(|tag| tag.strip_prefix("W/").unwrap_or(tag)).any(|tag| tag == "*" || tag == *self.tag)
        });
        let mut response = Response::new(if is_known {
            Body::empty()
        } else {
            Body::from(Bytes::from_static(self.content))
        });
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(ETAG, self.tag.clone());
        for (name, value) in [
            (CONTENT_TYPE, self.content_type),
            (CACHE_CONTROL, "no-cache"),
            (CONTENT_SECURITY_POLICY, POLICY),
            (REFERRER_POLICY, "no-referrer"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
            (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
