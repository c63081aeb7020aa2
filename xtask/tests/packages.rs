//! Crates that are published: each is built from its own folder alone, and says what it is.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this test");
    Path::new(&package).join("..").canonicalize().unwrap()
}

/// The packages that are published, as `cargo metadata` tells them.
fn published() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap();
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    // `publish = false` is an empty list of registries.
    packages.iter().filter(|package| package["publish"].is_null()).cloned().collect()
}

/// The files that a source includes: what stands in quotes behind `include…!(`.
fn included(source: &str) -> Vec<String> {
    let macros = ["include_str!(", "include_bytes!(", "include!("];
    let calls = macros.iter().flat_map(|name| source.split(name).skip(1));
    calls.filter_map(|rest| rest.split('"').nth(1)).map(str::to_owned).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// How far a relative path climbs above where it starts.
fn climbs(path: &str) -> usize {
    Path::new(path).components().take_while(|component| *component == Component::ParentDir).count()
}

#[test]
fn a_published_crate_includes_nothing_from_outside_its_folder() {
    let packages = published();
    assert!(packages.len() >= 10, "{} packages", packages.len());
    for package in packages {
        let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap();
        for source in sources(&folder.join("src")) {
            let depth = source.strip_prefix(folder).unwrap().components().count() - 1;
            for file in included(&fs::read_to_string(&source).unwrap()) {
                assert!(climbs(&file) <= depth, "{} includes {file}", source.display());
            }
        }
    }
}

#[test]
fn a_published_crate_says_what_it_is() {
    for package in published() {
        let name = package["name"].as_str().unwrap();
        for field in ["description", "license", "readme", "documentation", "rust_version"] {
            assert!(package[field].is_string(), "{name} has no {field}");
        }
        for field in ["keywords", "categories"] {
            let words = package[field].as_array().unwrap();
            assert!(!words.is_empty() && words.len() <= 5, "{name} has {} {field}", words.len());
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_local = dependency["path"].is_string() && dependency["kind"] != "dev";
            assert!(
                !is_local || dependency["req"] != "*",
                "{name} needs a version of {}",
                dependency["name"]
            );
        }
    }
}

#[test]
fn includes_are_found() {
    assert_eq!(
        included("x = include_str!(\"../a\"); include_bytes!(concat!(\"../b/\", $c))"),
        ["../a", "../b/"]
    );
    assert_eq!((climbs("../../../spec/x"), climbs("x/../y"), climbs("../page/")), (3, 0, 1));
}
