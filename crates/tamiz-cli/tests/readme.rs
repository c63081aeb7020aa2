//! The first page shows what the command prints for the example that it names.

mod common;

use std::fs;

use common::{command, examples, file, run, scratch, tamiz};

/// The first block of `http`, and the lines of the document in the table below it.
fn first_request(page: &str) -> (String, String) {
    let (_, rest) = page.split_once("```http\n").expect("a request");
    let (request, rest) = rest.split_once("```").expect("its end");
    let rows = rest.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let document = rows.map(|row| format!("{}\n", row.split('`').nth(1).expect("a line of the document")));
    (request.replace('\n', "\r\n") + "\r\n", document.collect())
}

#[test]
fn the_first_table_explains_each_line_that_the_command_prints() {
    let dir = scratch("readme");
    for name in ["README.md", "README.es.md"] {
        let page = fs::read_to_string(examples().join("..").join(name)).expect("the page");
        let (request, document) = first_request(&page);
        let path = file(&dir, "first.http", request);
        assert_eq!(tamiz(["canon", path.to_str().expect("a path")]).ok(), document, "{name}");
    }
}

#[test]
fn the_first_example_is_what_the_command_prints() {
    let path = examples().join("login.http");
    let request = fs::read_to_string(&path).expect("the example").replace("\r\n", "\n");
    let document = tamiz(["canon", path.to_str().expect("a path")]).ok();
    for name in ["README.md", "README.es.md"] {
        let page = fs::read_to_string(examples().join("..").join(name)).expect("the page");
        assert!(
            page.contains(&format!("```http\n{}\n```\n", request.trim_end())),
            "{name} shows another request"
        );
        assert!(page.contains(&format!("```text\n{document}```\n")), "{name} shows another document");
    }
}

/// The blocks of shell commands of a page.
fn shell_blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next())
}

/// An archive of a browser with so many requests to a shop, and these.
fn archive(requests: u64, more: &[&str]) -> String {
    let entry = |target: &str| {
        serde_json::json!({"request": {
            "method": "GET", "url": format!("https://shop.example{target}"), "httpVersion": "HTTP/1.1",
            "headers": [{"name": "Host", "value": "shop.example"}],
        }})
    };
    let usual = (0..requests).map(|n| format!("/item?id={}", n * 37 % 1000));
    let targets = usual.chain(more.iter().map(|target| (*target).to_owned()));
    let entries: Vec<serde_json::Value> = targets.map(|target| entry(&target)).collect();
    serde_json::json!({"log": {"version": "1.2", "entries": entries}}).to_string()
}

/// From an archive to a ranked table with reasons, by the commands of the page alone.
#[test]
fn the_commands_of_the_detector_lead_to_a_table_with_reasons() {
    const ATTACK: &str = "/item?id=7'%20or%20sleep(9)--";
    for name in ["README.md", "README.es.md"] {
        let page = fs::read_to_string(examples().join("..").join(name)).expect("the page");
        let block = shell_blocks(&page).find(|block| block.contains("tamiz learn")).expect("the commands");
        let dir = scratch("readme-detector");
        let commands: Vec<&str> = block.lines().collect();
        assert_eq!(commands.len(), 3, "{name}: {block}");
        let request = format!("GET {ATTACK} HTTP/1.1\r\nHost: shop.example\r\n\r\n");
        let inputs = [(".har", archive(1000, &[])), (".har", archive(40, &[ATTACK])), (".http", request)];
        for (line, (end, content)) in commands.iter().zip(inputs) {
            let input = line.split_whitespace().find(|word| word.ends_with(end)).expect("a file");
            file(&dir, input, content);
        }
        let outputs: Vec<String> = commands
            .iter()
            .map(|line| {
                let words = line.strip_prefix("tamiz ").expect("a command").split_whitespace();
                let run = run(command().args(words).current_dir(&dir), b"");
                assert_eq!(run.code, 0, "{name}: {line}: {run:?}");
                String::from_utf8(run.stdout).expect("text")
            })
            .collect();
        let [learned, table, explained] = &outputs[..] else { panic!("{name}: {outputs:?}") };
        assert!(learned.contains("requests    1000"), "{name}: {learned}");
        assert!(table.starts_with("ALERT score "), "{name}: {table}");
        assert_eq!(table.lines().filter(|line| line.starts_with("usual ")).count(), 19, "{name}: {table}");
        for shown in [table, explained] {
            assert!(shown.contains("`id` raises QUOTE: attacks do so "), "{name}: {shown}");
        }
    }
}

#[test]
fn a_command_that_serves_is_built_with_that_feature() {
    let root = examples().join("..");
    let guides =
        fs::read_dir(root.join("docs")).expect("a folder").map(|entry| entry.expect("a file").path());
    let pages = guides.filter(|path| path.extension().is_some_and(|end| end == "md"));
    for path in pages.chain(["README.md", "README.es.md"].map(|name| root.join(name))) {
        let page = fs::read_to_string(&path).expect("the page");
        for block in
            shell_blocks(&page).filter(|block| block.contains("tamiz serve") || block.contains("-- serve"))
        {
            let builds =
                block.lines().filter(|line| line.starts_with("cargo build") || line.starts_with("cargo run"));
            for line in builds {
                let has_it = line.contains("--features serve") || line.contains("--all-features");
                assert!(has_it, "{}: {line}", path.display());
            }
        }
    }
}
