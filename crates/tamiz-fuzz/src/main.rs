//! Writes what libFuzzer starts from, and keeps inputs that failed.

use std::path::Path;
use std::{env, fs, io};

use tamiz_fuzz::{Target, dictionary, escaped, root, seeds};

const USAGE: &str = "\
usage: tamiz-fuzz seeds [TARGET]             write fuzz/corpus/TARGET, or that of every target, and fuzz/dictionary.txt
       tamiz-fuzz keep TARGET NAME ESCAPED   write fuzz/kept/TARGET/NAME, the input as the replay test prints it";

/// Names of seeds begin with this. Seeds of vectors that are gone are removed by it.
const PREFIX: &str = "seed-";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["seeds"] => Target::ALL.iter().try_for_each(|target| write_seeds(*target))?,
        ["seeds", target] => write_seeds(Target::by_name(target).ok_or(USAGE)?)?,
        ["keep", target, name, input] => {
            let target = Target::by_name(target).ok_or(USAGE)?;
            let input = escaped::unescape(input).ok_or("the input is not in escaped form")?;
            return Ok(keep(target, name, &input)?);
        }
        _ => return Err(USAGE.into()),
    }
    fs::write(root().join("fuzz/dictionary.txt"), dictionary::text()?)?;
    Ok(())
}

/// Writes the seeds and kept inputs of a target to its corpus. What the fuzzer found there stays.
fn write_seeds(target: Target) -> io::Result<()> {
    let folder = root().join("fuzz/corpus").join(target.name);
    fs::create_dir_all(&folder)?;
    remove_seeds(&folder)?;
    for seed in seeds::seeds(target).into_iter().chain(seeds::kept(target)?) {
        fs::write(folder.join(format!("{PREFIX}{}", seed.name)), seed.input)?;
    }
    Ok(())
}

fn remove_seeds(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX)) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn keep(target: Target, name: &str, input: &[u8]) -> io::Result<()> {
    let folder = root().join("fuzz/kept").join(target.name);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), input)
}
