//! A program that was built without a feature says in one sentence how to get it.
//!
//! `cargo x test --all` runs these tests on a program without any, and on one with the service; with all features
//! there is nothing to test.

mod common;

#[cfg(not(feature = "serve"))]
#[test]
fn the_service_says_how_to_get_it() {
    for arguments in [&["serve"][..], &["serve", "--listen", "127.0.0.1:0"], &["serve", "--help"]] {
        assert_eq!(
            common::tamiz(arguments).fails(2),
            "tamiz: this program was built without the service: build it with '--features serve', or install a \
             released one"
        );
    }
}

#[cfg(all(feature = "serve", not(feature = "ext-proc")))]
#[test]
fn the_external_processor_says_how_to_get_it() {
    assert_eq!(
        common::tamiz(["serve", "--listen", "127.0.0.1:0", "--ext-proc", "127.0.0.1:0"]).fails(2),
        "tamiz: this program was built without Envoy's ext_proc: build it with '--features ext-proc', or install a \
         released one"
    );
}

#[cfg(not(feature = "columns"))]
#[test]
fn files_of_columns_say_how_to_get_them() {
    let dir = common::scratch("no-columns");
    let input = common::file(&dir, "in.http", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    let input = input.to_str().expect("a path");
    for name in ["out.parquet", "out.arrow"] {
        let out = dir.join(name);
        assert_eq!(
            common::tamiz(["batch", input, "-o", out.to_str().expect("a path")]).fails(2),
            "tamiz: this program was built without Parquet and Arrow: build it with '--features columns', or install \
             a released one"
        );
        assert!(!out.exists());
    }
    let run = common::tamiz(["batch", input, "-o", "-", "--format", "requests"]);
    assert!(run.fails(2).contains("--features columns"));
    let out = dir.join("scores.parquet");
    let run = common::tamiz(["score", input, "--format", "parquet", "-o", out.to_str().expect("a path")]);
    assert!(run.fails(2).contains("--features columns"));
    assert!(!out.exists() && !dir.join("scores.parquet.partial").exists());
}

#[cfg(not(feature = "columns"))]
#[test]
fn parquet_as_input_says_how_to_get_it() {
    let dir = common::scratch("no-columns-input");
    let input = common::file(&dir, "in.parquet", b"PAR1....PAR1");
    let run = common::tamiz(["batch", input.to_str().expect("a path"), "-o", "-", "--format", "text", "-q"]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("built without: build it with '--features columns'"), "{}", run.stderr);
}
