//! Fragments of IP packets, put together. Where two overlap, what came first stays.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;

/// The most packets that wait for fragments; the oldest gives way.
const MOST: usize = 1 << 10;
/// The most bytes of an IP packet.
const LARGEST: usize = 0xFFFF;

/// One fragment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment<'a> {
    pub(super) from: IpAddr,
    pub(super) to: IpAddr,
    pub(super) id: u32,
    pub(super) protocol: u8,
    pub(super) offset: usize,
    pub(super) is_last: bool,
    pub(super) bytes: &'a [u8],
}

type Key = (IpAddr, IpAddr, u32, u8);

/// Packets that are not whole yet.
#[derive(Default)]
pub(super) struct Fragments {
    waiting: HashMap<Key, Waiting>,
    /// By age; a packet that became whole may still be named.
    order: VecDeque<Key>,
}

#[derive(Default)]
struct Waiting {
    pieces: BTreeMap<usize, Vec<u8>>,
    len: Option<usize>,
}

impl Fragments {
    /// Adds a fragment; the whole packet if this was the last that it lacked.
    pub(super) fn add(&mut self, fragment: Fragment<'_>) -> Option<Vec<u8>> {
        let Fragment { from, to, id, protocol, offset, is_last, bytes } = fragment;
        let end = offset.saturating_add(bytes.len());
        if end > LARGEST {
            return None;
        }
        let key = (from, to, id, protocol);
        if !self.waiting.contains_key(&key) {
            self.order.push_back(key);
            while self.order.len() > MOST {
                let oldest = self.order.pop_front()?;
                self.waiting.remove(&oldest);
            }
        }
        let waiting = self.waiting.entry(key).or_default();
        if is_last {
            waiting.len = Some(end);
        }
        // As many pieces as a packet can be cut into, and no more: empty ones are none.
        if !bytes.is_empty() {
            waiting.pieces.entry(offset).or_insert_with(|| bytes.to_vec());
        }
        let whole = waiting.whole()?;
        self.waiting.remove(&key);
        self.order.retain(|waiting| *waiting != key);
        Some(whole)
    }
}

impl Waiting {
    fn whole(&self) -> Option<Vec<u8>> {
        let len = self.len?;
        let mut whole = Vec::with_capacity(len);
        for (offset, bytes) in &self.pieces {
            let seen = whole.len().checked_sub(*offset)?;
            whole.extend_from_slice(bytes.get(seen..).unwrap_or_default());
        }
        (whole.len() >= len).then(|| {
            whole.truncate(len);
            whole
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(id: u32, offset: usize, is_last: bool, bytes: &[u8]) -> Fragment<'_> {
        let from = IpAddr::from([192, 0, 2, 1]);
        Fragment { from, to: from, id, protocol: 6, offset, is_last, bytes }
    }

    #[test]
    fn any_order_with_overlaps() {
        let mut fragments = Fragments::default();
        assert_eq!(fragments.add(fragment(1, 16, true, b"end")), None);
        assert_eq!(fragments.add(fragment(1, 0, false, b"01234567")), None);
        assert_eq!(fragments.add(fragment(2, 0, false, b"other")), None);
        assert_eq!(fragments.add(fragment(1, 0, false, b"XXXXXXXX")), None);
        assert_eq!(
            fragments.add(fragment(1, 8, false, b"89abcdefXX")),
            Some(b"0123456789abcdefXXd".to_vec())
        );
        assert!(fragments.waiting.len() == 1 && fragments.order.len() == 1);
    }

    #[test]
    fn what_never_comes_gives_way() {
        let mut fragments = Fragments::default();
        for id in 0..5000 {
            assert_eq!(fragments.add(fragment(id, 0, false, b"x")), None);
        }
        assert!(fragments.waiting.len() <= MOST && fragments.order.len() <= MOST);
        assert_eq!(fragments.add(fragment(9, LARGEST, true, b"x")), None);
    }
}
