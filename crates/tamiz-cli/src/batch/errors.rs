//! Reports unreadable records: by place on standard error, and in full in a file of JSON lines.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use tamiz_containers::{At, Unreadable};

use super::progress::Progress;
use crate::failure::{Failure, cannot_write};

/// The most that standard error tells one by one.
const MOST_TOLD: u64 = 100;

/// The file of errors, if one was asked for.
pub(crate) struct Errors {
    file: Option<(PathBuf, BufWriter<File>)>,
}

impl Errors {
    /// Opens the file, and goes on with it after `bytes`.
    ///
    /// # Errors
    /// When it exists and nothing says that it may be replaced, or cannot be written.
    pub(crate) fn open(path: Option<&Path>, bytes: u64, may_exist: bool) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Errors { file: None }) };
        if path.exists() && !may_exist {
            return Err(Failure::Usage(format!(
                "{} exists; name another file for '--errors', or replace it with '--force'",
                path.display()
            )));
        }
        let open = || -> io::Result<File> {
            let mut file = File::options().write(true).create(true).truncate(false).open(path)?;
            file.set_len(bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|error| failure(path, &error))?;
        Ok(Errors { file: Some((path.to_owned(), BufWriter::new(file))) })
    }

    /// Tells of one, which is the `number`th of its kind.
    pub(crate) fn tell(
        &mut self,
        unreadable: &Unreadable,
        number: u64,
        progress: &Progress,
    ) -> Result<(), Failure> {
        if number <= MOST_TOLD {
            progress.complain(&unreadable.to_string());
        }
        if number == MOST_TOLD + 1 {
            let what =
                if unreadable.is_notice { "there are more notices" } else { "more records cannot be read" };
            progress.complain(&format!("{what}; '--errors FILE' names all of them"));
        }
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let place = &unreadable.place;
        let mut line = json!({"file": &*place.file, "record": place.record, "reason": &unreadable.reason});
        let (name, at) = match place.at {
            At::Line(line) => ("line", line),
            At::Byte(byte) => ("byte", byte),
            At::Packet(packet) => ("packet", packet),
            _ => ("byte", 0),
        };
        if let Some(object) = line.as_object_mut() {
            object.insert(name.to_owned(), at.into());
            if unreadable.is_notice {
                object.insert("notice".to_owned(), true.into());
            }
        }
        writeln!(file, "{line}").map_err(|error| failure(path, &error))
    }

    /// Makes sure that everything is on the disk; how much that is.
    pub(crate) fn checkpoint(&mut self) -> Result<u64, Failure> {
        let Some((path, file)) = &mut self.file else { return Ok(0) };
        let place =
            file.flush().and_then(|()| file.get_ref().sync_data()).and_then(|()| file.stream_position());
        place.map_err(|error| failure(path, &error))
    }
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    cannot_write(path, error, "")
}
