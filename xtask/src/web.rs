//! The pages that people look at, tested in a real browser: the packages of `web/`, Node and Chromium.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::process::Console;
use crate::site::Site;

/// The folder of the sources and of their tests.
pub(crate) struct Web<'a> {
    pub(crate) root: &'a Path,
    /// Where cargo builds.
    pub(crate) target: &'a Path,
    pub(crate) console: &'a Console,
}

impl Web<'_> {
    /// Runs the tests against the command that the workspace's build made; `on_line` gets each line that they print.
    pub(crate) fn test(&self, on_line: impl FnMut(&str)) -> Result<()> {
        self.console.watch(self.npm(&["test"]).env("TAMIZ", self.target.join("debug/tamiz")), on_line)
    }

    /// Runs the tests of the page without a server and of the npm package, against the command and the library.
    pub(crate) fn test_site(&self, site: &Site, on_line: impl FnMut(&str)) -> Result<()> {
        let mut npm = self.npm(&["run", "test-site"]);
        npm.env("TAMIZ", self.target.join("debug/tamiz"))
            .env("SITE", &site.page)
            .env("PACKAGE", &site.package);
        self.console.watch(&mut npm, on_line)
    }

    /// Checks the types of the page's sources.
    pub(crate) fn check(&self) -> Result<()> {
        self.console.run(&mut self.npm(&["run", "check"]))
    }

    /// Checks that the page in the service is built from its sources as they are.
    pub(crate) fn stale(&self) -> Result<()> {
        self.console.run(&mut self.npm(&["run", "stale"]))
    }

    fn npm(&self, arguments: &[&str]) -> Command {
        let mut npm = Command::new("npm");
        npm.current_dir(self.root.join("web")).args(arguments);
        npm
    }
}
