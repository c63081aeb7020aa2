//! The parts of `cargo x bench`: the corpora, and the programs that are fed with them.
//!
//! Every measured program, this one and those of other peers, is run by the same three commands
//! ([`program`]), on files of the same form ([`corpus`]).

pub mod contenders;
pub mod corpus;
pub mod generate;
pub mod program;
pub mod real;
