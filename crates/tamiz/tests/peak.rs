//! The peak of memory is bounded by the length of a request, whatever it is made of: 64 bytes for each of its bytes, and a
//! megabyte.
//!
//! Memory is counted in the whole process, so this file has one test.

#[path = "../../../benches/src/bin/hostile/families.rs"]
mod families;

use std::thread;

use peak_alloc::PeakAlloc;
use tamiz::{Canonicalizer, Config, Scratch};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The bound: for each byte of the request, and for any request.
const FOR_EACH_BYTE: usize = 64;
const FOR_ANY: usize = 1 << 20;

/// NFKC makes eleven bytes of each of these, and a name is compared with others in several spellings.
const EXCEPTIONS: [(&str, usize); 1] = [("headers: a name that grows under NFKC", 128)];

/// The length of the requests: tables that grow by doubling are rather full and rather empty.
const LENGTHS: [usize; 2] = [180_000, 262_144];

/// The peak of what is allocated for the document of a request in memory of its own, without what was set aside and never
/// touched.
fn peak(tamiz: &Canonicalizer, request: &[u8]) -> usize {
    let read = || {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let (mut scratch, mut text) = (Scratch::default(), Vec::new());
        tamiz.canonicalize_into(&mut scratch, request, &mut text);
        MEMORY.peak_usage().saturating_sub(before + scratch.untouched())
    };
    thread::scope(|scope| scope.spawn(read).join()).unwrap()
}

#[test]
fn of_every_family() {
    let tamiz = Canonicalizer::new(Config::default());
    // What is made once is made before anything is measured.
    tamiz.canonicalize(b"POST /?a=select+1 HTTP/1.1\r\nHost: ex.com\r\n\r\n%3Cselect 1&lt;");
    let mut above = Vec::new();
    for family in families::ALL {
        for len in LENGTHS {
            let request = family.request(len);
            let peak = peak(&tamiz, &request);
            let exception = EXCEPTIONS.iter().find(|(name, _)| *name == family.name);
            let most = exception.map_or(FOR_EACH_BYTE, |(_, most)| *most);
            if peak > most * request.len() + FOR_ANY {
                let each = peak.saturating_sub(FOR_ANY) as f64 / request.len() as f64;
                above.push(format!("{}: {each:.1} for each byte of {}", family.name, request.len()));
            }
        }
    }
    assert!(above.is_empty(), "{}", above.join("\n"));
}
