//! The vectors of `spec/vectors`, as far as tasks need them.

use std::path::Path;

use crate::Result;

/// The request of a vector.
pub(crate) struct Vector {
    pub(crate) request: Vec<u8>,
}

/// Every vector, in order of file names.
pub(crate) fn all(root: &Path) -> Result<Vec<Vector>> {
    let mut vectors = Vec::new();
    let mut folders = vec![root.join("spec/vectors")];
    while let Some(folder) = folders.pop() {
        let mut paths =
            std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                let text = std::fs::read_to_string(&path)?;
                read(&text, &mut vectors).map_err(|error| format!("{}: {error}", path.display()))?;
            }
        }
    }
    Ok(vectors)
}

fn read(text: &str, vectors: &mut Vec<Vector>) -> Result<()> {
    let file: toml::Table = toml::from_str(text)?;
    for vector in file.get("vector").and_then(toml::Value::as_array).ok_or("no vectors")? {
        let field = |key: &str| vector.get(key).and_then(toml::Value::as_str).ok_or(format!("no {key}"));
        let request = unescape(field("request")?).ok_or("a bad escape")?;
        vectors.push(Vector { request });
    }
    Ok(())
}

/// A request's bytes: `\r \n \t \\ \xHH` are escapes, everything else is itself.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        bytes.push(match chars.next()? {
            'r' => b'\r',
            'n' => b'\n',
            't' => b'\t',
            '\\' => b'\\',
            'x' => {
                let (high, low) = (chars.next()?.to_digit(16)?, chars.next()?.to_digit(16)?);
                u8::try_from(high * 16 + low).ok()?
            }
            _ => return None,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_unescaped() {
        let mut vectors = Vec::new();
        let file = "[[vector]]\nname = 'a'\nrequest = 'G\\r\\n\\x00\\xFF\\\\ñ'\ndocument = 'M:G'\n";
        read(file, &mut vectors).unwrap();
        assert_eq!(vectors[0].request, b"G\r\n\0\xFF\\\xC3\xB1");
        assert!(read("[[vector]]\nname = 'a'\nrequest = '\\q'\ndocument = ''\n", &mut vectors).is_err());
        assert!(read("", &mut vectors).is_err());
    }
}
