//! An application that tells what reached it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

/// Starts it; it lives as long as the test.
pub(crate) fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A proxy may go at any time.
            thread::spawn(move || drop(serve(stream)));
        }
    });
    address
}

/// Answers each request with its head, as it came.
fn serve(stream: TcpStream) -> std::io::Result<()> {
    let mut out = stream.try_clone()?;
    let mut from = BufReader::new(stream);
    loop {
        let mut head = Vec::new();
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let start = head.len();
            if from.read_until(b'\n', &mut head)? == 0 {
                return Ok(());
            }
            let line = String::from_utf8_lossy(&head[start..]).trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            is_chunked |= line.starts_with("transfer-encoding:");
        }
        if is_chunked {
            loop {
                let mut line = String::new();
                from.read_line(&mut line)?;
                let size = u64::from_str_radix(line.trim(), 16).unwrap();
                std::io::copy(&mut (&mut from).take(size + 2), &mut std::io::sink())?;
                if size == 0 {
                    break;
                }
            }
        } else {
            std::io::copy(&mut (&mut from).take(length), &mut std::io::sink())?;
        }
        let mut answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", head.len()).into_bytes();
        if !head.starts_with(b"HEAD ") {
            answer.extend_from_slice(&head);
        }
        out.write_all(&answer)?;
    }
}
