//! Middleware for every request: adds headers, counts it, logs it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::http::header::{CONNECTION, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue, Request, Response};
use http_body::Body as _;
use hyper::body::Incoming;
use tower::Service;

use crate::app::App;
use crate::choices::Wish;
use crate::problem::Problem;
use crate::routes;
use crate::stamp::FINGERPRINT;

/// Answers requests of one connection after the other.
#[derive(Clone)]
pub(crate) struct Front {
    app: Arc<App>,
    router: Router,
}

impl Front {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Front { router: routes::router(Arc::clone(&app)), app }
    }

    /// Answers one.
    pub(crate) async fn answer(mut self, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        let started = Instant::now();
        let route = routes::name(request.uri().path());
        let method = method_name(request.method().as_str().as_bytes());
        let received = request.body().size_hint().exact();
        let mut response = self.router.call(request).await?;
        self.mark(&mut response);
        let (status, time) = (response.status().as_u16(), started.elapsed());
        self.app.metrics.answered(route, status, time);
        let problem = response.extensions().get::<Problem>().copied();
        if let Some(problem) = problem {
            self.app.metrics.rejected(problem);
        }
        let reason = problem.map(Problem::code);
        let (micros, sent) =
            (u64::try_from(time.as_micros()).unwrap_or(u64::MAX), response.body().size_hint().exact());
        if problem == Some(Problem::Fault) {
            tracing::error!(method, route, status, reason, micros, received, sent, "answered");
        } else {
            tracing::debug!(method, route, status, reason, micros, received, sent, "answered");
        }
        Ok(response)
    }

    fn mark(&self, response: &mut Response<Body>) {
        const NAME: HeaderName = HeaderName::from_static(FINGERPRINT);
        let headers = response.headers_mut();
        if !headers.contains_key(NAME)
            && let Ok(chosen) = self.app.chosen(Wish::default())
        {
            headers.insert(NAME, chosen.fingerprint.clone());
        }
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if self.app.is_stopping() {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

/// A method for the log: a client may send any word for one.
pub(crate) fn method_name(method: &[u8]) -> &'static str {
    const KNOWN: [&str; 9] = ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"];
    KNOWN.into_iter().find(|known| known.as_bytes() == method).unwrap_or("other")
}
