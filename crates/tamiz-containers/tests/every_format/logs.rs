//! Samples of logs.

use tamiz_containers::Format;

use crate::{Sample, sample};

/// Logs whose lines of comments name their columns.
pub(crate) fn tables() -> Vec<Sample> {
    let iis = "#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n#Date: 2026-10-10 13:55:36\r\n\
               #Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status time-taken\r\n";
    let cloudfront = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) \
                      cs(User-Agent) cs-uri-query cs(Cookie) x-host-header cs-protocol cs-protocol-version\n";
    let incapsula = "accountId:7\nconfigId:8\nchecksum:0\nformat:W3C\nstartTime:1\nendTime:2\n|==|\n#Software: Incapsula LOGS API\n\
                     #Version: 1.1\n#Date: 10/Oct/2026 13:55:36\n#Fields: date time cs-vid cs-clapp cs-browsertype cs-countrycode c-ip \
                     cs-method cs-uri cs-uri-query cs-version cs(User-Agent) cs(Referrer) sc-status\n";
    let netscaler = "#Version: 1.0\n#Software: Netscaler Web Logging(NSWL)\n#Date: 2026-10-10 13:55:36\n\
                     #Fields: date time c-ip cs-username s-ip s-port cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent)\n";
    let zeek = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\thttp\n\
                #fields\tts\tuid\tid.orig_h\tmethod\thost\turi\tversion\tuser_agent\n";
    vec![
        sample(
            "IIS",
            Format::W3c,
            &format!("{iis}2026-10-10 13:55:36 10.0.0.1 GET /a b=1 443 - 192.0.2.1 curl/8.5.0 - 200 15\r\n"),
            &format!("{iis}2026-10-10 13:55:36 10.0.0.1 GET\r\n"),
        ),
        sample(
            "CloudFront",
            Format::W3c,
            &format!(
                "{cloudfront}2026-10-10\t13:55:36\tMAD50\t5\t192.0.2.1\tGET\td1.cloudfront.net\t/a\t200\t-\tcurl/8.5.0\tb=1\t-\tex.com\thttps\tHTTP/2.0\n"
            ),
            &format!("{cloudfront}2026-10-10\t13:55:36\tMAD50\n"),
        ),
        sample(
            "Incapsula",
            Format::W3c,
            &format!(
                "{incapsula}\"2026-10-10\" \"13:55:36\" \"v\" \"curl\" \"Tool\" \"ES\" \"192.0.2.1\" \"GET\" \"ex.com/a\" \"b=1\" \"HTTP/1.1\" \"curl/8.5.0\" \"http://ex.com/\" \"200\"\n"
            ),
            &format!("{incapsula}\"2026-10-10\" \"13:55:36\"\n"),
        ),
        sample(
            "NetScaler",
            Format::W3c,
            &format!("{netscaler}2026-10-10 13:55:36 192.0.2.1 - 10.0.0.1 80 GET /a b=1 200 curl/8.5.0\n"),
            &format!("{netscaler}2026-10-10 13:55:36 192.0.2.1 - 10.0.0.1 80 - /a b=1 200 curl/8.5.0\n"),
        ),
        sample(
            "Zeek, tabs",
            Format::Zeek,
            &format!(
                "{zeek}1791640536.5\tC1\t192.0.2.1\tGET\tex.com\t/a?b=1\t1.1\tcurl/8.5.0\n#close\t2026-10-10\n"
            ),
            &format!("{zeek}1791640536.5\tC1\t192.0.2.1\t-\tex.com\t/a?b=1\t1.1\tcurl/8.5.0\n"),
        ),
    ]
}

/// Logs of text; a line each.
pub(crate) fn of_text() -> Vec<Sample> {
    let owner = "79a5".repeat(16);
    let elb = "192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366";
    let haproxy =
        "10.0.1.2:33317 [10/Oct/2026:13:55:36.655] in app/s1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0";
    let combined = "192.0.2.1 - - [10/Oct/2026:13:55:36 +0000]";
    let lines: Vec<(&'static str, String, String)> = vec![
        (
            "AWS ALB",
            format!("https 2026-10-10T13:55:36.186641Z app/lb/50dc {elb} \"GET https://ex.com:443/a?b=1 HTTP/1.1\" \"curl/7\" - - arn:aws:x \"Root=1\" \"ex.com\" \"-\" 0"),
            format!("https 2026-10-10T13:55:36.186641Z app/lb/50dc {elb} \"- http://ex.com:80- -\" \"-\" - - - \"-\" \"-\" \"-\" 0"),
        ),
        (
            "AWS ELB",
            format!("2026-10-10T13:55:36.186641Z lb {elb} \"GET http://ex.com:80/a?b=1 HTTP/1.1\" \"curl/7\" - -"),
            format!("2026-10-10T13:55:36.186641Z lb {elb} \"GET http://ex.com"),
        ),
        (
            "AWS ELB, without agent",
            format!("2014-10-10T13:55:36.186641Z lb {elb} \"GET http://ex.com:80/a?b=1 HTTP/1.1\""),
            format!("2014-10-10T13:55:36.186641Z lb {elb} \"- - - \""),
        ),
        (
            "Hypercorn",
            format!("[2026-10-10 13:55:36 +0000] [8] [INFO] {combined} \"GET /a?b=1 1.1\" 200 5 \"-\" \"x\""),
            "[2026-10-10 13:55:36 +0000] [8] [INFO] Running on http://0.0.0.0:8000 (CTRL + C to quit)".to_owned(),
        ),
        (
            "Werkzeug",
            "192.0.2.1 - - [10/Oct/2026 13:55:36] \"\x1b[33mGET /a?b=1 HTTP/1.1\x1b[0m\" 404 -".to_owned(),
            " * Running on http://127.0.0.1:5000".to_owned(),
        ),
        (
            "AWS S3",
            format!("{owner} bucket [10/Oct/2026:13:55:36 +0000] 192.0.2.3 {owner} 3E57 REST.GET.OBJECT a \"GET /a?b=1 HTTP/1.1\" 200 - 113 - 7 - \"-\" \"S3Console/0.4\" - s9 SigV4 ECDHE AuthHeader bucket.s3.amazonaws.com TLSV1.2 - -"),
            format!("{owner} bucket [10/Oct/2026:13:55:36 +0000] 192.0.2.3"),
        ),
        (
            "Fastly, common",
            format!("<134>2026-10-10T13:55:36Z cache-mad22000 example[3]: {combined} \"GET /a?b=1\" 200 5"),
            format!("<134>2026-10-10T13:55:36Z cache-mad22000 example[3]: {combined} \"GET"),
        ),
        (
            "Envoy",
            "[2026-10-10T13:55:36.310Z] \"GET /a?b=1 HTTP/2\" 204 - 154 0 226 100 \"192.0.2.1\" \"x\" \"cc21\" \"ex.com\" \"tcp://10.0.2.1:80\"".to_owned(),
            "[2026-10-10T13:55:36.310Z] \"- - -\" 0 UH 0 0 1 - \"-\" \"-\" \"-\" \"-\" \"-\"".to_owned(),
        ),
        (
            "Traefik",
            format!("{combined} \"GET /a?b=1 HTTP/1.1\" 200 4 \"-\" \"x\" 5 \"r@docker\" \"http://10.0.0.2:80\" 0ms"),
            format!("{combined} \"GET /a?b=1"),
        ),
        (
            "Kong",
            format!("{combined} \"GET /a?b=1 HTTP/1.1\" 200 5 \"-\" \"x\" kong_request_id: \"3b\""),
            format!("{combined} kong_request_id: \"3b\""),
        ),
        (
            "ingress-nginx",
            format!("{combined} \"GET /a?b=1 HTTP/1.1\" 200 5 \"-\" \"x\" 80 0.002 [default-web-80] [] 10.0.0.5:80 5 0.002 200 3b"),
            format!("{combined} 200 5 [default-web-80] []"),
        ),
        ("HAProxy", format!("Oct 10 13:55:36 lb haproxy[7]: {haproxy} \"GET /a?b=1 HTTP/1.1\""), format!("Oct 10 13:55:36 lb haproxy[7]: {haproxy} \"<BADREQ>\"")),
        (
            "Squid",
            "1791640536.450    180 192.0.2.1 TCP_MISS/200 411 GET http://ex.com/a?b=1 - HIER_DIRECT/192.0.2.2 text/html".to_owned(),
            "1791640536.450 0 192.0.2.1 NONE/400 3500 GET error:invalid-request - HIER_NONE/- text/html".to_owned(),
        ),
        ("uvicorn", "INFO:     192.0.2.1:52345 - \"GET /a?b=1 HTTP/1.1\" 200 OK".to_owned(), "INFO:     192.0.2.1:52345 - \"GET".to_owned()),
        (
            "uWSGI",
            "[pid: 31|app: 0|req: 1/1] 192.0.2.1 () {36 vars in 608 bytes} [Sat Oct 10 13:55:36 2026] GET /a?b=1 => generated 13 bytes in 2 msecs (HTTP/1.1 200) 2 headers in 79 bytes (1 switches on core 0)".to_owned(),
            "[pid: 31|app: 0|req: 1/1] 192.0.2.1 () {36 vars in 608 bytes} [Sat Oct 10".to_owned(),
        ),
        ("syslog", format!("<134>1 2026-10-10T13:55:36Z lb nginx 1 - - {combined} \"GET /a?b=1 HTTP/1.1\" 200 5"), "<134>1 2026-10-10T13:55:36Z lb nginx 1 - - worker started".to_owned()),
        ("Compose", "caddy  | {\"request\":{\"method\":\"GET\",\"uri\":\"/a?b=1\",\"proto\":\"HTTP/1.1\"}}".to_owned(), "caddy  | {\"request\":{\"method\":\"\",\"uri\":\"/a?b=1\"}}".to_owned()),
        ("CRI", format!("2026-10-10T13:55:36Z stdout F {combined} \"GET /a?b=1 HTTP/1.1\" 200 5"), "2026-10-10T13:55:36Z stdout F nonsense".to_owned()),
    ];
    // The bad line follows a good one, by which the format is known.
    let of = |(name, good, bad): (&'static str, String, String)| {
        sample(name, Format::AccessLog, &format!("{good}\n"), &format!("{good}\n{bad}\n"))
    };
    lines.into_iter().map(of).collect()
}

/// Logs of JSON; an object a line.
pub(crate) fn of_json() -> Vec<Sample> {
    let lines: [(&'static str, &str, &str); 17] = [
        (
            "Fastly, method as request",
            r#"{"time_start":"2026-10-10T13:55:36","client_ip":"192.0.2.1","request":"GET","host":"ex.com","url":"/a?b=1","protocol":"HTTP/2"}"#,
            r#""request":"GET""#,
        ),
        (
            "nginx, its own escapes",
            r#"{"time":"2026-10-10T13:55:36+00:00","request_method":"GET","request_uri":"/a?b=1","agent":"\x22\xC3\xA9"}"#,
            r#""request_method":"GET""#,
        ),
        (
            "AWS WAF",
            r#"{"timestamp":1791640536000,"formatVersion":1,"webaclId":"a","action":"BLOCK","httpSourceName":"ALB","httpRequest":{"clientIp":"192.0.2.1","country":"ES","headers":[{"name":"Host","value":"ex.com"}],"uri":"/a","args":"b=1","httpVersion":"HTTP/1.1","httpMethod":"GET","requestId":"r"}}"#,
            r#""httpMethod":"GET""#,
        ),
        (
            "API Gateway",
            r#"{"requestId":"r","ip":"192.0.2.1","requestTime":"10/Oct/2026:13:55:36 +0000","httpMethod":"GET","path":"/a?b=1","protocol":"HTTP/1.1","domainName":"ex.com"}"#,
            r#""httpMethod":"GET""#,
        ),
        (
            "Cloudflare Logpush",
            r#"{"ClientIP":"192.0.2.1","ClientRequestHost":"ex.com","ClientRequestMethod":"GET","ClientRequestURI":"/a?b=1","ClientRequestProtocol":"HTTP/1.1","EdgeStartTimestamp":"2026-10-10T13:55:36Z","RayID":"r"}"#,
            r#""ClientRequestMethod":"GET""#,
        ),
        (
            "Google load balancer",
            r#"{"timestamp":"2026-10-10T13:55:36Z","insertId":"r","resource":{"type":"http_load_balancer"},"httpRequest":{"requestMethod":"GET","requestUrl":"https://ex.com/a?b=1","userAgent":"x","remoteIp":"192.0.2.1"}}"#,
            r#""requestMethod":"GET""#,
        ),
        (
            "Azure Application Gateway",
            r#"{"timeStamp":"2026-10-10T13:55:36Z","operationName":"ApplicationGatewayAccess","properties":{"clientIP":"192.0.2.1","httpMethod":"GET","requestUri":"/a","requestQuery":"b=1","httpVersion":"HTTP/1.1","host":"ex.com"}}"#,
            r#""httpMethod":"GET""#,
        ),
        (
            "Azure Front Door",
            r#"{"time":"2026-10-10T13:55:36Z","category":"FrontDoorAccessLog","properties":{"trackingReference":"r","httpMethod":"GET","httpVersion":"1.1","requestUri":"https://ex.com/a?b=1","clientIp":"192.0.2.1"}}"#,
            r#""httpMethod":"GET""#,
        ),
        (
            "Fastly, JSON",
            r#"{"timestamp":"2026-10-10T13:55:36+0000","client_ip":"192.0.2.1","geo_country":"spain","host":"ex.com","url":"/a?b=1","request_method":"GET","request_protocol":"HTTP/1.1","request_referer":"","request_user_agent":"x","response_status":200,"fastly_server":"cache-mad22000"}"#,
            r#""request_method":"GET""#,
        ),
        (
            "Suricata",
            r#"{"timestamp":"2026-10-10T13:55:36.123456+0000","flow_id":17,"event_type":"http","src_ip":"192.0.2.1","http":{"hostname":"ex.com","url":"/a?b=1","http_method":"GET","protocol":"HTTP/1.1","request_headers":[{"name":"Host","value":"ex.com"}]}}"#,
            r#""http_method":"GET","#,
        ),
        (
            "Zeek, JSON",
            r#"{"ts":1791640536.0,"uid":"r","id.orig_h":"192.0.2.1","method":"GET","host":"ex.com","uri":"/a?b=1","version":"1.1"}"#,
            r#""method":"GET""#,
        ),
        (
            "ModSecurity, JSON",
            r#"{"transaction":{"client_ip":"192.0.2.1","time_stamp":"Sat Oct 10 13:55:36 2026","unique_id":"r","request":{"method":"GET","http_version":1.1,"uri":"/a?b=1","headers":{"Host":"ex.com"}}}}"#,
            r#""method":"GET""#,
        ),
        (
            "Coraza",
            r#"{"transaction":{"timestamp":"2026/10/10 13:55:36","id":"r","client_ip":"192.0.2.1","request":{"method":"GET","protocol":"HTTP/1.1","uri":"/a?b=1","headers":{"host":["ex.com"]},"body":""}}}"#,
            r#""method":"GET""#,
        ),
        (
            "Envoy, JSON",
            r#"{"start_time":"2026-10-10T13:55:36.310Z","method":"GET","x-envoy-original-path":"/a?b=1","path":"/a?b=1","protocol":"HTTP/1.1",":authority":"ex.com"}"#,
            r#""method":"GET""#,
        ),
        (
            "Traefik, JSON",
            r#"{"RequestMethod":"GET","RequestHost":"ex.com","RequestPath":"/a?b=1","RequestProtocol":"HTTP/1.1","StartUTC":"2026-10-10T13:55:36Z","ClientHost":"192.0.2.1"}"#,
            r#""RequestMethod":"GET""#,
        ),
        (
            "Kong, JSON",
            r#"{"started_at":1791640536000,"client_ip":"192.0.2.1","request":{"id":"r","method":"GET","uri":"/a?b=1","headers":{"host":"ex.com"}}}"#,
            r#""method":"GET""#,
        ),
        (
            "ECS",
            r#"{"@timestamp":"2026-10-10T13:55:36Z","log":{"level":"info"},"http":{"request":{"method":"GET"}},"url":{"path":"/a","query":"b=1","domain":"ex.com"}}"#,
            r#""method":"GET""#,
        ),
    ];
    let of = |(name, good, method): (&'static str, &str, &str)| {
        let empty = method.replace("GET", "");
        let bad = good.replace(method, &empty);
        assert_ne!(good, bad, "{name}");
        let format = if name == "ECS" { Format::Jsonl } else { Format::AccessLog };
        sample(name, format, &format!("{good}\n"), &format!("{good}\n{bad}\n"))
    };
    lines.into_iter().map(of).collect()
}
