//! Addresses that lead inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an address leads inside: private, loopback, link-local, unique-local or shared.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_private_v4(v4),
        IpAddr::V6(v6) => is_private_v6(v6),
    }
}

/// RFC 1918, loopback, link-local, shared (RFC 6598).
fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    address.is_private() || address.is_loopback() || address.is_link_local() || (a == 100 && b & 0xC0 == 64)
}

/// Loopback, unique-local, link-local, and private addresses mapped from IPv4.
fn is_private_v6(address: Ipv6Addr) -> bool {
    match address.to_ipv4_mapped() {
        Some(mapped) => is_private_v4(mapped),
        None => address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local(),
    }
}
