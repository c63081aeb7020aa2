//! How text is shown: escaped, as a marker, as a URL. Headers and lines both write through here.

pub(crate) mod escape;
pub(crate) mod marker;
pub(crate) mod url;
