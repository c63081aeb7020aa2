//! Counts packets that are not read, by kind; each kind is reported once, at the end.

use std::collections::BTreeMap;

use crate::record::Reason;

/// Why packets, or connections, are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unread {
    /// A link whose frames nobody here knows.
    LinkType(u32),
    /// A protocol behind the link that may carry requests.
    EtherType(u16),
    /// A protocol of PPP that may carry requests: compressed, encrypted, cut up.
    Ppp(u16),
    /// Headers that do not fit what was captured, or contradict themselves.
    Headers,
    /// Fewer bytes were captured than the link carried.
    Cut,
    /// More layers around the packet than are taken off.
    TooDeep,
    /// 802.11 frames that are encrypted.
    EncryptedWifi,
    /// 802.11 frames that are fragments, or several in one.
    CombinedWifi,
    /// IPsec (RFC 4303).
    Ipsec,
    /// 802.1AE.
    Macsec,
    /// Connections of TLS.
    Tls,
    /// Packets of QUIC (RFC 9000).
    Quic,
}

impl Unread {
    /// Returns whether requests are lost by it as far as anybody can tell; else it is a notice.
    pub(super) fn is_fault(self) -> bool {
        matches!(self, Unread::LinkType(_))
    }

    fn reason(self, count: u64) -> Reason {
        let plural = |one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
        let packets = plural("packet");
        match self {
            Unread::LinkType(link) => format!("{packets} of link type {link}, which is not read"),
            Unread::EtherType(ether_type) => {
                format!("{packets} of EtherType {ether_type:#06x}, which is not read")
            }
            Unread::Ppp(protocol) => format!("{packets} of protocol {protocol:#06x} of PPP, which is not read"),
            Unread::Headers => format!("{packets} with headers that cannot be read"),
            Unread::Cut => format!("{packets}, cut short by the capture"),
            Unread::TooDeep => format!("{packets} in too many tunnels"),
            Unread::EncryptedWifi => format!("{packets} of 802.11, encrypted"),
            Unread::CombinedWifi => format!("{packets} of 802.11, in fragments or several in one"),
            Unread::Ipsec => format!("{packets} of IPsec, which is not read"),
            Unread::Macsec => format!("{packets} of MACsec, which is not read"),
            Unread::Tls => {
                format!(
                    "{} of TLS, not read even with the keys of SSLKEYLOGFILE; record a HAR, or capture where TLS ends",
                    plural("connection")
                )
            }
            Unread::Quic => format!("{packets} of QUIC, which is not read"),
        }
        .into()
    }
}

/// The counts, with the packet that was the first of each kind.
#[derive(Default)]
pub(super) struct Tally(BTreeMap<Unread, (u64, u64)>);

impl Tally {
    pub(super) fn add(&mut self, what: Unread, packet: u64) {
        let (_, count) = self.0.entry(what).or_insert((packet, 0));
        *count = count.saturating_add(1);
    }

    /// Takes the next kind; the packet that was its first, and what to say.
    pub(super) fn pop(&mut self) -> Option<(Unread, u64, Reason)> {
        let (what, (packet, count)) = self.0.pop_first()?;
        Some((what, packet, what.reason(count)))
    }
}
