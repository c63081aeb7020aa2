//! `tamiz serve --probe`: asks a service whether it is healthy, for images that have no other program to ask with. How long
//! that may take is for those who ask: an image's health check has a time limit of its own.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;

use crate::failure::{Failure, reason};

/// Succeeds if the service at `address` says that it is healthy.
pub(super) fn run(address: SocketAddr) -> Result<ExitCode, Failure> {
    match status(address) {
        Ok(line) if line.starts_with(b"HTTP/1.1 200 ") => Ok(ExitCode::SUCCESS),
        Ok(_) => Err(Failure::Input(format!("{address} does not answer as a healthy service does"))),
        Err(error) => Err(Failure::Input(format!("{address}: {}", reason(&error)))),
    }
}

/// The beginning of what it answers.
fn status(address: SocketAddr) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut line = Vec::new();
    stream.take(13).read_to_end(&mut line)?;
    Ok(line)
}
