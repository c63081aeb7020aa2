//! The lines of a body (clauses 8.30 and 9.2), cut again.

use super::keys::{Keys, Values};
use super::lines::Measure;
use super::marker::{Marker, is_body_key};
use super::parse::{Reader, Result};

/// The kinds of bodies.
const KINDS: [&str; 6] = ["form", "json", "multipart", "xml", "text", "binary"];

/// Kinds that have no keys.
const WITHOUT_KEYS: [&str; 2] = ["text", "binary"];

/// The `B`, `BQ` and `BK` lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body<'d> {
    pub(crate) kind: &'d str,
    pub(crate) length: Measure<'d>,
    /// The shape of all of it, where it has no keys or could not be read.
    pub(crate) shape: Option<&'d str>,
    pub(crate) flags: &'d str,
    /// There exactly where the shape is not.
    pub(crate) keys: Option<Keys<'d>>,
    pub(crate) values: Values<'d>,
}

impl<'d> Body<'d> {
    /// Reads the lines from `B:` on.
    pub(super) fn cut(reader: &mut Reader<'d>) -> Result<Self> {
        let mut cursor = reader.tagged("B:", "a `B:` line")?;
        let kind = cursor.word();
        if !KINDS.contains(&kind) {
            return cursor.fail("form, json, multipart, xml, text or binary");
        }
        cursor = cursor.skip(kind.len());
        cursor.tag(" BLEN:", "` BLEN:`")?;
        let mut body = Body { kind, length: cursor.measure()?, ..Body::default() };
        let here = cursor;
        let content = cursor.up_to_flags();
        body.flags = cursor.flags()?;
        if content.is_empty() && !WITHOUT_KEYS.contains(&kind) {
            let mut cursor = reader.tagged("BQ:", "a `BQ:` line")?;
            body.keys = Some(Keys::cut(&mut cursor, is_body_key)?);
            cursor.end()?;
            body.values = Values::cut(reader, "BK:", Marker::of_leaf)?;
            return Ok(body);
        }
        body.shape = content.strip_prefix(' ').filter(|shape| Marker::of_value(shape).is_some());
        if body.shape.is_none() {
            return here.fail("the shape of the body");
        }
        Ok(body)
    }
}
