//! Reading ahead on a thread of its own, so that undoing a compression and making records of what comes of it go on at the
//! same time.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The bytes that are handed over at once.
const BLOCK: usize = 256 << 10;
/// The most blocks that may wait.
const WAITING: usize = 4;

/// An input that is read ahead.
pub(crate) struct Ahead {
    blocks: Receiver<io::Result<Vec<u8>>>,
    present: Vec<u8>,
    at: usize,
}

impl Ahead {
    /// Begins to read; where no thread can be had, that is what reading fails with.
    pub(crate) fn begin(input: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        let (send, blocks) = sync_channel(WAITING);
        // It ends with the input, or when nobody wants more of it.
        let begun = thread::Builder::new().name("decompression".to_owned()).spawn(move || {
            let mut input = input;
            loop {
                let mut block = Vec::new();
                let read = (&mut input).take(BLOCK as u64).read_to_end(&mut block);
                if !block.is_empty() && send.send(Ok(block)).is_err() {
                    return;
                }
                match read {
                    Ok(0) => return,
                    Ok(_) => {}
                    Err(error) => {
                        let _ = send.send(Err(error));
                        return;
                    }
                }
            }
        });
        match begun {
            Ok(_) => Box::new(Ahead { blocks, present: Vec::new(), at: 0 }),
            Err(error) => Box::new(Failed(Some(error))),
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at >= self.present.len() {
            match self.blocks.recv() {
                Ok(Ok(block)) => (self.present, self.at) = (block, 0),
                Ok(Err(error)) => return Err(error),
                Err(_) => return Ok(0),
            }
        }
        let rest = self.present.get(self.at..).unwrap_or_default();
        let len = rest.len().min(out.len());
        if let (Some(to), Some(from)) = (out.get_mut(..len), rest.get(..len)) {
            to.copy_from_slice(from);
        }
        self.at = self.at.saturating_add(len);
        Ok(len)
    }
}

/// An input for which there was no thread.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// Some bytes, then an error.
    struct Breaks(Cursor<Vec<u8>>);

    impl Read for Breaks {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(io::ErrorKind::InvalidData.into()),
                len => Ok(len),
            }
        }
    }

    #[test]
    fn all_bytes_in_their_order_and_errors_behind_them() {
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
        let mut out = Vec::new();
        Ahead::begin(Box::new(Cursor::new(bytes.clone()))).read_to_end(&mut out).unwrap();
        assert!(out == bytes);
        let mut out = Vec::new();
        let error =
            Ahead::begin(Box::new(Breaks(Cursor::new(bytes.clone())))).read_to_end(&mut out).unwrap_err();
        assert!(out == bytes && error.kind() == io::ErrorKind::InvalidData);
    }

    #[test]
    fn nobody_has_to_read_to_the_end() {
        let mut endless = Ahead::begin(Box::new(io::repeat(b'x')));
        let mut some = [0; 10];
        endless.read_exact(&mut some).unwrap();
        drop(endless);
    }
}
