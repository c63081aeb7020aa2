//! A count for each label.

/// How often something was there, by the number of the label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(Vec<u64>);

impl Tally {
    /// Counts `n` more with a label.
    pub(crate) fn add(&mut self, label: usize, n: u64) {
        if self.0.len() <= label {
            self.0.resize(label + 1, 0);
        }
        if let Some(count) = self.0.get_mut(label) {
            *count += n;
        }
    }

    /// How often it was there with a label.
    pub(crate) fn get(&self, label: usize) -> u64 {
        self.0.get(label).copied().unwrap_or(0)
    }

    /// How often it was there.
    pub(crate) fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Adds the counts of another with the same labels.
    pub(crate) fn merge(&mut self, other: &Tally) {
        other.0.iter().enumerate().for_each(|(label, count)| self.add(label, *count));
    }

    /// Adds the counts of another, whose label `n` is `map[n]` here.
    pub(crate) fn absorb(&mut self, other: &Tally, map: &[usize]) {
        for (count, &label) in other.0.iter().zip(map) {
            if *count > 0 {
                self.add(label, *count);
            }
        }
    }
}
