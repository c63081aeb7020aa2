//! The state that every stage gets: memory for text, the settings, and whether to keep evidence.

use std::cell::RefCell;
use std::ops::Deref;

use bumpalo::Bump;

use crate::flags::Flags;
use crate::settings::Settings;

/// Whether quiet fields take ways of their own. A page needs no speed: without them its download is smaller, and documents are the
/// same.
pub(crate) const HAS_FAST_PATHS: bool = cfg!(not(target_family = "wasm"));

/// The state that the stages of one canonicalisation share.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    pub(crate) bump: &'a Bump,
    pub(crate) spare: &'a Spare,
    pub(crate) settings: &'a Settings,
    pub(crate) traced: bool,
    /// True if quiet header lines are finished without being opened.
    pub(crate) finishes: bool,
}

/// A word to pass on; lives as long as one canonicalisation.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a>(&'a Shared<'a>);

impl<'a> Context<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>) -> Self {
        Context(shared)
    }

    /// An empty set of flags for one place.
    pub(crate) fn flags(self) -> Flags<'a> {
        Flags::new(self.bump, self.traced)
    }

    /// Returns this context with another arena: for parts that are scanned, but not kept.
    pub(crate) fn in_arena<'b>(self, bump: &'b Bump) -> Shared<'b>
    where
        'a: 'b,
    {
        Shared { bump, ..*self.0 }
    }

    /// Writes into the arena by `write`, and returns the bytes.
    pub(crate) fn written(self, write: impl FnOnce(&mut Vec<u8>)) -> &'a [u8] {
        self.spare.with(|out| {
            write(out);
            self.bump.alloc_slice_copy(out)
        })
    }
}

impl<'a> Deref for Context<'a> {
    type Target = Shared<'a>;

    fn deref(&self) -> &Shared<'a> {
        self.0
    }
}

/// Buffers to write something aside in, and arenas for what is not kept. Unlike the request's arena they are used again
/// within a request.
#[derive(Default)]
pub(crate) struct Spare {
    buffers: RefCell<Vec<Vec<u8>>>,
    arenas: RefCell<Vec<Bump>>,
    /// The texts of the finished header lines of the present request, one behind the other.
    pub(crate) lines: RefCell<Vec<u8>>,
}

impl Spare {
    /// Hands out an empty buffer. Whoever has one may ask for another.
    pub(crate) fn with<T>(&self, use_it: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let mut buffer = self.buffers.borrow_mut().pop().unwrap_or_default();
        buffer.clear();
        let result = use_it(&mut buffer);
        self.buffers.borrow_mut().push(buffer);
        result
    }

    /// Hands out an empty arena. Whoever has one may ask for another.
    pub(crate) fn with_arena<T>(&self, use_it: impl FnOnce(&mut Bump) -> T) -> T {
        let mut arena = self.arenas.borrow_mut().pop().unwrap_or_default();
        let result = use_it(&mut arena);
        arena.reset();
        self.arenas.borrow_mut().push(arena);
        result
    }

    /// Lets go of the buffers and arenas that have grown beyond `most` bytes.
    pub(crate) fn shrink(&mut self, most: usize) {
        self.buffers.get_mut().retain(|buffer| buffer.capacity() <= most);
        self.arenas.get_mut().retain(|arena| arena.allocated_bytes() <= most);
        if self.lines.get_mut().capacity() > most {
            *self.lines.get_mut() = Vec::new();
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::Config;

    /// Numbers below what is asked for, the same in every run.
    pub(crate) fn random() -> impl FnMut(u32) -> u32 {
        let mut state = 7_u32;
        move |below| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        }
    }

    /// Runs `test` with a traced context of the default configuration.
    pub(crate) fn with_context<T>(test: impl FnOnce(Context<'_>) -> T) -> T {
        let bump = Bump::new();
        let settings = Settings::new(Config::default());
        let spare = Spare::default();
        let shared =
            Shared { bump: &bump, spare: &spare, settings: &settings, traced: true, finishes: false };
        test(Context::new(&shared))
    }

    #[test]
    fn buffers_nest_and_are_used_again() {
        let spare = Spare::default();
        let write_in_both = || {
            spare.with(|outer| {
                outer.extend_from_slice(b"outer");
                spare.with(|inner| {
                    assert!(inner.is_empty());
                    inner.extend_from_slice(b"inner");
                });
                assert_eq!(outer, b"outer");
            });
        };
        write_in_both();
        write_in_both();
        assert_eq!(spare.buffers.borrow().len(), 2);
    }
}
