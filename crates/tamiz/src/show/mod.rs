//! How text is shown: escaped, as a marker, as a URL. Headers and lines both write through here.

pub(crate) mod charset;
pub(crate) mod entropy;
pub(crate) mod escape;
pub(crate) mod length;
pub(crate) mod marker;

/// How a name that came from outside may be shown: a key, a header's name, a cookie's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameShown {
    /// It looks like a name.
    Text,
    /// By its shape.
    Shape,
    /// By its shape, without its signs: it is or holds a credential, in a place that shows no `SECRET`.
    ShapeAlone,
    /// It is, holds or echoes a credential.
    Secret,
}
