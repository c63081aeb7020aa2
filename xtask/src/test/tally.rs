//! How many tests passed and failed, by the closing lines of the programs that ran them.

/// Counts of tests and steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) passed: u64,
    pub(super) failed: u64,
    /// Tests that pytest or Node's runner skipped.
    pub(super) skipped: u64,
}

impl Tally {
    /// Adds a line of the form `test result: ok. 3 passed; 0 failed; …`.
    pub(super) fn add_result_line(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
        self.add(counts.split("; "));
    }

    /// Adds the last line of pytest, `1 failed, 2 passed in 3.00s`.
    pub(super) fn add_pytest_line(&mut self, line: &str) {
        if let Some((counts, _)) = line.split_once(" in ").filter(|(_, time)| time.contains('s')) {
            self.add(counts.split(", "));
        }
    }

    /// Adds the closing lines of Node's test runner, `# pass 3` and `# fail 0`.
    pub(super) fn add_tap_line(&mut self, line: &str) {
        match line.strip_prefix("# ").and_then(|count| count.split_once(' ')) {
            Some(("pass", n)) => self.passed += n.parse().unwrap_or(0),
            Some(("fail", n)) => self.failed += n.parse().unwrap_or(0),
            Some(("skipped", n)) => self.skipped += n.parse().unwrap_or(0),
            _ => {}
        }
    }

    /// Adds counts such as `3 passed`.
    fn add<'a>(&mut self, counts: impl Iterator<Item = &'a str>) {
        for count in counts {
            match count.split_once(' ') {
                Some((n, "passed")) => self.passed += n.parse().unwrap_or(0),
                Some((n, "failed" | "error" | "errors")) => self.failed += n.parse().unwrap_or(0),
                Some((n, "skipped")) => self.skipped += n.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// The closing line of `cargo x test`, with the number of steps that were skipped.
    pub(super) fn closing_line(self, skipped: usize, setup_helps: bool) -> String {
        let mut line = format!("{} passed, {} failed", grouped(self.passed), grouped(self.failed));
        if skipped > 0 {
            let steps = if skipped == 1 { "step" } else { "steps" };
            line += &format!(", {skipped} {steps} skipped");
        }
        if setup_helps {
            line += " (cargo x setup)";
        }
        line
    }
}

/// A number with a comma before every third digit.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64) -> Tally {
        Tally { passed, failed, skipped: 0 }
    }

    #[test]
    fn result_lines_are_summed() {
        let mut sum = Tally::default();
        for line in [
            "running 3 tests",
            "test tests::passed ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 39 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
            "test result: ok. 7 passed",
        ] {
            sum.add_result_line(line);
        }
        assert_eq!(sum, tally(49, 2));
    }

    #[test]
    fn closing_lines_of_pytest_are_summed() {
        let mut sum = Tally::default();
        for line in
            ["2 passed in 0.10s", "1 failed, 3 passed, 1 skipped in 9.00s (0:00:09)", "1 error in 0.2s"]
        {
            sum.add_pytest_line(line);
        }
        assert_eq!(sum, Tally { skipped: 1, ..tally(5, 2) });
    }

    #[test]
    fn closing_lines_of_node_are_summed() {
        let mut sum = Tally::default();
        for line in ["# Subtest: pass 9", "ok 1 - pass 9", "# tests 5", "# pass 4", "# fail 1", "# skipped 2"]
        {
            sum.add_tap_line(line);
        }
        assert_eq!(sum, Tally { skipped: 2, ..tally(4, 1) });
    }

    #[test]
    fn the_closing_line_counts_what_was_skipped() {
        assert_eq!(tally(999, 0).closing_line(0, false), "999 passed, 0 failed");
        assert_eq!(
            tally(1123, 0).closing_line(2, true),
            "1,123 passed, 0 failed, 2 steps skipped (cargo x setup)"
        );
        assert_eq!(tally(1_234_567, 1).closing_line(1, false), "1,234,567 passed, 1 failed, 1 step skipped");
    }
}
