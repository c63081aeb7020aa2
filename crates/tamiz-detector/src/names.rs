//! Tokens by number.

use std::sync::Arc;

use crate::hash::{hash, mix};
use crate::stream::{Stream, process_seed};
use crate::table::Map;

/// A token of a model.
#[derive(Clone, Debug)]
struct Name {
    /// Shared by the models that it was copied to.
    text: Arc<str>,
    /// The hash that files depend on.
    hash: u64,
    /// The hash that it is found by, which lives as long as the process.
    key: u64,
}

/// Tokens by number, in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    list: Vec<Name>,
    ids: Map<u64, u32>,
    /// The first tokens, sorted by their text, and where each of them stands there: to sort numbers instead of texts.
    sorted: Vec<u32>,
    ranks: Vec<u32>,
    /// Memory to use again.
    by_rank: Vec<u64>,
}

/// Starts the hash by which a token is found.
pub(crate) fn start() -> Stream {
    Stream::new(process_seed())
}

impl Names {
    /// The number of a token, which may be a new one.
    pub(crate) fn id(&mut self, text: &str) -> u32 {
        let (key, _) = start().push(text).finish();
        match self.by_key(key) {
            Some(id) => id,
            None => self.push(Name { text: text.into(), hash: hash(text.as_bytes()), key }),
        }
    }

    /// The number of a token that others have numbered.
    fn id_of(&mut self, name: &Name) -> u32 {
        self.by_key(name.key).unwrap_or_else(|| self.push(name.clone()))
    }

    /// The number of the token whose hash this is, if it has one.
    #[inline(always)]
    pub(crate) fn by_key(&self, key: u64) -> Option<u32> {
        self.ids.get(&key).copied()
    }

    fn push(&mut self, name: Name) -> u32 {
        let id = self.len();
        self.ids.insert(name.key, id);
        self.list.push(name);
        id
    }

    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        self.list.get(id as usize).map_or("", |name| &name.text)
    }

    pub(crate) fn hash(&self, id: u32) -> u64 {
        self.list.get(id as usize).map_or(0, |name| name.hash)
    }

    /// Sorts tokens by their text, and hashes them in this order: the same set of tokens has the same identity everywhere.
    pub(crate) fn sort(&mut self, ids: &mut Vec<u32>) -> u64 {
        if self.list.len() - self.ranks.len() > 256 + self.ranks.len() / 8 {
            self.rank();
        }
        let rank = |id: u32| self.ranks.get(id as usize).copied().unwrap_or(u32::MAX);
        self.by_rank.clear();
        self.by_rank.extend(ids.iter().map(|id| u64::from(rank(*id)) << 32 | u64::from(*id)));
        self.by_rank.sort_unstable();
        ids.clear();
        ids.extend(self.by_rank.iter().map(|ranked| *ranked as u32));
        // Those without a rank are the last: each goes to its place among the others.
        let ranked = self.by_rank.partition_point(|ranked| ranked >> 32 != u64::from(u32::MAX));
        for at in ranked..ids.len() {
            let Some(id) = ids.get(at).copied() else { break };
            let text = self.name(id);
            let to = ids.get(..at).unwrap_or_default().partition_point(|other| self.name(*other) < text);
            ids.get_mut(to..=at).into_iter().for_each(|moved| moved.rotate_right(1));
        }
        ids.iter().fold(0, |identity, id| mix(identity ^ self.hash(*id)))
    }

    /// Ranks all tokens.
    fn rank(&mut self) {
        let all = self.in_order();
        self.ranks.resize(all.len(), 0);
        for (rank, id) in all.iter().enumerate() {
            if let Some(to) = self.ranks.get_mut(*id as usize) {
                *to = rank as u32;
            }
        }
        self.sorted = all;
    }

    /// All tokens, sorted by their text.
    pub(crate) fn in_order(&self) -> Vec<u32> {
        let mut new: Vec<u32> = (self.sorted.len() as u32..self.len()).collect();
        new.sort_unstable_by(|a, b| self.name(*a).cmp(self.name(*b)));
        let mut all = Vec::with_capacity(self.list.len());
        let mut new = new.into_iter().peekable();
        for id in &self.sorted {
            while let Some(before) = new.next_if(|other| self.name(*other) < self.name(*id)) {
                all.push(before);
            }
            all.push(*id);
        }
        all.extend(new);
        all
    }
}

/// The numbers that tokens of another model have here.
pub(crate) struct Translation<'n> {
    names: &'n mut Names,
    other: &'n Names,
    ids: Vec<u32>,
}

impl<'n> Translation<'n> {
    pub(crate) fn of(names: &'n mut Names, other: &'n Names) -> Self {
        Translation { names, other, ids: vec![u32::MAX; other.list.len()] }
    }

    pub(crate) fn id(&mut self, id: u32) -> u32 {
        let Some(here) = self.ids.get_mut(id as usize) else { return u32::MAX };
        if *here == u32::MAX
            && let Some(name) = self.other.list.get(id as usize)
        {
            *here = self.names.id_of(name);
        }
        *here
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sorted_as_texts_are() {
        let mut names = Names::default();
        let text = |n: u32| format!("q.{}", mix(n.into()) % 5000);
        for round in 0..40_u32 {
            let mut ids: Vec<u32> = (round * 50..round * 50 + 90).map(|n| names.id(&text(n))).collect();
            ids.sort_unstable();
            ids.dedup();
            let identity = names.sort(&mut ids);
            let found: Vec<&str> = ids.iter().map(|id| names.name(*id)).collect();
            let mut expected: Vec<String> = (round * 50..round * 50 + 90).map(text).collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(found, expected);
            let of_texts = expected.iter().fold(0, |identity, text| mix(identity ^ hash(text.as_bytes())));
            assert_eq!(identity, of_texts);
        }
        assert!(names.ranks.len() > 1000);
    }
}
