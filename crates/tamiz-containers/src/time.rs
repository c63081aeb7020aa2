//! When a request was sent, as containers write it.

use std::fmt;

/// Microseconds since 1970, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

const MICROS: i64 = 1_000_000;

impl Time {
    /// So many microseconds since 1970, UTC.
    pub fn from_micros(micros: i64) -> Self {
        Time(micros)
    }

    /// The microseconds since 1970, UTC.
    pub fn micros(self) -> i64 {
        self.0
    }

    /// Seconds since 1970, with decimals; where there are too many to be seconds, milliseconds, microseconds or
    /// nanoseconds.
    pub(crate) fn from_epoch(number: f64) -> Option<Self> {
        /// The year 5138 in seconds; 1973 in milliseconds, and so on.
        const MOST_SECONDS: f64 = 1e11;
        let units = [1.0, 1e3, 1e6, 1e9];
        let unit = units.into_iter().find(|unit| number.abs() <= MOST_SECONDS * unit)?;
        let micros = number / unit * 1e6;
        (micros.is_finite() && micros.abs() < 9e18).then_some(Time(micros as i64))
    }

    /// Any of the spellings below.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = text.trim_ascii();
        clf(text).or_else(|| iso(text)).or_else(|| asctime(text)).or_else(|| {
            let text = std::str::from_utf8(text).ok()?;
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            Time::from_epoch(text.parse().ok().filter(|_| is_number)?)
        })
    }
}

impl fmt::Display for Time {
    /// As RFC 3339 has it, in UTC: `2026-01-01T00:00:00Z`, with the fraction of a second if there is one.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "quotients and remainders of 64 bits stay far from their limits"
    )]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (self.0.div_euclid(MICROS), self.0.rem_euclid(MICROS));
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = date(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if micros > 0 {
            write!(f, ".{micros:06}")?;
        }
        f.write_str("Z")
    }
}

/// A moment by its parts.
#[derive(Clone, Copy, Debug, Default)]
struct Civil {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    micros: i64,
    /// Minutes east of UTC.
    zone: i64,
}

impl Civil {
    fn time(self) -> Option<Time> {
        let Civil { year, month, day, hour, minute, second, micros, zone } = self;
        let is_one = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..=60).contains(&second)
            && (0..MICROS).contains(&micros)
            && zone.abs() <= 24 * 60;
        is_one.then(|| {
            let minutes = days(year, month, day)
                .saturating_mul(24 * 60)
                .saturating_add(hour.saturating_mul(60))
                .saturating_add(minute)
                .saturating_sub(zone);
            let seconds = minutes.saturating_mul(60).saturating_add(second);
            Time(seconds.saturating_mul(MICROS).saturating_add(micros))
        })
    }
}

/// The days from 1970 to a day of the Gregorian calendar (Howard Hinnant's `days_from_civil`).
#[allow(clippy::arithmetic_side_effects, reason = "years are below 10,000, so that nothing overflows")]
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The day of the Gregorian calendar that is so many days from 1970 (`civil_from_days`).
#[allow(clippy::arithmetic_side_effects, reason = "days are at most a ten millionth of what 64 bits hold")]
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// A reader of fixed fields.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        if !number.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }

    fn literal(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// One or two digits, perhaps after a space.
    fn day(&mut self) -> Option<i64> {
        self.0 = self.0.trim_ascii_start();
        self.number(2).or_else(|| self.number(1))
    }

    /// `hh:mm:ss` and perhaps a fraction.
    fn clock(&mut self, civil: &mut Civil) -> Option<()> {
        civil.hour = self.number(2)?;
        self.literal(b':')?;
        civil.minute = self.number(2)?;
        if self.literal(b':').is_some() {
            civil.second = self.number(2)?;
        }
        if matches!(self.0.first(), Some(b'.' | b',')) {
            self.0 = self.0.get(1..)?;
            let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (fraction, rest) = self.0.split_at_checked(digits)?;
            self.0 = rest;
            let padded: Vec<u8> = fraction.iter().copied().chain(std::iter::repeat(b'0')).take(6).collect();
            civil.micros = std::str::from_utf8(&padded).ok()?.parse().ok()?;
        }
        Some(())
    }

    /// `Z`, `+hh:mm`, `+hhmm`, `+hh` or nothing, which is taken for UTC.
    fn zone(&mut self) -> Option<i64> {
        self.0 = self.0.trim_ascii_start();
        let sign = match self.0.first() {
            None => return Some(0),
            Some(b'Z' | b'z') => {
                self.0 = self.0.get(1..)?;
                return Some(0);
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(_) => return None,
        };
        self.0 = self.0.get(1..)?;
        let hours = self.number(2)?;
        let _ = self.literal(b':');
        let minutes = self.number(2).unwrap_or(0);
        Some(hours.saturating_mul(60).saturating_add(minutes).saturating_mul(sign))
    }

    fn month(&mut self) -> Option<i64> {
        const MONTHS: [&[u8]; 12] =
            [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
        let (name, rest) = self.0.split_at_checked(3)?;
        let month = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))?;
        self.0 = rest;
        i64::try_from(month).ok()?.checked_add(1)
    }
}

/// `10/Oct/2000:13:55:36 -0700`, of Apache and nginx; `06/Feb/2009:12:14:14.655`, of HAProxy; `10/Oct/2000 13:55:36`, of
/// Werkzeug and Django.
fn clf(text: &[u8]) -> Option<Time> {
    let mut fields = Fields(text);
    let mut civil = Civil { day: fields.number(2)?, ..Civil::default() };
    fields.literal(b'/')?;
    civil.month = fields.month()?;
    fields.literal(b'/')?;
    civil.year = fields.number(4)?;
    fields.literal(b':').or_else(|| fields.literal(b' '))?;
    fields.clock(&mut civil)?;
    civil.zone = fields.zone()?;
    civil.time()
}

/// `2000-10-10T13:55:36.123Z` and its kin; also `2000/10/10 13:55:36`.
fn iso(text: &[u8]) -> Option<Time> {
    let mut fields = Fields(text);
    let mut civil = Civil { year: fields.number(4)?, ..Civil::default() };
    let separator = *fields.0.first().filter(|byte| matches!(byte, b'-' | b'/'))?;
    fields.literal(separator)?;
    civil.month = fields.number(2)?;
    fields.literal(separator)?;
    civil.day = fields.number(2)?;
    fields.0 = fields.0.get(1..)?;
    fields.clock(&mut civil)?;
    civil.zone = fields.zone()?;
    civil.time()
}

/// `Mon Apr 21 15:35:18 EDT 2025`, of Burp, and `Thu Sep 30 13:27:06.009964 2021`, of Apache.
fn asctime(text: &[u8]) -> Option<Time> {
    let mut words = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.next().filter(|weekday| weekday.len() == 3)?;
    let mut civil = Civil { month: Fields(words.next()?).month()?, ..Civil::default() };
    civil.day = Fields(words.next()?).day()?;
    Fields(words.next()?).clock(&mut civil)?;
    let mut year = words.next()?;
    if let Some(last) = words.next() {
        civil.zone = named_zone(year)?;
        year = last;
    }
    civil.year = Fields(year).number(4)?;
    civil.time()
}

/// Minutes east of UTC of the zones that RFC 822 names, and of Central Europe.
fn named_zone(name: &[u8]) -> Option<i64> {
    let hours = match name {
        b"UTC" | b"GMT" | b"UT" | b"Z" => 0,
        b"EDT" => -4,
        b"EST" | b"CDT" => -5,
        b"CST" | b"MDT" => -6,
        b"MST" | b"PDT" => -7,
        b"PST" => -8,
        b"CET" => 1,
        b"CEST" => 2,
        _ => return None,
    };
    Some(60_i64.saturating_mul(hours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_moment() {
        let moment = 971_211_336_i64 * MICROS;
        for text in [
            "10/Oct/2000:13:55:36 -0700",
            "10/Oct/2000:20:55:36",
            "2000-10-10T20:55:36Z",
            "2000-10-10 22:55:36+02:00",
            "2000/10/10 20:55:36",
            "Tue Oct 10 16:55:36 EDT 2000",
            "Tue Oct 10 20:55:36 2000",
            "971211336",
            "971211336.0",
            "971211336000",
            "971211336000000",
            "971211336000000000",
            "10/Oct/2000 20:55:36",
        ] {
            assert_eq!(Time::parse(text.as_bytes()).map(Time::micros), Some(moment), "{text}");
        }
        assert_eq!(Time::parse(b"2000-10-10T20:55:36.123456789Z").unwrap().micros(), moment + 123_456);
        assert_eq!(Time::parse(b"1970-01-01T00:00:00Z").unwrap().micros(), 0);
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in [
            "1970-01-01T00:00:00Z",
            "2000-02-29T23:59:59.000001Z",
            "1969-12-31T23:59:59Z",
            "2026-12-31T12:00:00Z",
        ] {
            assert_eq!(Time::parse(text.as_bytes()).unwrap().to_string(), text);
        }
        // A capture may hold any number.
        let _ = (Time(i64::MIN).to_string(), Time(i64::MAX).to_string());
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "-",
            "10/Foo/2000:13:55:36",
            "2000-13-10T20:55:36Z",
            "2000-10",
            "yesterday",
            "1e5",
            "Tue Oct 10 16:55:36 XYZ 2000",
        ] {
            assert_eq!(Time::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Time::from_epoch(f64::NAN), None);
        assert_eq!(Time::from_epoch(f64::INFINITY), None);
    }
}
