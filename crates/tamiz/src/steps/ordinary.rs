//! How often requests as they mostly are, and some that are not, take the slow paths.
//!
//! A slow path that is taken without need costs time but changes no document, so that no other test fails. When a count
//! changes on purpose, the failing test prints the new table for `ordinary.tsv`.

use std::fmt::Write as _;

use super::slow_paths;
use crate::{Canonicalizer, Config, Scratch};

/// Requests, separated by lines of `%%`.
const REQUESTS: &str = include_str!("ordinary.txt");
/// A line for each slow path: how often the requests take it.
const COUNTS: &str = include_str!("ordinary.tsv");

#[test]
fn ordinary_requests_take_few_slow_paths() {
    let requests: Vec<String> = REQUESTS
        .split("%%\n")
        .map(|request| {
            let (head, body) = request.split_once("\n\n").unwrap();
            format!("{}\r\n\r\n{}", head.replace('\n', "\r\n"), body.trim_end_matches('\n'))
        })
        .collect();
    let canonicalizer = Canonicalizer::new(Config::default());
    let mut scratch = Scratch::default();
    let mut read = |request: &str| {
        canonicalizer.canonicalize_into(&mut scratch, request.as_bytes(), &mut Vec::new());
    };
    // Common lines are finished before the second request.
    (0..2).for_each(|_| read("GET / HTTP/1.1\r\n\r\n"));
    let paths = slow_paths(|| requests.iter().for_each(|request| read(request)));
    let mut counts = String::new();
    for (path, count) in &paths {
        writeln!(counts, "{path}\t{count}").unwrap();
    }
    assert_eq!(counts, COUNTS, "the new table:\n{counts}");
}
