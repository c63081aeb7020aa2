//! One request in a file: all of it, whatever it is.

use crate::compressed;
use crate::container::Reader;
use crate::lines::too_long;
use crate::record::{At, Found, Reason};
use crate::window::Window;

pub(crate) struct Single {
    window: Option<Window>,
    limit: usize,
}

impl Single {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Single { window: Some(window), limit }
    }
}

impl Reader for Single {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        let mut window = self.window.take()?;
        let is_too_long = window.fill(self.limit.saturating_add(1));
        let result = match window.failure() {
            Some(error) => Err(compressed::reason(error)),
            None if is_too_long => Err(too_long(self.limit)),
            None => Ok(Found::raw(window.bytes().to_vec())),
        };
        Some((At::Whole, result))
    }
}
