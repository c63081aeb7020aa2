//! The service in this process, and a client that can be as bad as it likes.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test file uses its own part")]

pub mod client;

use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use tamiz::Config;
use tamiz_serve::{Listen, Place, Server, Settings};
use tokio::sync::oneshot;

pub use client::{Answer, Client, PATIENCE};

/// The service, running; it stops when it is dropped.
pub struct Service {
    pub places: Vec<Place>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// One with settings like those of the command, but for what `change` says.
    pub fn start(change: impl FnOnce(&mut Settings)) -> Self {
        Self::start_with(Config::default(), change)
    }

    pub fn start_with(config: Config, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::default();
        settings.listen = vec!["127.0.0.1:0".parse().unwrap()];
        settings.limits.drain_time = Duration::from_millis(100);
        change(&mut settings);
        let (stop, stopped) = oneshot::channel();
        let (started, places) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let server = Server::bind(config, &settings).await.unwrap();
                started.send(server.places().unwrap()).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
        });
        Service { places: places.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    pub fn address(&self) -> SocketAddr {
        match self.places[0].listen {
            Listen::Tcp(address) => address,
            ref other => panic!("{other:?}"),
        }
    }

    pub fn connect(&self) -> Client<TcpStream> {
        Client::new(TcpStream::connect(self.address()).unwrap())
    }

    /// Tells it to stop, and does not wait.
    pub fn tell_to_stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until it has stopped.
    pub fn wait(&mut self) {
        self.thread.take().unwrap().join().unwrap();
    }

    /// One question on a connection of its own.
    pub fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.connect().ask(method, target, headers, body)
    }

    pub fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, &[], b"")
    }

    pub fn post(&self, target: &str, body: &[u8]) -> Answer {
        self.ask("POST", target, &[], body)
    }

    /// The value of a counter.
    pub fn counter(&self, name: &str) -> u64 {
        let text = self.get("/metrics").text();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0, |value| value.parse().unwrap())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking());
        }
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
