//! Document type declarations (clause 8.36): what they declare is told, and never obeyed.
//!
//! XML 1.0 section 2.8:
//! ```text
//! doctypedecl ::= '<!DOCTYPE' S Name (S ExternalID)? S? ('[' intSubset ']' S?)? '>'
//! intSubset   ::= (markupdecl | PEReference | S)*
//! markupdecl  ::= elementdecl | AttlistDecl | EntityDecl | NotationDecl | PI | Comment
//! ```
//! Inside a declaration only its literals and its end are looked for.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "the cursor moves over what it has seen; declarations are counted up to a limit"
)]

use super::cursor::Piece;
use super::{Reader, Stop, references};
use crate::bytes::{self, ALPHA};
use crate::flags::Flag;
use crate::formats::step::Sink;
use crate::text::Text;

/// How a declaration, or the part of it before its subset, ends.
#[derive(PartialEq, Eq)]
enum Ended {
    /// With a `>`.
    Whole,
    /// At a `[`, where a subset may begin.
    AtSubset,
    /// At a `<`, which cannot be in it.
    Broken,
}

impl<'a, S: Sink<'a>> Reader<'a, '_, S> {
    /// Reads a declaration that begins here with `<!DOCTYPE`, in any case.
    pub(super) fn doctype(&mut self) -> Result<(), Stop> {
        let start = self.cursor.at;
        let is_in_place = !self.has_doctype && !self.has_root;
        let is_upper = self.cursor.rest().starts_with(b"<!DOCTYPE");
        self.has_doctype = true;
        self.cursor.at += b"<!DOCTYPE".len();
        let end = self.doctype_inside();
        self.flags.raise(Flag::Doctype, self.cursor.since(start));
        self.is_faulty |= !is_in_place || !is_upper;
        end
    }

    fn doctype_inside(&mut self) -> Result<(), Stop> {
        self.is_faulty |= !self.cursor.skip_space() && !self.cursor.is_at_end();
        match self.cursor.name() {
            Ok(_) => {}
            Err(Stop::Early) => return Err(Stop::Early),
            Err(Stop::Bad) => self.is_faulty = true,
        }
        if self.declaration_end(true, true, None)? == Ended::AtSubset {
            self.cursor.at += 1;
            self.subset()?;
            self.cursor.skip_space();
            if self.cursor.peek()? == b'>' {
                self.cursor.at += 1;
            } else {
                self.is_faulty = true;
                self.declaration_end(false, true, None)?;
            }
        }
        Ok(())
    }

    /// Reads to the end of a declaration, scanning its literals; `entity` is what it declares, if that is one.
    fn declaration_end(
        &mut self,
        has_subset: bool,
        is_scanned: bool,
        entity: Option<Text<'a>>,
    ) -> Result<Ended, Stop> {
        loop {
            match self.cursor.peek()? {
                b'>' => {
                    self.cursor.at += 1;
                    return Ok(Ended::Whole);
                }
                b'[' if has_subset => return Ok(Ended::AtSubset),
                b'<' => {
                    self.is_faulty = true;
                    return Ok(Ended::Broken);
                }
                b'"' | b'\'' => {
                    let literal = self.cursor.quoted()?;
                    if is_scanned {
                        self.scan_literal(&literal, entity);
                    }
                }
                _ => self.cursor.at += 1,
            }
        }
    }

    /// Scans an entity's value or an identifier.
    fn scan_literal(&mut self, literal: &Piece<'a>, entity: Option<Text<'a>>) {
        // `%` begins a reference here too, and a value is no text yet: faults in it are not ours.
        let (value, _) = references::decode(literal.text, !literal.is_ended, self.cx);
        self.scan_unseen(entity, value);
    }

    /// Reads the declarations between `[` and `]`, and the `]`.
    fn subset(&mut self) -> Result<(), Stop> {
        loop {
            self.cursor.skip_space();
            match self.cursor.rest() {
                [] | [b'<'] | [b'<', b'!'] | [b'<', b'!', b'-'] => {
                    self.cursor.at = self.cursor.text.len();
                    return Err(Stop::Early);
                }
                [b']', ..] => {
                    self.cursor.at += 1;
                    return Ok(());
                }
                [b'<', b'!', b'-', b'-', ..] => self.comment()?,
                [b'<', b'?', ..] => self.instruction()?,
                [b'<', b'!', ..] => self.declaration_in_subset()?,
                [b'%', ..] => {
                    self.cursor.at += 1;
                    match self.cursor.name().and_then(|_| self.cursor.expect(b';')) {
                        Err(Stop::Early) => return Err(Stop::Early),
                        Err(Stop::Bad) => self.is_faulty = true,
                        Ok(()) => {}
                    }
                }
                _ => {
                    self.is_faulty = true;
                    self.cursor.at += 1;
                }
            }
        }
    }

    /// The name of the entity, of either kind, that is declared here.
    fn entity_name(&self) -> Option<Text<'a>> {
        let mut cursor = self.cursor;
        cursor.skip_space();
        if cursor.rest().starts_with(b"%") {
            cursor.at += 1;
            cursor.skip_space();
        }
        cursor.name().ok()
    }

    /// Reads one declaration of a subset, `<!` and what follows.
    fn declaration_in_subset(&mut self) -> Result<(), Stop> {
        let start = self.cursor.at;
        self.cursor.at += b"<!".len();
        let len = self.cursor.rest().iter().take_while(|&&b| bytes::is(b, ALPHA)).count();
        let keyword = self.cursor.rest().get(..len).unwrap_or_default();
        self.cursor.at += len;
        let is_entity = keyword.eq_ignore_ascii_case(b"ENTITY");
        // One that the input ends in may go on to be any.
        if !self.cursor.is_at_end()
            && ![&b"ENTITY"[..], b"ELEMENT", b"ATTLIST", b"NOTATION"].contains(&keyword)
        {
            self.is_faulty = true;
        }
        self.entities += usize::from(is_entity);
        let is_looked_at = self.entities <= self.limits.entities;
        let entity = if is_entity { self.entity_name() } else { None };
        let end = self.declaration_end(false, is_looked_at, entity).map(|_| ());
        if is_entity {
            if is_looked_at {
                self.flags.raise(Flag::Entity, self.cursor.since(start));
            } else {
                self.is_capped = true;
            }
        }
        end
    }
}
