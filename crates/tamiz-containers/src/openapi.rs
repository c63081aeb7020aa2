//! Descriptions of interfaces, OpenAPI 3 and Swagger 2 as JSON or YAML: a request for each operation, with the examples and defaults
//! that the description gives. What it gives none for stays as it is named, `{id}`.

use serde_json::{Map, Value};
use tamiz::Source;

use crate::id::Id;
use crate::record::{At, Found, Parts, Reason};
use crate::url;
use crate::whole::Records;
use crate::yaml;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Returns whether an object is a description.
pub(crate) fn is_one(text: &[u8]) -> bool {
    if !text.starts_with(b"{") {
        return is_yaml(text);
    }
    let has = |needle: &[u8]| memchr::memmem::find(text, needle).is_some();
    (has(b"\"openapi\"") || has(b"\"swagger\"")) && (has(b"\"info\"") || has(b"\"paths\""))
}

/// Returns whether lines of the text, without indentation, are the keys of a description in YAML.
fn is_yaml(text: &[u8]) -> bool {
    let has = |name: &[u8]| {
        text.split(|byte| *byte == b'\n').any(|line| {
            let line = line.strip_prefix(b"\"").or_else(|| line.strip_prefix(b"'")).unwrap_or(line);
            let rest = line.strip_prefix(name);
            let rest =
                rest.map(|rest| rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest));
            rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"))
        })
    };
    (has(b"openapi") || has(b"swagger")) && (has(b"info") || has(b"paths"))
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Records, Reason> {
    let description: Value = if bytes.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice(bytes).map_err(|error| crate::jsonl::not_json(&error))?
    } else {
        yaml::parse(std::str::from_utf8(bytes).map_err(|_| "YAML that is not UTF-8")?)?
    };
    let paths = description.get("paths").and_then(Value::as_object).ok_or("a description without paths")?;
    let server = server(&description);
    let mut found = Vec::new();
    for (path, operations) in paths {
        let Some(operations) = operations.as_object() else {
            found.push((At::Whole, Err("a path without operations".into())));
            continue;
        };
        for method in METHODS {
            if let Some(operation) = operations.get(method) {
                found.push((
                    At::Whole,
                    Ok(request(&description, &server, path, operations, method, operation)),
                ));
            }
        }
    }
    Ok(found)
}

/// Where requests go to.
fn server(description: &Value) -> String {
    if let Some(server) = description.pointer("/servers/0") {
        let mut whole = server.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        for (name, variable) in server.get("variables").and_then(Value::as_object).into_iter().flatten() {
            if let Some(value) = variable.get("default").and_then(Value::as_str) {
                whole = whole.replace(&format!("{{{name}}}"), value);
            }
        }
        return whole.trim_end_matches('/').to_owned();
    }
    let text = |name: &str| description.get(name).and_then(Value::as_str);
    let base = text("basePath").unwrap_or_default().trim_end_matches('/');
    let scheme = description.pointer("/schemes/0").and_then(Value::as_str).unwrap_or("https");
    text("host").map_or_else(|| base.to_owned(), |host| format!("{scheme}://{host}{base}"))
}

fn request(
    description: &Value,
    server: &str,
    path: &str,
    operations: &Map<String, Value>,
    method: &str,
    operation: &Value,
) -> Found {
    let mut whole = format!("{server}{path}");
    let mut parts = Parts { method: method.to_ascii_uppercase().into_bytes(), ..Parts::default() };
    let (mut query, mut form) = (Vec::new(), Vec::new());
    let lists = [operations.get("parameters"), operation.get("parameters")];
    for parameter in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let parameter = resolved(description, parameter);
        let text = |name: &str| parameter.get(name).and_then(Value::as_str);
        let (Some(name), Some(place)) = (text("name"), text("in")) else { continue };
        let value = example(description, parameter).map(|value| plain(&value));
        match (place, value) {
            ("path", Some(value)) => whole = whole.replace(&format!("{{{name}}}"), &value),
            ("query", value) => url::add_to_form(name, Some(&value.unwrap_or_default()), &mut query),
            ("header", Some(value)) => parts.headers.push((name.into(), value.into())),
            ("cookie", Some(value)) => add_cookie(name, &value, &mut parts),
            ("formData", value) => url::add_to_form(name, Some(&value.unwrap_or_default()), &mut form),
            ("body", Some(value)) => {
                parts.body = Some(value.into_bytes());
                let consumed =
                    operation.pointer("/consumes/0").or_else(|| description.pointer("/consumes/0"));
                if let Some(kind) = consumed.and_then(Value::as_str) {
                    parts.add_missing("content-type", kind);
                }
            }
            _ => {}
        }
    }
    url::put(whole.as_bytes(), &mut parts);
    if !query.is_empty() {
        parts.target.push(b'?');
        parts.target.extend_from_slice(&query);
    }
    if !form.is_empty() {
        parts.body = Some(form);
        parts.add_missing("content-type", "application/x-www-form-urlencoded");
    }
    let body = operation.get("requestBody").map(|body| resolved(description, body));
    let content = body.and_then(|body| body.get("content")).and_then(Value::as_object);
    if let Some((kind, media)) = content.and_then(|content| content.iter().next())
        && let Some(value) = example(description, media)
    {
        parts.body = Some(body_of(kind, &value));
        parts.add_missing("content-type", kind.as_str());
    }
    let mut found = Found::parts(parts, Source::JsonLines);
    found.id = operation.get("operationId").and_then(Value::as_str).map(Id::from);
    found
}

/// Follows a reference within the description.
fn resolved<'a>(description: &'a Value, value: &'a Value) -> &'a Value {
    let reference =
        value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| description.pointer(pointer)).unwrap_or(value)
}

/// Adds a cookie to those that are there.
fn add_cookie(name: &str, value: &str, parts: &mut Parts) {
    let pair = format!("{name}={value}").into_bytes();
    match parts.headers.iter_mut().find(|(there, _)| there == b"cookie") {
        Some((_, cookies)) => {
            cookies.extend_from_slice(b"; ");
            cookies.extend_from_slice(&pair);
        }
        None => parts.headers.push((b"cookie".to_vec(), pair)),
    }
}

/// An example as a body of a kind has it: a form of an object, or JSON.
fn body_of(kind: &str, value: &Value) -> Vec<u8> {
    match value {
        Value::Object(members) if kind.starts_with("application/x-www-form-urlencoded") => {
            let mut form = Vec::new();
            members.iter().for_each(|(name, value)| url::add_to_form(name, Some(&plain(value)), &mut form));
            form
        }
        _ => plain(value).into_bytes(),
    }
}

/// The most schemas in one another whose examples are put together.
const DEEPEST: usize = 8;
/// The most schemas that are looked at for one example.
const MOST_SCHEMAS: usize = 1 << 10;

/// An example of what a schema describes: its own, its default, or what its members have.
fn of_schema(description: &Value, schema: &Value, depth: usize, left: &mut usize) -> Option<Value> {
    *left = left.checked_sub(1).filter(|_| depth < DEEPEST)?;
    let schema = resolved(description, schema);
    let own = ["/example", "/examples/0", "/default", "/const", "/enum/0"];
    if let Some(own) = own.iter().find_map(|pointer| schema.pointer(pointer)) {
        return Some(own.clone());
    }
    let next = depth.saturating_add(1);
    let mut members = Map::new();
    for schema in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        if let Some(Value::Object(inner)) = of_schema(description, schema, next, left) {
            members.extend(inner);
        }
    }
    for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(value) = of_schema(description, schema, next, left) {
            members.insert(name.clone(), value);
        }
    }
    if !members.is_empty() {
        return Some(Value::Object(members));
    }
    if let Some(one) = schema.pointer("/oneOf/0").or_else(|| schema.pointer("/anyOf/0")) {
        return of_schema(description, one, next, left);
    }
    let item = of_schema(description, schema.get("items")?, next, left)?;
    Some(Value::Array(vec![item]))
}

/// An example of a parameter or a body, or its default.
fn example(description: &Value, value: &Value) -> Option<Value> {
    let named =
        value.get("examples").and_then(Value::as_object).and_then(|examples| examples.values().next());
    value
        .get("example")
        .or_else(|| resolved(description, named?).get("value"))
        .or_else(|| value.get("x-example"))
        .or_else(|| value.get("default"))
        .cloned()
        .or_else(|| of_schema(description, value.get("schema")?, 0, &mut MOST_SCHEMAS.clone()))
}

/// A value as it is sent: text as it is, all else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    fn parts_of(all: &Records) -> Vec<&crate::record::Parts> {
        all.iter()
            .map(|(_, found)| match &found.as_ref().unwrap().request {
                Request::Parts(parts) => parts,
                Request::Raw(_) => panic!("bytes"),
            })
            .collect()
    }

    const DESCRIPTION: &str = r##"{"openapi":"3.0.0","info":{"title":"x"},"servers":[{"url":"https://{h}/v1/","variables":{"h":{"default":"ex.com"}}}],
        "paths":{"/a/{id}/{other}":{"parameters":[{"name":"id","in":"path","schema":{"type":"integer","example":7}}],
          "get":{"operationId":"one","parameters":[{"name":"q","in":"query","example":"a b"},{"$ref":"#/components/parameters/H"}]},
          "post":{"requestBody":{"content":{"application/json":{"examples":{"x":{"value":{"k":1}}}}}}}},"/bad":7},
        "components":{"parameters":{"H":{"name":"X-H","in":"header","schema":{"default":"1"}}}}}"##;

    #[test]
    fn operations_become_requests() {
        assert!(is_one(DESCRIPTION.as_bytes()) && !is_one(b"{}"));
        let all: Vec<_> =
            parse(DESCRIPTION.as_bytes()).unwrap().into_iter().map(|(_, result)| result).collect();
        let [Ok(get), Ok(post), Err(_)] = &all[..] else { panic!("{all:?}") };
        let (Request::Parts(one), Request::Parts(two)) = (&get.request, &post.request) else {
            panic!("bytes")
        };
        assert_eq!((&one.method[..], &one.target[..]), (&b"GET"[..], &b"/v1/a/7/{other}?q=a+b"[..]));
        assert_eq!((one.authority.as_deref(), one.headers.len()), (Some(&b"ex.com"[..]), 1));
        assert_eq!((two.body.as_deref(), get.id.as_deref()), (Some(&br#"{"k":1}"#[..]), Some("one")));
    }

    #[test]
    fn bodies_of_members_with_examples() {
        let text = r##"{"openapi":"3.0.0","info":{},"paths":{"/a":{
            "post":{"parameters":[{"name":"c","in":"cookie","example":1},{"name":"d","in":"cookie","example":2}],
              "requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/U"}}}}},
            "put":{"requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"properties":{"n":{"example":"x y"}}}}}}}}},
          "components":{"schemas":{"U":{"allOf":[{"properties":{"id":{"example":7}}}],
            "properties":{"tags":{"items":{"enum":["t"]}},"self":{"$ref":"#/components/schemas/U"},"none":{"type":"string"}}}}}}"##;
        let all = parse(text.as_bytes()).unwrap();
        let parts = parts_of(&all);
        assert_eq!(parts[0].body.as_deref(), Some(&b"n=x+y"[..]));
        assert!(parts[1].body.as_ref().unwrap().starts_with(br#"{"id":7,"self":{"id":7,"#));
        assert_eq!(parts[1].headers[0], (b"cookie".to_vec(), b"c=1; d=2".to_vec()));
    }

    #[test]
    fn yaml_gives_what_json_gives() {
        let yaml = "openapi: 3.0.0\ninfo: {title: x}\nservers:\n- url: https://ex.com/v1\npaths:\n  /a/{id}:\n    get:\n      \
                    operationId: one\n      parameters:\n      - {name: id, in: path, example: 7}\n      - name: q\n        in: query\n        \
                    schema: {default: a b}\n  /b:\n    post:\n      requestBody:\n        content:\n          application/json:\n            \
                    example:\n              k: 1\n";
        assert!(is_one(yaml.as_bytes()) && is_one(b"'swagger': '2.0'\n\"paths\" : {}\n"));
        assert!(!is_one(b"openapi: 3\n") && !is_one(b"  openapi: 3\n  info: x\n"));
        let all = parse(yaml.as_bytes()).unwrap();
        let parts = parts_of(&all);
        assert_eq!((&parts[0].target[..], parts.len()), (&b"/v1/a/7?q=a+b"[..], 2));
        assert_eq!(parts[1].body.as_deref(), Some(&br#"{"k":1}"#[..]));
        for bad in [&b"openapi: 3\ninfo: [\n"[..], b"openapi: 3\ninfo: x\n", b"openapi: \xFF\npaths:\n"] {
            assert!(parse(bad).is_err());
        }
    }

    #[test]
    fn what_is_no_description() {
        assert!(parse(b"{}").is_err() && parse(&DESCRIPTION.as_bytes()[..100]).is_err());
        let old = r#"{"swagger":"2.0","host":"ex.com","basePath":"/v2","schemes":["http"],"paths":{"/a":{"post":{"parameters":[{"name":"f","in":"formData","default":"1"}]}}}}"#;
        let all = parse(old.as_bytes()).unwrap();
        let Request::Parts(parts) = &all[0].1.as_ref().unwrap().request else { panic!("bytes") };
        assert_eq!((&parts.target[..], parts.body.as_deref()), (&b"/v2/a"[..], Some(&b"f=1"[..])));
    }
}
