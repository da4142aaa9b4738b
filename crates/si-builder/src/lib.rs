//! The crate `si-builder`; see `docs/architecture.md`.
