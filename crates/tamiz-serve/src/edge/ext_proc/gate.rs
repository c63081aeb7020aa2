//! How much of a request Envoy may send: what is more than a little needs a slot, from before it is read to the answer.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use crate::app::{App, Slot};
use crate::problem::Problem;
use crate::settings::Limits;

/// Counts what came of a request and was not yet answered.
pub(super) struct Gate {
    app: Arc<App>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    bytes: usize,
    slot: Option<Slot>,
}

impl Gate {
    pub(super) fn new(app: Arc<App>) -> Self {
        Gate { app, held: Mutex::default() }
    }

    /// Counts bytes that came; takes a slot where they are no longer few.
    fn add(&self, len: usize) -> Result<(), Problem> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.bytes = held.bytes.saturating_add(len);
        if held.bytes > Limits::SMALL && held.slot.is_none() {
            held.slot = Some(self.app.large_slot()?);
        }
        Ok(())
    }

    /// The slot of what came, which is about to be answered; counting begins anew.
    pub(super) fn take(&self) -> Option<Slot> {
        std::mem::take(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner)).slot
    }
}

/// The body of a call, counted.
pub(super) struct Gated {
    pub(super) body: Incoming,
    pub(super) gate: Arc<Gate>,
}

impl Body for Gated {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(cx)) else { return Poll::Ready(None) };
        let frame = frame?;
        if let Err(problem) = self.gate.add(frame.data_ref().map_or(0, Bytes::len)) {
            self.gate.app.metrics.rejected(problem);
            return Poll::Ready(Some(Err(problem.code().into())));
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use tamiz::Config;

    use super::*;

    #[test]
    fn a_slot_is_taken_once_and_comes_back_with_the_answer() {
        let limits = Limits { large: 1, ..Limits::default() };
        let app = Arc::new(App::new(Config::default(), limits, crate::Deny::default()));
        let gates = [0, 1].map(|_| Gate::new(Arc::clone(&app)));
        assert_eq!(gates[0].add(Limits::SMALL), Ok(()));
        assert!(gates[0].take().is_none());
        assert_eq!(gates[0].add(Limits::SMALL), Ok(()));
        assert_eq!((gates[0].add(1), gates[0].add(1)), (Ok(()), Ok(())));
        assert_eq!(gates[1].add(Limits::SMALL + 1), Err(Problem::Overload));
        drop(gates[0].take().unwrap());
        assert_eq!(gates[1].add(1), Ok(()));
    }
}
