//! Tables of converters: the one place that says which operators of a format are supported.

/// The documentation of one operator: a line of `tvmscript import --list-operators` and of the tables in the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorDoc {
    /// Name of the operator in the model.
    pub name: &'static str,
    /// Operator set; empty for the format's own.
    pub domain: &'static str,
    /// Versions of the operator set that have a converter of their own; empty where the format has no versions.
    pub versions: &'static [i64],
    /// The operators of Relax that a call becomes, in words.
    pub relax: &'static str,
    /// Forms that are not supported; empty if all are.
    pub unsupported: &'static str,
}
