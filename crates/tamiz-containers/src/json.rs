//! JSON that is not an object a line: arrays of objects, objects over several lines, and objects that keep their records
//! in an array (`{"records": […]}` of Azure, `{"Records": […]}` of AWS, `{"hits": {"hits": […]}}` of Elasticsearch).

use std::sync::Arc;

use serde_json::Value;

use crate::container::Reader;
use crate::elements::{Elements, Fault};
use crate::lines::{BOM, too_long};
use crate::mapping::Mapping;
use crate::memory::{self, Promise};
use crate::record::{At, Found, Reason};
use crate::window::Window;
use crate::{access_log, compressed, fields, jsonl};

/// The ways to arrays that hold records.
const ARRAYS: [&[&str]; 10] = [
    &["records"],
    &["Records"],
    &["events"],
    &["requests"],
    &["hits", "hits"],
    &["data"],
    &["items"],
    &["results"],
    &["logs"],
    &["entries"],
];

/// The bytes in which such an array must begin.
const LOOKED_AT: usize = 64 << 10;

pub(crate) struct Json {
    elements: Elements,
    mapping: Arc<Mapping>,
    limit: usize,
    shape: Shape,
}

/// Where the records are.
enum Shape {
    Unknown,
    Array,
    Values,
    Over,
}

impl Json {
    pub(crate) fn new(mut window: Window, mapping: Arc<Mapping>, limit: usize) -> Self {
        if window.starts_with(BOM) {
            window.consume(BOM.len());
        }
        Json { elements: Elements::new(window, limit), mapping, limit, shape: Shape::Unknown }
    }

    fn begin(&mut self) -> Result<(), Fault> {
        let array = {
            let window = self.elements.window_mut();
            window.skip_while(|byte| byte.is_ascii_whitespace());
            array_name(window)
        };
        self.shape = match array {
            Array::Top => self.elements.enter(&[]).map(|()| Shape::Array)?,
            Array::Named(way) => self.elements.enter(way).map(|()| Shape::Array)?,
            Array::None => Shape::Values,
        };
        Ok(())
    }

    fn reason(&self, fault: Fault) -> Reason {
        match (fault, self.elements.window().failure()) {
            (Fault::Ended, Some(error)) => compressed::reason(error),
            (Fault::Ended, None) => "JSON that ends early".into(),
            (Fault::TooLong, _) => too_long(self.limit),
            (Fault::NoMemory, _) => memory::REASON.into(),
            (Fault::NotJson | Fault::NotThere, _) => "not JSON".into(),
        }
    }
}

enum Array {
    Top,
    Named(&'static [&'static str]),
    None,
}

/// Which array text begins with.
fn array_name(window: &mut Window) -> Array {
    window.fill(LOOKED_AT);
    let bytes = window.bytes();
    if bytes.starts_with(b"[") {
        return Array::Top;
    }
    named_array(bytes.get(..LOOKED_AT).unwrap_or(bytes)).map_or(Array::None, Array::Named)
}

/// The way to the array of records that an object has. An object that is a request itself has none, whatever is in it.
pub(crate) fn named_array(text: &[u8]) -> Option<&'static [&'static str]> {
    let way = way_to_array(text)?;
    let first = serde_json::Deserializer::from_slice(text).into_iter::<Value>().next();
    let is_request = |value: &Value| jsonl::has_request(value) || fields::is_log(value);
    (!first.is_some_and(|first| first.is_ok_and(|value| is_request(&value)))).then_some(way)
}

/// The first of the arrays in an object that has a known name and objects in it, or nothing.
fn way_to_array(text: &[u8]) -> Option<&'static [&'static str]> {
    // The keys on the way to where the walk is, and whether what they name is an object.
    let mut way: Vec<(&[u8], bool)> = Vec::new();
    let mut key: &[u8] = b"";
    let mut at = 0_usize;
    loop {
        let rest = text.get(at..)?;
        match rest.first()? {
            b'"' => {
                let end = end_of_string(rest)?;
                key = rest.get(1..end)?;
                at = at.saturating_add(end);
            }
            b'{' => way.push((key, true)),
            b'[' => {
                let is_record = matches!(rest.get(1..)?.trim_ascii_start().first(), Some(b'{' | b']'));
                let parents = way.iter().skip(1).map(|(key, _)| *key);
                let here: Vec<&[u8]> = parents.chain([key]).collect();
                let is_in_objects = way.iter().all(|(_, is_object)| *is_object);
                let found = ARRAYS
                    .into_iter()
                    .find(|names| here.iter().copied().eq(names.iter().map(|n| n.as_bytes())));
                if is_record && is_in_objects && found.is_some() {
                    return found;
                }
                way.push((key, false));
            }
            b'}' | b']' => {
                way.pop()?;
                if way.is_empty() {
                    return None;
                }
            }
            _ => {}
        }
        at = at.saturating_add(1);
    }
}

/// Where the string that text begins with has its last quote.
fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut at = 1_usize;
    loop {
        at = at.saturating_add(memchr::memchr2(b'"', b'\\', text.get(at..)?)?);
        if text.get(at) == Some(&b'"') {
            return Some(at);
        }
        at = at.saturating_add(2);
    }
}

impl Reader for Json {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        loop {
            let begun = if matches!(self.shape, Shape::Unknown) { self.begin() } else { Ok(()) };
            let at = At::Byte(self.elements.window().offset());
            let next = begun.and_then(|()| match self.shape {
                Shape::Array => self.elements.next_element(&[]),
                Shape::Values => self.elements.next_value(),
                Shape::Over | Shape::Unknown => Ok(None),
            });
            match next {
                Ok(None) => {
                    self.shape = Shape::Over;
                    return None;
                }
                Ok(Some(bytes)) => {
                    if let Some(result) = read(&bytes, &self.mapping) {
                        return Some((at, result));
                    }
                }
                Err(fault) => {
                    if !fault.is_passed_over() {
                        self.shape = Shape::Over;
                    }
                    return Some((at, Err(self.reason(fault))));
                }
            }
        }
    }
}

/// The request of a value; `None` if it is of something else by its own account.
fn read(bytes: &[u8], mapping: &Mapping) -> Option<Result<Found, Reason>> {
    let _promise = match Promise::to_parse(bytes.len()) {
        Ok(promise) => promise,
        Err(reason) => return Some(Err(reason)),
    };
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => return Some(Err(jsonl::not_json(&error))),
    };
    // A hit of a search of Elasticsearch.
    let value = match value.get("_source") {
        Some(source) if source.is_object() => source.clone(),
        _ => value,
    };
    if !value.is_object() {
        return Some(Err("JSON, but no object".into()));
    }
    if mapping.is_empty() && fields::is_log(&value) {
        return access_log::object(&value, mapping);
    }
    Some(jsonl::object(&value, mapping))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn told(text: &str, limit: usize) -> Vec<Result<(), String>> {
        let window = Window::new(Box::new(Cursor::new(text.as_bytes().to_vec())));
        let mut json = Json::new(window, Arc::default(), limit);
        std::iter::from_fn(|| json.next_found())
            .map(|(_, result)| result.map(|_| ()).map_err(Reason::into_owned))
            .collect()
    }

    const ONE: &str = "{\n \"method\": \"GET\",\n \"url\": \"/a\"\n}";

    #[test]
    fn arrays_and_objects_over_several_lines() {
        for text in [
            format!("[{ONE}, {ONE}]"),
            format!(" [\n{ONE},\n{ONE}\n]\n"),
            format!("{ONE}\n{ONE}\n"),
            format!("{{\"records\": [{ONE},{ONE}], \"x\": 1}}"),
            format!(
                "{{\"took\":1,\"hits\":{{\"total\":{{\"value\":2}},\"hits\":[{{\"_source\":{ONE}}},{{\"_source\":{ONE}}}]}}}}"
            ),
            format!("{{\"next\": \"\\\"data\\\": [{{\", \"count\": 2, \"data\": [{ONE}, {ONE}]}}"),
            format!("[{{\"_source\":{ONE}}},{{\"raw\":\"GET /\"}}]"),
        ] {
            assert_eq!(told(&text, 1000), [Ok(()), Ok(())], "{text}");
        }
        assert_eq!(told("[]", 1000), []);
        for text in [
            "{\"method\":\"GET\",\"url\":\"/\",\"data\":[{}]}",
            "{\"a\":{\"data\":[{}]}}",
            "{\"data\":[1]}",
            "{\"hits\":[{}]}",
            "{}",
        ] {
            assert_eq!(named_array(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_is_broken_is_told() {
        let long = format!("[{{\"a\":\"{}\"}},{ONE}]", "x".repeat(200));
        let all = told(&long, 100);
        assert!(all[0].as_ref().unwrap_err().contains("longer") && all[1].is_ok(), "{all:?}");
        for (text, reason) in [
            (format!("[{ONE}, 7]"), "no object"),
            (format!("[{ONE}"), "ends early"),
            (format!("[{ONE} x"), "not JSON"),
            ("[{\"method\":\"\",\"url\":\"/\"}]".to_owned(), "no method"),
        ] {
            let all = told(&text, 1000);
            assert!(all.last().unwrap().as_ref().unwrap_err().contains(reason), "{text}: {all:?}");
        }
    }
}
