//! Stable codes of diagnostics.
//!
//! A code never changes its meaning and is never reused: programs and documentation may refer to it. The hundreds group the
//! causes: 01 syntax, 02 names, 03 statements and expressions that scripts do not have, 04 exceptions of host code, 05 calls
//! and frames of the builder, 06 what a dialect checks, 07 limits.

use tvmscript_script_value::BuildErrorKind;

use super::{HostErrorKind, ParseErrorKind};

impl ParseErrorKind {
    /// The stable code of the kind, e.g. `E0201`.
    pub fn code(&self) -> &'static str {
        match self {
            ParseErrorKind::Syntax(kind) => kind.code(),
            ParseErrorKind::UndefinedName { .. } => "E0201",
            ParseErrorKind::AlreadyDefined { .. } => "E0202",
            ParseErrorKind::NoAttribute { .. } => "E0203",
            ParseErrorKind::UnsupportedStatement { .. } => "E0301",
            ParseErrorKind::UnsupportedExpression { .. } => "E0302",
            ParseErrorKind::InvalidTarget { .. } => "E0303",
            ParseErrorKind::MissingDecorator { .. } => "E0304",
            ParseErrorKind::WrongDecorator { .. } => "E0305",
            ParseErrorKind::NotADecorator { .. } => "E0306",
            ParseErrorKind::Expected { .. } => "E0307",
            ParseErrorKind::NoScript => "E0308",
            ParseErrorKind::Header { .. } => "E0309",
            ParseErrorKind::UnknownProfile(_) => "E0313",
            ParseErrorKind::NotEvaluated { .. } => "E0310",
            ParseErrorKind::UnknownValue { .. } => "E0311",
            ParseErrorKind::NeedsArguments { .. } => "E0312",
            ParseErrorKind::Host(error) => of_exception(error.kind),
            ParseErrorKind::Build(kind) => of_build(kind),
            ParseErrorKind::Dialect { .. } => "E0600",
            ParseErrorKind::IllFormed { .. } => "E0601",
            ParseErrorKind::TooManySteps { .. } => "E0701",
            ParseErrorKind::TooMuchMemory { .. } => "E0702",
            ParseErrorKind::CallsTooDeep { .. } => "E0703",
            ParseErrorKind::TooLargeProgram { .. } => "E0704",
        }
    }
}

fn of_exception(kind: HostErrorKind) -> &'static str {
    match kind {
        HostErrorKind::Raised => "E0400",
        HostErrorKind::Type => "E0401",
        HostErrorKind::Value => "E0402",
        HostErrorKind::ZeroDivision => "E0403",
        HostErrorKind::Overflow => "E0404",
        HostErrorKind::Index => "E0405",
        HostErrorKind::Key => "E0406",
        HostErrorKind::Attribute => "E0407",
        HostErrorKind::Name => "E0408",
        HostErrorKind::Assertion => "E0409",
        HostErrorKind::StopIteration => "E0410",
        HostErrorKind::Import => "E0411",
        HostErrorKind::Runtime => "E0412",
        HostErrorKind::Lookup => "E0413",
        HostErrorKind::UnicodeDecode => "E0414",
        HostErrorKind::Recursion => "E0415",
    }
}

fn of_build(kind: &BuildErrorKind) -> &'static str {
    match kind {
        BuildErrorKind::MissingArgument { .. } => "E0501",
        BuildErrorKind::TooManyArguments { .. } => "E0502",
        BuildErrorKind::UnknownKeyword { .. } => "E0503",
        BuildErrorKind::RepeatedArgument { .. } => "E0504",
        BuildErrorKind::ArgumentType { .. } => "E0505",
        BuildErrorKind::Type { .. } => "E0506",
        BuildErrorKind::NotCallable { .. } => "E0507",
        BuildErrorKind::WrongFrame { .. } => "E0508",
        BuildErrorKind::Repeated { .. } => "E0509",
        BuildErrorKind::NoBuilder => "E0510",
        BuildErrorKind::Nesting { .. } => "E0511",
        BuildErrorKind::Closed { .. } => "E0512",
        BuildErrorKind::InnerBuilder => "E0513",
        BuildErrorKind::SecondResult { .. } => "E0514",
        BuildErrorKind::NoResult => "E0515",
        BuildErrorKind::Unnameable { .. } => "E0516",
        BuildErrorKind::Poisoned => "E0517",
        // Messages of a dialect, and kinds added later.
        _ => "E0500",
    }
}
