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
    /// The planted text.
    pub text: String,
    /// The parts of it that must not be seen.
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
        "word" | "whole" => (["", "my_", "x-"], ["", "_1", "-x"]),
        _ => (["", "my", "x-"], ["", "2", "_x"]),
    };
    let name = format!("{}{}{}", rng.pick(&before), row[1], rng.pick(&after));
    match rng.below(3) {
        0 => name,
        1 => name.to_uppercase(),
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
    all.extend(list("credential-prefixes.txt").iter().map(|row| family(row, rng)));
    all
}

/// A token of a family: its head, with something in its gaps, and as much as must follow it.
fn family(row: &[String], rng: &mut Rng) -> Canary {
    let (head, alphabet, length) = (&row[0], &row[1], &row[2]);
    let mut text = String::new();
    let mut secrets = Vec::new();
    for piece in head.split_inclusive('}') {
        let (plain, gap) = piece.split_once('{').unwrap_or((piece, ""));
        text.push_str(plain);
        if let Some((alphabet, length)) = gap.trim_end_matches('}').split_once(':') {
            // Letters and digits alone: a word must not end inside of it.
            let signs = if alphabet == "digit" { "0123456789" } else { ALNUM };
            let length = some_length(length, 0, rng);
            let inside = rng.text(signs, length);
            text.push_str(&inside);
            secrets.push(inside);
        }
    }
    let spare = if length.starts_with('=') || length.contains('-') { 0 } else { 20 };
    let length = some_length(length, spare, rng);
    let (letters, all) = signs(alphabet);
    let rest = if length == 0 { String::new() } else { rng.text(letters, 1) + &rng.text(&all, length - 1) };
    text.push_str(&rest);
    secrets.push(rest);
    // What may follow it in its place must not belong to it.
    if spare == 0 && alphabet.starts_with("dotted") {
        text.push('!');
    }
    let secrets: Vec<&str> = secrets.iter().map(String::as_str).filter(|secret| secret.len() >= 8).collect();
    Canary::new(format!("family {head}"), text, &secrets)
}

/// `n`, `=n` or `n-m` as a number; with up to so many more.
fn some_length(text: &str, spare: usize, rng: &mut Rng) -> usize {
    let number = |text: &str| text.parse::<usize>().expect("a length");
    match (text.strip_prefix('='), text.split_once('-')) {
        (Some(just), _) => number(just),
        (_, Some((least, most))) => number(least) + rng.below(number(most) - number(least) + 1),
        _ if number(text) == 0 || spare == 0 => number(text),
        _ => number(text).max(8) + rng.below(spare),
    }
}

/// The letters and digits of an alphabet of the list, and all of its characters.
fn signs(alphabet: &str) -> (&'static str, String) {
    let names = [
        ("digit", "0123456789", ""),
        ("hex", HEX, ""),
        ("alnum", ALNUM, ""),
        ("word", ALNUM, "_"),
        ("url", ALNUM, "_-"),
        ("dotted", ALNUM, "_-."),
        ("b64", ALNUM, "+/"),
    ];
    let (name, letters, marks) =
        names.iter().find(|(name, ..)| alphabet.starts_with(name)).expect("a known alphabet");
    (letters, format!("{letters}{marks}{}", &alphabet[name.len()..]))
}

/// One of each kind that identifies someone where it stands in a path.
pub fn identifiers(rng: &mut Rng) -> Vec<Canary> {
    let uuid = [8, 4, 4, 4, 12].map(|length| rng.text(HEX, length)).join("-");
    let length = 16 + rng.below(30);
    let hex = rng.text(HEX, length);
    let user = rng.text(LOWER, 9);
    let run = format!("{}{}", rng.text(LOWER, 16), rng.text("0123456789", 6));
    let random = format!("{}aZ9{}", rng.text(ALNUM, 10), rng.text(ALNUM, 10));
    let card = card(rng);
    let grouped: Vec<String> =
        card.as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    let iban = iban(rng);
    let phone = rng.text("123456789", 11);
    let token = rng.text(ALNUM, 20);
    let mut all = vec![
        Canary::new("uuid", uuid.as_str(), &[&uuid]),
        Canary::new("hexadecimal", hex.as_str(), &[&hex]),
        Canary::new("e-mail", format!("{user}@example.com"), &[&user]),
        Canary::new("run", run.as_str(), &[&run]),
        Canary::new("random", random.as_str(), &[&random]),
        Canary::new("card", card.as_str(), &[&card]),
        Canary::new("card in groups", grouped.join("-"), &[&grouped.join("-")]),
        Canary::new("IBAN", iban.as_str(), &[&iban]),
        Canary::new("IBAN in lower case", iban.to_lowercase(), &[&iban]),
        Canary::new("IBAN cut in its country", format!("N-{}", &iban[1..]), &[&iban[1..]]),
        Canary::new("IBAN cut in its check digits", format!("{} {}", &iban[..3], &iban[3..]), &[&iban[3..]]),
        Canary::new("phone", format!("+{phone}"), &[&phone]),
    ];
    let bot = format!("bot{}:{token}", rng.below(1 << 20));
    all.push(Canary::new("bot", bot, &[&token]));
    all
}

/// Sixteen digits with a Luhn sum.
fn card(rng: &mut Rng) -> String {
    let body = format!("{}{}", rng.pick(&["4", "51", "6011"]), rng.text("0123456789", 15));
    let body = &body[..15];
    let digits = body.bytes().rev().zip(1..).map(|(digit, nth): (u8, u32)| {
        let digit = u32::from(digit - b'0');
        if nth % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
    });
    format!("{body}{}", (10 - digits.sum::<u32>() % 10) % 10)
}

/// An account number of Norway, whose rest modulo 97 is one.
fn iban(rng: &mut Rng) -> String {
    let account = rng.text("0123456789", 11);
    let rest =
        format!("{account}232400").bytes().fold(0, |rest, digit| (rest * 10 + u32::from(digit - b'0')) % 97);
    format!("NO{:02}{account}", 98 - rest)
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
