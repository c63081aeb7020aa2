//! The way from a request whose body is looked at to its answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::Request;
use http_body::Body;
use tamiz::Canonicalizer;
use tower_service::Service;

use crate::body::{Read, Replayed};
use crate::with_document;

/// The answer to a request, which waits for its body first.
pub struct ResponseFuture<S, F, B: Body<Data = Bytes>, A> {
    state: State<S, F, B, A>,
}

enum State<S, F, B: Body<Data = Bytes>, A> {
    Reading(Box<Reading<S, F, B>>),
    Answering(Pin<Box<A>>),
    /// Never seen from outside.
    Between,
}

struct Reading<S, F, B: Body<Data = Bytes>> {
    head: http::request::Parts,
    body: Replayed<B>,
    limit: usize,
    canonicalizer: Arc<Canonicalizer>,
    service: S,
    rebuild: F,
}

impl<S, F, B: Body<Data = Bytes> + Unpin, A> ResponseFuture<S, F, B, A> {
    pub(crate) fn new(
        head: http::request::Parts,
        body: B,
        limit: usize,
        canonicalizer: Arc<Canonicalizer>,
        service: S,
        rebuild: F,
    ) -> Self {
        let body = Replayed::new(body);
        let reading = Reading { head, body, limit, canonicalizer, service, rebuild };
        ResponseFuture { state: State::Reading(Box::new(reading)) }
    }
}

// What is pinned is boxed.
impl<S, F, B: Body<Data = Bytes>, A> Unpin for ResponseFuture<S, F, B, A> {}

impl<S, F, B, R> Future for ResponseFuture<S, F, B, S::Future>
where
    S: Service<Request<R>>,
    F: FnOnce(Replayed<B>) -> R,
    B: Body<Data = Bytes> + Unpin,
{
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let state = &mut self.get_mut().state;
        if let State::Reading(reading) = state {
            let Reading { body, limit, .. } = &mut **reading;
            let read = ready!(body.poll_read(cx, *limit));
            if let State::Reading(reading) = std::mem::replace(state, State::Between) {
                let Reading { head, body, canonicalizer, mut service, rebuild, .. } = *reading;
                let bytes = match read {
                    Read::Whole => body.bytes(),
                    // A part of a body would tell of a length that is not the body's.
                    Read::Partly => Bytes::new(),
                };
                let head = with_document(head, &bytes, &canonicalizer);
                *state = State::Answering(Box::pin(service.call(Request::from_parts(head, rebuild(body)))));
            }
        }
        match state {
            State::Answering(answer) => answer.as_mut().poll(cx),
            State::Reading(_) | State::Between => Poll::Pending,
        }
    }
}
