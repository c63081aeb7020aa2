//! Answers that no handler makes: those of the HTTP library to what is not HTTP, and that to a connection too many.

use memchr::memmem;

use crate::app::App;
use crate::problem::{PROBLEM_JSON, Problem, RETRY_AFTER_SECONDS};

/// The header that every answer has.
pub(crate) const FINGERPRINT: &str = "x-tamiz-fingerprint";

/// The most bytes that the HTTP library's own answers have.
const LONGEST: usize = 256;

/// The answer that the HTTP library gives by itself to a head that it cannot read, as one of ours: it has a status,
/// no body, and no fingerprint, which all of ours have. `None` for everything else.
pub(crate) fn automatic(bytes: &[u8], app: &App) -> Option<Vec<u8>> {
    const EMPTY: &[u8] = b"content-length: 0\r\n";
    if bytes.len() > LONGEST || !bytes.starts_with(b"HTTP/1.") || !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let at = memmem::find(bytes, EMPTY)?;
    if memmem::find(bytes, FINGERPRINT.as_bytes()).is_some() {
        return None;
    }
    let problem = match bytes.get("HTTP/1.1 ".len().."HTTP/1.1 400".len())? {
        b"400" => Problem::Malformed,
        b"414" | b"431" => Problem::HeadTooLarge,
        _ => return None,
    };
    app.metrics.rejected(problem);
    tracing::debug!(reason = problem.code(), "refused");
    let (head, rest) = (bytes.get(..at)?, bytes.get(at + EMPTY.len()..)?);
    Some([head, fields(problem, app).as_bytes(), rest, &problem.body()].concat())
}

/// The answer to a connection too many.
pub(crate) fn too_many(app: &App) -> Vec<u8> {
    let problem = Problem::Overload;
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: {RETRY_AFTER_SECONDS}\r\n{}connection: close\r\n\r\n",
        fields(problem, app)
    );
    [head.as_bytes(), &problem.body()].concat()
}

fn fields(problem: Problem, app: &App) -> String {
    format!(
        "content-type: {PROBLEM_JSON}\r\ncache-control: no-store\r\n{FINGERPRINT}: {}\r\ncontent-length: {}\r\n",
        app.fingerprint(),
        problem.body().len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Limits;
    use tamiz::Config;

    #[test]
    fn only_what_nobody_stamped_is_stamped() {
        let app = App::new(Config::default(), Limits::default(), crate::Deny::default());
        let theirs = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n";
        let ours = String::from_utf8(automatic(theirs, &app).unwrap()).unwrap();
        assert!(ours.starts_with(
            "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/problem+json"
        ));
        let (head, body) = ours.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("\r\nx-tamiz-fingerprint: v2-") && head.ends_with("\r\ndate: x"));
        assert!(head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())));
        assert!(body.contains("\"malformed\""));
        for other in [
            ours.as_bytes(),
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 404 Not Found\r\nx-tamiz-fingerprint: v1\r\ncontent-length: 0\r\n\r\n",
            b"M:GET\nHTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n",
            b"",
        ] {
            assert!(automatic(other, &app).is_none());
        }
    }
}
