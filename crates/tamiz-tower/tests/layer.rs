//! The layer adds the document, and changes nothing else.

use std::convert::Infallible;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::post;
use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use tamiz::{Canonicalizer, Config, Parts};
use tamiz_tower::{Canonical, TamizLayer};
use tower::{Layer, Service, ServiceExt, service_fn};

const LIMIT: usize = 32;

fn canonicalizer() -> Canonicalizer {
    Canonicalizer::new(Config::default())
}

/// Answers with the document that the layer made, and the body that it left.
async fn echo(
    request: Request,
) -> Result<Response<(String, Result<Bytes, ()>, Option<HeaderMap>)>, Infallible> {
    let document = request.extensions().get::<Canonical>().expect("it is there").to_string();
    let body = request.into_body().collect().await;
    let trailers = body.as_ref().ok().and_then(|body| body.trailers().cloned());
    Ok(Response::new((document, body.map(|body| body.to_bytes()).map_err(drop), trailers)))
}

/// The document of a POST with this body, and the body as the service sees it.
async fn through(body: Body) -> (String, Result<Bytes, ()>, Option<HeaderMap>) {
    let layer = TamizLayer::new(canonicalizer()).with_body(LIMIT, Body::new);
    let request =
        Request::post("/a//b?pwd=visionario").header("content-type", "application/x-www-form-urlencoded");
    let service = layer.layer(service_fn(echo));
    service.oneshot(request.body(body).unwrap()).await.unwrap().into_body()
}

fn pieces(pieces: Vec<Result<Frame<Bytes>, std::io::Error>>) -> Body {
    Body::new(StreamBody::new(Pieces(pieces.into_iter())))
}

/// A stream of what is there.
struct Pieces(std::vec::IntoIter<Result<Frame<Bytes>, std::io::Error>>);

impl futures_core::Stream for Pieces {
    type Item = Result<Frame<Bytes>, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(self.0.next())
    }
}

fn data(text: &'static str) -> Result<Frame<Bytes>, std::io::Error> {
    Ok(Frame::data(Bytes::from_static(text.as_bytes())))
}

#[tokio::test]
async fn heads_alone_are_told_and_bodies_untouched() {
    let service = TamizLayer::new(canonicalizer()).layer(service_fn(echo));
    let request = Request::post("/a//b?pwd=visionario").header("content-length", "3").body(Body::from("a=1"));
    let (document, body, _) = service.oneshot(request.unwrap()).await.unwrap().into_body();
    assert!(document.starts_with("M:POST") && document.contains("[MULTIPLESLASH]"), "{document}");
    assert!(!document.contains("visionario") && !document.contains("\nB:"), "{document}");
    // What was not looked at is not taken for missing.
    assert!(!document.contains("CLMISMATCH"), "{document}");
    assert_eq!(body.unwrap(), "a=1");
}

#[tokio::test]
async fn the_document_is_the_library_s() {
    let (document, body, _) = through(Body::from("user=x'&pwd=visionario")).await;
    let mut parts = Parts::new(b"POST", b"/a//b?pwd=visionario");
    parts.version = Some(b"HTTP/1.1");
    parts.header(b"content-type", b"application/x-www-form-urlencoded");
    parts.body = Some(b"user=x'&pwd=visionario");
    assert_eq!(document, canonicalizer().canonicalize_parts(&parts).to_string());
    assert_eq!(body.unwrap(), "user=x'&pwd=visionario");
}

#[tokio::test]
async fn a_body_in_pieces_is_read_whole_and_given_whole() {
    let trailers = HeaderMap::from_iter([(http::header::ETAG, http::HeaderValue::from_static("x"))]);
    let body = pieces(vec![data("user="), data("x'&"), data("b=1"), Ok(Frame::trailers(trailers.clone()))]);
    let (document, body, seen) = through(body).await;
    assert!(document.contains("\nB:form BLEN:11@0-15 [BODYFORM] [QUOTE]"), "{document}");
    assert_eq!(body.unwrap(), "user=x'&b=1");
    assert_eq!(seen, Some(trailers));
}

#[tokio::test]
async fn what_is_too_long_is_not_told_but_given() {
    for body in
        [Body::from("x".repeat(LIMIT + 1)), pieces(vec![data("0123456789012345678901234567890"), data("12")])]
    {
        let (document, body, _) = through(body).await;
        assert!(!document.contains("\nB:"), "{document}");
        assert_eq!(body.unwrap().len(), LIMIT + 1);
    }
    let (document, body, _) = through(Body::from("x".repeat(LIMIT))).await;
    assert!(document.contains("\nB:") && body.unwrap().len() == LIMIT);
}

#[tokio::test]
async fn what_breaks_is_broken_for_the_service_too() {
    let broken = pieces(vec![data("a=1"), Err(std::io::ErrorKind::ConnectionReset.into())]);
    let (document, body, _) = through(broken).await;
    assert!(document.starts_with("M:POST") && !document.contains("\nB:"), "{document}");
    assert_eq!(body, Err(()));
}

#[tokio::test]
async fn chunks_that_the_server_joined_are_not_missed() {
    let layer = TamizLayer::new(canonicalizer()).with_body(LIMIT, Body::new);
    for body in ["a=1", ""] {
        let request = Request::post("/").header("transfer-encoding", "chunked").body(Body::from(body));
        let (document, left, _) =
            layer.layer(service_fn(echo)).oneshot(request.unwrap()).await.unwrap().into_body();
        assert!(!document.contains("BADCHUNK") && !document.contains("CLMISMATCH"), "{document}");
        assert_eq!(left.unwrap(), body);
    }
}

#[tokio::test]
async fn axum_takes_it() {
    let layer = TamizLayer::new(canonicalizer()).with_body(LIMIT, Body::new);
    let handler = async |axum::Extension(document): axum::Extension<Canonical>, body: String| {
        format!("{} {body}", document.flags().count())
    };
    let mut app = Router::new().route("/", post(handler)).layer(layer).into_service();
    for _ in 0..2 {
        let request = Request::post("/?a=%3Cb%3E").body(Body::from("a='")).unwrap();
        let response = app.ready().await.unwrap().call(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(body.ends_with(b" a='") && !body.starts_with(b"0"), "{body:?}");
    }
}
