//! Equality with its differences, and edit scripts.

use serde::Serialize;
use tvmscript::diff::diff_with;
use tvmscript::diff::render::{self, Comparison, RenderOptions};
use tvmscript::ir::program_key::ProgramKey;
use tvmscript::ir_core::{PathStep, StructuralEqual};
use tvmscript::releases::program_key;
use tvmscript::{DocsifyError, Mismatch, PrinterConfig, Registry, RewriteError};

use crate::program::{Origin, Part};

/// A difference as data.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    /// `type`, `value`, `binding` or `missing`.
    pub(crate) kind: &'static str,
    /// Access path on the left; `None` if the left side lacks the part.
    pub(crate) left: Option<String>,
    /// Access path on the right.
    pub(crate) right: Option<String>,
    /// The difference in words.
    pub(crate) message: String,
}

/// The differences of two nodes.
#[derive(Debug)]
pub(crate) struct Differences(pub(crate) Vec<Difference>);

impl Differences {
    /// The differences as a JSON array.
    pub(crate) fn json(&self) -> String {
        // Strings are always representable.
        serde_json::to_string(&self.0).unwrap_or_default()
    }
}

fn how(map_free_vars: bool) -> StructuralEqual {
    StructuralEqual { map_free_vars, ..StructuralEqual::default() }
}

/// Tests two nodes for structural equality.
pub(crate) fn equal(a: &Part, b: &Part, map_free_vars: bool) -> bool {
    how(map_free_vars).compare(&a.node, &b.node)
}

/// All differences of two nodes.
pub(crate) fn differences(a: &Part, b: &Part, map_free_vars: bool) -> Differences {
    use tvmscript::ir_core::MismatchKind;
    let found = how(map_free_vars).mismatches(&a.node, &b.node, usize::MAX);
    let difference = |found: Mismatch| {
        let path = |path: &tvmscript::ir_core::AccessPath| {
            let lacks = path.steps.last().is_some_and(PathStep::is_missing);
            (!lacks).then(|| path.to_string())
        };
        Difference {
            kind: match found.kind {
                MismatchKind::Type => "type",
                MismatchKind::Value => "value",
                MismatchKind::Binding => "binding",
                MismatchKind::Missing => "missing",
                _ => "other",
            },
            left: path(&found.lhs),
            right: path(&found.rhs),
            message: found.to_string(),
        }
    };
    Differences(found.into_iter().map(difference).collect())
}

/// Form of a rendered edit script.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DiffForm {
    Unified,
    Json,
    Html,
}

/// The edits that lead from one node to another; the empty text if there are none.
pub(crate) fn diff(
    a: &Part,
    b: &Part,
    registry: &Registry,
    form: DiffForm,
    map_free_vars: bool,
) -> Result<String, Box<DocsifyError>> {
    let script = diff_with(&a.node, &b.node, how(map_free_vars));
    if script.edits.is_empty() && !matches!(form, DiffForm::Json) {
        return Ok(String::new());
    }
    let config = PrinterConfig { release: Some(a.origin.release), ..PrinterConfig::default() };
    let comparison = Comparison::new(&a.node, &b.node, &script, registry, &config)?;
    let [name_a, name_b] = [a, b].map(|part| part.origin.name.to_string());
    let options = RenderOptions { name_a, name_b, ..RenderOptions::default() };
    Ok(match form {
        DiffForm::Unified => comparison.unified(&options),
        DiffForm::Json => render::to_json(comparison.records()),
        DiffForm::Html => render::page(&[(&comparison, &options)]),
    })
}

/// The key of a program.
pub(crate) fn key(part: &Part, skip_attributes: bool) -> Result<String, RewriteError> {
    let Origin { dialects, release, .. } = &*part.origin;
    let key = program_key(&part.node, release, dialects, ProgramKey { skip_attributes });
    key.map(|key| key.to_string())
}
