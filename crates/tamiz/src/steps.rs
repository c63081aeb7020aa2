//! Counts the steps of searches in unit tests, which bound the work on hostile input by them. A count is the same on
//! every machine, unlike a time. Outside of unit tests nothing is counted.

#[cfg(test)]
mod ordinary;

#[cfg(test)]
use std::cell::{Cell, RefCell};
#[cfg(test)]
use std::collections::BTreeMap;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
    static SLOW: RefCell<BTreeMap<&'static str, usize>> = const { RefCell::new(BTreeMap::new()) };
}

/// Adds to the steps of this thread.
#[inline(always)]
#[cfg_attr(not(test), allow(unused_variables, reason = "nothing is counted there"))]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.with(|all| all.set(all.get().saturating_add(steps)));
}

/// Notes that a slow path is taken, one that most texts of ordinary requests are spared.
#[inline(always)]
#[cfg_attr(not(test), allow(unused_variables, reason = "nothing is noted there"))]
pub(crate) fn slow(path: &'static str) {
    #[cfg(test)]
    SLOW.with_borrow_mut(|taken| *taken.entry(path).or_default() += 1);
}

/// How often `work` takes each slow path.
#[cfg(test)]
fn slow_paths(work: impl FnOnce()) -> BTreeMap<&'static str, usize> {
    SLOW.take();
    work();
    SLOW.take()
}

/// How many steps `work` takes.
#[cfg(test)]
pub(crate) fn of(work: impl FnOnce()) -> usize {
    let before = STEPS.get();
    work();
    STEPS.get() - before
}

/// Checks that twice the input takes at most about twice the steps: `work` is given a size.
#[cfg(test)]
#[track_caller]
pub(crate) fn assert_linear(what: &str, size: usize, work: impl Fn(usize)) {
    let (half, whole) = (of(|| work(size / 2)), of(|| work(size)));
    assert!(
        whole <= half * 22 / 10 + 1000,
        "{what}: {half} steps for half of the input, {whole} for all of it"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_work_passes() {
        assert_linear("linear", 10_000, |size| (0..size).for_each(|_| count(3)));
        assert_eq!(of(|| count(7)), 7);
    }

    #[test]
    #[should_panic(expected = "quadratic: ")]
    fn quadratic_work_fails() {
        assert_linear("quadratic", 10_000, |size| (0..size).for_each(count));
    }
}
