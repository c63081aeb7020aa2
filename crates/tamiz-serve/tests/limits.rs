//! Too much, too slow, too many; and the end.

use crate::common;

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{Client, Service};

const REQUEST: &[u8] = b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";

#[test]
fn a_body_too_long_is_refused_whichever_way_it_comes() {
    let service = Service::start(|settings| settings.limits.body = 100_000);
    assert_eq!(service.post("/v1/canonicalize", &vec![b'x'; 100_000]).status, 200);
    service.post("/v1/canonicalize", &vec![b'x'; 100_001]).fails(413, "too-large");
    service.post("/v1/parts", &vec![b'x'; 150_000]).fails(413, "too-large");
    // What is wrong is told also to who still sends.
    for target in ["/nothing", "/v1/flags", "/v1/canonicalize?x=y", "/v1/batch?x=y"] {
        assert!(service.post(target, &vec![b'x'; 900_000]).status >= 400);
    }
    // Told so before it is sent.
    let mut client = service.connect();
    client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n");
    client.answer().fails(413, "too-large");
    // Without a length.
    let mut client = service.connect();
    client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    client.send(format!("1d4c0\r\n{}\r\n0\r\n\r\n", "x".repeat(120_000)).as_bytes());
    client.answer().fails(413, "too-large");
}

#[test]
fn slow_heads_are_cut_off() {
    let service = Service::start(|settings| settings.limits.head_time = Duration::from_secs(30));
    for begun in [&b""[..], b"GET /healthz HTTP/1.1\r\nx: "] {
        let mut client = service.connect();
        client.send(begun);
        assert_eq!(service.while_time_passes(|| client.rest()), b"");
    }
    // A byte now and then does not help.
    let mut client = service.connect();
    let is_cut_off = (0..10_000).any(|_| {
        service.advance(Duration::from_secs(1));
        client.try_send(b"x").is_err()
    });
    assert!(is_cut_off);
    // Nor does a request before.
    let mut client = service.connect();
    assert_eq!(client.ask("GET", "/healthz", &[], b"").status, 200);
    assert_eq!(service.while_time_passes(|| client.rest()), b"");
    assert!(service.counter("tamiz_rejections_total{reason=\"slow\"}") >= 3);
}

#[test]
fn slow_bodies_are_told_so() {
    let service = Service::start(|settings| settings.limits.body_time = Duration::from_secs(15));
    let mut client = service.connect();
    client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nGET");
    let answer = service.while_time_passes(|| client.answer());
    answer.fails(408, "slow");
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(client.rest(), b"");
}

#[test]
fn clients_that_do_not_read_are_let_go() {
    let service = Service::start(|settings| settings.limits.write_time = Duration::from_secs(30));
    let mut client = service.connect();
    // More answers than any socket holds, none of them read.
    let asks = b"GET /v1/flags HTTP/1.1\r\nhost: a\r\n\r\n".repeat(1000);
    let _ = client.try_send(&asks);
    while service.counter("tamiz_connections") > 1 {
        service.advance(Duration::from_secs(1));
    }
}

#[test]
fn a_connection_too_many_is_refused() {
    let service = Service::start(|settings| settings.limits.connections = 3);
    let mut open: Vec<_> = (0..3).map(|_| service.connect()).collect();
    for client in &mut open {
        assert_eq!(client.ask("GET", "/healthz", &[], b"").status, 200);
    }
    let mut refused = service.connect();
    let answer = refused.answer();
    answer.fails(503, "overload");
    assert_eq!((answer.header("retry-after"), answer.header("connection")), (Some("1"), Some("close")));
    assert_eq!(refused.rest(), b"");
    // One that has much to say is told all the same.
    let mut talking = service.connect();
    let _ = talking.try_send(&vec![b'x'; 200_000]);
    talking.answer().fails(503, "overload");
    // Those that are open are as before, and a place that is free is taken.
    assert_eq!(open[0].ask("POST", "/v1/canonicalize", &[], REQUEST).status, 200);
    open.pop();
    loop {
        let mut next = service.connect();
        let _ = next.try_send(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n");
        if next.answer_to("GET").is_ok_and(|answer| answer.status == 200) {
            break;
        }
    }
}

#[test]
fn too_many_large_bodies_are_refused_and_small_ones_are_not() {
    let service = Service::start(|settings| settings.limits.large = 1);
    let large = vec![b'x'; 100_000];
    // One that has begun, and holds the only place: the service asks for its body once it has the place.
    let mut first = service.connect();
    first.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 100000\r\n\r\n");
    first.is_told_to_continue();
    first.send(&large[..50_000]);
    let answer = service.post("/v1/canonicalize", &large);
    answer.fails(503, "overload");
    assert_eq!(answer.header("retry-after"), Some("1"));
    let mut chunked = service.connect();
    chunked.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    chunked.send(&[b"186a0\r\n", &large[..], b"\r\n0\r\n\r\n"].concat());
    chunked.answer().fails(503, "overload");
    assert_eq!(service.post("/v1/canonicalize", REQUEST).status, 200);
    first.send(&large[50_000..]);
    assert_eq!(first.answer().status, 200);
    while service.post("/v1/canonicalize", &large).status != 200 {}
}

/// Answers that clients do not read take no more memory than there is room for.
#[cfg(unix)]
#[test]
fn answers_that_nobody_reads_leave_room_for_no_others() {
    use std::os::unix::net::UnixStream;

    let socket = std::env::temp_dir().join(format!("tamiz-held-{}.sock", std::process::id()));
    let service = Service::start(|settings| {
        settings.limits.large = 2;
        settings.limits.body = 2 << 20;
        settings.listen.push(tamiz_serve::Listen::Unix(socket.clone()));
    });
    // More than a Unix socket holds.
    let large = format!("GET /?q={} HTTP/1.1\r\nHost: ex.com\r\n\r\n", "x".repeat((2 << 20) - 100));
    let head = "POST /v1/canonicalize?view=literal HTTP/1.1\r\nhost: a\r\n";
    let ask = || {
        let mut client = Client::new(UnixStream::connect(&socket).unwrap());
        client.send(format!("{head}content-length: {}\r\n\r\n{large}", large.len()).as_bytes());
        client
    };
    let len = ask().answer().body.len();
    assert!(len > 2 << 20, "{len}");
    // Sixteen mebibytes of answers may wait.
    let fit = u64::try_from((16 << 10) / len.div_ceil(1024)).unwrap();
    let mut deaf: Vec<Client<UnixStream>> = Vec::new();
    for asked in 1..=fit {
        deaf.push(ask());
        while service.counter("tamiz_documents_total") <= asked {}
    }
    ask().answer().fails(503, "overload");
    // A small answer needs no room.
    assert_eq!(service.post("/v1/canonicalize", REQUEST).status, 200);
    for mut client in deaf {
        let answer = client.answer();
        assert_eq!((answer.status, answer.body.len()), (200, len));
    }
    while ask().answer().status != 200 {}
}

/// An answer that is larger than all room goes alone.
#[test]
fn an_answer_larger_than_all_room_is_given() {
    let service = Service::start(|settings| {
        settings.limits.large = 1;
        settings.limits.body = 4000;
    });
    let keys: String = (0..120).map(|n| format!("key{n}=%27%22%3Cx&")).collect();
    let request = format!("GET /?{keys} HTTP/1.1\r\n\r\n");
    let json = [("accept", "application/json")];
    for _ in 0..3 {
        let answer =
            service.ask("POST", "/v1/canonicalize?evidence=true&profile=full", &json, request.as_bytes());
        // Sixteen thousand bytes of answers may wait.
        assert!(answer.status == 200 && answer.body.len() > 32 << 10, "{}", answer.body.len());
    }
}

#[test]
fn long_heads_of_proxies_need_a_place() {
    let service = Service::start(|settings| settings.limits.large = 1);
    let long = format!("GET /check HTTP/1.1\r\nhost: a\r\nx-original-uri: /a\r\nx: {}", "x".repeat(40_000));
    let mut first = service.connect();
    first.send(long.as_bytes());
    // It is not whole, and nobody can tell that it was read but who asks for the place.
    while service.post("/v1/canonicalize", &vec![b'x'; 100_000]).status == 200 {}
    let mut second = service.connect();
    second.send(long.as_bytes());
    second.answer().fails(503, "overload");
    assert_eq!(service.ask("GET", "/check", &[("x-original-uri", "/a")], b"").status, 200);
    first.send(b"\r\n\r\n");
    assert_eq!(first.answer().status, 200);
    while service.post("/v1/canonicalize", &vec![b'x'; 100_000]).status != 200 {}
}

#[test]
fn overload_answers_everybody() {
    let service = Service::start(|settings| settings.limits.large = 2);
    let large = format!("GET /?{} HTTP/1.1\r\n\r\n", "a=%3Cb%3E&".repeat(40_000)).into_bytes();
    let (good, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let answer = service.post("/v1/canonicalize", &large);
                    match answer.status {
                        200 => good.fetch_add(1, Ordering::Relaxed),
                        _ => {
                            answer.fails(503, "overload");
                            refused.fetch_add(1, Ordering::Relaxed)
                        }
                    };
                }
            });
        }
    });
    let (good, refused) = (good.into_inner(), refused.into_inner());
    assert_eq!(good + refused, 36);
    assert!(good > 0);
    assert_eq!(service.counter("tamiz_rejections_total{reason=\"overload\"}"), refused as u64);
}

#[test]
fn the_end_loses_no_request_that_was_taken() {
    let mut service = Service::start(|settings| settings.limits.drain_time = Duration::from_secs(3));
    let address = service.address();
    let large = format!("POST / HTTP/1.1\r\n\r\n{}", "a=%3Cb%3E&".repeat(40_000)).into_bytes();
    // A stream that is open, a body that has half come, and an idle connection.
    let mut stream = service.connect();
    stream.send(b"POST /v1/batch HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    assert_eq!(stream.head().unwrap().0, 200);
    let mut half = service.connect();
    half.send(
        format!("POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n", large.len())
            .as_bytes(),
    );
    half.send(&large[..1000]);
    let mut idle = service.connect();
    assert_eq!(idle.ask("GET", "/healthz", &[], b"").status, 200);
    let silent = service.connect();
    let (answered, begun) = (AtomicUsize::new(0), Barrier::new(5));
    std::thread::scope(|scope| {
        // Clients that ask without a pause until they are told that the connection ends.
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = Client::new(std::net::TcpStream::connect(address).unwrap());
                assert_eq!(client.ask("GET", "/healthz", &[], b"").status, 200);
                begun.wait();
                loop {
                    let answer = client.ask("POST", "/v1/canonicalize", &[], &large[..2000]);
                    assert_eq!(answer.status, 200);
                    answered.fetch_add(1, Ordering::Relaxed);
                    if answer.header("connection") == Some("close") {
                        break;
                    }
                }
            });
        }
        begun.wait();
        service.tell_to_stop();
    });
    assert!(answered.into_inner() >= 4);
    assert_eq!(service.while_time_passes(|| idle.rest()), b"");
    half.send(&large[1000..]);
    let answer = half.answer();
    assert_eq!(answer.status, 200);
    let line = b"{\"raw\":\"GET /last HTTP/1.1\"}\n";
    stream.send(&[format!("{:x}\r\n", line.len()).as_bytes(), line, b"\r\n0\r\n\r\n"].concat());
    let chunk = stream.chunk().unwrap().unwrap();
    assert!(String::from_utf8(chunk).unwrap().contains("/last"));
    assert_eq!(stream.chunk().unwrap(), None);
    drop(silent);
    service.wait();
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn who_asks_while_it_stops_is_told() {
    let mut service = Service::start(|settings| settings.limits.drain_time = Duration::from_secs(4));
    let mut client = service.connect();
    assert_eq!(client.ask("GET", "/readyz", &[], b"").status, 200);
    service.tell_to_stop();
    loop {
        let answer = client.ask("GET", "/readyz", &[], b"");
        if answer.status == 503 {
            answer.fails(503, "stopping");
            assert_eq!(answer.header("connection"), Some("close"));
            break;
        }
    }
    // Requests are still answered on new connections.
    let answer = service.post("/v1/canonicalize", REQUEST);
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
}

#[test]
fn the_end_does_not_wait_for_ever() {
    let mut service = Service::start(|settings| settings.limits.grace_time = Duration::from_secs(30));
    let mut half = service.connect();
    half.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nabc");
    assert_eq!(service.get("/healthz").status, 200);
    service.tell_to_stop();
    service.wait();
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::PathBuf;
    use tamiz_serve::Listen;

    fn folder(name: &str) -> PathBuf {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_socket_in_the_file_system() {
        let folder = folder("socket");
        let path = folder.join("s");
        // One that somebody left behind is replaced.
        drop(UnixListener::bind(&path).unwrap());
        assert!(UnixStream::connect(&path).is_err());
        let service = Service::start(|settings| {
            settings.listen.push(Listen::Unix(path.clone()));
            settings.socket_mode = 0o600;
        });
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut client = Client::new(UnixStream::connect(&path).unwrap());
        let answer = client.ask("POST", "/v1/canonicalize", &[], REQUEST);
        assert!(answer.status == 200 && answer.text().starts_with("M:GET\n"));
        answer.is_marked();
        assert_eq!(service.get("/healthz").status, 200);
        let names = std::fs::read_dir(&folder).unwrap().count();
        assert_eq!(names, 1, "nothing else is left there");
        drop(service);
        assert!(!path.exists());
    }

    #[test]
    fn what_is_somebody_else_s_is_left_alone() {
        let folder = folder("socket-taken");
        let (file, taken) = (folder.join("file"), folder.join("taken"));
        std::fs::write(&file, "mine").unwrap();
        let _listener = UnixListener::bind(&taken).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for path in [file.clone(), taken, folder.join("none/s"), folder.clone()] {
            let mut settings = tamiz_serve::Settings::default();
            settings.listen = vec![Listen::Unix(path)];
            let bound = runtime.block_on(tamiz_serve::Server::bind(tamiz::Config::default(), &settings));
            let error = bound.err().unwrap().to_string();
            assert!(error.starts_with("cannot listen at unix:"), "{error}");
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
    }
}
