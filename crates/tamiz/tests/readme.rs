//! The statements of the READMEs and SECURITY.md are true.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::vectors;
use tamiz::{Document, Flag};

/// The name that a heading is linked by.
fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ')
        .collect::<String>()
        .replace(' ', "-")
}

#[test]
fn every_place_that_a_readme_links_to_is_there() {
    for name in ["README.md", "README.es.md", "SECURITY.md"] {
        let readme = std::fs::read_to_string(common::root().join(name)).unwrap();
        let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let headings: Vec<String> =
            readme.lines().filter_map(|line| line.strip_prefix("## ")).map(slug).collect();
        for link in links {
            let is_there = match link.strip_prefix('#') {
                Some(heading) => headings.iter().any(|there| there == heading),
                None => common::root().join(link).exists(),
            };
            assert!(is_there, "{name} links to {link}");
        }
    }
}

/// The text between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Every row of SECURITY.md that names a flag names vectors whose documents have it.
#[test]
fn the_evasions_of_the_security_page_are_told() {
    let page = std::fs::read_to_string(common::root().join("SECURITY.md")).unwrap();
    let (_, table) = page.split_once("## Evasions").expect("the section is there");
    let vectors: BTreeMap<String, String> =
        vectors::all().into_iter().map(|vector| (vector.name, vector.document)).collect();
    let mut told = 0;
    for line in table.lines() {
        let [_, evasion, flags, names, _] = line.split('|').collect::<Vec<_>>()[..] else { continue };
        let flags: Vec<Flag> = quoted(flags)
            .map(|name| Flag::from_name(name).unwrap_or_else(|| panic!("{evasion}: no flag {name}")))
            .collect();
        let raised = |name: &str| {
            let text = vectors.get(name).unwrap_or_else(|| panic!("{evasion}: no vector {name}"));
            let document = Document::parse(text).unwrap();
            document.flags().map(|raised| raised.flag()).collect::<BTreeSet<Flag>>()
        };
        let raised: Vec<(&str, BTreeSet<Flag>)> = quoted(names).map(|name| (name, raised(name))).collect();
        for flag in &flags {
            assert!(
                raised.iter().any(|(_, raised)| raised.contains(flag)),
                "{evasion}: nothing shows {flag}"
            );
        }
        for (name, raised) in &raised {
            assert!(flags.iter().any(|flag| raised.contains(flag)), "{evasion}: {name} shows no flag");
        }
        told += raised.len();
    }
    assert!(told > 100, "{told} vectors");
}
