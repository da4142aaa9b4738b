//! Programs that build nodes.

use tvmscript::explain::{EmitError, Target, emit};
use tvmscript::{Release, Session};

use crate::diagnostics::{Findings, codes};
use crate::program::{Dialects, Part};
use crate::status::{Outcome, Status};

/// The target of a name, such as "python-builder".
pub(crate) fn target(name: &str) -> Outcome<Target> {
    Target::find(name).ok_or(Status::UnknownName)
}

/// Writes the program that builds a node, which prints it when it runs if there is a `main`.
pub(crate) fn program(
    part: &Part,
    dialects: &Dialects,
    release: &'static Release,
    target: Target,
    main: bool,
) -> Result<String, Findings> {
    let session = Session { release: Some(release), ..Session::new(dialects) };
    emit(&part.node, &session, target, main).map_err(|error| match &error {
        EmitError::Docsify(error) => Findings::of_print(error, part),
        _ => Findings::message(&codes::NO_PROGRAM, &error.to_string(), &part.origin.name),
    })
}
