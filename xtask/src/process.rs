//! Running other programs.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::Result;

/// The cargo that runs this program, to be run in `root`.
pub(crate) fn cargo<'a>(root: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(arguments);
    command
}

/// Where output goes: to the terminal, or to a file while something else has the terminal.
#[derive(Clone, Debug)]
pub(crate) enum Console {
    Terminal,
    File(PathBuf),
}

impl Console {
    /// A new file, for output that is shown later.
    pub(crate) fn file(path: PathBuf) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, "")?;
        Ok(Console::File(path))
    }

    /// Prints a line.
    pub(crate) fn say(&self, text: &str) -> Result<()> {
        match self {
            Console::Terminal => println!("{text}"),
            Console::File(path) => writeln!(append(path)?, "{text}")?,
        }
        Ok(())
    }

    /// Runs `command` with its output here.
    pub(crate) fn run(&self, command: &mut Command) -> Result<()> {
        match self {
            Console::Terminal => run(command),
            Console::File(path) => run_into(command, path),
        }
    }

    /// Runs `command` with its output here, and hands each line of it to `on_line`.
    pub(crate) fn watch(&self, command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<()> {
        match self {
            Console::Terminal => watch(command, on_line),
            Console::File(path) => {
                let before = fs::metadata(path)?.len();
                let result = run_into(command, path);
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(before))?;
                pass_on(file, &mut std::io::sink(), &mut on_line)?;
                result
            }
        }
    }

    /// Prints to the terminal what went to the file.
    pub(crate) fn show(&self) -> Result<()> {
        if let Console::File(path) = self {
            std::io::copy(&mut File::open(path)?, &mut std::io::stdout())?;
        }
        Ok(())
    }
}

fn append(path: &Path) -> Result<File> {
    Ok(File::options().create(true).append(true).open(path)?)
}

/// Runs `command` with all that it prints appended to a file.
fn run_into(command: &mut Command, path: &Path) -> Result<()> {
    let file = append(path)?;
    run(command.stdin(Stdio::null()).stderr(file.try_clone()?).stdout(file))
}

/// Runs `command`; what it prints goes where ours does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    check(command, status)
}

/// Runs `command` and returns what it prints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    check(command, output.status)?;
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs `command`, printing what it prints and handing each line to `look`.
fn watch(command: &mut Command, look: impl FnMut(&str)) -> Result<()> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| cannot_start(command, &error))?;
    if let Some(printed) = child.stdout.take() {
        pass_on(printed, &mut std::io::stdout(), look)?;
    }
    let status = child.wait()?;
    check(command, status)
}

/// Runs `command`, handing each line of its standard error to `look`, which says whether to print it.
pub(crate) fn watch_errors(command: &mut Command, mut look: impl FnMut(&str) -> bool) -> Result<()> {
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(|error| cannot_start(command, &error))?;
    if let Some(printed) = child.stderr.take() {
        pass_on(printed, &mut std::io::sink(), |line| {
            if look(line) {
                eprintln!("{line}");
            }
        })?;
    }
    let status = child.wait()?;
    check(command, status)
}

/// Copies lines, whatever bytes they hold.
fn pass_on(from: impl Read, to: &mut impl Write, mut look: impl FnMut(&str)) -> Result<()> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        look(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    Ok(to.flush()?)
}

/// Runs a command that installs something, with all that it prints appended to the file `log`, which the error names.
pub(crate) fn install(command: &mut Command, log: &Path) -> Result<()> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder)?;
    }
    writeln!(append(log)?, "{}", line(command))?;
    run_into(command, log).map_err(|_| format!("it cannot be installed, see {}", log.display()).into())
}

/// Runs `cargo metadata` for the workspace.
pub(crate) fn metadata(root: &Path) -> Result<serde_json::Value> {
    let metadata = output(&mut cargo(root, ["metadata", "--no-deps", "--format-version", "1"]))?;
    Ok(serde_json::from_str(&metadata)?)
}

/// The folder that cargo builds in.
pub(crate) fn target(root: &Path) -> Result<PathBuf> {
    let metadata = metadata(root)?;
    let folder = metadata["target_directory"].as_str().ok_or("`cargo metadata` names no folder")?;
    Ok(PathBuf::from(folder))
}

/// Returns whether `command` runs and succeeds; it prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn check(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", line(command)).into()) }
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` cannot be started: {error}", line(command))
}

/// `command` as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let set = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={:?}", name.to_string_lossy(), value?.to_string_lossy()))
    });
    let words = std::iter::once(program).chain(command.get_args()).map(OsStr::to_string_lossy);
    set.chain(words.map(String::from)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(line(&command), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps");
    }

    #[test]
    fn lines_pass_whatever_they_hold() {
        let mut out = Vec::new();
        let mut seen = Vec::new();
        pass_on(&b"one\r\n\xFFtwo\nthree"[..], &mut out, |line| seen.push(line.to_owned())).unwrap();
        assert_eq!(out, b"one\r\n\xFFtwo\nthree");
        assert_eq!(seen, ["one", "\u{FFFD}two", "three"]);
    }

    #[test]
    fn what_goes_to_a_file_is_read_back() {
        let path = std::env::temp_dir().join(format!("tamiz-console-{}/log", std::process::id()));
        let console = Console::file(path.clone()).unwrap();
        console.say("first").unwrap();
        let mut lines = Vec::new();
        let mut command = Command::new(std::env::var("CARGO").unwrap());
        console.watch(command.arg("--version"), |line| lines.push(line.to_owned())).unwrap();
        assert!(lines.len() == 1 && lines[0].starts_with("cargo "), "{lines:?}");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("first\n{}\n", lines[0]));
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
