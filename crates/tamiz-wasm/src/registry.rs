//! The registry of flags as JSON, as the service's `/v1/flags` tells it, without the examples.

use serde::Serialize;
use tamiz::{Family, Flag, Profile, Weight};

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    family: Family,
    weight: Weight,
    profile: Profile,
    meaning: &'static str,
    why: &'static str,
    clause: &'static str,
    parameter: Option<&'static str>,
    classes: Vec<Class>,
}

/// The meaning of a flag with one parameter.
#[derive(Serialize)]
struct Class {
    parameter: &'static str,
    meaning: &'static str,
    why: &'static str,
}

/// Returns all flags, by family and name.
pub(crate) fn json() -> String {
    let mut flags = Flag::ALL.to_vec();
    flags.sort_by_key(|flag| (flag.family(), flag.name()));
    let entries = flags.into_iter().map(|flag| Entry {
        name: flag.name(),
        family: flag.family(),
        weight: flag.weight(),
        profile: flag.profile(),
        meaning: flag.meaning(),
        why: flag.why(),
        clause: flag.clause(),
        parameter: flag.parameter(),
        classes: flag
            .classes()
            .map(|parameter| Class {
                parameter,
                meaning: flag.meaning_of(parameter),
                why: flag.why_of(parameter),
            })
            .collect(),
    });
    // All keys are text.
    serde_json::to_string(&entries.collect::<Vec<_>>()).unwrap_or_default()
}
