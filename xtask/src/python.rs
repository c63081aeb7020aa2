//! The Python package: tested from the workspace's build, and as its users install it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::Console;
use crate::setup::{environment, pip};
use crate::{Result, dev, process};

/// Where everything is.
pub(crate) struct Package<'a> {
    pub(crate) root: &'a Path,
    /// Where cargo builds.
    pub(crate) target: &'a Path,
    pub(crate) console: &'a Console,
}

impl Package<'_> {
    /// Runs the tests on the extension module of the workspace's build. `on_line` gets each line that pytest prints.
    pub(crate) fn test(&self, python: &Path, has_java: bool, on_line: impl FnMut(&str)) -> Result<()> {
        let mut pytest = self.pytest(python)?;
        pytest.env("PYTHONPATH", self.assemble()?);
        // `test_wheel` runs it: there is no wheel here.
        pytest.args(["--deselect", "python/tests/test_same_everywhere.py::test_what_is_in_the_wheel"]);
        if !has_java {
            pytest.args(["--ignore", "python/tests/test_spark.py"]);
        }
        self.console.watch(&mut pytest, on_line)
    }

    /// Checks the stubs against real use.
    pub(crate) fn check_types(&self, python: &Path) -> Result<()> {
        self.console.run(Command::new(python).args(["-m", "mypy"]).current_dir(self.root))
    }

    /// Builds the wheel and runs the tests that look at it.
    pub(crate) fn test_wheel(&self, python: &Path, on_line: impl FnMut(&str)) -> Result<()> {
        let wheels = self.target.join("wheels");
        if wheels.exists() {
            fs::remove_dir_all(&wheels)?;
        }
        self.console
            .run(self.pip(python).args(["wheel", "--no-deps", "--wheel-dir"]).arg(&wheels).arg("."))?;
        let wheel = fs::read_dir(&wheels)?.next().ok_or("no wheel was built")??.path();
        let mut pytest = self.pytest(python)?;
        // A wheel is an archive of modules, but an extension module is not loaded out of one.
        let unpacked = self.target.join("wheel-unpacked");
        self.console.run(
            self.pip(python)
                .args(["install", "--no-deps", "--upgrade", "--target"])
                .arg(&unpacked)
                .arg(&wheel),
        )?;
        pytest
            .arg("python/tests/test_same_everywhere.py")
            .env("PYTHONPATH", unpacked)
            .env("TAMIZ_WHEEL", &wheel);
        self.console.watch(&mut pytest, on_line)
    }

    /// `pip install .` where nothing else is installed, and the examples of the READMEs.
    pub(crate) fn install(&self) -> Result<()> {
        let python = self.installed(&[])?;
        for readme in ["README.md", "README.es.md", "python/README.md"] {
            let example = self.target.join("python-example.py");
            fs::write(&example, python_blocks(&fs::read_to_string(self.root.join(readme))?))?;
            let mut run = Command::new(&python);
            let printed = process::output(run.arg("-I").arg(&example).current_dir(self.target))?;
            if !printed.starts_with("M:POST\n") {
                return Err(format!("the Python of {readme} prints no document").into());
            }
        }
        Ok(())
    }

    /// `pip install .` where nothing else is installed but `packages`; returns the interpreter.
    pub(crate) fn installed(&self, packages: &[&str]) -> Result<PathBuf> {
        let python = environment(&self.target.join("python-fresh"))?;
        self.console.run(self.pip(&python).args(["install", "."]).args(packages))?;
        Ok(python)
    }

    /// Puts the package together from its sources and the extension module; returns the folder that has it.
    fn assemble(&self) -> Result<PathBuf> {
        let folder = self.target.join("python-package");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let package = folder.join("tamiz");
        fs::create_dir_all(&package)?;
        for entry in fs::read_dir(self.root.join("python/tamiz"))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), package.join(entry.file_name()))?;
            }
        }
        let (built, installed) = if cfg!(windows) {
            ("_tamiz.dll", "_tamiz.pyd")
        } else if cfg!(target_os = "macos") {
            ("lib_tamiz.dylib", "_tamiz.abi3.so")
        } else {
            ("lib_tamiz.so", "_tamiz.abi3.so")
        };
        fs::copy(self.target.join("debug").join(built), package.join(installed))?;
        Ok(folder)
    }

    /// pytest, with the documents to expect and the command to compare with.
    fn pytest(&self, python: &Path) -> Result<Command> {
        let expected = self.target.join("python-expected.jsonl");
        self.console.run(dev::built(self.target).arg("expected").arg(&expected))?;
        let mut pytest = Command::new(python);
        pytest
            .args(["-m", "pytest", "-p", "no:cacheprovider", "-r", "s"])
            .current_dir(self.root)
            .env("TAMIZ_EXPECTED", expected)
            .env("TAMIZ_COMMAND", self.target.join("debug/tamiz"));
        Ok(pytest)
    }

    fn pip(&self, python: &Path) -> Command {
        let mut pip = pip(python);
        pip.current_dir(self.root).env("CARGO_TARGET_DIR", self.target);
        pip
    }
}

/// The Python of a Markdown file.
fn python_blocks(markdown: &str) -> String {
    let mut blocks = String::new();
    let mut is_python = false;
    for line in markdown.lines() {
        match line {
            "```python" => is_python = true,
            "```" => is_python = false,
            _ if is_python => {
                blocks.push_str(line);
                blocks.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_python_is_taken() {
        assert_eq!(
            python_blocks("a\n```python\nx = 1\n```\nb\n```sh\nls\n```\n```python\ny\n```"),
            "x = 1\ny\n"
        );
    }
}
