//! Unicode (clauses 4.9, 4.10 and 4.15 to 4.18): NFKC of structural fields, and what characters are.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use icu_properties::props::{
    DefaultIgnorableCodePoint, GeneralCategory, Script as ScriptProperty, WhiteSpace,
};
use icu_properties::{CodePointMapData, CodePointMapDataBorrowed, CodePointSetData, PropertyNamesLong};

use crate::context::Context;
use crate::decode::nfkc::{NFKC, is_stable, put_nfkc};
use crate::decode::{Char, GUARD, first_char, put_guarded};
use crate::flags::{Flag, Flags};
use crate::steps;
use crate::text::{Builder, Text};

const CATEGORY: CodePointMapDataBorrowed<'static, GeneralCategory> = CodePointMapData::new();
const SCRIPT: CodePointMapDataBorrowed<'static, ScriptProperty> = CodePointMapData::new();

/// `FULLWIDTH`: the block of full-width and half-width forms, and the characters whose
/// decomposition is `<wide>` or `<narrow>`, of which only U+3000 lies outside that block.
pub(crate) fn is_full_width(c: char) -> bool {
    matches!(c, '\u{FF00}'..='\u{FFEF}' | '\u{3000}')
}

/// `CONTROL`: Cc, the line and paragraph separators, and the bidirectional controls.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{061C}' | '\u{200E}' | '\u{200F}'
                | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
        )
}

/// `INVISIBLE`: default-ignorable characters that are not controls.
pub(crate) fn is_invisible(c: char) -> bool {
    // Hardly a character of a text is beyond all of these and below the rest.
    let is_one = match c {
        '\0'..='\u{AC}' | '\u{AE}'..='\u{34E}' | '\u{350}'..='\u{61B}' => false,
        '\u{61D}'..'\u{115F}' | '\u{3165}'..'\u{FE00}' => false,
        '\u{FF00}'..'\u{FFA0}' => false,
        _ => CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c),
    };
    is_one && !is_control(c)
}

/// Default_Ignorable_Code_Point.
pub(crate) fn is_ignorable(c: char) -> bool {
    is_invisible(c) || is_control(c) && !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}')
}

/// White_Space.
pub(crate) fn is_white_space(c: char) -> bool {
    match c {
        '\0'..'\u{80}' => matches!(c, '\t'..='\r' | ' '),
        '\u{A1}'..'\u{1680}' | '\u{3001}'.. => false,
        _ => CodePointSetData::new::<WhiteSpace>().contains(c),
    }
}

/// A letter of the two blocks of Cyrillic that languages of today are written in.
fn is_cyrillic_letter(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{481}' | '\u{48A}'..='\u{52F}')
}

/// A letter or a decimal digit.
pub(crate) fn is_letter_or_digit(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    if is_cyrillic_letter(c) {
        return true;
    }
    matches!(
        CATEGORY.get(c),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::DecimalNumber
    )
}

/// A letter.
pub(crate) fn is_letter(c: char) -> bool {
    is_letter_or_digit(c) && CATEGORY.get(c) != GeneralCategory::DecimalNumber
}

/// A combining mark.
pub(crate) fn is_mark(c: char) -> bool {
    use GeneralCategory as G;
    !c.is_ascii() && matches!(CATEGORY.get(c), G::NonspacingMark | G::SpacingMark | G::EnclosingMark)
}

/// The scripts that homographs are made of, as bits; everything else is none.
fn script(c: char) -> u8 {
    steps::slow("script looked up");
    if c.is_ascii() {
        return u8::from(c.is_ascii_alphabetic());
    }
    if is_cyrillic_letter(c) {
        return 2;
    }
    match SCRIPT.get(c) {
        ScriptProperty::Latin => 1,
        ScriptProperty::Cyrillic => 2,
        ScriptProperty::Greek => 4,
        _ => 0,
    }
}

/// The long names of the scripts of the characters outside ASCII in decoded text, sorted, each once.
pub(crate) fn scripts<'a>(text: &[u8], bump: &'a Bump) -> BumpVec<'a, &'static str> {
    let mut seen: BumpVec<'a, ScriptProperty> = BumpVec::new_in(bump);
    for (_, c) in super::char_indices(text) {
        if let Some(c) = c.plain().filter(|c| !c.is_ascii()) {
            let script = SCRIPT.get(c);
            if !seen.contains(&script) {
                seen.push(script);
            }
        }
    }
    let names = PropertyNamesLong::<ScriptProperty>::new();
    let mut shown = BumpVec::new_in(bump);
    shown.extend(seen.into_iter().filter_map(|script| names.get(script)));
    shown.sort_unstable();
    shown
}

/// Returns whether the characters beyond ASCII are Latin, or four or more of one other script, those of none and of all
/// aside; Han and the two kana are one. A word that is taken for Base64 may decode to one character of any script.
pub(crate) fn is_of_one_script(text: &str) -> bool {
    use ScriptProperty as S;
    let scripts = text.chars().filter(|c| !c.is_ascii()).map(|c| match SCRIPT.get(c) {
        S::Hiragana | S::Katakana => S::Han,
        script => script,
    });
    let mut scripts = scripts.filter(|script| !matches!(*script, S::Common | S::Inherited));
    let Some(first) = scripts.next() else { return false };
    let mut count = 1_usize;
    let is_one = scripts.inspect(|_| count = count.saturating_add(1)).all(|script| script == first);
    is_one && (first == S::Latin || count >= 4)
}

/// `MIXEDSCRIPT`: whether letters of two of Latin, Cyrillic and Greek stand in one token.
pub(crate) fn mixes_scripts(token: &[u8]) -> bool {
    if token.is_ascii() {
        return false;
    }
    let seen = super::char_indices(token).filter_map(|(_, c)| c.plain()).fold(0, |seen, c| seen | script(c));
    seen.count_ones() > 1
}

/// Which text is being normalised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// As it came, before percent-decoding: `％` starts an escape and `／` separates.
    Raw,
    /// A path after decoding: no delimiter is born.
    Revealed,
    /// A key, a name, a method: no delimiter is born, but dots are not delimiters there.
    Name,
}

/// The delimiters that NFKC may not give birth to. The dot is among them only for dot segments,
/// which [`crate::target::path`] sees to.
fn is_delimiter(byte: u8, stage: Stage) -> bool {
    /// By byte: a text that NFKC made longer is looked through at the speed of this.
    const DELIMITERS: [bool; 256] = {
        let mut all = [false; 256];
        let mut rest: &[u8] = b"/\\?#%&=;:@.";
        while let [byte, after @ ..] = rest {
            all[*byte as usize] = true;
            rest = after;
        }
        all
    };
    DELIMITERS.get(usize::from(byte)).copied().unwrap_or_default() && (byte != b'.' || stage != Stage::Name)
}

/// NFKC of a structural field. Borrows what is ASCII, or normal already.
pub(crate) fn normalize<'a>(
    text: Text<'a>,
    stage: Stage,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Text<'a> {
    if text.bytes.is_ascii() { text } else { normalize_slow(text, stage, cx, flags) }
}

/// Works on runs beyond ASCII, each with the ASCII character before it, which may combine with
/// them: NFKC never reaches across an ASCII character to its right.
fn normalize_slow<'a>(text: Text<'a>, stage: Stage, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    steps::slow("text normalized");
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(step) = text.bytes.get(at..).and_then(|rest| rest.iter().position(|b| !b.is_ascii())) {
        at += step;
        let rest = text.bytes.get(at..).unwrap_or_default();
        if rest.first() == Some(&GUARD) {
            at += 3;
            continue;
        }
        if stage == Stage::Raw
            && let Some(Char::Plain(c @ ('％' | '／'))) = first_char(rest)
        {
            let source = text.slice(at..at + c.len_utf8());
            flags.raise(Flag::FullWidth, source);
            let builder = builder.get_or_insert_with(|| Builder::new(cx.bump, text.is_traced(), text.len()));
            builder.copy(text.slice(copied..at));
            builder.put(if c == '％' { b"%" } else { b"/" }, source);
            at += c.len_utf8();
            copied = at;
            continue;
        }
        let end = at + run_length(rest, stage);
        let base = base_before(text.bytes, copied, at);
        let run = text.slice(base..end);
        if let Ok(plain) = std::str::from_utf8(run.bytes) {
            let is_normal = NFKC.is_normalized(plain);
            raise_odd_characters(plain, is_normal, run, flags);
            if !is_normal {
                let builder =
                    builder.get_or_insert_with(|| Builder::new(cx.bump, text.is_traced(), text.len()));
                builder.copy(text.slice(copied..base));
                cx.spare.with(|normal| {
                    put_nfkc(plain, normal);
                    let mut born = normal.as_slice();
                    if base < at
                        && let [first, after @ ..] = born
                        && first.is_ascii()
                    {
                        builder.copy(text.slice(base..at));
                        born = after;
                    }
                    put_born(born, stage, run.from(at - base), builder);
                });
                copied = end;
            }
        }
        at = end;
    }
    match builder {
        None => text,
        Some(mut builder) => {
            builder.copy(text.from(copied));
            builder.finish()
        }
    }
}

/// How long the run beyond ASCII at the start of `rest` is.
fn run_length(rest: &[u8], stage: Stage) -> usize {
    let mut len = 0;
    while let Some(c) = first_char(rest.get(len..).unwrap_or_default()) {
        match c {
            Char::Guarded(_) => break,
            Char::Plain(c) if c.is_ascii() => break,
            Char::Plain('％' | '／') if stage == Stage::Raw => break,
            Char::Plain(c) => len += c.len_utf8(),
        }
    }
    len
}

/// Where a run that starts at `at` starts together with the ASCII character before it.
fn base_before(bytes: &[u8], copied: usize, at: usize) -> usize {
    match at.checked_sub(1) {
        Some(before) if before >= copied && !in_guard(bytes, before) => before,
        _ => at,
    }
}

/// Returns whether the ASCII byte at `at` is a digit of a guarded byte.
fn in_guard(bytes: &[u8], at: usize) -> bool {
    [1, 2].iter().any(|back| at.checked_sub(*back).and_then(|i| bytes.get(i)) == Some(&GUARD))
}

/// `FULLWIDTH` and `COMPAT`: the characters that NFKC changes by themselves, not by composing them. A text that is
/// normal has none of the second.
fn raise_odd_characters<'a>(plain: &str, is_normal: bool, run: Text<'a>, flags: &mut Flags<'a>) {
    for (at, c) in plain.char_indices() {
        let range = at..at + c.len_utf8();
        // Where nobody asks which characters they are, one is enough.
        let is_told = is_normal || !run.is_traced() && flags.set.contains(Flag::Compat);
        if is_full_width(c) {
            flags.raise_at(Flag::FullWidth, run, range);
        } else if !is_told && !is_stable(c) {
            flags.raise_at(Flag::Compat, run, range);
        }
    }
}

/// Writes what NFKC made of `source`: its ASCII delimiters are born, and guarded.
fn put_born(born: &[u8], stage: Stage, source: Text<'_>, builder: &mut Builder<'_>) {
    let mut rest = born;
    let is_born = |byte: &u8| is_delimiter(*byte, stage);
    while let Some((before, [delimiter, after @ ..])) =
        rest.iter().position(is_born).and_then(|at| rest.split_at_checked(at))
    {
        builder.put(before, source);
        put_guarded(builder, *delimiter, source);
        rest = after;
    }
    builder.put(rest, source);
}

/// The versions of the tables behind all this, for the fingerprint.
pub(crate) const UNICODE_VERSION: &str = "18.0";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn normal(input: &str, stage: Stage) -> (Vec<u8>, Vec<Flag>) {
        with_context(|cx| {
            let mut flags = cx.flags();
            let text = normalize(Text::request(input.as_bytes(), true), stage, cx, &mut flags);
            (text.bytes.to_vec(), flags.set.iter().collect())
        })
    }

    #[test]
    fn properties_are_those_of_the_tables() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_stable(c), NFKC.is_normalized(c.encode_utf8(&mut [0; 4])), "{c:?}");
            let is_ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c);
            assert_eq!(is_invisible(c), is_ignorable && !is_control(c), "{c:?}");
            assert_eq!(is_white_space(c), CodePointSetData::new::<WhiteSpace>().contains(c), "{c:?}");
        }
    }

    #[test]
    fn raw_percent_and_slash_are_real() {
        assert_eq!(normal("a％70／b", Stage::Raw), (b"a%70/b".to_vec(), vec![Flag::FullWidth]));
        assert_eq!(normal("a％／", Stage::Revealed).0, b"a\xFF25\xFF2F");
    }

    #[test]
    fn other_delimiters_are_guarded() {
        assert_eq!(normal("a？；", Stage::Raw).0, b"a\xFF3F\xFF3B");
        assert_eq!(normal("℅", Stage::Raw), (b"c\xFF2Fo".to_vec(), vec![Flag::Compat]));
    }

    #[test]
    fn composition_is_not_odd() {
        assert_eq!(normal("e\u{301}", Stage::Raw), ("é".as_bytes().to_vec(), vec![]));
        assert_eq!(normal("ﬁ", Stage::Raw), (b"fi".to_vec(), vec![Flag::Compat]));
        assert_eq!(normal("ＡＢ", Stage::Raw), (b"AB".to_vec(), vec![Flag::FullWidth]));
        assert_eq!(normal("\u{212A}", Stage::Raw), (b"K".to_vec(), vec![Flag::Compat]));
        assert_eq!(normal("a．b", Stage::Name).0, b"a.b");
        assert_eq!(normal("ｶﾞ", Stage::Raw), ("ガ".as_bytes().to_vec(), vec![Flag::FullWidth]));
    }

    #[test]
    fn quick_answers_are_those_of_the_tables() {
        for c in '\0'..=char::MAX {
            let is_ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c);
            assert_eq!(is_invisible(c), is_ignorable && !is_control(c), "{c:?}");
            assert_eq!(is_white_space(c), CodePointSetData::new::<WhiteSpace>().contains(c), "{c:?}");
            if is_cyrillic_letter(c) {
                assert_eq!(SCRIPT.get(c), ScriptProperty::Cyrillic, "{c:?}");
                assert!(
                    CATEGORY.get(c) == GeneralCategory::UppercaseLetter
                        || CATEGORY.get(c) == GeneralCategory::LowercaseLetter,
                    "{c:?}"
                );
            }
        }
    }

    #[test]
    fn mixing_counts_three_scripts() {
        assert!(mixes_scripts("раypal".as_bytes()));
        assert!(!mixes_scripts("paypal-ñ-1".as_bytes()));
        assert!(!mixes_scripts("рау".as_bytes()));
        // Letters of the other blocks of Cyrillic, and of Greek.
        assert!(!mixes_scripts("\u{A641}\u{A643}".as_bytes()));
        assert!(!mixes_scripts("\u{A641}а".as_bytes()));
        assert!(mixes_scripts("\u{A641}a".as_bytes()) && mixes_scripts("\u{A641}α".as_bytes()));
    }

    #[test]
    fn classes_of_characters() {
        assert!(is_control('\u{202E}') && is_control('\0') && !is_control('a'));
        assert!(is_invisible('\u{200B}') && is_invisible('\u{FEFF}') && !is_invisible('\u{202E}'));
        assert!(is_white_space('\u{A0}') && is_white_space('\u{B}') && !is_white_space('a'));
        assert!(is_letter_or_digit('é') && !is_letter_or_digit('½') && is_mark('\u{301}'));
    }
}
