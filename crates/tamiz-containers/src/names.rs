//! The names that programs give the parts of a request in objects of JSON: plain ones, those of OpenTelemetry and of the
//! Elastic Common Schema, and those of servers, proxies, clouds and sensors. Of several, the first that is there counts.

pub(crate) const METHOD: &[&str] = &[
    "method",
    "http.request.method",
    "http.method",
    "request.method",
    "request_method",
    "RequestMethod",
    "http_method",
    "httpMethod",
    "ClientRequestMethod",
    "httpRequest.httpMethod",
    "httpRequest.requestMethod",
    "properties.httpMethod",
    "properties.method",
    "eventData.httpMethod",
    "verb",
    "cs-method",
    "request",
];
/// Where a URL may be absolute because a program has put it together.
pub(crate) const URL: &[&str] = &[
    "url.full",
    "url.original",
    "url",
    "http.url",
    "request.url",
    "httpRequest.requestUrl",
    "properties.requestUrl",
];
/// Where a target is as it was sent.
pub(crate) const TARGET: &[&str] = &[
    "target",
    "uri",
    "request.uri",
    "request_uri",
    "http.target",
    "RequestPath",
    "x-envoy-original-path",
    "x-envoy-origin-path",
    "path",
    "url.path",
    "http.path",
    "ClientRequestURI",
    "ClientRequestPath",
    "httpRequest.uri",
    // Before the gateway's own rules changed it.
    "properties.originalRequestUriWithArgs",
    "properties.requestUri",
    "request_path",
    "resourcePath",
    "eventData.httpUriPath",
    "cs-uri-stem",
];
pub(crate) const QUERY: &[&str] = &[
    "url.query",
    "query",
    "query_string",
    "http.query",
    "httpRequest.args",
    "properties.requestQuery",
    "request_query",
    "ClientRequestQuery",
    "args",
    "eventData.httpUriQuery",
    "cs-uri-query",
];
/// Where the `Host` header is.
pub(crate) const HOST: &[&str] = &[
    "host",
    "request.host",
    "RequestHost",
    "http_host",
    "http.host",
    "httpHostName",
    "ClientRequestHost",
    "properties.host",
    "properties.hostName",
    "properties.originalHost",
    "domainName",
    "request_host",
    "eventData.httpHostName",
    "cs-host",
];
pub(crate) const AUTHORITY: &[&str] = &[":authority", "authority", "server.address", "url.domain"];
pub(crate) const PORT: &[&str] = &["server.port", "url.port"];
pub(crate) const SCHEME: &[&str] = &[
    "scheme",
    "url.scheme",
    "http.scheme",
    ":scheme",
    "request.scheme",
    "ClientRequestScheme",
    "request.schema",
    "RequestScheme",
    "httpRequest.scheme",
    "properties.requestProtocol",
];
pub(crate) const VERSION: &[&str] = &[
    "version",
    "http_version",
    "httpVersion",
    "network.protocol.version",
    "http.version",
    "http.flavor",
    "protocol",
    "proto",
    "request.proto",
    "request.http_version",
    "RequestProtocol",
    "server_protocol",
    "ClientRequestProtocol",
    "httpRequest.httpVersion",
    "httpRequest.protocol",
    "properties.httpVersion",
    "request.protocol",
    "request_protocol",
    "requestProtocol",
];
pub(crate) const HEADERS: &[&str] = &[
    "headers",
    "request.headers",
    "http.request.headers",
    "http.request.header",
    "request_headers",
    "httpRequest.headers",
    "RequestHeaders",
];
pub(crate) const BODY: &[&str] =
    &["body", "http.request.body.content", "request.body", "request_body", "eventData.httpRequestBody"];
pub(crate) const BODY_B64: &[&str] = &["body_b64", "body_base64"];
pub(crate) const USER_AGENT: &[&str] = &[
    "user_agent.original",
    "user_agent",
    "user-agent",
    "http_user_agent",
    "http.user_agent",
    "agent",
    "ClientRequestUserAgent",
    "httpRequest.userAgent",
    "properties.userAgent",
    "userAgent",
    "request_user_agent",
];
pub(crate) const REFERER: &[&str] = &[
    "referer",
    "referrer",
    "http.request.referrer",
    "http_referer",
    "http_referrer",
    "ClientRequestReferer",
    "httpRequest.referer",
    "properties.referer",
    "request_referer",
];
pub(crate) const ID: &[&str] = &[
    "id",
    "event.id",
    "request_id",
    "transaction.unique_id",
    "transaction.id",
    "transaction.transaction_id",
    "unique_id",
    "RayID",
    "httpRequest.requestId",
    "insertId",
    "requestId",
    "properties.trackingReference",
    "properties.transactionId",
    "uid",
];
pub(crate) const LABEL: &[&str] = &["label"];
pub(crate) const TIME: &[&str] = &[
    "time",
    "timestamp",
    "@timestamp",
    "ts",
    "start_time",
    "StartUTC",
    "time_iso8601",
    "time_local",
    "msec",
    "startedDateTime",
    "transaction.time_stamp",
    "transaction.time",
    "EdgeStartTimestamp",
    "requestTime",
    "transaction.timestamp",
    "timeStamp",
    "started_at",
    "eventTime",
    "receiveTimestamp",
    "requestTimeEpoch",
    "time_start",
    "Datetime",
    "datetime",
];

/// Where the address of the client is.
pub(crate) const CLIENT: &[&str] = &[
    "client.address",
    "client.ip",
    "client_ip",
    "clientIp",
    "ClientIP",
    "ClientHost",
    "remote_addr",
    "remote_ip",
    "request.remote_ip",
    "request.client_ip",
    "httpRequest.clientIp",
    "httpRequest.remoteIp",
    "properties.clientIP",
    "properties.clientIp",
    "id.orig_h",
    "transaction.client_ip",
    "transaction.remote_address",
    "source.ip",
    "id_orig_h",
    "downstream_remote_address",
    "c-ip",
    "ip",
];

/// Where `X-Forwarded-For` is.
pub(crate) const FORWARDED_FOR: &[&str] = &["x-forwarded-for", "x_forwarded_for"];
/// Where `X-Request-Id` is.
pub(crate) const REQUEST_ID: &[&str] = &["x-request-id", "x_request_id"];

/// Returns whether a part of a request is looked for under this name.
pub(crate) fn is_known(name: &str) -> bool {
    const ALL: [&[&str]; 18] = [
        METHOD, URL, TARGET, QUERY, HOST, AUTHORITY, PORT, SCHEME, VERSION, HEADERS, BODY, BODY_B64,
        USER_AGENT, REFERER, ID, LABEL, TIME, CLIENT,
    ];
    ["raw", "raw_b64"].contains(&name) || ALL.iter().any(|names| names.contains(&name))
}

/// OpenTelemetry's names of headers begin with this.
pub(crate) const HEADER_PREFIX: &str = "http.request.header.";
/// Traefik's begin with this.
pub(crate) const TRAEFIK_PREFIX: &str = "request_";
/// nginx's variables begin with this.
pub(crate) const NGINX_PREFIX: &str = "http_";
