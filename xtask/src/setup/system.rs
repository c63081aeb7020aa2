//! Programs of the system, and Debian's packages of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process;

/// The programs that tests use, and the Debian packages that bring them.
const PROGRAMS: [(&str, &[&str]); 8] = [
    ("chromium", &["chromium"]),
    ("curl", &["curl"]),
    ("haproxy", &["haproxy"]),
    ("java", &["default-jre-headless"]),
    ("nginx", &["nginx-light"]),
    ("npm", &["nodejs", "npm"]),
    ("python3", &["python3", "python3-venv"]),
    ("rsyslogd", &["rsyslog"]),
];

/// Who lets packages of the system be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// Nobody was asked: only root installs them.
    IfRoot,
    /// The user asked for it by `cargo x setup`: `sudo` may ask for a password.
    Asked,
}

/// Which programs are missing, and why.
pub(super) struct System {
    missing: BTreeMap<&'static str, String>,
}

impl System {
    /// Fails with the reason if one of `programs` is missing.
    pub(super) fn needs(&self, programs: &[&'static str]) -> std::result::Result<(), String> {
        match programs.iter().find_map(|program| self.missing.get(program)) {
            Some(reason) => Err(reason.clone()),
            None => Ok(()),
        }
    }
}

/// Installs the programs that are missing; the output of `apt-get` goes to `logs`. All at once, which is quicker; one
/// by one where a package cannot be had, so that the others are there.
pub(super) fn install(logs: &Path, permission: Permission) -> System {
    let absent = || PROGRAMS.iter().filter(|(program, _)| !is_usable(program));
    let packages: Vec<&str> = absent().flat_map(|(_, packages)| packages.iter().copied()).collect();
    let mut reasons = BTreeMap::new();
    if !packages.is_empty() && apt_get(&packages, logs, permission).is_err() {
        for (program, packages) in absent() {
            reasons
                .extend(apt_get(packages, logs, permission).err().map(|error| (*program, error.to_string())));
        }
    }
    let missing = absent().map(|(program, _)| {
        let reason = reasons.get(program).map_or("its package does not bring it", String::as_str);
        (*program, format!("`{program}` is missing ({reason})"))
    });
    System { missing: missing.collect() }
}

/// Makes sure that `program` is there: installs `package` where it is missing and this runs as root.
pub(crate) fn provide(program: &str, package: &str) -> Result<()> {
    if find(program).is_some() {
        return Ok(());
    }
    apt_get(&[package], &std::env::temp_dir(), Permission::IfRoot)
        .map_err(|error| format!("`{program}` is missing ({error})"))?;
    if find(program).is_some() { Ok(()) } else { Err(format!("`{package}` has no `{program}`").into()) }
}

/// Installs Debian packages.
fn apt_get(packages: &[&str], logs: &Path, permission: Permission) -> Result<()> {
    if find("apt-get").is_none() {
        return Err(format!("no `apt-get` to install the packages {}", packages.join(", ")).into());
    }
    let is_root = process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !is_root && permission == Permission::IfRoot {
        return Err(
            format!("not root: the packages {} are not installed unasked", packages.join(", ")).into()
        );
    }
    std::fs::create_dir_all(logs)?;
    let log = logs.join("apt-get.log");
    let install = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    for arguments in [&["update"][..], &install] {
        let mut command = Command::new(if is_root { "apt-get" } else { "sudo" });
        if !is_root {
            command.arg("apt-get");
        }
        // Another installation may be under way.
        command.args(["-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=1"]);
        process::install(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"), &log)?;
    }
    Ok(())
}

/// Returns whether a program is there and can be used for tests.
fn is_usable(program: &str) -> bool {
    match program {
        // Debian's Python comes without the module that makes environments with `pip`.
        "python3" => process::succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"])),
        _ => find(program).is_some(),
    }
}

/// Finds a program as a shell does; also where administrators' programs are.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin", "/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_installed() {
        provide("sh", "no-such-package").unwrap();
    }

    #[test]
    fn the_reason_names_the_program() {
        let system = System { missing: BTreeMap::from([("nginx", "`nginx` is missing (why)".to_owned())]) };
        assert_eq!(system.needs(&["curl", "nginx"]).unwrap_err(), "`nginx` is missing (why)");
        assert!(system.needs(&["curl"]).is_ok());
    }
}
