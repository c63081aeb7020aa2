//! The table of routes: who answers, and how it is described. The router, the description and the labels of counters
//! are made from it.

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{MethodRouter, any, get, post};
use serde_json::Value;

use crate::answers::{batch, canonicalize, flags, health, parts, score};
use crate::app::App;
use crate::edge::check;
use crate::problem::Problem;
use crate::{openapi, page};

/// A route, which has one method (`GET` is `HEAD` too) or takes any.
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) methods: &'static [&'static str],
    handler: fn() -> MethodRouter<Arc<App>>,
    /// The operation in the description; files of the page have none.
    pub(crate) operation: Option<fn() -> Value>,
}

/// Below it, any path is one and the same route.
const CHECK_ENVOY: &str = "/check/envoy";

/// Every one there is.
pub(crate) static ROUTES: [Route; 20] = [
    Route::post("/v1/canonicalize", || post(canonicalize::post), openapi::canonicalize),
    Route::post("/v1/parts", || post(parts::post), openapi::parts),
    Route::post("/v1/batch", || post(batch::post), openapi::batch),
    Route::post("/v1/score", || post(score::post), openapi::score),
    Route::any("/check", Some(openapi::check)),
    Route::any("/check/nginx", Some(openapi::check_nginx)),
    Route::any("/check/caddy", Some(openapi::check_caddy)),
    Route::any(CHECK_ENVOY, Some(openapi::check_envoy)),
    // What follows is the path of the request that is asked about.
    Route::any("/check/envoy/", None),
    Route::any("/check/envoy/{*path}", None),
    Route::get("/v1/flags", || get(flags::get), Some(openapi::flags)),
    Route::get("/v1/openapi.json", || get(openapi::get), Some(openapi::openapi)),
    Route::get("/healthz", || get(health::healthz), Some(openapi::healthz)),
    Route::get("/readyz", || get(health::readyz), Some(openapi::readyz)),
    Route::get("/metrics", || get(health::counters), Some(openapi::metrics)),
    Route::get("/", || file(&page::INDEX), None),
    Route::get("/page.js", || file(&page::SCRIPT), None),
    Route::get("/page.css", || file(&page::STYLE), None),
    Route::get("/spec.html", || file(&page::SPECIFICATION), None),
    Route::get("/favicon.svg", || file(&page::ICON), None),
];

impl Route {
    const fn post(
        path: &'static str,
        handler: fn() -> MethodRouter<Arc<App>>,
        operation: fn() -> Value,
    ) -> Self {
        Route { path, methods: &["post"], handler, operation: Some(operation) }
    }

    const fn get(
        path: &'static str,
        handler: fn() -> MethodRouter<Arc<App>>,
        operation: Option<fn() -> Value>,
    ) -> Self {
        Route { path, methods: &["get"], handler, operation }
    }

    /// Proxies ask with the method of the request that they ask about.
    const fn any(path: &'static str, operation: Option<fn() -> Value>) -> Self {
        const ALL: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put", "trace"];
        Route { path, methods: ALL, handler: || any(check::any), operation }
    }
}

fn file(file: &'static page::File) -> MethodRouter<Arc<App>> {
    get(move |headers: HeaderMap| async move { file.answer(&headers) })
}

/// The router of all of them.
pub(crate) fn router(app: Arc<App>) -> Router {
    let mut router = Router::new();
    for route in &ROUTES {
        router = router.route(route.path, (route.handler)());
    }
    router
        .fallback(async || Problem::NotFound)
        .method_not_allowed_fallback(async || Problem::Method)
        .with_state(app)
}

/// The name of a path in metrics and in the log, since a client may ask for any path.
pub(crate) fn name(path: &str) -> &'static str {
    let is_below = path.strip_prefix(CHECK_ENVOY).is_some_and(|rest| rest.starts_with('/'));
    let path = if is_below { CHECK_ENVOY } else { path };
    ROUTES.iter().map(|route| route.path).find(|known| *known == path).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_apart_and_others_not_told() {
        for route in &ROUTES {
            let is_below = route.path.starts_with("/check/envoy/");
            assert_eq!(name(route.path), if is_below { "/check/envoy" } else { route.path });
        }
        assert_eq!(name("/check/envoy/secret"), "/check/envoy");
        for other in ["", "/v1", "/v1/canonicalize/", "/secret", "/V1/flags", "/check/envoysecret"] {
            assert_eq!(name(other), "other");
        }
    }
}
