//! Names with passwords in URLs and in data sources (clauses 6.11 and 6.13).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use crate::context::Context;
use crate::decode::{self, unicode};
use crate::show::marker;

/// Finds userinfo inside a URL, or after the `//` that begins the text; `\\` may stand for `/`.
pub(super) fn find_in_url(text: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
    let mut until = 0;
    let is_slash = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    let slashes = memchr::memchr2_iter(b'/', b'\\', text).filter(|at| is_slash(text.get(at + 1)));
    slashes.into_iter().find_map(|at| {
        let before = text.get(..at)?;
        let start = at + 2;
        if start < until || !(before.ends_with(b":") || before.is_empty()) {
            return None;
        }
        let is_plain = text.get(at..start) == Some(b"//");
        let authority = text.get(start..)?;
        let ends = |byte: u8| matches!(byte, b'/' | b'?' | b'#' | b' ') || !is_plain && byte == b'\\';
        let len = authority.iter().take_while(|&&byte| !ends(byte)).count();
        until = start + len;
        let userinfo = memchr::memrchr(b'@', authority.get(..len)?)?;
        let is_marker = marker::is_known_marker(authority.get(..userinfo)?, cx);
        (userinfo > 0 && !is_marker).then(|| start..start + userinfo)
    })
}

/// Finds `user:password` before `@tcp(` and the like.
pub(super) fn find_in_data_source(text: &[u8]) -> Option<Range<usize>> {
    const NETWORKS: [&[u8]; 6] = [b"tcp(", b"tcp4(", b"tcp6(", b"udp(", b"unix(", b"cloudsql("];
    let begins = |rest: &[u8], network: &[u8]| {
        rest.get(..network.len()).is_some_and(|start| start.eq_ignore_ascii_case(network))
    };
    let ends = |c: char| matches!(c, '"' | '\'' | '\\') || c.is_control() || unicode::is_white_space(c);
    let is_network = |at: usize| {
        text.get(at + 1..).is_some_and(|rest| NETWORKS.iter().any(|network| begins(rest, network)))
    };
    if !memchr::memchr_iter(b'@', text).any(is_network) {
        return None;
    }
    // Where the run begins, and its first `:` that does not begin it.
    let (mut start, mut colon) = (0, None);
    for (at, c) in decode::char_indices(text) {
        match c.plain() {
            Some('@') if colon.is_some_and(|colon: usize| colon + 1 < at) && is_network(at) => {
                return Some(start..at);
            }
            Some(':') if at > start => colon = colon.or(Some(at)),
            Some(c) if ends(c) => (start, colon) = (at + c.len_utf8(), None),
            _ => {}
        }
    }
    None
}
