//! Names that somebody gives the parts of a request: of objects of JSON and of columns that nobody else writes.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

/// Which field of an object is which part of a request. What is not named is looked for under the names that are known.
///
/// ```
/// use tamiz_containers::Mapping;
///
/// let mapping = Mapping::parse("method=verb,url=request_uri,header.user-agent=ua").unwrap();
/// assert_ne!(mapping, Mapping::default());
/// assert!(Mapping::parse("colour=red").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Tried in order; the first whose fields are there is taken.
    rules: Vec<Rule>,
}

/// One way to name the parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rule {
    /// A field that has to be there for the rule to hold.
    when: Option<String>,
    /// Parts, by the names under which they are looked for elsewhere, and the fields that are them.
    fields: Vec<(String, String)>,
}

/// The parts that can be named; `header.NAME` besides.
const PARTS: [&str; 15] = [
    "method", "url", "target", "query", "scheme", "host", "version", "headers", "body", "body_b64", "raw",
    "raw_b64", "id", "label", "time",
];

/// Why a mapping is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidMapping(String);

impl fmt::Display for InvalidMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidMapping {}

/// The file of mappings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    mapping: Vec<BTreeMap<String, String>>,
}

impl Mapping {
    /// Reads `part=field,part=field`; a field is a key, or a way through objects with dots between keys.
    ///
    /// # Errors
    /// When a part is none, or something else is there.
    pub fn parse(text: &str) -> Result<Self, InvalidMapping> {
        let mut rule = Rule::default();
        for pair in text.split(',') {
            let Some((part, field)) = pair.split_once('=') else {
                return Err(InvalidMapping(format!("'{pair}' is no pair 'part=field'")));
            };
            rule.add(part.trim(), field.trim())?;
        }
        Ok(Mapping { rules: vec![rule] })
    }

    /// Reads a file of TOML: a table `[[mapping]]` each, whose keys are parts and whose values are fields. With
    /// `when = "field"` it holds only for objects that have this field.
    ///
    /// # Errors
    /// When it is no such file.
    pub fn from_toml(text: &str) -> Result<Self, InvalidMapping> {
        let file: File = toml::from_str(text).map_err(|error| InvalidMapping(error.message().to_owned()))?;
        let mut rules = Vec::new();
        for table in file.mapping {
            let mut rule = Rule::default();
            for (part, field) in table {
                match part.as_str() {
                    "when" => rule.when = Some(field),
                    // For people.
                    "name" => {}
                    _ => rule.add(&part, &field)?,
                }
            }
            rules.push(rule);
        }
        Ok(Mapping { rules })
    }

    /// The object with its parts under known names; `None` when no rule is for it.
    pub(crate) fn apply(&self, value: &Value) -> Option<Value> {
        let is_for = |rule: &&Rule| {
            rule.when.as_deref().is_none_or(|field| crate::fields::get(value, field).is_some())
        };
        let rule = self.rules.iter().find(is_for)?;
        let mut object = value.as_object()?.clone();
        for (part, field) in &rule.fields {
            if let Some(found) = crate::fields::get(value, field) {
                object.insert(part.clone(), found.clone());
            }
        }
        Some(Value::Object(object))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl Rule {
    fn add(&mut self, part: &str, field: &str) -> Result<(), InvalidMapping> {
        let name = match part.strip_prefix("header.") {
            Some(header) if !header.is_empty() => format!("http.request.header.{header}"),
            _ if PARTS.contains(&part) => part.to_owned(),
            _ => {
                let parts = PARTS.join(", ");
                return Err(InvalidMapping(format!(
                    "'{part}' is no part of a request: {parts}, header.NAME"
                )));
            }
        };
        if field.is_empty() {
            return Err(InvalidMapping(format!("no field for '{part}'")));
        }
        self.fields.push((name, field.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_get_known_names() {
        let mapping = Mapping::parse("method=verb, url=req.uri,header.user-agent=ua").unwrap();
        let object = mapping.apply(&json!({"verb": "GET", "req": {"uri": "/a"}, "ua": "x"})).unwrap();
        assert_eq!((&object["method"], &object["url"]), (&json!("GET"), &json!("/a")));
        assert_eq!(object["http.request.header.user-agent"], "x");
    }

    #[test]
    fn a_file_of_several() {
        let toml =
            "[[mapping]]\nname = \"a\"\nwhen = \"waf\"\nmethod = \"m\"\n[[mapping]]\nmethod = \"verb\"\n";
        let mapping = Mapping::from_toml(toml).unwrap();
        assert_eq!(mapping.apply(&json!({"waf": 1, "m": "GET"})).unwrap()["method"], "GET");
        assert_eq!(mapping.apply(&json!({"verb": "PUT", "m": "GET"})).unwrap()["method"], "PUT");
    }

    #[test]
    fn what_is_no_mapping() {
        for text in ["", "method", "method=", "verb=method", "header.=x"] {
            assert!(Mapping::parse(text).is_err(), "{text}");
        }
        for text in ["", "x = 1", "[[mapping]]\nverb = \"x\"", "[mapping]\nmethod = 1"] {
            assert!(Mapping::from_toml(text).is_err(), "{text}");
        }
    }
}
