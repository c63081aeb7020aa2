//! `tamiz batch` where something goes wrong: it is told, nothing that is written is lost, and `--resume` goes on.

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use common::{command, example_requests, file, scratch, tamiz, tamiz_on, wait_until};
use serde_json::Value;

const SECRET: &str = "hunter2hunter2";

fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// JSON lines, so many, no two alike.
fn lines(count: usize) -> String {
    let example = fs::read(&example_requests()[0]).expect("an example");
    let mut lines = String::new();
    for n in 0..count {
        let request = [format!("GET /a{n}?b=1 HTTP/1.1\r\n").as_bytes(), &example].concat();
        lines.push_str(&format!(
            "{{\"id\":{n},\"raw_b64\":\"{}\"}}\n",
            data_encoding::BASE64.encode(&request)
        ));
    }
    lines
}

#[test]
fn unreadable_records_are_named_counted_and_passed_over() {
    let dir = scratch("faults-unreadable");
    let good = "192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5\n";
    let log = file(&dir, "a.log", format!("{good}{SECRET}\n{good}"));
    let har = file(&dir, "b.har", format!("{{\"log\":{{\"entries\":[{{\"x\":\"{SECRET}\"}}]}}}}"));
    let unknown = file(&dir, "c", SECRET);
    let (out, errors) = (dir.join("out.txt"), dir.join("errors.jsonl"));
    let run =
        tamiz(["batch", arg(&log), arg(&har), arg(&unknown), "-o", arg(&out), "--errors", arg(&errors)]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    let told: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told[0].ends_with("a.log: line 2: not a known form of log line"), "{told:?}");
    assert!(told[1].ends_with("b.har: record 1, byte 19: an entry without a request"), "{told:?}");
    assert!(told[2].contains("of no kind that is known"), "{told:?}");
    assert!(told[3].starts_with("tamiz: 2 requests, 3 unreadable, 2 rows to "), "{told:?}");
    assert_eq!(fs::read_to_string(&out).unwrap().matches("M:GET").count(), 2);
    let kept = fs::read_to_string(&errors).unwrap();
    let kept: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(kept.len(), 3);
    assert_eq!((&kept[0]["line"], &kept[0]["file"]), (&2.into(), &arg(&log).into()));
    assert_eq!((&kept[1]["byte"], &kept[1]["record"]), (&19.into(), &1.into()));
    assert!(!run.stderr.contains(SECRET) && !kept.iter().any(|line| line.to_string().contains(SECRET)));
}

#[test]
fn many_unreadable_records_are_not_all_on_the_terminal() {
    let dir = scratch("faults-many");
    let input = file(&dir, "in.jsonl", "{\"raw\":\"GET /\"}\n".to_owned() + &"{}\n".repeat(1000));
    let (out, errors) = (dir.join("out.txt"), dir.join("errors.jsonl"));
    let run = tamiz(["batch", arg(&input), "-o", arg(&out), "--errors", arg(&errors)]);
    assert_eq!((run.code, run.stderr.lines().count()), (3, 102));
    assert_eq!(fs::read_to_string(&errors).unwrap().lines().count(), 1000);
}

#[test]
fn an_output_that_exists_is_kept() {
    let dir = scratch("faults-exists");
    let input = file(&dir, "in.jsonl", lines(3));
    let out = file(&dir, "out.txt", "precious");
    let run = tamiz(["batch", arg(&input), "-o", arg(&out)]);
    assert!(run.fails(2).contains("exists"), "{run:?}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "precious");
    let errors = file(&dir, "errors", "precious");
    let other = dir.join("other.txt");
    let run = tamiz(["batch", arg(&input), "-o", arg(&other), "--errors", arg(&errors)]);
    assert!(run.fails(2).contains("'--errors'"), "{run:?}");
    assert_eq!(fs::read_to_string(&errors).unwrap(), "precious");
    assert_eq!(tamiz(["batch", arg(&input), "-o", arg(&out), "--force"]).code, 0);
    assert!(fs::read_to_string(&out).unwrap().starts_with("M:GET"));
}

/// A line of two gigabytes is one unreadable record, and no memory.
#[test]
#[cfg(target_os = "linux")]
fn a_line_of_two_gigabytes() {
    let dir = scratch("faults-long");
    let out = dir.join("out.txt");
    let mut child = command()
        .args(["batch", "-", "-o", arg(&out)])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let good = "{\"raw\":\"GET / HTTP/1.1\\r\\n\\r\\n\"}\n";
    stdin.write_all(good.as_bytes()).unwrap();
    stdin.write_all(b"{\"raw\":\"").unwrap();
    let block = vec![b'x'; 1 << 20];
    for _ in 0..2048 {
        stdin.write_all(&block).unwrap();
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    stdin.write_all(b"\"}\n").unwrap();
    stdin.write_all(good.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.starts_with("tamiz: standard input: line 2: longer than 16777216 bytes"), "{told}");
    assert_eq!(fs::read_to_string(&out).unwrap().matches("M:GET").count(), 2);
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak of memory");
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 200 << 10, "{kilobytes} kB");
}

/// Where writing fails, the reason is told, and the run can be gone on with. The limit on the length of files stands
/// for a full disk: both make writing fail, and neither ends the process without a word.
#[test]
#[cfg(unix)]
fn a_full_disk() {
    let dir = scratch("faults-full");
    let input = file(&dir, "in.jsonl", lines(4000));
    for name in ["out.txt", "out.jsonl", "out.parquet", "out.arrow"] {
        let (out, whole) = (dir.join(name), dir.join(format!("whole-{name}")));
        assert_eq!(tamiz(["batch", arg(&input), "-o", arg(&whole)]).code, 0);
        let len = fs::metadata(&whole).unwrap().len();
        let script = format!(
            "ulimit -f {}; exec {} batch {} -o {} --checkpoint 500 --jobs 1",
            // In blocks of 512 bytes, as POSIX has it, and of 1024, as bash has it: less than half either way.
            len / 5000,
            env!("CARGO_BIN_EXE_tamiz"),
            arg(&input),
            arg(&out)
        );
        let mut shell = std::process::Command::new("sh");
        let failed = common::run(shell.args(["-c", &script]), b"");
        let message = failed.fails(1);
        assert!(
            message.contains("file too large") && message.contains("'--resume' goes on"),
            "{name}: {message}"
        );
        assert!(!out.exists(), "{name}: no half file");
        let again = tamiz(["batch", arg(&input), "-o", arg(&out), "--checkpoint", "500"]);
        assert!(again.fails(2).contains("'--resume'"), "{name}: {again:?}");
        let resumed = tamiz(["batch", arg(&input), "-o", arg(&out), "--checkpoint", "500", "--resume"]);
        assert_eq!(resumed.code, 0, "{name}: {}", resumed.stderr);
        assert_same(&out, &whole);
        assert!(!dir.join(format!("{name}.partial")).exists());
    }
}

/// A limit on the length of files is told by every command that writes some, and on standard output.
#[test]
#[cfg(unix)]
fn files_that_may_not_grow() {
    let dir = scratch("faults-size-limit");
    file(&dir, "in.jsonl", lines(2000));
    fs::copy(&example_requests()[0], dir.join("in.http")).unwrap();
    let told = "no space left: file too large for its limit (ulimit -f) or its file system";
    for arguments in [
        &format!("canon --format json {} > printed", "in.http ".repeat(100))[..],
        "batch in.jsonl -o - --format text -q > printed",
        "report in.jsonl -o a.html",
        "learn in.jsonl -o a.model",
        "score in.jsonl -o a.scores",
        "batch in.jsonl -o a.parquet",
    ] {
        let mut shell = std::process::Command::new("sh");
        // One block, of 512 bytes or of 1,024.
        let script = format!("ulimit -f 1 && exec '{}' {arguments}", env!("CARGO_BIN_EXE_tamiz"));
        let run = common::run(shell.current_dir(&dir).args(["-c", &script]), b"");
        let last = run.stderr.lines().last().unwrap_or_default();
        assert!(run.code == 1 && last.contains(told), "{arguments}: {run:?}");
    }
    for name in ["a.html", "a.model", "a.scores", "a.parquet"] {
        assert!(!dir.join(name).exists(), "{name}: no half file");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output() {
    let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let dir = scratch("faults-stdout");
    let input = file(&dir, "in.jsonl", lines(10));
    let output = command()
        .args(["batch", arg(&input), "-o", "-", "--format", "text"])
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(|child| child.wait_with_output())
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "tamiz: cannot write the output: no space left on device\n"
    );
}

/// Compares outputs: columns by their rows, since their groups may differ.
#[track_caller]
fn assert_same(one: &Path, other: &Path) {
    use tamiz_columns::{Kind, Reader};
    let kind = match one.extension().and_then(|extension| extension.to_str()) {
        Some("parquet") => Kind::Parquet,
        Some("arrow") => Kind::Arrow,
        _ => {
            assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{}", one.display());
            return;
        }
    };
    let rows = |path: &Path| {
        let batches: Vec<_> = Reader::open(path, kind).unwrap().map(Result::unwrap).collect();
        let schema = batches[0].schema();
        arrow_select::concat::concat_batches(&schema, &batches).unwrap()
    };
    assert!(rows(one) == rows(other), "{}", one.display());
}

/// A run that is killed is gone on with, and its output is that of one that was not.
#[test]
fn a_killed_process() {
    let dir = scratch("faults-killed");
    let mut input = lines(6000);
    let second = input.find('\n').expect("a line") + 1;
    input.insert_str(second, "not JSON\n");
    let middle = input.len() / 2;
    for arguments in [
        &["out.txt"][..],
        &["out.jsonl"],
        &["out.parquet"],
        &["out.arrow"],
        &["dedup.jsonl", "--dedup"],
        &["dedup.parquet", "--dedup"],
    ] {
        let (out, whole) = (dir.join(arguments[0]), dir.join(format!("whole-{}", arguments[0])));
        let errors = dir.join(format!("errors-{}", arguments[0]));
        let whole_errors = dir.join(format!("errors-whole-{}", arguments[0]));
        let options = |out: &Path, errors: &Path| -> Vec<String> {
            let mut all: Vec<String> =
                ["batch", "-", "-o", arg(out), "--checkpoint", "300", "--errors", arg(errors)]
                    .map(str::to_owned)
                    .into();
            all.extend(arguments[1..].iter().map(|option| (*option).to_owned()));
            all
        };
        assert_eq!(tamiz_on(options(&whole, &whole_errors), input.as_bytes()).code, 3);
        let mut child = command()
            .args(options(&out, &errors))
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(&input.as_bytes()[..middle]).unwrap();
        wait_for_checkpoint(&dir.join(format!("{}.partial/state.json", arguments[0])));
        child.kill().unwrap();
        child.wait().unwrap();
        drop(stdin);
        assert!(!out.exists(), "no half file");
        let mut resuming = options(&out, &errors);
        resuming.push("--resume".to_owned());
        let resumed = tamiz_on(&resuming, input.as_bytes());
        assert_eq!(resumed.code, 3, "{arguments:?}: {}", resumed.stderr);
        assert_same(&out, &whole);
        assert_eq!(fs::read(&errors).unwrap(), fs::read(&whole_errors).unwrap());
        assert!(!resumed.stderr.contains("line 2:"), "what was told is not told again: {}", resumed.stderr);
    }
}

/// Waits until a state tells of some chunks.
fn wait_for_checkpoint(path: &Path) {
    let text = || fs::read_to_string(path).unwrap_or_default();
    let is_there = || {
        let state: Value = serde_json::from_str(&text()).unwrap_or_default();
        state["chunks"].as_u64().is_some_and(|chunks| chunks > 0)
    };
    wait_until(is_there, || format!("no checkpoint: {}", text()));
}

#[test]
fn only_the_same_run_is_gone_on_with() {
    let dir = scratch("faults-other");
    let input = file(&dir, "in.jsonl", lines(10));
    let out = dir.join("out.txt");
    let partial = dir.join("out.txt.partial");
    fs::create_dir(&partial).unwrap();
    let state = "{\"run\":\"tamiz 0.0\",\"forces\":false,\"chunks\":1,\"requests\":1,\"rows\":1,\"unreadable\":0,\
                 \"refused\":{},\"bytes\":9,\"parts\":0,\"error_bytes\":0,\"notices\":0}";
    file(&partial, "state.json", state);
    let run = tamiz(["batch", arg(&input), "-o", arg(&out), "--resume"]);
    assert!(run.fails(2).contains("begin anew with '--force'"), "{run:?}");
    assert_eq!(tamiz(["batch", arg(&input), "-o", arg(&out), "--force"]).code, 0);
    assert!(!partial.exists());
    fs::remove_file(&out).unwrap();
    assert_eq!(
        tamiz(["batch", arg(&input), "-o", arg(&out), "--resume"]).code,
        0,
        "nothing to go on with is no fault"
    );
}

#[test]
fn a_reader_that_has_seen_enough() {
    let dir = scratch("faults-pipe");
    let input = file(&dir, "in.jsonl", lines(2000));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command()
        .args(["batch", arg(&input), "-o", "-", "--format", "text"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(|child| child.wait_with_output())
        .expect("the program runs");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}
