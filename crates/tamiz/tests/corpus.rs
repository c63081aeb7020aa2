//! Real requests: every one gives a document that parses back.

mod common;

use std::path::PathBuf;
use std::sync::Mutex;

use common::corpus;
use tamiz::{Canonicalizer, Config, Document, Profile, Scratch, View};

#[test]
fn every_row_gives_a_document_that_parses_back() {
    let Some(files) = corpus::files() else { return };
    let mut full = Config::default();
    full.profile = Profile::Full;
    full.view = View::Literal;
    let canonicalizers = [Canonicalizer::new(Config::default()), Canonicalizer::new(full)];
    let files = Mutex::new(files);
    let next = || files.lock().unwrap().pop();
    let work = || std::iter::from_fn(next).map(|file| check(&file, &canonicalizers)).sum::<usize>();
    let count: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    eprintln!("{count} rows");
}

fn check(file: &PathBuf, canonicalizers: &[Canonicalizer]) -> usize {
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let mut count = 0;
    for row in corpus::rows(file) {
        let request = row.request();
        for tamiz in canonicalizers {
            out.clear();
            tamiz.canonicalize_into(&mut scratch, &request, &mut out);
            let text = std::str::from_utf8(&out).unwrap();
            Document::parse(text).unwrap_or_else(|error| panic!("{}: {error}", row.id));
        }
        count += 1;
    }
    count
}
