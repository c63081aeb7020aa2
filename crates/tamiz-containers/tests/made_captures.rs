//! Captures made here: links, versions of IP, fragments, order, loss, pipelines, chunks.

mod common;

use common::capture::{ethernet, ipv4, ipv4_fragment, ipv6_fragment, pcap, pcapng, segment};
use tamiz_containers::{At, Options};

const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";
const POST: &[u8] =
    b"POST /b HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";

/// What a capture gives: requests, and reasons in brackets.
fn told(file: &[u8]) -> Vec<Vec<u8>> {
    let records = common::read_bytes("made.pcap", file, &Options::default());
    records
        .into_iter()
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
    assert_eq!(told(&pcap(147, &packets)), Vec::<Vec<u8>>::new(), "a link that nobody knows");
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
fn http_2_is_told() {
    let found = told(&pcap(101, &packets(&connection(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04", 1000))));
    assert_eq!(found, [b"[requests of HTTP/2, whose frames are not read]"]);
}
