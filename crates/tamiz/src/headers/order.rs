//! The order by name of header lines that came before. Clients send the same names in the same order over and over, so
//! that is remembered too.

#![allow(clippy::arithmetic_side_effects, reason = "a rotation of bits")]

use std::cell::RefCell;
use std::fmt;

use bumpalo::Bump;

use crate::memo::Rank;
use crate::message::Known;

/// More lines are not put in order here.
const MOST: usize = 64;

/// How many orders are kept, as a power of two.
const BITS: u32 = 4;

/// Orders that came before.
#[derive(Default)]
pub(crate) struct Orders {
    kept: RefCell<Vec<Order>>,
}

/// What the names of a header block are in order.
struct Order {
    /// The ranks of the names as they came.
    ranks: Vec<Rank>,
    /// Their places there, by rank.
    places: Vec<u8>,
    /// Whether no two have the same rank.
    is_sole: bool,
}

impl fmt::Debug for Orders {
    /// Without what is remembered: requests are nobody's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orders").finish_non_exhaustive()
    }
}

impl Orders {
    /// The places of lines by name; `None` where two may have the same, or they are too many.
    pub(crate) fn of<'a>(&self, known: &[Known<'_>], bump: &'a Bump) -> Option<&'a [u8]> {
        if known.len() > MOST {
            return None;
        }
        let mut kept = self.kept.borrow_mut();
        if kept.is_empty() {
            kept.resize_with(1 << BITS, Order::new);
        }
        let order = kept.get_mut(place_of(known))?;
        if !order.is_of(known) {
            order.sort(known);
        }
        order.is_sole.then(|| &*bump.alloc_slice_copy(&order.places))
    }
}

/// Where the order of lines is kept.
fn place_of(known: &[Known<'_>]) -> usize {
    let hash = known.iter().fold(0_u64, |hash, known| {
        (hash ^ known.rank.folded()).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    });
    (hash >> (u64::BITS - BITS)) as usize
}

impl Order {
    /// None yet, with all the memory it will ever have.
    fn new() -> Self {
        Order { ranks: Vec::with_capacity(MOST), places: Vec::with_capacity(MOST), is_sole: true }
    }

    /// Whether the names came so before.
    fn is_of(&self, known: &[Known<'_>]) -> bool {
        self.ranks.len() == known.len()
            && self.ranks.iter().zip(known).all(|(rank, known)| *rank == known.rank)
    }

    fn sort(&mut self, known: &[Known<'_>]) {
        self.ranks.clear();
        self.ranks.extend(known.iter().map(|known| known.rank));
        self.places.clear();
        self.places.extend((0..).take(known.len()));
        let rank_of = |place: &u8| self.ranks.get(usize::from(*place)).copied();
        self.places.sort_unstable_by_key(rank_of);
        self.is_sole = self.places.windows(2).all(|two| matches!(two, [a, b] if rank_of(a) != rank_of(b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::FlagSet;
    use crate::memo::{Memos, Said};

    #[test]
    fn orders_are_the_same_when_they_come_again() {
        let mut memos = Memos::default();
        memos.begin(1);
        let lines = ["Host: a", "Accept: b", "X-A: c", "User-Agent: d", "Accept-Encoding: e"];
        for line in lines {
            let name = line.split(':').next().unwrap().to_ascii_lowercase();
            let said = Said::new(FlagSet::default(), std::iter::empty(), b"", name.as_bytes(), 1).unwrap();
            memos.lines.keep(line.as_bytes(), b"", said);
        }
        let bump = Bump::new();
        let order_of = |lines: &[&str]| {
            let known: Vec<Known<'_>> = lines
                .iter()
                .map(|line| {
                    let line = line.as_bytes();
                    memos.lines.find_with(line, |slot, said| Known::new(line, slot, said, 0)).unwrap()
                })
                .collect();
            memos.orders.of(&known, &bump).map(<[u8]>::to_vec)
        };
        for _ in 0..3 {
            assert_eq!(order_of(&lines), Some(vec![1, 4, 0, 3, 2]));
            assert_eq!(order_of(&["X-A: c", "Host: a"]), Some(vec![1, 0]));
            assert_eq!(order_of(&["X-A: c", "X-A: c"]), None);
            assert_eq!(order_of(&[]), Some(vec![]));
            assert_eq!(order_of(&["Host: a"; MOST + 1]), None);
        }
        assert!(!format!("{:?}", memos.orders).contains("ost"));
    }
}
