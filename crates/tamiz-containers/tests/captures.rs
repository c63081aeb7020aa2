//! The captures of the corpus against what someone else cut from them: `pcap_requests.jsonl.gz`, in which a
//! request stands once, with the first file that had it. Where the two differ, `captures.tsv` says why; an
//! entry that no longer holds fails.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tamiz_containers::{Options, Request};

/// `missing`: the others have it and we do not; `extra`: we have it and they have it nowhere.
type Difference = (String, &'static str, String);

#[test]
fn requests_are_those_that_others_cut() {
    let Some(corpus) = common::corpus() else { return };
    let manifest = fs::read_to_string(corpus.join("formats/MANIFEST.tsv")).unwrap();
    let theirs = theirs(&corpus.join("pcap_requests.jsonl.gz"));
    let everywhere: BTreeSet<&[u8]> = theirs.values().flatten().map(Vec::as_slice).collect();
    let mut differences = BTreeSet::<Difference>::new();
    let mut compared = 0;
    for row in manifest.lines().skip(1).filter(|row| row.starts_with("pcap/")) {
        let [file, repo, path] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let records = common::read_file(&corpus.join("formats").join(file), &Options::default());
        let ours: BTreeSet<Vec<u8>> = records
            .iter()
            .filter_map(|record| record.as_ref().ok())
            // Those of HTTP/2 are parts, which the others do not cut.
            .filter(|record| matches!(record.request, Request::Raw(_)))
            .map(|record| common::raw(record).to_vec())
            .collect();
        let there = theirs.get(&format!("{repo} {path}")).cloned().unwrap_or_default();
        compared += there.len();
        differences
            .extend(there.difference(&ours).map(|request| (file.to_owned(), "missing", name(request))));
        let extra = ours.iter().filter(|request| !everywhere.contains(&request[..]));
        differences.extend(extra.map(|request| (file.to_owned(), "extra", name(request))));
    }
    assert!(compared > 80, "only {compared} requests were compared");
    let explained =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures.tsv")).unwrap();
    let explained: BTreeSet<(String, String, String)> = explained
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [file, kind, name, reason] if !reason.is_empty() => {
                (file.to_owned(), kind.to_owned(), name.to_owned())
            }
            _ => panic!("captures.tsv: file, kind, request, reason: {line}"),
        })
        .collect();
    let found: BTreeSet<(String, String, String)> =
        differences.into_iter().map(|(file, kind, name)| (file, kind.to_owned(), name)).collect();
    let unexplained: Vec<_> = found.difference(&explained).collect();
    let stale: Vec<_> = explained.difference(&found).collect();
    assert!(unexplained.is_empty() && stale.is_empty(), "unexplained: {unexplained:#?}\nstale: {stale:#?}");
}

/// A request by its length and a digest, so that nothing of the corpus is kept here.
fn name(request: &[u8]) -> String {
    // FNV-1a: told apart is all that they have to be.
    let digest = request.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    format!("{}:{digest:016x}", request.len())
}

/// The requests of others by the file that they are from.
fn theirs(path: &Path) -> BTreeMap<String, BTreeSet<Vec<u8>>> {
    let rows = serde_json::Deserializer::from_reader(flate2::read::MultiGzDecoder::new(
        fs::File::open(path).unwrap(),
    ))
    .into_iter::<serde_json::Value>()
    .map(Result::unwrap);
    let mut all = BTreeMap::<String, BTreeSet<Vec<u8>>>::new();
    for row in rows {
        let request = data_encoding::BASE64.decode(row["raw_b64"].as_str().unwrap().as_bytes()).unwrap();
        all.entry(row["source"].as_str().unwrap().to_owned()).or_default().insert(request);
    }
    all
}
