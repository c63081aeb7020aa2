//! Formats that are read as a whole, since a record of them needs what stands elsewhere in the file: collections of
//! requests that people write. A file that is longer than a record may be is unreadable.

use std::collections::VecDeque;

use crate::compressed;
use crate::container::Reader;
use crate::lines::{BOM, too_long};
use crate::memory::Promise;
use crate::record::{At, Found, Reason};
use crate::window::Window;

/// The records of a file, or why there are none, each with its place.
pub(crate) type Records = Vec<(At, Result<Found, Reason>)>;

/// Makes records of a file.
pub(crate) type Parse = fn(&[u8]) -> Result<Records, Reason>;

pub(crate) struct Whole {
    window: Option<Window>,
    limit: usize,
    parse: Parse,
    ready: VecDeque<(At, Result<Found, Reason>)>,
}

impl Whole {
    pub(crate) fn new(window: Window, limit: usize, parse: Parse) -> Self {
        Whole { window: Some(window), limit, parse, ready: VecDeque::new() }
    }
}

impl Reader for Whole {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        if let Some(mut window) = self.window.take() {
            let is_too_long = window.fill(self.limit.saturating_add(1));
            if let Some(error) = window.failure() {
                return Some((At::Whole, Err(compressed::reason(error))));
            }
            if is_too_long {
                return Some((At::Whole, Err(too_long(self.limit))));
            }
            let bytes = window.bytes();
            let _promise = match Promise::to_parse(bytes.len()) {
                Ok(promise) => promise,
                Err(reason) => return Some((At::Whole, Err(reason))),
            };
            match (self.parse)(bytes.strip_prefix(BOM).unwrap_or(bytes)) {
                Ok(records) => self.ready = records.into(),
                Err(reason) => return Some((At::Whole, Err(reason))),
            }
        }
        self.ready.pop_front()
    }
}
