//! Counts of things of which there may be too many: those that are there often are kept, the others are counted as
//! one.

use std::collections::BTreeMap;

use super::tally::Tally;

/// Data kept beside a count.
pub(crate) trait Beside: Default {
    /// Takes what another part keeps of the same thing.
    fn absorb(&mut self, other: Self, map: &[usize]);
}

impl Beside for () {
    fn absorb(&mut self, (): (), _: &[usize]) {}
}

/// The first that was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Example(pub(crate) String);

impl Beside for Example {
    fn absorb(&mut self, other: Self, _: &[usize]) {
        if self.0.is_empty() {
            *self = other;
        }
    }
}

/// Counts by kind, of which there are few.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(pub(crate) BTreeMap<String, Tally>);

impl Kinds {
    pub(crate) fn add(&mut self, kind: &str, label: usize) {
        match self.0.get_mut(kind) {
            Some(tally) => tally.add(label, 1),
            None => self.0.entry(kind.to_owned()).or_default().add(label, 1),
        }
    }
}

impl Beside for Kinds {
    fn absorb(&mut self, other: Self, map: &[usize]) {
        for (kind, tally) in other.0 {
            self.0.entry(kind).or_default().absorb(&tally, map);
        }
    }
}

/// A count, and what is kept beside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry<B> {
    pub(crate) tally: Tally,
    pub(crate) beside: B,
}

/// Counts by key.
///
/// When there are more keys than `limit`, the quarter that is there least often is let go. What they counted is in
/// [`other`](Self::other), so that nothing is missing from the sum; a key that is let go and comes back has lost at
/// most [`short`](Self::short). What is kept depends on the order of the parts, which is that of the input, and on
/// nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Counter<K: Ord, B> {
    entries: BTreeMap<K, Entry<B>>,
    limit: usize,
    other: Tally,
    short: u64,
}

impl<K: Ord, B: Beside> Counter<K, B> {
    pub(crate) fn new(limit: usize) -> Self {
        Counter { entries: BTreeMap::new(), limit, other: Tally::default(), short: 0 }
    }

    /// Counts one, and gives what is kept beside it.
    pub(crate) fn add<Q>(&mut self, key: &Q, label: usize) -> &mut B
    where
        K: std::borrow::Borrow<Q>,
        Q: Ord + ToOwned<Owned = K> + ?Sized,
    {
        let entry = self.entries.entry(key.to_owned()).or_default();
        entry.tally.add(label, 1);
        &mut entry.beside
    }

    /// Adds what a part counted.
    pub(crate) fn absorb(&mut self, part: Self, map: &[usize]) {
        for (key, entry) in part.entries {
            let known = self.entries.entry(key).or_default();
            known.tally.absorb(&entry.tally, map);
            known.beside.absorb(entry.beside, map);
        }
        self.other.absorb(&part.other, map);
        self.short += part.short;
        if self.entries.len() > self.limit {
            self.let_go();
        }
    }

    /// Lets the least of them go.
    fn let_go(&mut self) {
        let kept = self.limit - self.limit / 4;
        let mut totals: Vec<u64> = self.entries.values().map(|entry| entry.tally.total()).collect();
        totals.sort_unstable_by(|a, b| b.cmp(a));
        // Of those that are there equally often, the first by key are kept.
        let least = totals.get(kept).copied().unwrap_or(0);
        let mut room = kept - totals.iter().take_while(|total| **total > least).count();
        let (mut short, mut other) = (0, std::mem::take(&mut self.other));
        self.entries.retain(|_, entry| {
            let total = entry.tally.total();
            let stays = total > least || (total == least && room > 0);
            if !stays {
                short = short.max(total);
                other.merge(&entry.tally);
            } else if total == least {
                room -= 1;
            }
            stays
        });
        self.other = other;
        self.short += short;
    }

    /// How many there are, those that were let go left out.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The counts of keys that were dropped.
    pub(crate) fn other(&self) -> &Tally {
        &self.other
    }

    /// By how much a count may be too low.
    pub(crate) fn short(&self) -> u64 {
        self.short
    }

    pub(crate) fn get(&self, key: &K) -> Option<&Entry<B>> {
        self.entries.get(key)
    }

    /// All of them, by key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &Entry<B>)> {
        self.entries.iter()
    }

    /// Those that are there most often first; by key where they are there equally often.
    pub(crate) fn most(&self) -> Vec<(&K, &Entry<B>)> {
        let mut all: Vec<_> = self.entries.iter().collect();
        all.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.tally.total()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(words: &[&str]) -> Counter<String, Example> {
        let mut part = Counter::new(usize::MAX);
        for (n, word) in words.iter().enumerate() {
            let example: &mut Example = part.add(*word, n % 2);
            if example.0.is_empty() {
                example.0 = format!("{word}{n}");
            }
        }
        part
    }

    #[test]
    fn parts_add_up() {
        let mut all = Counter::new(100);
        all.absorb(part(&["a", "b", "a"]), &[0, 1]);
        all.absorb(part(&["a", "c"]), &[1, 0]);
        let a = all.get(&"a".to_owned()).unwrap();
        assert_eq!((a.tally.get(0), a.tally.get(1), a.beside.0.as_str()), (2, 1, "a0"));
        assert_eq!((all.len(), all.other().total(), all.short()), (3, 0, 0));
        let names: Vec<&str> = all.most().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }

    #[test]
    fn what_is_rare_is_let_go_and_nothing_is_lost() {
        let mut all = Counter::new(8);
        let mut total = 0;
        for round in 0..200 {
            let words: Vec<String> = (0..4).map(|n| format!("rare{round}-{n}")).collect();
            let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
            words.extend(["often", "often", "often", "more"]);
            total += words.len() as u64;
            all.absorb(part(&words), &[0, 1]);
            let kept: u64 = all.iter().map(|(_, entry)| entry.tally.total()).sum();
            assert_eq!(kept + all.other().total(), total);
            assert!(all.len() <= 8);
        }
        let most = all.most();
        assert_eq!((most[0].0.as_str(), most[0].1.tally.total()), ("often", 600));
        assert_eq!((most[1].0.as_str(), most[1].1.tally.total()), ("more", 200));
        assert!(all.short() > 0);
    }
}
