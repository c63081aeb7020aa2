//! Fingerprint, version, completions, manual pages, help.

mod common;

use common::{examples, file, scratch, tamiz};
use tamiz::{Canonicalizer, Config, FORM_VERSION, Profile, View};

#[test]
fn the_fingerprint_follows_the_options() {
    let of = |change: fn(&mut Config)| {
        let mut config = Config::default();
        change(&mut config);
        format!("{}\n", Canonicalizer::new(config).fingerprint())
    };
    assert_eq!(tamiz(["fingerprint"]).ok(), of(|_| {}));
    assert_eq!(tamiz(["fingerprint", "--view", "literal"]).ok(), of(|config| config.view = View::Literal));
    assert_eq!(tamiz(["fingerprint", "--profile", "full"]).ok(), of(|config| config.profile = Profile::Full));
    let dir = scratch("fingerprint");
    let config = file(&dir, "tamiz.toml", "profile = \"full\"\n");
    let config = config.to_str().expect("a plain path");
    assert_eq!(tamiz(["fingerprint", "--config", config]).ok(), of(|config| config.profile = Profile::Full));
    assert_eq!(tamiz(["fingerprint", "--config", config, "--profile", "standard"]).ok(), of(|_| {}));
}

#[test]
fn components_are_listed_in_order() {
    let out = tamiz(["fingerprint", "--components", "--profile", "full"]).ok();
    let mut config = Config::default();
    config.profile = Profile::Full;
    let canonicalizer = Canonicalizer::new(config);
    let expected: String = canonicalizer
        .fingerprint()
        .components()
        .iter()
        .map(|(name, value)| format!("{name}={value}\n"))
        .collect();
    assert_eq!(out, expected);
    assert!(out.starts_with("form=2\n") && out.contains("\nprofile=full\n"));
}

#[test]
fn the_version_names_form_and_fingerprint() {
    let version = tamiz(["--version"]).ok();
    let fingerprint = tamiz(["fingerprint"]).ok();
    let expected = format!(
        "tamiz {} (form {FORM_VERSION}, fingerprint {})\n",
        env!("CARGO_PKG_VERSION"),
        fingerprint.trim()
    );
    assert_eq!(version, expected);
    assert_eq!(tamiz(["-V"]).ok(), expected);
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = tamiz(["completions", shell]).ok();
        for command in [
            "canon",
            "batch",
            "report",
            "diff",
            "learn",
            "score",
            "model",
            "explain",
            "serve",
            "flags",
            "fingerprint",
            "completions",
            "man",
        ] {
            assert!(script.contains(command), "{shell} {command}");
        }
    }
}

#[test]
fn manual_pages_go_to_standard_output_or_a_directory() {
    let page = tamiz(["man"]).ok();
    assert!(page.contains(".TH tamiz 1") && page.contains("explain"));
    let dir = scratch("man").join("new/man1");
    let out = dir.to_str().expect("a plain path");
    assert_eq!(tamiz(["man", "--out", out]).ok(), "");
    let mut names: Vec<String> = std::fs::read_dir(&dir)
        .expect("the directory was made")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "tamiz-batch.1",
            "tamiz-canon.1",
            "tamiz-completions.1",
            "tamiz-diff.1",
            "tamiz-explain.1",
            "tamiz-fingerprint.1",
            "tamiz-flags.1",
            "tamiz-learn.1",
            "tamiz-man.1",
            "tamiz-model-accept.1",
            "tamiz-model-merge.1",
            "tamiz-model-show.1",
            "tamiz-model.1",
            "tamiz-report.1",
            "tamiz-score.1",
            "tamiz-serve.1",
            "tamiz.1"
        ]
    );
    let blocked = file(&scratch("man-blocked"), "file", "");
    let run = tamiz(["man", "--out", blocked.to_str().expect("a plain path")]);
    assert!(run.fails(1).contains("cannot write manual pages"), "{run:?}");
}

/// What the help says, and what the first example of the README shows. After a wanted change:
/// `TRYCMD=overwrite cargo test -p tamiz-cli`.
#[test]
fn sessions() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .register_bin("tamiz", std::path::Path::new(env!("CARGO_BIN_EXE_tamiz")))
        .case(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/*.md"));
}

#[test]
fn the_example_configuration_is_the_default_and_has_every_key() {
    let text = std::fs::read_to_string(examples().join("tamiz.toml")).expect("the example");
    assert_eq!(Config::from_toml(&text).expect("a configuration"), Config::default());

    // What is commented out is right, too.
    let uncommented: String = text
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|rest| is_assignment(rest)).unwrap_or(line))
        .map(|line| format!("{line}\n"))
        .collect();
    let all = Config::from_toml(&uncommented).expect("commented keys are valid");
    assert_ne!(all, Config::default());

    let default = serde_json::to_value(Config::default()).expect("a configuration is data");
    let mut keys = Vec::new();
    collect_keys(&default, &mut keys);
    assert!(keys.len() > 15, "{keys:?}");
    for key in keys {
        let there = text.lines().any(|line| {
            let line = line.trim_start_matches("# ");
            line == format!("[{key}]") || line.starts_with(&format!("{key} = "))
        });
        assert!(there, "examples/tamiz.toml lacks {key}");
    }
}

fn is_assignment(line: &str) -> bool {
    line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '))
}

fn collect_keys(value: &serde_json::Value, keys: &mut Vec<String>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        keys.push(key.clone());
        collect_keys(inner, keys);
    }
}
