//! The examples in Rust of the documents of this repository, run as tests.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct English;

#[cfg(doctest)]
#[doc = include_str!("../../../README.es.md")]
struct Spanish;
