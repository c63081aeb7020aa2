//! Samples of collections, exports, archives and compressions.

use std::io::{Cursor, Write};

use tamiz_containers::Format;

use crate::{GET, Sample, sample};

/// Collections that people write and that tools save.
pub(crate) fn written_and_saved() -> Vec<Sample> {
    let audit = "--4a1b2c3d-A--\n[10/Oct/2026:13:55:36 +0000] x 192.0.2.1 1 192.0.2.2 80\n--4a1b2c3d-B--\nGET /a?b=1 HTTP/1.1\nHost: ex.com\n\n--4a1b2c3d-Z--\n\n";
    let postman = r#"{"info":{"name":"x","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},"item":[{"name":"one","request":{"method":"GET","url":{"raw":"https://ex.com/a?b=1"}}}]}"#;
    let openapi = r#"{"openapi":"3.0.0","info":{"title":"x"},"servers":[{"url":"https://ex.com"}],"paths":{"/a":{"get":{"parameters":[{"name":"b","in":"query","example":1}]}}}}"#;
    let yaml = "openapi: 3.0.0\ninfo:\n  title: x\nservers:\n- url: https://ex.com\npaths:\n  /a:\n    get:\n      parameters:\n      - {name: b, in: query, example: 1}\n";
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-10-10T13:55:36Z\r\nContent-Length: {}\r\n\r\n{GET}\r\n\r\n",
        GET.len()
    );
    let har = r#"{"log":{"version":"1.2","creator":{"name":"x"},"entries":[{"startedDateTime":"2026-10-10T13:55:36Z","request":{"method":"GET","url":"https://ex.com/a?b=1","httpVersion":"HTTP/1.1","headers":[]}}]}}"#;
    let burp = |base64: &str, request: &str| {
        format!(
            "<?xml version=\"1.0\"?><items burpVersion=\"2\"><item><request base64=\"{base64}\">{request}</request></item></items>"
        )
    };
    let encoded = data_encoding::BASE64.encode(GET.as_bytes());
    let zap = format!("==== 1 ==========\n{GET}HTTP/1.1 200 OK\r\n\r\n");
    vec![
        sample("ModSecurity", Format::ModSecurity, audit, "--4a1b2c3d-A--\n[x]\n--4a1b2c3d-Z--\n"),
        sample(
            "ModSecurity 3",
            Format::ModSecurity,
            &audit.replace("--4a1b2c3d-", "---ICmPEb5c---"),
            "---ICmPEb5c---A--\n[x]\n---ICmPEb5c---Z--\n",
        ),
        sample("Postman", Format::Postman, postman, &postman.replace("\"GET\"", "\"\"")),
        sample(
            "REST client",
            Format::HttpFile,
            "@host = https://ex.com\n\n### one\nGET {{host}}/a\n    ?b=1\n",
            "@host = https://ex.com\n\n### one\nPOST {{host}}/a\n\n< ./file\n",
        ),
        sample(
            "curl",
            Format::Curl,
            "curl 'https://ex.com/a?b=1' -H 'X-A: 1'\n",
            "curl 'https://ex.com/a?b=1' -F a=b\n",
        ),
        sample("URLs", Format::Urls, "https://ex.com/a?b=1\n", "https://ex.com/a?b=1\nnonsense\n"),
        sample("OpenAPI, JSON", Format::OpenApi, openapi, &openapi.replace("}}}}", "}}}")),
        sample("OpenAPI, YAML", Format::OpenApi, yaml, &yaml.replace("paths:", "paths: [")),
        sample("WARC", Format::Warc, &warc, &warc[..warc.len() - 20]),
        sample("mitmproxy", Format::Mitmproxy, &flow(), &flow()[..flow().len() - 9]),
        sample("ZAP", Format::Zap, &zap, "==== 1 ==========\nnonsense\r\n"),
        sample("HAR", Format::Har, har, &har[..har.len() - 30]),
        sample("Burp", Format::Burp, &burp("true", &encoded), &burp("true", "?")),
        sample(
            "JSON lines",
            Format::Jsonl,
            "{\"method\":\"GET\",\"url\":\"https://ex.com/a?b=1\"}\n",
            "{\"method\":\"\",\"url\":\"/\"}\n",
        ),
        sample(
            "JSON array",
            Format::Json,
            "[{\"method\":\"GET\",\"url\":\"/a?b=1\"}]",
            "[{\"method\":\"GET\",\"url\":\"/a?b=1\"}",
        ),
        sample(
            "JSON over lines",
            Format::Json,
            "{\n  \"method\": \"GET\",\n  \"url\": \"/a?b=1\"\n}\n",
            "{\n  \"method\": \"GET\",\n  \"url\": \"/a?b=1\"\n}\n{\n  \"method\": \"\",\n",
        ),
        sample(
            "Elasticsearch",
            Format::Json,
            "{\"took\":1,\"hits\":{\"total\":{\"value\":1},\"hits\":[{\"_source\":{\"http\":{\"request\":{\"method\":\"GET\"}},\"url\":{\"path\":\"/a\",\"query\":\"b=1\"}}}]}}",
            "{\"took\":1,\"hits\":{\"total\":{\"value\":1},\"hits\":[{\"_source\":{}}]}}",
        ),
        sample(
            "curl, for Windows",
            Format::Curl,
            "curl ^\"https://ex.com/a?b=1^\" ^\n  -H ^\"X-A: 1^\"\n",
            "curl ^\"https://ex.com/a?b=1^\" ^\n  -T file\n",
        ),
        sample(
            "CSV, capitals",
            Format::Csv,
            "Method;URL;Cookie\nGET;/a?b=1;x=y\n",
            "Method;URL;Cookie\nGET\n",
        ),
        sample("CSV, parts", Format::Csv, "method,url\nGET,/a?b=1\n", "method,url\n,/a?b=1\n"),
        sample("CSV, bytes", Format::Csv, &format!("id,raw_b64\n1,{encoded}\n"), "id,raw_b64\n1,?\n"),
    ]
}

fn flow() -> String {
    let string = |kind: char, value: &str| format!("{}:{value}{kind}", value.len());
    let dictionary = |pairs: &[(&str, String)]| {
        string('}', &pairs.iter().map(|(key, value)| string(';', key) + value).collect::<String>())
    };
    let header = string(']', &[string(',', "Host"), string(',', "ex.com")].concat());
    let request = dictionary(&[
        ("http_version", string(',', "HTTP/1.1")),
        ("headers", string(']', &header)),
        ("content", string(',', "")),
        ("timestamp_start", string('^', "1791640536.5")),
        ("method", string(',', "GET")),
        ("scheme", string(',', "https")),
        ("authority", string(',', "")),
        ("path", string(',', "/a?b=1")),
    ]);
    dictionary(&[("version", string('#', "21")), ("type", string(';', "http")), ("request", request)])
}

fn zip(name: &str) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(GET.as_bytes()).unwrap();
    writer.finish().unwrap().into_inner()
}

fn tar() -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..6].copy_from_slice(b"a.http");
    header[124..135].copy_from_slice(format!("{:011o}", GET.len()).as_bytes());
    header[148..156].fill(b' ');
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header.extend_from_slice(GET.as_bytes());
    header.resize(1024 + 1024, 0);
    header
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// Archives and compressions; the bad ones are cut.
pub(crate) fn archives() -> Vec<Sample> {
    let cut = |name, format, good: Vec<u8>| {
        let bad = good.get(..good.len() * 2 / 3).unwrap_or_default().to_vec();
        Sample { name, format, good, bad }
    };
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    bzip2.write_all(GET.as_bytes()).unwrap();
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    xz.write_all(GET.as_bytes()).unwrap();
    let tar = tar();
    vec![
        cut("gzip", Format::Http, gzip(GET.as_bytes())),
        cut("bzip2", Format::Http, bzip2.finish().unwrap()),
        cut("xz", Format::Http, xz.finish().unwrap()),
        cut("ZIP", Format::Archive, zip("a.http")),
        cut("SAZ", Format::Archive, zip("raw/1_c.txt")),
        Sample { name: "tar", format: Format::Archive, bad: tar[..520].to_vec(), good: tar },
    ]
}
