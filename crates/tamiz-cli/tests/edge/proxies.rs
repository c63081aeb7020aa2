//! Real proxies, started with the files of `deploy/`.
//!
//! Where they are: `TAMIZ_PROXIES` names a folder with those that are no packages of the system (`cargo x test` installs
//! all and sets it). With it, one that is missing fails the test; without it the test is skipped, and says so.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use crate::agent::Places;
use crate::common;
use crate::timeouts::{self, Wait};

/// A proxy, and how it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Nginx,
    Caddy,
    EnvoyExtAuthz,
    EnvoyExtProc,
    Haproxy,
}

impl Kind {
    pub(crate) const ALL: [Kind; 5] =
        [Kind::Nginx, Kind::Caddy, Kind::EnvoyExtAuthz, Kind::EnvoyExtProc, Kind::Haproxy];

    /// The name of the program.
    fn program(self) -> &'static str {
        match self {
            Kind::Nginx => "nginx",
            Kind::Caddy => "caddy",
            Kind::EnvoyExtAuthz | Kind::EnvoyExtProc => "envoy",
            Kind::Haproxy => "haproxy",
        }
    }

    /// The port that its file in `deploy/` has it listen at.
    pub(crate) fn port(self) -> u16 {
        match self {
            Kind::Nginx => 8080,
            Kind::Caddy => 8081,
            Kind::Haproxy => 8082,
            Kind::EnvoyExtAuthz => 8083,
            Kind::EnvoyExtProc => 8084,
        }
    }

    /// Its files in `deploy/`; the first is the one that it is started with.
    fn files(self) -> &'static [&'static str] {
        match self {
            Kind::Nginx => &["nginx/tamiz.conf"],
            Kind::Caddy => &["caddy/Caddyfile"],
            Kind::EnvoyExtAuthz => &["envoy/ext_authz.yaml"],
            Kind::EnvoyExtProc => &["envoy/ext_proc.yaml"],
            Kind::Haproxy => &["haproxy/haproxy.cfg", "haproxy/spoe-tamiz.conf"],
        }
    }

    /// The contents of these files.
    pub(crate) fn texts(self) -> impl Iterator<Item = String> {
        let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
        self.files().iter().map(move |file| fs::read_to_string(deploy.join(file)).unwrap())
    }

    /// Makes of a configuration that lets requests pass without an answer one that does not, as its comments say.
    pub(crate) fn fail_closed(self, text: &str) -> String {
        let replaced = |from: &str, to: &str| {
            assert!(text.contains(from), "{self:?}: {from}");
            text.replace(from, to)
        };
        match self {
            Kind::Nginx => replaced("error_page 500 = @without_tamiz;", ""),
            Kind::Caddy => replaced("127.0.0.1:8787 127.0.0.1:8788 {", "127.0.0.1:8787 {")
                .replace("handle_response {\n\t\t}", "handle_response {\n\t\t\terror 503\n\t\t}"),
            Kind::EnvoyExtAuthz | Kind::EnvoyExtProc => {
                replaced("failure_mode_allow: true", "failure_mode_allow: false")
            }
            Kind::Haproxy => {
                replaced("# http-request deny deny_status 503", "http-request deny deny_status 503")
            }
        }
    }
}

/// Where a program is; `None`, and a word about it, where it may be missing.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let ours = std::env::var_os("TAMIZ_PROXIES");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        ours.iter().map(PathBuf::from).chain(std::env::split_paths(&path)).chain(["/usr/sbin".into()]);
    let found = folders.map(|folder| folder.join(program)).find(|file| file.is_file());
    if found.is_none() {
        assert!(ours.is_none(), "{program} is not there, though TAMIZ_PROXIES is set");
        eprintln!("SKIPPED: there is no {program}; `cargo x test` installs it");
    }
    found
}

/// A proxy that runs until it is dropped.
pub(crate) struct Proxy {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Where its files and its logs are.
    pub(crate) folder: PathBuf,
}

impl Proxy {
    /// Starts one before `application`, which asks `tamiz`; `None` where there is none.
    pub(crate) fn start(kind: Kind, name: &str, tamiz: &Places, application: SocketAddr) -> Option<Proxy> {
        Self::start_with(kind, name, tamiz, application, str::to_owned)
    }

    /// Starts one with changes to its configuration. It waits for Tamiz as long as it takes.
    pub(crate) fn start_with(
        kind: Kind,
        name: &str,
        tamiz: &Places,
        application: SocketAddr,
        change: impl Fn(&str) -> String,
    ) -> Option<Proxy> {
        Self::start_waiting(kind, name, tamiz, application, Wait::ForTheAnswer, change)
    }

    /// Starts one with changes to its configuration that waits for Tamiz as `wait` says.
    pub(crate) fn start_waiting(
        kind: Kind,
        name: &str,
        tamiz: &Places,
        application: SocketAddr,
        wait: Wait,
        change: impl Fn(&str) -> String,
    ) -> Option<Proxy> {
        let program = find(kind.program())?;
        let change = |text: &str| change(&timeouts::rewrite(kind, text, wait));
        // Somebody else may take a port that was free a moment ago.
        (0..5)
            .find_map(|_| Self::attempt(kind, &program, name, tamiz, application, change))
            .or_else(|| panic!("{kind:?} does not start; see its log in {}", folder(kind, name).display()))
    }

    fn attempt(
        kind: Kind,
        program: &Path,
        name: &str,
        tamiz: &Places,
        application: SocketAddr,
        change: impl Fn(&str) -> String,
    ) -> Option<Proxy> {
        let folder = folder(kind, name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let address = free_address();
        let files: Vec<PathBuf> = kind
            .files()
            .iter()
            .zip(kind.texts())
            .map(|(file, text)| {
                let text = change(&text);
                let text = [
                    (kind.port(), address),
                    (8787, tamiz.http),
                    (8789, tamiz.spoe),
                    (8790, tamiz.ext_proc),
                    (8000, application),
                    (8788, free_address()),
                ]
                .into_iter()
                .fold(text, |text, (port, address)| {
                    text.replace(&format!("127.0.0.1:{port}"), &address.to_string())
                        .replace(&format!("://:{port} "), &format!("://:{} ", address.port()))
                        .replace(&format!("port_value: {port} "), &format!("port_value: {} ", address.port()))
                });
                let text = ["/var/log/nginx/", "/var/log/caddy/", "/etc/haproxy/"]
                    .into_iter()
                    .fold(text, |text, there| text.replace(there, &format!("{}/", folder.display())));
                common::file(&folder, Path::new(file).file_name().unwrap().to_str().unwrap(), text)
            })
            .collect();
        let mut command = Command::new(program);
        match kind {
            Kind::Nginx => {
                let main = common::file(&folder, "nginx.conf", nginx_main(&folder, &files[0]));
                command.arg("-p").arg(&folder).arg("-e").arg(folder.join("error.log")).arg("-c").arg(main);
            }
            Kind::Caddy => {
                command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&files[0]);
                command.env("XDG_DATA_HOME", &folder).env("XDG_CONFIG_HOME", &folder);
            }
            Kind::EnvoyExtAuthz | Kind::EnvoyExtProc => {
                command.args(["--concurrency", "1", "--disable-hot-restart", "--log-level", "warn", "-c"]);
                command.arg(&files[0]);
            }
            Kind::Haproxy => _ = command.arg("-db").arg("-f").arg(&files[0]),
        }
        let log = fs::File::create(folder.join("output.log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).current_dir(&folder);
        // With its workers in a group of its own, which ends at once.
        let child = command.process_group(0).spawn().unwrap();
        let mut proxy = Proxy { child, address, folder };
        let mut is_gone = false;
        let is_settled = || {
            is_gone = proxy.child.try_wait().unwrap().is_some();
            is_gone || TcpStream::connect(address).is_ok()
        };
        common::wait_until(is_settled, || format!("{kind:?} does not listen at {address}"));
        (!is_gone).then_some(proxy)
    }

    /// Its log so far, of requests and of itself.
    pub(crate) fn logs(&self) -> String {
        let logs = ["tamiz.log", "output.log", "error.log"];
        logs.into_iter().filter_map(|name| fs::read(self.folder.join(name)).ok()).fold(
            String::new(),
            |mut all, log| {
                all.push_str(&String::from_utf8_lossy(&log));
                all
            },
        )
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).status();
        }
        let _ = self.child.wait();
    }
}

fn folder(kind: Kind, name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("edge-{kind:?}-{name}"))
}

/// An address where nobody listens, and where nobody will: no port is given twice in a process, and all of them are below
/// those that systems hand out by themselves.
pub(crate) fn free_address() -> SocketAddr {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    const FIRST: u16 = 10_000;
    const COUNT: u16 = 22_000;
    // Processes that run beside this one begin elsewhere.
    let start = u16::try_from(std::process::id() % 220).unwrap() * 100;
    loop {
        let port = FIRST + start.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)) % COUNT;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// The `nginx.conf` of the system's packages.
fn nginx_main(folder: &Path, include: &Path) -> String {
    let folder = folder.display();
    format!(
        "daemon off;\nworker_processes 1;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n\
         events {{ worker_connections 4096; }}\n\
         http {{\n\
         client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;\n\
         uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;\n\
         include {};\n}}\n",
        include.display()
    )
}
