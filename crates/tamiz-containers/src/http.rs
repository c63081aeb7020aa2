//! One request in a file: all of it, whatever it is.

use crate::container::Reader;
use crate::lines::too_long;
use crate::record::{At, Found, Reason};
use crate::window::Window;
use crate::{compressed, concatenated};

pub(crate) struct Single {
    window: Option<Window>,
    limit: usize,
    notice: Option<(At, Reason)>,
}

impl Single {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Single { window: Some(window), limit, notice: None }
    }
}

impl Reader for Single {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        let mut window = self.window.take()?;
        let is_too_long = window.fill(self.limit.saturating_add(1));
        if let Some(at) = concatenated::next_without_blank(window.bytes()) {
            let reason =
                "another request line behind the body, read as part of it; '--from concatenated' cuts there";
            self.notice = Some((At::Byte(at as u64), reason.into()));
        }
        let result = match window.failure() {
            Some(error) => Err(compressed::reason(error)),
            None if is_too_long => Err(too_long(self.limit)),
            None => Ok(Found::raw(window.take(usize::MAX))),
        };
        Some((At::Whole, result))
    }

    fn next_notice(&mut self) -> Option<(At, Reason)> {
        self.notice.take()
    }
}
