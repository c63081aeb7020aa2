//! Examples and near misses of 4.7, 4.8, 6.12 and 7.7.

use crate::value_tests::{get, line, post, request, with};
use crate::{Profile, View};

/// The roll-up without what the requests of these tests raise by themselves.
#[track_caller]
pub(crate) fn flags(document: &str) -> String {
    let Some(line) = document.lines().find_map(|line| line.strip_prefix("FLAGS:[")) else {
        return String::new();
    };
    let own = ["BODYFORM", "HOME", "QNONASCII", "QBARE"];
    let flags: Vec<&str> = line.trim_end_matches(']').split(' ').filter(|flag| !own.contains(flag)).collect();
    flags.join(" ")
}

/// The roll-up of a request with such a target.
#[track_caller]
fn of_target(target: &str) -> String {
    flags(&get(target))
}

#[track_caller]
fn of_json(body: &str) -> String {
    flags(&with(Profile::Standard, View::Shape, &post("application/json", body)))
}

#[test]
fn second_layers_of_paths() {
    for (target, expected) in [
        ("/foo%252Ejsp", "DOUBLEPCT PCTVALUE"),
        ("/a%252Eb", "DOUBLEPCT PCTVALUE"),
        ("/a%252Fb", "DOUBLEPCT PCTSLASH PCTVALUE"),
        ("/a%25252Fb", "DOUBLEPCT PCTVALUE"),
        ("/a%2541", "DOUBLEPCT"),
        ("/a%253Cb", "ANGLE DOUBLEPCT PCTVALUE"),
        ("/a%2528b", "DOUBLEPCT PAREN"),
        ("/%C0%AFetc", "BADUTF8 DOUBLEPCT OVERLONG"),
        ("/c%00", "CONTROL NUL"),
        ("/a%2520", "DOUBLEPCT PCTVALUE SPACE"),
        ("/a%2520b", "DOUBLEPCT"),
    ] {
        assert_eq!(of_target(target), expected, "{target}");
    }
    let core = with(Profile::Core, View::Shape, &request("/foo%252Ejsp"));
    assert_eq!(flags(&core), "DOUBLEPCT");
    let full = with(Profile::Full, View::Shape, &request("/?next=%252Fa"));
    assert_eq!(flags(&full), "DOUBLEPCT MULTIENC:next");
}

#[test]
fn further_looks_at_values() {
    for (target, expected) in [
        ("/?a=PHNjcmlwdD48", "ANGLE B64TEXT KW:js"),
        ("/?a=%2522", "DOUBLEPCT PCTVALUE QUOTE"),
        ("/?a=YSUzQ2JjZGVm", "ANGLE B64TEXT"),
        ("/?f=%25C0%25AE.%25C0%25AFb", "DOTDOT DOUBLEPCT OVERLONG PCTVALUE"),
        // Reading it again brings what an overlong form spells.
        ("/?a=%C0%BC%2541", "ANGLE BADUTF8 DOUBLEPCT OVERLONG PCTVALUE"),
        ("/?a=%C0%BC", "BADUTF8 DOUBLEPCT OVERLONG"),
        // The text tells of it already.
        ("/?a=%22%2522", "DOUBLEPCT QUOTE"),
        // Three layers are undone, four are not.
        ("/?a=%2525253C", "ANGLE DOUBLEPCT PCTVALUE"),
        ("/?a=%252525253C", "DOUBLEPCT"),
        // Entities and escapes, in any order.
        ("/?a=%26amp%3Blt%3B", "ANGLE HTMLENT SEMICOLON"),
        ("/?a=%26%23x3cs", "ANGLE HTMLENT"),
        ("/?a=%26%2360", "ANGLE HTMLENT"),
        ("/?a=%26%2360x", "ANGLE HTMLENT"),
        ("/?a=%26lt", ""),
        ("/?a=%5Cx3cb", "ANGLE BACKSLASH"),
        ("/?a=%5Cu003cb", "ANGLE BACKSLASH"),
        ("/?a=%5Cu%7B3c%7Db", "ANGLE BACKSLASH BRACE"),
        ("/?a=%5Cx26lt;b", "ANGLE BACKSLASH QRAWSEMI SEMICOLON"),
        // `<sxript>?>`, and `ab<~~>>>cd` with its `+` as a space and as it is.
        ("/?a=PHN4cmlwdD4%2FPg==", "ANGLE B64TEXT"),
        ("/?a=YWI8fn4%20Pj5jZA==", "ANGLE B64TEXT"),
        ("/?a=YWI8fn4+Pj5jZA==", "ANGLE B64TEXT"),
        ("/?a=YWI8fn4-Pj5jZA==", "ANGLE B64TEXT"),
        ("/?a=data:text/plain;base64,PHN4cmlwdD48", "ANGLE B64TEXT KW:php QRAWSEMI SEMICOLON URLVALUE:data"),
        // Base64 of Base64 of `<sxript><b>`.
        ("/?a=UEhONGNtbHdkRDQ4WWo0PQ==", "ANGLE B64TEXT"),
        // Eleven characters are no Base64 of their own, and neither are thirteen.
        ("/?a=PHNjcmlwdD4", ""),
        ("/?a=PHNjcmlwdD48a", ""),
    ] {
        assert_eq!(of_target(target), expected, "{target}");
    }
}

#[test]
fn further_looks_at_leaves() {
    for (body, expected) in [
        (r#"{"a":"%3Cb"}"#, "ANGLE PCTVALUE"),
        (r#"{"a":"%28b"}"#, "PAREN"),
        (r#"{"a":"&#x3cb"}"#, ""),
        (r#"{"a":"&#x3cs"}"#, "ANGLE HTMLENT"),
        (r#"{"a":"%2541"}"#, ""),
        (r#"{"a":"%5Cx3c"}"#, "ANGLE BACKSLASH PCTVALUE"),
        (r#"{"a":"%26%2360;"}"#, "ANGLE PCTVALUE SEMICOLON"),
    ] {
        assert_eq!(of_json(body), expected, "{body}");
    }
    let form = post("application/x-www-form-urlencoded", "a=YWI8fn4+Pj5jZA==");
    assert_eq!(flags(&with(Profile::Standard, View::Shape, &form)), "ANGLE B64TEXT");
}

#[test]
fn cookies_and_further_looks() {
    let cookie = |value: &str| {
        let request = format!("GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: a={value}\r\n\r\n");
        flags(&with(Profile::Standard, View::Shape, &request))
    };
    assert_eq!(cookie("%3Cb%22"), "COOKIE:1");
    assert_eq!(cookie("PHN4cmlwdD48"), "B64TEXT COOKIE:1");
    assert_eq!(cookie("%2E%2E%2F"), "COOKIE:1 DOTDOT PCTVALUE");
    assert_eq!(cookie("%00"), "COOKIE:1 NUL PCTVALUE");
}

#[test]
fn credentials_behind_layers() {
    for target in [
        "/?q=cGFzc3dvcmQ9aHVudGVyMg",
        "/?q=password%25253Dhunter2",
        "/?q=password%2525253Dhunter2",
        "/?q=password%5Cx3dhunter2",
        "/?q=password%26amp;%2361;hunter2",
        "/?q=Y0dGemMzZHZjbVE5YUhWdWRHVnlNZw==",
        "/?q=password%25252526%2361;hunter2",
    ] {
        for profile in [Profile::Core, Profile::Standard] {
            let document = with(profile, View::Shape, &request(target));
            assert!(line(&document, "U:").contains("?q=<SECRET:"), "{target}: {document}");
        }
    }
    // A fourth percent-decoding is not looked behind.
    let document = get("/?q=password%252525253Dhunter2");
    assert!(!document.contains("SECRET"), "{document}");
    // An echo in Base64.
    let document = get("/?pwd=hunter2hunter2&q=aHVudGVyMmh1bnRlcjI=");
    assert_eq!(line(&document, "U:").matches("SECRET").count(), 2, "{document}");
}
