//! The way from bytes to a document.

use std::fmt;

use bumpalo::Bump;

use crate::config::Config;
use crate::context::Context;
use crate::document::{self, Document, Notes};
use crate::fingerprint::Fingerprint;
use crate::memo::Memos;
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
}

/// The arena's first chunk. Each is twice the last, so that those of a request twice as long, whose
/// first is twice as long too, are all twice as long: memory grows with the request, with few steps.
/// Half more than a power of two, since tables in it are powers of two and something else has to fit.
fn first_chunk(request_len: usize) -> usize {
    /// What the arena and the allocator beneath it take of a chunk for themselves.
    const OVERHEAD: usize = 64;
    let power = request_len.checked_next_power_of_two().unwrap_or(request_len);
    power.saturating_add(power / 2).saturating_sub(OVERHEAD)
}

/// Memory to be used again by the next [`Canonicalizer::canonicalize_into`].
#[derive(Default)]
pub struct Scratch {
    bump: Bump,
    tail: Vec<u8>,
    memos: Memos,
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
        Canonicalizer { settings: Settings::new(config) }
    }

    /// The configuration it was made from.
    pub fn config(&self) -> &Config {
        &self.settings.config
    }

    /// The identity of rules, tables and configuration.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.settings.fingerprint
    }

    /// The document of the wire bytes of one HTTP/1.x request. Any bytes give one.
    ///
    /// With the default limits it has at most 26 bytes for each byte of the request and 4 KiB; a body
    /// with keys adds at most 2.1 MB, since each of 128 values may be shown with the whole way to it.
    /// (26: NFKC makes 39 bytes of the three of U+FDFA, its spaces escaped, and `U` and `P` both show
    /// the path.)
    pub fn canonicalize(&self, request: &[u8]) -> Document {
        self.read_wire(request, false)
    }

    /// The same document, whose flags carry the byte ranges of the request that raised them.
    pub fn canonicalize_with_evidence(&self, request: &[u8]) -> Document {
        self.read_wire(request, true)
    }

    /// The document of a request that someone else has cut already.
    pub fn canonicalize_parts(&self, parts: &Parts<'_>) -> Document {
        let bump = Bump::new();
        let cx = self.context(&bump, false);
        self.document(parts::read(parts, cx), cx)
    }

    /// Appends the text of the document to `out`, using memory of `scratch`.
    pub fn canonicalize_into(&self, scratch: &mut Scratch, request: &[u8], out: &mut Vec<u8>) {
        let Scratch { bump, tail, memos } = scratch;
        bump.reset();
        memos.begin(self.settings.id);
        let cx = Context { memo: Some(memos), ..self.context(bump, false) };
        let input = Text::request(request, false);
        let mut request = Request::read(message::read(input, cx), cx);
        if request.echoes_into_known {
            let cx = Context { memo: None, ..cx };
            request = Request::read(message::read(input, cx), cx);
        }
        document::write(&request, Notes::Without, cx, out, tail);
    }

    fn context<'a>(&'a self, bump: &'a Bump, traced: bool) -> Context<'a> {
        Context { bump, settings: &self.settings, traced, memo: None }
    }

    fn read_wire(&self, request: &[u8], traced: bool) -> Document {
        let bump = Bump::with_capacity(first_chunk(request.len()));
        let cx = self.context(&bump, traced);
        self.document(message::read(Text::request(request, traced), cx), cx)
    }

    fn document<'a>(&self, message: Message<'a>, cx: Context<'a>) -> Document {
        let request = Request::read(message, cx);
        let mut buffer = Vec::with_capacity(1024);
        let (text_len, evidence) = document::write(&request, Notes::With, cx, &mut buffer, &mut Vec::new());
        Document::fresh(buffer, text_len, self.settings.fingerprint.clone(), evidence)
    }
}
