//! YAML as a value of JSON, within bounds: a description of an interface is written in either.
//!
//! Mappings, sequences and scalars of the core schema, anchors with their aliases, and the merge key `<<`. Aliases are copied,
//! so that their nodes count as often as they are named: a bomb of aliases is an error.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

use crate::record::Reason;

/// The most mappings and sequences within each other: as many as JSON may have.
const DEEPEST: usize = 127;
/// The most nodes of a document, those of its aliases included.
const MOST_NODES: usize = 1_000_000;

/// Reads the first document of a text.
///
/// # Errors
/// When it is no YAML, has too many or too deep nodes, or a key that is no scalar.
pub(crate) fn parse(text: &str) -> Result<Value, Reason> {
    let mut loader = Loader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| at_line(error.marker().line(), "not YAML"))?;
        match loader.take(event) {
            Ok(None) => {}
            Ok(Some(value)) => return Ok(value),
            Err(reason) => return Err(at_line(span.start.line(), reason)),
        }
    }
    Err("YAML without a document".into())
}

fn at_line(line: usize, reason: &str) -> Reason {
    format!("{reason} (line {line})").into()
}

/// A mapping or a sequence that is not complete.
enum Open {
    Sequence(Vec<Value>),
    /// Its entries, those of its merge keys, and a key whose value follows.
    Mapping(Map<String, Value>, Vec<Value>, Option<String>),
}

/// Builds a value from events.
#[derive(Default)]
struct Loader {
    open: Vec<(Open, usize)>,
    /// Values by the number of their anchor, each with how many nodes it has.
    anchors: HashMap<usize, (Value, usize)>,
    nodes: usize,
}

impl Loader {
    /// Takes an event; the value, when it is complete.
    fn take(&mut self, event: Event<'_>) -> Result<Option<Value>, &'static str> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let is_key = matches!(self.open.last(), Some((Open::Mapping(_, _, None), _)));
                let is_text = is_key || style != ScalarStyle::Plain;
                let value = if is_text { Value::String(text.into_owned()) } else { scalar(&text) };
                self.add(value, anchor, 1)
            }
            Event::Alias(anchor) => {
                let (value, nodes) = self.anchors.get(&anchor).ok_or("an alias within its own anchor")?;
                let (value, nodes) = (value.clone(), *nodes);
                self.add(value, 0, nodes)
            }
            Event::SequenceStart(anchor, _) => self.begin(Open::Sequence(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => self.begin(Open::Mapping(Map::new(), Vec::new(), None), anchor),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::DocumentEnd => Ok(Some(Value::Null)),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => Ok(None),
        }
    }

    fn begin(&mut self, open: Open, anchor: usize) -> Result<Option<Value>, &'static str> {
        if matches!(self.open.last(), Some((Open::Mapping(_, _, None), _))) {
            return Err("a key that is no scalar");
        }
        if self.open.len() >= DEEPEST {
            return Err("YAML that is too deep");
        }
        self.open.push((open, anchor));
        Ok(None)
    }

    fn end(&mut self) -> Result<Option<Value>, &'static str> {
        match self.open.pop() {
            Some((Open::Sequence(items), anchor)) => self.add(Value::Array(items), anchor, 1),
            Some((Open::Mapping(mut entries, merged, _), anchor)) => {
                for (key, value) in merged.into_iter().flat_map(objects).flatten() {
                    entries.entry(key).or_insert(value);
                }
                self.add(Value::Object(entries), anchor, 1)
            }
            None => Ok(None),
        }
    }

    /// Puts a complete value where it belongs.
    fn add(&mut self, value: Value, anchor: usize, nodes: usize) -> Result<Option<Value>, &'static str> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MOST_NODES {
            return Err("YAML of more than 1,000,000 nodes, aliases included");
        }
        if anchor != 0 {
            let nodes = count(&value);
            // The copy is kept, and counts as one.
            self.nodes = self.nodes.saturating_add(nodes);
            self.anchors.insert(anchor, (value.clone(), nodes));
        }
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some((Open::Sequence(items), _)) => items.push(value),
            Some((Open::Mapping(entries, merged, key), _)) => match key.take() {
                None => {
                    let Value::String(text) = value else { return Err("a key that is no scalar") };
                    *key = Some(text);
                }
                Some(key) if key == "<<" && !value.is_string() => merged.push(value),
                Some(key) => {
                    entries.insert(key, value);
                }
            },
        }
        Ok(None)
    }
}

/// The objects that a merge key names: one, or several in a sequence.
fn objects(value: Value) -> Vec<Map<String, Value>> {
    match value {
        Value::Object(entries) => vec![entries],
        Value::Array(items) => items.into_iter().flat_map(objects).collect(),
        _ => Vec::new(),
    }
}

/// Counts the nodes of a value.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count).fold(1, usize::saturating_add),
        Value::Object(entries) => entries.values().map(count).fold(1, usize::saturating_add),
        _ => 1,
    }
}

/// A plain scalar. Numbers that JSON would write otherwise stay text, as they are sent.
fn scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => serde_json::from_str::<Number>(text).map_or_else(|_| text.into(), Value::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values() {
        let text = "# comment\n---\na: 1\nb: [x, 'y', \"z\\n\", 1.5, ~]\n200: |\n  two\n  lines\nc:\n- d: true\n  e:\n- >\n  folded\n  text\nf: 007\n";
        let expected = json!({"a": 1, "b": ["x", "y", "z\n", 1.5, null], "200": "two\nlines\n", "f": "007",
            "c": [{"d": true, "e": null}, "folded text\n"]});
        assert_eq!(parse(text).unwrap(), expected);
        assert_eq!(parse("a: 1\n---\nb: 2\n").unwrap(), json!({"a": 1}));
    }

    #[test]
    fn anchors_and_merge_keys() {
        let text = "base: &base {x: 1, y: 2}\none:\n  <<: *base\n  y: 3\ntwo: *base\nthree:\n  <<: [*base, {z: 4}]\n";
        let expected = json!({"base": {"x": 1, "y": 2}, "one": {"x": 1, "y": 3}, "two": {"x": 1, "y": 2},
            "three": {"x": 1, "y": 2, "z": 4}});
        assert_eq!(parse(text).unwrap(), expected);
    }

    #[test]
    fn what_is_refused() {
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for n in 1..12 {
            bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(",")));
        }
        let deep = format!("a: {}{}", "[".repeat(200), "]".repeat(200));
        for text in
            ["", "a: [1", "a: 'x", "? [a]\n: b\n", "a: *b\n", "a: &a [*a]\n", "\ta: b: c", &bomb, &deep]
        {
            assert!(parse(text).is_err(), "{:?}", text.get(..20));
        }
    }
}
