//! Stray bytes that are an evasion (4.20).

use crate::chars::Char;

fn is_stray(c: Option<&Char>, from: u8, to: u8) -> bool {
    matches!(c, Some(Char::Stray(byte)) if (from..=to).contains(byte))
}

/// Returns whether a character, plain, kept or guarded, is one of `wanted`.
fn is_sign(c: Option<&Char>, wanted: impl Fn(char) -> bool) -> bool {
    match c {
        Some(Char::Plain(c) | Char::Guarded(c)) => wanted(*c),
        Some(Char::Kept(byte)) => wanted(char::from(*byte)),
        _ => false,
    }
}

/// The first byte, the second byte, each from and to, and how many of 80–BF follow these.
type Form = ((u8, u8), (u8, u8), usize);

/// The forms that are none of UTF-8.
const FORMS: [Form; 8] = [
    ((0xC0, 0xC1), (0x80, 0xBF), 0),
    ((0xE0, 0xE0), (0x80, 0x9F), 1),
    ((0xF0, 0xF0), (0x80, 0x8F), 2),
    ((0xED, 0xED), (0xA0, 0xBF), 1),
    ((0xF4, 0xF4), (0x90, 0xBF), 2),
    ((0xF5, 0xF7), (0x80, 0xBF), 2),
    ((0xF8, 0xFB), (0x80, 0xBF), 3),
    ((0xFC, 0xFD), (0x80, 0xBF), 4),
];

/// Returns whether a text raises `OVERLONG`.
pub(crate) fn holds_overlong(text: &[Char]) -> bool {
    (0..text.len()).any(|at| {
        let stray = |offset: usize, from: u8, to: u8| is_stray(text.get(at + offset), from, to);
        let next = |wanted: &dyn Fn(char) -> bool| is_sign(text.get(at + 1), wanted);
        let form = FORMS.iter().any(|(first, second, more)| {
            stray(0, first.0, first.1)
                && stray(1, second.0, second.1)
                && (0..*more).all(|i| stray(2 + i, 0x80, 0xBF))
        });
        let low_bits = (stray(0, 0xC0, 0xC0) && next(&|c| "/<>".contains(c)))
            || (stray(0, 0xC1, 0xC1) && next(&|c| c == '\u{1C}'));
        let high_bit = stray(0, 0xBC, 0xBC)
            && next(&|c| c.is_ascii_alphabetic() || "/!?".contains(c))
            && text[at + 2..].iter().any(|c| is_stray(Some(c), 0xBE, 0xBE) || is_sign(Some(c), |c| c == '>'));
        let swallows = [(0xA0, 0xA9), (0xAB, 0xB9), (0xBB, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7)]
            .iter()
            .any(|(from, to)| stray(0, *from, *to))
            && next(&|c| "'\"\\".contains(c));
        form || low_bits || high_bit || swallows
    })
}
