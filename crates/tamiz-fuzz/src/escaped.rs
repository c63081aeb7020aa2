//! Inputs as text, to print them and to read them again.

/// Reads bytes written by `slice::escape_ascii`; `None` if the text has another escape or is not ASCII.
pub fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        (rest, _) = match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                (after, out.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?))
            }
            (b'\\', [sign, after @ ..]) => {
                let byte = match sign {
                    b'r' => b'\r',
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'\\' | b'\'' | b'"' => *sign,
                    _ => return None,
                };
                (after, out.push(byte))
            }
            (b'\\', []) => return None,
            (byte, after) if byte.is_ascii() => (after, out.push(*byte)),
            _ => return None,
        };
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unescape(&bytes.escape_ascii().to_string()), Some(bytes));
        for wrong in ["\\", "\\q", "\\x4", "\\xg0", "ñ"] {
            assert_eq!(unescape(wrong), None, "{wrong}");
        }
    }
}
