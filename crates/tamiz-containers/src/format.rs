//! The formats, by name.

use std::fmt;
use std::str::FromStr;

/// A kind of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// One request, as its bytes.
    Http,
    /// Requests one after another with blank lines between them, as in the CSIC 2010 files.
    Concatenated,
    /// Requests with a NUL between them.
    Nul,
    /// A JSON object a line: `raw_b64`, `raw`, or the parts of a request.
    Jsonl,
    /// An HTTP archive, as browsers export it.
    Har,
    /// A Burp export, XML.
    Burp,
    /// A packet capture: pcap or pcapng.
    Pcap,
    /// An access log, whatever its form: each line is looked at by itself.
    AccessLog,
    /// A ModSecurity audit log in its serial form.
    ModSecurity,
    /// A log of the W3C's extended form: its `#Fields` line says which columns it has.
    W3c,
    /// Zeek's `http.log`, with tabs between values.
    Zeek,
    /// A URL a line.
    Urls,
    /// Objects of JSON in an array, or over several lines.
    Json,
    /// Comma-separated values; the first record names the columns.
    Csv,
    /// A collection of Postman.
    Postman,
    /// A file of a REST client: requests with `###` between them.
    HttpFile,
    /// Commands of curl.
    Curl,
    /// A description of an interface, OpenAPI or Swagger, as JSON or YAML.
    OpenApi,
    /// A web archive: the requests in it.
    Warc,
    /// Flows that mitmproxy saves.
    Mitmproxy,
    /// Messages that ZAP exports as text.
    Zap,
    /// An archive of containers, ZIP or tar; Fiddler's sessions are such.
    Archive,
    /// A Parquet file with a column of requests, or of their parts; read with the feature `parquet`.
    Parquet,
}

impl Format {
    /// All of them.
    pub const ALL: &[Format] = &[
        Format::Http,
        Format::Concatenated,
        Format::Nul,
        Format::Jsonl,
        Format::Har,
        Format::Burp,
        Format::Pcap,
        Format::AccessLog,
        Format::ModSecurity,
        Format::W3c,
        Format::Zeek,
        Format::Urls,
        Format::Json,
        Format::Csv,
        Format::Postman,
        Format::HttpFile,
        Format::Curl,
        Format::OpenApi,
        Format::Warc,
        Format::Mitmproxy,
        Format::Zap,
        Format::Archive,
        Format::Parquet,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Http => "http",
            Format::Concatenated => "concatenated",
            Format::Nul => "nul",
            Format::Jsonl => "jsonl",
            Format::Har => "har",
            Format::Burp => "burp",
            Format::Pcap => "pcap",
            Format::AccessLog => "access-log",
            Format::ModSecurity => "modsecurity",
            Format::W3c => "w3c",
            Format::Zeek => "zeek",
            Format::Urls => "urls",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::Postman => "postman",
            Format::HttpFile => "http-file",
            Format::Curl => "curl",
            Format::OpenApi => "openapi",
            Format::Warc => "warc",
            Format::Mitmproxy => "mitmproxy",
            Format::Zap => "zap",
            Format::Archive => "archive",
            Format::Parquet => "parquet",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such format")
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        Format::ALL.iter().find(|format| format.as_str() == word).copied().ok_or(UnknownFormat)
    }
}
