//! `tamiz serve`, as proxies meet it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use crate::common;
use crate::proxies::free_address;

/// Where it listens.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) http: SocketAddr,
    pub(crate) spoe: SocketAddr,
    pub(crate) ext_proc: SocketAddr,
}

impl Places {
    /// Free addresses, at which an agent can be started again.
    pub(crate) fn free() -> Self {
        Places { http: free_address(), spoe: free_address(), ext_proc: free_address() }
    }

    /// One address for all of them: for what is no agent.
    pub(crate) fn all_at(address: SocketAddr) -> Self {
        Places { http: address, spoe: address, ext_proc: address }
    }
}

/// A running service; it stops when it is dropped.
pub(crate) struct Agent {
    child: Child,
    pub(crate) places: Places,
}

impl Agent {
    /// Starts it where the system has ports.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_at(&Places::all_at("127.0.0.1:0".parse().unwrap()), arguments)
    }

    /// Starts it at places that are free. No connection is too slow for it, however slow the machine is.
    pub(crate) fn start_at(places: &Places, arguments: &[&str]) -> Self {
        let mut child = common::command()
            .args(["serve", "--log-level", "warn", "--listen", &places.http.to_string()])
            .args(["--spoe", &places.spoe.to_string(), "--ext-proc", &places.ext_proc.to_string()])
            .args([
                "--threads",
                "2",
                "--head-timeout",
                "600",
                "--body-timeout",
                "600",
                "--write-timeout",
                "600",
            ])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        let mut next = |start: &str| {
            let line = lines.next().expect("a line").expect("text");
            let address = line.strip_prefix(start).unwrap_or_else(|| panic!("no {start}: {line}"));
            address.trim_end_matches('/').parse().unwrap()
        };
        let places = Places { http: next("http://"), spoe: next("spoe://"), ext_proc: next("ext-proc://") };
        Agent { child, places }
    }

    /// Sends it a signal, as `-STOP`.
    pub(crate) fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
