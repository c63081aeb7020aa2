use super::*;
use crate::context::tests::{random, with_context};
use crate::steps;

/// Pieces that secrets and requests are put together from.
const PIECES: [&[u8]; 16] = [
    b"secret",
    b"secre",
    b"t",
    b"aaaaaaaa",
    b"a",
    b" ",
    b"  ",
    b"+",
    b"\t",
    b"=",
    b"%73",
    b"c2VjcmV0c2VjcmV0",
    b"\xC3\xA9",
    b"0123456789",
    b"; ",
    b"\r\n",
];

fn text(random: &mut impl FnMut(u32) -> u32, most: u32) -> Vec<u8> {
    let count = random(most);
    (0..count).flat_map(|_| PIECES[random(PIECES.len() as u32) as usize]).copied().collect()
}

/// A secret: often a part of the request.
fn secret(random: &mut impl FnMut(u32) -> u32, request: &[u8]) -> Vec<u8> {
    if random(3) == 0 {
        return text(random, 6);
    }
    let start = random(request.len() as u32 + 1) as usize;
    let len = 8 + random(30) as usize;
    request[start..].iter().take(len).copied().collect()
}

/// A long secret may begin like many others, at each of its bytes.
#[test]
fn a_secret_in_its_own_place_is_passed_over() {
    let request = b"a".repeat(20_000);
    with_context(|cx| {
        for (own, most) in [(&[(0, request.len())][..], 100), (&[], 2_000)] {
            let mut pieces = search::pieces([(&request[..8], false)].into_iter(), cx);
            assert!(steps::of(|| drop(search::find(&request, &mut pieces, own, cx))) <= most);
        }
    });
}

#[test]
fn every_needle_that_is_not_in_its_own_place_is_found() {
    let mut random = random();
    let mut found = 0;
    for _ in 0..4_000 {
        let request = text(&mut random, 40);
        let secrets: Vec<Vec<u8>> = (0..=random(12)).map(|_| secret(&mut random, &request)).collect();
        let own = request.len() / 3..request.len() / 2;
        with_context(|cx| {
            let mut needles = Needles::new(&request, cx);
            secrets.iter().for_each(|secret| needles.push(secret));
            needles.hide_own(&request[own.clone()]);
            needles.prepare();
            let Some(hits) = &needles.hits else { return };
            let mut expected: Vec<(usize, usize)> = Vec::new();
            for (text, _) in &needles.list {
                let places = (0..request.len()).filter(|at| request[*at..].starts_with(text));
                let places = places.map(|at| (at, at + text.len()));
                expected.extend(places.filter(|(from, to)| *from < own.start || own.end < *to));
            }
            let mut places = hits.places.to_vec();
            places.sort_unstable();
            expected.sort_unstable();
            found += expected.len();
            assert_eq!(places, expected, "{}", request.escape_ascii());
        });
    }
    assert!(found > 1_000, "{found}");
}

#[test]
fn a_piece_of_the_request_is_searched_as_a_copy_of_it_is() {
    let mut random = random();
    let mut found = 0;
    for nth in 0..4_000 {
        let request = text(&mut random, 30);
        let count = if nth % 50 == 0 { MOST as u32 + 40 } else { 1 + random(3) };
        let secrets: Vec<Vec<u8>> = (0..count).map(|_| secret(&mut random, &request)).collect();
        let start = random(request.len() as u32 + 1) as usize;
        let piece = &request[start..start + random((request.len() - start) as u32 + 1) as usize];
        with_context(|cx| {
            let mut needles = Needles::new(&request, cx);
            secrets.iter().for_each(|secret| needles.push(secret));
            needles.prepare();
            let copy = piece.to_vec();
            let is_in = needles.is_in(&copy);
            found += usize::from(is_in);
            assert_eq!(needles.is_in(piece), is_in, "{}", piece.escape_ascii());
            assert_eq!(needles.is_in_plain(piece), needles.is_in_plain(&copy));
            let classes = bytes::union(piece);
            if classes & (bytes::HIGH | bytes::ENCODED | bytes::BACKSLASH) == 0
                && !crate::decode::base64::may_hide(piece, classes)
            {
                assert_eq!(needles.is_in_undecoded(piece), is_in, "{}", piece.escape_ascii());
            }
            let lower = piece.to_ascii_lowercase();
            if bytes::is_token(&lower) && lower.len() < needles.shortest_in_name {
                assert!(!needles.is_in_plain(&lower), "{}", piece.escape_ascii());
            }
        });
    }
    assert!(found > 300, "{found}");
}

#[test]
fn quiet_texts_without_blanks_have_one_spelling() {
    let mut random = random();
    let mut quiet = 0;
    for _ in 0..20_000 {
        let text = text(&mut random, 6);
        let classes = bytes::union(&text);
        if classes & (bytes::HIGH | bytes::BLANK | bytes::CONTROL) == 0
            && crate::scan::cannot_flag(&text, classes)
        {
            quiet += 1;
            assert!(!may_have_spelling(&text, classes, true), "{}", text.escape_ascii());
            assert_eq!(trim(&text), text);
        }
    }
    assert!(quiet > 1_000, "{quiet}");
}

/// The most bytes of ASCII side by side.
fn longest_plain(text: &[u8]) -> usize {
    text.split(|byte| !byte.is_ascii()).map(<[u8]>::len).max().unwrap_or_default()
}

#[test]
fn short_texts_have_no_long_spelling() {
    for c in '\0'..=char::MAX {
        let mut normal = Vec::new();
        crate::decode::nfkc::nfkc(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut normal);
        assert!(3 * longest_plain(&normal) <= 4 * c.len_utf8(), "{c:?}");
    }
    let mut random = random();
    let mut longer = 0;
    for _ in 0..20_000 {
        let text: Vec<u8> = (0..1 + random(4))
            .flat_map(|_| match random(8) {
                0 => "%E2%91%BD".as_bytes(),
                1 => "\u{247D}\u{247E}".as_bytes(),
                2 => b"gICAgICA",
                3 => b"%25%32%35F1",
                4 => b"&fjlig;&#x247D;",
                5 => b"\\u247d",
                6 => b"\xFFF1",
                _ => b"YWJjZGVm",
            })
            .copied()
            .collect();
        with_context(|cx| {
            let mut judge = |spelling: &[u8]| {
                let longest = longest_plain(spelling);
                longer += usize::from(longest > text.len());
                assert!(text.len() >= shortest_to_spell(longest), "{}", text.escape_ascii());
            };
            let classes = bytes::union(&text);
            with_plain_form(&text, classes, cx, &mut judge);
            any_further(&text, classes, cx, |spelling, classes| {
                judge(spelling);
                with_plain_form(spelling, classes, cx, &mut judge);
                false
            });
        });
    }
    assert!(longer > 100, "{longer}");
}
