//! HAProxy as it should be, and as it should not.

use super::frame::{push_bytes, push_number};
use super::*;
use crate::settings::Limits;
use tamiz::Config;
use tokio::io::DuplexStream;

/// An agent, and the other end of its connection.
struct Agent {
    stream: DuplexStream,
    task: tokio::task::JoinHandle<()>,
    stage: watch::Sender<Stage>,
    app: Arc<App>,
}

impl Agent {
    fn start() -> Self {
        let app = Arc::new(App::new(Config::default(), Limits::default(), "NUL".parse().unwrap()));
        let (stream, theirs) = tokio::io::duplex(1 << 20);
        let stage = watch::Sender::new(Stage::Open);
        let task = tokio::spawn(serve(theirs, Arc::clone(&app), stage.subscribe()));
        Agent { stream, task, stage, app }
    }

    async fn greeted() -> Self {
        let mut agent = Agent::start();
        agent.send(&hello("2.0", 16_380, false)).await;
        let (kind, payload) = agent.frame().await.unwrap();
        assert_eq!(kind, AGENT_HELLO);
        let mut list = Reader(&payload);
        assert_eq!(list.pair(), Ok(Some((&b"version"[..], Value::Bytes(b"2.0")))));
        assert_eq!(list.pair(), Ok(Some((&b"max-frame-size"[..], Value::Number(16_380)))));
        agent
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    async fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let len = self.stream.read_u32().await.ok()?;
        let mut bytes = vec![0; len as usize];
        self.stream.read_exact(&mut bytes).await.ok()?;
        let frame = Frame::read(&bytes).unwrap();
        Some((frame.kind, frame.payload.to_vec()))
    }

    /// That it is told to go, why, and that nothing more comes.
    async fn expect_told(mut self, fault: Fault) {
        let (kind, payload) = self.frame().await.expect("a word at the end");
        assert_eq!(kind, AGENT_DISCONNECT);
        let mut list = Reader(&payload);
        assert_eq!(list.pair(), Ok(Some((&b"status-code"[..], Value::Number(fault as u64)))));
        assert_eq!(self.frame().await, None);
        self.task.await.unwrap();
        assert_eq!(self.app.metrics.connections.get(), 0);
    }
}

fn frame(kind: u8, number: u64, payload: &[u8]) -> Vec<u8> {
    Frame { kind, is_whole: true, stream: 1, number, payload }.written()
}

fn hello(versions: &str, most: u32, is_health_check: bool) -> Vec<u8> {
    let mut payload = Vec::new();
    push_text(&mut payload, "supported-versions", versions);
    push_count(&mut payload, "max-frame-size", most);
    push_text(&mut payload, "capabilities", "");
    push_bytes(&mut payload, b"healthcheck");
    payload.push(if is_health_check { 0x11 } else { 1 });
    frame(HAPROXY_HELLO, 0, &payload)
}

fn notify(number: u64, target: &[u8], body: &[u8]) -> Vec<u8> {
    let mut headers = Vec::new();
    for text in ["host", "ex.com", "x-tamiz-flags", "FORGED", "", ""] {
        push_bytes(&mut headers, text.as_bytes());
    }
    let mut payload = Vec::new();
    push_bytes(&mut payload, b"request");
    let arguments: [(&str, &[u8]); 5] =
        [("method", b"GET"), ("target", target), ("version", b"1.1"), ("headers", &headers), ("body", body)];
    payload.push(arguments.len() as u8 + 1);
    for (name, value) in arguments {
        push_bytes(&mut payload, name.as_bytes());
        payload.push(9);
        push_bytes(&mut payload, value);
    }
    push_bytes(&mut payload, b"document");
    payload.push(0x11);
    frame(NOTIFY, number, &payload)
}

/// The variables that an acknowledgement sets.
fn variables(payload: &[u8]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut list = Reader(payload);
    let mut all = Vec::new();
    while !list.0.is_empty() {
        assert_eq!((list.byte(), list.byte(), list.byte()), (Ok(1), Ok(3), Ok(2)));
        let name = text(list.bytes().unwrap());
        let Value::Bytes(value) = list.value().unwrap() else { panic!("no text") };
        all.push((name, text(value)));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn requests_are_answered_each_with_its_own() {
    let mut agent = Agent::greeted().await;
    for number in 0..20 {
        agent.send(&notify(number, format!("/{number}/../a%00\u{e9}").as_bytes(), b"")).await;
    }
    for number in 0..20 {
        let (kind, payload) = agent.frame().await.unwrap();
        let variables = variables(&payload);
        let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((kind, &names[..]), (ACK, &["flags", "digest", "fingerprint", "denied", "document"][..]));
        assert!(variables[0].1.contains("DOTDOT") && variables[0].1.contains("NUL"), "{}", variables[0].1);
        assert_eq!(variables[3].1, "1");
        assert!(!variables[4].1.contains("FORGED") && !variables[4].1.contains("x-tamiz"), "{number}");
    }
    // It goes when it is told to, and says so.
    agent.stage.send_replace(Stage::Closing);
    agent.expect_told(Fault::Normal).await;
}

#[tokio::test(start_paused = true)]
async fn frames_come_in_any_pieces() {
    let mut agent = Agent::start();
    let all = [hello("1.0, 2.0", 16_380, false), notify(7, b"/a", b"x=1"), notify(8, b"/b", b"")].concat();
    for byte in all {
        agent.send(&[byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(agent.frame().await.unwrap().0, AGENT_HELLO);
    for path in ["/a", "/b"] {
        let (kind, payload) = agent.frame().await.unwrap();
        assert!(kind == ACK && variables(&payload)[4].1.contains(&format!("P:{path} ")));
    }
    agent.send(&frame(HAPROXY_DISCONNECT, 0, b"")).await;
    agent.expect_told(Fault::Normal).await;
}

#[tokio::test(start_paused = true)]
async fn a_health_check_is_greeted_and_left() {
    let mut agent = Agent::start();
    agent.send(&hello("2.0", 16_380, true)).await;
    assert_eq!(agent.frame().await.unwrap().0, AGENT_HELLO);
    assert_eq!(agent.frame().await, None);
}

#[tokio::test(start_paused = true)]
async fn bad_greetings_are_refused() {
    let without = |name: &str| {
        let mut payload = Vec::new();
        if name != "version" {
            push_text(&mut payload, "supported-versions", "2.0");
        }
        if name != "size" {
            push_count(&mut payload, "max-frame-size", 16_380);
        }
        frame(HAPROXY_HELLO, 0, &payload)
    };
    for (greeting, fault) in [
        (hello("1.0", 16_380, false), Fault::BadVersion),
        (hello("", 16_380, false), Fault::BadVersion),
        (hello("3.0,20", 16_380, false), Fault::BadVersion),
        (hello("2.0", 255, false), Fault::BadFrameSize),
        (without("version"), Fault::NoVersion),
        (without("size"), Fault::NoFrameSize),
        (notify(1, b"/", b""), Fault::Invalid),
        (frame(AGENT_HELLO, 0, b""), Fault::Invalid),
        (frame(HAPROXY_HELLO, 0, b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), Fault::Invalid),
        (b"\0\0\0\0".to_vec(), Fault::Invalid),
        (b"\xFF\xFF\xFF\xFFx".to_vec(), Fault::TooBig),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), Fault::TooBig),
        ((LONGEST + 1).to_be_bytes().to_vec(), Fault::TooBig),
    ] {
        let mut agent = Agent::start();
        agent.send(&greeting).await;
        agent.expect_told(fault).await;
    }
}

#[tokio::test(start_paused = true)]
async fn frames_that_were_not_agreed_upon_are_refused() {
    let broken_list = {
        let mut payload = Vec::new();
        push_bytes(&mut payload, b"request");
        payload.push(255);
        frame(NOTIFY, 1, &payload)
    };
    let broken_headers = {
        let mut payload = Vec::new();
        push_bytes(&mut payload, b"request");
        payload.push(1);
        push_text(&mut payload, "headers", "\u{7f}abc");
        frame(NOTIFY, 1, &payload)
    };
    let piece = Frame { kind: NOTIFY, is_whole: true, stream: 1, number: 1, payload: b"" };
    let mut fragment = piece.written();
    fragment[8] = 0;
    for (bytes, fault) in [
        (notify(1, b"/", &[b'x'; 17_000]), Fault::TooBig),
        (broken_list, Fault::Invalid),
        (broken_headers, Fault::Invalid),
        (fragment, Fault::Fragmented),
        (frame(HAPROXY_HELLO, 0, b""), Fault::Invalid),
        (frame(ACK, 0, b""), Fault::Invalid),
        (frame(0, 0, b""), Fault::Fragmented),
    ] {
        let mut agent = Agent::greeted().await;
        agent.send(&bytes).await;
        agent.expect_told(fault).await;
    }
    // What is of a later version is passed over.
    let mut agent = Agent::greeted().await;
    agent.send(&frame(60, 0, b"whatever")).await;
    agent.send(&notify(1, b"/", b"")).await;
    assert_eq!(agent.frame().await.unwrap().0, ACK);
}

#[tokio::test(start_paused = true)]
async fn any_bytes_end_without_harm() {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    for _ in 0..300 {
        let mut agent = Agent::greeted().await;
        let mut bytes = notify(1, b"/a?b", b"c=d");
        for _ in 0..random() % 8 {
            let at = 4 + usize::from(random()) % (bytes.len() - 4);
            bytes[at] = random();
        }
        agent.send(&bytes).await;
        agent.stream.shutdown().await.unwrap();
        while agent.frame().await.is_some() {}
        agent.task.await.unwrap();
    }
    let mut out = Vec::new();
    push_number(&mut out, 300);
    assert_eq!(out.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_document_that_does_not_fit_is_left_out() {
    let mut agent = Agent::start();
    agent.send(&hello("2.0", 512, false)).await;
    agent.frame().await.unwrap();
    agent.send(&notify(1, b"/", b"")).await;
    assert_eq!(variables(&agent.frame().await.unwrap().1).len(), 5);
    let long = "a/".repeat(120);
    agent.send(&notify(2, format!("/{long}").as_bytes(), b"")).await;
    let variables = variables(&agent.frame().await.unwrap().1);
    assert_eq!(variables.last().unwrap().0, "denied");
}
