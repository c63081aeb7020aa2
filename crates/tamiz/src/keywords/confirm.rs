//! Confirms a literal: folds the text around it, and compares it with the entries that the literal is of.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use super::fold::Folding;
use super::search::entries_at;
use super::tables::REACHES;
use super::trie::Classes;
use super::Matched;
use crate::steps;

/// Is set beside the classes of entries of several parts, of which a literal proves none.
const SEVERAL: u16 = 1 << 15;

/// What to compare where a literal is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    /// The classes of the entries.
    classes: Classes,
    /// Those of entries of several parts.
    unsure: Classes,
    /// How many folded characters of an entry may be before the literal, a bit for each number.
    backs: u64,
    /// How many it has from the literal on, at most.
    forward: usize,
}

impl Asked {
    /// Adds what a record asks for of the wanted classes.
    #[inline]
    pub(super) fn add(&mut self, reach: u8, classes: u16, wanted: Classes) {
        let own = Classes::from(classes & !SEVERAL) & wanted;
        if own == 0 {
            return;
        }
        if classes & SEVERAL != 0 {
            self.unsure |= own;
            return;
        }
        self.classes |= own;
        let reach = REACHES.get(usize::from(reach)).copied().unwrap_or_default();
        let [.., forward, _] = reach;
        self.backs |= u64::from_le_bytes(reach) << 16 >> 16;
        self.forward = self.forward.max(usize::from(forward));
    }
}

/// So many characters at the beginning of a folded piece may be others than in the whole text, or are looked at before an entry.
const MARGIN: usize = 6;
/// So many are looked at behind an entry.
const BEHIND: usize = 3;
/// How far before a literal a piece begins at most, in bytes.
const FARTHEST: usize = 120;
/// Room for that, for the longest part, and for what folding puts at once.
const ROOM: usize = 208;

/// Finds the entries that are asked for around the literal at `at`, the beginning of a run of letters or a sign that folding does
/// not drop.
#[inline(never)]
pub(super) fn confirm(text: &[u8], at: usize, asked: Asked) -> Matched {
    let Asked { classes, unsure, mut backs, forward } = asked;
    let mut matched = Matched { unsure, ..Matched::default() };
    let Some(back) = backs.checked_ilog2() else { return matched };
    steps::slow("keyword literal confirmed");
    let back = back as usize;
    let mut room = [0; ROOM];
    // Few signs are dropped before a literal.
    let near = at.saturating_sub(back + back / 4 + 2 * MARGIN);
    let mut folding = fold_before(text, near, at, &mut room);
    if near > 0 && folding.len() < back + MARGIN {
        let far = at.saturating_sub(FARTHEST);
        folding = fold_before(text, far, at, &mut room);
        if far > 0 && folding.len() < back + MARGIN {
            matched.unsure |= classes;
            return matched;
        }
    }
    let place = folding.len();
    folding.run(text.len(), place + forward + BEHIND);
    let piece = folding.finish();
    while backs != 0 {
        let back = backs.trailing_zeros() as usize;
        backs &= backs - 1;
        if let Some(start) = place.checked_sub(back) {
            matched.add(entries_at(&piece, start, classes & !matched.found));
        }
    }
    matched
}

/// Folds a text from `from` to a literal.
fn fold_before<'t, 'o>(text: &'t [u8], from: usize, at: usize, room: &'o mut [u8; ROOM]) -> Folding<'t, 'o> {
    let mut folding = Folding::new(text, from, room);
    folding.run(at, usize::MAX);
    folding
}
