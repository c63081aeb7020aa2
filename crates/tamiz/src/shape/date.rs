//! Dates and times (RFC 3339, with a space for the `T` too).

use crate::bytes::{self, DIGIT};
use crate::steps;

/// ```text
/// YYYY-MM-DD [ ("T" / " ") hh ":" mm [ ":" ss [ "." 1*DIGIT ] ] [ "Z" / ("+" / "-") hh ":" mm ] ]
/// ```
pub(super) fn is_date(text: &[u8]) -> bool {
    steps::slow("date judged");
    let Some((date, rest)) = text.split_at_checked(10) else {
        return false;
    };
    let &[a, b, c, d, b'-', m1, m2, b'-', d1, d2] = date else {
        return false;
    };
    if !bytes::all(&[a, b, c, d, m1, m2, d1, d2], DIGIT) {
        return false;
    }
    if !(b"01"..=b"12").contains(&&[m1, m2]) || !(b"01"..=b"31").contains(&&[d1, d2]) {
        return false;
    }
    match rest {
        [] => true,
        [b'T' | b' ', time @ ..] => is_zone(skip_time(time)),
        zone => is_zone(Some(zone)),
    }
}

fn skip_time(time: &[u8]) -> Option<&[u8]> {
    let rest = skip_clock(time)?;
    match rest {
        [b':', s1, s2, rest @ ..] if bytes::all(&[*s1, *s2], DIGIT) => match rest {
            [b'.', fraction @ ..] => {
                let digits = fraction.iter().take_while(|&&b| bytes::is(b, DIGIT)).count();
                if digits == 0 { None } else { fraction.get(digits..) }
            }
            _ => Some(rest),
        },
        _ => Some(rest),
    }
}

fn skip_clock(time: &[u8]) -> Option<&[u8]> {
    match time {
        [h1, h2, b':', m1, m2, rest @ ..] if bytes::all(&[*h1, *h2, *m1, *m2], DIGIT) => Some(rest),
        _ => None,
    }
}

fn is_zone(rest: Option<&[u8]>) -> bool {
    match rest {
        Some([] | [b'Z']) => true,
        Some([b'+' | b'-', clock @ ..]) => skip_clock(clock).is_some_and(<[u8]>::is_empty),
        _ => false,
    }
}
