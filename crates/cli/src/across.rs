//! Files of two releases, compared as what they mean in the newer one.

use serde_json::{Value, json};
use tvmscript::Release;
use tvmscript::upgrade::{self, Step};

use crate::command::Run;
use crate::failure::FileErrorKind;
use crate::input::{Input, Warnings};
use crate::{output, well_formed};

/// One of two files, rewritten before they are compared.
pub(crate) struct Aligned {
    file: String,
    step: &'static Step,
}

impl Aligned {
    /// The file and the releases, for programs.
    pub(crate) fn report(&self) -> Value {
        json!({"file": self.file, "from": self.step.from.id(), "to": self.step.to.id()})
    }
}

fn release(input: &Input) -> Option<&'static Release> {
    input.scripts.first().map(|script| script.release)
}

/// Rewrites the scripts of the older of two files by the rules of `upgrade`, and says so. Returns `None` if there is nothing
/// to rewrite: the files are of one release, or no rules lead from one release to the other.
///
/// # Errors
/// If a rewritten script is invalid.
pub(crate) fn align(
    left: &mut Input,
    right: &mut Input,
    run: &mut Run<'_>,
) -> Result<Option<Aligned>, FileErrorKind> {
    let (Some(a), Some(b)) = (release(left), release(right)) else { return Ok(None) };
    if a == b {
        return Ok(None);
    }
    let leads = |step: &&Step, from: &Release, to: &Release| step.from == from && step.to == to;
    // Steps to newer releases come first.
    let step = upgrade::steps(run.settings.registry()).find(|step| leads(step, a, b) || leads(step, b, a));
    let Some(step) = step else {
        output::diagnose(&format!(
            "note: {} is text of {}, {} of {}; no rules lead from one to the other, so they are compared as they are",
            left.source.name,
            a.id(),
            right.source.name,
            b.id()
        ));
        return Ok(None);
    };
    let older = if step.from == a { left } else { right };
    let mut losses = Vec::new();
    for script in &mut older.scripts {
        let upgraded = run.timings.time("upgrade", || upgrade::upgrade(&script.node, step));
        let upgraded = upgraded.map_err(|error| FileErrorKind::Upgrade(error.to_string()))?;
        let found = upgraded.findings.iter().filter(|finding| finding.is_loss);
        losses.extend(found.map(|finding| well_formed::in_text(script, finding.diagnostic(true))));
        script.set_upgraded(upgraded.node, step.to);
    }
    let file = older.source.name.clone();
    output::diagnose(&format!(
        "note: {file} is compared as {} has it, after the rules of `upgrade` from {}; `--as-written` compares what is written",
        step.to.id(),
        step.from.id()
    ));
    Warnings::default().with(&older.source, losses).show(run.settings.color);
    Ok(Some(Aligned { file, step }))
}
