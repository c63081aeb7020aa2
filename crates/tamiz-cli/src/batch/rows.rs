//! From a chunk of requests to rows of output, on whatever thread.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use tamiz::{Canonicalizer, Scratch, TokenOptions};
use tamiz_containers::{Chunk, Parts, Record, Request, Unreadable};
use tamiz_sources::{OwnedParts, Seen, as_seen_by};

use super::client::Client;
use super::columns::{Batch, ColumnRows};
use super::format::RowFormat;

/// The identity of a document with its label: rows that have the same are told once under `--dedup`.
pub(crate) type Identity = [u8; 16];

/// The rows of a chunk.
pub(crate) struct Rows {
    pub(crate) content: Content,
    /// One for each row, if they were asked for.
    pub(crate) identities: Vec<Identity>,
    pub(crate) unreadable: Vec<Unreadable>,
    /// How many requests the source would refuse, by the reason.
    pub(crate) refused: BTreeMap<&'static str, u64>,
}

/// The rows of a chunk.
pub(crate) enum Content {
    /// The bytes of all rows, and where each ends.
    Bytes { bytes: Vec<u8>, ends: Vec<usize> },
    /// The rows as columns.
    Batch(Batch),
}

impl Content {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Content::Bytes { ends, .. } => ends.len(),
            Content::Batch(batch) => batch.num_rows(),
        }
    }
}

/// Makes rows; each thread has one.
pub(crate) struct RowMaker<'a> {
    canonicalizer: &'a Canonicalizer,
    format: RowFormat,
    wants_identities: bool,
    /// True if requests are those that the canonicalizer's source sees.
    as_seen: bool,
    options: TokenOptions,
    scratch: Scratch,
    text: Vec<u8>,
    /// Where rows of columns are made; nowhere for rows of bytes.
    columns: Option<ColumnRows>,
    client: Client,
}

impl<'a> RowMaker<'a> {
    pub(crate) fn new(
        canonicalizer: &'a Canonicalizer,
        format: RowFormat,
        wants_identities: bool,
        as_seen: bool,
        options: TokenOptions,
        client: Client,
    ) -> Self {
        RowMaker {
            canonicalizer,
            format,
            wants_identities,
            as_seen,
            options,
            scratch: Scratch::default(),
            text: Vec::new(),
            columns: match format {
                RowFormat::Columns(columns) => Some(ColumnRows::new(columns)),
                _ => None,
            },
            client,
        }
    }

    pub(crate) fn rows(&mut self, chunk: Chunk) -> Rows {
        let mut bytes = Vec::new();
        if !matches!(self.format, RowFormat::Columns(_)) {
            // Documents are about as long as what they are of. Where there is no memory for a long one, that is found out
            // when it is taken.
            let _ = bytes.try_reserve(chunk.weight());
        }
        let mut ends = Vec::new();
        let (mut identities, mut unreadable, mut refused) = (Vec::new(), Vec::new(), BTreeMap::new());
        for record in chunk {
            let seen = record.map_err(Lost::Unreadable).and_then(|record| self.seen(record));
            match seen {
                Ok(record) => {
                    self.row(&record, &mut bytes, &mut identities);
                    ends.push(bytes.len());
                }
                Err(Lost::Unreadable(error)) => unreadable.push(error),
                Err(Lost::Refused(reason)) => {
                    let count: &mut u64 = refused.entry(reason).or_default();
                    *count += 1;
                }
            }
        }
        let content = match &mut self.columns {
            Some(columns) => Content::Batch(columns.finish()),
            None => Content::Bytes { bytes, ends },
        };
        Rows { content, identities, unreadable, refused }
    }

    /// The request as the source sees it.
    fn seen(&self, mut record: Record) -> Result<Record, Lost> {
        if !self.as_seen {
            return Ok(record);
        }
        let Request::Raw(request) = &record.request else {
            return Err(Lost::Unreadable(Unreadable::new(
                record.place,
                "a request in parts: what others would see of it needs its bytes",
            )));
        };
        match as_seen_by(self.canonicalizer.config().source, request) {
            Seen::Parts(parts) => record.request = Request::Parts(kept(parts)),
            Seen::Refused(refusal) => return Err(Lost::Refused(refusal.as_str())),
            _ => {}
        }
        Ok(record)
    }

    fn row(&mut self, record: &Record, out: &mut Vec<u8>, identities: &mut Vec<Identity>) {
        let start = out.len();
        match self.format {
            RowFormat::Text => {
                record.request.write_document(self.canonicalizer, &mut self.scratch, out);
                if self.wants_identities {
                    identities.push(identity(out.get(start..).unwrap_or_default(), record));
                }
            }
            RowFormat::Columns(_) => self.columns_row(record, identities),
            RowFormat::Jsonl | RowFormat::Tokens => {
                let document = record.document(self.canonicalizer);
                if self.format == RowFormat::Tokens {
                    document.write_tokens(self.options, out);
                } else {
                    let client = record.client.and_then(|address| self.client.shown(address));
                    record.write_json_of_client(&document, client.as_deref(), out);
                }
                if self.wants_identities {
                    identities.push(identity(document.as_str().as_bytes(), record));
                }
            }
        }
    }

    fn columns_row(&mut self, record: &Record, identities: &mut Vec<Identity>) {
        let Some(columns) = &mut self.columns else { return };
        self.text.clear();
        if columns.hold_documents() {
            record.request.write_document(self.canonicalizer, &mut self.scratch, &mut self.text);
        }
        // Documents are UTF-8; were one not, nothing may leak from it.
        let text = std::str::from_utf8(&self.text).unwrap_or_default();
        columns.push(record, text, self.canonicalizer, self.client);
        if self.wants_identities {
            identities.push(identity(&self.text, record));
        }
    }
}

/// A record of which there is no row.
enum Lost {
    Unreadable(Unreadable),
    /// The source would refuse it, for this reason.
    Refused(&'static str),
}

/// Converts owned parts to those of containers.
fn kept(seen: OwnedParts) -> Parts {
    let mut parts = Parts::default();
    parts.method = seen.method;
    parts.target = seen.target;
    parts.version = seen.version;
    parts.headers = seen.headers;
    parts.body = seen.body;
    parts
}

fn identity(text: &[u8], record: &Record) -> Identity {
    let mut digest = Sha256::new();
    digest.update(text);
    // No text holds a NUL, so that a label cannot pass for the end of one.
    digest.update([0]);
    digest.update(record.label.as_deref().unwrap_or_default());
    let mut identity = Identity::default();
    identity.iter_mut().zip(digest.finalize()).for_each(|(to, from)| *to = from);
    identity
}
