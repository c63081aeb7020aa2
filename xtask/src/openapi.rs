//! The service against its own description: schemathesis asks everything that `/v1/openapi.json` says can be asked, and
//! checks that the answers are what it says they are.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::setup::{environment, interpreter, pip};
use crate::{Result, process};

/// The package, at the version that the check was written with.
const PACKAGE: &str = "schemathesis==4.32.5";

/// How many requests of each kind for each operation, always the same.
const EXAMPLES: [&str; 4] = ["--max-examples", "50", "--seed", "1"];

/// Where everything is.
pub(crate) struct Openapi<'a> {
    pub(crate) root: &'a Path,
    /// Where cargo builds.
    pub(crate) target: &'a Path,
}

impl Openapi<'_> {
    /// Installs schemathesis in an environment of its own, if it is not there.
    pub(crate) fn install(&self) -> Result<()> {
        let folder = self.folder();
        let python = interpreter(&folder);
        let has_package = || process::succeeds(Command::new(&python).args(["-c", "import schemathesis"]));
        if !has_package() {
            environment(&folder)?;
            process::run(pip(&python).args(["install", PACKAGE]))?;
        }
        if has_package() { Ok(()) } else { Err("schemathesis was installed, but cannot be imported".into()) }
    }

    /// Starts the service, and asks.
    pub(crate) fn check(&self) -> Result<()> {
        let mut service = Command::new(self.target.join("debug/tamiz"))
            .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "warn"])
            .stdout(Stdio::piped())
            .spawn()?;
        let asked = service.stdout.take().ok_or_else(|| "a pipe was asked for".into()).and_then(|out| {
            let mut place = String::new();
            BufReader::new(out).read_line(&mut place)?;
            self.ask(place.trim())
        });
        service.kill()?;
        service.wait()?;
        asked
    }

    fn ask(&self, place: &str) -> Result<()> {
        let mut schemathesis = Command::new(interpreter(&self.folder()));
        schemathesis
            .args(["-m", "schemathesis.cli", "--config-file"])
            .arg(self.root.join("crates/tamiz-serve/tests/schemathesis.toml"))
            .arg("run")
            .arg(format!("{place}v1/openapi.json"))
            .args(["--checks", "all", "--generation-database", "none"])
            .args(EXAMPLES)
            // It leaves files where it runs.
            .current_dir(self.folder())
            .env("PYTHONPATH", self.root.join("crates/tamiz-serve/tests"))
            .env("SCHEMATHESIS_HOOKS", "schemathesis_hooks")
            .env("PYTHONDONTWRITEBYTECODE", "1");
        process::run(&mut schemathesis)
    }

    fn folder(&self) -> PathBuf {
        self.target.join("python-openapi")
    }
}
