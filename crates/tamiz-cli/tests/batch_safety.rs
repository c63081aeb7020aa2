//! `tamiz batch` and `tamiz report` lose nothing: what they read is never what they write, what is not theirs is not
//! removed, and what they leave out of a folder is named. Each test says what is on the disk afterwards.

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use common::{command, file, run, scratch, tamiz, tamiz_on, wait_until};

fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// JSON lines, so many, no two alike.
fn lines(count: usize) -> String {
    (0..count).map(|n| format!("{{\"id\":{n},\"raw\":\"GET /a{n} HTTP/1.1\\r\\n\\r\\n\"}}\n")).collect()
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let dir = scratch("safety-same");
    let content = lines(3);
    let input = file(&dir, "in.jsonl", &content);
    let dotted = dir.join(".").join("in.jsonl");
    let hard = dir.join("hard.jsonl");
    fs::hard_link(&input, &hard).unwrap();
    let mut others = vec![input.clone(), dotted, hard];
    #[cfg(unix)]
    {
        let link = dir.join("link.jsonl");
        std::os::unix::fs::symlink(&input, &link).unwrap();
        others.push(link);
    }
    let there = names(&dir);
    let other = dir.join("out.jsonl");
    for out in &others {
        for arguments in [
            &["batch", arg(&input), "-o", arg(out), "--force"][..],
            &["batch", arg(&input), "-o", arg(&other), "--errors", arg(out), "--force"],
            &["batch", arg(&dir), "-o", arg(out), "--force"],
            &["report", arg(&input), "-o", arg(out), "--force"],
            &["report", arg(&input), "-o", arg(&other), "--errors", arg(out), "--force"],
        ] {
            let run = tamiz(arguments);
            assert!(run.fails(2).contains("is read, so it cannot be what"), "{arguments:?}: {run:?}");
            assert_eq!(fs::read_to_string(&input).unwrap(), content, "{arguments:?}");
            assert_eq!(names(&dir), there, "{arguments:?}");
        }
    }
}

/// An output takes the place of what is there: a device would be gone for everybody.
#[test]
#[cfg(unix)]
fn pipes_and_devices_are_not_replaced() {
    let dir = scratch("safety-special");
    let input = file(&dir, "in.jsonl", lines(3));
    let pipe = dir.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let link = dir.join("link");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let there = names(&dir);
    for out in [&pipe, &link] {
        for arguments in [
            &["batch", arg(&input), "--format", "text", "-o", arg(out), "--force"][..],
            &["report", arg(&input), "-o", arg(out), "--force"],
            &["learn", arg(&input), "-o", arg(out), "--force"],
        ] {
            let run = tamiz(arguments);
            assert!(
                run.fails(2).contains("is no regular file, and is not replaced"),
                "{arguments:?}: {run:?}"
            );
            assert!(!out.symlink_metadata().unwrap().is_file(), "{arguments:?}");
            assert_eq!(names(&dir), there, "{arguments:?}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn standard_input_and_output_are_files_too() {
    let dir = scratch("safety-stdin");
    let content = lines(3);
    let input = file(&dir, "in.jsonl", &content);
    let out = command()
        .args(["batch", "-", "-o", arg(&input), "--force"])
        .stdin(fs::File::open(&input).unwrap())
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stderr));
    let appended = fs::File::options().append(true).open(&input).unwrap();
    let out = command()
        .args(["batch", arg(&input), "-o", "-", "--format", "jsonl"])
        .stdout(appended)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(fs::read_to_string(&input).unwrap(), content);
    assert_eq!(names(&dir), ["in.jsonl"]);
}

#[test]
fn errors_and_output_are_two_files() {
    let dir = scratch("safety-errors");
    let input = file(&dir, "in.jsonl", lines(3));
    for (out, errors) in [("out.txt", "out.txt"), ("out.txt", "./out.txt"), ("out.txt", "out.txt.partial")] {
        for command in ["batch", "report"] {
            let (out, errors) = (dir.join(out), dir.join(errors));
            let run = tamiz([command, arg(&input), "-o", arg(&out), "--errors", arg(&errors), "--force"]);
            if command == "batch" || !arg(&errors).ends_with("partial") {
                assert_eq!(run.code, 2, "{run:?}");
                assert_eq!(names(&dir), ["in.jsonl"], "{run:?}");
            }
        }
        let _ = fs::remove_file(dir.join("out.txt"));
        let _ = fs::remove_file(dir.join("out.txt.partial"));
    }
}

#[test]
fn what_is_read_is_not_where_a_run_is_kept() {
    let dir = scratch("safety-partial-read");
    let folder = dir.join("out.txt.partial");
    fs::create_dir(&folder).unwrap();
    let input = file(&folder, "rows", lines(3));
    for argument in [&folder, &input] {
        let run = tamiz(["batch", arg(argument), "-o", arg(&dir.join("out.txt")), "--force"]);
        assert!(run.fails(2).contains("name another output"), "{run:?}");
    }
    assert_eq!((names(&dir), names(&folder)), (vec!["out.txt.partial".to_owned()], vec!["rows".to_owned()]));
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let dir = scratch("safety-foreign");
    let input = file(&dir, "in.jsonl", lines(3));
    let (out, folder) = (dir.join("out.txt"), dir.join("out.txt.partial"));
    fs::create_dir_all(folder.join("below")).unwrap();
    file(&folder.join("below"), "thesis.tex", "precious");
    for state in [None, Some("{\"run\":\"another program\"}"), Some("nonsense"), Some("")] {
        if let Some(state) = state {
            file(&folder, "state.json", state);
        }
        for option in ["--force", "--resume"] {
            let run = tamiz(["batch", arg(&input), "-o", arg(&out), option]);
            assert!(run.fails(2).contains("is not what a run left"), "{run:?}");
        }
        assert_eq!(fs::read_to_string(folder.join("below/thesis.tex")).unwrap(), "precious");
        assert!(!out.exists());
    }
    fs::remove_dir_all(&folder).unwrap();
    file(&dir, "out.txt.partial", "precious");
    for command in ["batch", "report"] {
        let run = tamiz([command, arg(&input), "-o", arg(&out), "--force"]);
        assert!(run.fails(2).contains("is not what a run left"), "{run:?}");
    }
    assert_eq!(names(&dir), ["in.jsonl", "out.txt.partial"]);
    assert_eq!(fs::read_to_string(dir.join("out.txt.partial")).unwrap(), "precious");
    // What a run left that had hardly begun is in nobody's way.
    fs::remove_file(dir.join("out.txt.partial")).unwrap();
    fs::create_dir(&folder).unwrap();
    assert_eq!(tamiz(["batch", arg(&input), "-o", arg(&out)]).code, 0);
    assert_eq!(names(&dir), ["in.jsonl", "out.txt"]);
}

/// A run that reads from a pipe and has made a checkpoint, and the pipe.
fn begun(arguments: &[&str], partial: &Path) -> (Child, std::process::ChildStdin) {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // So much that several chunks are done.
    stdin.write_all(lines(20_000).as_bytes()).expect("the program reads");
    let state = partial.join("state.json");
    let is_saved = || {
        let state = fs::read_to_string(&state).unwrap_or_default();
        let state: serde_json::Value = serde_json::from_str(&state).unwrap_or_default();
        state["chunks"].as_u64().is_some_and(|chunks| chunks > 0)
    };
    wait_until(is_saved, || "no checkpoint".to_owned());
    (child, stdin)
}

#[test]
fn a_killed_run_that_replaces_can_go_on() {
    let dir = scratch("safety-force-killed");
    let out = file(&dir, "out.txt", "old");
    let partial = dir.join("out.txt.partial");
    let common = ["batch", "-", "-o", arg(&out), "--checkpoint", "100", "--jobs", "2"];
    let (mut child, stdin) = begun(&[&common[..], &["--force"]].concat(), &partial);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(stdin);
    assert_eq!(fs::read_to_string(&out).unwrap(), "old", "until the new one is whole");
    let resumed = tamiz_on([&common[..], &["--resume"]].concat(), lines(20_000).as_bytes());
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(fs::read_to_string(&out).unwrap().matches("M:GET").count(), 20_000);
    assert_eq!(names(&dir), ["out.txt"]);
}

#[test]
fn two_runs_on_one_output() {
    let dir = scratch("safety-two");
    let input = file(&dir, "in.jsonl", lines(3));
    let out = dir.join("out.txt");
    let partial = dir.join("out.txt.partial");
    let (mut child, stdin) =
        begun(&["batch", "-", "-o", arg(&out), "--checkpoint", "100", "--jobs", "2"], &partial);
    // A checkpoint may be under way.
    let kept =
        || -> Vec<String> { names(&partial).into_iter().filter(|name| !name.ends_with(".new")).collect() };
    let there = kept();
    for option in ["--force", "--resume"] {
        let run = tamiz(["batch", arg(&input), "-o", arg(&out), option]);
        assert!(run.fails(2).contains("another run is writing"), "{run:?}");
    }
    assert_eq!(kept(), there);
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(names(&dir), ["in.jsonl", "out.txt"]);
    // The lock of a process that was killed is gone with it.
    let out = dir.join("other.txt");
    let partial = dir.join("other.txt.partial");
    let (mut child, stdin) =
        begun(&["batch", "-", "-o", arg(&out), "--checkpoint", "100", "--jobs", "2"], &partial);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(stdin);
    assert_eq!(tamiz(["batch", arg(&input), "-o", arg(&out), "--force"]).code, 0);
    assert_eq!(names(&dir), ["in.jsonl", "other.txt", "out.txt"]);
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_names_resume() {
    let dir = scratch("safety-interrupt");
    let out = dir.join("out.txt");
    let partial = dir.join("out.txt.partial");
    let common = ["batch", "-", "-o", arg(&out), "--checkpoint", "100", "--jobs", "2"];
    for signal in ["-INT", "-TERM"] {
        let (child, stdin) = begun(&common, &partial);
        let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let ended = child.wait_with_output().unwrap();
        drop(stdin);
        let told = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(130), "{told}");
        assert_eq!(
            told,
            format!(
                "tamiz: stopped; what is written is kept in {}, and '--resume' goes on\n",
                partial.display()
            )
        );
        assert_eq!(names(&dir), ["out.txt.partial"]);
        let resumed = tamiz_on([&common[..], &["--resume"]].concat(), lines(20_000).as_bytes());
        assert_eq!(resumed.code, 0, "{}", resumed.stderr);
        assert_eq!(fs::read_to_string(&out).unwrap().matches("M:GET").count(), 20_000);
        fs::remove_file(&out).unwrap();
    }
}

#[test]
fn nothing_is_said_to_be_kept_where_nothing_is() {
    let dir = scratch("safety-kept");
    let input = file(&dir, "in.jsonl", lines(3));
    let run = tamiz(["batch", arg(&input), "-o", arg(&dir.join("no/such/out.txt"))]);
    let message = run.fails(1);
    assert!(message.contains("there is no folder"), "{message}");
    assert_eq!(names(&dir), ["in.jsonl"]);
}

#[test]
fn inputs_that_changed_are_not_gone_on_with() {
    let dir = scratch("safety-changed");
    // Longer than what is looked at of either end.
    let content = lines(20_000);
    let input = file(&dir, "in.jsonl", &content);
    let time = fs::metadata(&input).unwrap().modified().unwrap();
    let out = dir.join("out.txt");
    let fails = format!(
        "trap '' XFSZ; ulimit -f 100; exec {} batch {} -o {} --checkpoint 500 --jobs 1",
        env!("CARGO_BIN_EXE_tamiz"),
        arg(&input),
        arg(&out)
    );
    run(std::process::Command::new("sh").args(["-c", &fails]), b"").fails(1);
    let resume = ["batch", arg(&input), "-o", arg(&out), "--checkpoint", "500", "--resume"];
    for (from, to) in [("/a0 ", "/b0 "), ("/a19999 ", "/b19999 ")] {
        fs::write(&input, content.replacen(from, to, 1)).unwrap();
        fs::File::options().write(true).open(&input).unwrap().set_modified(time).unwrap();
        let changed = tamiz(resume);
        assert!(changed.fails(2).contains("is of another run"), "{changed:?}");
        assert_eq!(names(&dir), ["in.jsonl", "out.txt.partial"]);
    }
    fs::write(&input, &content).unwrap();
    fs::File::options().write(true).open(&input).unwrap().set_modified(time).unwrap();
    assert_eq!(tamiz(resume).code, 0);
    assert_eq!(names(&dir), ["in.jsonl", "out.txt"]);
}

/// A folder of everything that a folder can hold.
#[test]
#[cfg(unix)]
fn only_regular_files_of_folders_are_read() {
    use std::os::unix::fs::symlink;
    let dir = scratch("safety-folder");
    let folder = dir.join("in");
    fs::create_dir_all(folder.join("b/.git")).unwrap();
    let outside = file(&dir, "outside.jsonl", lines(9));
    let inside = file(&folder, "a.jsonl", lines(3));
    file(&folder, "empty", "");
    file(&folder, ".hidden", "nothing");
    fs::hard_link(&inside, folder.join("b/again.jsonl")).unwrap();
    symlink("..", folder.join("b/loop")).unwrap();
    symlink(&inside, folder.join("c-link")).unwrap();
    symlink(&outside, folder.join("d-out")).unwrap();
    symlink("nowhere", folder.join("e-dead")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.join("fifo")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("s")).unwrap();
    let (out, errors) = (dir.join("out.txt"), dir.join("errors.jsonl"));
    let run = tamiz(["batch", arg(&folder), arg(&inside), "-o", arg(&out), "--errors", arg(&errors)]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(fs::read_to_string(&out).unwrap().matches("M:GET").count(), 3, "each request once");
    let told: Vec<String> = run.stderr.lines().map(|line| line.replace(arg(&folder), "in")).collect();
    let expected = [
        "tamiz: in/.hidden: hidden, so it is not read; name it to read it",
        "tamiz: in/b/.git: hidden, so it is not read; name it to read it",
        "tamiz: in/b/again.jsonl: a file that was read already, perhaps under another name; it is read once",
        "tamiz: in/b/loop: a link into the folder itself, which is not followed",
        "tamiz: in/c-link: a link into the folder itself, which is not followed",
        "tamiz: in/d-out: a link that leads out of the folder; name what it leads to",
        "tamiz: in/e-dead: a link that leads nowhere",
        "tamiz: in/empty: empty",
        "tamiz: in/fifo: a FIFO, which is not read in a folder; name it to read it",
        "tamiz: in/s: a socket, which cannot be read",
        "tamiz: in/a.jsonl: a file that was read already, perhaps under another name; it is read once",
    ];
    assert_eq!(told[..told.len() - 1], expected);
    assert!(
        told[told.len() - 1].starts_with("tamiz: 3 requests, 4 unreadable, 7 notices, 3 rows to "),
        "{told:?}"
    );
    let kept: Vec<serde_json::Value> = fs::read_to_string(&errors)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(kept.len(), expected.len());
    assert_eq!(kept.iter().filter(|line| line["notice"] == true).count(), 7);
    let named: PathBuf = folder.join("b/again.jsonl");
    assert_eq!(tamiz(["batch", arg(&named), "-o", "-", "--format", "text", "-q"]).code, 0);
}

/// A capture of one packet, raw IP, that has this request.
fn capture(request: &str) -> Vec<u8> {
    let len = request.len() as u16 + 40;
    let mut packet = vec![0x45, 0];
    packet.extend_from_slice(&len.to_be_bytes());
    packet.extend_from_slice(&[0, 1, 0, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
    packet.extend_from_slice(&[0x9C, 0x40, 0, 80, 0, 0, 0, 9, 0, 0, 0, 0, 0x50, 0x10, 4, 0, 0, 0, 0, 0]);
    packet.extend_from_slice(request.as_bytes());
    let mut file =
        vec![0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 101, 0, 0, 0];
    for field in [1, 0, packet.len() as u32, packet.len() as u32] {
        file.extend_from_slice(&field.to_le_bytes());
    }
    file.extend_from_slice(&packet);
    file
}

/// A folder of mixed things gives every request once, and names each thing that was not read once.
#[test]
#[cfg(unix)]
fn a_folder_of_mixed_things() {
    let dir = scratch("safety-mixed");
    let folder = dir.join("in");
    fs::create_dir_all(folder.join("deep/er")).unwrap();
    let request = |n: usize| format!("GET /mixed-{n} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    file(&folder, "a.pcap", capture(&request(1)));
    file(&folder, "b.log", "192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /mixed-2 HTTP/1.1\" 200 5\n");
    file(
        &folder,
        "c.har",
        "{\"log\":{\"version\":\"1.2\",\"entries\":[{\"request\":{\"method\":\"GET\",\"url\":\"https://ex.com/mixed-3\"}}]}}",
    );
    let line = |n: usize| format!("{{\"raw\":\"GET /mixed-{n} HTTP/1.1\\r\\n\\r\\n\"}}\n");
    let outside = file(&dir, "d.jsonl", line(4));
    let parquet = folder.join("d.parquet");
    assert_eq!(tamiz(["batch", arg(&outside), "-o", arg(&parquet), "--format", "requests", "-q"]).code, 0);
    file(&folder.join("deep"), "e.csv", "method,url\nGET,/mixed-5\n");
    file(&folder.join("deep/er"), "f.http", request(6));
    file(&folder, "g.txt", "nothing that anybody knows\n");
    file(&folder, "h.empty", "");
    assert!(std::process::Command::new("mkfifo").arg(folder.join("i.fifo")).status().unwrap().success());
    std::os::unix::fs::symlink("../..", folder.join("deep/loop")).unwrap();
    let (out, errors) = (dir.join("out.txt"), dir.join("errors.jsonl"));
    let run = tamiz(["batch", arg(&folder), "-o", arg(&out), "--errors", arg(&errors)]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    let text = fs::read_to_string(&out).unwrap();
    let mut paths: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("P:")?.split(' ').next()).collect();
    paths.sort_unstable();
    let expected: Vec<String> = (1..=6).map(|n| format!("/mixed-{n}")).collect();
    assert_eq!(paths, expected, "{}", run.stderr);
    let errors = fs::read_to_string(&errors).unwrap();
    let named: Vec<String> = errors
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["file"].as_str().unwrap().to_owned()
        })
        .collect();
    let named: Vec<&str> = named.iter().map(|name| name.rsplit('/').next().unwrap()).collect();
    assert_eq!(named, ["loop", "g.txt", "h.empty", "i.fifo"], "{errors}");
}
