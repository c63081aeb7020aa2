//! An external processor for Envoy: `--ext-proc`. gRPC over HTTP/2 in clear; a stream for each request.
//!
//! What Envoy sends first says whether a body follows. If none does, headers are answered with what the request is; if
//! one does, the body is, or its last piece.

mod gate;
mod messages;

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::http::{HeaderValue as Field, header::CONTENT_TYPE};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tamiz::{Parts, Source};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tonic::codegen::tokio_stream::Stream;
use tonic::server::{Grpc, StreamingService};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use super::check::{DIGEST, DOCUMENT, FLAGS, SCORE};
use super::sources::{self, Given, OURS, begins_with};
use super::verdict::{self, Told, Verdict};
use crate::app::{App, Slot};
use crate::connection::{Stage, closing};
use crate::problem::Problem;
use crate::settings::Limits;
use crate::stamp::FINGERPRINT;
use crate::wire::Wire;
use crate::work;
use gate::{Gate, Gated};
use messages::{
    Answer, Asked, BUFFERED_PARTIAL, CommonResponse, Going, HeaderMap, HeaderMutation, HeaderValue,
    HeaderValueOption, HttpStatus, ImmediateResponse, Kind, NONE, Nothing, OVERWRITE_IF_EXISTS_OR_ADD,
    ProcessingRequest, ProcessingResponse, Struct, Value,
};

/// The one method there is.
const PATH: &str = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

/// The name that Envoy knows the metadata by.
const NAMESPACE: &str = "tamiz";

/// How many bytes of one request may be on their way, and of all of a connection.
const WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;

/// Serves a connection until its end.
pub(crate) async fn serve<S>(stream: S, app: Arc<App>, mut stage: watch::Receiver<Stage>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let shared = Arc::clone(&app);
    let service = service_fn(move |request| answer(Arc::clone(&shared), request));
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(Limits::EXT_PROC_STREAMS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(Limits::SMALL)
        .max_header_list_size(u32::try_from(Limits::HEAD).unwrap_or(u32::MAX))
        // One that is gone without a word is noticed.
        .keep_alive_interval(app.limits.head_time)
        .keep_alive_timeout(app.limits.write_time)
        .serve_connection(TokioIo::new(Wire::new(stream, Arc::clone(&app))), service);
    tokio::pin!(connection);
    app.metrics.connections.inc();
    let _ = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = closing(&mut stage) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    app.metrics.connections.dec();
    tracing::trace!("ext_proc connection closed");
}

/// Answers a call.
async fn answer(
    app: Arc<App>,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<tonic::body::Body>, Infallible> {
    if request.uri().path() != PATH {
        return Ok(failed(tonic::Code::Unimplemented));
    }
    let Ok(place) = app.exchange_slot() else {
        app.metrics.rejected(Problem::Overload);
        return Ok(failed(tonic::Code::ResourceExhausted));
    };
    let gate = Arc::new(Gate::new(Arc::clone(&app)));
    let request = request.map(|body| Gated { body, gate: Arc::clone(&gate) });
    // A message is a body, or headers, and a little around them.
    let longest = app.limits.body.saturating_add(Limits::CHECK_HEAD);
    let mut grpc = Grpc::new(ProstCodec::default()).apply_max_message_size_config(Some(longest), None);
    Ok(grpc.streaming(Processor { app, gate, place: Some(place) }, request).await)
}

/// The answer to a call that is not taken.
fn failed(code: tonic::Code) -> hyper::Response<tonic::body::Body> {
    let mut response = hyper::Response::new(tonic::body::Body::default());
    let headers = response.headers_mut();
    headers.insert(Status::GRPC_STATUS, Field::from(code as i32));
    headers.insert(CONTENT_TYPE, tonic::metadata::GRPC_CONTENT_TYPE);
    response
}

struct Processor {
    app: Arc<App>,
    gate: Arc<Gate>,
    /// For the one exchange that a call is.
    place: Option<Slot>,
}

/// Answers, as a stream.
struct Answers(mpsc::Receiver<Result<ProcessingResponse, Status>>);

impl Stream for Answers {
    type Item = Result<ProcessingResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx)
    }
}

impl StreamingService<ProcessingRequest> for Processor {
    type Response = ProcessingResponse;
    type ResponseStream = Answers;
    type Future = std::future::Ready<Result<Response<Answers>, Status>>;

    fn call(&mut self, request: Request<Streaming<ProcessingRequest>>) -> Self::Future {
        let wants_document =
            request.metadata().get("x-tamiz-want").is_some_and(|want| want.as_bytes() == b"document");
        let (out, answers) = mpsc::channel(1);
        let exchange = Exchange {
            app: Arc::clone(&self.app),
            gate: Arc::clone(&self.gate),
            _place: self.place.take(),
            wants_document,
            headers: Vec::new(),
            body: Vec::new(),
            mode: NONE,
            is_done: false,
        };
        tokio::spawn(exchange.run(request.into_inner(), out));
        std::future::ready(Ok(Response::new(Answers(answers))))
    }
}

/// The exchange about one request.
struct Exchange {
    app: Arc<App>,
    gate: Arc<Gate>,
    _place: Option<Slot>,
    wants_document: bool,
    headers: Vec<HeaderValue>,
    body: Vec<u8>,
    /// How its body comes.
    mode: i32,
    is_done: bool,
}

impl Exchange {
    async fn run(
        mut self,
        mut asked: Streaming<ProcessingRequest>,
        out: mpsc::Sender<Result<ProcessingResponse, Status>>,
    ) {
        // A stream that is cut is a request that nobody waits for; one that says nothing more is ended.
        while let Ok(Ok(Some(request))) = timeout(self.app.limits.body_time, asked.message()).await {
            let answer = self.answer(request).await;
            let is_over = answer.is_err();
            if out.send(answer).await.is_err() || is_over {
                return;
            }
        }
    }

    async fn answer(&mut self, request: ProcessingRequest) -> Result<ProcessingResponse, Status> {
        if let Some(config) = &request.protocol_config {
            self.mode = config.request_body_mode;
        }
        match request.request {
            Some(Asked::RequestHeaders(headers)) => {
                self.headers = headers.headers.map(|HeaderMap { headers }| headers).unwrap_or_default();
                let told = if headers.end_of_stream || self.mode == NONE {
                    Some(self.judged().await?)
                } else {
                    None
                };
                Ok(respond(told, |response| Answer::RequestHeaders(Going { response })))
            }
            Some(Asked::RequestBody(body)) => {
                // What is longer than is read is not kept; Envoy has its own limit.
                let room = self.app.limits.body.saturating_sub(self.body.len()).min(body.body.len());
                self.body.extend_from_slice(body.body.get(..room).unwrap_or_default());
                let is_whole = body.end_of_stream || self.mode == BUFFERED_PARTIAL;
                let told = if is_whole && !self.is_done { Some(self.judged().await?) } else { None };
                Ok(respond(told, |response| Answer::RequestBody(Going { response })))
            }
            Some(Asked::RequestTrailers(_)) => {
                if !self.is_done {
                    self.judged().await?;
                }
                Ok(only(Answer::RequestTrailers(Nothing {})))
            }
            // The rest is not about requests, and is asked only by another configuration than ours.
            Some(Asked::ResponseHeaders(_)) => Ok(only(Answer::ResponseHeaders(Nothing {}))),
            Some(Asked::ResponseBody(_)) => Ok(only(Answer::ResponseBody(Nothing {}))),
            Some(Asked::ResponseTrailers(_)) => Ok(only(Answer::ResponseTrailers(Nothing {}))),
            None => Err(Status::invalid_argument("nothing is asked")),
        }
    }

    /// Judges the request, once all of it has arrived.
    async fn judged(&mut self) -> Result<Verdict, Status> {
        self.is_done = true;
        let (headers, body) = (std::mem::take(&mut self.headers), std::mem::take(&mut self.body));
        let (app, wants_document) = (Arc::clone(&self.app), self.wants_document);
        let refuse = |problem: Problem| {
            self.app.metrics.rejected(problem);
            match problem {
                Problem::Overload => Status::resource_exhausted(problem.code()),
                _ => Status::internal(problem.code()),
            }
        };
        work::on(self.gate.take(), move || {
            let mut given = given(&headers, &body);
            given.wants_document = wants_document;
            verdict::reach(&app, given)
        })
        .await
        .and_then(|verdict| verdict)
        .map_err(refuse)
    }
}

/// The request that Envoy tells of.
fn given<'a>(headers: &'a [HeaderValue], body: &'a [u8]) -> Given<'a> {
    let mut parts = Parts::new(b"", b"");
    // It does not say which it was.
    parts.version = Some(b"HTTP/1.1");
    parts.body = Some(body).filter(|body| !body.is_empty());
    let (mut scheme, mut id) = (None, None);
    for header in headers {
        let (name, value) = (&header.key[..], value(header));
        match name {
            b":method" => parts.method = value,
            b":path" => parts.target = value,
            b":authority" => parts.headers.insert(0, (b"host", value)),
            b":scheme" => scheme = sources::scheme(value),
            b"x-request-id" => id = sources::envoys_id(value),
            [b':', ..] => {}
            name if sources::is_envoys(name) || begins_with(name, OURS) => {}
            name => _ = parts.header(name, value),
        }
    }
    sources::without_last_address(&mut parts.headers);
    let mut given = Given::new(parts, Source::EnvoyExtProc);
    (given.scheme, given.id) = (scheme, id);
    given
}

/// Values are bytes; text in older versions of Envoy.
fn value(header: &HeaderValue) -> &[u8] {
    if header.raw_value.is_empty() { &header.value } else { &header.raw_value }
}

fn only(answer: Answer) -> ProcessingResponse {
    ProcessingResponse { response: Some(answer), ..ProcessingResponse::default() }
}

/// That the request goes on, with what it is where that is known; or that it does not.
fn respond(told: Option<Verdict>, wrap: impl FnOnce(Option<CommonResponse>) -> Answer) -> ProcessingResponse {
    let Some(verdict) = told else { return only(wrap(None)) };
    let mut fields = vec![
        ("flags", verdict.flags),
        ("digest", verdict.digest),
        ("fingerprint", verdict.fingerprint.to_str().unwrap_or_default().to_owned()),
    ];
    let header = |name: &str, value: &str| HeaderValueOption {
        header: Some(HeaderValue {
            key: name.as_bytes().to_vec(),
            raw_value: value.as_bytes().to_vec(),
            ..HeaderValue::default()
        }),
        append_action: OVERWRITE_IF_EXISTS_OR_ADD,
        keep_empty_value: true,
    };
    let mut set: Vec<HeaderValueOption> =
        [FLAGS, DIGEST].into_iter().zip(&fields).map(|(name, (_, value))| header(name, value)).collect();
    // What a client says in these never gets through.
    let mut remove_headers = [DOCUMENT, FINGERPRINT].map(str::to_owned).to_vec();
    match verdict.score {
        Some(Told { score, p_value, novel }) => {
            let told = [("score", score), ("p_value", p_value), ("novel", novel)];
            set.extend(SCORE.into_iter().zip(&told).map(|(name, (_, value))| header(name, value)));
            fields.extend(told);
        }
        None => remove_headers.extend(SCORE.map(str::to_owned)),
    }
    let mut response = if verdict.is_denied {
        let status = Some(HttpStatus { code: 403 });
        only(Answer::ImmediateResponse(ImmediateResponse { status }))
    } else {
        let header_mutation = Some(HeaderMutation { set_headers: set, remove_headers });
        only(wrap(Some(CommonResponse { header_mutation })))
    };
    fields.extend(verdict.document.map(|document| ("document", document)));
    let text = |text: String| Value { kind: Some(Kind::Text(text)) };
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), text(value))).collect();
    let namespace = Value { kind: Some(Kind::Struct(Struct { fields })) };
    response.dynamic_metadata = Some(Struct { fields: HashMap::from([(NAMESPACE.to_owned(), namespace)]) });
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, value: &[u8]) -> HeaderValue {
        HeaderValue { key: name.as_bytes().to_vec(), raw_value: value.to_vec(), ..HeaderValue::default() }
    }

    #[test]
    fn what_is_envoys_own_is_left_out() {
        let headers = [
            header(":method", b"POST"),
            header("a", b"\xFF"),
            header(":path", b"/x?y"),
            header(":authority", b"ex.com"),
            header(":scheme", b"https"),
            header("x-forwarded-for", b"1.2.3.4,10.0.0.1"),
            header("x-request-id", b"16d5b8a2-3c04-9f11-8e7a-0242ac110002"),
            header("x-envoy-external-address", b"10.0.0.1"),
            header("x-forwarded-proto", b"https"),
            header("x-tamiz-flags", b"FORGED"),
            HeaderValue { key: b"old".to_vec(), value: b"text".to_vec(), ..HeaderValue::default() },
        ];
        let given = given(&headers, b"z");
        assert_eq!((given.parts.method, given.parts.target), (&b"POST"[..], &b"/x?y"[..]));
        let expected =
            [("host", &b"ex.com"[..]), ("a", b"\xFF"), ("x-forwarded-for", b"1.2.3.4"), ("old", b"text")];
        assert_eq!(given.parts.headers, expected.map(|(name, value)| (name.as_bytes(), value)));
        let id = &b"16d5b8a2-3c04-9f11-8e7a-0242ac110002"[..];
        assert_eq!((given.id, given.parts.body), (Some(id), Some(&b"z"[..])));
        assert_eq!(given.scheme, Some(tamiz::Scheme::Https));
    }

    #[test]
    fn a_score_is_told_in_headers_and_metadata_and_never_taken_from_a_client() {
        let verdict = |score| Verdict {
            flags: String::new(),
            digest: "d".to_owned(),
            document: None,
            fingerprint: axum::http::HeaderValue::from_static("v2-0"),
            score,
            is_denied: false,
        };
        let told = Told { score: "4.5".to_owned(), p_value: "0.001".to_owned(), novel: "3".to_owned() };
        for score in [None, Some(told)] {
            let has_score = score.is_some();
            let mut mutation = None;
            let response = respond(Some(verdict(score)), |common| {
                mutation = common.and_then(|common| common.header_mutation);
                Answer::RequestHeaders(Going::default())
            });
            let HeaderMutation { set_headers, remove_headers } = mutation.unwrap();
            let set = |name: &str| {
                set_headers.iter().flat_map(|set| &set.header).any(|set| set.key == name.as_bytes())
            };
            for name in SCORE {
                assert_eq!(
                    (set(name), remove_headers.iter().any(|other| other == name)),
                    (has_score, !has_score)
                );
            }
            let metadata = format!("{:?}", response.dynamic_metadata);
            assert_eq!(metadata.contains("p_value"), has_score, "{metadata}");
        }
    }
}
