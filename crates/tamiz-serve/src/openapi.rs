//! `GET /v1/openapi.json`: the table of routes for programs, in OpenAPI 3.1.

use std::sync::LazyLock;

use axum::response::Response;
use bytes::Bytes;
use serde_json::{Map, Value, json};
use tamiz::{Family, Profile, Scheme, View, Weight};

use crate::accept::Format;
use crate::answers::plain;
use crate::edge::check;
use crate::metrics;
use crate::problem::{PROBLEM_JSON, Problem};
use crate::query::Names;
use crate::routes::ROUTES;
use crate::stamp::FINGERPRINT;

/// The schema of documents as JSON.
const DOCUMENT: &str = include_str!("schema.json");

static DESCRIPTION: LazyLock<Bytes> = LazyLock::new(|| description().to_string().into());

/// Answers.
pub(crate) async fn get() -> Response {
    plain(DESCRIPTION.clone(), Format::Json.media_type())
}

fn description() -> Value {
    let mut paths = Map::new();
    for route in &ROUTES {
        if let Some(operation) = route.operation {
            let mut operations = Map::new();
            for &method in route.methods {
                let mut operation = operation();
                if let (Some(Value::String(id)), 2..) =
                    (operation.get_mut("operationId"), route.methods.len())
                {
                    id.push('-');
                    id.push_str(method);
                }
                operations.insert(method.to_owned(), operation);
            }
            paths.insert(route.path.to_owned(), operations.into());
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tamiz",
            "description": "Canonical HTTP requests: a request to the one text that says what it is.",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": { "schemas": schemas(), "headers": { "fingerprint": {
            "description": "The identity of rules, tables and configuration.",
            "required": true,
            "schema": { "type": "string", "pattern": "^v2-[0-9a-f]{16}$" },
        } } },
    })
}

/// The schemas that operations refer to: those of documents, and of what is ours.
fn schemas() -> Map<String, Value> {
    let mut schemas = Map::new();
    // References of a schema by itself begin at its root, and here at that of the description.
    let text = DOCUMENT.replace("#/$defs/", "#/components/schemas/");
    if let Ok(Value::Object(mut document)) = serde_json::from_str(&text) {
        document.retain(|key, _| !["$schema", "$comment"].contains(&key.as_str()));
        if let Some(Value::Object(definitions)) = document.remove("$defs") {
            schemas.extend(definitions);
        }
        schemas.insert("document".to_owned(), Value::Object(document));
    }
    let words = |words: Vec<&str>| json!({ "type": "string", "enum": words });
    let text = || json!({ "type": "string" });
    schemas.extend([
        ("octets".to_owned(), json!({
            "description": "Bytes: text, or Base64 where they are not UTF-8.",
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "b64": {
                        "type": "string",
                        "pattern": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
                    } },
                    "required": ["b64"],
                    "additionalProperties": false,
                },
            ],
        })),
        ("parts".to_owned(), json!({
            "description": "A request that somebody has cut.",
            "type": "object",
            "properties": {
                "method": octets("The method, or `:method`."),
                "target": octets("What stood in the request line, or `:path`."),
                "scheme": octets("`:scheme`, where it is known."),
                "authority": octets("`:authority`, where it is known apart from `Host`."),
                "version": octets("The version, as `HTTP/1.1`."),
                "headers": {
                    "description": "Names and values, in the order they came in.",
                    "type": "array",
                    "items": {
                        "type": "array",
                        "items": { "$ref": "#/components/schemas/octets" },
                        "minItems": 2,
                        "maxItems": 2,
                    },
                },
                "body": octets("The body, where it is known."),
            },
            "required": ["method", "target"],
            "additionalProperties": false,
            "example": {
                "method": "GET", "target": "/a//b?id=7", "headers": [["host", "example.com"]],
            },
        })),
        ("flags".to_owned(), json!({
            "type": "object",
            "properties": { "flags": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "name": text(),
                    "family": words(Family::ALL.iter().map(|word| word.as_str()).collect()),
                    "weight": words(Weight::ALL.iter().map(|word| word.as_str()).collect()),
                    "profile": words(Profile::ALL.iter().map(|word| word.as_str()).collect()),
                    "meaning": text(),
                    "why": text(),
                    "clause": text(),
                    "parameter": { "type": ["string", "null"] },
                    "classes": { "type": "array", "items": {
                        "type": "object",
                        "properties": { "parameter": text(), "meaning": text(), "why": text() },
                        "required": ["parameter", "meaning", "why"],
                        "additionalProperties": false,
                    } },
                    "example": text(),
                    "example_b64": text(),
                },
                "required": [
                    "name", "family", "weight", "profile", "meaning", "why", "clause", "parameter", "classes",
                    "example", "example_b64",
                ],
                "additionalProperties": false,
            } } },
            "required": ["flags"],
            "additionalProperties": false,
        })),
        ("problem".to_owned(), json!({
            "description": "An error (RFC 9457), in fixed words.",
            "type": "object",
            "properties": {
                "type": { "const": "about:blank" },
                "title": text(),
                "status": { "type": "integer" },
                "code": words(Problem::ALL.iter().map(|problem| problem.code()).collect()),
                "detail": text(),
            },
            "required": ["type", "title", "status", "code", "detail"],
            "additionalProperties": false,
        })),
    ]);
    schemas
}

fn octets(description: &str) -> Value {
    json!({ "description": description, "$ref": "#/components/schemas/octets" })
}

/// An operation without parameters and body.
fn operation(id: &str, summary: &str, content: Value, of_its_own: &[Problem]) -> Value {
    let always = [Problem::Malformed, Problem::Method, Problem::HeadTooLarge];
    let mut responses = problems(&[of_its_own, &always].concat());
    responses.insert("200".to_owned(), response("What was asked for.", content));
    json!({ "operationId": id, "summary": summary, "responses": responses })
}

/// Errors by their status.
fn problems(problems: &[Problem]) -> Map<String, Value> {
    let content = json!({ PROBLEM_JSON: { "schema": { "$ref": "#/components/schemas/problem" } } });
    let answers = problems.iter().map(|problem| {
        let title = problem.status().canonical_reason().unwrap_or_default();
        (problem.status().as_str().to_owned(), response(title, content.clone()))
    });
    answers.collect()
}

fn response(description: &str, content: Value) -> Value {
    json!({
        "description": description,
        "headers": { FINGERPRINT: { "$ref": "#/components/headers/fingerprint" } },
        "content": content,
    })
}

/// An operation that takes a body and the query's names.
fn asking(mut operation: Value, parameters: Vec<Value>, is_required: bool, body: Value) -> Value {
    if let Some(operation) = operation.as_object_mut() {
        operation.insert("parameters".to_owned(), parameters.into());
        operation.insert("requestBody".to_owned(), json!({ "required": is_required, "content": body }));
    }
    operation
}

fn parameter(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

/// How a document is made.
fn wishes() -> Vec<Value> {
    let words = |words: Vec<&str>| json!({ "type": "string", "enum": words });
    vec![
        parameter(
            "view",
            "How values are shown.",
            words(View::ALL.iter().map(|word| word.as_str()).collect()),
        ),
        parameter(
            "profile",
            "Which lines and flags are on.",
            words(Profile::ALL.iter().map(|word| word.as_str()).collect()),
        ),
        parameter(
            "scheme",
            "The scheme of targets that name none.",
            words(Scheme::ALL.iter().map(|word| word.as_str()).collect()),
        ),
    ]
}

/// The formats of one document.
fn documents() -> Value {
    let text = json!({ "schema": { "type": "string" } });
    json!({
        Format::Text.media_type(): text,
        Format::Json.media_type(): { "schema": { "$ref": "#/components/schemas/document" } },
        Format::Tokens.media_type(): text,
    })
}

/// The errors about a body.
const OF_BODIES: [Problem; 7] = [
    Problem::Query(Names::Wish),
    Problem::Accept(Format::OF_ONE),
    Problem::Slow,
    Problem::TooLarge,
    Problem::Type,
    Problem::Fault,
    Problem::Overload,
];

pub(crate) fn canonicalize() -> Value {
    let evidence = "Whether flags have the byte ranges that raised them; needs application/json.";
    let mut parameters = wishes();
    parameters.push(parameter("evidence", evidence, json!({ "type": "boolean" })));
    asking(
        operation("canonicalize", "The document of a request, from its bytes.", documents(), &OF_BODIES),
        parameters,
        // No body is a request of no bytes.
        false,
        json!({ "application/octet-stream": { "schema": {
            "type": "string",
            "format": "binary",
            "example": "GET /a//b?id=7 HTTP/1.1\r\nHost: example.com\r\n\r\n",
        } } }),
    )
}

pub(crate) fn parts() -> Value {
    asking(
        operation("parts", "The document of a request that is cut already.", documents(), &OF_BODIES),
        wishes(),
        true,
        json!({ Format::Json.media_type(): { "schema": { "$ref": "#/components/schemas/parts" } } }),
    )
}

pub(crate) fn batch() -> Value {
    let lines = |schema: Value| json!({ Format::JsonLines.media_type(): { "schema": schema } });
    let answers = lines(json!({ "type": "string", "description": "A JSON object a line." }));
    asking(
        operation("batch", "The documents of many requests, line by line.", answers, &OF_BODIES),
        wishes(),
        false,
        // Whatever it is, it is lines: those that hold no request are told so in their place.
        lines(json!({ "description": "A JSON object a line." })),
    )
}

pub(crate) fn score() -> Value {
    let number = |description: &str| json!({ "type": "number", "description": description });
    let reason = json!({
        "type": "object",
        "required": ["token", "bits", "flag", "count", "of", "text"],
        "properties": {
            "token": { "type": "string" },
            "bits": number("How much it weighs."),
            "flag": { "type": "boolean", "description": "Whether it is a flag that attacks raise more often." },
            "count": { "type": "integer", "description": "In how many learned requests it was." },
            "of": { "type": "integer", "description": "In how many of them its place was." },
            "text": { "type": "string", "description": "The same in words." },
        },
    });
    let schema = json!({
        "type": "object",
        "required": ["score", "p_value", "novelty", "flags", "new", "reasons"],
        "properties": {
            "score": number("How unusual the request is."),
            "p_value": {
                "type": ["number", "null"],
                "description": "The share of learned requests that score as high; null where nothing was learned.",
            },
            "novelty": number("What is new or rare, in bits."),
            "flags": number("What the flags weigh, in bits."),
            "new": { "type": "integer", "description": "How many tokens were never seen at the endpoint." },
            "reasons": { "type": "array", "items": reason, "maxItems": 5 },
        },
    });
    let answers = json!({ Format::Json.media_type(): { "schema": schema } });
    asking(
        operation("score", "How unusual a request is, from its bytes, and why.", answers, &OF_BODIES),
        Vec::new(),
        false,
        json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } }),
    )
}

pub(crate) fn check() -> Value {
    let method = "The method of the request that is asked about, where it is not that of the question.";
    checking(
        "check",
        "What a request is that a proxy is about to pass on.",
        vec![header("x-original-uri", "Its target.", true), header("x-original-method", method, false)],
    )
}

pub(crate) fn check_nginx() -> Value {
    let line = header("x-tamiz-request-line", "The request line, `$request`.", true);
    checking("checkNginx", "The same, for `auth_request` of nginx.", vec![line])
}

pub(crate) fn check_caddy() -> Value {
    let uri = header("x-forwarded-uri", "The target of the request that is asked about.", true);
    let method = header("x-forwarded-method", "Its method.", true);
    checking("checkCaddy", "The same, for `forward_auth` of Caddy.", vec![uri, method])
}

pub(crate) fn check_envoy() -> Value {
    let summary =
        "The same, for `ext_authz` of Envoy over HTTP; the path of the request stands behind this one.";
    checking("checkEnvoy", summary, Vec::new())
}

/// An operation whose answer is in the headers. There is no method that it does not take.
fn checking(id: &str, summary: &str, parameters: Vec<Value>) -> Value {
    let text = |description: &str| json!({ "description": description, "schema": { "type": "string" } });
    let answer = |description: &str| {
        json!({
            "description": description,
            "headers": {
                FINGERPRINT: { "$ref": "#/components/headers/fingerprint" },
                check::FLAGS: text("Its flags, with a space between them."),
                check::DIGEST: text("Half of the SHA-256 of its document, in hexadecimal."),
                check::DOCUMENT: text(
                    "The document as Base64, where `x-tamiz-want: document` asks for it and it is not too long.",
                ),
            },
        })
    };
    let mut responses = problems(&[
        Problem::Check,
        Problem::Slow,
        Problem::TooLarge,
        Problem::HeadTooLarge,
        Problem::Fault,
        Problem::Overload,
    ]);
    responses.insert("200".to_owned(), answer("Its flags, and a digest of its document."));
    responses.insert("403".to_owned(), answer("The same, for a flag that is denied."));
    json!({ "operationId": id, "summary": summary, "parameters": parameters, "responses": responses })
}

fn header(name: &str, description: &str, is_required: bool) -> Value {
    let schema = json!({ "type": "string", "minLength": 1 });
    json!({ "name": name, "in": "header", "description": description, "required": is_required, "schema": schema })
}

pub(crate) fn flags() -> Value {
    let content =
        json!({ Format::Json.media_type(): { "schema": { "$ref": "#/components/schemas/flags" } } });
    operation("flags", "Every flag that a document can raise.", content, &[])
}

pub(crate) fn openapi() -> Value {
    let content = json!({ Format::Json.media_type(): { "schema": { "type": "object" } } });
    operation("openapi", "This description.", content, &[])
}

pub(crate) fn healthz() -> Value {
    operation("healthz", "Whether the service runs.", text(Format::Text.media_type()), &[])
}

pub(crate) fn readyz() -> Value {
    operation("readyz", "Whether it takes requests.", text(Format::Text.media_type()), &[Problem::Stopping])
}

pub(crate) fn metrics() -> Value {
    let content_type = metrics::CONTENT_TYPE.split(';').next().unwrap_or_default();
    operation("metrics", "Counters, as OpenMetrics text.", text(content_type), &[])
}

fn text(media_type: &str) -> Value {
    json!({ media_type: { "schema": { "type": "string" } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let description = description();
        let mut left = vec![&description];
        let mut seen = 0;
        while let Some(value) = left.pop() {
            match value {
                Value::Object(map) => {
                    if let Some(Value::String(reference)) = map.get("$ref") {
                        let pointer = reference.strip_prefix('#').unwrap();
                        assert!(description.pointer(pointer).is_some(), "{reference}");
                        seen += 1;
                    }
                    left.extend(map.values());
                }
                Value::Array(list) => left.extend(list),
                _ => {}
            }
        }
        assert!(seen > 20);
    }
}
