//! Captures made here: links, versions of IP, fragments, order, loss, pipelines, chunks.

mod common;

use common::capture::{ethernet, ipv4, ipv4_fragment, ipv6_fragment, pcap, pcapng, segment};
use tamiz_containers::{At, Options, Request, Unreadable};

const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";
const POST: &[u8] =
    b"POST /b HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";

/// The requests of a capture, and reasons in brackets.
fn told(file: &[u8]) -> Vec<Vec<u8>> {
    let records = common::read_bytes("made.pcap", file, &Options::default());
    let is_told = |record: &Result<_, Unreadable>| !record.as_ref().is_err_and(|error| error.is_notice);
    records
        .into_iter()
        .filter(is_told)
        .map(|record| match record {
            Ok(record) => common::raw(&record).to_vec(),
            Err(unreadable) => format!("[{}]", unreadable.reason).into_bytes(),
        })
        .collect()
}

/// A connection that carries some bytes, in pieces of a size.
fn connection(bytes: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut segments = vec![segment(99, "S", b"")];
    for (piece, at) in bytes.chunks(size).zip((100..).step_by(size)) {
        segments.push(segment(at, "A", piece));
    }
    segments.push(segment(100 + bytes.len() as u32, "FA", b""));
    segments
}

fn packets(segments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    segments.iter().map(|segment| ipv4(segment)).collect()
}

#[test]
fn every_link_and_file() {
    let packets = packets(&connection(&[GET, POST, GET].concat(), 10));
    let framed = |before: &[u8]| packets.iter().map(|packet| [before, packet].concat()).collect::<Vec<_>>();
    let tagged = |tags| packets.iter().map(|packet| ethernet(packet, tags)).collect::<Vec<_>>();
    let cooked = [&[0; 14][..], &[8, 0]].concat();
    for (name, file) in [
        ("ethernet", pcap(1, &tagged(0))),
        ("vlan", pcap(1, &tagged(1))),
        ("qinq", pcap(1, &tagged(2))),
        ("raw", pcap(101, &packets)),
        ("null", pcap(0, &framed(&[2, 0, 0, 0]))),
        ("loop", pcap(108, &framed(&[0, 0, 0, 2]))),
        ("sll", pcap(113, &framed(&cooked))),
        ("sll2", pcap(276, &framed(&[&[8, 0][..], &[0; 18]].concat()))),
        ("pcapng", pcapng(1, &tagged(0), false)),
        ("pcapng, big-endian", pcapng(101, &packets, true)),
        ("frame check bits", pcap(1 | 0x2400_0000, &tagged(0))),
    ] {
        assert_eq!(told(&file), [GET, POST, GET], "{name}");
    }
    let unknown = format!("[{} packets of link type 147, which is not read]", packets.len());
    assert_eq!(told(&pcap(147, &packets)), [unknown.as_bytes()], "a link that nobody knows");
}

#[test]
fn times_and_packets_are_those_of_the_first_byte() {
    let packets = packets(&connection(&[GET, GET].concat(), GET.len()));
    for file in [pcap(101, &packets), pcapng(101, &packets, false)] {
        let records = common::read_bytes("made.pcap", &file, &Options::default());
        let places: Vec<(At, Option<i64>)> = records
            .iter()
            .flatten()
            .map(|record| (record.place.at, record.time.map(|time| time.micros())))
            .collect();
        assert_eq!(places, [(At::Packet(2), Some(1_000_000)), (At::Packet(3), Some(2_000_000))]);
    }
}

#[test]
fn streams_and_clients_are_told() {
    let first = connection(GET, 100);
    let again: Vec<Vec<u8>> = [segment(5, "S", b""), segment(6, "A", GET)].into();
    let records =
        common::read_bytes("made.pcap", &pcap(101, &packets(&[first, again].concat())), &Options::default());
    let told: Vec<_> = records.iter().flatten().map(|record| (record.stream, record.client)).collect();
    let client = Some(std::net::IpAddr::from(common::capture::CLIENT.0));
    assert_eq!(told, [(Some(1), client), (Some(2), client)]);
}

#[test]
fn any_order_and_repeats() {
    let all = [GET, POST].concat();
    let mut segments = connection(&all, 7);
    segments[1..].reverse();
    assert_eq!(told(&pcap(101, &packets(&segments))), [GET, POST], "backwards");
    let twice: Vec<Vec<u8>> =
        connection(&all, 7).into_iter().flat_map(|segment| [segment.clone(), segment]).collect();
    assert_eq!(told(&pcap(101, &packets(&twice))), [GET, POST], "twice");
    let other = segment(105, "A", &[b'X'; 20]);
    let mut overlapped = connection(&all, 40);
    overlapped.insert(2, other);
    assert_eq!(told(&pcap(101, &packets(&overlapped))), [GET, POST], "overlapped by what came later");
}

/// Each segment in fragments of a size, last first.
fn fragmented(segments: &[Vec<u8>], size: usize, make: fn(&[u8], u16, u16, bool) -> Vec<u8>) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (segment, id) in segments.iter().zip(1..) {
        let count = segment.chunks(size).count();
        let pieces = segment.chunks(size).enumerate().rev();
        all.extend(pieces.map(|(n, piece)| make(piece, id, (n * size / 8) as u16, n + 1 < count)));
    }
    all
}

#[test]
fn fragments() {
    let segments = connection(GET, 100);
    for size in [8, 16, 24] {
        let four = fragmented(&segments, size, ipv4_fragment);
        assert_eq!(told(&pcap(101, &four)), [GET], "version 4, {size}");
        let six =
            fragmented(&segments, size, |piece, id, at, more| ipv6_fragment(piece, id.into(), at, more));
        assert_eq!(told(&pcap(101, &six)), [GET], "version 6, {size}");
    }
}

#[test]
fn lost_segments_cost_the_request_that_they_were_of() {
    let mut segments = connection(&[GET, POST, GET].concat(), GET.len());
    segments.remove(2);
    let found = told(&pcap(101, &packets(&segments)));
    // The end of POST is a segment of its own, and so is what follows it in part.
    assert_eq!(found.first().map(Vec::as_slice), Some(GET));
    assert!(found.iter().all(|request| request != POST));
    let mut middle = connection(&[POST, GET].concat(), 20);
    middle.remove(2);
    let found = told(&pcap(101, &packets(&middle)));
    assert_eq!(found[0], b"[a request of which 20 bytes are not in the capture]");
}

#[test]
fn connections_that_began_before_or_never_end() {
    let segments = connection(&[GET, GET].concat(), GET.len());
    assert_eq!(told(&pcap(101, &packets(&segments[1..3]))), [GET, GET]);
    let half = &GET[..20];
    assert_eq!(told(&pcap(101, &packets(&connection(half, 100)))), [half], "told as far as it came");
    let again: Vec<Vec<u8>> = [segment(5, "S", b""), segment(6, "A", GET)].into();
    let both = [segments, again].concat();
    assert_eq!(told(&pcap(101, &packets(&both))), [GET, GET, GET], "the same ports again");
}

#[test]
fn cut_captures_give_what_came_before() {
    let packets = packets(&connection(&[GET, POST].concat(), 1000));
    for file in [pcap(101, &packets), pcapng(101, &packets, false)] {
        for cut in [1, 9, 30] {
            let found = told(&file[..file.len() - cut]);
            assert_eq!(found[..2], [GET, POST]);
            assert_eq!(found[2], b"[the capture ends in the middle of a packet]");
        }
    }
}

#[test]
fn http_2_becomes_parts() {
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    // GET / of ex.com, by the static table and one literal (RFC 7541, appendices A and C).
    let block = [&[0x82, 0x84, 0x86, 0x41, 6][..], b"ex.com"].concat();
    let frame = [&[0, 0, block.len() as u8, 1, 5, 0, 0, 0, 1][..], &block].concat();
    for size in [3, 1000] {
        let stream = [&preface[..], &[0, 0, 0, 4, 0, 0, 0, 0, 0], &frame].concat();
        let file = pcap(101, &packets(&connection(&stream, size)));
        let records = common::read_bytes("made.pcap", &file, &Options::default());
        let [Ok(record)] = &records[..] else { panic!("{records:?}") };
        let tamiz::Source::Wire = record.source else { panic!("{:?}", record.source) };
        let Request::Parts(parts) = &record.request else { panic!("bytes") };
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"GET"[..], &b"/"[..]));
        assert_eq!(parts.authority.as_deref(), Some(&b"ex.com"[..]));
        assert_eq!(parts.version.as_deref(), Some(&b"HTTP/2"[..]));
    }
    let upgraded = [GET, preface, &frame].concat();
    let file = pcap(101, &packets(&connection(&upgraded, 20)));
    assert_eq!(common::read_bytes("made.pcap", &file, &Options::default()).iter().flatten().count(), 2);
    let cut =
        [&preface[..], &[0, 0, 9, 1, 5, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]];
    let found = told(&pcap(101, &packets(&connection(&cut.concat(), 1000))));
    assert!(
        found.iter().any(|told| told == b"[a header block of HTTP/2 that cannot be decoded]"),
        "{found:?}"
    );
}

/// IPv4 of any protocol around some bytes.
fn ipv4_of(protocol: u8, bytes: &[u8]) -> Vec<u8> {
    let mut packet = ipv4(bytes);
    packet[9] = protocol;
    packet
}

/// A datagram to a port.
fn udp(port: u16, bytes: &[u8]) -> Vec<u8> {
    let len = (bytes.len() + 8) as u16;
    ipv4_of(17, &[&[0x80, 0][..], &port.to_be_bytes(), &len.to_be_bytes(), &[0, 0], bytes].concat())
}

/// A frame of Ethernet of any type.
fn frame(ether_type: u16, bytes: &[u8]) -> Vec<u8> {
    [&[2; 6][..], &[1; 6], &ether_type.to_be_bytes(), bytes].concat()
}

/// LLC and SNAP before an IP packet.
fn snap(packet: &[u8]) -> Vec<u8> {
    [&[0xAA, 0xAA, 3, 0, 0, 0, 8, 0][..], packet].concat()
}

/// Wraps a packet in another protocol.
type Wrap<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

#[test]
fn tunnels() {
    let packets = packets(&connection(&[GET, POST].concat(), 30));
    let gre = |head: &[u8], inner: &[u8]| ipv4_of(47, &[head, inner].concat());
    let raw = |packet: &[u8]| packet.to_vec();
    let wrap: [(&str, u32, Wrap<'_>); 30] = [
        ("IP in IP", 101, &|packet| ipv4_of(4, packet)),
        ("GRE", 101, &|packet| gre(&[0, 0, 8, 0], packet)),
        ("GRE with everything", 101, &|packet| {
            gre(&[0xB0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2], packet)
        }),
        ("NVGRE", 101, &|packet| gre(&[0x20, 0, 0x65, 0x58, 0, 0, 0, 1], &ethernet(packet, 0))),
        ("PPTP", 101, &|packet| {
            gre(&[0x30, 0x81, 0x88, 0x0B, 0, 9, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0x21], packet)
        }),
        ("ERSPAN I", 101, &|packet| gre(&[0, 0, 0x88, 0xBE], &ethernet(packet, 1))),
        ("ERSPAN II", 101, &|packet| {
            gre(
                &[0x10, 0, 0x88, 0xBE, 0, 0, 0, 1],
                &[&[0x10, 0, 0, 1, 0, 0, 0, 0][..], &ethernet(packet, 0)].concat(),
            )
        }),
        ("ERSPAN III", 101, &|packet| {
            gre(
                &[0x10, 0, 0x22, 0xEB, 0, 0, 0, 1],
                &[&[0x20; 10][..], &[0x80, 0], &ethernet(packet, 0)].concat(),
            )
        }),
        ("ERSPAN III with more", 101, &|packet| {
            let head = [&[0x20; 10][..], &[0x80, 1], &[0; 8]].concat();
            gre(&[0x10, 0, 0x22, 0xEB, 0, 0, 0, 1], &[&head[..], &ethernet(packet, 0)].concat())
        }),
        ("VXLAN", 101, &|packet| udp(4789, &[&[8, 0, 0, 0, 0, 0, 1, 0][..], &ethernet(packet, 0)].concat())),
        ("VXLAN in VLAN", 1, &|packet| {
            ethernet(&udp(8472, &[&[8, 0, 0, 0, 0, 0, 1, 0][..], &ethernet(packet, 1)].concat()), 2)
        }),
        ("Geneve", 101, &|packet| {
            udp(6081, &[&[1, 0, 0x65, 0x58, 0, 0, 1, 0, 9, 9, 9, 9][..], &ethernet(packet, 0)].concat())
        }),
        ("Geneve, IP", 101, &|packet| udp(6081, &[&[0, 0, 8, 0, 0, 0, 1, 0][..], packet].concat())),
        ("GTP-U", 101, &|packet| udp(2152, &[&[0x30, 0xFF, 0, 9, 0, 0, 0, 1][..], packet].concat())),
        ("GTP-U with a header", 101, &|packet| {
            udp(2152, &[&[0x34, 0xFF, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 9, 0][..], packet].concat())
        }),
        ("MPLS", 1, &|packet| frame(0x8847, &[&[0, 1, 0, 64, 0, 2, 1, 64][..], packet].concat())),
        ("MPLS, Ethernet", 1, &|packet| {
            frame(0x8847, &[&[0, 2, 1, 64, 0, 0, 0, 0][..], &ethernet(packet, 0)].concat())
        }),
        ("MPLS in UDP", 101, &|packet| udp(6635, &[&[0, 2, 1, 64][..], packet].concat())),
        ("PPPoE", 1, &|packet| {
            let len = (packet.len() as u16 + 2).to_be_bytes();
            frame(0x8864, &[&[0x11, 0, 0, 1][..], &len, &[0, 0x21], packet].concat())
        }),
        ("PPP", 9, &|packet| [&[0xFF, 3, 0, 0x21][..], packet].concat()),
        ("LLC and SNAP", 1, &|packet| frame(packet.len() as u16 + 8, &snap(packet))),
        ("Cisco HDLC", 104, &|packet| [&[0x0F, 0, 8, 0][..], packet].concat()),
        ("NFLOG", 239, &|packet| {
            let len = (packet.len() as u16 + 4).to_le_bytes();
            [&[2, 0, 0, 0, 8, 0, 1, 0, 8, 0, 3, 0][..], &len, &[9, 0], packet].concat()
        }),
        ("NFLOG, big-endian", 239, &|packet| {
            let len = (packet.len() as u16 + 4).to_be_bytes();
            [&[2, 0, 0, 0, 0, 8, 0, 1, 0, 8, 0, 3][..], &len, &[0, 9], packet].concat()
        }),
        ("802.11", 105, &|packet| [&[0x08, 0x01][..], &[0; 22], &snap(packet)].concat()),
        ("802.11, quality of service", 105, &|packet| [&[0x88, 0x01][..], &[0; 24], &snap(packet)].concat()),
        ("802.11, four addresses", 105, &|packet| [&[0x08, 0x03][..], &[0; 28], &snap(packet)].concat()),
        ("radiotap", 127, &|packet| {
            let head = [0, 0, 10, 0, 2, 0, 0, 0, 0x10, 0];
            [&head[..], &[0x08, 0x01], &[0; 22], &snap(packet)].concat()
        }),
        ("radiotap, padded", 127, &|packet| {
            let head = [0, 0, 18, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0];
            [&head[..], &[0x88, 0x01], &[0; 24], &[0; 2], &snap(packet)].concat()
        }),
        ("raw", 101, &raw),
    ];
    for (name, link, wrap) in wrap {
        let wrapped: Vec<Vec<u8>> = packets.iter().map(|packet| wrap(packet)).collect();
        assert_eq!(told(&pcap(link, &wrapped)), [GET, POST], "{name}");
    }
}

/// The notices of a capture.
fn notices(file: &[u8]) -> Vec<String> {
    let records = common::read_bytes("made.pcap", file, &Options::default());
    let notices = records.into_iter().filter_map(Result::err).filter(|unreadable| unreadable.is_notice);
    notices.map(|notice| notice.to_string()).collect()
}

#[test]
fn packets_that_are_not_read_are_counted_by_kind() {
    let packets = packets(&connection(GET, 100));
    let all = |wrap: &dyn Fn(&[u8]) -> Vec<u8>| packets.iter().map(|packet| wrap(packet)).collect::<Vec<_>>();
    let deep = |packet: &[u8]| (0..20).fold(packet.to_vec(), |packet, _| ipv4_of(4, &packet));
    for (link, packets, message) in [
        (1, all(&|packet| frame(0x88B5, packet)), "3 packets of EtherType 0x88b5, which is not read"),
        (1, all(&|packet| frame(0x88E5, packet)), "3 packets of MACsec, which is not read"),
        (
            9,
            all(&|packet| [&[0, 0xFD][..], packet].concat()),
            "3 packets of protocol 0x00fd of PPP, which is not read",
        ),
        (101, all(&|packet| ipv4_of(50, packet)), "3 packets of IPsec, which is not read"),
        (101, all(&|packet| packet[..12].to_vec()), "3 packets with headers that cannot be read"),
        (101, all(&deep), "3 packets in too many tunnels"),
        (
            105,
            all(&|packet| [&[0x08, 0x41][..], &[0; 22], packet].concat()),
            "3 packets of 802.11, encrypted",
        ),
        (
            105,
            all(&|packet| [&[0x08, 0x05][..], &[0; 22], packet].concat()),
            "3 packets of 802.11, in fragments or several in one",
        ),
        (
            101,
            all(&|packet| [&udp(443, &[0xC3; 30])[..], packet].concat()),
            "3 packets of QUIC, which is not read",
        ),
    ] {
        let file = pcap(link, &packets);
        assert_eq!(notices(&file), [format!("made.pcap: record 0, packet 1: {message}")]);
    }
    // What carries no requests is nothing to tell of.
    assert_eq!(notices(&pcap(1, &all(&|packet| frame(0x0806, packet)))), Vec::<String>::new());
    assert_eq!(notices(&pcap(1, &[])), Vec::<String>::new());
}

#[test]
fn cut_packets_and_tls_are_told() {
    let mut file = pcap(101, &packets(&connection(GET, 100)));
    // The length that the second packet had on the link.
    let second = 24 + 16 + 40;
    file[second + 12] = 0xFF;
    assert_eq!(notices(&file), ["made.pcap: record 1, packet 2: 1 packet, cut short by the capture"]);
    let hello = [&[0x16, 3, 1, 0, 9, 1, 0, 0, 5][..], &[3; 5]].concat();
    let told = notices(&pcap(101, &packets(&connection(&hello, 100))));
    assert!(
        told.len() == 1 && told[0].contains("1 connection of TLS") && told[0].contains("SSLKEYLOGFILE"),
        "{told:?}"
    );
}
