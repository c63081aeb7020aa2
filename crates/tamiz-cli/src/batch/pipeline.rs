//! One thread reads chunks, others work on them, and what comes of each is handed on in the order of
//! the chunks. What is under way is bounded by its bytes, so that memory does not grow with the input.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use tamiz_containers::Chunk;

/// The most bytes of chunks that are under way; a larger chunk goes alone.
const MOST_BYTES: usize = 32 << 20;

/// The answer of a consumer: continue or stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Go {
    On,
    Stop,
}

/// Works on chunks with so many threads, each with a state of its own. What `work` makes of a chunk goes
/// to `write` on the present thread, in order.
///
/// # Errors
/// The first that `write` returns; nothing more is read then.
pub(crate) fn run<S, T: Send, E>(
    chunks: impl Iterator<Item = Chunk> + Send,
    jobs: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Chunk) -> T + Sync,
    mut write: impl FnMut(T) -> Result<Go, E>,
) -> Result<(), E> {
    let gate = Gate::default();
    let (to_do, chunks_to_do) = sync_channel::<Numbered<Chunk>>(jobs);
    let (done, results) = sync_channel::<Numbered<T>>(jobs);
    // Each worker has a share of it, so that it is gone when they are, and the reader waits for nobody.
    let chunks_to_do = Arc::new(Mutex::new(chunks_to_do));
    thread::scope(|scope| {
        let (gate, state, work) = (&gate, &state, &work);
        scope.spawn(move || {
            for (number, chunk) in chunks.enumerate() {
                let weight = chunk.weight();
                if !gate.enter(weight) || to_do.send(Numbered { number, weight, what: chunk }).is_err() {
                    break;
                }
            }
        });
        for _ in 0..jobs {
            let (done, chunks_to_do) = (done.clone(), Arc::clone(&chunks_to_do));
            scope.spawn(move || {
                let mut state = state();
                while let Some(Numbered { number, weight, what }) = next(&chunks_to_do) {
                    let what = work(&mut state, what);
                    if done.send(Numbered { number, weight, what }).is_err() {
                        break;
                    }
                }
            });
        }
        drop((done, chunks_to_do));
        let written = write_in_order(&results, gate, &mut write);
        gate.close();
        // Workers that wait to hand something on are let go.
        drop(results);
        written
    })
}

/// The next of a channel that several threads take from.
fn next<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn write_in_order<T, E>(
    results: &Receiver<Numbered<T>>,
    gate: &Gate,
    write: &mut impl FnMut(T) -> Result<Go, E>,
) -> Result<(), E> {
    let mut waiting = BTreeMap::new();
    let mut expected = 0;
    for Numbered { number, weight, what } in results {
        waiting.insert(number, (weight, what));
        while let Some((weight, what)) = waiting.remove(&expected) {
            expected += 1;
            let go = write(what)?;
            gate.leave(weight);
            if go == Go::Stop {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Something with its place in the order and its weight.
struct Numbered<T> {
    number: usize,
    weight: usize,
    what: T,
}

/// Lets in as many bytes as may be under way.
#[derive(Default)]
struct Gate {
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Default)]
struct Inside {
    bytes: usize,
    is_closed: bool,
}

impl Gate {
    /// Waits until there is room; whether the gate is still open.
    fn enter(&self, weight: usize) -> bool {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        while !inside.is_closed && inside.bytes > 0 && inside.bytes + weight > MOST_BYTES {
            inside = self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
        inside.bytes += weight;
        !inside.is_closed
    }

    fn leave(&self, weight: usize) {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).bytes -= weight;
        self.changed.notify_all();
    }

    fn close(&self) {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).is_closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use tamiz_containers::{Container, Options, Request};

    /// So many chunks of one request each.
    fn chunks(count: usize) -> impl Iterator<Item = Chunk> + Send {
        (0..count).filter_map(|n| {
            let line = format!("{{\"raw\":\"GET /{n} HTTP/1.1\"}}\n");
            Container::read("x", std::io::Cursor::new(line.into_bytes()), &Options::default())
                .ok()?
                .next_chunk()
        })
    }

    fn id(chunk: Chunk) -> u64 {
        chunk.into_iter().map(|record| record.unwrap().request.len() as u64).sum()
    }

    /// The number of a chunk of [`chunks`].
    fn number(chunk: Chunk) -> usize {
        let records: Vec<_> = chunk.into_iter().map(Result::unwrap).collect();
        let [record] = &records[..] else { panic!("{} records", records.len()) };
        let Request::Raw(request) = &record.request else { panic!("not bytes") };
        let text = String::from_utf8_lossy(request);
        text.split(['/', ' ']).nth(2).and_then(|number| number.parse().ok()).expect("a number")
    }

    #[test]
    fn order_is_kept_whoever_is_slow() {
        let mut seen = Vec::new();
        let (done, changed) = (Mutex::new([false; 200]), Condvar::new());
        let work = |_: &mut (), chunk: Chunk| {
            let number = number(chunk);
            let mut done = done.lock().unwrap();
            // Of two chunks, the first is done after the second.
            if number.is_multiple_of(2) {
                done = changed.wait_while(done, |done| !done[number + 1]).unwrap();
            }
            done[number] = true;
            changed.notify_all();
            number
        };
        let write = |number| {
            seen.push(number);
            Ok::<_, Infallible>(Go::On)
        };
        run(chunks(200), 4, || (), work, write).unwrap();
        assert_eq!(seen, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn stopping_and_failing_end_it_at_once() {
        for jobs in [1, 3] {
            let mut written = 0;
            let stopped = run(
                chunks(usize::MAX),
                jobs,
                || (),
                |(), chunk| id(chunk),
                |_| {
                    written += 1;
                    Ok::<_, Infallible>(if written == 5 { Go::Stop } else { Go::On })
                },
            );
            assert_eq!((stopped, written), (Ok(()), 5));
            let failed =
                run(chunks(usize::MAX), jobs, || (), |(), chunk| id(chunk), |_| Err::<Go, _>("full"));
            assert_eq!(failed, Err("full"));
        }
    }
}
