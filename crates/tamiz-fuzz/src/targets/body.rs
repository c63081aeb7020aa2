use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::{Checks, request};

/// The content types that the second byte chooses from.
pub(crate) const TYPES: &[&str] = &[
    "application/x-www-form-urlencoded",
    "application/json",
    "multipart/form-data; boundary=b",
    "application/xml",
    "text/plain",
    "application/octet-stream",
    "application/x-ndjson",
    "multipart/mixed; boundary=\"b c\"",
    "multipart/form-data",
    "text/xml; charset=utf-16",
    "application/json; charset=utf-7",
    "image/png",
    "",
];

/// Returns the byte that chooses a content type.
pub(crate) fn type_index(content_type: &str) -> Option<u8> {
    TYPES.iter().position(|known| *known == content_type).and_then(|at| u8::try_from(at).ok())
}

type Coder = fn(&[u8]) -> Vec<u8>;

/// Content codings with what writes them. Where that writes the body as it is, the coding is a lie.
const CODINGS: &[(&str, Coder)] = &[
    ("", <[u8]>::to_vec),
    ("gzip", gzip),
    ("deflate", deflate),
    ("deflate", zlib),
    ("gzip, deflate", |body| deflate(&gzip(body))),
    ("gzip", <[u8]>::to_vec),
    ("deflate", <[u8]>::to_vec),
    ("br", <[u8]>::to_vec),
    ("zstd", <[u8]>::to_vec),
];

/// Writing to memory does not fail.
const IN_MEMORY: &str = "a vector takes all that is written";

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).expect(IN_MEMORY);
    encoder.finish().expect(IN_MEMORY)
}

fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).expect(IN_MEMORY);
    encoder.finish().expect(IN_MEMORY)
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).expect(IN_MEMORY);
    encoder.finish().expect(IN_MEMORY)
}

/// The body in chunks of at most seven bytes.
fn chunked(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in body.chunks(7) {
        out.extend(format!("{:x}\r\n", chunk.len()).bytes());
        out.extend(chunk);
        out.extend(b"\r\n");
    }
    out.extend(b"0\r\n\r\n");
    out
}

/// Checks a body behind well-formed headers: a byte chooses view, profile and limits, the next the content type, the
/// third coding and framing; the rest is the body.
pub fn body(input: &[u8], checks: Checks) {
    let [choice, kind, coding, body @ ..] = input else { return };
    let content_type = TYPES[usize::from(*kind) % TYPES.len()];
    let (name, code) = CODINGS[usize::from(*coding) % CODINGS.len()];
    let body = code(body);
    let mut message = b"POST /a?pwd=visionario HTTP/1.1\r\nHost: ex.com\r\n".to_vec();
    message.extend(format!("Content-Type: {content_type}\r\n").bytes());
    if !name.is_empty() {
        message.extend(format!("Content-Encoding: {name}\r\n").bytes());
    }
    match coding / 64 {
        0 | 1 => {
            message.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
            message.extend(body);
        }
        2 => {
            message.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            message.extend(chunked(&body));
        }
        _ => {
            message.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            message.extend(body);
        }
    }
    request::check(*choice, &message, checks.are_all(input));
}
