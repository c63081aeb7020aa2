//! `spec/schema.json`: the JSON Schema of documents. `spec/schema-lines.json`: that of the JSON lines of `tamiz batch`.
//!
//! `schema.template.json` beside this file is the schema with `"@…"` where words of the registry
//! belong; `schema.lines.json` has the properties that lines have beside those of their document. The tests hold them
//! against what the library writes, in both directions; those of the command do so for lines.

use tamiz::{FORM_VERSION, Family, Flag, Source, Weight};

const TEMPLATE: &str = include_str!("schema.template.json");
const OF_LINES: &str = include_str!("schema.lines.json");

/// The schema.
pub(super) fn render() -> String {
    let mut flags: Vec<&str> = Flag::ALL.iter().map(|flag| flag.name()).collect();
    flags.sort_unstable();
    let has_parameter = |name: &&str| Flag::from_name(name).is_some_and(|flag| flag.parameter().is_some());
    let parametrised = flags.iter().copied().filter(has_parameter).collect();
    let lists: [(&str, Vec<&str>); 5] = [
        ("\"@flags\"", flags),
        ("\"@parametrised\"", parametrised),
        ("\"@sources\"", Source::ALL.iter().map(|source| source.as_str()).collect()),
        ("\"@families\"", Family::ALL.iter().map(|family| family.as_str()).collect()),
        ("\"@weights\"", Weight::ALL.iter().map(|weight| weight.as_str()).collect()),
    ];
    let version = FORM_VERSION.to_string();
    let template = TEMPLATE.replace("\"@version\"", &version).replace("@version", &version);
    let mut schema = String::new();
    for line in template.lines() {
        match lists.iter().find(|(mark, _)| line.contains(mark)) {
            Some((mark, words)) => schema.push_str(&line.replace(mark, &array(words, line))),
            None => schema.push_str(line),
        }
        schema.push('\n');
    }
    schema
}

/// The schema of lines: that of documents, with the properties of lines before the others.
pub(super) fn render_lines() -> String {
    let of_lines = OF_LINES.trim().trim_start_matches('{').trim_end_matches('}').trim();
    let mut schema = render();
    for (before, after) in [
        ("\"title\": \"Tamiz document\"", "\"title\": \"Tamiz document, as a line of `tamiz batch`\"".to_owned()),
        (
            "\"description\": \"One HTTP request",
            "\"description\": \"A line of `tamiz batch --format jsonl`: what the container says about a request, and its document. \
             `id` and `label` are carried through as they are. The document is one HTTP request"
                .to_owned(),
        ),
        ("\"properties\": {\n", format!("\"properties\": {{\n    {of_lines},\n")),
        ("\"required\": [\n", "\"required\": [\n    \"tamiz.source\",\n".to_owned()),
    ] {
        assert!(schema.contains(before), "the template has {before}");
        schema = schema.replacen(before, &after, 1);
    }
    schema
}

/// An array, one word a line, that begins on `line`.
fn array(words: &[&str], line: &str) -> String {
    let indent = &line[..line.len() - line.trim_start().len()];
    let words: Vec<String> = words.iter().map(|word| format!("{indent}  \"{word}\"")).collect();
    format!("[\n{}\n{indent}]", words.join(",\n"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};
    use tamiz::{Canonicalizer, Config, Document, Profile, View};

    use super::*;

    fn schema() -> Value {
        serde_json::from_str(&render()).unwrap()
    }

    fn validator() -> jsonschema::Validator {
        jsonschema::draft202012::meta::validate(&schema()).unwrap();
        jsonschema::draft202012::new(&schema()).unwrap()
    }

    /// Bodies with everything that there can be of them.
    const BODIES: [&str; 3] = [
        "HCNT:0 HLEN:0@0-15\nB:json BLEN:9@0-15\nBQ:5 KEYS:a.b,,a.b,<more:2>\nBK:a.b=<num:1>|<bool:4>\n\
         BK:=<file:9:tar.gz>\nBK:<more:2>\n",
        "H:<more:3>\nHCNT:3 HLEN:9@0-15\nB:form BLEN:9@0-15\nBQ:0 KEYS:\n",
        "HCNT:0 HLEN:0@0-15\nB:xml BLEN:9@0-15 <SECRET:mixed:9>\n",
    ];

    /// Documents of both requests of every flag, and of some more, made in every way there is.
    fn documents() -> Vec<Value> {
        let more: [&[u8]; 6] = [
            b"",
            b"CONNECT ex.com:443 HTTP/1.1\r\nHost: ex.com:443\r\n\r\n",
            b"GET /?a=1&a=2&=&b HTTP/1.1\r\n\r\n",
            b"GET /? HTTP/1.1\r\nHost: ex.com\r\nUser-Agent: a/1\r\nUser-Agent: b/2\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: ex.com\r\nno colon\r\n: x\r\n\r\na=1",
            &[0xFF; 300],
        ];
        let of_flags = Flag::ALL.iter().flat_map(|flag| [flag.raises(), flag.near_miss()]);
        let requests: Vec<&[u8]> = of_flags.chain(more).collect();
        let mut documents = Vec::new();
        for &profile in Profile::ALL {
            for &view in View::ALL {
                let mut config = Config::default();
                config.profile = profile;
                config.view = view;
                let canonicalizer = Canonicalizer::new(config);
                for request in &requests {
                    let document = canonicalizer.canonicalize(request);
                    documents.push(serde_json::to_value(&document).unwrap());
                    let traced = canonicalizer.canonicalize_with_evidence(request);
                    documents.push(serde_json::to_value(&traced).unwrap());
                    if let Ok(parsed) = Document::parse(document.as_str()) {
                        documents.push(serde_json::to_value(&parsed).unwrap());
                    }
                }
            }
        }
        documents.extend(BODIES.map(|body| {
            let text = format!("M:POST [CAPPED]\nP:/ PLEN:1@0-15 PMAX:0@0-15\nFLAGS:[CAPPED]\n{body}");
            serde_json::to_value(Document::parse(&text).unwrap()).unwrap()
        }));
        documents
    }

    #[test]
    fn documents_follow_the_schema() {
        let validator = validator();
        for document in documents() {
            if let Err(error) = validator.validate(&document) {
                panic!("{error} at {}\n{document:#}", error.instance_path());
            }
        }
    }

    #[test]
    fn every_property_is_written_by_some_document() {
        let mut written = BTreeSet::new();
        let mut of_flags = BTreeSet::new();
        for document in documents() {
            written.extend(document.as_object().unwrap().keys().cloned());
            for flag in document["tamiz.flags"].as_array().unwrap() {
                of_flags.extend(flag.as_object().unwrap().keys().cloned());
            }
        }
        let schema = schema();
        for property in schema["properties"].as_object().unwrap().keys() {
            assert!(written.contains(property), "{property}");
        }
        for property in schema["$defs"]["flag"]["properties"].as_object().unwrap().keys() {
            assert!(of_flags.contains(property), "{property}");
        }
    }

    #[test]
    fn every_property_is_described() {
        fn look(value: &Value, inside: &str) {
            let Some(object) = value.as_object() else { return };
            for (name, value) in object {
                if matches!(inside, "properties" | "patternProperties" | "$defs") {
                    assert!(value["description"].is_string(), "{name}");
                }
                if !matches!(name.as_str(), "if" | "then" | "else") {
                    look(value, name);
                }
            }
        }
        look(&schema(), "");
    }

    fn check_refused(validator: &jsonschema::Validator, document: &Value, change: &dyn Fn(&mut Value)) {
        let mut changed = document.clone();
        change(&mut changed);
        assert_ne!(*document, changed);
        assert!(!validator.is_valid(&changed), "{changed:#}");
    }

    #[test]
    fn lines_are_documents_with_a_source() {
        let schema: Value = serde_json::from_str(&render_lines()).unwrap();
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        for mut document in documents() {
            document.as_object_mut().unwrap().remove("tamiz.source");
            assert!(!validator.is_valid(&document), "a line has a source");
            document["tamiz.source"] = json!("wire");
            assert!(validator.is_valid(&document), "{document:#}");
            document["label"] = json!("</script>\u{202E}");
            document["timestamp"] = json!("2026-10-10T13:55:36Z");
            document["tamiz.count"] = json!(2);
            document["input"] = json!("a.pcap");
            document["record"] = json!(1);
            document["packet"] = json!(7);
            document["stream"] = json!(1);
            document["client"] = json!("192.0.2.0/24");
            assert!(validator.is_valid(&document), "{document:#}");
            check_refused(&validator, &document, &|line| line["tamiz.count"] = json!(0));
            check_refused(&validator, &document, &|line| line["timestamp"] = json!("yesterday"));
            document["id"] = json!(7);
            assert!(validator.is_valid(&document), "{document:#}");
            check_refused(&validator, &document, &|line| line["id"] = json!([7]));
        }
        let documents = schema["properties"].as_object().unwrap().len();
        assert_eq!(documents, self::schema()["properties"].as_object().unwrap().len() + 11);
    }

    #[test]
    fn other_things_are_refused() {
        let validator = validator();
        let request = b"GET /a//b HTTP/1.1\r\nHost: ex.com\r\nConnection: close\r\n\r\n";
        let document = Canonicalizer::new(Config::default()).canonicalize_with_evidence(request);
        let document = serde_json::to_value(&document).unwrap();
        assert!(validator.is_valid(&document));
        let refused = |change: &dyn Fn(&mut Value)| check_refused(&validator, &document, change);
        refused(&|document| document["url.host"] = json!("ex.com"));
        refused(&|document| document["http.request.header.host"] = json!("ex.com"));
        refused(&|document| document["tamiz.version"] = json!(FORM_VERSION + 1));
        refused(&|document| document["tamiz.fingerprint"] = json!("v2-xyz"));
        refused(&|document| document["tamiz.path.length"]["bucket"] = json!("many"));
        refused(&|document| document["tamiz.flags"][0]["name"] = json!("NOSUCHFLAG"));
        refused(&|document| document["tamiz.flags"][0]["parameter"] = json!("x"));
        refused(&|document| document["tamiz.flags"][0]["place"] = json!("z"));
        refused(&|document| document["tamiz.flags"][0]["evidence"] = json!([[1]]));
        refused(&|document| drop(document.as_object_mut().unwrap().remove("tamiz.text")));
        refused(&|document| drop(document["tamiz.flags"][1].as_object_mut().unwrap().remove("parameter")));
        refused(&|document| document["network.protocol.version"] = json!("other"));
        refused(&|document| document["tamiz.body.kind"] = json!("json"));
        refused(&|document| document["http.request.body.size"] = json!(1));
    }

    #[test]
    fn other_bodies_are_refused() {
        let validator = validator();
        let text = "M:GET\nP:/ PLEN:1@0-15 PMAX:0@0-15\nHCNT:0 HLEN:0@0-15\nB:form BLEN:9@0-15\nBQ:1 KEYS:a\nBK:a=<num:1>\n";
        let document = serde_json::to_value(Document::parse(text).unwrap()).unwrap();
        assert!(validator.is_valid(&document));
        let refused = |change: &dyn Fn(&mut Value)| check_refused(&validator, &document, change);
        refused(&|document| document["tamiz.body.kind"] = json!("yaml"));
        refused(&|document| document["tamiz.body.shape"] = json!("<num:1>"));
        refused(&|document| document["tamiz.body.values"][0]["shapes"] = json!([]));
        refused(&|document| document["tamiz.body.values"][0]["shapes"] = json!(["clear"]));
        refused(&|document| document["tamiz.body.values"][0]["more"] = json!(1));
        refused(&|document| drop(document.as_object_mut().unwrap().remove("tamiz.body.count")));
        refused(&|document| drop(document.as_object_mut().unwrap().remove("tamiz.body.length")));
        refused(&|document| drop(document.as_object_mut().unwrap().remove("http.request.body.size")));
    }
}
