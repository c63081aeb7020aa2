//! Tunnels: what one packet carries of another.

use super::ip::Payload;
use super::link::{Decoder, u16_at};
use super::tally::Unread;

/// Ports of UDP at which a tunnel begins (RFC 7348, 8926, 7510, 8086; 3GPP TS 29.281; Linux's own for VXLAN).
const VXLAN: [u16; 2] = [4789, 8472];
const VXLAN_GPE: u16 = 4790;
const GENEVE: u16 = 6081;
const GTP_USER: u16 = 2152;
const MPLS: u16 = 6635;
const GRE: u16 = 4754;
const QUIC: u16 = 443;

impl Decoder {
    /// A datagram of UDP, if its port is a tunnel's. What does not look like one is something else on its port.
    pub(super) fn udp(&mut self, datagram: &[u8]) -> Option<Payload> {
        let (from, to) = (u16_at(datagram, 0)?, u16_at(datagram, 2)?);
        let bytes = datagram.get(8..)?;
        match to {
            port if VXLAN.contains(&port) => match bytes {
                [flags, _, _, _, _, _, _, 0, frame @ ..] if flags & 0x08 != 0 => self.ethernet(frame),
                _ => None,
            },
            VXLAN_GPE => match bytes {
                [flags, _, _, next, _, _, _, 0, inner @ ..] if flags & 0x08 != 0 => match next {
                    1 | 2 => self.ip(inner),
                    3 => self.ethernet(inner),
                    5 => self.mpls(inner),
                    _ => None,
                },
                _ => None,
            },
            GENEVE => {
                let options = usize::from(bytes.first().filter(|first| **first & 0xC0 == 0)? & 0x3F);
                let inner = bytes.get(options.saturating_mul(4).saturating_add(8)..)?;
                self.ether_type(u16_at(bytes, 2)?, inner)
            }
            GTP_USER => self.gtp(bytes),
            MPLS => self.mpls(bytes),
            GRE => self.gre(bytes),
            _ => {
                let is_quic =
                    (from == QUIC || to == QUIC) && bytes.first().is_some_and(|byte| byte & 0xC0 == 0xC0);
                if is_quic { self.unread(Unread::Quic) } else { None }
            }
        }
    }

    /// GTP-U, version 1 (3GPP TS 29.281, 5): user data, behind the headers that it may have.
    fn gtp(&mut self, bytes: &[u8]) -> Option<Payload> {
        let [flags, 0xFF, ..] = bytes else { return None };
        if flags & 0xF0 != 0x30 {
            return None;
        }
        let mut at = 8_usize;
        if flags & 0x07 != 0 {
            at = 12;
            let mut next = *bytes.get(11)?;
            if flags & 0x04 == 0 {
                next = 0;
            }
            // Each says its length in fours of bytes, and at its end which comes next.
            while next != 0 {
                let len = usize::from(*bytes.get(at)?).saturating_mul(4);
                if len == 0 {
                    return self.unread(Unread::Headers);
                }
                at = at.saturating_add(len);
                next = *bytes.get(at.saturating_sub(1))?;
            }
        }
        self.ip(bytes.get(at..)?)
    }

    /// GRE (RFC 2784, 2890), its enhanced form (RFC 2637, 4.1), and what mirrors traffic through it.
    pub(super) fn gre(&mut self, bytes: &[u8]) -> Option<Payload> {
        self.deeper()?;
        let (Some(flags), Some(protocol)) = (u16_at(bytes, 0), u16_at(bytes, 2)) else {
            return self.unread(Unread::Headers);
        };
        let has = |bit: u16| usize::from(flags & bit != 0).saturating_mul(4);
        // Source routes (RFC 1701) are not sent by anybody.
        if flags & 0x4000 != 0 {
            return self.unread(Unread::Headers);
        }
        let mut header = 4_usize;
        for bit in [0x8000, 0x2000, 0x1000] {
            header = header.saturating_add(has(bit));
        }
        if flags & 0x0007 == 1 {
            header = header.saturating_add(has(0x0080));
            let inner = bytes.get(header..).filter(|inner| !inner.is_empty())?;
            return self.ppp(inner);
        }
        let inner = bytes.get(header..)?;
        match protocol {
            // ERSPAN: the first kind has no header of its own, and no sequence number (draft-foschiano-erspan).
            0x88BE if flags & 0x1000 == 0 => self.ethernet(inner),
            0x88BE => self.ethernet(inner.get(8..)?),
            0x22EB => {
                let has_more = inner.get(11)? & 1 != 0;
                let frame = inner.get(if has_more { 20 } else { 12 }..)?;
                let is_ip = inner.get(10)? >> 2 & 0x1F == 2;
                if is_ip { self.ip(frame) } else { self.ethernet(frame) }
            }
            // WCCP, with a header of its own before the packet or without.
            0x883E => self.ip(if inner.first()? >> 4 == 4 { inner } else { inner.get(4..)? }),
            other => self.ether_type(other, inner),
        }
    }

    /// MPLS (RFC 3032, 2.1): labels up to the bottom of the stack, then IP or a frame of Ethernet (RFC 4448).
    pub(super) fn mpls(&mut self, bytes: &[u8]) -> Option<Payload> {
        self.deeper()?;
        let bottom = bytes.chunks_exact(4).position(|label| label.get(2).is_some_and(|byte| byte & 1 != 0));
        let Some(bottom) = bottom else { return self.unread(Unread::Headers) };
        let inner = bytes.get(bottom.saturating_add(1).saturating_mul(4)..)?;
        match inner.first()? >> 4 {
            4 | 6 => self.ip(inner),
            // A control word begins with zeros.
            0 => self.ethernet(inner.get(4..)?),
            _ => self.ethernet(inner),
        }
    }
}
