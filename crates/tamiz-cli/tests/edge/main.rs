//! Real proxies before a real application, with `tamiz serve` beside them, as the files of `deploy/` say.

#![allow(dead_code, reason = "parts of the kits are for others")]

mod agent;
mod backend;
#[path = "../../../tamiz-serve/tests/common/client.rs"]
mod client;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod flags;
mod later_http;
mod load;
mod proxies;
mod sink;
