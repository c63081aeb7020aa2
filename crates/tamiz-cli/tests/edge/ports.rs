//! Checks that the files of `deploy/` agree: where they listen, and which headers they keep from the application.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::proxies::Kind;
use crate::root;

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The addresses that a file has a program listen at.
fn listens(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let line = |line: &str| -> Option<String> {
        let line = line.trim();
        if let Some(address) = line.strip_prefix("listen ").or_else(|| line.strip_prefix("bind 127")) {
            let start = if line.starts_with("bind") { "127" } else { "" };
            let address = format!("{start}{}", address.trim_end_matches(';'));
            // Caddy's has its port elsewhere.
            return address.contains(':').then_some(address);
        }
        if let Some(port) = line.strip_prefix("http://:").and_then(|rest| rest.strip_suffix(" {")) {
            assert!(text.contains(&format!("http://:{port} {{\n\tbind 127.0.0.1\n")), "{port}");
            return Some(format!("127.0.0.1:{port}"));
        }
        let published = line.strip_prefix("ports: [\"")?.strip_suffix("\"]")?;
        published.rsplit_once(':').map(|(host, _)| host.to_owned())
    };
    let envoys = text.split_once("listeners:").and_then(|(_, rest)| rest.split_once("clusters:"));
    let envoys = envoys.map_or("", |(listeners, _)| listeners).split("socket_address: { address: ").skip(1);
    let envoys = envoys.map(|rest| rest.split(" }").next().unwrap().replace(", port_value: ", ":"));
    text.lines().filter_map(line).chain(envoys).collect()
}

#[test]
fn every_file_listens_on_loopback_at_a_port_of_its_own() {
    let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
    // Where `tamiz serve` listens, by itself and as the files ask for it.
    for port in [8787, 8789, 8790] {
        seen.insert(format!("127.0.0.1:{port}"), "tamiz serve".into());
    }
    let before = seen.len();
    for path in files(&root().join("deploy")) {
        // In a container, where it is alone.
        if path.ends_with("compose/application.conf") {
            continue;
        }
        for address in listens(&path) {
            assert!(address.starts_with("127.0.0.1:"), "{}: {address}", path.display());
            let other = seen.insert(address.clone(), path.clone());
            assert!(other.is_none(), "{address}: {} and {other:?}", path.display());
        }
    }
    for kind in Kind::ALL {
        assert!(seen.contains_key(&format!("127.0.0.1:{}", kind.port())), "{kind:?}");
    }
    // Five proxies, Caddy's second place, and two published ports of containers.
    assert_eq!(seen.len() - before, 8, "{seen:?}");
}

/// nginx removes headers one by one: those that the service reads or writes are all named.
#[test]
fn nginx_names_every_header_of_ours() {
    let mut names = Vec::new();
    for path in files(&root().join("crates/tamiz-serve/src")) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for rest in text.split("\"x-tamiz-").skip(1) {
            let name = rest.split('"').next().unwrap();
            names.extend((!name.is_empty()).then(|| format!("x-tamiz-{name}")));
        }
    }
    names.sort_unstable();
    names.dedup();
    assert!(names.len() >= 13, "{names:?}");
    let text = Kind::Nginx.texts().next().unwrap();
    let (server, _) = text.split_once("location / {").unwrap();
    for name in names {
        let is_set =
            |line: &str| line.trim().to_lowercase().starts_with(&format!("proxy_set_header {name} "));
        assert!(server.lines().any(is_set), "{name} may come from a client");
    }
}
