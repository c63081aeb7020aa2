//! Interfaces for proxies: a proxy sends a parsed request, and gets the verdict on it.
//!
//! [`sources`] says what each proxy hands over and what of it is its own; [`verdict`] makes the document, tells its
//! flags and digest, and gives it to the sink with a name that [`id`] lets through. `/check` is asked over HTTP
//! (`check`, `head`, `asked`), `spoe` is for HAProxy and `ext_proc` for Envoy.

pub(crate) mod asked;
pub(crate) mod check;
mod deny;
#[cfg(feature = "ext-proc")]
pub(crate) mod ext_proc;
mod head;
mod id;
mod sources;
pub(crate) mod spoe;
pub(crate) mod verdict;

pub use deny::{Deny, NotADeny};
