//! `cargo x bench`: this library and its peers, on every corpus, in one table.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::callgrind::{self, Counted};
use super::peers::{self, Peer};
use super::programs::{self, Allocations, Folder, Sample};
use super::rounds::{self, median};
use crate::Result;

/// The options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options<'a> {
    /// Fewer requests, fewer rounds, no real corpora: less than two minutes.
    quick: bool,
    /// With the C and C++ libraries of Debian's packages.
    system: bool,
    /// These corpora; all if none is named.
    only: Vec<&'a str>,
}

impl<'a> Options<'a> {
    /// `None` where there is no such option.
    pub(super) fn read(arguments: &[&'a str]) -> Option<Self> {
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "--quick" => options.quick = true,
                "--peers" if *rest.next()? == "system" => options.system = true,
                option if option.starts_with('-') => return None,
                corpus => options.only.push(corpus),
            }
        }
        Some(options)
    }

    fn rounds(&self) -> usize {
        if self.quick { 5 } else { 15 }
    }

    /// How many requests are read in a round, or counted.
    fn requests(&self, corpus: &str, timed: bool) -> usize {
        let requests = match (self.quick, timed) {
            (true, true) => 200,
            (true, false) => 100,
            (false, true) => 1000,
            (false, false) => 500,
        };
        // Each is as large as fifty others.
        if corpus == "big" { requests / 10 } else { requests }
    }
}

/// The peer that a corpus is compared with: the strict one gives up early on what attacks send.
pub(super) fn base(corpus: &str) -> &'static str {
    if matches!(corpus, "attack" | "crs") { "httparse-lenient" } else { "httparse" }
}

/// The costs of one peer on one corpus.
struct Cell {
    counted: Counted,
    allocations: Allocations,
    /// The median of all rounds.
    nanoseconds: f64,
    /// Times as long as the corpus's base took in the same round; the median.
    time: f64,
    /// Times as many instructions.
    instructions: f64,
}

/// The measurements of a corpus.
struct Column {
    corpus: String,
    bytes: f64,
    cells: BTreeMap<&'static str, Cell>,
    /// Times as fast as another, in the same round; the median.
    faster_than: BTreeMap<&'static str, f64>,
}

pub(super) fn run(root: &Path, options: &Options<'_>) -> Result<()> {
    let peers = peers::all(root, options.system)?;
    let main = &peers.first().ok_or("nobody to measure")?.program;
    let mut corpora = programs::corpora(main, &options.only)?;
    if options.quick && options.only.is_empty() {
        corpora.truncate(SEEDED);
    }
    let started = Instant::now();
    let folder = Folder::new()?;
    let mut columns = Vec::new();
    for corpus in &corpora {
        eprintln!("{corpus}…");
        columns.push(column(&folder, main, &peers, corpus, options)?);
    }
    print_table(&peers, &columns);
    print_claims(&columns);
    print_growth(&folder, main)?;
    let sample = folder.sample(main, "browser", options.requests("browser", true))?;
    let (by_clock, by_processor) = rounds::two_threads(main, &sample, options.rounds())?;
    println!(
        "- two threads read {by_clock:.2} times as much as one, {by_processor:.2} by processor time (at least 1.9)"
    );
    println!("\nin {:.0} s, without building", started.elapsed().as_secs_f64());
    Ok(())
}

/// So many corpora are generated, and come first.
const SEEDED: usize = 5;

fn column(
    folder: &Folder,
    main: &Path,
    peers: &[Peer],
    corpus: &str,
    options: &Options<'_>,
) -> Result<Column> {
    let sample = |peer: &Peer, timed| {
        folder.sample(main, corpus, (options.requests(corpus, timed) / peer.thinned).max(2))
    };
    let timed = peers.iter().map(|peer| sample(peer, true)).collect::<Result<Vec<Sample>>>()?;
    let times = rounds::run(&peers.iter().collect::<Vec<_>>(), &timed, options.rounds())?;
    let samples = peers.iter().map(|peer| sample(peer, false)).collect::<Result<Vec<Sample>>>()?;
    let counted = at_once(peers.len(), |i| {
        callgrind::count(folder, &peers[i].program, peers[i].contender, &samples[i])
    })?;
    let place = |contender| peers.iter().position(|peer| peer.contender == contender).ok_or("no base");
    let (base, tamiz) = (place(base(corpus))?, place("tamiz")?);
    let ratio = |of: usize, to: usize| median(times.iter().map(|round| round[of] / round[to]).collect());
    let mut cells = BTreeMap::new();
    let mut faster_than = BTreeMap::new();
    for (i, peer) in peers.iter().enumerate() {
        let cell = Cell {
            counted: counted[i],
            allocations: programs::allocations(&peer.counting, peer.contender, &samples[i])?,
            nanoseconds: median(times.iter().map(|round| round[i]).collect()),
            time: ratio(i, base),
            instructions: counted[i].instructions / counted[base].instructions,
        };
        cells.insert(peer.contender, cell);
        faster_than.insert(peer.contender, ratio(i, tamiz));
    }
    let whole = &samples[tamiz];
    let bytes = whole.bytes as f64 / whole.requests as f64;
    Ok(Column { corpus: corpus.to_owned(), bytes, cells, faster_than })
}

/// Does so many things, as many at once as there are cores: instructions do not depend on it.
fn at_once<T: Send>(count: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        break;
                    }
                    // An error is kept as text: it need not be one that threads may share.
                    let result = work(i).map_err(|error| error.to_string());
                    if let Ok(mut done) = done.lock() {
                        done.insert(i, result);
                    }
                }
            });
        }
    });
    let done = done.into_inner().map_err(|_| "a worker has failed")?;
    done.into_values().map(|result| result.map_err(Into::into)).collect()
}

/// A ratio, with as many digits as tell something.
fn short(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.095 => format!("{ratio:.2}"),
        ratio if ratio < 9.95 => format!("{ratio:.1}"),
        ratio => thousands(ratio),
    }
}

fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn print_table(peers: &[Peer], columns: &[Column]) {
    let row = |label: &str, cell: &dyn Fn(&Column) -> String, end: &str| {
        let cells: Vec<String> = columns.iter().map(cell).collect();
        println!("| {label} | {} | {end} |", cells.join(" | "));
    };
    println!();
    row("time / instructions, httparse's being 1", &|column| column.corpus.clone(), "allocations (bytes)");
    println!("|---|{}---:|", "---:|".repeat(columns.len()));
    for peer in peers {
        let cell = |column: &Column| {
            column.cells.get(peer.contender).map_or_else(String::new, |cell| {
                let ratios = format!("{} / {}", short(cell.time), short(cell.instructions));
                if peer.label.starts_with("**") { format!("**{ratios}**") } else { ratios }
            })
        };
        let allocations = columns.first().and_then(|column| column.cells.get(peer.contender)).map_or_else(
            String::new,
            |cell| {
                let Allocations { count, bytes } = cell.allocations;
                if count == 0.0 { "0".to_owned() } else { format!("{} ({})", short(count), thousands(bytes)) }
            },
        );
        row(peer.label, &cell, &allocations);
    }
    let of_base = |value: fn(&Cell) -> f64| {
        move |column: &Column| {
            column.cells.get(base(&column.corpus)).map_or_else(String::new, |cell| thousands(value(cell)))
        }
    };
    row("httparse: instructions", &of_base(|cell| cell.counted.instructions), "");
    row("httparse: nanoseconds", &of_base(|cell| cell.nanoseconds), "");
    let of_tamiz = |contender: &'static str, value: fn(&Cell) -> f64| {
        move |column: &Column| column.cells.get(contender).map_or(f64::NAN, value)
    };
    let nanoseconds = of_tamiz("tamiz", |cell| cell.nanoseconds);
    row("Tamiz: nanoseconds", &|column| thousands(nanoseconds(column)), "");
    let (reused, owned) = (allocations_of("tamiz"), allocations_of("tamiz-owned"));
    row(
        "Tamiz: allocations, reused memory / owned",
        &|column| format!("{} / {}", short_count(reused(column)), short_count(owned(column))),
        "",
    );
    row("request, bytes", &|column| thousands(column.bytes), "");
    let written = of_tamiz("tamiz", |cell| cell.counted.written);
    row("document, bytes", &|column| thousands(written(column)), "");
}

/// A count that is mostly a whole number.
fn short_count(count: f64) -> String {
    if count.fract() == 0.0 { thousands(count) } else { short(count) }
}

/// The allocations for each request of a corpus.
fn allocations_of(contender: &'static str) -> impl Fn(&Column) -> f64 {
    move |column| column.cells.get(contender).map_or(f64::NAN, |cell| cell.allocations.count)
}

/// Prints the requirements on the library, and whether they are met.
fn print_claims(columns: &[Column]) {
    let worst = |numbers: &mut dyn Iterator<Item = f64>, than: fn(f64, f64) -> f64| numbers.reduce(than);
    println!();
    let most = |contender| worst(&mut columns.iter().map(allocations_of(contender)), f64::max);
    if let Some(most) = most("tamiz") {
        println!("- allocations for each request, reused memory: {most:.2} at most (0)");
    }
    if let Some(most) = most("tamiz-owned") {
        println!("- allocations for each request, owned document: {most:.2} at most (1)");
    }
    for (peer, least) in [("suricata-htp", 6.0), ("modsecurity", 40.0)] {
        let time =
            worst(&mut columns.iter().filter_map(|column| column.faster_than.get(peer).copied()), f64::min);
        let instructions = worst(
            &mut columns.iter().filter_map(|column| {
                let [peer, tamiz] = [peer, "tamiz"].map(|name| column.cells.get(name));
                Some(peer?.counted.instructions / tamiz?.counted.instructions)
            }),
            f64::min,
        );
        if let (Some(time), Some(instructions)) = (time, instructions) {
            println!(
                "- {peer} takes at least {time:.1} times as long, {instructions:.1} times as many instructions (at least {least})"
            );
        }
    }
}

/// How instructions grow from 16 to 64 KiB.
fn print_growth(folder: &Folder, main: &Path) -> Result<()> {
    for part in ["headers", "query", "form"] {
        let measure = |size: usize| {
            let sample = folder.sample(main, &format!("{part}:{size}"), 4)?;
            let counted = callgrind::count(folder, main, "tamiz", &sample)?;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>((
                sample.bytes as f64,
                counted.instructions * sample.requests as f64,
            ))
        };
        let (small, large) = (measure(16 << 10)?, measure(64 << 10)?);
        println!(
            "- from 16 to 64 KiB of {part}: {:.2} times the bytes, {:.2} times the instructions",
            large.0 / small.0,
            large.1 / small.1
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options = Options::read(&["--quick", "--peers", "system", "browser"]).unwrap();
        assert_eq!(options, Options { quick: true, system: true, only: vec!["browser"] });
        assert_eq!(Options::read(&[]), Some(Options::default()));
        for unknown in [&["--peers"][..], &["--peers", "other"], &["--slow"]] {
            assert_eq!(Options::read(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0432, 0.31, 9.94, 9.96, 123.4, 26_900.0].map(short);
        assert_eq!(shown, ["0.04", "0.3", "9.9", "10", "123", "26,900"]);
        assert_eq!(thousands(1_234_567.0), "1,234,567");
    }

    #[test]
    fn work_is_done_in_order() {
        assert_eq!(at_once(20, |i| Ok(i * i)).unwrap()[19], 361);
        assert!(at_once(3, |i| if i == 1 { Err("no".into()) } else { Ok(i) }).is_err());
    }
}
