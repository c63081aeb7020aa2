//! `ARCHITECTURE.md` against the repository: it names what is there, all of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this test");
    Path::new(&package).join("..")
}

/// Where every source file is on the map.
const LIBRARIES: [&str; 16] = [
    "crates/tamiz/src",
    "crates/tamiz-cli/src/batch",
    "crates/tamiz-cli/src/detect",
    "crates/tamiz-columns/src",
    "crates/tamiz-containers/src",
    "crates/tamiz-detector/src",
    "crates/tamiz-dev/src",
    "crates/tamiz-explain/src",
    "crates/tamiz-fuzz/src",
    "crates/tamiz-mutate/src",
    "crates/tamiz-python/src",
    "crates/tamiz-report/src",
    "crates/tamiz-serve/src",
    "crates/tamiz-sources/src",
    "crates/tamiz-tower/src",
    "crates/tamiz-wasm/src",
];

/// Everything in backquotes.
fn named() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The Rust files below `folder`, relative to it.
fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let inside = path.strip_prefix(folder).unwrap();
                found.push(inside.to_str().unwrap().replace(std::path::MAIN_SEPARATOR, "/"));
            }
        }
    }
    found
}

/// The names in the dependency tables of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(manifest)).unwrap();
    let mut inside = false;
    let mut names = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if inside && line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            names.push(line.split(['.', ' ', '=']).next().unwrap().to_owned());
        }
    }
    assert!(!names.is_empty(), "{manifest}");
    names
}

#[test]
fn every_dependency_has_its_reason() {
    let named = named();
    for manifest in [
        "crates/tamiz/Cargo.toml",
        "crates/tamiz-cli/Cargo.toml",
        "crates/tamiz-columns/Cargo.toml",
        "crates/tamiz-containers/Cargo.toml",
        "crates/tamiz-detector/Cargo.toml",
        "crates/tamiz-explain/Cargo.toml",
        "crates/tamiz-fuzz/Cargo.toml",
        "crates/tamiz-python/Cargo.toml",
        "crates/tamiz-report/Cargo.toml",
        "crates/tamiz-serve/Cargo.toml",
        "crates/tamiz-sources/Cargo.toml",
        "crates/tamiz-dev/Cargo.toml",
        "crates/tamiz-tower/Cargo.toml",
        "xtask/Cargo.toml",
    ] {
        for name in dependencies(manifest).iter().filter(|name| *name != "tamiz") {
            assert!(named.contains(name), "{manifest}: ARCHITECTURE.md does not say why `{name}` is there");
        }
    }
}

#[test]
fn every_source_file_of_the_libraries_is_on_the_map() {
    let named = named();
    for folder in LIBRARIES {
        for source in sources(&root().join(folder)) {
            let file = source.rsplit('/').next().unwrap();
            let is_listed = named.contains(&source) || file == "mod.rs" || named.contains(file);
            assert!(is_listed, "ARCHITECTURE.md does not name {source} of {folder}");
        }
    }
}

#[test]
fn every_file_on_the_map_exists() {
    let folders: Vec<&str> = ["", "crates/tamiz"].into_iter().chain(LIBRARIES).collect();
    let library: Vec<String> = LIBRARIES.iter().flat_map(|folder| sources(&root().join(folder))).collect();
    for name in
        named().iter().filter(|name| [".rs", ".md", ".toml", ".json"].iter().any(|end| name.ends_with(end)))
    {
        let is_there = folders.iter().any(|folder| root().join(folder).join(name).is_file());
        let is_beside = library.iter().any(|source| source.ends_with(&format!("/{name}")));
        assert!(is_there || is_beside, "ARCHITECTURE.md names {name}");
    }
}
