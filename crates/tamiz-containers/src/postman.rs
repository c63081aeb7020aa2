//! Collections of Postman, versions 2.0 and 2.1 (<https://schema.postman.com>), and of what exports the same: the requests of
//! all folders, with the variables that the collection gives.

use serde_json::Value;
use tamiz::Source;

use crate::id::Id;
use crate::record::{At, Found, Parts, Reason};
use crate::url;
use crate::variables::Variables;
use crate::whole::Records;

/// The most folders in one another.
const DEEPEST: usize = 64;

/// Returns whether an object is a collection.
pub(crate) fn is_one(text: &[u8]) -> bool {
    let has = |needle: &[u8]| memchr::memmem::find(text, needle).is_some();
    text.starts_with(b"{") && has(b"\"info\"") && has(b"schema.getpostman.com")
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Records, Reason> {
    let collection: Value = serde_json::from_slice(bytes).map_err(|error| crate::jsonl::not_json(&error))?;
    // Some export it in an envelope.
    let collection = collection.get("collection").unwrap_or(&collection);
    let mut variables = Variables::default();
    for variable in collection.get("variable").and_then(Value::as_array).into_iter().flatten() {
        let text = |name: &str| variable.get(name).and_then(Value::as_str);
        if let (Some(key), Some(value)) = (text("key").or_else(|| text("id")), text("value")) {
            variables.set(key, value);
        }
    }
    let items = collection.get("item").and_then(Value::as_array).ok_or("a collection without items")?;
    let mut found = Vec::new();
    // Folders are gone through in order, without recursion.
    let mut pending: Vec<(&Value, usize)> = items.iter().rev().map(|item| (item, 0)).collect();
    while let Some((item, depth)) = pending.pop() {
        if let Some(items) = item.get("item").and_then(Value::as_array) {
            if depth < DEEPEST {
                pending.extend(items.iter().rev().map(|item| (item, depth.saturating_add(1))));
            } else {
                found.push((At::Whole, Err("folders that are too deep in one another".into())));
            }
            continue;
        }
        found.push((At::Whole, request(item, &variables)));
    }
    Ok(found)
}

fn request(item: &Value, variables: &Variables) -> Result<Found, Reason> {
    let request = item.get("request").ok_or("an item without a request")?;
    let mut parts = Parts::default();
    if let Some(whole) = request.as_str() {
        parts.method = b"GET".to_vec();
        url::put(url::without_fragment(variables.fill(whole).as_bytes()), &mut parts);
    } else {
        let method = request.get("method").and_then(Value::as_str).unwrap_or("GET");
        parts.method = variables.fill(method).into_bytes();
        let url = request.get("url").ok_or("a request without a URL")?;
        let raw = url.as_str().or_else(|| url.get("raw").and_then(Value::as_str)).map(str::to_owned);
        let raw = raw.or_else(|| joined(url)).ok_or("a request without a URL")?;
        let whole = variables.fill(&with_path_variables(raw, url));
        url::put(url::without_fragment(whole.as_bytes()), &mut parts);
        for header in pairs(request.get("header")) {
            parts
                .headers
                .push((variables.fill(header.0).into_bytes(), variables.fill(header.1).into_bytes()));
        }
        if let Some(body) = request.get("body") {
            put_body(body, variables, &mut parts);
        }
    }
    if parts.method.is_empty() {
        return Err("a request without a method".into());
    }
    let mut found = Found::parts(parts, Source::JsonLines);
    found.id = item.get("name").and_then(Value::as_str).map(Id::from);
    Ok(found)
}

/// A URL that is there by its parts alone.
fn joined(url: &Value) -> Option<String> {
    let list = |name: &str, between: &str| match url.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(between)),
        _ => None,
    };
    let mut whole = list("host", ".")?;
    if let Some(scheme) = url.get("protocol").and_then(Value::as_str) {
        whole = format!("{scheme}://{whole}");
    }
    if let Some(port) = url.get("port").and_then(Value::as_str) {
        whole = format!("{whole}:{port}");
    }
    if let Some(path) = list("path", "/") {
        whole = format!("{whole}/{}", path.trim_start_matches('/'));
    }
    let query = pairs(url.get("query")).map(|(key, value)| format!("{key}={value}"));
    let query = query.collect::<Vec<_>>().join("&");
    Some(if query.is_empty() { whole } else { format!("{whole}?{query}") })
}

/// The URL with the values of its path's variables, `:name`.
fn with_path_variables(whole: String, url: &Value) -> String {
    let given: Vec<(&str, &str)> =
        pairs(url.get("variable")).filter(|(_, value)| !value.is_empty()).collect();
    if given.is_empty() {
        return whole;
    }
    let path = whole.find(['?', '#']).unwrap_or(whole.len());
    let (path, rest) = whole.split_at_checked(path).unwrap_or((&whole, ""));
    let filled = path.split('/').map(|segment| {
        let name = segment.strip_prefix(':');
        given.iter().find(|(key, _)| name == Some(key)).map_or(segment, |(_, value)| value)
    });
    format!("{}{rest}", filled.collect::<Vec<_>>().join("/"))
}

/// Keys and values that are not switched off.
fn pairs(list: Option<&Value>) -> impl Iterator<Item = (&str, &str)> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(|pair| {
        let is_off = pair.get("disabled").and_then(Value::as_bool).unwrap_or(false);
        let text = |name: &str| pair.get(name).and_then(Value::as_str);
        Some((text("key")?, text("value").unwrap_or_default())).filter(|_| !is_off)
    })
}

/// The body, where it can be told: files are not there, and the boundary of a multipart body is nobody's.
fn put_body(body: &Value, variables: &Variables, parts: &mut Parts) {
    match body.get("mode").and_then(Value::as_str) {
        Some("raw") => {
            parts.body =
                body.get("raw").and_then(Value::as_str).map(|text| variables.fill(text).into_bytes());
            let is_json = body.pointer("/options/raw/language").and_then(Value::as_str) == Some("json");
            if is_json && parts.body.is_some() {
                parts.add_missing("content-type", "application/json");
            }
        }
        Some("urlencoded") => {
            let mut form = Vec::new();
            for (key, value) in pairs(body.get("urlencoded")) {
                url::add_to_form(&variables.fill(key), Some(&variables.fill(value)), &mut form);
            }
            parts.body = Some(form);
            parts.add_missing("content-type", "application/x-www-form-urlencoded");
        }
        Some("graphql") => {
            parts.body = body.get("graphql").and_then(|graphql| serde_json::to_vec(graphql).ok());
            parts.add_missing("content-type", "application/json");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    const COLLECTION: &str = r##"{"info":{"name":"x","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
        "variable":[{"key":"base","value":"https://ex.com"}],
        "item":[{"name":"folder","item":[{"name":"one","request":{"method":"POST","header":[{"key":"X-A","value":"1"},{"key":"X-B","value":"2","disabled":true}],
          "url":{"raw":"{{base}}/a?b=1#c"},"body":{"mode":"urlencoded","urlencoded":[{"key":"q","value":"a b&c"}]}}}]},
          {"name":"two","request":"{{base}}/b"},{"name":"three","request":{"method":"","url":"/"}},{"name":"four"}]}"##;

    #[test]
    fn requests_of_all_folders() {
        assert!(is_one(COLLECTION.as_bytes()) && !is_one(b"{\"info\":1}"));
        let mut found = parse(COLLECTION.as_bytes()).unwrap().into_iter().map(|(_, result)| result);
        let first = found.next().unwrap().unwrap();
        assert_eq!(first.id.as_deref(), Some("one"));
        let Request::Parts(parts) = first.request else { panic!("bytes") };
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"POST"[..], &b"/a?b=1"[..]));
        assert_eq!((parts.authority.as_deref(), parts.headers.len()), (Some(&b"ex.com"[..]), 2));
        assert_eq!(parts.body.as_deref(), Some(&b"q=a+b%26c"[..]));
        assert!(found.next().unwrap().is_ok());
        assert_eq!(found.next().unwrap().unwrap_err(), "a request without a method");
        assert_eq!(found.next().unwrap().unwrap_err(), "an item without a request");
    }

    #[test]
    fn urls_by_their_parts_and_variables_of_paths() {
        for url in [
            r#"{"raw":"https://ex.com:8443/a/:id?x=:id","variable":[{"key":"id","value":"7"}]}"#,
            r#"{"protocol":"https","host":["ex","com"],"port":"8443","path":["a","7"],"query":[{"key":"x","value":":id"},{"key":"y","value":"1","disabled":true}]}"#,
        ] {
            let text = format!(r#"{{"item":[{{"request":{{"method":"GET","url":{url}}}}}]}}"#);
            let found = parse(text.as_bytes()).unwrap().remove(0).1.unwrap();
            let Request::Parts(parts) = found.request else { panic!("bytes") };
            assert_eq!(
                (&parts.target[..], parts.authority.as_deref()),
                (&b"/a/7?x=:id"[..], Some(&b"ex.com:8443"[..]))
            );
        }
    }

    #[test]
    fn what_is_no_collection() {
        assert!(parse(b"{}").is_err() && parse(&COLLECTION.as_bytes()[..300]).is_err());
    }
}
