//! The service in this process, and a client that can be as bad as it likes.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test file uses its own part")]

pub mod client;

use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Duration;

use tamiz::Config;
use tamiz_serve::{Listen, Place, Server, Settings};
use tokio::runtime::{Builder, RuntimeFlavor};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

pub use client::{Answer, Client, PATIENCE};

/// A limit that nobody reaches.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// The service, running in this process; it stops when it is dropped.
///
/// Its clock stands still unless the test moves it, so that no client is ever too slow by accident. All time limits but
/// `drain_time` are a year; a test sets the one that it is about.
pub struct Service {
    pub places: Vec<Place>,
    clock: Clock,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Starts one with the settings of the command, but for its time limits and what `change` says.
    pub fn start(change: impl FnOnce(&mut Settings)) -> Self {
        Self::start_with(Config::default(), change)
    }

    /// Starts one with another configuration.
    pub fn start_with(config: Config, change: impl FnOnce(&mut Settings)) -> Self {
        let mut runtime = Builder::new_current_thread();
        Self::start_on(runtime.start_paused(true), config, change)
    }

    /// Starts one on several threads, as the command does. Its clock is the real one: nothing may depend on it.
    pub fn start_on_threads(change: impl FnOnce(&mut Settings)) -> Self {
        Self::start_on(Builder::new_multi_thread().worker_threads(2), Config::default(), change)
    }

    fn start_on(runtime: &mut Builder, config: Config, change: impl FnOnce(&mut Settings)) -> Self {
        let runtime = runtime.enable_all().build().unwrap();
        let mut settings = Settings::default();
        settings.listen = vec!["127.0.0.1:0".parse().unwrap()];
        let limits = &mut settings.limits;
        (limits.head_time, limits.body_time, limits.write_time) = (NEVER, NEVER, NEVER);
        (limits.drain_time, limits.grace_time) = (Duration::from_millis(100), NEVER);
        change(&mut settings);
        let (stop, stopped) = oneshot::channel();
        let (started, places) = std::sync::mpsc::channel();
        let (clock, moves) = Clock::new();
        let thread = std::thread::spawn(move || {
            // A paused clock moves by itself when all tasks wait, unless a blocking task runs.
            let (running, ended) = std::sync::mpsc::channel::<()>();
            runtime.spawn_blocking(move || ended.recv());
            runtime.block_on(async {
                tokio::spawn(moves);
                let server = Server::bind(config, &settings).await.unwrap();
                started.send(server.places().unwrap()).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
            drop(running);
        });
        Service { places: places.recv().unwrap(), clock, stop: Some(stop), thread: Some(thread) }
    }

    /// Moves the clock on.
    pub fn advance(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// Does something while the clock goes on, a second at a time, as fast as it can.
    pub fn while_time_passes<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Ends the thread that moves the clock, also where `work` panics.
        struct End<'a>(&'a AtomicBool);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    self.advance(Duration::from_secs(1));
                }
            });
            let _end = End(&is_done);
            work()
        })
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

    /// Lets time pass until it has stopped.
    pub fn wait(&mut self) {
        self.join().unwrap();
    }

    fn join(&mut self) -> std::thread::Result<()> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        while !thread.is_finished() {
            self.advance(Duration::from_secs(1));
        }
        thread.join()
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
        let ended = self.join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// Moves the clock of a service.
struct Clock(UnboundedSender<(Duration, Sender<()>)>);

impl Clock {
    /// Returns the clock, and the task that moves it on the runtime of the service.
    fn new() -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (ask, mut asked) = tokio::sync::mpsc::unbounded_channel::<(Duration, Sender<()>)>();
        let moves = async move {
            let is_paused =
                tokio::runtime::Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
            while let Some((time, done)) = asked.recv().await {
                if is_paused {
                    tokio::time::advance(time).await;
                } else {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                let _ = done.send(());
            }
        };
        (Clock(ask), moves)
    }

    /// Moves it on, and returns when timers have been looked at. Where the service has stopped, nothing happens.
    fn advance(&self, time: Duration) {
        let (done, is_done) = std::sync::mpsc::channel();
        if self.0.send((time, done)).is_ok() {
            let _ = is_done.recv();
        }
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
