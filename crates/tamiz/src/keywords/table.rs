//! Reads tables out of one file of bytes, at compile time.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "runs at compile time, where an overflow or a panic is an error of the build"
)]

/// The bytes of a table, which is all of `start..end`.
pub(super) const fn bytes<const LEN: usize>(
    all: &'static [u8],
    start: usize,
    end: usize,
) -> &'static [u8; LEN] {
    assert!(end - start == LEN, "tables.rs and tables.bin are of different runs of `cargo x generate`");
    match all.split_at(start).1.first_chunk() {
        Some(table) => table,
        None => panic!("tables.bin is too short"),
    }
}

/// The records of a table, which is all of `start..end`.
pub(super) const fn records<const RECORD: usize, const COUNT: usize>(
    all: &'static [u8],
    start: usize,
    end: usize,
) -> &'static [[u8; RECORD]; COUNT] {
    assert!(end - start == RECORD * COUNT, "tables.rs and tables.bin are of different runs");
    match all.split_at(start).1.as_chunks().0.first_chunk() {
        Some(table) => table,
        None => panic!("tables.bin is too short"),
    }
}
