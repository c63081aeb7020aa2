//! Sockets, connections, and the end of it all.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tamiz::Config;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::app::App;
use crate::connection::{self, Stage};
#[cfg(feature = "ext-proc")]
use crate::edge::ext_proc;
use crate::edge::spoe;
use crate::front::Front;
use crate::listen::{Place, Protocol, Socket};
use crate::problem::Problem;
use crate::settings::{Limits, Settings};
use crate::sink::Sink;

/// The service, listening.
pub struct Server {
    sockets: Vec<(Socket, Protocol)>,
    shared: Shared,
}

/// The state that all listeners share.
#[derive(Clone)]
struct Shared {
    app: Arc<App>,
    front: Front,
    /// One for each connection that may be open.
    places: Arc<Semaphore>,
    /// One for each that may be told that there are too many.
    refusals: Arc<Semaphore>,
    stage: watch::Sender<Stage>,
}

/// How many connections too many are told so at a time; others are just closed.
const REFUSALS: usize = 64;

/// How long to wait when the system has no more sockets to give.
const BREATH: Duration = Duration::from_millis(50);

impl Server {
    /// Opens the sockets.
    ///
    /// # Errors
    /// When one of them cannot be opened; the message names it.
    pub async fn bind(config: Config, settings: &Settings) -> io::Result<Server> {
        let mut sockets = Vec::new();
        let all = [
            (&settings.listen, Protocol::Http),
            (&settings.spoe, Protocol::Spoe),
            #[cfg(feature = "ext-proc")]
            (&settings.ext_proc, Protocol::ExtProc),
        ];
        for (listen, protocol) in
            all.into_iter().flat_map(|(all, protocol)| all.iter().map(move |one| (one, protocol)))
        {
            let socket = Socket::open(listen, settings.socket_mode).await.map_err(|error| {
                let place = Place { listen: listen.clone(), protocol };
                io::Error::new(error.kind(), format!("cannot listen at {place}: {error}"))
            })?;
            sockets.push((socket, protocol));
        }
        let mut app = App::new(config, settings.limits.clone(), settings.deny.clone());
        app.deny_p = settings.deny_p;
        if let Some(to) = &settings.sink {
            app.sink = Some(Sink::open(to, app.metrics.sink.clone())?);
        }
        if let Some(model) = &settings.model {
            app.load_model(model)?;
        }
        let app = Arc::new(app);
        app.warm_up();
        let shared = Shared {
            front: Front::new(Arc::clone(&app)),
            app,
            places: Arc::new(Semaphore::new(settings.limits.connections)),
            refusals: Arc::new(Semaphore::new(REFUSALS)),
            stage: watch::Sender::new(Stage::Open),
        };
        Ok(Server { sockets, shared })
    }

    /// Where it listens, with the ports that the system chose.
    pub fn places(&self) -> io::Result<Vec<Place>> {
        let place = |(socket, protocol): &(Socket, Protocol)| {
            Ok(Place { listen: socket.place()?, protocol: *protocol })
        };
        self.sockets.iter().map(place).collect()
    }

    /// Answers until `stop` is done, and then what was asked before that.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Server { sockets, shared } = self;
        let mut accepting = JoinSet::new();
        for (socket, protocol) in sockets {
            accepting.spawn(accept(socket, protocol, shared.clone()));
        }
        stop.await;
        tracing::info!("stopping");
        shared.app.stop();
        tokio::time::sleep(shared.app.limits.drain_time).await;
        shared.stage.send_replace(Stage::Closing);
        while accepting.join_next().await.is_some() {}
        let Limits { connections, grace_time, .. } = shared.app.limits;
        let all = shared.places.acquire_many(u32::try_from(connections).unwrap_or(u32::MAX));
        let is_over = tokio::time::timeout(grace_time, all).await.is_ok();
        if let Some(sink) = &shared.app.sink {
            sink.finish().await;
        }
        if is_over {
            tracing::info!("stopped");
        } else {
            tracing::warn!("stopped with connections open: their time is up");
        }
    }
}

/// Takes connections until the end.
async fn accept(socket: Socket, protocol: Protocol, shared: Shared) {
    let mut stage = shared.stage.subscribe();
    loop {
        let is_over = tokio::select! {
            // Those that wait are taken before the door is shut.
            biased;
            () = accept_one(&socket, protocol, &shared) => false,
            () = connection::closing(&mut stage) => true,
        };
        if is_over {
            break;
        }
    }
}

async fn accept_one(socket: &Socket, protocol: Protocol, shared: &Shared) {
    let accepted = match socket {
        Socket::Tcp(listener) => listener.accept().await.map(|(stream, _)| {
            // Answers are written in one go: there is nothing to wait for.
            let _ = stream.set_nodelay(true);
            shared.take(stream, protocol);
        }),
        #[cfg(unix)]
        Socket::Unix(listener, _) => listener.accept().await.map(|(stream, _)| shared.take(stream, protocol)),
    };
    if accepted.is_err() {
        tracing::warn!("a connection could not be accepted");
        tokio::time::sleep(BREATH).await;
    }
}

impl Shared {
    /// Serves a connection, or refuses it where there are too many.
    fn take<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, stream: S, protocol: Protocol) {
        let app = Arc::clone(&self.app);
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            let (front, stage) = (self.front.clone(), self.stage.subscribe());
            tokio::spawn(async move {
                match protocol {
                    Protocol::Http => connection::serve(stream, app, front, stage).await,
                    Protocol::Spoe => spoe::serve(stream, app, stage).await,
                    #[cfg(feature = "ext-proc")]
                    Protocol::ExtProc => ext_proc::serve(stream, app, stage).await,
                }
                drop(place);
            });
            return;
        }
        app.metrics.rejected(Problem::Overload);
        if protocol != Protocol::Http {
            // Proxies go on without an answer as they are told to.
            return;
        }
        if let Ok(refusal) = Arc::clone(&self.refusals).try_acquire_owned() {
            tokio::spawn(async move {
                connection::refuse(stream, app).await;
                drop(refusal);
            });
        }
    }
}

/// Runs the service until the process is told to stop (SIGTERM, or SIGINT from a terminal); told twice, it stops at
/// once. `ready` is called with the places where it listens.
///
/// # Errors
/// When it cannot begin.
pub fn run(config: Config, settings: &Settings, ready: impl FnOnce(&[Place])) -> io::Result<()> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = settings.threads.unwrap_or(processors).max(1);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        // Large bodies take the processor and nothing else: more threads than that would only take memory.
        .max_blocking_threads(threads)
        .thread_name("tamiz")
        .enable_all()
        .build()?;
    let result = runtime.block_on(async {
        let server = Server::bind(config, settings).await?;
        let mut signals = Signals::new()?;
        let places = server.places()?;
        for place in &places {
            tracing::info!(at = %place, "listening");
        }
        if let Some(model) = settings.model.clone() {
            reload_on_hangup(Arc::clone(&server.shared.app), model)?;
        }
        ready(&places);
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let running = server.run(async {
            // The other end is kept until then.
            let _ = stopped.await;
        });
        tokio::pin!(running);
        tokio::select! {
            () = &mut running => return Ok(()),
            () = signals.next() => { let _ = stop.send(()); }
        }
        tokio::select! {
            () = &mut running => {}
            () = signals.next() => tracing::warn!("stopped at once: told twice"),
        }
        Ok(())
    });
    runtime.shutdown_background();
    result
}

/// Reads the model again whenever the process gets SIGHUP. One that cannot be used leaves the one before in use.
#[cfg(unix)]
fn reload_on_hangup(app: Arc<App>, model: std::path::PathBuf) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            let (app, model) = (Arc::clone(&app), model.clone());
            // A file may be large: nobody waits for it to be read.
            match tokio::task::spawn_blocking(move || app.load_model(&model)).await {
                Ok(Ok(())) => tracing::info!("the model was read again"),
                Ok(Err(error)) => tracing::warn!(%error, "the model before stays in use"),
                Err(_) => tracing::warn!("the model before stays in use"),
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn reload_on_hangup(_: Arc<App>, _: std::path::PathBuf) -> io::Result<()> {
    Ok(())
}

/// The signals that stop the process.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Self> {
        Ok(Signals {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
