//! What the READMEs show is true.

mod common;

use tamiz::{Canonicalizer, Config};

#[test]
fn the_examples_are_what_the_command_prints() {
    for example in ["login.http", "order.http"] {
        check_example(example);
    }
}

fn check_example(example: &str) {
    let request = std::fs::read_to_string(common::root().join("examples").join(example)).unwrap();
    let document = Canonicalizer::new(Config::default()).canonicalize(request.as_bytes());
    for name in ["README.md", "README.es.md"] {
        let readme = std::fs::read_to_string(common::root().join(name)).unwrap();
        let shown = request.replace("\r\n", "\n");
        assert!(readme.contains(&format!("```http\n{}\n```", shown.trim_end())), "{name}: the request");
        assert!(readme.contains(&format!("```text\n{document}```")), "{name}: the document");
    }
}

#[test]
fn every_file_that_a_readme_names_is_there() {
    for name in ["README.md", "README.es.md"] {
        let readme = std::fs::read_to_string(common::root().join(name)).unwrap();
        let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links {
            assert!(common::root().join(link).exists(), "{name} links to {link}");
        }
    }
}
