use super::Checks;

/// Checks that the bitmaps of any text are the same by vectors and by plain numbers. It costs little: all is checked
/// always.
pub fn index(input: &[u8], _: Checks) {
    // Each byte comes to be at each place of a vector.
    for start in 0..16.min(input.len()) {
        assert!(tamiz::forms_agree(&input[start..]), "bitmaps differ from byte {start} on");
    }
}
