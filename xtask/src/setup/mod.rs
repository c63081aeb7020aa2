//! `cargo x setup`: installs what the tests need beyond a Rust toolchain. `cargo x test` calls it too.
//!
//! Python and Node packages, and the proxies that Python packages bring, go below `target/`. Packages of the system are
//! installed by `apt-get`: by `cargo x test` only where it runs as root, by `cargo x setup` also with `sudo`. What is
//! already there is left alone, so that a second run takes no time and no network.

mod node;
mod python;
mod system;

use std::path::{Path, PathBuf};

use crate::Result;
use crate::process;
pub(crate) use python::{environment, interpreter, pip};
pub(crate) use system::{Permission, provide};

/// The tools that tests use, each found or installed, or the reason why it is missing.
pub(crate) struct Tools {
    /// The interpreter of an environment with the packages of `python/requirements-test.txt`.
    pub(crate) python: Tool<PathBuf>,
    /// The folder of the proxies that Python packages bring; nginx and HAProxy are there too.
    pub(crate) proxies: Tool<PathBuf>,
    /// Node, its packages, and Chromium.
    pub(crate) browser: Tool<()>,
    /// A Java runtime, for Spark.
    pub(crate) java: Tool<()>,
}

/// A tool, or the reason why it is not here.
pub(crate) type Tool<T> = std::result::Result<T, String>;

/// Installs everything that is missing and may be installed.
pub(crate) fn install(root: &Path, target: &Path, permission: Permission) -> Tools {
    let logs = target.join("setup");
    let system = system::install(&logs, permission);
    let needs = |programs: &[&'static str]| system.needs(programs);
    std::thread::scope(|scope| {
        let browser = scope.spawn(|| {
            needs(&["npm", "chromium"])?;
            node::install(root, target).map_err(|error| error.to_string())
        });
        let python = needs(&["python3"])
            .and_then(|()| python::install(root, target).map_err(|error| error.to_string()));
        let proxies = needs(&["nginx", "haproxy", "rsyslogd", "curl"])
            .and_then(|()| python.clone())
            .and_then(|python| python::proxies(&python).map_err(|error| error.to_string()));
        let browser = browser.join().unwrap_or_else(|_| Err("the set-up of Node panicked".to_owned()));
        Tools { python, proxies, browser, java: needs(&["java"]) }
    })
}

/// Installs the Node packages of `web/` alone; Node where it is missing and this runs as root.
pub(crate) fn node_packages(root: &Path, target: &Path) -> Result<()> {
    provide("npm", "npm")?;
    node::install(root, target)
}

/// Installs everything for `cargo x setup`, and says what is there and what is not.
pub(crate) fn run(root: &Path) -> Result<()> {
    let Tools { python, proxies, browser, java } = install(root, &process::target(root)?, Permission::Asked);
    let tools = [
        ("Python and its test packages", python.map(drop)),
        ("nginx, HAProxy, Envoy, Caddy, NATS", proxies.map(drop)),
        ("Node and Chromium", browser),
        ("Java", java),
    ];
    let mut missing = Vec::new();
    for (name, tool) in tools {
        match tool {
            Ok(()) => println!("ready: {name}"),
            Err(reason) => missing.push(format!("{name}: {reason}")),
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(format!("missing: {}", missing.join("\nmissing: ")).into()) }
}
