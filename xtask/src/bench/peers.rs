//! Who is measured, and the programs that hold them.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::programs;
use crate::Result;
use crate::process;

/// The Debian packages of the peers that are C and C++ libraries.
const PACKAGES: [&str; 3] = ["libhtp-dev", "libmodsecurity-dev", "modsecurity-crs"];

/// Someone who is measured.
pub(super) struct Peer {
    /// As the programs call it.
    pub(super) contender: &'static str,
    /// As people do.
    pub(super) label: &'static str,
    pub(super) program: PathBuf,
    /// The program whose allocator counts.
    pub(super) counting: PathBuf,
    /// So slow that it reads one request in so many.
    pub(super) thinned: usize,
}

/// Those of the workspace's own program.
const OWN: [(&str, &str); 7] = [
    ("memcpy", "memcpy"),
    ("newlines", "newline scan"),
    ("httparse", "httparse"),
    ("httparse-lenient", "httparse, lenient"),
    ("url", "url and `query_pairs`, target alone"),
    ("tamiz", "**Tamiz, `canonicalize_into`**"),
    ("tamiz-owned", "**Tamiz, `canonicalize`**"),
];

const MODSECURITY: [(&str, &str, usize); 3] = [
    ("modsecurity", "libmodsecurity, no rules", 1),
    ("modsecurity-transformations", "libmodsecurity, transformations only", 1),
    ("modsecurity-crs", "libmodsecurity, CRS", 10),
];

/// Builds the programs; with those of Debian's libraries if `system` is asked for.
pub(super) fn all(root: &Path, system: bool) -> Result<Vec<Peer>> {
    let mut peers = Vec::new();
    let (program, counting) = (programs::main_program(root)?, programs::counting_program(root)?);
    let mut add = |contender, label, program: &Path, counting: &Path, thinned| {
        let (program, counting) = (program.to_path_buf(), counting.to_path_buf());
        peers.push(Peer { contender, label, program, counting, thinned });
    };
    for (contender, label) in OWN {
        add(contender, label, &program, &counting, 1);
    }
    let built = program.parent().and_then(Path::parent).ok_or("a program without a folder")?;
    let target = built.join("bench-suricata");
    let suricata = |name| programs::suricata(root, &target, name);
    add("suricata-htp", "suricata-htp", &suricata("suricata")?, &suricata("allocations")?, 1);
    if system {
        install()?;
        let source = root.join("benches/system");
        let libhtp = compiled(&source, built, "libhtp", "htp")?;
        add("libhtp", "libhtp, parameters and cookies", &libhtp, &libhtp, 1);
        let modsecurity = compiled(&source, built, "modsecurity", "modsecurity")?;
        for (contender, label, thinned) in MODSECURITY {
            add(contender, label, &modsecurity, &modsecurity, thinned);
        }
    }
    Ok(peers)
}

/// Installs Debian's packages where they are not.
fn install() -> Result<()> {
    let is_here = |package: &&str| process::succeeds(Command::new("dpkg").args(["--status", package]));
    if PACKAGES.iter().all(is_here) {
        return Ok(());
    }
    println!("installing {}", PACKAGES.join(", "));
    process::run(Command::new("apt-get").args(["install", "--quiet", "--yes"]).args(PACKAGES))
}

/// Compiles the program of a C library.
fn compiled(source: &Path, into: &Path, name: &str, library: &str) -> Result<PathBuf> {
    let program = into.join(format!("bench-{name}"));
    let mut command = Command::new("cc");
    command.current_dir(source).args(["-O2", "-g", "-Wall", "-Wextra", "-o"]).arg(&program);
    command.args(["peer.c", &format!("{name}.c"), &format!("-l{library}")]);
    process::run(&mut command)?;
    Ok(program)
}
