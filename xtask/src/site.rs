//! `cargo x site`: the page that needs no server, and the npm package, from the library as WebAssembly.
//!
//! | folder | what it is |
//! |---|---|
//! | `target/site` | the page: open `index.html`, from a disk or any server |
//! | `target/npm` | the package: `npm install ./target/npm` |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process::{self, cargo};
use crate::setup;

/// The target of the compiler.
const TARGET: &str = "wasm32-unknown-unknown";

/// The folders that are made.
pub(crate) struct Site {
    pub(crate) page: PathBuf,
    pub(crate) package: PathBuf,
}

/// Builds everything, and says where it is.
pub(crate) fn run(root: &Path) -> Result<()> {
    let target = process::target(root)?;
    setup::node_packages(root, &target)?;
    let site = build(root, &target, &toolchain(root, &target)?)?;
    println!("the page: {}", site.page.join("index.html").display());
    println!("the npm package: {}", site.package.display());
    Ok(())
}

/// Finds a compiler for WebAssembly, or unpacks one: what the script prints says how to call it.
pub(crate) fn toolchain(root: &Path, target: &Path) -> Result<String> {
    let script = root.join("scripts/toolchain.sh");
    process::output(Command::new("bash").arg(script).arg(TARGET).env("CARGO_TARGET_DIR", target))
}

/// Builds the page and the package; the Node packages of `web/` have to be there.
pub(crate) fn build(root: &Path, target: &Path, toolchain: &str) -> Result<Site> {
    let library = library(root, target, toolchain)?;
    let bindings = target.join("web/bindings");
    fs::create_dir_all(&bindings)?;
    let folder = root.join("web/bindgen");
    let build = target.join("web/bindgen");
    let mut bindgen = cargo(&folder, ["run", "--quiet", "--locked", "--target-dir"]);
    process::run(bindgen.arg(build).arg("--").arg(library).arg(&bindings))?;
    let site = Site { page: target.join("site"), package: target.join("npm") };
    let mut node = Command::new("node");
    node.current_dir(root.join("web")).arg("site.mjs").arg(bindings).arg(&site.page).arg(&site.package);
    process::run(&mut node)?;
    Ok(site)
}

/// Builds the library for WebAssembly.
fn library(root: &Path, target: &Path, toolchain: &str) -> Result<PathBuf> {
    let folder = target.join("web");
    let arguments =
        format!("build --locked --profile web --package tamiz-wasm --target {TARGET} --target-dir");
    let mut command = cargo(root, arguments.split(' '));
    command.arg(&folder);
    for (name, value) in exported(toolchain) {
        if name == "TAMIZ_BUILD_STD" {
            command.args(value.split_whitespace());
        } else {
            command.env(name, value);
        }
    }
    process::run(&mut command)?;
    Ok(folder.join(TARGET).join("web/tamiz_wasm.wasm"))
}

/// The variables of lines of `export NAME='VALUE' NAME=VALUE`.
fn exported(script: &str) -> Vec<(&str, &str)> {
    let words = script.lines().filter_map(|line| line.strip_prefix("export ")).flat_map(split);
    words
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name, value.trim_matches('\'')))
        .collect()
}

/// Cuts at spaces that are not between quotes.
fn split(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    line.split(|character: char| {
        is_quoted ^= character == '\'';
        character == ' ' && !is_quoted
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_as_a_shell_does() {
        let script = "export A='/a b/c' B=1\nexport C='-Zx=std,y'\nexport D=\necho ignored\n";
        let expected = [("A", "/a b/c"), ("B", "1"), ("C", "-Zx=std,y"), ("D", "")];
        assert_eq!(exported(script), expected);
    }
}
