//! Modules of the library use only those below them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules, from top to bottom. Each may use only those behind it.
const LAYERS: [&str; 41] = [
    "canonicalizer",
    "document",
    "fingerprint",
    "echo",
    "request",
    "body",
    "framing",
    "headers",
    "target",
    "formats",
    "message",
    "hidden",
    "inspect",
    "needles",
    "scan",
    "secrets",
    "families",
    "keywords",
    "show",
    "shape",
    "json",
    "decode",
    "context",
    "settings",
    "known_headers",
    "names",
    "common_lines",
    "finished",
    "config",
    "buckets",
    "flags",
    "text",
    "lists",
    "distinct",
    "hash",
    "bytes",
    "walk",
    "index",
    "swar",
    "steps",
    "address",
];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All files below a folder that hold code.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The module at the top of the library that a file is in.
fn module_of(file: &Path) -> String {
    let inside = file.strip_prefix(sources()).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

/// Code without its tests and comments.
fn code_of(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code = code.split("#[cfg(test)]\npub(crate) mod tests").next().unwrap();
    code.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The names right behind each `crate::`, those of a group among them.
fn uses(code: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let group = after.strip_prefix('{').and_then(|group| group.split('}').next());
        for item in group.unwrap_or(after).split(|c| group.is_some() && c == ',') {
            let item = item.trim_start();
            found.insert(item[..item.find(|c| !is_name(c)).unwrap_or(item.len())].to_owned());
            if group.is_none() {
                break;
            }
        }
    }
    found
}

#[test]
fn modules_use_only_those_below_them() {
    let mut upward = Vec::new();
    for file in files(&sources()) {
        let own = module_of(&file);
        if own == "lib" || file.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        let layer = |module: &str| LAYERS.iter().position(|known| *known == module);
        let Some(own_layer) = layer(&own) else { panic!("`{own}` is in no layer") };
        for used in uses(&code_of(&fs::read_to_string(&file).unwrap())) {
            if layer(&used).is_some_and(|layer| layer < own_layer) {
                upward.push(format!("{} uses {used}", file.strip_prefix(sources()).unwrap().display()));
            }
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn every_layer_is_a_module() {
    for module in LAYERS {
        let (file, folder) = (sources().join(format!("{module}.rs")), sources().join(module));
        assert!(file.is_file() || folder.is_dir(), "there is no module `{module}`");
    }
}

#[test]
fn uses_are_seen() {
    let source = "use crate::a::B;\nuse crate::{c, d::{E, F}};\nfn f() { crate::g::h(); } // crate::i\n\
                  #[cfg(test)]\nmod tests { use crate::j; }";
    let found = uses(&code_of(source));
    for name in ["a", "c", "d", "g"] {
        assert!(found.contains(name), "{name}");
    }
    assert!(!found.contains("i") && !found.contains("j"));
}
