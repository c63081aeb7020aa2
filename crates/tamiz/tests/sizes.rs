//! Files and functions of the library are short enough to be read at once. Tables, matches and tests do not count.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines of code in a file, its tests aside.
const LONGEST_FILE: usize = 400;

/// Lines of a function.
const LONGEST_FUNCTION: usize = 60;

/// Files that may be longer, each with its reason.
const LONG_FILES: [(&str, &str); 4] = [
    ("flags/registry.rs", "the table of flags"),
    ("keywords/entries.rs", "a generated table, for tests"),
    ("lists.rs", "generated tables"),
    ("document/tokens/visit.rs", "one visitor with a short method for each kind of line"),
];

/// Functions that may be longer, each with its reason.
const LONG_FUNCTIONS: [(&str, &str, &str); 3] = [
    ("bytes.rs", "build", "a table of the classes of bytes"),
    ("keywords/fold.rs", "fold_with_ranges", "one match on the next byte"),
    ("scan/structure.rs", "flag", "one match on punctuation and its neighbours"),
];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The files of code below a folder, by their path in it, with their code. Files and modules of tests are left out.
fn code(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            code(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            let source = fs::read_to_string(&path).unwrap();
            let tests = source.find("\n#[cfg(test)]\nmod tests {").unwrap_or(source.len());
            let tests =
                tests.min(source.find("\n#[cfg(test)]\npub(crate) mod tests {").unwrap_or(source.len()));
            let name = path.strip_prefix(sources()).unwrap().to_str().unwrap().replace('\\', "/");
            found.push((name, source[..tests].to_owned()));
        }
    }
}

/// The names of functions, with how many lines each has: the code is formatted, so a function ends with a brace below the
/// beginning of its first line.
fn functions(code: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        let words = text.split(' ').take_while(|word| *word != "fn");
        let is_function =
            words.clone().all(|word| word.starts_with("pub") || matches!(word, "const" | "unsafe"));
        let Some(name) = text.split(' ').nth(words.count() + 1).filter(|_| is_function) else { continue };
        let end = format!("{}}}", &line[..line.len() - text.len()]);
        let Some(len) = lines[first..].iter().position(|line| *line == end) else { continue };
        found.push((name.split(['(', '<']).next().unwrap().to_owned(), len + 1));
    }
    found
}

#[test]
fn files_are_short() {
    let mut files = Vec::new();
    code(&sources(), &mut files);
    assert!(files.len() > 100);
    let long: Vec<&str> = files
        .iter()
        .filter(|(_, code)| code.lines().count() > LONGEST_FILE)
        .map(|(name, _)| name.as_str())
        .collect();
    let mut expected = LONG_FILES.map(|(name, _)| name).to_vec();
    expected.sort_unstable();
    let mut long = long;
    long.sort_unstable();
    assert_eq!(long, expected);
}

#[test]
fn functions_are_short() {
    let mut files = Vec::new();
    code(&sources(), &mut files);
    let mut long: Vec<(String, String)> = Vec::new();
    let mut count = 0;
    for (file, code) in &files {
        let functions = functions(code);
        count += functions.len();
        let of_file = functions.into_iter().filter(|(_, len)| *len > LONGEST_FUNCTION);
        long.extend(of_file.map(|(name, _)| (file.clone(), name)));
    }
    assert!(count > 1000, "{count}");
    long.sort();
    let long: Vec<(&str, &str)> = long.iter().map(|(file, name)| (file.as_str(), name.as_str())).collect();
    assert_eq!(long, LONG_FUNCTIONS.map(|(file, name, _)| (file, name)));
}

#[test]
fn functions_are_found() {
    let code = "pub(crate) fn a<'a>(\n    b: u8,\n) {\n    fn c() {\n    }\n}\nconst fn d() {\n}\nlet fn_like = 1;\n";
    let expected = [("a", 6), ("c", 2), ("d", 2)].map(|(name, len)| (name.to_owned(), len));
    assert_eq!(functions(code), expected);
}
