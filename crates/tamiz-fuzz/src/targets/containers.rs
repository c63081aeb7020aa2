use std::io::Cursor;

use tamiz_containers::{Container, Format, Options};

use super::Checks;

/// The limits of a record: one that almost every input meets, and one that none does.
const LIMITS: [usize; 2] = [100, 1 << 20];

/// Magic bytes of gzip and zstd.
const COMPRESSED: [&[u8]; 2] = [b"\x1F\x8B", b"\x28\xB5\x2F\xFD"];

/// Reads a container: a byte that chooses the format, or that it is detected; one that chooses the limit of a record;
/// the container. Reading ends, and gives no more than came in, unless that is compressed. It costs little: all is
/// checked always.
pub fn containers(input: &[u8], _: Checks) {
    let [choice, limit, bytes @ ..] = input else { return };
    let mut options = Options::default();
    options.format = Format::ALL.get(usize::from(*choice) % (Format::ALL.len() + 1)).copied();
    options.record_limit = LIMITS[usize::from(*limit) % LIMITS.len()];
    let Ok(container) = Container::read("x", Cursor::new(bytes.to_vec()), &options) else { return };
    let (mut records, mut len) = (0, 0);
    for record in container {
        records += 1;
        match record {
            Ok(record) => len += record.request.len(),
            Err(unreadable) => assert!(unreadable.reason.len() < 100, "{unreadable}"),
        }
    }
    if COMPRESSED.iter().any(|magic| bytes.starts_with(magic)) {
        return;
    }
    assert!(records <= bytes.len() + 2, "{records} records of {} bytes", bytes.len());
    assert!(len <= 4 * bytes.len() + 64, "{len} bytes of {}", bytes.len());
}
