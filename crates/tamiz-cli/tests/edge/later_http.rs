//! Requests that come over HTTP/2 and HTTP/3.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::agent::Agent;
use crate::backend;
use crate::common::{self, wait_until};
use crate::proxies::{Kind, Proxy, find};

/// Adds HTTP/2 in clear to a proxy's configuration.
fn with_http2(kind: Kind, text: &str) -> String {
    match kind {
        Kind::Nginx => text.replace("listen 127.0.0.1:8080;", "listen 127.0.0.1:8080 http2;"),
        Kind::Caddy => text.replace("max_header_size 64KB", "max_header_size 64KB\n\t\tprotocols h1 h2c"),
        // They find out by themselves.
        Kind::EnvoyExtAuthz | Kind::EnvoyExtProc | Kind::Haproxy => text.to_owned(),
    }
}

/// Adds HTTP/3 with a self-signed certificate to a proxy's configuration.
fn with_http3(kind: Kind, text: &str, certificate: &Certificate) -> String {
    match kind {
        Kind::Caddy => {
            let tls = format!("tls {} {}", certificate.chain.display(), certificate.key.display());
            text.replace("auto_https off", "auto_https off\n\tdefault_sni 127.0.0.1")
                .replace("http://:8081 {", &format!("https://:8081 {{\n\t{tls}"))
        }
        Kind::EnvoyExtAuthz | Kind::EnvoyExtProc => {
            let (head, rest) = text.split_once("  listeners:\n").unwrap();
            let (listener, rest) = rest.split_once("  clusters:\n").unwrap();
            let quic = listener
                .replace("- name: edge", "- name: edge-quic\n    udp_listener_config: { quic_options: {} }")
                .replace("{ address: 127.0.0.1,", "{ protocol: UDP, address: 127.0.0.1,")
                .replace("    - filters:", &format!("{}      filters:", certificate.of_envoy()))
                .replace("stat_prefix: edge", "stat_prefix: edge-quic\n          codec_type: HTTP3");
            format!("{head}  listeners:\n{listener}{quic}  clusters:\n{rest}")
        }
        Kind::Nginx | Kind::Haproxy => panic!("built without it"),
    }
}

/// A certificate that Caddy has made, with its key.
struct Certificate {
    chain: PathBuf,
    key: PathBuf,
}

impl Certificate {
    /// Waits until Caddy has made it.
    fn of(caddy: &Proxy) -> Certificate {
        let folder = caddy.folder.join("caddy/certificates/local/127.0.0.1");
        let files = Certificate { chain: folder.join("127.0.0.1.crt"), key: folder.join("127.0.0.1.key") };
        wait_until(|| files.chain.is_file() && files.key.is_file(), || caddy.logs());
        files
    }

    /// The beginning of a filter chain.
    fn of_envoy(&self) -> String {
        format!(
            "    - transport_socket:\n        name: envoy.transport_sockets.quic\n        typed_config:\n          \
             \"@type\": type.googleapis.com/envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport\n          \
             downstream_tls_context: {{ common_tls_context: {{ tls_certificates: [{{ \
             certificate_chain: {{ filename: \"{}\" }}, private_key: {{ filename: \"{}\" }} }}] }} }}\n",
            self.chain.display(),
            self.key.display()
        )
    }
}

/// A Caddy that passes requests on over HTTP/3: the client that `curl` is not everywhere. What it listens at besides is
/// there for its certificate.
fn to_http3(edge: Option<SocketAddr>) -> String {
    let on = edge.map(|edge| {
        format!(
            "\treverse_proxy https://{edge} {{\n\t\theader_up Host {{host}}\n\t\ttransport http {{\n\t\t\tversions 3\n\
             \t\t\ttls_insecure_skip_verify\n\t\t\ttls_server_name 127.0.0.1\n\t\t}}\n\t}}\n"
        )
    });
    format!(
        "{{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}}\n\
         http://:8081 {{\n\tbind 127.0.0.1\n{}}}\nhttps://127.0.0.1:8788 {{\n\tbind 127.0.0.1\n\ttls internal\n}}\n",
        on.unwrap_or_default()
    )
}

/// How `curl` asks, and how the proxy is asked then.
struct Way {
    options: &'static [&'static str],
    /// The HTTP version of `curl`.
    version: &'static str,
    /// The scheme of the URL.
    scheme: &'static str,
}

/// Asks until the proxy has found Tamiz. What it then reads is the request, not what HTTP makes of it.
fn ask(curl: &Path, address: SocketAddr, way: &Way, documents: &Path, logs: &dyn Fn() -> String) -> Value {
    let mut number = 0;
    let has_flags = || {
        number += 1;
        let output = Command::new(curl)
            .args(["--silent", "--show-error", "--max-time", "600", "--path-as-is"])
            .args(way.options)
            .args(["--header", "Host: shop.example", "--header", "X-Tamiz-Flags: FORGED"])
            .args(["--write-out", "\nversion=%{http_version}", "--data", "a=1"])
            .arg(format!("http://{address}/n{number}/../b?q=%3Cb%3E"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).to_lowercase();
        assert!(text.contains(&format!("version={}", way.version)), "{text}{output:?}\n{}", logs());
        assert!(!text.contains("forged"), "{text}");
        text.lines().any(|line| line.starts_with("x-tamiz-flags: ") && line.contains("dotdot"))
    };
    wait_until(has_flags, logs);
    let lines = || fs::read_to_string(documents).unwrap();
    wait_until(|| lines().ends_with('\n'), lines);
    let document: Value = serde_json::from_str(lines().lines().last().unwrap()).unwrap();
    let text = document["tamiz.text"].as_str().unwrap_or_else(|| panic!("{document}"));
    let start = format!("M:POST\nU:{}://shop.example/n", way.scheme);
    assert!(text.starts_with(&start) && text.contains("/../b?q=<mixed:3:%3C%3E>\nP:/n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("H:host=")).count(), 1, "{text}");
    document
}

/// Tamiz, and the file that it writes documents to.
fn agent(name: &str) -> (Agent, PathBuf) {
    let documents = common::scratch(name).join("documents.jsonl");
    (Agent::start(&["--sink", &format!("file:{}", documents.display())]), documents)
}

fn asked_over_http2(kind: Kind) {
    let Some(curl) = find("curl") else { return };
    let (agent, documents) = agent(&format!("edge-http2-{kind:?}"));
    let change = |text: &str| with_http2(kind, text);
    let Some(proxy) = Proxy::start_with(kind, "http2", &agent.places, backend::start(), change) else {
        return;
    };
    let way = Way { options: &["--http2-prior-knowledge"], version: "2", scheme: "http" };
    ask(&curl, proxy.address, &way, &documents, &|| proxy.logs());
}

fn asked_over_http3(kind: Kind) {
    let Some(curl) = find("curl") else { return };
    let (agent, documents) = agent(&format!("edge-http3-{kind:?}"));
    let client = |name: &str, edge| {
        Proxy::start_with(
            Kind::Caddy,
            &format!("http3-{name}-{kind:?}"),
            &agent.places,
            backend::start(),
            |_| to_http3(edge),
        )
    };
    let Some(issuer) = client("issuer", None) else { return };
    let certificate = Certificate::of(&issuer);
    let change = |text: &str| with_http3(kind, text, &certificate);
    let Some(proxy) = Proxy::start_with(kind, "http3", &agent.places, backend::start(), change) else {
        return;
    };
    let client = client("client", Some(proxy.address)).unwrap();
    let logs = || format!("{}\n{}", client.logs(), proxy.logs());
    let way = Way { options: &[], version: "1.1", scheme: "https" };
    let document = ask(&curl, client.address, &way, &documents, &logs);
    // Envoy does not say which version it was.
    let version = if kind == Kind::Caddy { "3" } else { "1.1" };
    assert_eq!(document["network.protocol.version"], version, "{document}");
}

each_proxy! {
    is_asked_over_http2 = asked_over_http2;
}

#[test]
fn caddy_over_http3() {
    asked_over_http3(Kind::Caddy);
}

#[test]
fn envoy_ext_authz_over_http3() {
    asked_over_http3(Kind::EnvoyExtAuthz);
}

#[test]
fn envoy_ext_proc_over_http3() {
    asked_over_http3(Kind::EnvoyExtProc);
}
