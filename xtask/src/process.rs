//! Running other programs.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::Result;

/// The cargo that runs this program, to be run in `root`.
pub(crate) fn cargo<'a>(root: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(arguments);
    command
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
pub(crate) fn watch(command: &mut Command, look: impl FnMut(&str)) -> Result<()> {
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

/// Runs `command` with `input` on its standard input and returns what it prints.
pub(crate) fn filter(command: &mut Command, input: &str) -> Result<String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    let mut stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // Written aside, so that neither side waits for the other when pipes are full.
        scope.spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes())));
        child.wait_with_output()
    })?;
    check(command, output.status)?;
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether `command` runs and succeeds; it prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Whether `command` runs, whatever comes of it; it prints nothing.
fn starts(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Makes sure that `program` is there: where it is missing and there is Debian's `apt-get`, installs
/// `package`, as root or with a `sudo` that asks for nothing.
pub(crate) fn provide(program: &str, package: &str) -> Result<()> {
    let is_there = || starts(Command::new(program).arg("--version"));
    if is_there() {
        return Ok(());
    }
    if !succeeds(Command::new("apt-get").arg("--version")) {
        return Err(format!("`{program}` is not here, and neither is `apt-get` to install it").into());
    }
    let is_root = output(Command::new("id").arg("-u"))?.trim() == "0";
    for arguments in [&["update"][..], &["install", "--yes", "--no-install-recommends", package]] {
        let mut command = Command::new(if is_root { "apt-get" } else { "sudo" });
        if !is_root {
            command.args(["--non-interactive", "apt-get"]);
        }
        run(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    if is_there() { Ok(()) } else { Err(format!("`{package}` has no `{program}`").into()) }
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
    fn what_is_there_is_not_installed() {
        let cargo = std::env::var("CARGO").unwrap();
        provide(&cargo, "no-such-package").unwrap();
    }

    #[test]
    fn lines_pass_whatever_they_hold() {
        let mut out = Vec::new();
        let mut seen = Vec::new();
        pass_on(&b"one\r\n\xFFtwo\nthree"[..], &mut out, |line| seen.push(line.to_owned())).unwrap();
        assert_eq!(out, b"one\r\n\xFFtwo\nthree");
        assert_eq!(seen, ["one", "\u{FFFD}two", "three"]);
    }
}
