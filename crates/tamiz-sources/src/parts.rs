//! The parts of a request, owned.

use std::fmt;

/// The parts of a request that are passed on: like [`tamiz::Parts`], but owned, since proxies rewrite them.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedParts {
    /// The method.
    pub method: Vec<u8>,
    /// The target.
    pub target: Vec<u8>,
    /// The version, as `HTTP/1.1`, where it is told.
    pub version: Option<Vec<u8>>,
    /// The headers, in the order in which repeats of a name are handed over.
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body, where it is handed over.
    pub body: Option<Vec<u8>>,
}

impl OwnedParts {
    /// Borrows the parts, as the canonicalizer takes them.
    pub fn borrowed(&self) -> tamiz::Parts<'_> {
        let mut parts = tamiz::Parts::new(&self.method, &self.target);
        parts.version = self.version.as_deref();
        parts.headers = self.headers.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        parts.body = self.body.as_deref();
        parts
    }
}

impl fmt::Debug for OwnedParts {
    /// Without what is in them: requests hold secrets, and debug output ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedParts").field("headers", &self.headers.len()).finish_non_exhaustive()
    }
}
