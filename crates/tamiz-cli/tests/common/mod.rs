//! Runs of the program, as a shell would run it.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Ends a test that hangs. No result depends on it: whatever a test waits for comes, sooner or later.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until `is_there`; panics with what `state` says where the test hangs.
#[track_caller]
pub(crate) fn wait_until(mut is_there: impl FnMut() -> bool, state: impl Fn() -> String) {
    let started = Instant::now();
    while !is_there() {
        assert!(started.elapsed() < PATIENCE, "the test hangs\n{}", state());
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) const VIEWS: [&str; 2] = ["shape", "literal"];
pub(crate) const PROFILES: [&str; 3] = ["core", "standard", "full"];

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// The output of a run that went well and said nothing else.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", String::from_utf8_lossy(&self.stdout));
        String::from_utf8(self.stdout).expect("output is UTF-8")
    }

    /// The message of a run that failed with this code: one line, without control characters.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32) -> &str {
        let message = self.stderr.strip_suffix('\n').unwrap_or_else(|| panic!("no message: {self:?}"));
        assert_eq!(self.code, code, "{message}");
        assert!(message.starts_with("tamiz: "), "{message}");
        assert!(!message.chars().any(char::is_control), "{message}");
        assert!(!message.contains("panicked") && !message.contains("os error"), "{message}");
        message
    }
}

pub(crate) fn tamiz<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Run {
    tamiz_on(arguments, b"")
}

pub(crate) fn tamiz_on<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>, stdin: &[u8]) -> Run {
    let arguments: Vec<A> = arguments.into_iter().collect();
    let mut command = command();
    for (n, argument) in arguments.iter().map(AsRef::as_ref).enumerate() {
        command.arg(argument);
        // As many threads on every machine.
        let is_parallel =
            n == 0 && ["batch", "report", "diff", "learn", "score"].iter().any(|name| argument == *name);
        if is_parallel && !arguments.iter().any(|argument| argument.as_ref() == "--jobs") {
            command.args(["--jobs", "3"]);
        }
    }
    run(&mut command, stdin)
}

/// The program, in an environment that says nothing about colours.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tamiz"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(command: &mut Command, stdin: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe was asked for");
    let output = std::thread::scope(|scope| {
        // A program that fails before it reads closes the pipe: that is its right.
        scope.spawn(move || pipe.write_all(stdin));
        child.wait_with_output().expect("the program ends")
    });
    Run {
        code: output.status.code().expect("no signal ends it"),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// The `examples` of the repository.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The requests among them.
pub(crate) fn example_requests() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(examples())
        .expect("the examples are there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension() == Some(OsStr::new("http")))
        .collect();
    paths.sort();
    paths
}

/// A directory of this test's own, empty.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a scratch directory");
    dir
}

/// A file in it.
pub(crate) fn file(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, content).expect("a scratch file");
    path
}
