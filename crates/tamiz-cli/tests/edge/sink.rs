//! Documents of all that proxies ask about, in a file and in NATS.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::agent::Agent;
use crate::backend;
use crate::client::Client;
use crate::common::{self, PATIENCE, wait_until};
use crate::flags::{seen, send};
use crate::proxies::{Kind, Proxy, find, free_address};

fn check(agent: &Agent, n: usize) {
    let mut client = Client::new(TcpStream::connect(agent.places.http).unwrap());
    let (target, id) = (format!("/item/{n}"), n.to_string());
    let answer =
        client.ask("GET", "/check", &[("x-original-uri", &target[..]), ("x-tamiz-id", &id[..])], b"");
    assert_eq!(answer.status, 200);
}

fn counter(agent: &Agent, name: &str) -> u64 {
    let mut client = Client::new(TcpStream::connect(agent.places.http).unwrap());
    let text = client.ask("GET", "/metrics", &[], b"").text();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0, |value| value.parse().unwrap())
}

#[test]
fn a_file_has_every_document_with_its_id() {
    let file = common::scratch("edge-sink").join("documents.jsonl");
    let agent = Agent::start(&["--sink", &format!("file:{}", file.display())]);
    (0..50).for_each(|n| check(&agent, n));
    agent.signal("-TERM");
    let lines = || std::fs::read_to_string(&file).unwrap();
    wait_until(|| lines().ends_with('\n') && lines().lines().count() == 50, lines);
    for (n, line) in lines().lines().enumerate() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(json["id"], n.to_string());
        assert_eq!(json["url.path"], format!("/item/{n}"));
    }
}

/// An identifier of a client's own is not written down, though Envoy believes that of a client on a private network.
fn own_ids_are_not_told(kind: Kind) {
    const OWN: &str = "4f0a6c1e-98d7-4c55-b1a2-6e3f5d7c9b80";
    let file = common::scratch(&format!("edge-own-id-{kind:?}")).join("documents.jsonl");
    let agent = Agent::start(&["--sink", &format!("file:{}", file.display())]);
    let Some(proxy) = Proxy::start(kind, "own-id", &agent.places, backend::start()) else { return };
    let request =
        format!("GET / HTTP/1.1\r\nHost: ex.com\r\nX-Request-Id: {OWN}\r\nConnection: close\r\n\r\n");
    let lines = || std::fs::read_to_string(&file).unwrap();
    let is_told = || {
        assert!(!seen(&send(proxy.address, request.as_bytes()), "x-request-id").contains(&OWN.to_owned()));
        lines().ends_with('\n')
    };
    wait_until(is_told, || proxy.logs());
    for line in lines().lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = json["id"].as_str().unwrap();
        assert!(id.len() == OWN.len() && id != OWN, "{id}");
    }
}

#[test]
fn own_ids_are_not_told_by_ext_authz() {
    own_ids_are_not_told(Kind::EnvoyExtAuthz);
}

#[test]
fn own_ids_are_not_told_by_ext_proc() {
    own_ids_are_not_told(Kind::EnvoyExtProc);
}

struct Nats(Child);

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Nats {
    fn start(address: SocketAddr) -> Option<Self> {
        let mut command = Command::new(find("nats-server")?);
        command.args(["--addr", "127.0.0.1", "--port", &address.port().to_string()]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until(|| TcpStream::connect(address).is_ok(), || "NATS does not listen".to_owned());
        Some(Nats(child))
    }
}

/// Somebody who listens to a subject.
struct Listener(BufReader<TcpStream>);

impl Listener {
    fn new(address: SocketAddr, subject: &str) -> Self {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
            .write_all(format!("CONNECT {{\"verbose\":false}}\r\nSUB {subject} 1\r\nPING\r\n").as_bytes())
            .unwrap();
        let mut listener = Listener(BufReader::new(stream));
        while listener.line() != "PONG" {}
        listener
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.0.read_line(&mut line).unwrap() > 0, "NATS is gone");
        line.trim_end().to_owned()
    }

    fn message(&mut self) -> serde_json::Value {
        loop {
            if self.line().starts_with("MSG ") {
                return serde_json::from_str(&self.line()).unwrap();
            }
        }
    }
}

#[test]
fn nats_has_them_also_after_it_was_away() {
    let address = free_address();
    let agent = Agent::start(&["--sink", &format!("nats://{address}/edge.documents")]);
    // Nobody is there yet, and nobody waits.
    check(&agent, 0);
    let Some(nats) = Nats::start(address) else { return };
    let mut listener = Listener::new(address, "edge.>");
    wait_until(|| counter(&agent, "tamiz_sink_documents_total") > 0, || "nothing is published".to_owned());
    for n in 1..20 {
        check(&agent, n);
    }
    let mut ids = Vec::new();
    while ids.last() != Some(&"19".to_owned()) {
        let message = listener.message();
        let id = message["id"].as_str().unwrap().to_owned();
        assert_eq!(message["url.path"], format!("/item/{id}"));
        ids.push(id);
    }
    assert!(ids.len() >= 19, "{ids:?}");
    drop(nats);
    (20..30).for_each(|n| check(&agent, n));
    let _nats = Nats::start(address).unwrap();
    let mut listener = Listener::new(address, "edge.>");
    // Some went down with the server, and some go to a connection that is gone; those who come after that are heard.
    let (heard, hearing) = mpsc::channel();
    thread::spawn(move || while heard.send(listener.message()).is_ok() {});
    let is_heard = || {
        check(&agent, 31);
        hearing.recv_timeout(Duration::from_millis(100)).is_ok_and(|message| message["id"] == "31")
    };
    wait_until(is_heard, || "nothing is published any more".to_owned());
    drop(hearing);
}
