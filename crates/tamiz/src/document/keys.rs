//! Keys and the shapes of their values, of the query and of the body alike (clauses 9.2 and 9.11).

use super::cut::split_at;
use super::marker::{Marker, more};
use super::parse::{Cursor, Reader, Result, check_no_space};

/// `{n} KEYS:{k1,k2,…}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys<'d> {
    /// How many there are, shown or not.
    pub(crate) count: u64,
    list: &'d str,
    /// Those that are shown, joined by `,`; `None` for none, since a key may be empty.
    shown: Option<&'d str>,
    /// How many are not.
    pub(crate) more: u64,
}

impl<'d> Keys<'d> {
    /// Reads a list of keys; `None` unless there are `count` of them.
    pub(super) fn of(count: u64, list: &'d str) -> Option<Self> {
        let (before, last) = match list.rsplit_once(',') {
            Some((before, last)) => (Some(before), last),
            None => (None, list),
        };
        let keys = match more(last) {
            Some(more) => Keys { count, list, shown: before, more },
            None => Keys { count, list, shown: (count > 0 || !list.is_empty()).then_some(list), more: 0 },
        };
        let commas = |shown: &str| shown.bytes().filter(|byte| *byte == b',').count() as u64;
        let there = keys.shown.map_or(Some(0), |shown| commas(shown).checked_add(1));
        let there = there.and_then(|there| there.checked_add(keys.more));
        (there == Some(count)).then_some(keys)
    }

    /// Reads `{n} KEYS:` and the list, up to the flags of the line.
    pub(super) fn cut(cursor: &mut Cursor<'d>, is_key: fn(&str) -> bool) -> Result<Self> {
        let here = *cursor;
        let count = cursor.number()?;
        cursor.tag(" KEYS:", "` KEYS:`")?;
        let at = *cursor;
        let list = cursor.up_to_flags();
        check_no_space(at, list)?;
        let Some(keys) = Keys::of(count, list) else {
            return here.fail("the number of keys");
        };
        if !keys.iter().all(is_key) {
            return at.fail("keys");
        }
        Ok(keys)
    }

    /// The list as it is written.
    pub(crate) fn text(self) -> &'d str {
        self.list
    }

    /// The keys that are shown, in order of arrival.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'d str> {
        self.shown.into_iter().flat_map(|shown| shown.split(','))
    }
}

/// The `QK` or `BK` lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values<'d> {
    /// Each key, and the shapes of its values joined by `|`.
    lines: Vec<(&'d str, &'d str)>,
    more: u64,
}

impl<'d> Values<'d> {
    /// Reads every line that begins with `tag`, up to the one that says how many keys are left.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
    )]
    pub(super) fn cut(
        reader: &mut Reader<'d>,
        tag: &'static str,
        read: fn(&'d str) -> Option<Marker<'d>>,
    ) -> Result<Self> {
        let mut values = Values::default();
        while reader.has(tag) && values.more == 0 {
            let cursor = reader.tagged(tag, "a key and its shapes")?;
            if let Some(more) = more(cursor.rest()) {
                values.more = more;
                continue;
            }
            let Some((key, shapes)) = cursor.rest().split_once('=') else {
                return cursor.fail("a key and its shapes");
            };
            let mut at = cursor.skip(key.len() + 1);
            for shape in shapes.split('|') {
                if read(shape).is_none() {
                    return at.fail("a marker");
                }
                at = at.skip(shape.len() + 1);
            }
            values.lines.push((key, shapes));
        }
        Ok(values)
    }

    /// Adds a line of a document that is known to be one, without its tag; `None` for what is none.
    pub(super) fn add(&mut self, rest: &'d str) -> Option<()> {
        match more(rest) {
            Some(more) => self.more = more,
            None => self.lines.push(split_at(rest, b'=')?),
        }
        Some(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.more == 0
    }

    /// Each key, and the shapes of its values joined by `|`.
    pub(super) fn lines(&self) -> &[(&'d str, &'d str)] {
        &self.lines
    }

    /// Each key with the shapes of its values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'d str, impl Iterator<Item = &'d str>)> {
        self.lines.iter().map(|(key, shapes)| (*key, shapes.split('|')))
    }

    /// Checks that there is a line for each of `keys`, in order of first arrival, with a shape for
    /// each of its values.
    pub(super) fn check(&self, keys: Keys<'d>, at: Cursor<'_>) -> Result<()> {
        let counts = grouped(keys.iter().map(|key| (key, ())));
        let expected = counts.iter().map(|(key, values)| (*key, values.len()));
        let written = self.iter().map(|(key, shapes)| (key, shapes.count()));
        if self.more != keys.more {
            at.fail("the number of keys left out")
        } else if !expected.eq(written) {
            at.fail("each key once, with one shape for each of its values")
        } else {
            Ok(())
        }
    }
}

/// The values of each key, keys in order of first arrival.
pub(super) fn grouped<'d, V: Copy>(pairs: impl Iterator<Item = (&'d str, V)>) -> Vec<(&'d str, Vec<V>)> {
    let mut pairs: Vec<(&str, usize, V)> =
        pairs.enumerate().map(|(i, (key, value))| (key, i, value)).collect();
    pairs.sort_unstable_by_key(|(key, i, _)| (*key, *i));
    let mut groups: Vec<&[(&str, usize, V)]> = pairs.chunk_by(|a, b| a.0 == b.0).collect();
    groups.sort_unstable_by_key(|group| group.first().map(|(_, i, _)| *i));
    let key_of = |group: &[(&'d str, usize, V)]| group.first().map_or("", |(key, ..)| *key);
    groups.iter().map(|group| (key_of(group), group.iter().map(|(.., value)| *value).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_what_is_left_out() {
        let read = |count, list| {
            Keys::of(count, list)
                .map(|keys| (keys.iter().collect::<Vec<_>>().join("+"), keys.iter().count(), keys.more))
        };
        assert_eq!(read(0, ""), Some((String::new(), 0, 0)));
        assert_eq!(read(1, ""), Some((String::new(), 1, 0)), "one empty key");
        assert_eq!(read(2, "a,b"), Some(("a+b".to_owned(), 2, 0)));
        assert_eq!(read(2, ","), Some(("+".to_owned(), 2, 0)));
        assert_eq!(read(9, "a,b,<more:7>"), Some(("a+b".to_owned(), 2, 7)));
        assert_eq!(read(8, ",<more:7>"), Some((String::new(), 1, 7)));
        assert_eq!(read(7, "<more:7>"), Some((String::new(), 0, 7)));
        for (count, list) in [
            (0, "a"),
            (2, ""),
            (1, "a,b"),
            (8, "a,b,<more:7>"),
            (8, "<more:7>"),
            (u64::MAX, "a,<more:18446744073709551615>"),
        ] {
            assert_eq!(read(count, list), None, "{count} {list}");
        }
    }

    #[test]
    fn groups_keep_the_order_of_arrival() {
        let pairs = [("b", 1), ("a", 2), ("b", 3), ("c", 4), ("a", 5)];
        let groups = grouped(pairs.into_iter());
        assert_eq!(groups, [("b", vec![1, 3]), ("a", vec![2, 5]), ("c", vec![4])]);
    }
}
