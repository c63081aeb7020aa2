//! Writes mutants into the source text, each behind a switch.

use crate::sites::{Kind, Mutant};

/// A replacement of some bytes at a place of the text.
struct Edit {
    at: usize,
    removes: usize,
    /// Orders edits at the same place: closing before opening; the outer one opens first and closes last.
    order: (bool, isize),
    text: String,
}

/// The text of a file with mutants, each with its number.
pub(crate) fn rewrite(text: &str, mutants: &[(usize, &Mutant)]) -> String {
    let mut edits: Vec<Edit> =
        mutants.iter().flat_map(|(number, mutant)| edits(*number, mutant, text)).collect();
    edits.sort_by_key(|edit| (edit.at, edit.order));
    let mut out = String::with_capacity(text.len() * 2);
    let mut copied = 0;
    for edit in edits {
        out.push_str(text.get(copied..edit.at).unwrap_or_default());
        out.push_str(&edit.text);
        copied = edit.at + edit.removes;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

fn edits(number: usize, mutant: &Mutant, text: &str) -> Vec<Edit> {
    let on = format!("crate::mutation::on({number})");
    let order = mutant.order as isize;
    let open = |text: String| Edit { at: mutant.range.start, removes: 0, order: (true, order), text };
    let close =
        |text: &str| Edit { at: mutant.range.end, removes: 0, order: (false, -order), text: text.to_owned() };
    match mutant.kind {
        Kind::Always => vec![open(format!("({on} || (")), close("))")],
        Kind::Never => vec![open(format!("(!{on} && (")), close("))")],
        Kind::Negated => vec![open(format!("({on} ^ (")), close("))")],
        Kind::OneMore => vec![open("(".to_owned()), close(&format!(" + if {on} {{ 1 }} else {{ 0 }})"))],
        Kind::Dropped => vec![open(format!("if !{on} {{ ")), close(" }")],
        Kind::NoArm => vec![close(&format!(" if !{on}"))],
        Kind::Returns(value) => vec![close(&format!(" if {on} {{ return {value}; }}"))],
        Kind::Moved => {
            let operator = match text.get(mutant.operator.clone()) {
                Some("<") => "less",
                Some("<=") => "less_or_equal",
                Some(">") => "greater",
                _ => "greater_or_equal",
            };
            let between = Edit {
                at: mutant.operator.start,
                removes: mutant.operator.len(),
                order: (false, 0),
                text: "), &(".to_owned(),
            };
            vec![open(format!("crate::mutation::{operator}({number}, &(")), between, close("))")]
        }
    }
}

/// The module with the switch.
pub(crate) const SWITCH: &str = r#"//! Which mutant is on.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};

static NUMBER: LazyLock<u32> =
    LazyLock::new(|| std::env::var("TAMIZ_MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0));
/// The mutants that were written down, a bit each: a mutant is reached a million times, and written once.
static REACHED: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];
static NOTES: LazyLock<Option<Mutex<std::fs::File>>> = LazyLock::new(|| {
    let file = std::fs::File::create(std::env::var_os("TAMIZ_MUTANTS_REACHED")?).ok()?;
    Some(Mutex::new(file))
});

#[inline(never)]
fn reach(number: u32) {
    let bit = 1 << (number % 64);
    let Some(word) = REACHED.get(number as usize / 64) else { return };
    if word.load(Ordering::Relaxed) & bit == 0
        && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
        && let Some(notes) = &*NOTES
        && let Ok(mut notes) = notes.lock()
    {
        let _ = writeln!(notes, "{number}");
    }
}

pub(crate) fn on(number: u32) -> bool {
    if *NUMBER == u32::MAX {
        reach(number);
    }
    *NUMBER == number
}

pub(crate) fn less<T: PartialOrd + ?Sized>(number: u32, left: &T, right: &T) -> bool {
    left < right || on(number) && left <= right
}

pub(crate) fn less_or_equal<T: PartialOrd + ?Sized>(number: u32, left: &T, right: &T) -> bool {
    left < right || !on(number) && left <= right
}

pub(crate) fn greater<T: PartialOrd + ?Sized>(number: u32, left: &T, right: &T) -> bool {
    left > right || on(number) && left >= right
}

pub(crate) fn greater_or_equal<T: PartialOrd + ?Sized>(number: u32, left: &T, right: &T) -> bool {
    left > right || !on(number) && left >= right
}
"#;

#[cfg(test)]
mod test {
    use super::*;
    use crate::sites::of_file;

    #[test]
    fn mutants_are_nested() {
        let text = "fn f(a: u8) -> &str { if a < 3 { g(a); } \"\" }";
        let found = of_file("x.rs", text).unwrap();
        let numbered: Vec<_> = (1..).zip(&found).collect();
        let expected = "fn f(a: u8) -> &str { if (crate::mutation::on(1) || ((!crate::mutation::on(2) && \
                        (crate::mutation::less(3, &(a ), &( (3 + if crate::mutation::on(4) { 1 } else { 0 }))))))) \
                        { if !crate::mutation::on(5) { g(a); } } \"\" }";
        assert_eq!(rewrite(text, &numbered), expected);
        assert!(syn::parse_file(&rewrite(text, &numbered)).is_ok());
        assert!(syn::parse_file(SWITCH).is_ok());
    }
}
