//! An axum app that logs the flags of each request.
//!
//! ```sh
//! cargo run -p tamiz-tower --example axum
//! curl 'http://127.0.0.1:3000/a/%2e%2e/b?q=%3Cscript%3E' --data 'user=admin%27--'
//! ```

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use tamiz::{Canonicalizer, Config};
use tamiz_tower::{Canonical, TamizLayer};

/// The most bytes of a body that are looked at.
const LIMIT: usize = 64 << 10;

fn app() -> Router {
    let tamiz = TamizLayer::new(Canonicalizer::new(Config::default())).with_body(LIMIT, Body::new);
    // Layers that are added last see the request first.
    Router::new().fallback(async |body: String| body).layer(middleware::from_fn(log)).layer(tamiz)
}

/// One line for each request: its method and path as shown, and its flags with their places. No secret is in them.
async fn log(request: Request, next: Next) -> Response {
    if let Some(document) = request.extensions().get::<Canonical>() {
        let flags: Vec<String> =
            document.flags().map(|raised| format!("{raised}@{}", raised.place())).collect();
        println!("{} {} [{}]", document.method(), document.path().unwrap_or("-"), flags.join(" "));
    }
    next.run(request).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://{}/", listener.local_addr()?);
    axum::serve(listener, app()).await
}
