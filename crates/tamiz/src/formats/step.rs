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
    File(&'a File<'a>),
    /// All that lies below the depth limit, as it came.
    Deep(Text<'a>),
}

/// A file: its name, decoded and repaired, and its content, as it came.
#[derive(Debug)]
pub(crate) struct File<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) content: Text<'a>,
}

/// Whoever takes the leaves of a body, in order of arrival, and the steps between them.
pub(crate) trait Sink<'a> {
    /// A step further on the way: the next leaf may be behind it.
    fn enter(&mut self, step: Step<'a>);

    /// The end of what is behind the last step.
    fn leave(&mut self);

    /// A leaf behind the steps that were entered and not left.
    fn leaf(&mut self, leaf: Leaf<'a>);

    /// A leaf that is a secret by a name that is not on the way to it.
    fn secret_leaf(&mut self, leaf: Leaf<'a>) {
        self.leaf(leaf);
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
