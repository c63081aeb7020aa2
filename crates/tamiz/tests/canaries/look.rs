//! Looking for a secret in an output, as anyone would who tries to read it.

use std::collections::HashSet;

use data_encoding::BASE64;

use super::kinds::Canary;

/// How much of a secret is a leak: fewer characters than that are seen by chance.
const TELLING: usize = 8;

/// The first piece of a secret that an output shows, in clear or behind some encoding.
pub fn leak(output: &str, canary: &Canary) -> Option<String> {
    Output::of(output).leak(canary)
}

/// An output that is looked at for the secrets of many requests.
pub struct Output<'a> {
    text: &'a str,
    layers: Vec<String>,
    /// Every [`TELLING`] bytes in a row of all layers.
    pieces: HashSet<[u8; TELLING]>,
}

impl<'a> Output<'a> {
    pub fn of(text: &'a str) -> Self {
        let layers = layers(text);
        let windows = layers.iter().flat_map(|layer| layer.as_bytes().windows(TELLING));
        let pieces = windows.filter_map(|window| window.try_into().ok()).collect();
        Output { text, layers, pieces }
    }

    fn has(&self, piece: &str) -> bool {
        if piece.len() < TELLING {
            return self.layers.iter().any(|layer| layer.contains(piece));
        }
        let is_whole = piece.len() == TELLING;
        self.may_have(piece) && (is_whole || self.layers.iter().any(|layer| layer.contains(piece)))
    }

    /// Returns whether a layer has the first [`TELLING`] bytes of a piece in lower case: without them no layer has the
    /// piece.
    fn may_have(&self, piece: &str) -> bool {
        piece.as_bytes().first_chunk().is_none_or(|start| self.pieces.contains::<[u8; TELLING]>(start))
    }

    /// The first piece of the secret that is there.
    pub fn leak(&self, canary: &Canary) -> Option<String> {
        for secret in &canary.secrets {
            let chars: Vec<char> = secret.to_lowercase().chars().collect();
            let mut pieces =
                chars.windows(TELLING.min(chars.len())).map(|window| window.iter().collect::<String>());
            if let Some(piece) = pieces.find(|piece| self.has(piece)) {
                return Some(piece);
            }
            let is_there = |piece: &String| {
                self.may_have(&piece.to_ascii_lowercase()) && self.text.contains(piece.as_str())
            };
            if let Some(piece) = base64(secret).into_iter().find(is_there) {
                return Some(piece);
            }
        }
        None
    }
}

/// The Base64 that any text with the secret contains.
fn base64(secret: &str) -> Vec<String> {
    if secret.len() < 12 {
        return Vec::new();
    }
    let at = |offset: usize| {
        let all = BASE64.encode(&[&b"xxx"[..offset], secret.as_bytes()].concat());
        let whole = (offset + secret.len()) / 3 * 4;
        all[if offset == 0 { 0 } else { 4 }..whole].to_owned()
    };
    (0..3).map(at).filter(|piece| piece.len() >= 12).collect()
}

/// An output in lower case, and what decoding it makes of it.
fn layers(output: &str) -> Vec<String> {
    let mut layers = vec![output.to_lowercase()];
    let mut add = |layer: Option<String>| -> Option<String> {
        let layer = layer?.to_lowercase();
        layers.push(layer.clone());
        Some(layer)
    };
    let plain = add(unescape(output)).unwrap_or_else(|| output.to_owned());
    add(entities(&plain));
    let mut text = plain;
    while let Some(decoded) = percent(&text) {
        text = decoded;
        add(Some(text.clone()));
        add(entities(&text));
    }
    layers
}

/// `%hh` decoded once; `None` if there is none.
fn percent(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|&b| char::from(b).to_digit(16));
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    (out.len() < bytes.len()).then(|| String::from_utf8_lossy(&out).into_owned())
}

/// Numeric entities decoded.
fn entities(text: &str) -> Option<String> {
    let mut pieces = text.split("&#");
    let mut out = pieces.next()?.to_owned();
    let mut found = false;
    for piece in pieces {
        let decoded = piece.split_once(';').and_then(|(number, rest)| {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            Some((char::from_u32(code)?, rest))
        });
        match decoded {
            Some((c, rest)) => {
                found = true;
                out.push(c);
                out.push_str(rest);
            }
            None => {
                out.push_str("&#");
                out.push_str(piece);
            }
        }
    }
    found.then_some(out)
}

/// The escapes of JSON and of Rust's `Debug` undone, the simple ones.
fn unescape(text: &str) -> Option<String> {
    let mut pieces = text.split("\\u");
    let mut out = pieces.next()?.to_owned();
    for piece in pieces {
        let code = piece.get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
        match code {
            Some(c) => {
                out.push(c);
                out.push_str(&piece[4..]);
            }
            None => out.push_str(piece),
        }
    }
    text.contains('\\').then(|| out.replace("\\n", "\n").replace('\\', ""))
}
