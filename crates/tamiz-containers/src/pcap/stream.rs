//! One direction of a TCP connection: segments in any order to bytes in theirs.
//!
//! Where segments overlap, the bytes that came first stay. A hole is given up when too much waits behind it, or
//! when the stream ends.

use std::collections::BTreeMap;

use super::Packet;
use super::ip::Segment;

/// The most bytes, and segments, that wait behind a hole.
const MOST_BYTES: usize = 1 << 20;
const MOST_SEGMENTS: usize = 1 << 10;

/// The fate of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Bytes that are next, and the packet that they came with.
    Data(Vec<u8>, Packet),
    /// So many bytes are not in the capture.
    Gap(u64),
    /// The sender is done.
    End,
}

/// The state of a stream. Places in it are counted from its first byte, in 64 bits.
#[derive(Default)]
pub(super) struct Stream {
    /// The sequence number of the place `next`; `None` before the first segment.
    sequence: Option<u32>,
    /// The first sequence number, if the connection began in the capture.
    first: Option<u32>,
    next: u64,
    waiting: BTreeMap<u64, (Vec<u8>, Packet)>,
    kept: usize,
    /// Where the sender said that it ends.
    end: Option<u64>,
}

impl Stream {
    /// Counts the bytes that wait.
    pub(super) fn kept(&self) -> usize {
        self.kept
    }

    /// Returns whether a segment that opens a connection opens another one than this.
    pub(super) fn is_other_connection(&self, sequence: u32) -> bool {
        self.sequence.is_some() && self.first != Some(sequence)
    }

    pub(super) fn add(&mut self, segment: &Segment<'_>, packet: Packet, events: &mut Vec<Event>) {
        // An opening takes a number of its own, before the data that may come with it.
        let sequence = if segment.is_syn { segment.sequence.wrapping_add(1) } else { segment.sequence };
        if segment.is_syn && self.sequence.is_none() {
            self.first = Some(segment.sequence);
        }
        let expected = *self.sequence.get_or_insert(sequence);
        // The nearer way round: before or behind what is expected.
        let distance = i64::from(sequence.wrapping_sub(expected).cast_signed());
        let Some(at) = self.next.checked_add_signed(distance) else { return };
        let end = at.saturating_add(segment.data.len() as u64);
        if segment.is_fin {
            self.end = Some(self.end.map_or(end, |before| before.min(end)));
        }
        self.keep(at, segment.data, packet);
        self.drain(events);
        while self.kept > MOST_BYTES || self.waiting.len() > MOST_SEGMENTS {
            self.give_up(events);
        }
        if self.end.is_some_and(|end| self.next >= end) {
            events.push(Event::End);
        }
    }

    /// Gives out what waits, holes and all.
    pub(super) fn end(&mut self, events: &mut Vec<Event>) {
        while !self.waiting.is_empty() {
            self.give_up(events);
        }
    }

    /// Keeps what of `data` is not there yet.
    fn keep(&mut self, at: u64, data: &[u8], packet: Packet) {
        let mut from = at.max(self.next);
        let end = at.saturating_add(data.len() as u64);
        while from < end {
            // A segment that begins before, or at, this place hides its bytes.
            let before = self.waiting.range(..=from).next_back();
            let hidden = before.map_or(0, |(start, (bytes, _))| start.saturating_add(bytes.len() as u64));
            if hidden > from {
                from = hidden;
                continue;
            }
            let until = self.waiting.range(from..).next().map_or(end, |(start, _)| end.min(*start));
            let slice = |place: u64| usize::try_from(place.saturating_sub(at)).unwrap_or(usize::MAX);
            let bytes = data.get(slice(from)..slice(until)).unwrap_or_default().to_vec();
            self.kept = self.kept.saturating_add(bytes.len());
            self.waiting.insert(from, (bytes, packet));
            from = until;
        }
    }

    /// Gives out what is next.
    fn drain(&mut self, events: &mut Vec<Event>) {
        while let Some(entry) = self.waiting.first_entry() {
            if *entry.key() > self.next {
                return;
            }
            let (bytes, packet) = entry.remove();
            self.advance(bytes.len() as u64);
            self.kept = self.kept.saturating_sub(bytes.len());
            events.push(Event::Data(bytes, packet));
        }
    }

    /// Takes the first hole for lost, and gives out what is behind it.
    fn give_up(&mut self, events: &mut Vec<Event>) {
        if let Some(start) = self.waiting.keys().next().copied() {
            let lost = start.saturating_sub(self.next);
            if lost > 0 {
                events.push(Event::Gap(lost));
                self.advance(lost);
            }
        }
        self.drain(events);
    }

    fn advance(&mut self, len: u64) {
        self.next = self.next.saturating_add(len);
        // Sequence numbers go round: the lower bits are all there is.
        self.sequence = self.sequence.map(|sequence| sequence.wrapping_add(len as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcap::ip::FlowKey;
    use std::net::IpAddr;

    const PACKET: Packet = Packet { number: 1, time: None };

    fn segment(sequence: u32, data: &[u8]) -> Segment<'_> {
        let end = (IpAddr::from([192, 0, 2, 1]), 1);
        Segment { key: FlowKey { from: end, to: end }, sequence, is_syn: false, is_fin: false, data }
    }

    /// The bytes, a hole as `_n_`, and `.` for the end.
    fn told(segments: &[Segment<'_>]) -> String {
        let (mut stream, mut events) = (Stream::default(), Vec::new());
        for segment in segments {
            stream.add(segment, PACKET, &mut events);
        }
        stream.end(&mut events);
        assert_eq!(stream.kept(), 0);
        events
            .into_iter()
            .map(|event| match event {
                Event::Data(bytes, _) => String::from_utf8(bytes).unwrap(),
                Event::Gap(len) => format!("_{len}_"),
                Event::End => ".".to_owned(),
            })
            .collect()
    }

    #[test]
    fn any_order_repeats_and_overlaps() {
        let syn = Segment { is_syn: true, ..segment(99, b"") };
        let fin = |sequence| Segment { is_fin: true, ..segment(sequence, b"") };
        assert_eq!(told(&[syn, segment(100, b"abc"), segment(103, b"def"), fin(106)]), "abcdef.");
        assert_eq!(told(&[syn, segment(103, b"def"), fin(106), segment(100, b"abc")]), "abcdef.");
        assert_eq!(told(&[syn, segment(100, b"abc"), segment(100, b"XXXd"), segment(102, b"XXe")]), "abcde");
        assert_eq!(told(&[syn, segment(102, b"cd"), segment(101, b"XXXXe"), segment(100, b"ab")]), "aXcdXe");
        assert_eq!(told(&[segment(500, b"mid"), segment(503, b"stream")]), "midstream");
    }

    #[test]
    fn holes_are_told() {
        assert_eq!(told(&[segment(100, b"abc"), segment(110, b"xyz")]), "abc_7_xyz");
        let many: Vec<Vec<u8>> = (0..2000).map(|_| vec![b'x'; 1]).collect();
        let mut segments = vec![segment(0, b"a")];
        segments.extend((1..2000_u32).map(|n| segment(n * 2, &many[n as usize])));
        assert!(told(&segments).starts_with("a_1_x_1_x"));
    }

    #[test]
    fn sequence_numbers_go_round() {
        let syn = Segment { is_syn: true, ..segment(u32::MAX - 2, b"") };
        assert_eq!(told(&[syn, segment(u32::MAX - 1, b"abcd"), segment(2, b"ef")]), "abcdef");
        assert_eq!(told(&[syn, segment(2, b"ef"), segment(u32::MAX - 1, b"abcd")]), "abcdef");
    }
}
