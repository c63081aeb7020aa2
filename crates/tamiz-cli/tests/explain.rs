//! `tamiz explain`.

mod common;

use std::ffi::OsStr;

use common::{PROFILES, VIEWS, command, example_requests, run, tamiz, tamiz_on};

fn explain(request: &[u8]) -> String {
    tamiz_on(["explain", "--color", "never"], request).ok()
}

/// The row beneath the first one that contains `text`.
#[track_caller]
fn beneath<'s>(shown: &'s str, text: &str) -> &'s str {
    let mut rows = shown.lines().skip_while(|row| !row.contains(text));
    assert!(rows.next().is_some(), "{text} in {shown}");
    rows.next().unwrap_or_default()
}

#[test]
fn evidence_is_underlined_in_place() {
    let shown = explain(b"GET /a//b?q=' HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    let expected = "\
standard input: 40 bytes, 2 flags: 1 notable, 1 structural

1 │ GET /a//b?q=' HTTP/1.1
  │       ^^ MULTIPLESLASH
  │             ^ QUOTE
2 │ Host: ex.com
3 │

notable
  QUOTE at q.q
";
    assert!(shown.starts_with(expected), "{shown}");
}

#[test]
fn carets_follow_what_is_displayed() {
    // The quote stands behind an escape of four columns, one of eight, and a wide character.
    let shown = explain("GET /?q=\u{1}\u{202E}東' HTTP/1.1\r\nHost: ex.com\r\n\r\n".as_bytes());
    assert!(shown.contains(r"q=\x01\u{202E}東'"), "{shown}");
    let row = shown.lines().find(|row| row.ends_with("^ QUOTE")).expect("an underline");
    // `1 │ GET /?q=` is 12 columns.
    assert_eq!(row.chars().take_while(|c| *c != '^').count(), 12 + 4 + 8 + 2, "{shown}");
}

#[test]
fn flags_of_what_is_missing_have_no_underline() {
    let shown = explain(b"GET /a HTTP/1.1\r\nHost: ex.com");
    assert!(shown.contains("NOEOH at m (something is missing)"), "{shown}");
    assert!(!shown.contains('^'), "{shown}");
}

#[test]
fn meanings_and_reasons_are_told() {
    let shown = explain(b"GET /a//b HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    let flag = tamiz::Flag::from_name("MULTIPLESLASH").expect("a flag");
    assert!(shown.contains(flag.meaning()) && shown.contains(flag.why()), "{shown}");
}

#[test]
fn bodies_are_shown_as_far_as_they_have_fields() {
    let shown = explain(b"POST /a HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 19\r\n\r\nuser=a'na&pwd=wxyz!");
    assert!(shown.contains("5 │ user=a'na&pwd=•••••\n"), "{shown}");
    assert!(shown.contains("  │       ^ QUOTE\n") && !shown.contains("wxyz"), "{shown}");
    let text = explain(b"POST /a HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 14\r\n\r\nhello, 'world'");
    assert!(text.contains("│ [body: 14 bytes]\n") && !text.contains("world"), "{text}");
    let one = explain(b"POST /a HTTP/1.1\r\nHost: ex.com\r\n\r\nz");
    assert!(one.contains("[body: 1 byte]"), "{one}");
}

#[test]
fn embedded_line_ends_are_visible() {
    let shown = explain(b"\r\n\nGET /a HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\nX-B: 2\r\n\r\n");
    assert_eq!(beneath(&shown, r"1 │ \r\n"), "  │ ^^^^ LEADCRLF");
    assert_eq!(beneath(&shown, r"2 │ \n"), "  │ ^^ LEADCRLF");
    assert_eq!(beneath(&shown, r"5 │ X-A: 1\n"), "  │       ^^ BADCRLF");
}

#[test]
fn long_lines_are_windowed_around_the_evidence() {
    let request =
        format!("GET /?a={}'{} HTTP/1.1\r\nHost: ex.com\r\n\r\n", "x".repeat(5000), "y".repeat(5000));
    let shown = explain(request.as_bytes());
    assert!(shown.lines().all(|row| row.chars().count() <= 100), "{shown}");
    assert!(shown.lines().count() < 40, "{shown}");
    let below = shown.lines().skip_while(|row| !row.contains("xxx'yyy")).skip(1);
    let mut underlines = below.take_while(|row| row.contains('│'));
    assert!(underlines.any(|row| row.ends_with("^ QUOTE")), "{shown}");
    assert!(shown.contains("┆ … "), "{shown}");
}

#[test]
fn very_many_flags_stay_readable() {
    let query: Vec<String> = (0..2000).map(|i| format!("k{i}='")).collect();
    let headers: String = (0..500).map(|i| format!("X-{i}:  a\r\n")).collect();
    let request = format!("GET /?{} HTTP/1.1\r\nHost: ex.com\r\n{headers}\r\n", query.join("&"));
    let shown = tamiz_on(["explain", "--profile", "full"], request.as_bytes()).ok();
    assert!(shown.lines().all(|row| row.chars().count() <= 100));
    assert!(shown.contains(" more, with CAPPED QUOTE\n"), "{shown}");
    assert!(shown.contains("QUOTE at q, q.k0, "), "{shown}");
    assert!(shown.contains(" and 121 more\n"), "{shown}");
}

#[test]
fn every_byte_is_harmless_wherever_it_is() {
    for byte in 0..=255_u8 {
        let requests = [
            vec![byte],
            [b"GET /a", &[byte][..], b"?k", &[byte], b"=", &[byte], b" HTTP/1.1\r\nHost: ex.com\r\n\r\n"]
                .concat(),
            [b"GET /a HTTP/1.1\r\nHost: ex.com\r\nX", &[byte][..], b"A: v", &[byte], b"\r\n\r\n", &[byte]]
                .concat(),
        ];
        for request in requests {
            let shown = explain(&request);
            assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{byte:#04x}: {shown}");
        }
    }
}

#[test]
fn what_drives_terminals_is_escaped() {
    let request = "GET /a?q=\u{1B}[31m\u{9B}2J\u{7}\u{202E}\u{200B}\u{2066}\0 HTTP/1.1\r\n\
                   Host: ex.com\r\nX-A: \u{1B}]0;title\u{7}\u{85}\u{2028}\u{FEFF}\r\n\r\n";
    let shown = explain(request.as_bytes());
    for escape in
        [r"\x1B[31m", r"\u{9B}2J", r"\x07", r"\u{202E}", r"\u{200B}", r"\u{2066}", r"\x00", r"\u{85}"]
    {
        assert!(shown.contains(escape), "{escape}: {shown}");
    }
    let harmful = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
    };
    assert!(!shown.contains(harmful), "{shown}");
    let coloured = tamiz_on(["explain", "--color", "always"], request.as_bytes()).ok();
    let stripped = anstream::adapter::strip_str(&coloured).to_string();
    assert_eq!(stripped, shown, "colours are the only escapes there are");
}

#[test]
fn escapes_cannot_be_forged() {
    let shown = explain("GET /\\x1B?q=•…\\ HTTP/1.1\r\nHost: ex.com\r\n\r\n".as_bytes());
    assert!(shown.contains(r"GET /\\x1B?q=\u{2022}\u{2026}\\ HTTP/1.1"), "{shown}");
}

#[test]
fn colours_only_where_wanted() {
    let request = b"GET /a//b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = command();
        command.arg("explain").args(arguments).envs(environment.iter().copied());
        run(&mut command, request).ok().contains('\x1B')
    };
    assert!(!coloured(&[], &[]), "a pipe is no terminal");
    assert!(coloured(&["--color", "always"], &[]));
    assert!(!coloured(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(coloured(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(coloured(&["--color", "always"], &[("NO_COLOR", "1")]), "an option goes before the environment");
}

#[test]
fn options_and_empty_input() {
    let request = b"GET /100%25 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    assert!(!tamiz_on(["explain"], request).ok().contains("PERCENT_IN_PATH"));
    assert!(tamiz_on(["explain", "--profile", "full", "-"], request).ok().contains("PERCENT_IN_PATH"));
    let empty = explain(b"");
    assert!(empty.starts_with("standard input: 0 bytes, "), "{empty}");
}

#[test]
fn every_example_is_explained_with_all_its_flags() {
    for request in example_requests() {
        for view in VIEWS {
            for profile in PROFILES {
                let options = ["--view", view, "--profile", profile].map(OsStr::new);
                let with = |name| {
                    tamiz([OsStr::new(name)].into_iter().chain(options).chain([request.as_os_str()])).ok()
                };
                let shown = with("explain");
                let document = with("canon");
                assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown}");
                let rollup = document.lines().find_map(|line| line.strip_prefix("FLAGS:[")).unwrap_or("]");
                for flag in rollup.trim_end_matches(']').split(' ').filter(|flag| !flag.is_empty()) {
                    let name = flag.split(':').next().unwrap_or_default();
                    assert!(shown.contains(&format!("  {name}")), "{name}: {shown}");
                }
            }
        }
    }
}
