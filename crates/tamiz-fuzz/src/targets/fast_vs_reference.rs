use super::Checks;
use crate::settings::{canonicalizer, reference};

/// Compares the library with the slow reference: a byte that chooses view, profile and limits, then the wire bytes of
/// a request. Every input is compared always.
pub fn fast_vs_reference(input: &[u8], _: Checks) {
    let Some((&choice, request)) = input.split_first() else { return };
    let library = canonicalizer(choice).canonicalize(request);
    let reference = reference(choice, request);
    if library.as_str() != reference {
        let config = canonicalizer(choice).config();
        let differences = differences(library.as_str(), &reference);
        panic!("{:?}, {:?}: library `-`, reference `+`\n{differences}", config.view, config.profile);
    }
}

/// The lines that only one of the two has.
fn differences(library: &str, reference: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (library.lines().collect(), reference.lines().collect());
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("  - {line}\n"));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| format!("  + {line}\n"));
    gone.chain(come).collect()
}
