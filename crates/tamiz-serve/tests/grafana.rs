//! The dashboard in `deploy/grafana`: its queries name metrics and labels that `/metrics` has.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::Service;
use serde_json::Value;
use tamiz::{Canonicalizer, Config};
use tamiz_detector::Model;

/// Labels of metrics by their names, and their values, as `/metrics` has them.
type Metrics = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

fn metrics(text: &str) -> Metrics {
    let mut metrics = Metrics::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (series, _) = line.rsplit_once(' ').unwrap();
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        let there = metrics.entry(name.to_owned()).or_default();
        for label in labels.strip_suffix('}').unwrap().split("\",").filter(|label| !label.is_empty()) {
            let (label, value) = label.split_once("=\"").unwrap();
            there.entry(label.to_owned()).or_default().insert(value.trim_end_matches('"').to_owned());
        }
    }
    metrics
}

/// A service of which every counter has been counted.
fn counted(name: &str) -> Metrics {
    let tamiz = Canonicalizer::new(Config::default());
    let mut model = Model::new(tamiz.fingerprint()).unwrap();
    for n in 0..300 {
        let request = format!("GET /item?id={n} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
        model.learn(&tamiz.canonicalize(request.as_bytes())).unwrap();
    }
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("grafana-{name}.model"));
    std::fs::write(&path, model.to_bytes()).unwrap();
    let service = Service::start(|settings| {
        settings.model = Some(path);
        settings.deny = "KW:sql".parse().unwrap();
    });
    for target in ["/a", "/?q=union%20select%201"] {
        let answer = service.ask("GET", "/check", &[("x-original-uri", target)], b"");
        assert!(answer.header("x-tamiz-score").is_some(), "{answer:?}");
    }
    service.get("/no-such-thing").fails(404, "not-found");
    metrics(&service.get("/metrics").text())
}

/// A metric of a query, and what stands in braces behind it.
type Selected = (String, Vec<(String, String)>);

/// The metrics of a query, and the labels that it groups by.
fn named(query: &str) -> (Vec<Selected>, Vec<String>) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = Vec::new();
    for (at, _) in query.match_indices("tamiz_") {
        let rest = &query[at..];
        let name = rest.split(|c| !is_name(c)).next().unwrap();
        let matchers =
            rest[name.len()..].strip_prefix('{').map_or("", |rest| rest.split('}').next().unwrap());
        let matcher = |text: &str| {
            let (label, value) = text.split_once('=').unwrap_or_else(|| panic!("{query}: {text}"));
            (label.trim().to_owned(), value.trim_start_matches('~').trim_matches('"').to_owned())
        };
        let matchers = matchers.split(", ").filter(|text| !text.is_empty()).map(matcher);
        names.push((name.to_owned(), matchers.collect()));
    }
    let groups = query.match_indices("by (").flat_map(|(at, start)| {
        query[at + start.len()..]
            .split(')')
            .next()
            .unwrap()
            .split(", ")
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    (names, groups.collect())
}

/// Those that Prometheus adds.
const ADDED: [&str; 2] = ["instance", "job"];

fn dashboard() -> Value {
    let path = common::root().join("deploy/grafana/tamiz.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_metric_and_label_of_the_dashboard_exists() {
    let there = counted("panels");
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut used = BTreeSet::new();
    for target in panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap()) {
        let query = target["expr"].as_str().unwrap();
        let (names, groups) = named(query);
        assert!(!names.is_empty(), "{query}");
        for (name, matchers) in &names {
            let labels = there.get(name).unwrap_or_else(|| panic!("no metric {name}: {query}"));
            for (label, value) in matchers {
                if ADDED.contains(&label.as_str()) || value.starts_with('$') {
                    assert!(ADDED.contains(&label.as_str()) || labels.contains_key(label), "{name}: {label}");
                    continue;
                }
                let values =
                    labels.get(label).unwrap_or_else(|| panic!("no label {label} of {name}: {query}"));
                let pattern = value.replace("[45]..", "404");
                assert!(values.contains(&pattern), "no {label} {value} of {name}: {values:?}");
            }
            used.insert(name.trim_end_matches("_bucket").to_owned());
        }
        let shown = target["legendFormat"].as_str().unwrap().split("{{").skip(1);
        let shown = shown.map(|rest| rest.split("}}").next().unwrap().to_owned());
        for label in groups.iter().cloned().chain(shown) {
            let exists = ADDED.contains(&label.as_str())
                || names.iter().any(|(name, _)| there[name].contains_key(&label));
            assert!(exists && groups.contains(&label), "{label}: {query}");
        }
    }
    // And the dashboard leaves none out.
    let all = there.keys().filter(|name| !name.ends_with("_sum") && !name.ends_with("_count"));
    let all: BTreeSet<String> = all.map(|name| name.trim_end_matches("_bucket").to_owned()).collect();
    assert_eq!(used, all);
}

#[test]
fn the_choices_of_the_dashboard_exist() {
    let there = counted("choices");
    let dashboard = dashboard();
    let lists = dashboard["templating"]["list"].as_array().unwrap();
    let mut names: Vec<&str> = Vec::new();
    for list in lists {
        names.push(list["name"].as_str().unwrap());
        let Some(query) = list["query"].as_str().unwrap().strip_prefix("label_values(") else { continue };
        let (metric, label) = query.strip_suffix(')').unwrap().split_once(", ").unwrap();
        assert!(ADDED.contains(&label) && there.contains_key(metric) || there[metric].contains_key(label));
        for value in list["current"]["value"].as_array().into_iter().flatten() {
            assert!(there[metric][label].contains(value.as_str().unwrap()), "{value}");
        }
    }
    let text = dashboard.to_string();
    for used in text.split('$').skip(1).map(|rest| rest.trim_start_matches('{')) {
        let name: String = used.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        assert!(
            names.contains(&name.as_str()) || ["__rate_interval", "__all"].contains(&name.as_str()),
            "{name}"
        );
    }
}
