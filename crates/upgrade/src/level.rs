//! Levels of programs: how a release builds statements, functions and scalars.

/// A way to build programs, which releases share. Each level adds to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Bindings, allocations, declared buffers and assertions are scopes.
    Nested,
    /// They are statements.
    Flat,
    /// Functions that schedules work on have a flag; the buffers of others have layouts.
    Flagged,
    /// Buffers are parameters, and scalars of Relax are those of TIR. A declared buffer has a data pointer of its own.
    Current,
    /// Programs are the same. Texts declare shape variables, and have operators for bits and calls for masks.
    Declared,
}
