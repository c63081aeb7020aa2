//! The peer of `cargo x bench serve`: an axum handler that reads the body and answers.

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;

fn main() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let app = Router::new().route("/v1/canonicalize", post(async |_: Bytes| ()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}/", listener.local_addr()?);
        axum::serve(listener, app).await
    })
}
