//! Files of comma-separated values (RFC 4180) whose first record names the columns: the bytes of requests, or their parts,
//! under the names of JSON lines or of a mapping. Tabs and semicolons separate as well.

use std::sync::Arc;

use csv_core::{ReadRecordResult, ReaderBuilder};
use serde_json::{Map, Value};

use crate::container::Reader;
use crate::lines::{BOM, too_long};
use crate::mapping::Mapping;
use crate::memory::{self, Promise};
use crate::names::{self, HEADER_PREFIX};
use crate::record::{At, Found, Reason};
use crate::window::Window;
use crate::{compressed, fields, jsonl};

/// The most columns that a file may have.
const MOST_COLUMNS: usize = 1 << 12;

pub(crate) struct Csv {
    window: Window,
    mapping: Arc<Mapping>,
    limit: usize,
    reader: csv_core::Reader,
    names: Option<Vec<String>>,
    is_over: bool,
}

/// One record, read.
enum Next {
    Values(Vec<Vec<u8>>),
    Fault(Reason),
    End,
}

impl Csv {
    pub(crate) fn new(mut window: Window, mapping: Arc<Mapping>, limit: usize) -> Self {
        if window.starts_with(BOM) {
            window.consume(BOM.len());
        }
        window.fill(4 << 10);
        let reader = ReaderBuilder::new().delimiter(delimiter(window.bytes())).build();
        Csv { window, mapping, limit, reader, names: None, is_over: false }
    }

    fn next_record(&mut self) -> Next {
        let (mut output, mut ends) = (vec![0; 4 << 10], vec![0; 64]);
        let (mut written, mut fields) = (0_usize, 0_usize);
        let (mut is_too_long, mut lacks_memory) = (false, false);
        loop {
            if self.window.bytes().is_empty() {
                self.window.read_more();
            }
            if self.window.lacks_memory() {
                return Next::Fault(memory::REASON.into());
            }
            let (Some(room), Some(places)) = (output.get_mut(written..), ends.get_mut(fields..)) else {
                return Next::End;
            };
            let (result, read, wrote, ended) = self.reader.read_record(self.window.bytes(), room, places);
            self.window.consume(read);
            written = written.saturating_add(wrote);
            fields = fields.saturating_add(ended);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if output.len() > self.limit => {
                    is_too_long = true;
                    written = 0;
                }
                ReadRecordResult::OutputFull if Promise::for_copies(output.len(), 6).is_none() => {
                    lacks_memory = true;
                    written = 0;
                }
                ReadRecordResult::OutputFull => output.resize(output.len().saturating_mul(2), 0),
                ReadRecordResult::OutputEndsFull if ends.len() > MOST_COLUMNS => {
                    is_too_long = true;
                    fields = 0;
                }
                ReadRecordResult::OutputEndsFull => ends.resize(ends.len().saturating_mul(2), 0),
                ReadRecordResult::Record if is_too_long || written > self.limit => {
                    return Next::Fault(too_long(self.limit));
                }
                ReadRecordResult::Record if lacks_memory => return Next::Fault(memory::REASON.into()),
                ReadRecordResult::Record => {
                    let ends = ends.get(..fields).unwrap_or_default();
                    let starts = std::iter::once(&0).chain(ends);
                    let values =
                        starts.zip(ends).map(|(start, end)| output.get(*start..*end).unwrap_or_default());
                    return Next::Values(values.map(<[u8]>::to_vec).collect());
                }
                ReadRecordResult::End => {
                    return match self.window.failure() {
                        Some(error) => Next::Fault(compressed::reason(error)),
                        None => Next::End,
                    };
                }
            }
        }
    }
}

impl Reader for Csv {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        if self.is_over {
            return None;
        }
        loop {
            let at = At::Byte(self.window.offset());
            match (self.next_record(), &self.names) {
                (Next::End, _) => {
                    self.is_over = true;
                    return None;
                }
                (Next::Fault(reason), _) => {
                    self.is_over = self.window.failure().is_some() || self.names.is_none();
                    return Some((at, Err(reason)));
                }
                (Next::Values(values), None) => {
                    let names = values.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned());
                    self.names = Some(names.map(|name| known(&name, &self.mapping)).collect());
                }
                (Next::Values(values), Some(names)) => {
                    return Some((at, request(names, values, &self.mapping)));
                }
            }
        }
    }
}

fn request(names: &[String], values: Vec<Vec<u8>>, mapping: &Mapping) -> Result<Found, Reason> {
    if values.len() != names.len() {
        return Err("not as many values as there are columns".into());
    }
    let mut object = Map::new();
    for (name, value) in names.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
        let value =
            String::from_utf8(value).map_err(|_| "a value that is not UTF-8; `raw_b64` holds any bytes")?;
        object.insert(name.clone(), Value::String(value));
    }
    jsonl::object(&Value::Object(object), mapping)
}

/// Headers that a column may be named after.
const HEADERS: [&str; 14] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "authorization",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "origin",
    "pragma",
    "x-forwarded-for",
    "x-requested-with",
];

/// The name of a column as it is known elsewhere: tables are written for people, so that `Method` and `User-Agent` are
/// as good as `method` and `user_agent`. With a mapping, names are as they are.
fn known(name: &str, mapping: &Mapping) -> String {
    let lower = name.to_ascii_lowercase();
    if !mapping.is_empty() {
        name.to_owned()
    } else if HEADERS.contains(&lower.as_str()) {
        format!("{HEADER_PREFIX}{lower}")
    } else if names::is_known(&lower) && !names::is_known(name) {
        lower
    } else {
        name.to_owned()
    }
}

/// Finds the separator of the values of the first line.
fn delimiter(text: &[u8]) -> u8 {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |delimiter: &u8| line.iter().filter(|byte| *byte == delimiter).count();
    [b',', b'\t', b';'].into_iter().rev().max_by_key(count).unwrap_or(b',')
}

/// Returns whether a line names columns that make a request.
pub(crate) fn is_header(line: &[u8], mapping: &Mapping) -> bool {
    let delimiter = delimiter(line);
    let Ok(text) = std::str::from_utf8(line) else { return false };
    if !line.contains(&delimiter) && !["raw", "raw_b64"].contains(&text.trim()) {
        return false;
    }
    let names = text.split(char::from(delimiter)).map(|name| name.trim().trim_matches('"'));
    let object: Map<String, Value> =
        names.map(|name| (known(name, mapping), Value::String("x".to_owned()))).collect();
    let object = Value::Object(object);
    let mapped = mapping.apply(&object).unwrap_or(object);
    fields::is_request(&mapped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use std::io::Cursor;

    fn told(text: &str, limit: usize, mapping: &str) -> Vec<Result<(String, Option<String>), String>> {
        let mapping = if mapping.is_empty() { Mapping::default() } else { Mapping::parse(mapping).unwrap() };
        let window = Window::new(Box::new(Cursor::new(text.as_bytes().to_vec())));
        let mut csv = Csv::new(window, Arc::new(mapping), limit);
        std::iter::from_fn(|| csv.next_found())
            .map(|(_, result)| {
                let found = result.map_err(Reason::into_owned)?;
                let text = match found.request {
                    Request::Raw(bytes) => String::from_utf8(bytes).unwrap(),
                    Request::Parts(parts) => {
                        String::from_utf8([parts.method, parts.target].join(&b' ')).unwrap()
                    }
                };
                Ok((text, found.label))
            })
            .collect()
    }

    fn ok(text: &str, label: Option<&str>) -> Result<(String, Option<String>), String> {
        Ok((text.to_owned(), label.map(str::to_owned)))
    }

    #[test]
    fn columns_of_bytes_and_of_parts() {
        let raw = "label,raw\nattack,\"GET / HTTP/1.1\r\nX: \"\"a\"\"\r\n\r\n\"\nvalid,GET /\n";
        assert_eq!(
            told(raw, 1000, ""),
            [ok("GET / HTTP/1.1\r\nX: \"a\"\r\n\r\n", Some("attack")), ok("GET /", Some("valid"))]
        );
        assert_eq!(told("method;url;body\nGET;/a;\n", 1000, ""), [ok("GET /a", None)]);
        assert_eq!(told("verb\tpath_\nGET\t/a", 1000, "method=verb,target=path_"), [ok("GET /a", None)]);
        assert_eq!(
            told("Method,URL,Cookie,Label\nGET,http://ex.com/a HTTP/1.1,a=b,x\n", 1000, ""),
            [ok("GET /a", Some("x"))]
        );
        assert_eq!(told("Headers;Method;URL\n\"{\"\"A\"\":1}\";GET;/a\n", 1000, ""), [ok("GET /a", None)]);
        assert!(
            is_header(b"id,raw_b64,label", &Mapping::default()) && is_header(b"raw", &Mapping::default())
        );
        assert!(!is_header(b"a,b", &Mapping::default()) && !is_header(b"Hello, world", &Mapping::default()));
    }

    #[test]
    fn records_that_are_broken() {
        let long = format!("raw,id\n{},1\nGET /,2\n", "x".repeat(9000));
        let all = told(&long, 100, "");
        assert!(all[0].as_ref().unwrap_err().contains("longer") && all[1].is_ok(), "{all:?}");
        let all = told("method,url\nGET\nGET,/a\n,/a\n", 1000, "");
        assert!(all[0].is_err() && all[1].is_ok() && all[2] == Err("no method in it".to_owned()), "{all:?}");
        assert_eq!(told("", 100, ""), []);
        assert_eq!(told("raw_b64,id\n?,1\n", 100, ""), [Err("`raw_b64` is not Base64".to_owned())]);
    }
}
