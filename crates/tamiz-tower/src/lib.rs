//! A [`tower`](https://docs.rs/tower) layer that makes the document of each HTTP request, and puts it into the request's
//! extensions as [`Canonical`], where handlers and other layers find it.
//!
//! ```
//! use std::convert::Infallible;
//!
//! use http::{Request, Response};
//! use tamiz::{Canonicalizer, Config};
//! use tamiz_tower::{Canonical, TamizLayer};
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let service = ServiceBuilder::new()
//!     .layer(TamizLayer::new(Canonicalizer::new(Config::default())))
//!     .service(service_fn(async |request: Request<()>| {
//!         let document = request.extensions().get::<Canonical>().expect("the layer puts it there");
//!         let flags: Vec<String> = document.flags().map(|raised| raised.to_string()).collect();
//!         Ok::<_, Infallible>(Response::new(flags.join(" ")))
//!     }));
//! let request = Request::get("/a/../b?q=%3Cscript%3E").header("host", "ex.com").body(()).unwrap();
//! assert_eq!(service.oneshot(request).await.unwrap().into_body(), "DOTDOT ANGLE KW:js");
//! # });
//! ```
//!
//! A server has read the request by then: what its parser mends or refuses cannot be told any more. Method, target,
//! version and headers are looked at as they are in the [`Request`]; bodies too, up to a limit, with
//! [`TamizLayer::with_body`].
//!
//! The layer never fails a request, and what it hands on is what it was given.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::string_slice,
    clippy::arithmetic_side_effects
)]

mod body;
mod future;

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Request;
use tamiz::{Canonicalizer, Document, Parts};
use tower_layer::Layer;
use tower_service::Service;

pub use body::Replayed;
pub use future::ResponseFuture;

/// The document of a request, in its extensions. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical(Arc<Document>);

impl Deref for Canonical {
    type Target = Document;

    fn deref(&self) -> &Document {
        &self.0
    }
}

/// Puts the document of each request into its extensions. Bodies are not looked at.
#[derive(Clone, Debug)]
pub struct TamizLayer {
    canonicalizer: Arc<Canonicalizer>,
}

impl TamizLayer {
    /// A layer whose documents this canonicalizer makes.
    pub fn new(canonicalizer: impl Into<Arc<Canonicalizer>>) -> Self {
        TamizLayer { canonicalizer: canonicalizer.into() }
    }

    /// Looks at bodies too, up to `limit` bytes. A body that is longer, or that breaks off, is not in the document; it
    /// is handed on all the same, whole or broken as it is.
    ///
    /// `rebuild` makes the body that the service takes: `axum::body::Body::new` for axum.
    pub fn with_body<F>(self, limit: usize, rebuild: F) -> TamizBodyLayer<F> {
        TamizBodyLayer { canonicalizer: self.canonicalizer, limit, rebuild }
    }
}

impl<S> Layer<S> for TamizLayer {
    type Service = Tamiz<S>;

    fn layer(&self, inner: S) -> Tamiz<S> {
        Tamiz { inner, canonicalizer: Arc::clone(&self.canonicalizer) }
    }
}

/// The service that [`TamizLayer`] makes.
#[derive(Clone, Debug)]
pub struct Tamiz<S> {
    inner: S,
    canonicalizer: Arc<Canonicalizer>,
}

impl<S, B> Service<Request<B>> for Tamiz<S>
where
    S: Service<Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> S::Future {
        let (head, body) = request.into_parts();
        let head = with_document(head, b"", &self.canonicalizer);
        self.inner.call(Request::from_parts(head, body))
    }
}

/// Puts the document of each request into its extensions, bodies included.
#[derive(Clone, Debug)]
pub struct TamizBodyLayer<F> {
    canonicalizer: Arc<Canonicalizer>,
    limit: usize,
    rebuild: F,
}

impl<S, F: Clone> Layer<S> for TamizBodyLayer<F> {
    type Service = TamizBody<S, F>;

    fn layer(&self, inner: S) -> TamizBody<S, F> {
        let TamizBodyLayer { canonicalizer, limit, rebuild } = self;
        TamizBody { inner, canonicalizer: Arc::clone(canonicalizer), limit: *limit, rebuild: rebuild.clone() }
    }
}

/// The service that [`TamizBodyLayer`] makes.
#[derive(Clone, Debug)]
pub struct TamizBody<S, F> {
    inner: S,
    canonicalizer: Arc<Canonicalizer>,
    limit: usize,
    rebuild: F,
}

impl<S, F, B, R> Service<Request<B>> for TamizBody<S, F>
where
    S: Service<Request<R>> + Clone,
    F: FnOnce(Replayed<B>) -> R + Clone,
    B: http_body::Body<Data = Bytes> + Unpin,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S, F, B, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The one that is ready is the one to call; its clone waits for the next request.
        let clone = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, clone);
        let (head, body) = request.into_parts();
        let canonicalizer = Arc::clone(&self.canonicalizer);
        ResponseFuture::new(head, body, self.limit, canonicalizer, ready, self.rebuild.clone())
    }
}

/// A head with its document, which is made with the body, as far as that is known.
fn with_document(
    head: http::request::Parts,
    body: &[u8],
    canonicalizer: &Canonicalizer,
) -> http::request::Parts {
    let body = if is_chunked(&head) { chunked(body).into() } else { Cow::Borrowed(body) };
    let mut request = Request::from_parts(head, body);
    let document = Canonical(Arc::new(canonicalizer.canonicalize_parts(&Parts::from(&request))));
    request.extensions_mut().insert(document);
    request.into_parts().0
}

/// Returns whether the body came in chunks.
fn is_chunked(head: &http::request::Parts) -> bool {
    head.headers.get(http::header::TRANSFER_ENCODING).is_some_and(|coding| coding == "chunked")
}

/// The body as one chunk: the server has joined its chunks, but the header that says so is still there, and a document
/// checks one against the other.
fn chunked(body: &[u8]) -> Vec<u8> {
    if body.is_empty() {
        return Vec::new();
    }
    [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
}
