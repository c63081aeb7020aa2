//! Where documents are made: small ones at once, large ones on threads that nobody else waits for.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::app::Slot;
use crate::problem::Problem;

/// Does a job; with a slot, on a thread for large ones, which holds the slot until it is done.
///
/// # Errors
/// [`Problem::Fault`] where the job panics, which would be a fault of ours.
pub(crate) async fn on<T: Send + 'static>(
    slot: Option<Slot>,
    job: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    match slot {
        // What it might leave half done is its own: canonicalizers are not changed by what they read.
        None => catch_unwind(AssertUnwindSafe(job)).map_err(|_| Problem::Fault),
        Some(slot) => {
            let held = move || {
                let result = job();
                drop(slot);
                result
            };
            tokio::task::spawn_blocking(held).await.map_err(|_| Problem::Fault)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Semaphore;

    #[tokio::test]
    async fn a_panic_is_a_fault_and_gives_the_slot_back() {
        let slots = Arc::new(Semaphore::new(1));
        assert_eq!(on(None, || -> u8 { panic!("on purpose") }).await, Err(Problem::Fault));
        let slot = Arc::clone(&slots).try_acquire_owned().unwrap();
        assert_eq!(on(Some(slot), || -> u8 { panic!("on purpose") }).await, Err(Problem::Fault));
        assert_eq!(slots.available_permits(), 1);
        let slot = Arc::clone(&slots).try_acquire_owned().unwrap();
        assert_eq!(on(Some(slot), || 7).await, Ok(7));
        assert_eq!(slots.available_permits(), 1);
    }
}
