//! Captures to test with, packet by packet.

use etherparse::{
    EtherType, Ethernet2Header, IpFragOffset, IpNumber, Ipv4Header, Ipv6FragmentHeader, Ipv6Header,
    SingleVlanHeader, TcpHeader, VlanId,
};

/// Where packets are from and to: the client's end first.
pub(crate) const CLIENT: ([u8; 4], u16) = ([192, 0, 2, 1], 40_000);
pub(crate) const SERVER: ([u8; 4], u16) = ([192, 0, 2, 2], 80);

/// A segment of TCP from the client.
pub(crate) fn segment(sequence: u32, flags: &str, data: &[u8]) -> Vec<u8> {
    let mut tcp = TcpHeader::new(CLIENT.1, SERVER.1, sequence, 1024);
    tcp.syn = flags.contains('S');
    tcp.fin = flags.contains('F');
    tcp.ack = flags.contains('A');
    let mut bytes = tcp.to_bytes().to_vec();
    bytes.extend_from_slice(data);
    bytes
}

/// Version 4 around a segment.
pub(crate) fn ipv4(segment: &[u8]) -> Vec<u8> {
    ipv4_fragment(segment, 7, 0, false)
}

/// A fragment of version 4; `offset` counts eights of bytes.
pub(crate) fn ipv4_fragment(bytes: &[u8], id: u16, offset: u16, more: bool) -> Vec<u8> {
    let mut header = Ipv4Header::new(bytes.len() as u16, 64, IpNumber::TCP, CLIENT.0, SERVER.0).unwrap();
    header.identification = id;
    header.dont_fragment = false;
    header.more_fragments = more;
    header.fragment_offset = IpFragOffset::try_new(offset).unwrap();
    let mut packet = header.to_bytes().to_vec();
    packet.extend_from_slice(bytes);
    packet
}

/// A fragment of version 6.
pub(crate) fn ipv6_fragment(bytes: &[u8], id: u32, offset: u16, more: bool) -> Vec<u8> {
    let fragment = Ipv6FragmentHeader::new(IpNumber::TCP, IpFragOffset::try_new(offset).unwrap(), more, id);
    let header = Ipv6Header {
        payload_length: (bytes.len() + 8) as u16,
        next_header: IpNumber::IPV6_FRAGMENTATION_HEADER,
        hop_limit: 64,
        source: [1; 16],
        destination: [2; 16],
        ..Ipv6Header::default()
    };
    [&header.to_bytes()[..], &fragment.to_bytes()[..], bytes].concat()
}

/// Ethernet around an IP packet, with so many VLAN tags.
pub(crate) fn ethernet(packet: &[u8], tags: usize) -> Vec<u8> {
    let ip = if packet[0] >> 4 == 6 { EtherType::IPV6 } else { EtherType::IPV4 };
    let first = match tags {
        0 => ip,
        1 => EtherType::VLAN_TAGGED_FRAME,
        _ => EtherType::PROVIDER_BRIDGING,
    };
    let mut frame =
        Ethernet2Header { source: [1; 6], destination: [2; 6], ether_type: first }.to_bytes().to_vec();
    for tag in 0..tags {
        let ether_type = if tag + 1 == tags { ip } else { EtherType::VLAN_TAGGED_FRAME };
        let header = SingleVlanHeader {
            vlan_id: VlanId::try_new(tag as u16 + 1).unwrap(),
            ether_type,
            ..SingleVlanHeader::default()
        };
        frame.extend_from_slice(&header.to_bytes());
    }
    frame.extend_from_slice(packet);
    frame
}

/// A pcap of packets of one link type, with a second between them.
pub(crate) fn pcap(link: u32, packets: &[Vec<u8>]) -> Vec<u8> {
    let mut file =
        [&0xA1B2_C3D4_u32.to_le_bytes()[..], &2_u16.to_le_bytes(), &4_u16.to_le_bytes(), &[0; 8]].concat();
    file.extend_from_slice(&65_535_u32.to_le_bytes());
    file.extend_from_slice(&link.to_le_bytes());
    for (second, packet) in packets.iter().enumerate() {
        let len = packet.len() as u32;
        for field in [second as u32, 0, len, len] {
            file.extend_from_slice(&field.to_le_bytes());
        }
        file.extend_from_slice(packet);
    }
    file
}

/// Writes the packets as pcapng, big-endian if asked for.
pub(crate) fn pcapng(link: u16, packets: &[Vec<u8>], is_big: bool) -> Vec<u8> {
    let long = |value: u32| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let short = |value: u16| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let block = |kind: u32, mut body: Vec<u8>| {
        body.resize(body.len().next_multiple_of(4), 0);
        let len = long(body.len() as u32 + 12);
        [&long(kind)[..], &len, &body, &len].concat()
    };
    let section = [&long(0x1A2B_3C4D)[..], &short(1), &short(0), &[0xFF; 8]].concat();
    let interface = [&short(link)[..], &[0; 2], &long(0)].concat();
    let mut file = [block(0x0A0D_0D0A, section), block(1, interface)].concat();
    for (second, packet) in packets.iter().enumerate() {
        let ticks = second as u64 * 1_000_000;
        let len = long(packet.len() as u32);
        let head = [long(0), long((ticks >> 32) as u32), long(ticks as u32), len, len].concat();
        file.extend(block(6, [&head[..], packet].concat()));
    }
    file
}
