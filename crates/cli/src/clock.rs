//! The clock of `bench`: CPU time of the current thread, which other load disturbs least.

/// The name of the figure in the output: seconds of CPU time, or of any time where there is no CPU clock.
pub(crate) const UNIT: &str = if cfg!(unix) { "cpu" } else { "s" };

/// Seconds on a clock that only runs forward.
#[cfg(unix)]
pub(crate) fn seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds on a clock that only runs forward.
#[cfg(not(unix))]
pub(crate) fn seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
