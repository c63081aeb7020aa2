//! Being stopped from outside: by Ctrl-C, or by who ends processes.

use crate::failure::complain;

/// The exit code that shells use for a program stopped by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Says `message` and ends the process when it is interrupted or terminated. What a run has made safe stays on the disk
/// as it is, just as if it were killed.
pub(crate) fn on_interrupt(message: Option<String>) {
    // Where no handler can be set, the process ends without a word, and nothing is lost either.
    let _ = ctrlc::set_handler(move || {
        complain(message.as_deref().unwrap_or("stopped"));
        std::process::exit(INTERRUPTED);
    });
}
