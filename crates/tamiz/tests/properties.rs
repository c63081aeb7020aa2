//! Properties, over generated requests, in both views and all profiles.
//!
//! `PROPTEST_CASES` sets how many requests each property is tried on.

mod common;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use common::generate::{self, Pieces, Wire};
use common::oddities::{NEVER, ODDITIES};
use common::properties::{FIXED, GROWTH, WAYS, check};
use common::{canonicalizer, grammar};
use proptest::prelude::*;
use proptest::sample::Index;
use tamiz::{Canonicalizer, Document, Flag, Profile, Scratch, View};

/// Both views in all profiles.
static ALL: LazyLock<Vec<Canonicalizer>> = LazyLock::new(common::canonicalizers);
/// The default view, with every flag.
static FULL: LazyLock<Canonicalizer> = LazyLock::new(|| canonicalizer(View::Shape, Profile::Full));

/// All properties of one request.
fn holds(request: &[u8]) -> Result<(), TestCaseError> {
    let mut scratch = Scratch::default();
    for tamiz in ALL.iter() {
        let (view, profile) = (tamiz.config().view, tamiz.config().profile);
        check(tamiz, &mut scratch, request).map_err(|fault| {
            TestCaseError::fail(format!("{view:?} {profile:?}: {fault}\n{}", tamiz.canonicalize(request)))
        })?;
    }
    Ok(())
}

/// The names of the flags in the roll-up.
fn flag_names(document: &Document) -> BTreeSet<&str> {
    document.rollup().map(|item| item.split(':').next().unwrap()).collect()
}

/// The text without these flags, and without `FAM`, which counts them.
fn without(document: &Document, flags: &[&str]) -> String {
    let is_kept = |flag: &&str| !flags.contains(&flag.split(':').next().unwrap());
    let mut text = String::new();
    for line in document.as_str().lines() {
        let cut = grammar::cut(line).unwrap();
        match cut.kind {
            "FAM" => {}
            "FLAGS" => text.extend(document.rollup().filter(is_kept).map(|item| format!("FLAGS {item}\n"))),
            kind => {
                text.push_str(&format!("{kind}:{}", cut.content));
                text.extend(cut.flags.into_iter().filter(is_kept).map(|flag| format!(" [{flag}]")));
                text.push('\n');
            }
        }
    }
    text
}

/// Two spellings of a request differ in these flags alone.
fn same_but(one: &[u8], other: &[u8], flags: &[&str]) -> Result<(), TestCaseError> {
    for tamiz in ALL.iter() {
        let [one, other] = [one, other].map(|request| without(&tamiz.canonicalize(request), flags));
        prop_assert_eq!(one, other);
    }
    Ok(())
}

/// Returns whether a document has a marker with the set of its signs.
fn holds_set(document: &Document) -> bool {
    let after_marker = document.as_str().split('<').skip(1);
    after_marker
        .filter_map(|rest| rest.split_once('>'))
        .any(|(inside, _)| !inside.starts_with("SECRET:") && inside.matches(':').count() > 1)
}

/// Flags that `core` raises for texts which are ordinary in the other profiles.
const ORDINARY: [&str; 5] = ["BACKSLASH", "BRACE", "CONTROL", "QUOTE", "SPACE"];

proptest! {
    #![proptest_config(generate::config())]

    #[test]
    fn every_request_has_its_properties(Wire(request) in generate::request()) {
        holds(&request)?;
    }

    #[test]
    fn any_bytes_have_their_properties(request in proptest::collection::vec(any::<u8>(), 0..300)) {
        holds(&request)?;
    }

    /// 8.11 and 9.8: views and profiles show more or less of the same.
    #[test]
    fn views_and_profiles_agree(Wire(request) in generate::request()) {
        let shown: Vec<Document> = ALL.iter().map(|tamiz| tamiz.canonicalize(&request)).collect();
        let (by_shape, literal) = shown.split_at(Profile::ALL.len());
        for (by_shape, literal) in by_shape.iter().zip(literal) {
            prop_assert!(by_shape.rollup().eq(literal.rollup()), "the view changes flags\n{}{}", by_shape, literal);
        }
        for two in by_shape.windows(2) {
            let (mut less, more) = (flag_names(&two[0]), flag_names(&two[1]));
            // A segment `<more:n>` is a marker, which is not scanned, but in `core` (6.15).
            if more.contains("MARKER") && two[0].path().is_some_and(|path| path.contains("<more:")) {
                less.remove("ANGLE");
            }
            // So is a marker with a set: `core` tells the characters of its text.
            if more.contains("MARKER") && holds_set(&two[1]) {
                continue;
            }
            // What is ordinary everywhere but in `core`: 4.9, 7.1, 7.2, 7.5.5.
            less.retain(|flag| !ORDINARY.contains(flag));
            prop_assert!(less.is_subset(&more), "the larger profile has fewer flags\n{}{}", two[0], two[1]);
        }
    }

    /// 8.12: normalisers leave their own output as it is.
    #[test]
    fn normalisers_are_idempotent(Wire(request) in generate::request()) {
        for tamiz in ALL.iter() {
            let document = tamiz.canonicalize(&request);
            // A value with a line end in it is several values (8.10).
            if flag_names(&document).contains("BADCRLF") {
                continue;
            }
            for header in document.headers().into_iter().filter(|header| is_normalised(header.name)) {
                // The marker of a secret inside an item is escaped (9.6), and then a named value (6.11).
                if header.value.contains("%3CSECRET:") {
                    continue;
                }
                let again = format!("GET / HTTP/1.1\r\nHost: ex.com\r\n{}: {}\r\n\r\n", header.name, header.value);
                let again = tamiz.canonicalize(again.as_bytes());
                let shown = again.headers().into_iter().find(|shown| shown.name == header.name);
                prop_assert_eq!(shown.map(|shown| shown.value), Some(header.value), "{}", header.name);
            }
        }
    }

    /// A path that is shown without escapes, markers or what reads like an entity is its own path.
    #[test]
    fn plain_paths_are_fixed(Wire(request) in generate::request()) {
        for tamiz in ALL.iter() {
            let document = tamiz.canonicalize(&request);
            let Some(path) = document.path().filter(|path| path.starts_with('/')) else { continue };
            if !path.contains(['%', '<', '&']) {
                let again = tamiz.canonicalize(format!("GET {path} HTTP/1.1\r\nHost: ex.com\r\n\r\n").as_bytes());
                prop_assert_eq!(again.path(), Some(path));
            }
        }
    }

    /// 6.15: a query of markers stays as it is.
    #[test]
    fn markers_stay(Wire(request) in generate::request()) {
        for tamiz in ALL.iter().filter(|tamiz| tamiz.config().view == View::Shape) {
            let document = tamiz.canonicalize(&request);
            // What an entity gives in a key is not normalised any more (6.4): it would be the next time.
            if flag_names(&document).contains("HTMLENT") {
                continue;
            }
            let Some((_, query)) = document.url().and_then(|url| url.split_once('?')) else { continue };
            let query = query.split("%23<").next().unwrap();
            let is_kept = |pair: &&str| {
                !pair.starts_with('<') && pair.split_once('=').is_some_and(|(_, value)| grammar::is_marker(value))
            };
            let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
            let expected = format!("http://ex.com/?{}", kept.join("&"));
            let again = format!("GET /?{} HTTP/1.1\r\nHost: ex.com\r\n\r\n", kept.join("&"));
            let again = tamiz.canonicalize(again.as_bytes());
            prop_assert_eq!(again.url(), Some(expected.as_str()));
        }
    }

    /// 9.14: the order of headers of different names.
    #[test]
    fn order_of_headers_changes_nothing(mut pieces in generate::rich(), order in any::<[u8; 32]>()) {
        let wire = pieces.wire();
        // By name, so that equal names keep their order.
        let rank = |name: &str| order[name.to_ascii_lowercase().bytes().map(usize::from).sum::<usize>() % 32];
        pieces.headers.sort_by_key(|(name, _)| rank(name));
        same_but(&wire, &pieces.wire(), &[])?;
    }

    /// 9.14: the case of header names.
    #[test]
    fn case_of_header_names_changes_nothing(pieces in generate::rich(), is_upper in any::<bool>()) {
        let mut other = pieces.clone();
        for (name, _) in &mut other.headers {
            *name = if is_upper { name.to_ascii_uppercase() } else { name.to_ascii_lowercase() };
        }
        same_but(&pieces.wire(), &other.wire(), &[])?;
    }

    /// 9.14: the case of the digits of escapes.
    #[test]
    fn case_of_escapes_changes_nothing(pieces in generate::rich(), escapes in prop::collection::vec(any::<u8>(), 1..6)) {
        let mut spelt = [pieces.clone(), pieces];
        let upper: String = escapes.iter().map(|byte| format!("%{byte:02X}")).collect();
        let lower: String = escapes.iter().map(|byte| format!("%{byte:02x}")).collect();
        for (pieces, escapes) in spelt.iter_mut().zip([upper, lower]) {
            pieces.path = format!("{}/x{escapes}", pieces.path);
            pieces.query = Some(format!("{}&x{escapes}=y{escapes}", pieces.query.clone().unwrap_or_default()));
        }
        same_but(&spelt[0].wire(), &spelt[1].wire(), &[])?;
    }

    /// 9.14: the default port.
    #[test]
    fn default_port_changes_nothing(mut pieces in generate::rich()) {
        pieces.host = pieces.host.replace(":8080", "");
        let wire = pieces.wire();
        pieces.host.push_str(":80");
        same_but(&wire, &pieces.wire(), &[])?;
    }

    /// 9.14: `//` and `/.` in a path.
    #[test]
    fn empty_segments_change_their_flags_only(
        mut pieces in generate::rich(),
        at in any::<Index>(),
        dot in any::<bool>(),
    ) {
        pieces.path.insert_str(0, "x/");
        let mut other = pieces.clone();
        let slashes: Vec<usize> = pieces.path.match_indices('/').map(|(at, _)| at).collect();
        other.path.insert_str(*at.get(&slashes), if dot { "/." } else { "/" });
        same_but(&pieces.wire(), &other.wire(), &["DOTCUR", "MULTIPLESLASH"])?;
    }

    /// An oddity adds its flag and removes none.
    #[test]
    fn an_oddity_adds_its_flag(plain in generate::plain()) {
        add_each(&plain)?;
    }
}

/// Adds each oddity to `plain`, by itself.
fn add_each(plain: &Pieces) -> Result<(), TestCaseError> {
    let before = FULL.canonicalize(&plain.wire());
    let telling = |flag: &&str| Flag::from_name(flag).unwrap().weight() != tamiz::Weight::Structural;
    prop_assert!(!flag_names(&before).iter().any(telling), "not plain\n{}", before);
    for oddity in ODDITIES {
        let after = FULL.canonicalize(&oddity.edit.apply(plain));
        let (flags, mut kept) = (flag_names(&after), flag_names(&before));
        prop_assert!(flags.contains(oddity.flag), "{} is missing\n{}", oddity.flag, after);
        if let Some((gone, _)) = oddity.gone {
            kept.remove(gone);
        }
        let lost: Vec<_> = kept.difference(&flags).collect();
        prop_assert!(lost.is_empty(), "{:?} takes {:?} away\n{}{}", oddity.edit, lost, before, after);
    }
    Ok(())
}

/// Returns whether 8.12 says that a header's value is left as it is: not cookies, not URLs, not invalid hosts.
fn is_normalised(name: &str) -> bool {
    let exceptions = ["cookie", "set-cookie", "host", "?"];
    let urls = ["origin", "referer", "x-forwarded-uri", "x-original-url", "x-rewrite-url"];
    !exceptions.contains(&name) && !urls.contains(&name) && !name.starts_with('<')
}

#[test]
fn every_flag_has_its_oddity() {
    let covered: BTreeSet<&str> = ODDITIES.iter().map(|oddity| oddity.flag).collect();
    let never: BTreeSet<&str> = NEVER.iter().map(|(flag, _)| *flag).collect();
    for flag in Flag::ALL {
        assert!(covered.contains(flag.name()) != never.contains(flag.name()), "{flag}");
    }
    assert!(
        ODDITIES
            .iter()
            .filter_map(|oddity| oddity.gone)
            .chain(NEVER.iter().copied())
            .all(|(_, why)| !why.is_empty())
    );
}

#[test]
fn every_vector_has_its_properties() {
    let mut faults = Vec::new();
    for vector in common::vectors::all() {
        faults.extend(holds(&vector.request()).err().map(|fault| format!("{}: {fault}", vector.name)));
    }
    assert!(faults.is_empty(), "{} vectors:\n{}", faults.len(), faults.join("\n"));
}

/// The bound of a document's length is not idle: these come near to it.
#[test]
fn the_bound_is_reached() {
    let longest = |request: &[u8]| {
        holds(request).unwrap();
        ALL.iter().map(|tamiz| tamiz.canonicalize(request).as_str().len()).max().unwrap()
    };
    let path = format!("GET /{} HTTP/1.1\r\nHost: ex.com\r\n\r\n", "\u{FDFA}".repeat(2_000));
    assert!(longest(path.as_bytes()) > (GROWTH - 1) * path.len());
    let lines = format!("GET / HTTP/1.1\n{}\n", ":\n".repeat(128));
    assert!(longest(lines.as_bytes()) > GROWTH * lines.len() + FIXED / 2);
    let name = "\u{10400}".repeat(64);
    let ways: Vec<String> = (0..128).map(|n| format!("{{\"{n}\":1}}")).collect();
    let body = (0..30).fold(format!("[{}]", ways.join(",")), |inner, _| format!("{{\"{name}\":{inner}}}"));
    let request = format!("POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{body}");
    assert!(longest(request.as_bytes()) > WAYS / 2, "{}", longest(request.as_bytes()));
}
