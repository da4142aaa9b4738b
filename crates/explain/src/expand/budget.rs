//! Bound on the work of an expansion.

use super::helper::Reason;

/// Bytes of text that an expansion reads and writes at most, over all levels.
const MAX_BYTES: usize = 64 << 20;

/// Number of calls that an expansion looks at.
const MAX_CALLS: usize = 10_000;

/// The rest of these bounds.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    calls: usize,
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget { bytes: MAX_BYTES, calls: MAX_CALLS }
    }

    /// Charges a text.
    ///
    /// # Errors
    /// If the text is longer than what is left.
    pub(super) fn text(&mut self, bytes: usize) -> Result<(), Reason> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or("would make the text too long")?;
        Ok(())
    }

    /// Charges a call.
    ///
    /// # Errors
    /// If there were too many.
    pub(super) fn call(&mut self) -> Result<(), Reason> {
        self.calls = self.calls.checked_sub(1).ok_or_else(|| format!("is behind {MAX_CALLS} other calls"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, MAX_BYTES};

    #[test]
    fn a_charge_beyond_the_rest_fails_and_takes_nothing() {
        let mut budget = Budget::new();
        assert!(budget.text(MAX_BYTES - 1).is_ok());
        assert!(budget.text(2).is_err());
        assert!(budget.text(1).is_ok());
    }
}
