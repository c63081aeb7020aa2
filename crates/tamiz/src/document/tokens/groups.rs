//! Keys of a body that came more than once, for tokens that are read line by line.

use super::cursor::{Cursor, Hashed};
use crate::document::cut;
use crate::document::lines::Lines;

/// Bodies with more keys are not read by groups, since each key is looked for among all others.
const MOST_GROUPED: u64 = 64;

/// The keys of a body, some of which came more than once, in order of arrival, and the notes of their values by that order.
pub(super) struct Groups<'d> {
    pub(super) keys: Vec<&'d str>,
    pub(super) notes: Vec<(usize, Hashed<'d>)>,
}

impl<'d> Groups<'d> {
    /// Reads the keys off the lines of a body; `None` where there are many, or not all of them are shown.
    pub(super) fn of(body: &Cursor<'d>, notes: &'d str) -> Option<Self> {
        let mut lines = *body;
        lines.skip(b'\n')?;
        let mut found = Lines { body: Some(Default::default()), ..Lines::default() };
        cut::take(lines.skip(b'\n').filter(|line| line.starts_with("BQ:"))?, &mut found)?;
        let keys = found.body?.keys.filter(|keys| keys.more == 0 && keys.count <= MOST_GROUPED)?;
        let mut rest = Cursor { text: notes, seed: body.seed };
        let mut notes = Vec::new();
        while !rest.text.is_empty() {
            rest.text = rest.text.strip_prefix(":b ")?;
            let digits = rest.text.bytes().take_while(u8::is_ascii_digit).count();
            let (index, words) = rest.text.split_at_checked(digits)?;
            rest.text = words;
            notes.push((index.parse().ok()?, rest.line()?));
        }
        Some(Groups { keys: keys.iter().collect(), notes })
    }
}
