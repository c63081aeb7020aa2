//! The `U` line of a document, cut for tokens that are read line by line.

use super::cursor::Cursor;
use crate::bytes;
use crate::document::cut;

/// A `U` line under way.
#[derive(Default)]
pub(super) struct Url<'d> {
    /// All of it.
    pub(super) line: &'d str,
    /// The part before the query.
    pub(super) before_query: &'d str,
    /// The query and all that follows it.
    pub(super) query: Cursor<'d>,
    pub(super) flags: &'d str,
    /// It has flags or a fragment: its query is not cut into pairs.
    pub(super) is_odd: bool,
}

impl<'d> Url<'d> {
    /// Cuts a `U` line: of it the host, the query and the flags tell something.
    pub(super) fn cut(rest: &mut Cursor<'d>) -> Option<Self> {
        let text = rest.text;
        let end = bytes::position(b'\n', text.as_bytes())?;
        let line = text.get(..end)?.strip_prefix("U:")?;
        rest.text = text.get(end.saturating_add(1)..)?;
        let (content, flags) = cut::content_and_flags(line);
        let mut query = Cursor { text: "\n", seed: rest.seed };
        let mut is_odd = !flags.is_empty();
        let mark = bytes::position(b'?', content.as_bytes());
        if let Some(mark) = mark {
            // With its line end, and what is behind it, there are whole words to read.
            query.text = text.get(mark.saturating_add(3)..)?;
            let behind = content.as_bytes().get(mark..)?;
            let is_fragment = |at: usize| behind.get(at..).is_some_and(|rest| rest.starts_with(b"%23<"));
            is_odd |= memchr::memchr_iter(b'%', behind).any(is_fragment);
        }
        let before_query = content.get(..mark.unwrap_or(content.len()))?;
        Some(Url { line, before_query, query, flags, is_odd })
    }
}
