//! The limits that `--help` tells: the numbers of the program as it is, those too that no option changes.

use tamiz::Config;
use tamiz_containers::Options;

/// Text that follows the options of `batch`: `examples`, and its limits.
pub(crate) fn of_batch(examples: &str) -> String {
    let limits = Config::default().limits;
    let record = Options::default().record_limit;
    format!(
        "{examples}

Limits:
  {record:>9}  bytes of a record (--record-limit); a longer one cannot be read
  {:>9}  bytes that compressed data may expand to, or {} times its size
  {:>9}  archives and compressions, one in another
  {:>9}  entries of an archive
  {:>9}  bytes of a body that are read (limits.body_bytes in a --config)
  {:>9}  headers, {} pairs of a query and {} values of a body that are shown",
        Options::FREE_EXPANSION,
        Options::MOST_EXPANSION,
        Options::ARCHIVE_DEPTH,
        Options::ARCHIVE_ENTRIES,
        limits.body_bytes,
        limits.headers,
        limits.pairs,
        limits.body_keys,
    )
}

/// Text that follows the options of `serve`: `examples`, and the limits that no option changes.
#[cfg(feature = "serve")]
pub(crate) fn of_serve(examples: &str) -> String {
    use tamiz_serve::Limits;
    format!(
        "{examples}

Limits beside those of the options:
  {:>9}  bytes of a head, and {} headers; {} bytes of one for /check
  {:>9}  bytes of a request or an answer that do not count for --max-large
  {:>9}  bytes of a frame of HAProxy
  {:>9}  requests at a time on a connection of --ext-proc
  {:>9}  documents that wait for --sink, and {} bytes of them",
        Limits::HEAD,
        Limits::HEADERS,
        Limits::CHECK_HEAD,
        Limits::SMALL,
        Limits::SPOE_FRAME,
        Limits::EXT_PROC_STREAMS,
        Limits::SINK_DOCUMENTS,
        Limits::SINK_BYTES,
    )
}
