//! From what a link carried to the segments of TCP: the frames of links here, tunnels in `tunnel.rs`, addresses and
//! segments in `ip.rs`. Link types are those of <https://www.tcpdump.org/linktypes.html>.

use super::fragments::Fragments;
use super::ip::Payload;
use super::tally::{Tally, Unread};
use super::wifi;

/// The most layers that are taken off a packet.
const DEEPEST: usize = 16;

/// Takes the layers off packets. Each method is one kind of layer; what it finds goes to the method of the next.
#[derive(Default)]
pub(super) struct Decoder {
    pub(super) fragments: Fragments,
    pub(super) tally: Tally,
    /// The number of the present packet.
    pub(super) packet: u64,
    depth: usize,
}

impl Decoder {
    /// The segment of TCP in what a link carried: none while fragments are missing, or if there is none.
    pub(super) fn decode(&mut self, link: u32, bytes: &[u8], packet: u64) -> Option<Payload> {
        self.packet = packet;
        self.depth = 0;
        match link {
            // BSD loopback: the family, in the byte order of the machine.
            0 | 108 => self.ip(bytes.get(4..)?),
            1 => self.ethernet(bytes),
            // PPP, also as HDLC frames it, and Cisco's HDLC.
            9 => self.ppp(bytes),
            50 => match bytes.first() {
                Some(0x0F | 0x8F) => self.cisco_hdlc(bytes),
                _ => self.ppp(bytes),
            },
            51 => self.pppoe(bytes),
            104 => self.cisco_hdlc(bytes),
            // Raw IP, as three systems number it.
            12 | 14 | 101 | 228 | 229 => self.ip(bytes),
            // RFC 2684, 5.1.
            100 => self.llc(bytes),
            105 => self.wifi(bytes),
            113 => self.ether_type(u16_at(bytes, 14)?, bytes.get(16..)?),
            // Prism, AVS and radiotap are headers before 802.11 that tell their own length.
            119 => self.wifi(bytes.get(wifi::prism_len(bytes)?..)?),
            163 => self.wifi(bytes.get(usize::try_from(u32_at(bytes, 4)?).ok()?..)?),
            127 => match wifi::after_radiotap(bytes) {
                Some((frame, is_padded)) => self.wifi_frame(frame, is_padded),
                None => self.unread(Unread::Headers),
            },
            239 => self.nflog(bytes),
            276 => self.ether_type(u16_at(bytes, 0)?, bytes.get(20..)?),
            _ => self.unread(Unread::LinkType(link)),
        }
    }

    pub(super) fn unread<T>(&mut self, what: Unread) -> Option<T> {
        self.tally.add(what, self.packet);
        None
    }

    /// Counts a layer; whether there may be one more.
    pub(super) fn deeper(&mut self) -> Option<()> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > DEEPEST { self.unread(Unread::TooDeep) } else { Some(()) }
    }

    /// A frame of Ethernet.
    pub(super) fn ethernet(&mut self, frame: &[u8]) -> Option<Payload> {
        self.deeper()?;
        let Some(ether_type) = u16_at(frame, 12) else { return self.unread(Unread::Headers) };
        self.ether_type(ether_type, frame.get(14..)?)
    }

    /// Reads the packet behind an EtherType (<https://www.iana.org/assignments/ieee-802-numbers>).
    pub(super) fn ether_type(&mut self, ether_type: u16, bytes: &[u8]) -> Option<Payload> {
        self.deeper()?;
        match ether_type {
            0x0800 | 0x86DD => self.ip(bytes),
            // 802.1Q, 802.1ad, and what was used before it.
            0x8100 | 0x88A8 | 0x9100 | 0x9200 => self.ether_type(u16_at(bytes, 2)?, bytes.get(4..)?),
            // VN-Tag and 802.1BR.
            0x8926 => self.ether_type(u16_at(bytes, 4)?, bytes.get(6..)?),
            0x893F => self.ether_type(u16_at(bytes, 6)?, bytes.get(8..)?),
            0x8847 | 0x8848 => self.mpls(bytes),
            0x8864 => self.pppoe(bytes),
            0x880B => self.ppp(bytes),
            0x6558 => self.ethernet(bytes),
            0x88E5 => self.unread(Unread::Macsec),
            // A length, or what Linux cooked captures have for it (802.3 and 802.2): LLC follows.
            0..=1500 => self.llc(bytes),
            // Address resolution, discovery, spanning trees, clocks, keys, test frames: no requests are in them.
            0x0806
            | 0x8035
            | 0x8137
            | 0x8138
            | 0x8808
            | 0x8809
            | 0x8863
            | 0x886D
            | 0x887B
            | 0x888E
            | 0x8899
            | 0x88A2
            | 0x88CC
            | 0x88E1
            | 0x88E3
            | 0x88F5
            | 0x88F7
            | 0x8902
            | 0x8912
            | 0x893A
            | 0x9000
            | 0x6000..=0x6009
            | 0x80F3
            | 0x809B
            | 0x22F0
            | 0x22F3 => None,
            other => self.unread(Unread::EtherType(other)),
        }
    }

    /// 802.2 LLC, perhaps with SNAP (RFC 1042). What has no SNAP is a spanning tree and its kin.
    pub(super) fn llc(&mut self, bytes: &[u8]) -> Option<Payload> {
        match bytes {
            [0xAA, 0xAA, 0x03, 0, 0, 0 | 0xF8, rest @ ..] => {
                self.ether_type(u16_at(rest, 0)?, rest.get(2..)?)
            }
            // IP by its number alone.
            [0x06, 0x06, 0x03, rest @ ..] => self.ip(rest),
            _ => None,
        }
    }

    /// Cisco's HDLC: address, control, EtherType.
    fn cisco_hdlc(&mut self, bytes: &[u8]) -> Option<Payload> {
        // 0x2000 is Cisco's discovery, 0x8035 its keepalive.
        match u16_at(bytes, 2)? {
            0x2000 => None,
            ether_type => self.ether_type(ether_type, bytes.get(4..)?),
        }
    }

    /// A session of PPP over Ethernet (RFC 2516, 4).
    fn pppoe(&mut self, bytes: &[u8]) -> Option<Payload> {
        match bytes {
            [0x11, 0, _, _, len_high, len_low, rest @ ..] => {
                let len = usize::from(u16::from_be_bytes([*len_high, *len_low]));
                self.ppp(rest.get(..len).unwrap_or(rest))
            }
            // Discovery.
            [0x11, _, ..] => None,
            _ => self.unread(Unread::Headers),
        }
    }

    /// PPP (RFC 1661, 2), with the address and control of HDLC or without (RFC 1662, 3.1).
    pub(super) fn ppp(&mut self, bytes: &[u8]) -> Option<Payload> {
        self.deeper()?;
        let bytes = bytes.strip_prefix(&[0xFF, 0x03]).unwrap_or(bytes);
        // A protocol whose first byte is odd is compressed to that byte.
        let (protocol, rest) = match bytes {
            [first, rest @ ..] if first & 1 == 1 => (u16::from(*first), rest),
            [high, low, rest @ ..] => (u16::from_be_bytes([*high, *low]), rest),
            _ => return self.unread(Unread::Headers),
        };
        match protocol {
            0x0021 | 0x0057 => self.ip(rest),
            0x0281 | 0x0283 => self.mpls(rest),
            0x0031 => self.ethernet(rest.get(2..)?),
            0x8000.. | 0x4000..=0x7FFF => None,
            other => self.unread(Unread::Ppp(other)),
        }
    }

    /// Reads what Linux's netfilter logs: attributes, one of which is the packet.
    fn nflog(&mut self, bytes: &[u8]) -> Option<Payload> {
        const PAYLOAD: u16 = 9;
        let attributes = bytes.get(4..)?;
        // The byte order is that of the machine; lengths in the other one do not fit.
        for is_little in [true, false] {
            let word = |bytes: &[u8], at: usize| {
                u16_at(bytes, at).map(|word| if is_little { word.swap_bytes() } else { word })
            };
            let mut rest = attributes;
            while let (Some(len), Some(kind)) = (word(rest, 0), word(rest, 2)) {
                let len = usize::from(len);
                let Some(value) = rest.get(4..len) else { break };
                if kind & 0x7FFF == PAYLOAD {
                    return self.ip(value);
                }
                let Some(next) = rest.get(len.next_multiple_of(4)..) else { break };
                rest = next;
            }
        }
        self.unread(Unread::Headers)
    }
}

/// A number in network byte order.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
}

/// A number in network byte order.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}
