//! The columns about the client that sent a request.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use clap::ValueEnum;

/// Values of `--client`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// The whole address
    Address,
    /// Its network: 24 bits of IPv4, 48 of IPv6
    #[default]
    Network,
    /// Nothing
    None,
}

impl Client {
    /// As much of an address as may be shown.
    pub(crate) fn shown(self, address: IpAddr) -> Option<String> {
        match (self, address) {
            (Client::None, _) => None,
            (Client::Address, address) => Some(address.to_string()),
            (Client::Network, IpAddr::V4(address)) => {
                Some(format!("{}/24", Ipv4Addr::from_bits(address.to_bits() & !0xFF)))
            }
            (Client::Network, IpAddr::V6(address)) => {
                Some(format!("{}/48", Ipv6Addr::from_bits(address.to_bits() >> 80 << 80)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_cut() {
        let four: IpAddr = "192.0.2.77".parse().unwrap();
        let six: IpAddr = "2001:db8:1:2:3::4".parse().unwrap();
        let shown = |client: Client| (client.shown(four), client.shown(six));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(shown(Client::Address), (some("192.0.2.77"), some("2001:db8:1:2:3::4")));
        assert_eq!(shown(Client::Network), (some("192.0.2.0/24"), some("2001:db8:1::/48")));
        assert_eq!(shown(Client::None), (None, None));
    }
}
