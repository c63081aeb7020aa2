//! Secrets of every kind that is recognised (clauses 6.10 and 6.11), with random contents.

use std::path::Path;

use data_encoding::{BASE64, BASE64URL_NOPAD};

use super::Rng;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const HEX: &str = "0123456789abcdef";
const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A text with a secret in it.
#[derive(Clone, Debug)]
pub struct Canary {
    pub kind: String,
    /// What is planted.
    pub text: String,
    /// What must not be seen of it.
    pub secrets: Vec<String>,
}

impl Canary {
    fn new(kind: impl Into<String>, text: impl Into<String>, secrets: &[&str]) -> Self {
        let secrets = secrets.iter().map(|&secret| secret.to_owned()).collect();
        Canary { kind: kind.into(), text: text.into(), secrets }
    }
}

/// The rows of a list of `spec/lists/`.
fn list(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/lists").join(name);
    let text = std::fs::read_to_string(path).expect("the list is there");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

/// A name that makes a secret of its value, in some case, with or without something around it.
pub fn sensitive_name(rng: &mut Rng) -> String {
    let rows = list("sensitive-names.txt");
    let row = rng.pick(&rows).clone();
    name_of(&row, rng)
}

fn name_of(row: &[String], rng: &mut Rng) -> String {
    let (before, after) = match row[0].as_str() {
        "word" => (["", "my_", "x-"], ["", "_1", "-x"]),
        _ => (["", "my", "x-"], ["", "2", "_x"]),
    };
    let name = format!("{}{}{}", rng.pick(&before), row[1], rng.pick(&after));
    match rng.below(3) {
        0 => name,
        1 => name.to_ascii_uppercase(),
        _ => name.chars().map(|c| if rng.below(2) == 0 { c } else { c.to_ascii_uppercase() }).collect(),
    }
}

/// One of each kind that is a secret wherever it stands.
pub fn contents(rng: &mut Rng) -> Vec<Canary> {
    let mut all = tokens(rng);
    all.extend(schemes(rng));
    all.extend(urls(rng));
    all.extend(named(rng));
    all
}

fn tokens(rng: &mut Rng) -> Vec<Canary> {
    let header = BASE64URL_NOPAD.encode(br#"{"alg":"HS256","typ":"JWT"}"#);
    let subject = rng.text(ALNUM, 12);
    let payload = BASE64URL_NOPAD.encode(format!("{{\"sub\":\"{subject}\"}}").as_bytes());
    let length = 20 + rng.below(40);
    let signature = rng.text(ALNUM, length);
    let unseen = [payload.as_str(), signature.as_str(), subject.as_str()];
    let key = rng.text(ALNUM, 48);
    let mut all = vec![
        Canary::new("jwt", format!("{header}.{payload}.{signature}"), &unseen),
        Canary::new("jwt unsigned", format!("{header}.{payload}."), &[&payload, &subject]),
        Canary::new("jwt glued", format!("v2{header}.{payload}.{signature}"), &unseen),
        Canary::new(
            "private key",
            format!("-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----"),
            &[&key],
        ),
    ];
    for row in list("credential-prefixes.txt") {
        let least: usize = row[2].parse().expect("a length");
        let marks = match row[1].as_str() {
            "word" => "_",
            "url" => "_-",
            "dotted" => "_-.",
            _ => "",
        };
        let length = least.max(8) + rng.below(20);
        let rest = rng.text(&format!("{ALNUM}{marks}"), length);
        all.push(Canary::new(format!("prefix {}", row[0]), format!("{}{rest}", row[0]), &[&rest]));
    }
    all
}

fn schemes(rng: &mut Rng) -> Vec<Canary> {
    let mut case = |word: &str| match rng.below(3) {
        0 => word.to_owned(),
        1 => word.to_lowercase(),
        _ => word.to_uppercase(),
    };
    let words = ["Bearer", "Token", "Negotiate", "Basic", "Digest", "AWS4-HMAC-SHA256"].map(&mut case);
    let mut all = Vec::new();
    for word in &words[..3] {
        let length = 8 + rng.below(32);
        let token = rng.text(&format!("{ALNUM}-._~+/"), length);
        all.push(Canary::new(word.to_lowercase(), format!("{word} {token}"), &[&token]));
    }
    let password = rng.text(ALNUM, 16);
    let basic = BASE64.encode(format!("ana:{password}").as_bytes());
    all.push(Canary::new("basic", format!("{} {basic}", words[3]), &[&basic, &password]));
    let (user, response) = (rng.text(LOWER, 10), rng.text(HEX, 32));
    let digest = format!("{} username=\"{user}\", realm=\"r\", response=\"{response}\"", words[4]);
    all.push(Canary::new("digest", digest, &[&user, &response]));
    let (id, signature) = (rng.text(ALNUM, 20), rng.text(HEX, 64));
    let aws = format!(
        "{} Credential={id}/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature={signature}",
        words[5]
    );
    all.push(Canary::new("aws4", aws, &[&id, &signature]));
    all
}

fn urls(rng: &mut Rng) -> Vec<Canary> {
    let (user, password) = (rng.text(LOWER, 9), rng.text(&format!("{ALNUM}!$*'()._~-"), 14));
    let scheme = *rng.pick(&["http", "https", "ftp", "postgres", "Redis", "amqp+ssl"]);
    let token = rng.text(ALNUM, 16);
    let name = sensitive_name(rng);
    vec![
        Canary::new(
            "userinfo",
            format!("{scheme}://{user}:{password}@db.example.com/x"),
            &[&user, &password],
        ),
        Canary::new("userinfo alone", format!("{scheme}://{token}@git.example.com"), &[&token]),
        Canary::new("URL with a named value", format!("https://ex.com/cb?{name}={token}"), &[&token]),
    ]
}

fn named(rng: &mut Rng) -> Vec<Canary> {
    let mut all = Vec::new();
    for row in list("sensitive-names.txt") {
        let name = name_of(&row, rng);
        let length = 8 + rng.below(20);
        let value = rng.text(&format!("{ALNUM}_-.!*()$/"), length);
        let text = match rng.below(5) {
            0 => format!("{name}={value}"),
            1 => format!("{name}: {value}"),
            2 => format!("\"{name}\": \"{value}\""),
            3 => format!("see {name} = '{value}' there"),
            _ => format!("a=1&{name}={value}&b=2"),
        };
        all.push(Canary::new(format!("named {}", row[1]), text, &[&value]));
    }
    all
}

/// Ordinary texts of several alphabets, which only their place makes secrets of.
pub fn plain(rng: &mut Rng) -> Vec<Canary> {
    let full_width = |text: &str| -> String {
        text.chars().map(|c| char::from_u32(u32::from(c) + 0xFEE0).expect("a full-width letter")).collect()
    };
    let upper = LOWER.to_uppercase();
    let alphabets = [
        ("lower", LOWER),
        ("upper", upper.as_str()),
        ("digits", "0123456789"),
        ("hexadecimal", HEX),
        ("alphanumeric", ALNUM),
        ("base64url", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        ("token", "abcdefghijklmnopqrstuvwxyz0123456789!#$*+.^_`|~-"),
        ("punctuated", "ABCDEFabcdef0123456789!@$*():/?."),
        ("Cyrillic", "бвгджзиклмнпрстфхцчшщэюя"),
        ("Chinese", "密码令牌钥匙机要保险开关山水火木"),
    ];
    let mut all: Vec<Canary> = Vec::new();
    for (name, alphabet) in alphabets {
        let length = 8 + rng.below(33);
        let text = rng.text(alphabet, length);
        all.push(Canary::new(name, text.as_str(), &[&text]));
    }
    let text = rng.text(LOWER, 12);
    let wide = full_width(&text);
    all.push(Canary::new("full-width", wide.as_str(), &[&wide, &text]));
    all
}
