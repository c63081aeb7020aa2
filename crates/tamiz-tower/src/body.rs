//! A body that was looked at, from its start.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// A body whose first frames were read and are given again, then the rest of it: frame by frame what it was.
#[derive(Debug)]
pub struct Replayed<B: Body<Data = Bytes>> {
    read: VecDeque<Frame<Bytes>>,
    /// The error that came after them.
    error: Option<B::Error>,
    rest: B,
}

/// How far a body was read.
pub(crate) enum Read {
    /// To its end.
    Whole,
    /// Not to its end: it is too long, or broken.
    Partly,
}

impl<B: Body<Data = Bytes> + Unpin> Replayed<B> {
    pub(crate) fn new(body: B) -> Self {
        Replayed { read: VecDeque::new(), error: None, rest: body }
    }

    /// Reads on until the body ends, or has more than `limit` bytes.
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Read> {
        loop {
            // What says that it is too long need not be waited for.
            let announced = self.rest.size_hint().lower().saturating_add(self.len());
            if announced > u64::try_from(limit).unwrap_or(u64::MAX) {
                return Poll::Ready(Read::Partly);
            }
            match std::task::ready!(Pin::new(&mut self.rest).poll_frame(cx)) {
                None => return Poll::Ready(Read::Whole),
                Some(Ok(frame)) => self.read.push_back(frame),
                Some(Err(error)) => {
                    self.error = Some(error);
                    return Poll::Ready(Read::Partly);
                }
            }
        }
    }

    /// The bytes that were read.
    pub(crate) fn bytes(&self) -> Bytes {
        let mut pieces = self.read.iter().filter_map(Frame::data_ref);
        match (pieces.next(), pieces.next()) {
            (None, _) => Bytes::new(),
            (Some(only), None) => only.clone(),
            _ => self.read.iter().filter_map(Frame::data_ref).flatten().copied().collect(),
        }
    }

    /// How many bytes were read.
    fn len(&self) -> u64 {
        let lens = self.read.iter().filter_map(Frame::data_ref).map(|piece| piece.len() as u64);
        lens.fold(0, u64::saturating_add)
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Replayed<B>
where
    B::Error: Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if let Some(frame) = self.read.pop_front() {
            return Poll::Ready(Some(Ok(frame)));
        }
        if let Some(error) = self.error.take() {
            return Poll::Ready(Some(Err(error)));
        }
        Pin::new(&mut self.rest).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.read.is_empty() && self.error.is_none() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (read, rest) = (self.len(), self.rest.size_hint());
        let mut hint = SizeHint::new();
        // The upper one first: it must not be below the other.
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(read));
        }
        hint.set_lower(rest.lower().saturating_add(read));
        hint
    }
}
