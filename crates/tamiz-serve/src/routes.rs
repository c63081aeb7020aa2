//! The table of routes: who answers, and how it is described. The router, the description and the labels of counters
//! are made from it.

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{MethodRouter, get, post};
use serde_json::Value;

use crate::answers::{batch, canonicalize, flags, health, parts};
use crate::app::App;
use crate::problem::Problem;
use crate::{openapi, page};

/// A route, which has one method (`GET` is `HEAD` too).
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) method: &'static str,
    handler: fn() -> MethodRouter<Arc<App>>,
    /// The operation in the description; files of the page have none.
    pub(crate) operation: Option<fn() -> Value>,
}

/// Every one there is.
pub(crate) static ROUTES: [Route; 12] = [
    Route::post("/v1/canonicalize", || post(canonicalize::post), openapi::canonicalize),
    Route::post("/v1/parts", || post(parts::post), openapi::parts),
    Route::post("/v1/batch", || post(batch::post), openapi::batch),
    Route::get("/v1/flags", || get(flags::get), Some(openapi::flags)),
    Route::get("/v1/openapi.json", || get(openapi::get), Some(openapi::openapi)),
    Route::get("/healthz", || get(health::healthz), Some(openapi::healthz)),
    Route::get("/readyz", || get(health::readyz), Some(openapi::readyz)),
    Route::get("/metrics", || get(health::counters), Some(openapi::metrics)),
    Route::get("/", || file(&page::INDEX), None),
    Route::get("/page.js", || file(&page::SCRIPT), None),
    Route::get("/page.css", || file(&page::STYLE), None),
    Route::get("/favicon.svg", || file(&page::ICON), None),
];

impl Route {
    const fn post(
        path: &'static str,
        handler: fn() -> MethodRouter<Arc<App>>,
        operation: fn() -> Value,
    ) -> Self {
        Route { path, method: "post", handler, operation: Some(operation) }
    }

    const fn get(
        path: &'static str,
        handler: fn() -> MethodRouter<Arc<App>>,
        operation: Option<fn() -> Value>,
    ) -> Self {
        Route { path, method: "get", handler, operation }
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

/// What a path is called in counters and in the log: a client may ask for any.
pub(crate) fn name(path: &str) -> &'static str {
    ROUTES.iter().map(|route| route.path).find(|known| *known == path).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_apart_and_others_not_told() {
        for route in &ROUTES {
            assert_eq!(name(route.path), route.path);
        }
        for other in ["", "/v1", "/v1/canonicalize/", "/secret", "/V1/flags"] {
            assert_eq!(name(other), "other");
        }
    }
}
