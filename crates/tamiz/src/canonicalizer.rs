//! The way from bytes to a document.

use std::cell::Cell;
use std::fmt;

use bumpalo::Bump;

use crate::config::Config;
use crate::context::{Context, Shared, Spare};
use crate::document::{self, Document, Evidence, Notes};
use crate::echo;
use crate::fingerprint::Fingerprint;
use crate::headers;
use crate::message::parts::{self, Parts};
use crate::message::{self, Message};
use crate::request::Request;
use crate::settings::Settings;
use crate::text::Text;

/// Turns requests into documents. Cheap to share: build one per configuration.
///
/// ```
/// use tamiz::{Canonicalizer, Config};
///
/// let tamiz = Canonicalizer::new(Config::default());
/// let document = tamiz.canonicalize(b"GET /a//b?pwd=visionario HTTP/1.1\r\nHost: EX.com:80\r\n\r\n");
/// assert_eq!(
///     document.to_string(),
///     "M:GET\n\
///      U:http://ex.com/a/b?pwd=<SECRET:alpha:10>\n\
///      P:/a/b PLEN:4@0-15 PMAX:1@0-15 [MULTIPLESLASH]\n\
///      Q:1 KEYS:pwd\n\
///      FLAGS:[MULTIPLESLASH]\n\
///      H:host=ex.com\n\
///      HCNT:1 HLEN:12@0-15\n"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Canonicalizer {
    settings: Settings,
    fingerprint: Fingerprint,
}

/// The arena's first chunk. Each is twice the last, so that those of a request twice as long, whose
/// first is twice as long too, are all twice as long: memory grows with the request, with few steps.
/// Half more than a power of two, since tables in it are powers of two and something else has to fit.
fn first_chunk(request_len: usize) -> usize {
    /// The bytes that the arena and the allocator beneath it take of a chunk for themselves.
    const OVERHEAD: usize = 64;
    let power = request_len.checked_next_power_of_two().unwrap_or(request_len);
    power.saturating_add(power / 2).saturating_sub(OVERHEAD)
}

/// Memory to be used again by the next [`Canonicalizer::canonicalize_into`].
#[derive(Default)]
pub struct Scratch {
    bump: Bump,
    spare: Spare,
}

impl Scratch {
    /// Makes room for another request.
    fn begin(&mut self, request_len: usize) {
        // All that the last request took, in one chunk.
        let least = self.bump.allocated_bytes().max(first_chunk(request_len));
        self.bump.reset();
        if self.bump.allocated_bytes() < least {
            self.bump = Bump::with_capacity(least);
        }
    }

    /// How many bytes that were set aside for the last request were never touched: for those who measure memory, to
    /// whom an allocator tells only what was set aside.
    #[doc(hidden)]
    pub fn untouched(&mut self) -> usize {
        let used: usize = self.bump.iter_allocated_chunks().map(|chunk| chunk.len()).sum();
        self.bump.allocated_bytes().saturating_sub(used)
    }

    /// How many bytes that were set aside for the last document of this thread that was made without a [`Scratch`] were never
    /// touched.
    #[doc(hidden)]
    pub fn untouched_by_thread() -> usize {
        with_kept(|kept| kept.untouched)
    }

    /// Lets go of what a large request has taken.
    fn shrink(&mut self) {
        if self.bump.allocated_bytes() > MOST_KEPT {
            // The largest chunk stays.
            self.bump.reset();
        }
        if self.bump.allocated_bytes() > MOST_KEPT {
            self.bump = Bump::new();
        }
        self.spare.shrink(MOST_KEPT_OF_TEXT);
    }
}

/// State that a thread keeps for the next document that is asked for without a [`Scratch`].
#[derive(Default)]
struct Kept {
    scratch: Scratch,
    text: Vec<u8>,
    /// See [`Scratch::untouched_by_thread`].
    untouched: usize,
}

/// A thread keeps no larger arena, in bytes.
const MOST_KEPT: usize = 2 << 20;
/// Nor a larger buffer.
const MOST_KEPT_OF_TEXT: usize = 512 << 10;

thread_local! {
    /// `None` while it is in use.
    static KEPT: Cell<Option<Box<Kept>>> = const { Cell::new(None) };
}

/// Lends out what the thread keeps.
fn with_kept<T>(use_it: impl FnOnce(&mut Kept) -> T) -> T {
    // A thread that ends keeps nothing any more.
    let mut kept = KEPT.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let result = use_it(&mut kept);
    kept.scratch.shrink();
    if kept.text.capacity() > MOST_KEPT_OF_TEXT {
        kept.text = Vec::new();
    }
    let _ = KEPT.try_with(|place| place.set(Some(kept)));
    result
}

/// A request, in either way that it comes.
#[derive(Clone, Copy)]
enum Input<'r> {
    Wire(&'r [u8]),
    Parts(&'r Parts<'r>),
}

impl<'r> Input<'r> {
    fn len(self) -> usize {
        match self {
            Input::Wire(request) => request.len(),
            Input::Parts(parts) => parts.len(),
        }
    }

    /// The request, read and redacted.
    fn request<'a>(self, cx: Context<'a>) -> &'a mut Request<'a>
    where
        'r: 'a,
    {
        let message = self.read(cx);
        let (raw, body) = (message.raw, message.body);
        let request = Request::read(message, cx);
        echo::redact(request, raw, cx);
        if let Some(body) = body {
            request.hide_rest_of(body, cx);
        }
        request
    }

    fn read<'a>(self, cx: Context<'a>) -> Message<'a>
    where
        'r: 'a,
    {
        match self {
            Input::Wire(request) => message::read(Text::request(request, cx.traced), cx),
            Input::Parts(parts) => parts::read(parts, cx),
        }
    }
}

impl fmt::Debug for Scratch {
    /// Without what requests left in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

impl Canonicalizer {
    /// Makes a canonicalizer.
    pub fn new(config: Config) -> Self {
        let settings = Settings::new(config);
        let fingerprint = Fingerprint::of(&settings);
        Canonicalizer { settings, fingerprint }
    }

    /// The configuration it was made from.
    pub fn config(&self) -> &Config {
        &self.settings.config
    }

    /// The identity of rules, tables and configuration.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// The document of the wire bytes of one HTTP/1.x request. Any bytes give one.
    ///
    /// With the default limits it has at most 26 bytes for each byte of the request and 4 KiB; a body
    /// with keys adds at most 2.1 MB, since each of 128 values may be shown with the whole way to it.
    /// (26: NFKC makes 39 bytes of the three of U+FDFA, its spaces escaped, and `U` and `P` both show
    /// the path.)
    ///
    /// A thread keeps up to some 6 MiB of memory for the next request; what requests leave in it is never read
    /// again.
    pub fn canonicalize(&self, request: &[u8]) -> Document {
        self.document(Input::Wire(request), false)
    }

    /// Makes the same document, with flags that carry the byte ranges of the request that raised them.
    pub fn canonicalize_with_evidence(&self, request: &[u8]) -> Document {
        self.document(Input::Wire(request), true)
    }

    /// The document of a request that someone else has cut already.
    pub fn canonicalize_parts(&self, parts: &Parts<'_>) -> Document {
        self.document(Input::Parts(parts), false)
    }

    /// Appends the text of the document to `out`, using memory of `scratch`.
    ///
    /// After some requests `scratch` has all the memory that requests like them need: then nothing is
    /// allocated, but where a body is inflated or a host is not ASCII.
    pub fn canonicalize_into(&self, scratch: &mut Scratch, request: &[u8], out: &mut Vec<u8>) {
        self.write(Input::Wire(request), false, Notes::Without, scratch, out);
    }

    /// Appends the text of the document of a request that someone else has cut already to `out`, using memory of
    /// `scratch`.
    pub fn canonicalize_parts_into(&self, scratch: &mut Scratch, parts: &Parts<'_>, out: &mut Vec<u8>) {
        self.write(Input::Parts(parts), false, Notes::Without, scratch, out);
    }

    /// Reads a request and appends its document to `out`. Returns how long its text is, and the
    /// evidence where that is asked for.
    fn write(
        &self,
        input: Input<'_>,
        traced: bool,
        notes: Notes,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> (usize, Option<Box<Evidence>>) {
        self.prepare();
        scratch.begin(input.len());
        let Scratch { bump, spare } = scratch;
        // Finished lines have no evidence, and the view `literal` notes what their text hides.
        let finishes = !traced && !self.settings.literal();
        let shared = Shared { bump, spare, settings: &self.settings, traced, finishes };
        let cx = Context::new(&shared);
        let request = input.request(cx);
        if !request.echoes_into_finished {
            return document::write(request, notes, cx, out);
        }
        let shared = Shared { finishes: false, ..shared };
        let cx = Context::new(&shared);
        document::write(input.request(cx), notes, cx, out)
    }

    /// Finishes common lines before the second request: for one alone that would cost more than it saves.
    fn prepare(&self) {
        if self.settings.has_read.set(()).is_err() {
            self.settings.common_lines.get_or_init(|| headers::finish_common_lines(&self.settings));
        }
    }

    fn document(&self, input: Input<'_>, traced: bool) -> Document {
        with_kept(|Kept { scratch, text, untouched }| {
            text.clear();
            let (text_len, evidence) = self.write(input, traced, Notes::With, scratch, text);
            *untouched = scratch.untouched();
            let source = self.settings.config.source;
            Document::fresh(text, text_len, self.fingerprint.clone(), source, evidence)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_its_memory_but_not_that_of_a_huge_request() {
        let tamiz = Canonicalizer::new(Config::default());
        let kept = || {
            let kept = KEPT.take().unwrap();
            let sizes = (kept.scratch.bump.allocated_bytes(), kept.text.capacity());
            KEPT.set(Some(kept));
            sizes
        };
        let request = |value: &str| format!("GET /?a={value} HTTP/1.1\r\nHost: ex.com\r\n\r\n").into_bytes();
        // What the first took in pieces the second has as one.
        tamiz.canonicalize(&request("1"));
        tamiz.canonicalize(&request("1"));
        let (arena, text) = kept();
        assert!(arena > 0 && text > 0);
        for _ in 0..3 {
            tamiz.canonicalize(&request("1"));
            assert_eq!(kept(), (arena, text));
        }
        tamiz.canonicalize(&request(&"%3Cb%3E&a=".repeat(1 << 18)));
        let (arena, text) = kept();
        assert!(arena <= MOST_KEPT && text <= MOST_KEPT_OF_TEXT);
    }

    #[test]
    fn scratch_is_small_in_steady_state() {
        let tamiz = Canonicalizer::new(Config::default());
        let mut scratch = Scratch::default();
        let mut out = Vec::new();
        for n in 0..4096 {
            let agent = n / 2;
            let request = format!(
                "GET /a/{n}?id={n}&name=visionario HTTP/1.1\r\nHost: ex.com\r\nUser-Agent: x/{agent}\r\n\r\n"
            );
            out.clear();
            tamiz.canonicalize_into(&mut scratch, request.as_bytes(), &mut out);
        }
        let kept = scratch.bump.allocated_bytes();
        assert!(kept < 512 << 10, "{kept}");
    }

    #[test]
    fn parts_are_written_as_they_are_owned() {
        let tamiz = Canonicalizer::new(Config::default());
        let mut parts = Parts::new(b"POST", b"/a//b?pwd=visionario");
        parts.authority = Some(b"ex.com");
        parts.header(b"accept", b"*/*").header(b"X-A", b"visionario");
        let mut out = b"before\n".to_vec();
        tamiz.canonicalize_parts_into(&mut Scratch::default(), &parts, &mut out);
        let owned = tamiz.canonicalize_parts(&parts);
        assert_eq!(out, [b"before\n", owned.as_str().as_bytes()].concat());
    }

    #[test]
    fn what_is_kept_shows_nothing() {
        let tamiz = Canonicalizer::new(Config::default());
        let mut scratch = Scratch::default();
        for _ in 0..3 {
            let request = b"GET /visionario HTTP/1.1\r\nHost: visionario\r\nX-A: visionario\r\n\r\n";
            tamiz.canonicalize_into(&mut scratch, request, &mut Vec::new());
        }
        assert!(!format!("{scratch:?}").contains("visionario"));
    }
}
