//! The program that `cargo x bench hostile` measures, in a process of its own: its allocator counts, and
//! callgrind looks at it.
//!
//! `hostile list` prints the families; `hostile run FROM TO FAMILY…` reads the requests of each
//! family of FROM, 2·FROM … TO bytes, and prints a line for each: its bytes and its document's, then
//! nanoseconds of processor time and the peak of memory for each of the three works below, for the
//! first alone beyond a megabyte.

mod families;

use std::hint::black_box;
use std::process::ExitCode;
use std::thread;

use cpu_time::ProcessTime;
use peak_alloc::PeakAlloc;
use tamiz::{Canonicalizer, Config, Document, Profile, Scratch};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The width of the terminal that evidence is explained on.
const COLUMNS: usize = 80;

/// Beyond this, only the first work is measured: the others take as long again, each.
const LARGEST_OF_ALL_WORKS: usize = 1 << 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["list"] => families::ALL.iter().for_each(|family| println!("{}", family.name)),
        ["run", from, to, ref names @ ..] => {
            let (Ok(from), Ok(to)) = (from.parse(), to.parse()) else { return ExitCode::from(2) };
            run(names, from, to);
        }
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}

fn run(names: &[&str], from: usize, to: usize) {
    let standard = Canonicalizer::new(Config::default());
    let mut config = Config::default();
    config.profile = Profile::Full;
    let full = Canonicalizer::new(config);
    // What is made once, tables and automata, is made before anything is measured.
    let small = standard.canonicalize(b"POST /?a=select+1 HTTP/1.1\r\nHost: ex.com\r\n\r\n%3Cselect 1&lt;");
    black_box((full.canonicalize_with_evidence(small.as_str().as_bytes()), small.tokens()));

    for family in families::ALL.iter().filter(|family| names.contains(&family.name)) {
        let mut size = from;
        while size <= to {
            let request = family.request(size);
            let (document, text) = measure(|| counted_text(&standard, &request));
            print!("{} {} {text}", request.len(), document.len());
            if size <= LARGEST_OF_ALL_WORKS {
                let (_, evidence) = measure(|| counted_evidence(&full, &request));
                let (_, read) = measure(|| (counted_reading(&document), peak(0)));
                print!(" {evidence} {read}");
            }
            println!();
            size *= 2;
        }
    }
}

/// Nanoseconds of processor time and bytes of memory beyond what was in use, at the peak that `work` tells. On a thread of
/// its own, which remembers nothing of requests before: memory that is kept for the next is new to each.
fn measure<T: Send>(work: impl Fn() -> (T, usize) + Sync) -> (T, String) {
    let on_its_own = || {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        counted_from_here();
        let started = ProcessTime::now();
        let (result, peak) = black_box(work());
        let nanoseconds = started.elapsed().as_nanos();
        (result, format!("{nanoseconds} {}", peak.saturating_sub(before)))
    };
    thread::scope(|scope| scope.spawn(on_its_own).join()).expect("reading does not panic")
}

/// The most bytes in use so far, less those that were set aside and never touched: a system gives no memory for them.
fn peak(untouched: usize) -> usize {
    MEMORY.peak_usage().saturating_sub(untouched)
}

// Callgrind dumps its counts after each of these: what it dumps first is what came before the work,
// then that of the work. They are told apart by their order.

#[inline(never)]
fn counted_from_here() {
    black_box(());
}

#[inline(never)]
fn counted_text(tamiz: &Canonicalizer, request: &[u8]) -> (String, usize) {
    let mut scratch = Scratch::default();
    let mut text = Vec::new();
    tamiz.canonicalize_into(&mut scratch, black_box(request), &mut text);
    (String::from_utf8(text).expect("a document is text"), peak(scratch.untouched()))
}

#[inline(never)]
fn counted_evidence(tamiz: &Canonicalizer, request: &[u8]) -> (usize, usize) {
    let document = tamiz.canonicalize_with_evidence(black_box(request));
    // The arena is gone, or small, when the rest begins.
    let of_document = peak(Scratch::untouched_by_thread());
    MEMORY.reset_peak_usage();
    let evidence: usize = document.flags().map(|raised| raised.evidence().len()).sum();
    let len = evidence + tamiz_explain::text("-", request, &document, COLUMNS).len();
    (len, of_document.max(peak(0)))
}

#[inline(never)]
fn counted_reading(text: &str) -> usize {
    let document = Document::parse(black_box(text)).expect("a document reads back");
    document.tokens().len() + document.flags().count()
}
