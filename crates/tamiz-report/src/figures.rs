//! Numbers as people read them.

/// `1,234,567`.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count of things: `1 request`, `2,000 requests`.
pub(crate) fn things(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A share as per cent: `12 %`, `1.2 %`, `0.012 %`. Only nothing is `0 %`, and only all is `100 %`.
pub(crate) fn per_cent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p <= 0.0 => "0 %".to_owned(),
        p if p < 0.001 => "<0.001 %".to_owned(),
        p if p < 0.01 => format!("{p:.3} %"),
        p if p < 0.1 => format!("{p:.2} %"),
        p if p < 99.95 => format!("{p:.1} %"),
        p if p < 100.0 => ">99.9 %".to_owned(),
        _ => "100 %".to_owned(),
    }
}

/// A ratio: `×240`, `×2.4`, `×0.042`.
pub(crate) fn times(ratio: f64) -> String {
    match ratio {
        r if r >= 1e6 => "×>999,999".to_owned(),
        // Two digits are all that is known of it.
        r if r >= 99.5 => {
            let unit = 10_f64.powf(r.log10().floor() - 1.0);
            format!("×{}", count(((r / unit).round() * unit).round() as u64))
        }
        r if r >= 9.95 => format!("×{r:.0}"),
        r if r >= 0.995 => format!("×{r:.1}"),
        r if r >= 0.0995 => format!("×{r:.2}"),
        r if r >= 0.00095 => format!("×{r:.3}"),
        _ => "×<0.001".to_owned(),
    }
}

/// A difference of shares, in points: `+1.2`, `-0.03`.
pub(crate) fn points(difference: f64) -> String {
    let points = difference * 100.0;
    match points.abs() {
        0.0 => "0".to_owned(),
        p if p < 0.01 => format!("{points:+.3}"),
        p if p < 0.1 => format!("{points:+.2}"),
        _ => format!("{points:+.1}"),
    }
}

/// A moment, in seconds since 1970, as `2026-10-10 13:55`, with seconds if they are wanted, and without the hour where
/// only days are.
pub(crate) fn moment(seconds: i64, width: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let date = format!("{year:04}-{month:02}-{day:02}");
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    match width {
        86_400.. => date,
        60.. => format!("{date} {hour:02}:{minute:02}"),
        _ => format!("{date} {hour:02}:{minute:02}:{second:02}"),
    }
}

/// A span of seconds: `15 minutes`.
pub(crate) fn span(seconds: i64) -> String {
    let (n, one, many) = match seconds {
        s if s % 86_400 == 0 => (s / 86_400, "day", "days"),
        s if s % 3600 == 0 => (s / 3600, "hour", "hours"),
        s if s % 60 == 0 => (s / 60, "minute", "minutes"),
        s => (s, "second", "seconds"),
    };
    things(n.unsigned_abs(), one, many)
}

/// The day of the Gregorian calendar that is so many days from 1970 (Howard Hinnant's `civil_from_days`).
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([count(0), count(999), count(1000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
        for (share, shown) in [
            (0.0, "0 %"),
            (0.000_001, "<0.001 %"),
            (0.000_05, "0.005 %"),
            (0.0005, "0.05 %"),
            (0.123, "12.3 %"),
            (0.9999, ">99.9 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(per_cent(share), shown);
        }
        for (ratio, shown) in [
            (1.2e9, "×>999,999"),
            (14_617.0, "×15,000"),
            (1234.0, "×1,200"),
            (99.6, "×100"),
            (42.4, "×42"),
            (2.44, "×2.4"),
            (1.0, "×1.0"),
            (0.42, "×0.42"),
            (0.042, "×0.042"),
            (0.0, "×<0.001"),
        ] {
            assert_eq!(times(ratio), shown);
        }
        assert_eq!([points(0.012), points(-0.0003), points(0.0)], ["+1.2", "-0.03", "0"]);
        assert_eq!(things(1, "request", "requests"), "1 request");
    }

    #[test]
    fn moments_and_spans() {
        assert_eq!(moment(1_791_640_536, 1), "2026-10-10 13:55:36");
        assert_eq!(moment(1_791_640_536, 60), "2026-10-10 13:55");
        assert_eq!(moment(-1, 86_400), "1969-12-31");
        assert_eq!(
            [span(1), span(900), span(7200), span(172_800)],
            ["1 second", "15 minutes", "2 hours", "2 days"]
        );
    }
}
