//! From what a link carried to the segments of TCP: Ethernet with VLANs, Linux cooked captures, raw IP
//! and loopback; `etherparse` cuts the headers.

use std::net::IpAddr;

use etherparse::{LaxNetSlice, LaxSlicedPacket, TcpSlice, ip_number};

use super::fragments::{Fragment, Fragments};

/// One direction of a connection: addresses and ports, the sender's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FlowKey {
    pub(super) from: (IpAddr, u16),
    pub(super) to: (IpAddr, u16),
}

/// A segment of TCP.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment<'a> {
    pub(super) key: FlowKey,
    pub(super) sequence: u32,
    pub(super) is_syn: bool,
    pub(super) is_fin: bool,
    pub(super) data: &'a [u8],
}

/// What an IP packet carries, perhaps put together from fragments.
#[derive(Clone, Debug)]
pub(super) struct Payload {
    from: IpAddr,
    to: IpAddr,
    protocol: u8,
    bytes: Vec<u8>,
}

impl Payload {
    pub(super) fn segment(&self) -> Option<Segment<'_>> {
        if self.protocol != ip_number::TCP.0 {
            return None;
        }
        let tcp = TcpSlice::from_slice(&self.bytes).ok()?;
        Some(Segment {
            key: FlowKey { from: (self.from, tcp.source_port()), to: (self.to, tcp.destination_port()) },
            sequence: tcp.sequence_number(),
            is_syn: tcp.syn(),
            is_fin: tcp.fin(),
            data: tcp.payload(),
        })
    }
}

/// The link types that are read (<https://www.tcpdump.org/linktypes.html>).
mod link_type {
    pub(super) const NULL: u32 = 0;
    pub(super) const ETHERNET: u32 = 1;
    /// Raw IP, as three systems number it.
    pub(super) const RAW: [u32; 5] = [12, 14, 101, 228, 229];
    pub(super) const LOOP: u32 = 108;
    pub(super) const LINUX_SLL: u32 = 113;
    pub(super) const LINUX_SLL2: u32 = 276;
}

/// The payload of the IP packet in what a link carried: none while fragments are missing.
pub(super) fn ip(link: u32, bytes: &[u8], fragments: &mut Fragments) -> Option<Payload> {
    use link_type::{ETHERNET, LINUX_SLL, LINUX_SLL2, LOOP, NULL, RAW};
    let sliced = match link {
        ETHERNET => LaxSlicedPacket::from_ethernet(bytes).ok()?,
        LINUX_SLL => LaxSlicedPacket::from_ip(bytes.get(16..)?).ok()?,
        LINUX_SLL2 => LaxSlicedPacket::from_ip(bytes.get(20..)?).ok()?,
        NULL | LOOP => LaxSlicedPacket::from_ip(bytes.get(4..)?).ok()?,
        raw if RAW.contains(&raw) => LaxSlicedPacket::from_ip(bytes).ok()?,
        _ => return None,
    };
    match sliced.net? {
        LaxNetSlice::Ipv4(ipv4) => {
            let header = ipv4.header();
            let payload = ipv4.payload();
            let fragment = Fragment {
                from: header.source_addr().into(),
                to: header.destination_addr().into(),
                id: u32::from(header.identification()),
                protocol: payload.ip_number.0,
                offset: usize::from(header.fragments_offset().value()).saturating_mul(8),
                is_last: !header.more_fragments(),
                bytes: payload.payload,
            };
            whole(fragment, payload.fragmented, fragments)
        }
        LaxNetSlice::Ipv6(ipv6) => {
            let header = ipv6.header();
            let payload = ipv6.payload();
            let found = ipv6.extensions().clone().into_iter().find_map(|extension| match extension {
                etherparse::Ipv6ExtensionSlice::Fragment(fragment) => Some(fragment.to_header()),
                _ => None,
            });
            let fragment = Fragment {
                from: header.source_addr().into(),
                to: header.destination_addr().into(),
                id: found.as_ref().map_or(0, |fragment| fragment.identification),
                protocol: payload.ip_number.0,
                offset: found
                    .as_ref()
                    .map_or(0, |fragment| usize::from(fragment.fragment_offset.value()).saturating_mul(8)),
                is_last: found.as_ref().is_none_or(|fragment| !fragment.more_fragments),
                bytes: payload.payload,
            };
            whole(fragment, payload.fragmented, fragments)
        }
        _ => None,
    }
}

/// A packet that is whole by itself, or that its last fragment makes whole.
fn whole(fragment: Fragment<'_>, is_fragmented: bool, fragments: &mut Fragments) -> Option<Payload> {
    let (from, to, protocol) = (fragment.from, fragment.to, fragment.protocol);
    let bytes = if is_fragmented { fragments.add(fragment)? } else { fragment.bytes.to_vec() };
    Some(Payload { from, to, protocol, bytes })
}
