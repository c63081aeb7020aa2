//! Where a leaf of a body stands, and what it is: what every reader of a body tells.

use crate::text::Text;

/// One step of the way to a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    /// A member of an object, an element, a field: by its decoded name.
    Name(Text<'a>),
    /// An item of an array.
    Item,
    /// An attribute of an element.
    Attribute(Text<'a>),
}

/// The value at the end of a key path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf<'a> {
    /// Text, decoded and repaired.
    Text(Text<'a>),
    /// A number, by its text.
    Number(Text<'a>),
    /// `true` or `false`.
    Bool(Text<'a>),
    /// `null`.
    Null,
    /// An object without members.
    EmptyObject,
    /// An array without items.
    EmptyArray,
    /// A file: its name, decoded and repaired, and its content, as it came.
    File { name: Text<'a>, content: Text<'a> },
    /// All that lies below the depth limit, as it came.
    Deep(Text<'a>),
}

/// Whoever takes the leaves of a body, in order of arrival.
pub(crate) trait Sink<'a> {
    /// A leaf, and the way to it.
    fn leaf(&mut self, path: &[Step<'a>], leaf: Leaf<'a>);

    /// A leaf that is a secret by a name that is not on the way to it.
    fn secret_leaf(&mut self, path: &[Step<'a>], leaf: Leaf<'a>) {
        self.leaf(path, leaf);
    }

    /// A text that is no leaf, as it came or decoded, with its name if it has one: it may be a secret.
    fn unseen(&mut self, _name: Option<Text<'a>>, _text: Text<'a>) {}
}

/// The result of parsing a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was read to its end, or to where it was cut.
    Read,
    /// It does not parse.
    Bad,
}
