//! `tamiz serve` as a process: its log, its end, and no secret anywhere.

#[path = "../../tamiz/tests/canaries/mod.rs"]
mod canaries;
#[path = "../../tamiz-serve/tests/common/client.rs"]
mod client;
mod common;

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use canaries::{ByContent, ByEcho, ByPlace, Case, Rng, look};
use client::Client;
use common::{VIEWS, tamiz};

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
const REQUEST: &[u8] = b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";

/// The service, as a shell would start it.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        let mut child = common::command()
            .args(["serve", "--listen", "127.0.0.1:0", "--threads", "2"])
            // No client is too slow, however slow the machine is.
            .args(["--head-timeout", "600", "--body-timeout", "600", "--write-timeout", "600"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("no address: {line}")).to_owned();
        Served { child, address }
    }

    fn connect(&self) -> Client<TcpStream> {
        Client::new(TcpStream::connect(&self.address).expect("it listens"))
    }

    fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(status.expect("there is a kill").success());
    }

    /// Ends it, and gives its exit code and what it logged.
    fn stop(mut self) -> (Option<i32>, String) {
        self.signal("-TERM");
        let mut log = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut log).expect("the log is UTF-8");
        (self.child.wait().expect("it ends").code(), log)
    }
}

/// Some of all the ways to plant a secret; whether it is one by itself, rather than by another place that it is echoed
/// from, which a proxy may leave out.
fn cases(count: usize) -> Vec<(Case, bool)> {
    let (content, place, echo) = (ByContent::new(), ByPlace::new(true), ByEcho::new());
    let seed = canaries::seed();
    let mut rng = Rng::new(seed);
    let mut cases = Vec::new();
    while cases.len() < count {
        let by_itself =
            [content.case(rng.below(content.total()), seed), place.case(rng.below(place.total()), seed)];
        cases.extend(by_itself.into_iter().flatten().map(|case| (case, true)));
        cases.extend(echo.case(rng.below(echo.total()), seed).map(|case| (case, false)));
    }
    cases
}

/// The questions of nginx and Envoy about a request, headers and body as they are, and the document with the answer.
fn questions(request: &[u8]) -> Vec<Vec<u8>> {
    let end = request.iter().position(|byte| *byte == b'\n').unwrap_or(request.len());
    let (line, rest) = request.split_at(end);
    let (line, rest) = (line.trim_ascii_end(), rest.strip_prefix(b"\n").unwrap_or(rest));
    let nginx = [b"GET /check/nginx HTTP/1.1\r\nx-tamiz-want: document\r\nx-tamiz-request-line: ", line];
    let mut all = vec![[&nginx.concat()[..], b"\r\n", rest].concat()];
    // A fragment never arrives, and of a secret that it cuts nothing but an echo might be left.
    if let [method, target, _version] = line.split(|byte| *byte == b' ').collect::<Vec<_>>()[..]
        && !target.contains(&b'#')
    {
        let envoy = [method, b" /check/envoy", target, b" HTTP/1.1\r\nx-tamiz-want: document\r\n", rest];
        all.push(envoy.concat());
    }
    all
}

#[test]
fn a_probe_tells_whether_a_service_is_healthy() {
    let served = Served::start(&[]);
    assert_eq!(tamiz(["serve", "--probe", &served.address]).ok(), "");
    let address = served.address.clone();
    assert_eq!(served.stop().0, Some(0));
    assert!(tamiz(["serve", "--probe", &address]).fails(1).contains("refused"));
    // Whoever else answers is not the service.
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = other.accept().unwrap();
        let mut head = [0; 64];
        assert!(stream.read(&mut head).unwrap() > 0);
        std::io::Write::write_all(&mut stream, b"HTTP/1.1 503 Service Unavailable\r\n\r\n").unwrap();
    });
    assert!(tamiz(["serve", "--probe", &address]).fails(1).contains("healthy"));
    answering.join().unwrap();
}

#[test]
fn no_secret_in_answers_errors_counters_or_logs() {
    for (number, level) in LEVELS.into_iter().chain(["trace"]).enumerate() {
        let format = ["text", "json"][number % 2];
        let sink = common::scratch("serve-sink").join("documents.jsonl");
        let to = format!("file:{}", sink.display());
        let served = Served::start(&["--log-level", level, "--log-format", format, "--sink", &to]);
        let cases = cases(60);
        let mut told_to_proxies = 0;
        for (number, (case, is_by_itself)) in cases.iter().enumerate() {
            let view = VIEWS[number % 2];
            let mut client = served.connect();
            let mut answers = Vec::new();
            let accepts = ["text/plain", "application/json", "text/x-tamiz-tokens"];
            for accept in accepts {
                let target = format!("/v1/canonicalize?view={view}&profile=full");
                answers.push(client.ask("POST", &target, &[("accept", accept)], &case.request));
            }
            let target = format!("/v1/canonicalize?view={view}&evidence=true");
            answers.push(client.ask("POST", &target, &[], &case.request));
            let line = format!("{{\"raw_b64\":\"{}\"}}\n", data_encoding::BASE64.encode(&case.request));
            answers.push(client.ask("POST", "/v1/batch", &[], line.as_bytes()));
            assert!(answers.iter().all(|answer| answer.status == 200));
            for wrong in ["/v1/parts", "/v1/flags", "/v1/canonicalize?x=1"] {
                answers.push(client.ask("POST", wrong, &[], &case.request));
            }
            // The request itself, as if the service were what it was sent to.
            let mut direct = served.connect();
            let _ = direct.try_send(&case.request);
            direct.end_of_input();
            let mut all = String::from_utf8_lossy(&direct.rest()).into_owned();
            answers.iter().for_each(|answer| all += &format!("{:?}\n{}", answer.headers, answer.text()));
            for question in questions(&case.request).into_iter().filter(|_| *is_by_itself) {
                let mut proxy = served.connect();
                let _ = proxy.try_send(&question);
                proxy.end_of_input();
                let answer = String::from_utf8_lossy(&proxy.rest()).into_owned();
                let document = answer.lines().find_map(|line| line.strip_prefix("x-tamiz-document: "));
                if let Some(document) = document {
                    let document = data_encoding::BASE64.decode(document.as_bytes()).expect("Base64");
                    all += &String::from_utf8(document).expect("a document");
                    told_to_proxies += 1;
                }
                all += &answer;
            }
            if let Some(piece) = look::leak(&all, &case.canary) {
                panic!("{}: {piece}\n{}\n{all}", case.name, case.request.escape_ascii());
            }
        }
        let counters = || served.connect().ask("GET", "/metrics", &[], b"").text();
        let written = || {
            let counters = counters();
            let line = counters.lines().find_map(|line| line.strip_prefix("tamiz_sink_documents_total "));
            line.map_or(0, |count| count.parse::<usize>().expect("a number"))
        };
        common::wait_until(|| written() >= told_to_proxies, counters);
        let counters = counters();
        let (code, log) = served.stop();
        assert_eq!(code, Some(0));
        let sunk = std::fs::read_to_string(&sink).expect("documents");
        assert!(told_to_proxies > 60 && sunk.lines().count() >= told_to_proxies, "{told_to_proxies}");
        for told in [&counters, &log, &sunk] {
            let output = look::Output::of(told);
            for (case, _) in &cases {
                if let Some(piece) = output.leak(&case.canary) {
                    panic!("{level}: {}: {piece}\n{told}", case.name);
                }
            }
        }
        assert_eq!(log.is_empty(), number < 3, "{level}: {log}");
        assert_eq!(log.contains("/v1/canonicalize"), level == "debug" || level == "trace");
        if format == "json" {
            log.lines().for_each(|line| drop(serde_json::from_str::<serde_json::Value>(line).expect(line)));
        }
    }
}

#[test]
fn targets_headers_and_methods_are_not_logged() {
    let served = Served::start(&["--log-level", "trace"]);
    let secret = "Zx9kQ2vLm4";
    for request in [
        format!("GET /{secret} HTTP/1.1\r\nhost: {secret}\r\n\r\n"),
        format!("{secret} / HTTP/1.1\r\nhost: a\r\n\r\n"),
        format!(
            "POST /v1/canonicalize?view={secret} HTTP/1.1\r\nx-{secret}: {secret}\r\ncontent-length: 0\r\n\r\n"
        ),
        format!("GET / HTTP/1.1\r\nhost: a\r\n{secret}\r\n\r\n"),
        format!("POST /v1/batch HTTP/1.1\r\nhost: a\r\ncontent-length: 12\r\n\r\n{secret}\r\n"),
        format!("GET / HTTP/1.1\r\nhost: a\r\nif-none-match: \"{secret}\"\r\nconnection: {secret}\r\n\r\n"),
    ] {
        let mut client = served.connect();
        client.send(request.as_bytes());
        client.end_of_input();
        let answer = String::from_utf8_lossy(&client.rest()).into_owned();
        assert!(!answer.to_lowercase().contains(&secret.to_lowercase()), "{answer}");
        assert!(answer.contains("\r\nx-tamiz-fingerprint: "), "{answer}");
    }
    let (_, log) = served.stop();
    assert!(!log.to_lowercase().contains(&secret.to_lowercase()), "{log}");
    assert!(log.contains("method=\"other\" route=\"/\" status=405"), "{log}");
    assert!(log.contains("route=\"other\" status=404"), "{log}");
}

#[test]
fn it_ends_when_it_is_told_and_what_was_asked_is_answered() {
    for signal in ["-TERM", "-INT"] {
        let mut served = Served::start(&["--log-level", "info"]);
        let mut client = served.connect();
        let head =
            format!("POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n", REQUEST.len());
        client.send(head.as_bytes());
        client.send(&REQUEST[..5]);
        // The head has been read when another connection was answered after it.
        assert_eq!(served.connect().ask("GET", "/healthz", &[], b"").status, 200);
        served.signal(signal);
        client.send(&REQUEST[5..]);
        let answer = client.answer();
        assert_eq!((answer.status, answer.text().starts_with("M:GET\n")), (200, true));
        let mut log = String::new();
        served.child.stderr.take().expect("a pipe").read_to_string(&mut log).expect("UTF-8");
        assert_eq!(served.child.wait().expect("it ends").code(), Some(0));
        assert!(log.contains("listening") && log.contains("stopping") && log.contains("stopped"), "{log}");
    }
}

#[test]
fn told_twice_it_ends_at_once() {
    let mut served = Served::start(&[]);
    let mut client = served.connect();
    client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nabc");
    assert_eq!(served.connect().ask("GET", "/healthz", &[], b"").status, 200);
    served.signal("-TERM");
    let mut log = BufReader::new(served.child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("stopping") {
        line.clear();
        assert!(log.read_line(&mut line).expect("a line") > 0, "the log has ended");
    }
    served.signal("-TERM");
    assert_eq!(served.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn what_cannot_be_begun_is_told_in_one_line() {
    let served = Served::start(&[]);
    let taken = tamiz(["serve", "--listen", &served.address, "--log-level", "off"]);
    assert!(taken.fails(1).contains(&format!("cannot listen at http://{}/: ", served.address)), "{taken:?}");
    served.stop();
    for arguments in [
        &["--listen", "nowhere"][..],
        &["--listen", "unix:"],
        &["--max-connections", "0"],
        &["--body-timeout", "0"],
        &["--head-timeout", "nan"],
        &["--socket-mode", "999"],
        &["--log-level", "loud"],
        &["--view", "x"],
        &["--config", "no/such/file"],
    ] {
        tamiz(["serve"].iter().chain(arguments)).fails(2);
    }
}

#[test]
fn the_answer_is_what_the_command_prints() {
    let served = Served::start(&["--profile", "full"]);
    let mut client = served.connect();
    for path in common::example_requests() {
        let request = std::fs::read(&path).expect("an example");
        let path = path.to_str().expect("a plain path");
        for (accept, format) in
            [("text/plain", "text"), ("application/json", "json"), ("text/x-tamiz-tokens", "tokens")]
        {
            let printed = tamiz(["canon", "--profile", "full", "--format", format, path]).ok();
            let answer = client.ask("POST", "/v1/canonicalize", &[("accept", accept)], &request);
            assert_eq!(answer.text(), printed);
        }
        let printed = tamiz(["canon", "--profile=full", "--format=json", "--evidence", path]).ok();
        assert_eq!(client.ask("POST", "/v1/canonicalize?evidence=true", &[], &request).text(), printed);
    }
    let fingerprint = tamiz(["fingerprint", "--profile", "full"]).ok();
    let answer = client.ask("GET", "/healthz", &[], b"");
    assert_eq!(answer.header("x-tamiz-fingerprint"), Some(fingerprint.trim()));
    served.stop();
}

#[cfg(unix)]
#[test]
fn requests_are_scored_and_the_model_is_read_again() {
    let dir = common::scratch("serve-model");
    // Each value ends alike: what is usual in one model is not in another.
    let lines = |end: &str| -> String {
        let line =
            |n: u32| format!("{{\"raw\":\"GET /a?n={n}{end} HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n\"}}\n");
        (0..300).map(line).collect()
    };
    let model = dir.join("site.model");
    let path = model.to_str().expect("a plain path");
    let learn = |end: &str| {
        let run = common::tamiz_on(["learn", "-o", path, "-q", "--force"], lines(end).as_bytes());
        assert_eq!(run.code, 0, "{run:?}");
    };
    let attack = b"GET /a?n=1%27%20or%201=1-- HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let request = common::file(&dir, "attack.http", attack);
    let scored = || {
        let request = request.to_str().expect("a plain path");
        let line = tamiz(["score", "--model", path, "--format", "jsonl", request]).ok();
        serde_json::from_str::<serde_json::Value>(&line).expect("JSON")["score"].clone()
    };
    learn("");
    let first = scored();
    let served = Served::start(&["--model", path]);
    let ask = || served.connect().ask("POST", "/v1/score", &[], attack).json();
    let answer = ask();
    assert_eq!(answer["score"], first);
    assert!(answer["p_value"].as_f64().expect("a number") < 0.05);
    assert!(!answer["reasons"].as_array().expect("a list").is_empty());
    // A bad file leaves the model before in use, and no request goes without its answer while one is read.
    std::fs::write(&model, "no model").expect("a file");
    let mut client = served.connect();
    for _ in 0..50 {
        served.signal("-HUP");
        assert_eq!(client.ask("POST", "/v1/score", &[], attack).json()["score"], first);
    }
    learn("%27%20or%201=1--");
    let second = scored();
    assert_ne!(first, second);
    common::wait_until(
        || {
            served.signal("-HUP");
            ask()["score"] == second
        },
        || "the model is not read again".to_owned(),
    );
    let run = tamiz(["serve", "--model", "/nowhere/site.model"]);
    assert!(run.fails(1).contains("cannot use the model"), "{run:?}");
    let (code, log) = served.stop();
    assert_eq!(code, Some(0));
    assert!(
        log.contains("the model before stays in use") && log.contains("the model was read again"),
        "{log}"
    );
}
