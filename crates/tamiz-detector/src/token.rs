//! Parses a token: its place, its family and its kind.
//!
//! | token | place | family | kind |
//! |---|---|---|---|
//! | `q.id` | | `q` | keys of `q` |
//! | `q.id=num`, `q.id=num@0-15` | `q.id` | `q.id=`, `q.id=@` | shapes of `q`, the same with lengths |
//! | `q.id~'`, `q.id^a9` | `q.id` | `q.id~`, `q.id^` | signs, skeletons of `q` |
//! | `q.id&num~'` | `q.id` | `q.id&` | pairs of shape and sign; of this crate |
//! | `f.q.id=QUOTE` | `q.id` | `f.q.id` | flags of `q` |
//! | `e=GET /a` | | `e` | endpoints; of this crate |
//! | all others, such as `hcnt=5` | | what stands before the sign | the same |

/// The sign of a token that tells a key or the name of a header.
pub(crate) const PLACE: u8 = b'.';

/// A token, cut into what the model asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts<'t> {
    /// The token of the key or header that it is about, which tells how often the place was seen.
    pub(crate) place: Option<&'t str>,
    /// The beginning that all tokens of the family share.
    pub(crate) family: &'t str,
    /// True if its length is told too; shapes with and without are two families.
    pub(crate) measured: bool,
    /// `f`, or the letter of query, body, header or cookie, or the family itself.
    pub(crate) kind: &'t str,
    /// The sign after the place.
    pub(crate) op: u8,
}

/// Where the first sign is, from some byte on, that ends a place.
fn find_op(text: &str, from: usize) -> Option<usize> {
    let is_op = |byte: u8| matches!(byte, b'=' | b'~' | b'^' | b'@' | b'#' | b'&');
    Some(text.bytes().skip(from).position(is_op)? + from)
}

impl<'t> Parts<'t> {
    pub(crate) fn of(token: &'t str) -> Self {
        match token.as_bytes() {
            [b'f', b'.', ..] => Parts::of_flag(token),
            [b'q' | b'b' | b'h' | b'c', b'.', ..] => Parts::of_place(token),
            _ => Parts::whole(token.get(..find_op(token, 0).unwrap_or(token.len())).unwrap_or(token)),
        }
    }

    /// A token of which only the family counts.
    fn whole(family: &'t str) -> Self {
        Parts { place: None, family, measured: false, kind: family, op: b'=' }
    }

    fn of_flag(token: &'t str) -> Self {
        let end = token.bytes().rposition(|byte| byte == b'=').unwrap_or(token.len());
        let family = token.get(..end).unwrap_or(token);
        let place = family.get(2..).filter(|place| place.bytes().any(|byte| byte == b'.'));
        let kind = family.get(..3).unwrap_or(family);
        Parts { place, family, measured: false, kind, op: b'f' }
    }

    /// A token that begins with the letter of a kind of place.
    fn of_place(token: &'t str) -> Self {
        let letter = token.get(..1).unwrap_or(token);
        // A place has at least one character, whatever it is.
        let first = token.get(2..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let Some(end) = find_op(token, first + 2) else {
            return Parts { place: None, family: letter, measured: false, kind: letter, op: PLACE };
        };
        let place = token.get(..end).unwrap_or(token);
        let op = token.as_bytes().get(end).copied().unwrap_or_default();
        let measured = op == b'=' && token.bytes().skip(end).any(|byte| byte == b'@');
        match place {
            "q.n" | "q.keys" | "b.n" | "b.keys" | "b.kind" => Parts::whole(place),
            _ if letter == "c" => Parts { place: None, family: place, measured, kind: letter, op },
            _ => {
                let family = token.get(..=end).unwrap_or(token);
                Parts { place: Some(place), family, measured, kind: letter, op }
            }
        }
    }

    /// Where in the request it is: the key or header, or the family.
    pub(crate) fn site(&self, token: &'t str) -> &'t str {
        match (self.place, self.op) {
            (Some(place), _) => place,
            (None, b'.') => token,
            (None, b'f') => self.family.get(2..).unwrap_or(self.family),
            (None, _) => self.family,
        }
    }
}

/// The kind of place and the flag of a token `f.place=FLAG`: the parameter of the flag is left out unless it is a word
/// of a closed list.
pub(crate) fn flag(token: &str) -> Option<(&str, &str)> {
    let (place, flag) = token.strip_prefix("f.")?.rsplit_once('=')?;
    let kind = place.split('.').next()?;
    let name = flag.split(':').next().unwrap_or(flag);
    Some((kind, if matches!(name, "KW" | "URLVALUE" | "SERIAL") { flag } else { name }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families() {
        for (token, place, family, kind, op) in [
            ("m=GET", None, "m", "m", b'='),
            ("p/=a", None, "p/", "p/", b'='),
            ("p.ext=jsp", None, "p.ext", "p.ext", b'='),
            ("plen@0-15", None, "plen", "plen", b'='),
            ("q.id", None, "q", "q", b'.'),
            ("q.n=2", None, "q.n", "q.n", b'='),
            ("q.id=num", Some("q.id"), "q.id=", "q", b'='),
            ("q.id=num@0-15", Some("q.id"), "q.id=", "q", b'='),
            ("q.id~'", Some("q.id"), "q.id~", "q", b'~'),
            ("q.id&num~'", Some("q.id"), "q.id&", "q", b'&'),
            ("h.host=a", Some("h.host"), "h.host=", "h", b'='),
            ("f.q.id=QUOTE", Some("q.id"), "f.q.id", "f.q", b'f'),
            ("f.p=HOME", None, "f.p", "f.p", b'f'),
            ("e=GET /a=b", None, "e", "e", b'='),
            ("q.=", None, "q", "q", b'.'),
            ("q.", None, "q", "q", b'.'),
            ("f.", None, "f.", "f.", b'f'),
        ] {
            let parts = Parts::of(token);
            assert_eq!(
                (parts.place, parts.family, parts.kind, parts.op),
                (place, family, kind, op),
                "{token}"
            );
        }
        assert!(Parts::of("q.id=num@0-15").measured && !Parts::of("q.id=num").measured);
    }

    #[test]
    fn flags() {
        assert_eq!(flag("f.q.id=QUOTE"), Some(("q", "QUOTE")));
        assert_eq!(flag("f.q.a=b=KW:sql"), Some(("q", "KW:sql")));
        assert_eq!(flag("f.h.cookie=COOKIE:3"), Some(("h", "COOKIE")));
        assert_eq!(flag("f.p=HOME"), Some(("p", "HOME")));
        assert_eq!(flag("q.id=num"), None);
    }
}
