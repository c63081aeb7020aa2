//! suricata-htp, for `cargo x bench`.

use std::process::ExitCode;

use tamiz_bench_suricata::program;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["count", name, file] => program::count(name, file),
        ["serve", file] => program::serve(file),
        _ => return ExitCode::from(2),
    };
    if let Err(error) = result {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
