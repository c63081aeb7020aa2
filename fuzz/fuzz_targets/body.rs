//! A body behind well-formed headers: three bytes choose the configuration, the content type, and
//! how the rest of the input, the body, is framed and coded.

#![no_main]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use libfuzzer_sys::fuzz_target;

/// `cargo x fuzz` reads this list for its seeds: one a line.
const TYPES: &[&str] = &[
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

/// Content codings; the flag says that the body is coded here, so that what is inside is fuzzed.
const CODINGS: &[(&str, Coder)] = &[
    ("", |body| body.to_vec()),
    ("gzip", gzip),
    ("deflate", deflate),
    ("deflate", zlib),
    ("gzip, deflate", |body| deflate(&gzip(body))),
    ("gzip", |body| body.to_vec()),
    ("deflate", |body| body.to_vec()),
    ("br", |body| body.to_vec()),
    ("zstd", |body| body.to_vec()),
];

type Coder = fn(&[u8]) -> Vec<u8>;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
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

fuzz_target!(|input: &[u8]| {
    let [choice, kind, coding, body @ ..] = input else { return };
    let content_type = TYPES[usize::from(*kind) % TYPES.len()];
    let (name, code) = CODINGS[usize::from(*coding) % CODINGS.len()];
    let body = code(body);
    let mut request = b"POST /a?pwd=visionario HTTP/1.1\r\nHost: ex.com\r\n".to_vec();
    request.extend(format!("Content-Type: {content_type}\r\n").bytes());
    if !name.is_empty() {
        request.extend(format!("Content-Encoding: {name}\r\n").bytes());
    }
    match coding / 64 {
        0 | 1 => {
            request.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
            request.extend(body);
        }
        2 => {
            request.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            request.extend(chunked(&body));
        }
        _ => {
            request.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            request.extend(body);
        }
    }
    tamiz_fuzz::check_request(*choice, &request);
});
