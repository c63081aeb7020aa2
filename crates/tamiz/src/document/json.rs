//! The document as JSON (clause 9.15): OpenTelemetry names, canonical content only.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::keys::Values;
use super::lines::Measure;
use super::{Document, Raised};
use crate::FORM_VERSION;

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = self.lines();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("http.request.method", lines.method)?;
        if let Some(url) = lines.url {
            map.serialize_entry("url.full", url)?;
        }
        if let Some(path) = lines.path {
            map.serialize_entry("url.path", path)?;
        }
        if let Some(query) = lines.url_query() {
            map.serialize_entry("url.query", query)?;
        }
        // `other` is no version: the name is OpenTelemetry's, and so is what it may hold.
        if let Some(version) = self.version().filter(|version| *version != "other") {
            map.serialize_entry("network.protocol.version", version)?;
        }
        if let Some(body) = &lines.body {
            map.serialize_entry("http.request.body.size", &body.length.length)?;
        }
        for group in lines.headers.chunk_by(|a, b| a.name == b.name) {
            let Some(first) = group.first() else { continue };
            let values: Vec<&str> = group.iter().map(|header| header.value).collect();
            map.serialize_entry(&format!("http.request.header.{}", first.name), &values)?;
            if first.name == "user-agent" {
                map.serialize_entry("user_agent.original", first.value)?;
            }
        }
        map.serialize_entry("tamiz.version", &FORM_VERSION)?;
        map.serialize_entry("tamiz.fingerprint", &self.fingerprint().map(|f| f.as_str()))?;
        if let Some(source) = self.source() {
            map.serialize_entry("tamiz.source", &source)?;
        }
        if lines.path.is_some() {
            map.serialize_entry("tamiz.path.length", &lines.path_length)?;
            map.serialize_entry("tamiz.path.longest_segment", &lines.path_longest)?;
        }
        if let Some(keys) = lines.query {
            map.serialize_entry("tamiz.query.count", &keys.count)?;
            map.serialize_entry("tamiz.query.keys", &keys.iter().collect::<Vec<_>>())?;
        }
        map.serialize_entry("tamiz.headers.count", &lines.header_count)?;
        map.serialize_entry("tamiz.headers.length", &lines.header_length)?;
        if let Some(body) = &lines.body {
            map.serialize_entry("tamiz.body.kind", body.kind)?;
            map.serialize_entry("tamiz.body.length", &body.length)?;
            if let Some(shape) = body.shape {
                map.serialize_entry("tamiz.body.shape", shape)?;
            }
            if let Some(keys) = body.keys {
                map.serialize_entry("tamiz.body.count", &keys.count)?;
                map.serialize_entry("tamiz.body.keys", &keys.iter().collect::<Vec<_>>())?;
                map.serialize_entry("tamiz.body.values", &ValueList(&body.values))?;
            }
        }
        let flags = FlagList { raised: self.raised_in(&lines), with_evidence: self.evidence.is_some() };
        map.serialize_entry("tamiz.flags", &flags)?;
        map.serialize_entry("tamiz.text", self.as_str())?;
        map.end()
    }
}

impl Serialize for Measure<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("n", &self.length)?;
        map.serialize_entry("bucket", self.bucket)?;
        map.end()
    }
}

struct ValueList<'d>(&'d Values<'d>);

impl Serialize for ValueList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.0.iter().map(|(key, shapes)| ValueEntry { key, shapes: shapes.collect() }))
    }
}

#[derive(Serialize)]
struct ValueEntry<'d> {
    key: &'d str,
    shapes: Vec<&'d str>,
}

struct FlagList<'d> {
    raised: Vec<Raised<'d>>,
    with_evidence: bool,
}

impl Serialize for FlagList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let with_evidence = self.with_evidence;
        serializer.collect_seq(self.raised.iter().map(|raised| FlagEntry { raised: *raised, with_evidence }))
    }
}

/// Something as it is displayed.
struct Shown<T>(T);

impl<T: fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

struct FlagEntry<'d> {
    raised: Raised<'d>,
    with_evidence: bool,
}

impl Serialize for FlagEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let flag = self.raised.flag();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", flag.name())?;
        if let Some(parameter) = self.raised.parameter() {
            map.serialize_entry("parameter", parameter)?;
        }
        map.serialize_entry("place", &Shown(self.raised.place()))?;
        map.serialize_entry("family", &flag.family())?;
        map.serialize_entry("weight", &flag.weight())?;
        if self.with_evidence {
            let ranges: Vec<[usize; 2]> =
                self.raised.evidence().iter().map(|range| [range.start, range.end]).collect();
            map.serialize_entry("evidence", &ranges)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;
    use crate::fingerprint::Fingerprint;

    #[test]
    fn a_version_that_is_none_is_not_told() {
        let text = "M:GET\nP:/a PLEN:2@0-15 PMAX:1@0-15\nHCNT:0 HLEN:0@0-15\n";
        for (notes, version) in [("v=1.1\n", Some("1.1")), ("v=other\n", None), ("v=\n", None), ("", None)] {
            let buffer = format!("{text}{notes}").into_bytes();
            let document = Document::fresh(&buffer, text.len(), Fingerprint::default(), Source::Wire, None);
            let json = serde_json::to_value(&document).unwrap();
            assert_eq!(json.get("network.protocol.version").and_then(|version| version.as_str()), version);
        }
    }
}
