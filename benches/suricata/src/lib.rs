//! suricata-htp, the HTTP parser of Suricata, run by the commands of every measured program.

pub mod contenders;
#[path = "../../src/corpus.rs"]
pub mod corpus;
#[path = "../../src/program.rs"]
pub mod program;
