//! `GET /v1/flags`: the registry.

use std::sync::LazyLock;

use axum::response::Response;
use bytes::Bytes;
use data_encoding::BASE64;
use serde::Serialize;
use tamiz::{Family, Flag, Profile, Weight};
use tamiz_explain::visible::visible;

use super::plain;
use crate::accept::Format;

/// A flag as JSON.
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
    /// The meanings of single parameters, where they have texts of their own.
    classes: Vec<Class>,
    /// Escaped, because it need not be UTF-8.
    example: String,
    example_b64: String,
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

#[derive(Serialize)]
struct List {
    flags: Vec<Entry>,
}

static LIST: LazyLock<Bytes> = LazyLock::new(|| {
    let mut flags = Flag::ALL.to_vec();
    flags.sort_by_key(|flag| (flag.family(), flag.name()));
    let flags = flags.into_iter().map(|flag| Entry {
        name: flag.name(),
        family: flag.family(),
        weight: flag.weight(),
        profile: flag.profile(),
        meaning: flag.meaning(),
        why: flag.why(),
        clause: flag.clause(),
        parameter: flag.parameter(),
        classes: flag.classes().map(|class| Class::of(flag, class)).collect(),
        example: visible(flag.raises()),
        example_b64: BASE64.encode(flag.raises()),
    });
    // All keys are text.
    serde_json::to_vec(&List { flags: flags.collect() }).unwrap_or_default().into()
});

/// Answers.
pub(crate) async fn get() -> Response {
    plain(LIST.clone(), Format::Json.media_type())
}
