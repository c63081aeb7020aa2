//! Escapes of logs: a mark and two hexadecimal digits for a byte.

/// Undoes escapes that begin with `mark`: `#` of HAProxy, `%` of CloudFront, `\x` of Zeek. What is no escape stays as it is.
pub(crate) fn undone(text: &[u8], mark: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        let digits = rest.strip_prefix(mark).and_then(|rest| rest.first_chunk::<2>());
        match digits.and_then(|digits| data_encoding::HEXUPPER_PERMISSIVE.decode(digits).ok()) {
            Some(bytes) => {
                out.extend_from_slice(&bytes);
                rest = rest.get(mark.len().saturating_add(2)..).unwrap_or_default();
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    out
}

/// A line of JSON whose escapes `\xhh`, which JSON does not have, are written as JSON would; `None` if it has none.
pub(crate) fn for_json(line: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(line, br"\x")?;
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let [byte, after @ ..] = rest {
        let run = rest.chunks(4).take_while(|escape| is_hex_escape(escape)).count().saturating_mul(4);
        if run > 0 {
            let (escapes, behind) = rest.split_at_checked(run)?;
            // What is no UTF-8 cannot stand in JSON.
            for c in String::from_utf8_lossy(&undone(escapes, br"\x")).chars() {
                match c {
                    '\0'..='\x1F' | '"' | '\\' => {
                        out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes());
                    }
                    _ => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                }
            }
            rest = behind;
        } else if let [b'\\', escaped, behind @ ..] = rest {
            out.extend_from_slice(&[b'\\', *escaped]);
            rest = behind;
        } else {
            out.push(*byte);
            rest = after;
        }
    }
    Some(out)
}

fn is_hex_escape(text: &[u8]) -> bool {
    matches!(text, [b'\\', b'x', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_each_kind() {
        assert_eq!(undone(b"a#22b#2", b"#"), b"a\"b#2");
        assert_eq!(undone(b"%20%zz%e9%", b"%"), b" %zz\xE9%");
        assert_eq!(undone(br"\x09\x5cx41\y", br"\x"), b"\t\\x41\\y");
        assert_eq!(undone(b"", b"#"), b"");
    }

    #[test]
    fn escapes_that_json_lacks() {
        assert_eq!(
            for_json(br#"{"a":"\x22\xC3\xA9\\x41\n"}"#).unwrap(),
            r#"{"a":"\u0022é\\x41\n"}"#.as_bytes()
        );
        assert_eq!(for_json(br#"{"a":"\x"}"#).unwrap(), br#"{"a":"\x"}"#);
        assert_eq!(for_json(b"{}"), None);
    }
}
