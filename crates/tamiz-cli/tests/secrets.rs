//! No secret in any output of any command, in any view.

mod common;

use common::{PROFILES, VIEWS, tamiz_on};

/// Requests that hold `@` in place of a secret.
const REQUESTS: [&str; 27] = [
    "GET /login?user=ana&pwd=@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /login?api_key=x'@ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a;token=@/b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET http://user:@@ex.com/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Basic\r\n @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: a=1; session=@; b=2\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Api-Key: @\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nReferer: http://ex.com/?token=@\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Note: a\nAuthorization: Bearer @\r\n\r\n",
    "GET / HTTP/1.1\r\n Authorization: Bearer @\r\nHost: ex.com\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nauthorization Bearer @\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\n\r\npassword=@",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nuser=ana&pwd=@&a=%27@",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n@=1&pwd=@&x@x",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{\"a\":{\"password\":[\"@\",{\"b\":\"@\"}]},\"c\":\"<@\"}",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{\"password\":\"@\",\"a\":",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{\"x\":\"a\",\"\\u0070wd\":\"@\"}",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\n\r\n<a><pwd x='1'>@</pwd><!-- @ --><b>see @</b></a>",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\n\r\n<a><pwd>@</pwd>",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=pwd\r\nX-A: @\r\n\r\n@\r\n--b--\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; filename=k.pem\r\n\r\ntoken=@\r\n--b--\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n14\r\npassword=@\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: text/plain\r\n\r\nmy password: @",
    "GET /?pwd=@&copy=@&echo=see-@-there HTTP/1.1\r\nHost: ex.com\r\nX-Copy: @\r\n\r\n",
    "GET /a#token=@ HTTP/1.1\r\nHost: ex.com\r\nSet-Cookie: sid=@; Path=/\r\n\r\n",
];

const SECRET: &str = "Zx9kQ2vLm4";

#[test]
fn no_secret_in_any_output() {
    for template in REQUESTS {
        let request =
            template.replace('@', SECRET).replace(&format!("{SECRET}{SECRET}ex"), &format!("{SECRET}@ex"));
        assert!(request.contains(SECRET));
        for view in VIEWS {
            for profile in PROFILES {
                for command in [
                    &["canon"][..],
                    &["canon", "--format", "json"],
                    &["canon", "--format", "json", "--evidence"],
                    &["canon", "--format", "tokens"],
                    &["explain"],
                    &["explain", "--color", "always"],
                    &["canon", "--from", "document"],
                ] {
                    let read = ["--view", view, "--profile", profile];
                    let read = if command.contains(&"document") { &[][..] } else { &read };
                    let run = tamiz_on(command.iter().chain(read), request.as_bytes());
                    let out = String::from_utf8_lossy(&run.stdout) + run.stderr.as_str();
                    assert!(!out.contains(SECRET), "{command:?} {view} {profile}: {out}");
                }
            }
        }
    }
}

#[test]
fn a_masked_secret_keeps_its_length_and_its_flags() {
    let shown = tamiz_on(["explain"], b"GET /a?pwd=x'yz HTTP/1.1\r\nHost: ex.com\r\n\r\n").ok();
    assert!(shown.contains("1 │ GET /a?pwd=•••• HTTP/1.1\n  │            ^^^^ QUOTE\n"), "{shown}");
}

#[test]
fn names_of_the_configuration_are_masked_too() {
    let dir = common::scratch("secrets-config");
    let config = common::file(&dir, "tamiz.toml", "[secrets]\nnames = [\"matricula\"]\n");
    let config = config.to_str().expect("a plain path");
    let request = b"GET /a?matricula=1234BCD HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    for command in ["canon", "explain"] {
        assert!(!tamiz_on([command, "--view=literal", "--config", config], request).ok().contains("1234BCD"));
        assert!(tamiz_on([command, "--view=literal"], request).ok().contains("1234BCD"));
    }
}
