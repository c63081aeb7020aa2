//! Some of the requests, each with the same chance: those whose numbers are drawn lowest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use tamiz_containers::{Chunk, Record};

/// How many records of a sample go to a thread at once.
const AT_ONCE: usize = 256;

/// A sample that is being drawn.
pub(crate) struct Sample {
    size: usize,
    seed: u64,
    seen: u64,
    /// The lowest so far; the highest of them is the first to go.
    drawn: BinaryHeap<Drawn>,
}

struct Drawn {
    number: u64,
    at: u64,
    record: Record,
}

impl Drawn {
    fn key(&self) -> (u64, u64) {
        (self.number, self.at)
    }
}

impl Ord for Drawn {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Drawn {}

impl Sample {
    pub(crate) fn new(size: usize, seed: u64) -> Self {
        Sample { size, seed, seen: 0, drawn: BinaryHeap::new() }
    }

    /// Shows it the next record.
    pub(crate) fn add(&mut self, record: Record) {
        let at = self.seen;
        self.seen += 1;
        let number = mixed(self.seed ^ mixed(at));
        if self.drawn.len() == self.size {
            match self.drawn.peek() {
                Some(highest) if (number, at) < highest.key() => self.drawn.pop(),
                _ => return,
            };
        }
        self.drawn.push(Drawn { number, at, record });
    }

    /// The sampled requests, in the order of the input, in chunks.
    pub(crate) fn chunks(self) -> impl Iterator<Item = Chunk> + Send {
        let mut drawn = self.drawn.into_vec();
        drawn.sort_by_key(|drawn| drawn.at);
        let mut records = drawn.into_iter().map(|drawn| Ok(drawn.record));
        std::iter::from_fn(move || {
            let chunk: Vec<_> = records.by_ref().take(AT_ONCE).collect();
            (!chunk.is_empty()).then(|| chunk.into_iter().collect())
        })
    }
}

/// SplitMix64: numbers that look drawn at random from numbers in order.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamiz_containers::{Container, Options};

    fn ids(size: usize, seed: u64, of: usize) -> Vec<usize> {
        let lines: String = (0..of).map(|n| format!("{{\"raw\":\"\",\"id\":{n}}}\n")).collect();
        let container = Container::read("x", std::io::Cursor::new(lines.into_bytes()), &Options::default());
        let mut sample = Sample::new(size, seed);
        container.unwrap().into_iter().for_each(|record| sample.add(record.unwrap()));
        let records = sample.chunks().flatten().map(|record| record.unwrap().id.unwrap().parse().unwrap());
        records.collect()
    }

    #[test]
    fn samples_are_in_order_repeatable_and_even() {
        let first = ids(100, 1, 1000);
        assert!(first.len() == 100 && first.is_sorted() && first == ids(100, 1, 1000));
        assert_ne!(first, ids(100, 2, 1000));
        assert_eq!(ids(10, 1, 3), [0, 1, 2]);
        assert_eq!(ids(0, 1, 3), Vec::<usize>::new());
        let mut hits = [0; 10];
        for seed in 0..200 {
            ids(10, seed, 100).iter().for_each(|id| hits[id / 10] += 1);
        }
        assert!(hits.iter().all(|hits| (140..260).contains(hits)), "{hits:?}");
    }
}
