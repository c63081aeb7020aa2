//! Burp exports: XML with an `item` for each request. Their document type declares elements and
//! attributes; one that declares entities is refused, and none is ever expanded.

use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesRef, Event};

use crate::compressed;
use crate::container::Reader;
use crate::jsonl;
use crate::lines::too_long;
use crate::markup::{self, Markup, Stop};
use crate::memory::{self, Promise};
use crate::record::{At, Found, Reason};
use crate::time::Time;
use crate::window::Window;

pub(crate) struct Burp {
    window: Window,
    limit: usize,
    is_over: bool,
}

impl Burp {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Burp { window, limit, is_over: false }
    }

    /// The next `item` without its response; `None` when there is no more.
    fn item(&mut self) -> Option<(At, Result<Vec<u8>, Reason>)> {
        loop {
            let at = At::Byte(self.window.offset());
            match markup::next(&mut self.window, |_| {}) {
                Ok(Markup::Open(name, false)) if name == b"item" => return Some((at, self.inside())),
                Ok(Markup::Doctype(text)) if memchr::memmem::find(&text, b"<!ENTITY").is_some() => {
                    self.is_over = true;
                    return Some((
                        at,
                        Err("refused: it declares entities, which no Burp export does".into()),
                    ));
                }
                Ok(_) => {}
                Err(stop) => {
                    self.is_over = true;
                    let reason = match (stop, self.window.failure()) {
                        (Stop::TooLong, _) => "markup that does not end".into(),
                        (Stop::Ended, Some(error)) => compressed::reason(error),
                        (Stop::Ended, None) => return None,
                    };
                    return Some((at, Err(reason)));
                }
            }
        }
    }

    /// Reads an item up to its end.
    fn inside(&mut self) -> Result<Vec<u8>, Reason> {
        let mut kept = Vec::new();
        let (mut is_too_long, mut lacks_memory, mut in_response) = (false, false, false);
        let limit = self.limit;
        loop {
            let before = kept.len();
            let markup = markup::next(&mut self.window, |bytes| {
                is_too_long |= kept.len().saturating_add(bytes.len()) > limit && !in_response;
                if !is_too_long && !in_response && !lacks_memory {
                    lacks_memory = !memory::add(&mut kept, bytes);
                }
            });
            match markup {
                Ok(Markup::Open(name, is_empty)) if name == b"response" => {
                    kept.truncate(before);
                    in_response = !is_empty;
                }
                Ok(Markup::Close(name)) if name == b"response" => in_response = false,
                Ok(Markup::Close(name)) if name == b"item" && !in_response => break,
                Ok(_) => {}
                Err(stop) => {
                    self.is_over = true;
                    return Err(match (stop, self.window.failure()) {
                        (Stop::TooLong, _) => "markup that does not end".into(),
                        (Stop::Ended, Some(error)) => compressed::reason(error),
                        (Stop::Ended, None) => "XML that ends early".into(),
                    });
                }
            }
        }
        match (is_too_long, lacks_memory || Promise::for_copies(kept.len(), 4).is_none()) {
            (true, _) => Err(too_long(limit)),
            (false, true) => Err(memory::REASON.into()),
            (false, false) => Ok(kept),
        }
    }
}

impl Reader for Burp {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        if self.is_over {
            return None;
        }
        let (at, item) = self.item()?;
        Some((at, item.and_then(|item| read(&item))))
    }
}

/// The request of an item.
fn read(item: &[u8]) -> Result<Found, Reason> {
    let item = std::str::from_utf8(item).map_err(|_| "not UTF-8")?;
    let mut reader = XmlReader::from_str(item);
    // The last tag is the item's own end, without its beginning.
    reader.config_mut().allow_unmatched_ends = true;
    let mut name = String::new();
    let mut is_encoded = false;
    let mut request: Option<Vec<u8>> = None;
    let mut time = Vec::new();
    let mut text = |name: &str, text: &str| match name {
        "request" => request.get_or_insert_default().extend_from_slice(text.as_bytes()),
        "time" => time.extend_from_slice(text.as_bytes()),
        _ => {}
    };
    loop {
        match reader.read_event().map_err(|_| "not well-formed XML")? {
            Event::Start(start) => {
                name = start.name().as_ref().to_owned();
                if name == "request" {
                    text(&name, "");
                    let attribute = start.try_get_attribute("base64").map_err(|_| "not well-formed XML")?;
                    is_encoded = attribute.is_some_and(|attribute| attribute.value.as_ref() == "true");
                }
            }
            Event::End(_) => name.clear(),
            Event::Text(plain) => text(&name, &plain),
            Event::CData(plain) => text(&name, &plain),
            Event::GeneralRef(reference) => {
                let resolved = resolve(&reference).ok_or("a reference to an entity that is not XML's own")?;
                text(&name, resolved.encode_utf8(&mut [0; 4]));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let request = request.ok_or("an item without a request")?;
    let bytes = if is_encoded {
        let encoded: Vec<u8> = request.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
        jsonl::decode(&encoded).ok_or("a request that is not Base64")?
    } else {
        request
    };
    Ok(Found { time: Time::parse(&time), ..Found::raw(bytes) })
}

/// The character of a reference: by number, or one of the five names that XML has.
fn resolve(reference: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character);
    }
    match reference.as_ref() {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use std::io::Cursor;

    fn all(text: &str, limit: usize) -> Vec<Result<String, String>> {
        let mut burp = Burp::new(Window::new(Box::new(Cursor::new(text.as_bytes().to_vec()))), limit);
        std::iter::from_fn(|| burp.next_found())
            .map(|(_, result)| match result {
                Ok(Found { request: Request::Raw(bytes), .. }) => Ok(String::from_utf8(bytes).unwrap()),
                Ok(_) => panic!("parts"),
                Err(reason) => Err(reason.into_owned()),
            })
            .collect()
    }

    fn item(request: &str) -> String {
        format!(
            "<item><time>Mon Apr 21 15:35:18 EDT 2025</time>{request}<response base64=\"true\"><![CDATA[{}]]></response></item>",
            "</item>".repeat(50)
        )
    }

    #[test]
    fn encoded_and_plain_requests_without_their_responses() {
        let text = format!(
            "<?xml version=\"1.0\"?><!DOCTYPE items [<!ELEMENT items (item*)>]><items>{}{}{}{}</items>",
            item("<request base64=\"true\"><![CDATA[R0VU\nIC8=]]></request>"),
            item("<request base64=\"false\"><![CDATA[GET /</item>]]></request>"),
            item("<request>GET /&lt;&#65;&amp;</request>"),
            item(""),
        );
        let found = all(&text, 300);
        let get = |text: &str| Ok(text.to_owned());
        assert_eq!(found[..3], [get("GET /"), get("GET /</item>"), get("GET /<A&")]);
        assert_eq!(found[3..], [Err("an item without a request".to_owned())]);
    }

    #[test]
    fn entities_are_refused() {
        let bomb = "<!DOCTYPE items [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]><items><item><request>&b;</request></item></items>";
        let found = all(bomb, 1000);
        assert_eq!(found.len(), 1);
        assert!(found[0].as_ref().unwrap_err().contains("declares entities"));
        let unknown = all("<items><item><request>&b;</request></item></items>", 1000);
        assert!(unknown[0].as_ref().unwrap_err().contains("reference"), "{unknown:?}");
    }

    #[test]
    fn long_and_broken_items() {
        let text = format!(
            "<items>{}{}<item><request>GE",
            item(&format!("<request>{}</request>", "x".repeat(400))),
            item("<request>GET /</request>")
        );
        let found = all(&text, 200);
        assert!(found[0].as_ref().unwrap_err().contains("longer than 200"));
        assert_eq!(found[1], Ok("GET /".to_owned()));
        assert_eq!(found[2..], [Err("XML that ends early".to_owned())]);
        assert_eq!(all("", 10), []);
    }
}
