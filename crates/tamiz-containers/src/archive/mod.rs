//! Archives of containers: every entry is a container of its own, named by the archive and itself. What comes of one is
//! bounded: entries, archives in archives, and, by `compressed`, how much data expands.

pub(crate) mod tar;
pub(crate) mod zip;

use std::io::Read;
use std::sync::Arc;

use crate::chunk::Chunk;
use crate::container::{Container, Options};
use crate::format::Format;
use crate::record::{At, Place, Reason, Unreadable};

/// An entry of an archive.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) content: Content,
}

/// The content of an entry.
pub(crate) enum Content {
    /// A file, and what it is if the archive says so.
    File(Box<dyn Read + Send>, Option<Format>),
    /// Something that is passed over without a word: a folder, what belongs to the archive.
    Nothing,
    /// A link, a device, an encrypted file.
    Unreadable(Reason),
}

/// A source of the entries of an archive, in their order.
pub(crate) trait Entries: Send {
    /// The next one; an error if the rest cannot be told.
    fn next_entry(&mut self) -> Option<Result<Entry, Reason>>;
}

/// An open archive.
pub(crate) struct Archive {
    file: Arc<str>,
    entries: Box<dyn Entries>,
    present: Option<Box<Container>>,
    options: Options,
    depth: usize,
    count: u64,
    is_over: bool,
}

impl Archive {
    pub(crate) fn new(file: Arc<str>, entries: Box<dyn Entries>, options: &Options, depth: usize) -> Self {
        let mut options = options.clone();
        options.format = options.format.filter(|format| *format != Format::Archive);
        Archive { file, entries, present: None, options, depth, count: 0, is_over: false }
    }

    fn place(&self, name: &str) -> Place {
        let file =
            if name.is_empty() { Arc::clone(&self.file) } else { format!("{}/{name}", self.file).into() };
        Place { file, record: 0, at: At::Whole }
    }

    /// The next few records of the entries.
    pub(crate) fn next_chunk(&mut self) -> Option<Chunk> {
        loop {
            if let Some(chunk) = self.present.as_mut().and_then(|present| present.next_chunk()) {
                return Some(chunk);
            }
            self.present = None;
            if self.is_over {
                return None;
            }
            match self.next_container() {
                None => return None,
                Some(Ok(container)) => self.present = container,
                Some(Err(unreadable)) => return Some(Chunk::from_iter([Err(unreadable)])),
            }
        }
    }

    /// Opens the next entry, if it is a file.
    fn next_container(&mut self) -> Option<Result<Option<Box<Container>>, Unreadable>> {
        let entry = match self.entries.next_entry()? {
            Ok(entry) => entry,
            Err(reason) => {
                self.is_over = true;
                return Some(Err(Unreadable::because(self.place(""), reason)));
            }
        };
        self.count = self.count.saturating_add(1);
        if self.count > Options::ARCHIVE_ENTRIES {
            self.is_over = true;
            let reason =
                format!("more than {} entries; the rest is not read", Options::ARCHIVE_ENTRIES).into();
            return Some(Err(Unreadable::because(self.place(""), reason)));
        }
        let place = self.place(&entry.name);
        let (reader, format) = match entry.content {
            Content::Nothing => return Some(Ok(None)),
            Content::Unreadable(reason) => return Some(Err(Unreadable::because(place, reason))),
            Content::File(reader, format) => (reader, format),
        };
        let is_hidden = entry.name.split('/').any(|part| part.starts_with('.') && part.len() > 2);
        if is_hidden {
            return Some(Err(Unreadable::notice(place, "hidden, so it is not read".into())));
        }
        let mut options = self.options.clone();
        options.format = options.format.or(format);
        let opened = Container::open_entry(&place.file, reader, &options, self.depth.saturating_add(1));
        Some(opened.map(|container| Some(Box::new(container))))
    }
}
