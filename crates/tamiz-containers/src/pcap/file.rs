//! The files of captures: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng), of
//! either byte order.

use super::Packet;
use crate::lines::too_long;
use crate::record::Reason;
use crate::time::Time;
use crate::window::Window;

/// pcap with microseconds, with nanoseconds, and as Kuznetzov's libpcap wrote it.
const MICROSECONDS: u32 = 0xA1B2_C3D4;
const NANOSECONDS: u32 = 0xA1B2_3C4D;
const MODIFIED: u32 = 0xA1B2_CD34;

/// The block types of pcapng that are looked at.
const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1A2B_3C4D;

/// Returns whether bytes begin a capture.
pub(crate) fn is_one(bytes: &[u8]) -> bool {
    let Some(magic) = bytes.first_chunk::<4>() else { return false };
    let is_pcap = |magic| matches!(magic, MICROSECONDS | NANOSECONDS | MODIFIED);
    let is_pcapng = || {
        let order = bytes.get(8..12).and_then(|order| order.first_chunk::<4>());
        order.is_some_and(|order| {
            [u32::from_le_bytes(*order), u32::from_be_bytes(*order)].contains(&BYTE_ORDER)
        })
    };
    is_pcap(u32::from_le_bytes(*magic))
        || is_pcap(u32::from_be_bytes(*magic))
        || u32::from_be_bytes(*magic) == SECTION && is_pcapng()
}

/// The next thing of a capture.
pub(super) enum Next {
    /// A packet, as the link carried it; whether the capture has only its beginning.
    Packet { link: u32, bytes: Vec<u8>, packet: Packet, is_cut: bool },
    /// Something that is no packet.
    Other,
    /// A packet that is passed over.
    Unreadable { packet: u64, reason: Reason },
    /// The end, and why, if it should not have been here.
    End { packet: u64, failure: Option<Reason> },
}

/// The blocks of a capture.
pub(super) struct Blocks {
    window: Window,
    limit: usize,
    kind: Kind,
    packets: u64,
}

enum Kind {
    Unknown,
    Pcap { is_little: bool, has_nanoseconds: bool, header: usize, link: u32 },
    Pcapng { is_little: bool, interfaces: Vec<Interface> },
}

/// An interface of a pcapng section.
#[derive(Clone, Copy)]
struct Interface {
    link: u32,
    /// The number of a timestamp's units in a second.
    units: f64,
}

/// The most interfaces of a section that are kept; what is captured on others is passed over.
const MOST_INTERFACES: usize = 1 << 16;

impl Blocks {
    pub(super) fn new(window: Window, limit: usize) -> Self {
        Blocks { window, limit, kind: Kind::Unknown, packets: 0 }
    }

    pub(super) fn next(&mut self) -> Next {
        match &self.kind {
            Kind::Unknown => self.begin(),
            Kind::Pcap { is_little, has_nanoseconds, header, link } => {
                let (is_little, has_nanoseconds, header, link) =
                    (*is_little, *has_nanoseconds, *header, *link);
                self.pcap(is_little, has_nanoseconds, header, link)
            }
            Kind::Pcapng { is_little, .. } => {
                let is_little = *is_little;
                self.pcapng(is_little)
            }
        }
    }

    fn end(&self, failure: Option<Reason>) -> Next {
        Next::End { packet: self.packets, failure }
    }

    /// The file ends, perhaps in the middle of something.
    fn ended(&self) -> Next {
        let is_clean = self.window.bytes().is_empty() && self.window.failure().is_none();
        self.end(if is_clean { None } else { Some(super::cut(&self.window)) })
    }

    fn u32_at(&self, at: usize, is_little: bool) -> Option<u32> {
        u32_at(self.window.bytes(), at, is_little)
    }

    fn begin(&mut self) -> Next {
        const HEADER: usize = 24;
        if !self.window.fill(4) {
            return self.ended();
        }
        for is_little in [true, false] {
            let Some(magic) = self.u32_at(0, is_little) else { continue };
            let header = match magic {
                MICROSECONDS | NANOSECONDS => 16,
                MODIFIED => 24,
                _ => continue,
            };
            if !self.window.fill(HEADER) {
                return self.ended();
            }
            // The upper bits of the field say how long frame checks are.
            let link = self.u32_at(20, is_little).unwrap_or(0) & 0xFFFF;
            self.window.consume(HEADER);
            self.kind = Kind::Pcap { is_little, has_nanoseconds: magic == NANOSECONDS, header, link };
            return Next::Other;
        }
        if self.u32_at(0, false) == Some(SECTION) {
            self.kind = Kind::Pcapng { is_little: true, interfaces: Vec::new() };
            return Next::Other;
        }
        self.end(Some("neither pcap nor pcapng".into()))
    }

    fn pcap(&mut self, is_little: bool, has_nanoseconds: bool, header: usize, link: u32) -> Next {
        if !self.window.fill(header) {
            return self.ended();
        }
        let field = |at| self.u32_at(at, is_little).unwrap_or(0);
        let (seconds, fraction, captured) = (field(0), field(4), field(8));
        let is_cut = captured < field(12);
        let micros = if has_nanoseconds { fraction / 1000 } else { fraction };
        let time =
            Time::from_micros(i64::from(seconds).saturating_mul(1_000_000).saturating_add(i64::from(micros)));
        self.packets = self.packets.saturating_add(1);
        let captured = usize::try_from(captured).unwrap_or(usize::MAX);
        if captured > self.limit {
            // Either the file is damaged from here on, or nobody can tell where it goes on.
            return self.end(Some(too_long(self.limit)));
        }
        if !self.window.fill(header.saturating_add(captured)) {
            return self.ended();
        }
        self.window.consume(header);
        let bytes = self.window.bytes().get(..captured).unwrap_or_default().to_vec();
        self.window.consume(captured);
        Next::Packet { link, bytes, packet: Packet { number: self.packets, time: Some(time) }, is_cut }
    }

    fn pcapng(&mut self, is_little: bool) -> Next {
        const LEAST: usize = 12;
        if !self.window.fill(LEAST) {
            return self.ended();
        }
        let is_section = self.u32_at(0, is_little) == Some(SECTION);
        // A section says which byte order it has, before its length can be read.
        let is_little = match is_section {
            true => self.u32_at(8, true) == Some(BYTE_ORDER),
            false => is_little,
        };
        let len = usize::try_from(self.u32_at(4, is_little).unwrap_or(0)).unwrap_or(usize::MAX);
        if len < LEAST || len % 4 != 0 {
            return self.end(Some("a block of a length that cannot be".into()));
        }
        if len > self.limit.saturating_add(1 << 10) {
            return self.pass_over(len);
        }
        if !self.window.fill(len) {
            return self.ended();
        }
        let block = self.window.bytes().get(..len.saturating_sub(4)).unwrap_or_default().to_vec();
        self.window.consume(len);
        self.block(&block, is_little)
    }

    fn block(&mut self, block: &[u8], is_little: bool) -> Next {
        let field = |at| u32_at(block, at, is_little);
        let Kind::Pcapng { interfaces, is_little: order } = &mut self.kind else { return Next::Other };
        let (start, captured, interface) = match field(0) {
            Some(SECTION) => {
                *order = is_little;
                interfaces.clear();
                return Next::Other;
            }
            Some(INTERFACE) => {
                let link = field(8).map_or(0, |field| if is_little { field & 0xFFFF } else { field >> 16 });
                if interfaces.len() < MOST_INTERFACES {
                    interfaces.push(Interface {
                        link,
                        units: units(block.get(16..).unwrap_or_default(), is_little),
                    });
                }
                return Next::Other;
            }
            Some(ENHANCED_PACKET) => (28, field(20), field(8)),
            Some(OBSOLETE_PACKET) => {
                (28, field(20), field(8).map(|field| if is_little { field & 0xFFFF } else { field >> 16 }))
            }
            // It has no captured length: what is not padding is the packet.
            Some(SIMPLE_PACKET) => (12, field(8), Some(0)),
            _ => return Next::Other,
        };
        self.packets = self.packets.saturating_add(1);
        let number = self.packets;
        let interface = interface.and_then(|index| interfaces.get(usize::try_from(index).ok()?)).copied();
        let Some(interface) = interface else {
            return Next::Unreadable {
                packet: number,
                reason: "a packet of an interface that is not described".into(),
            };
        };
        let rest = block.get(start..).unwrap_or_default();
        let original = if start == 28 { field(24) } else { field(8) };
        let captured = captured.and_then(|captured| usize::try_from(captured).ok()).unwrap_or(usize::MAX);
        let bytes = rest.get(..captured.min(rest.len())).unwrap_or_default().to_vec();
        let is_cut =
            original.and_then(|original| usize::try_from(original).ok()).is_some_and(|len| bytes.len() < len);
        let time = match (field(12), field(16)) {
            (Some(high), Some(low)) if start == 28 => {
                let ticks = (u64::from(high) << 32) | u64::from(low);
                let micros = (ticks as f64 / interface.units) * 1e6;
                (micros < 9e18).then_some(Time::from_micros(micros as i64))
            }
            _ => None,
        };
        Next::Packet { link: interface.link, bytes, packet: Packet { number, time }, is_cut }
    }

    /// Moves past a block that is longer than a record may be.
    fn pass_over(&mut self, len: usize) -> Next {
        self.packets = self.packets.saturating_add(1);
        let mut left = len;
        while left > 0 {
            if self.window.peek().is_none() {
                return self.end(Some(super::cut(&self.window)));
            }
            let step = left.min(self.window.bytes().len());
            self.window.consume(step);
            left = left.saturating_sub(step);
        }
        Next::Unreadable { packet: self.packets, reason: too_long(self.limit) }
    }
}

fn u32_at(bytes: &[u8], at: usize, is_little: bool) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    Some(if is_little { u32::from_le_bytes(*bytes) } else { u32::from_be_bytes(*bytes) })
}

/// The number of units of an interface's timestamps in a second (option 9): microseconds if nothing is said.
fn units(mut options: &[u8], is_little: bool) -> f64 {
    while let Some(header) = options.first_chunk::<4>() {
        let word =
            |bytes: [u8; 2]| if is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) };
        let [a, b, c, d] = *header;
        let (code, len) = (word([a, b]), usize::from(word([c, d])));
        let value = options.get(4..).unwrap_or_default();
        if code == 0 {
            break;
        }
        if code == 9
            && let Some(resolution) = value.first()
        {
            let exponent = i32::from(resolution & 0x7F);
            return if resolution & 0x80 == 0 { 10_f64.powi(exponent) } else { 2_f64.powi(exponent) };
        }
        options = value.get(len.next_multiple_of(4)..).unwrap_or_default();
    }
    1e6
}
