//! The switch of [`SIBuilder`](crate::SIBuilder).

use std::cell::Cell;

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(true) };
}

/// Returns `true` if builders of this thread fill and collect spans, which is the default.
pub fn is_enabled() -> bool {
    ENABLED.get()
}

/// Switches the builders that this thread makes on or off until the guard is dropped.
pub fn set_enabled(enabled: bool) -> SwitchGuard {
    SwitchGuard { before: ENABLED.replace(enabled) }
}

/// Restores the switch when dropped; see [`set_enabled`].
#[derive(Debug)]
#[must_use = "the switch is restored when this is dropped"]
pub struct SwitchGuard {
    before: bool,
}

impl Drop for SwitchGuard {
    fn drop(&mut self) {
        ENABLED.set(self.before);
    }
}
