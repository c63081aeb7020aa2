//! Programs talking to programs: JSON and bearer tokens, 839 bytes in the mean.

use data_encoding::BASE64URL_NOPAD;

use super::random::Random;
use super::{ALPHANUMERIC, BASE64URL, HEX, WORDS, join};

pub(super) fn request(random: &mut Random) -> Vec<u8> {
    let id = random.uuid();
    let method = random.choice(&["GET", "POST", "PUT", "PATCH", "DELETE"]);
    let version = random.number(1, 3);
    let collection = random.choice(&["orders", "users", "payments", "events", "devices"]);
    let number = random.number(1, 1_000_000).to_string();
    let mut path = format!("/v{version}/{collection}/{}", random.choice(&[id.as_str(), &number, ""]));
    if random.chance(0.3) {
        let limit = random.number(10, 100);
        path = format!("{path}?limit={limit}&cursor={}", random.string(BASE64URL, 24));
    }
    let agents = ["okhttp/4.12.0", "python-requests/2.32.3", "axios/1.7.2", "Go-http-client/1.1"];
    let mut lines = vec![
        format!("{method} {path} HTTP/1.1"),
        "Host: api.example.com".to_owned(),
        format!("User-Agent: {}", random.choice(&agents)),
        "Accept: application/json".to_owned(),
        format!("Authorization: Bearer {}", token(random)),
        format!("X-Request-Id: {id}"),
        "Accept-Encoding: gzip".to_owned(),
    ];
    let mut body = String::new();
    if matches!(method, "POST" | "PUT" | "PATCH") {
        body = order(random, &id);
        lines.push("Content-Type: application/json".to_owned());
        lines.push(format!("Content-Length: {}", body.len()));
    }
    join(&lines, body.as_bytes(), "\r\n")
}

fn order(random: &mut Random, id: &str) -> String {
    let amount = random.number(1, 100_000) as f64 / 100.0;
    let currency = random.choice(&["EUR", "USD"]);
    let items: Vec<String> = (0..random.count(1, 4))
        .map(|_| {
            let (sku, quantity) = (random.string(ALPHANUMERIC, 8), random.number(1, 9));
            format!(r#"{{"sku": "{sku}", "qty": {quantity}}}"#)
        })
        .collect();
    let note: Vec<&str> = (0..random.count(0, 8)).map(|_| random.choice(WORDS)).collect();
    format!(
        r#"{{"id": "{id}", "amount": {amount:?}, "currency": "{currency}", "items": [{}], "note": "{}"}}"#,
        items.join(", "),
        note.join(" ")
    )
}

/// A JSON Web Token, with any bytes for its signature.
fn token(random: &mut Random) -> String {
    let header = format!(r#"{{"alg":"RS256","typ":"JWT","kid":"{}"}}"#, random.string(HEX, 8));
    let (subject, issued) = (random.number(1, 1_000_000_000), random.number(1_000_000_000, 2_000_000_000));
    let claims = format!(
        r#"{{"sub": "{subject}", "iat": {issued}, "scope": "read write", "iss": "https://auth.example.com/"}}"#
    );
    let length = random.count(172, 342);
    let signature = random.string(BASE64URL, length);
    let encode = |text: String| BASE64URL_NOPAD.encode(text.as_bytes());
    format!("{}.{}.{signature}", encode(header), encode(claims))
}
