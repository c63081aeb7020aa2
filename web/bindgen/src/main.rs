//! `tamiz-bindgen WASM OUT`: the JavaScript and the types of a library that was built for WebAssembly, and the library
//! without what only this program needs. It is `wasm-bindgen --target web`, without the program's test runner.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [wasm, out] = arguments.as_slice() else {
        eprintln!("Usage: tamiz-bindgen WASM OUT");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).typescript(true).remove_name_section(true).remove_producers_section(true);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
