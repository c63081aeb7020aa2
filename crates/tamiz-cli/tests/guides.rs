//! The shell commands of the READMEs and of `docs/`: each is run here, or named below with the place that tests it.

mod common;

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Run, examples, file, run, scratch};
use flate2::Compression;
use flate2::write::GzEncoder;

/// The beginnings of commands that are not run here, and why.
const ELSEWHERE: [(&str, &str); 25] = [
    (
        "cargo run --release -- canon examples/login.http",
        "`cargo x test --all` runs it, `readme.rs` its document",
    ),
    ("cargo run --release --features serve -- serve", "`serve.rs` starts the service"),
    ("cargo build --release --features serve", "`readme.rs` checks its features"),
    ("cargo install --path crates/tamiz-cli", "`scripts/release/binary.sh` builds the same"),
    ("cargo x ", "`task_names_are_known`"),
    ("TAMIZ_CORPUS=path/to/corpora cargo x ", "`task_names_are_known`"),
    ("pip install .", "`cargo x test --all` runs it"),
    ("pip install datasets tokenizers", "packages of `python/requirements-test.txt`"),
    ("pip install --no-index target/release-files/", "`scripts/release/try.sh wheel`"),
    ("TAMIZ_RELEASES=", "`scripts/release/try.sh archive`"),
    ("docker compose", "needs Docker"),
    ("python examples/", "`python/tests`, or a dataset"),
    ("spark-submit ", "`python/tests/test_spark.py`"),
    ("python3 -m http.server", "a stand-in for an application"),
    ("sudo ", "changes the machine: `edge/` starts nginx and Caddy with these files"),
    ("haproxy -f", "`edge/`"),
    ("envoy -c", "`edge/`"),
    ("tail -1 /var/log/nginx/tamiz.log", "`edge/`"),
    ("curl --path-as-is \"http://127.0.0.1:8080/", "`edge/` asks nginx"),
    ("tamiz serve &", "`serve.rs`"),
    ("tamiz serve --listen", "`serve.rs`"),
    ("tamiz serve --spoe", "`edge/`"),
    ("tamiz serve --ext-proc", "`edge/`"),
    ("tamiz serve --sink", "`edge/`"),
    (
        "tamiz batch requests.jsonl.gz -o documents.jsonl --resume",
        "needs a run that was stopped: `batch_faults.rs`",
    ),
];

/// Commands that are not run here either, whole.
const ELSEWHERE_WHOLE: [(&str, &str); 2] = [
    ("tamiz serve", "`serve.rs`"),
    (
        "tamiz batch peticiones.jsonl.gz -o documentos.jsonl --resume",
        "needs a run that was stopped: `batch_faults.rs`",
    ),
];

fn root() -> PathBuf {
    examples().join("..")
}

/// The pages, each with its name.
fn pages() -> Vec<(String, String)> {
    let guides =
        fs::read_dir(root().join("docs")).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut paths: Vec<PathBuf> =
        guides.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    paths.extend(["README.md", "README.es.md"].map(|name| root().join(name)));
    paths.sort();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.into_iter().map(|path| (name(&path), fs::read_to_string(&path).expect("a page"))).collect()
}

/// The commands in the shell blocks of a page: without comments, continued lines joined.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut commands = Vec::new();
    for block in blocks {
        let mut open = String::new();
        for line in block.lines() {
            let line = line.split("  #").next().unwrap_or_default().split(" # ").next().unwrap_or_default();
            open.push_str(line.trim_end());
            if open.ends_with('|') {
                open.push(' ');
            } else if open.ends_with('\\') {
                open.pop();
            } else if !open.trim().is_empty() {
                commands.push(std::mem::take(&mut open).trim().to_owned());
            }
        }
    }
    commands
}

/// The reason why a command is not run here.
fn elsewhere(command: &str) -> Option<&'static str> {
    let begins = ELSEWHERE.iter().find(|(beginning, _)| command.starts_with(beginning));
    let whole = ELSEWHERE_WHOLE.iter().find(|(whole, _)| command == *whole);
    begins.or(whole).map(|(_, why)| *why)
}

/// Commands that ask a service.
fn asks(command: &str) -> bool {
    command.contains("curl ") && command.contains("127.0.0.1:8787")
}

/// Commands of the program.
fn calls(command: &str) -> bool {
    command.starts_with("tamiz ") || command.contains("| tamiz ")
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// A capture of one packet: raw IPv4 with the request in a TCP segment.
fn capture(request: &[u8]) -> Vec<u8> {
    let length = u16::try_from(40 + request.len()).expect("a short request");
    let mut packet = vec![0x45, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
    packet.extend([0x9C, 0x40, 0, 80, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 0xFF, 0xFF, 0, 0, 0, 0]);
    packet.extend(request);
    let mut bytes = Vec::new();
    for word in [0xA1B2_C3D4, 0x0004_0002, 0, 0, 65535, 101, 0, 0, packet.len() as u32, packet.len() as u32] {
        bytes.extend(u32::to_le_bytes(word));
    }
    bytes.extend(packet);
    bytes
}

/// A folder with the files that the pages name, in both languages.
fn folder(name: &str, needs_model: bool) -> PathBuf {
    let dir = scratch(&format!("guide-{name}"));
    let request = fs::read(examples().join("login.http")).expect("the example");
    let har = fs::read(examples().join("shop.har")).expect("the example");
    let toml = fs::read(examples().join("tamiz.toml")).expect("the example");
    let line = |id: usize, label: &str, query: &str| {
        format!(
            "{{\"id\":{id},\"label\":\"{label}\",\"raw\":\"GET /a?id={query} HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n\"}}\n"
        )
    };
    let lines: String = (0..40).map(|n| line(n, "valid", &n.to_string())).collect();
    let other: String = (0..40).map(|n| line(n, "attack", "1'--")).collect();
    for name in ["request.http", "peticion.http"] {
        file(&dir, name, &request);
    }
    for name in ["requests.jsonl", "october.jsonl", "octubre.jsonl", "valid.jsonl", "A"] {
        file(&dir, name, &lines);
    }
    for name in ["peticiones.jsonl", "november.jsonl", "noviembre.jsonl", "attack.jsonl", "today.jsonl", "B"]
    {
        file(&dir, name, &other);
    }
    for name in ["requests.jsonl.gz", "peticiones.jsonl.gz", "huge.jsonl.gz"] {
        file(&dir, name, gzip((lines.clone() + &other).as_bytes()));
    }
    for name in ["archive.har", "archivo.har", "usual.har", "habitual.har", "new.har", "nuevo.har"] {
        file(&dir, name, &har);
    }
    for name in ["new.toml", "nueva.toml", "old.toml"] {
        file(&dir, name, &toml);
    }
    fs::create_dir(dir.join("captures")).expect("a folder");
    for name in ["traffic.pcap", "trafico.pcap", "captures/one.pcap"] {
        file(&dir, name, capture(&request));
    }
    let log = "192.0.2.7 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"curl/8.5.0\"\n";
    file(&dir, "access.log", log);
    file(
        &dir,
        "burp.xml",
        "<?xml version=\"1.0\"?><items><item><request base64=\"false\"><![CDATA[GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n]]>\
         </request></item></items>",
    );
    file(
        &dir,
        "events.jsonl",
        "{\"verb\":\"GET\",\"request_uri\":\"/a\",\"gateway_version\":1,\"client\":{\"ua\":\"x\"}}\n",
    );
    file(&dir, "mappings.toml", "[[mapping]]\nname = \"ours\"\nmethod = \"verb\"\nurl = \"request_uri\"\n");
    if needs_model {
        common::tamiz([
            OsString::from("learn"),
            dir.join("usual.har").into(),
            "-o".into(),
            dir.join("site.model").into(),
        ]);
    }
    dir
}

/// Runs a command in a shell that finds the program.
fn in_shell(command: &str, dir: &Path) -> Run {
    let program = Path::new(env!("CARGO_BIN_EXE_tamiz")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(program.to_owned()).chain(std::env::split_paths(&path)));
    run(Command::new("sh").args(["-c", command]).current_dir(dir).env("PATH", path.expect("a path")), b"")
}

#[test]
fn commands_of_the_program_run_as_they_are_written() {
    let mut ran = 0;
    for (name, page) in pages() {
        let commands = commands(&page);
        let mut dir = None;
        for command in commands.iter().filter(|command| elsewhere(command).is_none() && !asks(command)) {
            assert!(calls(command), "{name}: who tests `{command}`? Name it in ELSEWHERE");
            let learns = commands.iter().any(|command| command.contains("learn "));
            let dir = dir.get_or_insert_with(|| folder(&name, !learns));
            // A filter of the output is not ours, and the log of this machine's nginx is not there.
            let command = command.split(" | jq ").next().unwrap_or_default();
            let command = command.replace("/var/log/nginx/access.log", "access.log");
            // Commands of a page are examples, not a script: several write the same output.
            if let Some(out) = command.split(" -o ").nth(1).and_then(|rest| rest.split(' ').next()) {
                let _ = fs::remove_file(dir.join(out));
            }
            let run = in_shell(&command, dir);
            let told = String::from_utf8_lossy(&run.stdout).into_owned() + &run.stderr;
            // An alert or a request that a source refuses is no failure of the command.
            assert_eq!(run.code, 0, "{name}: {command}\n{told}");
            ran += 1;
        }
    }
    assert!(ran >= 45, "{ran} commands");
}

#[test]
fn requests_to_the_service_are_answered() {
    // `cargo x test` names the proxies, curl with them, and says where they are missing.
    if std::env::var_os("TAMIZ_PROXIES").is_none() {
        return;
    }
    let mut service = common::command()
        .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "off"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(service.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim().trim_start_matches("http://").trim_end_matches('/');
    let mut answers = Vec::new();
    for (name, page) in pages() {
        for command in commands(&page).iter().filter(|command| asks(command)) {
            let asked = command.replace("127.0.0.1:8787", address).replace("curl ", "curl --silent --fail ");
            answers.push((format!("{name}: {command}"), in_shell(&asked, &root())));
        }
    }
    service.kill().expect("it runs");
    service.wait().expect("it ends");
    assert!(answers.len() >= 5, "{} commands", answers.len());
    for (command, answer) in answers {
        assert_eq!(answer.code, 0, "{command}: {}", answer.stderr);
        let told = String::from_utf8_lossy(&answer.stdout);
        assert!(told.starts_with("M:") || told.starts_with('{'), "{command}: {told}");
    }
}

#[test]
fn task_names_are_known() {
    let usage = fs::read_to_string(root().join("xtask/src/main.rs")).expect("the task runner");
    for (name, page) in pages() {
        for command in commands(&page) {
            let Some((_, arguments)) = command.split_once("cargo x ") else { continue };
            let words: Vec<&str> = arguments.split(' ').collect();
            let is_task = |task: &str| usage.contains(&format!("\n  {task}"));
            assert!(is_task(words[0]), "{name}: {command}");
            for option in words.iter().filter(|word| word.starts_with("--")) {
                assert!(
                    usage.contains(&format!("{option} ")) || usage.contains(&format!("{option}]")),
                    "{name}: {command}"
                );
            }
        }
    }
}

#[test]
fn files_that_commands_name_are_there() {
    for (name, page) in pages() {
        for command in commands(&page) {
            let words = command.split([' ', '@', '\'']);
            for word in words.filter(|word| word.starts_with("examples/") || word.starts_with("deploy/")) {
                assert!(root().join(word).exists(), "{name}: {command}");
            }
        }
    }
}

#[test]
fn every_exception_is_needed() {
    let all: Vec<String> = pages().iter().flat_map(|(_, page)| commands(page)).collect();
    for (beginning, _) in ELSEWHERE {
        assert!(all.iter().any(|command| command.starts_with(beginning)), "no page has `{beginning}`");
    }
    for (whole, _) in ELSEWHERE_WHOLE {
        assert!(all.iter().any(|command| command == whole), "no page has `{whole}`");
    }
}
