//! The Node packages of `web/`, below `target/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::process;

/// The files that say which packages at which versions.
const LISTS: [&str; 2] = ["package.json", "package-lock.json"];

/// Installs the packages of the lock file, if they are not there, and links them into `web/`, where Node looks.
pub(super) fn install(root: &Path, target: &Path) -> Result<()> {
    let (web, folder) = (root.join("web"), target.join("node"));
    let wanted = fs::read_to_string(web.join(LISTS[1]))?;
    // Written last, so that an installation that was cut short is made again.
    let installed = folder.join("installed-lock.json");
    if !fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        fs::create_dir_all(&folder)?;
        for list in LISTS {
            fs::copy(web.join(list), folder.join(list))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--no-audit", "--no-fund", "--fetch-retries=1"]).current_dir(&folder);
        process::install(&mut npm, &target.join("setup/npm.log"))?;
        fs::write(&installed, wanted)?;
    }
    link(&folder.join("node_modules"), &web.join("node_modules"))
}

/// Makes `link` point to the folder `packages`, unless it is a folder of its own.
#[cfg(unix)]
fn link(packages: &Path, link: &Path) -> Result<()> {
    match fs::read_link(link) {
        Ok(found) if found == packages => return Ok(()),
        Ok(_) => fs::remove_file(link)?,
        Err(_) if link.is_dir() => return Ok(()),
        Err(_) => {}
    }
    Ok(std::os::unix::fs::symlink(packages, link)?)
}

/// Copies what cannot be linked without rights that users seldom have.
#[cfg(not(unix))]
fn link(packages: &Path, link: &Path) -> Result<()> {
    fs::create_dir_all(link)?;
    for entry in fs::read_dir(packages)? {
        let entry = entry?;
        let to = link.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            self::link(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
