//! The first page shows what the command prints for the example that it names.

mod common;

use std::fs;

use common::{examples, tamiz};

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
