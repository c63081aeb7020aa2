//! Real proxies before a real application, with `tamiz serve` beside them, as the files of `deploy/` say.

#![allow(dead_code, unreachable_pub, reason = "parts of the kits are for others")]

/// Tests of every proxy, in a module for each: what they are called, and which function is given the proxy.
macro_rules! each_proxy {
    (@of $module:ident $kind:ident $($name:ident = $check:ident;)+) => {
        mod $module {
            use super::*;

            $(
                #[test]
                fn $name() {
                    $check(Kind::$kind);
                }
            )+
        }
    };
    ($($name:ident = $check:ident;)+) => {
        each_proxy!(@of nginx Nginx $($name = $check;)+);
        each_proxy!(@of caddy Caddy $($name = $check;)+);
        each_proxy!(@of envoy_ext_authz EnvoyExtAuthz $($name = $check;)+);
        each_proxy!(@of envoy_ext_proc EnvoyExtProc $($name = $check;)+);
        each_proxy!(@of haproxy Haproxy $($name = $check;)+);
    };
}

mod agent;
mod as_seen_by;
mod backend;
#[path = "../../../tamiz-serve/tests/common/client.rs"]
mod client;
#[path = "../common/mod.rs"]
mod common;
#[path = "../../../tamiz/tests/common/corpus.rs"]
mod corpus;
mod faults;
mod flags;
mod later_http;
mod load;
mod ports;
mod proxies;
mod shipping;
mod sink;
mod timeouts;
#[path = "../../../tamiz/tests/common/vectors.rs"]
mod vectors;

use std::path::PathBuf;

/// The root of the project.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
