//! `tamiz flags`.

mod common;

use common::tamiz;
use serde_json::Value;
use tamiz::{Flag, Profile};

#[test]
fn the_table_has_every_flag_on_one_line() {
    let table = tamiz(["flags"]).ok();
    let mut rows = table.lines();
    assert_eq!(
        rows.next().map(|row| row.split_whitespace().collect::<Vec<_>>()),
        Some(vec!["NAME", "FAMILY", "WEIGHT", "PROFILE", "MEANING"])
    );
    assert_eq!(rows.clone().count(), Flag::ALL.len());
    for &flag in Flag::ALL {
        let row = rows
            .clone()
            .find(|row| row.split([':', ' ']).next() == Some(flag.name()))
            .unwrap_or_else(|| panic!("{flag}"));
        for word in [flag.family().as_str(), flag.weight().as_str(), flag.profile().as_str(), flag.meaning()]
        {
            assert!(row.contains(word), "{row}");
        }
    }
}

#[test]
fn filters_combine() {
    let names = |arguments: &[&str]| -> Vec<String> {
        let table = tamiz(["flags"].iter().chain(arguments)).ok();
        table.lines().skip(1).map(|row| row.split([':', ' ']).next().unwrap_or_default().to_owned()).collect()
    };
    let count = |keep: fn(&Flag) -> bool| Flag::ALL.iter().filter(|flag| keep(flag)).count();
    assert_eq!(names(&["--profile", "full"]).len(), Flag::ALL.len());
    let core = names(&["--profile", "core"]);
    assert_eq!(core.len(), count(|flag| flag.profile() == Profile::Core));
    let some = names(&["--profile", "core", "--family", "path", "--weight", "evasion"]);
    assert_eq!(some, ["DOTDOT"]);
    let standard = names(&["--profile", "standard"]);
    assert!(standard.contains(&"DOTCUR".to_owned()) && !standard.contains(&"DOTDOTN".to_owned()));
}

#[test]
fn a_card_tells_everything() {
    let card = tamiz(["flags", "dotdot"]).ok();
    let flag = Flag::from_name("DOTDOT").expect("a flag");
    for text in [flag.meaning(), flag.why(), flag.clause(), "path", "evasion", "core"] {
        assert!(card.contains(text), "{text}: {card}");
    }
    assert!(
        card.contains("raised by\n    GET /a/../b HTTP/1.1\\r\\n\n    Host: ex.com\\r\\n\n    \\r\\n\n"),
        "{card}"
    );
    assert!(card.contains("not raised by\n    GET /a/..b HTTP/1.1\\r\\n\n"), "{card}");
    assert_eq!(tamiz(["flags", "QREPEAT:a"]).ok(), tamiz(["flags", "QREPEAT"]).ok());
    assert!(tamiz(["flags", "QREPEAT"]).ok().starts_with("QREPEAT:<key>\n"));
}

#[test]
fn json_has_every_field() {
    let out = tamiz(["flags", "--format", "json"]).ok();
    let objects: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(objects.len(), Flag::ALL.len());
    for object in &objects {
        let flag = Flag::from_name(object["name"].as_str().expect("a name")).expect("a flag");
        assert_eq!(object["id"], flag.id());
        assert_eq!(object["parameter"].as_str(), flag.parameter());
        assert_eq!(object["family"], flag.family().as_str());
        assert_eq!(object["weight"], flag.weight().as_str());
        assert_eq!(object["profile"], flag.profile().as_str());
        assert_eq!(object["clause"], flag.clause());
        assert_eq!(object["meaning"], flag.meaning());
        assert_eq!(object["why"], flag.why());
        assert!(object["raises"].is_string() && object["near_miss"].is_string());
    }
    let one = tamiz(["flags", "--format", "json", "QUOTE"]).ok();
    assert_eq!(one.lines().count(), 1);
    assert!(out.contains(&one));
}

#[test]
fn an_unknown_name_suggests_the_closest() {
    let near = tamiz(["flags", "DOTDTO"]);
    assert_eq!(
        near.fails(2),
        "tamiz: there is no flag 'DOTDTO'; 'tamiz flags' lists them; did you mean 'DOTDOT'?"
    );
    let far = tamiz(["flags", "0000\x1B"]);
    assert_eq!(far.fails(2), r"tamiz: there is no flag '0000\x1B'; 'tamiz flags' lists them");
}

#[test]
fn colours_follow_the_option() {
    assert!(tamiz(["flags", "--color", "always"]).ok().contains("\x1B["));
    assert!(tamiz(["flags", "--color", "always", "QUOTE"]).ok().contains("\x1B["));
    assert!(!tamiz(["flags", "--color", "always", "--format", "json"]).ok().contains('\x1B'));
    assert!(!tamiz(["flags"]).ok().contains('\x1B'));
}
