//! The pages of the repository: their links lead somewhere, and `docs/claims.md` names tests that exist.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this test");
    Path::new(&package).parent().expect("the workspace").to_path_buf()
}

/// Folders without pages of ours.
const OTHERS: [&str; 4] = ["target", "node_modules", ".git", "artifacts"];

/// The files below `folder`, relative to the root of the repository.
fn files(folder: &Path, root: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !path.is_symlink() && !OTHERS.contains(&name) {
            files(&path, root, found);
        } else if path.is_file() {
            let inside = path.strip_prefix(root).expect("a file of the repository");
            found.push(inside.to_str().expect("UTF-8").replace('\\', "/"));
        }
    }
}

fn all_files() -> Vec<String> {
    let mut found = Vec::new();
    files(&root(), &root(), &mut found);
    found
}

/// The text of a page without its blocks of code and code spans.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let lines = page.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.flat_map(|line| line.split('`').step_by(2).chain(["\n"])).collect()
}

/// The targets of the links of a text: `](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// The anchors that GitHub makes of the headings of a page.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let letters = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(letters).collect()
}

/// `folder/../name` without the `..`.
fn resolved(folder: &Path, link: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(link).components() {
        match part {
            std::path::Component::ParentDir => _ = path.pop(),
            std::path::Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let mut tried = 0;
    for name in all_files().iter().filter(|name| name.ends_with(".md") && !name.starts_with("fuzz/corpus")) {
        let page = fs::read_to_string(root().join(name)).expect("a page");
        let folder = Path::new(name).parent().expect("a folder");
        for link in links(&prose(&page)).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = if file.is_empty() { PathBuf::from(name) } else { resolved(folder, file) };
            assert!(root().join(&to).exists(), "{name} links to {link}");
            if !anchor.is_empty() && to.extension().is_some_and(|end| end == "md") {
                let there = anchors(&fs::read_to_string(root().join(&to)).expect("a page"));
                assert!(there.iter().any(|known| known == anchor), "{name} links to {link}");
            }
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried} links");
}

#[test]
fn claims_name_tests_that_exist() {
    let all = all_files();
    let page = fs::read_to_string(root().join("docs/claims.md")).expect("the page");
    let rows = page.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 20, "{} claims", rows.len());
    for row in rows {
        let checked_by = row.trim_end_matches('|').rsplit(" | ").next().expect("a second column");
        assert!(checked_by.contains('`') || checked_by.contains(".md)"), "no test is named: {row}");
        let names = checked_by.split('`').skip(1).step_by(2);
        for name in names.filter(|name| name.contains(['/', '.']) && !name.contains(' ')) {
            // `a/b-*.toml` and folders are there if a file begins with the same.
            let (beginning, _) = name.split_once('*').unwrap_or((name, ""));
            let is_there = |file: &String| {
                file.ends_with(&format!("/{name}")) || file.starts_with(beginning.trim_end_matches('/'))
            };
            assert!(all.iter().any(is_there), "docs/claims.md names {name}");
        }
    }
}
