//! Requests of browsers: 755 bytes in the mean, 13 headers.

use super::random::Random;
use super::{ALPHANUMERIC, HEX_UPPER, HOSTS, USER_AGENTS, WORDS, join, query_value};

const SEGMENTS: &[&str] = &[
    "products", "category", "search", "account", "static", "img", "api", "blog", "2024", "item", "es", "en",
    "checkout",
];

const KEYS: &[&str] = &[
    "q",
    "page",
    "utm_source",
    "utm_medium",
    "id",
    "ref",
    "lang",
    "sort",
    "session",
    "token",
    "filter[]",
    "redirect",
];

const ACCEPT: &[&str] = &[
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
];

pub(super) fn request(random: &mut Random) -> Vec<u8> {
    let host = random.choice(HOSTS);
    let path = path(random);
    let count = random.count(2, 5);
    let keys = random.some(KEYS, count);
    let query: Vec<String> = keys.iter().map(|key| format!("{key}={}", query_value(random))).collect();
    let agent = random.choice(USER_AGENTS);
    let cookies = cookies(random);
    let mut lines = vec![
        format!("GET {path}?{} HTTP/1.1", query.join("&")),
        format!("Host: {host}"),
        "Connection: keep-alive".to_owned(),
    ];
    if agent.contains("Chrome") {
        lines.push(
            r#"sec-ch-ua: "Not/A)Brand";v="8", "Chromium";v="126", "Google Chrome";v="126""#.to_owned(),
        );
        lines.push("sec-ch-ua-mobile: ?0".to_owned());
    }
    lines.push("Upgrade-Insecure-Requests: 1".to_owned());
    lines.push(format!("User-Agent: {agent}"));
    lines.push(format!("Accept: {}", random.choice(ACCEPT)));
    lines.push(format!("Sec-Fetch-Site: {}", random.choice(&["same-origin", "none", "cross-site"])));
    lines.push("Sec-Fetch-Mode: navigate".to_owned());
    lines.push("Sec-Fetch-Dest: document".to_owned());
    lines.push(format!("Referer: https://{host}/{}", random.choice(WORDS)));
    lines.push("Accept-Encoding: gzip, deflate, br".to_owned());
    let languages = ["es-ES,es;q=0.9,en;q=0.8", "en-US,en;q=0.9", "de,en-US;q=0.7,en;q=0.3"];
    lines.push(format!("Accept-Language: {}", random.choice(&languages)));
    let count = random.count(2, 4);
    lines.push(format!("Cookie: {}", random.some(&cookies, count).join("; ")));
    if random.chance(0.3) {
        lines.insert(3, "Cache-Control: max-age=0".to_owned());
    }
    join(&lines, b"", "\r\n")
}

fn path(random: &mut Random) -> String {
    let mut segments: Vec<String> =
        (0..random.count(1, 3)).map(|_| random.choice(SEGMENTS).to_owned()).collect();
    let article = format!("{}-{}", random.choice(WORDS), random.number(1, 9999));
    let page = format!("{}.jsp", random.choice(WORDS));
    segments.push(random.choice(&["", "index.html", &article, &page]).to_owned());
    format!("/{}", segments.join("/"))
}

/// Every cookie there may be: a request has some of them.
fn cookies(random: &mut Random) -> Vec<String> {
    const FROM: u64 = 100_000_000;
    let mut analytics = |name: &str| {
        let (client, time) = (random.number(FROM, 10 * FROM), random.number(10 * FROM, 20 * FROM));
        format!("{name}=GA1.2.{client}.{time}")
    };
    vec![
        analytics("_ga"),
        analytics("_gid"),
        format!("JSESSIONID={}", random.string(HEX_UPPER, 32)),
        format!("lang={}", random.choice(&["en", "es", "de"])),
        "consent=1".to_owned(),
        format!("theme={}", random.choice(&["dark", "light"])),
        format!("csrftoken={}", random.string(ALPHANUMERIC, 32)),
    ]
}
