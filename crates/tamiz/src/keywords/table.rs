//! Tables of `tables.bin`: read in place, or, in WebAssembly, made at start-up.
//!
//! The tables of the trie have a megabyte, and are made of the 0.2 MB of `words.txt`. A library that a page downloads has
//! the words alone, and makes these tables when they are first looked at; it has no prefilter, and none of its tables. (No feature says so: one that is on for the page
//! would be on for all crates of a workspace.)

#![allow(
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "runs at compile time, where overflow and a panic are errors"
)]

/// The bytes of a table, which begins at `start`.
#[cfg(not(target_family = "wasm"))]
pub(super) const fn bytes<const LEN: usize>(all: &'static [u8], start: usize) -> &'static [u8; LEN] {
    match all.split_at(start).1.first_chunk() {
        Some(table) => table,
        None => panic!("tables.rs and tables.bin are of different runs of `cargo x generate`"),
    }
}

/// The records of a table, which begins at `start`.
#[cfg(not(target_family = "wasm"))]
pub(super) const fn records<const RECORD: usize, const COUNT: usize>(
    all: &'static [u8],
    start: usize,
) -> &'static [[u8; RECORD]; COUNT] {
    match all.split_at(start).1.as_chunks().0.first_chunk() {
        Some(table) => table,
        None => panic!("tables.rs and tables.bin are of different runs of `cargo x generate`"),
    }
}

/// Defines the tables, from the length of the file and how much of it the trie has; then each with where it begins.
#[cfg(not(target_family = "wasm"))]
macro_rules! tables {
    ($len:literal, $trie:literal; $($(#[$doc:meta])* $name:ident: $kind:ident<$($size:literal),+> = $start:literal;)+) => {
        static ALL: &[u8; $len] = include_bytes!("tables.bin");
        $(tables!(@one $(#[$doc])* $name: $kind<$($size),+> = $start);)+
    };
    (@one $(#[$doc:meta])* $name:ident: Bytes<$count:literal> = $start:literal) => {
        $(#[$doc])*
        pub(super) static $name: &[u8; $count] = super::table::bytes(ALL, $start);
    };
    (@one $(#[$doc:meta])* $name:ident: Records<$record:literal, $count:literal> = $start:literal) => {
        $(#[$doc])*
        pub(super) static $name: &[[u8; $record]; $count] = super::table::records(ALL, $start);
    };
}

#[cfg(target_family = "wasm")]
macro_rules! tables {
    ($len:literal, $trie:literal; $($(#[$doc:meta])* $name:ident: $kind:ident<$($size:literal),+> = $start:literal;)+) => {
        use super::table_compact::{Bytes, Records};

        $(
            $(#[$doc])*
            #[allow(dead_code, reason = "the tables of the prefilter, which WebAssembly has not")]
            pub(super) static $name: $kind<$($size),+> = $kind::at($start);
        )+
    };
}

pub(super) use tables;
