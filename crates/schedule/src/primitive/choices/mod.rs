//! Choices: values and loops that a tuner draws.

pub(super) mod compute_location;
pub(super) mod sample;
