//! `tamiz flags`: the registry, for people and programs.

mod card;
mod table;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;
use tamiz::{Family, Flag, Profile, Weight};
use tamiz_detector::Prior;

use crate::args::{FlagsArgs, Format};
use crate::failure::Failure;
use crate::output;
use tamiz_explain::named::Named;
use tamiz_explain::visible::visible;

/// Runs the command.
pub(crate) fn run(args: &FlagsArgs) -> Result<ExitCode, Failure> {
    let mut out = output::coloured(args.color.when);
    match (&args.name, args.format) {
        (Some(name), Format::Text) => {
            let name = in_upper_case(name);
            card::write(&mut out, named(&name)?)?;
        }
        (Some(name), Format::Json) => write_json(&mut out, &[named(&in_upper_case(name))?.flag])?,
        (None, Format::Text) => table::write(&mut out, &chosen(args), output::terminal_columns())?,
        (None, Format::Json) => write_json(&mut out, &chosen(args))?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The flags that pass the filters, by family and name.
fn chosen(args: &FlagsArgs) -> Vec<Flag> {
    let mut flags: Vec<Flag> = Flag::ALL
        .iter()
        .copied()
        .filter(|flag| args.family.is_none_or(|family| flag.family() == family))
        .filter(|flag| args.weight.is_none_or(|weight| flag.weight() == weight))
        .filter(|flag| args.source.is_none_or(|source| tamiz_sources::never(source).contains(flag)))
        .filter(|flag| args.profile.is_none_or(|profile| flag.profile() <= profile))
        .collect();
    flags.sort_by_key(|flag| (flag.family(), flag.name()));
    flags
}

/// Puts the name of a flag, before any colon, in upper case.
fn in_upper_case(given: &str) -> String {
    let name = given.split(':').next().unwrap_or_default();
    format!("{}{}", name.to_ascii_uppercase(), given.strip_prefix(name).unwrap_or_default())
}

/// The flag of a name, with or without a parameter that it can have.
fn named(given: &str) -> Result<Named<'_>, Failure> {
    Named::read(given).map_err(|error| {
        let name = given.split(':').next().unwrap_or_default();
        let guess = closest(name).filter(|_| error.is_unknown_name());
        let guess = guess.map(|flag| format!("; did you mean '{flag}'?")).unwrap_or_default();
        Failure::Usage(format!("{error}{guess}"))
    })
}

/// The flag whose name is most like this one, if any is.
fn closest(name: &str) -> Option<Flag> {
    let likeness = |flag: &Flag| (strsim::jaro_winkler(name, flag.name()) * 1000.0) as u32;
    let best = Flag::ALL.iter().copied().max_by_key(|flag| (likeness(flag), Reverse(flag.name())))?;
    (likeness(&best) > 700).then_some(best)
}

/// The name, and what follows its colon: `QREPEAT:<key>`.
fn title(flag: Flag) -> String {
    flag.parameter().map_or_else(|| flag.name().to_owned(), |what| format!("{flag}:<{what}>"))
}

/// A flag as JSON. The requests are escaped, because they need not be UTF-8.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    id: u16,
    parameter: Option<&'static str>,
    family: Family,
    weight: Weight,
    profile: Profile,
    clause: &'static str,
    meaning: &'static str,
    why: &'static str,
    /// The meanings of single parameters, where they have texts of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<Class>,
    /// By kind of place, how many times as often public attacks raise it as public honest requests.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    prior: BTreeMap<&'static str, f64>,
    raises: String,
    near_miss: String,
}

/// The meaning of a flag with one parameter.
#[derive(Serialize)]
struct Class {
    parameter: &'static str,
    meaning: &'static str,
    why: &'static str,
}

impl Class {
    fn of(flag: Flag, parameter: &'static str) -> Self {
        Class { parameter, meaning: flag.meaning_of(parameter), why: flag.why_of(parameter) }
    }
}

impl From<Flag> for Entry {
    fn from(flag: Flag) -> Self {
        Entry {
            name: flag.name(),
            id: flag.id(),
            parameter: flag.parameter(),
            family: flag.family(),
            weight: flag.weight(),
            profile: flag.profile(),
            clause: flag.clause(),
            meaning: flag.meaning(),
            why: flag.why(),
            classes: flag.classes().map(|class| Class::of(flag, class)).collect(),
            prior: Prior::shipped().ratios(flag.name()).into_iter().collect(),
            raises: visible(flag.raises()),
            near_miss: visible(flag.near_miss()),
        }
    }
}

/// One object per line.
fn write_json(out: &mut impl Write, flags: &[Flag]) -> io::Result<()> {
    for &flag in flags {
        serde_json::to_writer(&mut *out, &Entry::from(flag))?;
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_forgiving() {
        for given in ["DOTDOT", "dotdot", "QREPEAT:a", "kw:sql", "cookie:2"] {
            let name = given.split(':').next().unwrap().to_ascii_uppercase();
            assert_eq!(named(&in_upper_case(given)).unwrap().flag.name(), name);
        }
    }

    #[test]
    fn parameters_are_checked() {
        for given in ["KW:sqql", "kw:", "DOTDOT:x", "qrepeat:", "COOKIE:x", "MAGIC:exe", "NOPE:sql"] {
            assert!(named(&in_upper_case(given)).is_err(), "{given}");
        }
    }

    #[test]
    fn suggestions_are_close_or_absent() {
        for (given, flag) in
            [("DOTDTO", "DOTDOT"), ("DOUBLEPTC", "DOUBLEPCT"), ("MULTISLASH", "MULTIPLESLASH")]
        {
            assert_eq!(closest(given).map(Flag::name), Some(flag));
        }
        assert_eq!(closest("1234"), None);
        assert_eq!(closest(""), None);
    }
}
