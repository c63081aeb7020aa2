//! Canary secrets, in every place a request has, never come out.

use tamiz::{Canonicalizer, Config, Profile, View};

/// A secret of each kind that is recognised, with the text around it and the part that must not show.
const CONTENTS: [(&str, &str); 16] = [
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlQ2FuYXJ5", "c2lnbmF0dXJlQ2FuYXJ5"),
    ("Bearer canary0123456789", "canary0123456789"),
    ("bEARER canary0123456789", "canary0123456789"),
    ("Basic Y2FuYXJ5OmNhbmFyeQ==", "Y2FuYXJ5OmNhbmFyeQ"),
    ("Token canary0123456789", "canary0123456789"),
    ("Negotiate Y2FuYXJ5MDEyMzQ1", "Y2FuYXJ5MDEyMzQ1"),
    ("AKIACANARY0123456789", "AKIACANARY0123456789"),
    ("ghp_canary0123456789CANARY0123456789ab", "canary0123456789CANARY"),
    ("glpat-canary0123456789CANARY", "canary0123456789"),
    ("xoxb-0123456789-canary0123456789", "canary0123456789"),
    ("AIzaCanary0123456789Canary0123456789ab", "Canary0123456789"),
    ("sk_live_canary0123456789", "canary0123456789"),
    ("npm_canary0123456789canary0123456789", "canary0123456789"),
    ("pypi-canary0123456789canary", "canary0123456789"),
    ("password=canary0123456789", "canary0123456789"),
    ("https://user:canary0123456789@ex.com/", "canary0123456789"),
];

/// Places that hide what they hold only if it is recognised.
const BY_CONTENT: [&str; 12] = [
    "GET /?q=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a/@/b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a;x=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a#@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Note: see @ here\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nUser-Agent: tool/1.0 @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAccept: text/html, @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: a/b; x=@\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nReferer: http://ex.com/?next=@\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\r\n @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAccept: a/b\r\nAccept: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\nX-B: @\r\n\r\n",
];

/// Places for a secret in bodies, among them names, which could be shown.
const IN_BODIES: [&str; 14] = [
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n@=1",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\na=@",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\na=1&@",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{\"@\":1}",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{\"a\":{\"@\":[1]}}",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{\"a\":[\"@\"]}",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{\"a\":\"@\"",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"@\"\r\n\r\n1\r\n--b--\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; filename=\"@\"\r\n\r\n1\r\n--b--\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=a\r\nX-A: @\r\n\r\n@\r\n--b--\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\n\r\n<a x='@'>@</a>",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\n\r\n<a><!-- @ --><b>@</b>",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: text/plain\r\n\r\n@",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n99\r\n@",
];

/// Places that hide whatever they hold.
const BY_PLACE: [&str; 22] = [
    "GET http://user:@@ex.com/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /?password=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /?PaSsWoRd=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /?p%61ss=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /?p&#97;ss=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /?api_key=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a;jsessionid=@/b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /?next=http://ex.com/?token=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Foo @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer\r\n @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nProxy-Authorization: Basic @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: a=@\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nCookie : a=@\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nSet-Cookie: a=@; Path=/\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Api-Key: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Auth-Token: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Amz-Security-Token: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\nAuthorization: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nno colon here @\r\n\r\n",
    "GET / HTTP/1.1\r\n @\r\nHost: ex.com\r\n\r\n",
];

/// Places that echo what another place made a secret of.
const ECHOES: [&str; 14] = [
    "POST /?q=x@x HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\npwd=@",
    "POST /@ HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{\"a\":{\"password\":[\"@\"]}}",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nX-A: @\r\nContent-Type: application/json\r\n\r\n{\"pin\":\"@\",\"x@\":1}",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nX-A: @\r\nContent-Type: application/xml\r\n\r\n<a><token>@</token></a>",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nX-A: @\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=pwd\r\n\r\n@\r\n--b--\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer @\r\nContent-Type: application/json\r\n\r\n{\"@\":{\"@\":1}}",
    "GET /?pwd=@&q=x@x HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /@?pwd=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /?pwd=@&@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /?pwd=@ HTTP/1.1\r\nHost: ex.com\r\nX-A: a @ b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: session=@\r\nX-A: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer @\r\nUser-Agent: tool/@\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer @\r\nReferer: http://ex.com/@\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer @\r\nX-@: 1\r\n\r\n",
];

fn outputs(request: &[u8]) -> Vec<String> {
    let mut outputs = Vec::new();
    for &view in View::ALL {
        for &profile in Profile::ALL {
            let mut config = Config::default();
            (config.view, config.profile) = (view, profile);
            let document = Canonicalizer::new(config).canonicalize_with_evidence(request);
            outputs.push(document.to_string());
            outputs.push(format!("{document:?}"));
            outputs.push(serde_json::to_string(&document).unwrap());
            outputs.push(document.tokens().join(" "));
        }
    }
    outputs
}

fn check(template: &str, text: &str, canary: &str) {
    let request = template.replace('@', text).replace("user:@", "user:").into_bytes();
    for output in outputs(&request) {
        assert!(
            !output.to_ascii_lowercase().contains(&canary.to_ascii_lowercase()),
            "{canary} leaks from {}\n{output}",
            request.escape_ascii()
        );
    }
}

/// The spellings of a value inside a URL that a careless decoder would undo.
fn spellings(text: &str) -> Vec<String> {
    let escape_all = |text: &str| text.bytes().map(|b| format!("%{b:02x}")).collect::<String>();
    let once: String = text
        .replace('%', "%25")
        .replace(' ', "%20")
        .replace('#', "%23")
        .replace('/', "%2F")
        .replace('?', "%3F");
    let twice = once.replace('%', "%25");
    vec![once, twice, escape_all(text)]
}

#[test]
fn by_content() {
    for template in BY_CONTENT {
        for (text, canary) in CONTENTS {
            if template.starts_with("GET / ") {
                check(template, text, canary);
            } else {
                for spelling in spellings(text) {
                    check(template, &spelling, canary);
                }
            }
        }
    }
}

#[test]
fn in_bodies() {
    for template in IN_BODIES {
        for (text, canary) in CONTENTS {
            check(template, text, canary);
        }
    }
}

#[test]
fn by_place() {
    for template in BY_PLACE {
        check(template, "canary0123456789", "canary0123456789");
        check(template, "zx9", "zx9");
    }
}

#[test]
fn by_echo() {
    for template in ECHOES {
        check(template, "canary0123456789", "canary0123456789");
        check(template, "Canary-Secret", "Canary-Secret");
    }
}

/// A name behind an embedded line end is shown in lower case: a secret that is echoed there in upper case is hidden too.
#[test]
fn an_embedded_name_echoes_in_lower_case() {
    let request =
        b"GET /?pwd=visionario HTTP/1.1\r\nHost: ex.com\r\nX-A: b\nVISIONARIO: c\r\nX-B: d\nother: e\r\n\r\n";
    for document in [
        Canonicalizer::new(Config::default()).canonicalize(request),
        Canonicalizer::new(Config::default()).canonicalize_with_evidence(request),
    ] {
        assert!(!document.as_str().contains("visionario"), "{document}");
        assert!(document.as_str().contains("other"), "{document}");
    }
}
