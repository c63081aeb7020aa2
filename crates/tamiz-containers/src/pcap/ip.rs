//! IP packets, whole or in fragments, and the segments of TCP in them; `etherparse` cuts the headers.

use std::net::IpAddr;

use etherparse::{LaxNetSlice, LaxSlicedPacket, TcpSlice, ip_number};

use super::fragments::Fragment;
use super::link::Decoder;
use super::tally::Unread;

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

/// The payload of an IP packet, perhaps put together from fragments.
#[derive(Clone, Debug)]
pub(super) struct Payload {
    from: IpAddr,
    to: IpAddr,
    protocol: u8,
    bytes: Vec<u8>,
}

impl Payload {
    pub(super) fn segment(&self) -> Option<Segment<'_>> {
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

impl Decoder {
    /// An IP packet: the segment of TCP in it, also through tunnels.
    pub(super) fn ip(&mut self, bytes: &[u8]) -> Option<Payload> {
        self.deeper()?;
        let Ok(sliced) = LaxSlicedPacket::from_ip(bytes) else { return self.unread(Unread::Headers) };
        let payload = match sliced.net? {
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
                self.whole(fragment, payload.fragmented)
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
                    offset: found.as_ref().map_or(0, |fragment| {
                        usize::from(fragment.fragment_offset.value()).saturating_mul(8)
                    }),
                    is_last: found.as_ref().is_none_or(|fragment| !fragment.more_fragments),
                    bytes: payload.payload,
                };
                self.whole(fragment, payload.fragmented)
            }
            _ => None,
        }?;
        self.carried(payload)
    }

    /// A packet that is whole by itself, or that its last fragment makes whole.
    fn whole(&mut self, fragment: Fragment<'_>, is_fragmented: bool) -> Option<Payload> {
        let (from, to, protocol) = (fragment.from, fragment.to, fragment.protocol);
        let bytes = if is_fragmented { self.fragments.add(fragment)? } else { fragment.bytes.to_vec() };
        Some(Payload { from, to, protocol, bytes })
    }

    /// The segment itself, or what a tunnel carries (<https://www.iana.org/assignments/protocol-numbers>).
    fn carried(&mut self, payload: Payload) -> Option<Payload> {
        const MPLS_IN_IP: u8 = 137;
        let bytes = &payload.bytes;
        match payload.protocol {
            protocol if protocol == ip_number::TCP.0 => {
                if payload.segment().is_none() {
                    return self.unread(Unread::Headers);
                }
                Some(payload)
            }
            protocol if protocol == ip_number::UDP.0 => self.udp(bytes),
            protocol if protocol == ip_number::GRE.0 => self.gre(bytes),
            protocol if protocol == ip_number::IPV4.0 || protocol == ip_number::IPV6.0 => self.ip(bytes),
            protocol if protocol == ip_number::ETHER_IP.0 => self.ethernet(bytes.get(2..)?),
            protocol if protocol == ip_number::ENCAPSULATING_SECURITY_PAYLOAD.0 => self.unread(Unread::Ipsec),
            MPLS_IN_IP => self.mpls(bytes),
            _ => None,
        }
    }
}
