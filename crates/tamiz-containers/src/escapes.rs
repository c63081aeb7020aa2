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
}
