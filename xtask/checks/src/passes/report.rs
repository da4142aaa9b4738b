//! Figures and causes by pass.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::Plan;
use super::check::{Outcome, Sources, Verdict};
use crate::conformance::{Program, cause, share};

/// Prints the figures of a pass and its failures by cause, and writes the texts of results that differ to a folder.
///
/// # Errors
/// When a text cannot be written.
pub fn show(plan: &Plan, outcomes: &[(&Program, &Outcome)], causes_shown: usize, dir: &Path) -> Result<()> {
    let is = |wanted: fn(&Verdict) -> bool| outcomes.iter().filter(|(_, o)| wanted(&o.verdict)).count();
    let equal = is(|verdict| matches!(verdict, Verdict::Equal));
    let broken = is(|verdict| matches!(verdict, Verdict::Broken));
    let succeeds = outcomes.len() - broken - is(|verdict| matches!(verdict, Verdict::Rejected));
    let sum = |of: &dyn Fn(&Outcome) -> Option<Sources>| {
        outcomes.iter().filter_map(|(_, o)| of(o)).fold(Sources::default(), |sum, one| Sources {
            nodes: sum.nodes + one.nodes,
            with_source: sum.with_source + one.with_source,
        })
    };
    let ours = sum(&|outcome| Some(outcome.our_sources));
    let theirs = sum(&|outcome| outcome.their_sources);
    println!("{}: {} programs, TVM succeeds on {succeeds}", plan.name, outcomes.len());
    if broken > 0 {
        println!("    {broken} more results of TVM are not well-formed or do not read back");
    }
    println!("    {:<12}{}", "equal", share(equal, succeeds));
    println!("    {:<12}{}", "spans", share(ours.with_source, ours.nodes));
    if theirs.nodes > 0 {
        println!("    {:<12}{}", "TVM's spans", share(theirs.with_source, theirs.nodes));
    }
    let dir = dir.join(&plan.name);
    let mut causes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (program, outcome) in outcomes {
        let label = format!("{}/{}", program.kind, program.name);
        if let Verdict::Differs(why) = &outcome.verdict {
            causes.entry(cause(why)).or_default().push(format!("{label}: {why}"));
            std::fs::create_dir_all(&dir)?;
            for (side, text) in [("in", &program.text), ("ours", &outcome.ours), ("tvm", &outcome.theirs)] {
                std::fs::write(dir.join(format!("{}.{side}.py", program.name)), text)?;
            }
        }
        for fault in &outcome.faults {
            causes.entry(cause(fault)).or_default().push(format!("{label}: {fault}"));
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, programs)| std::cmp::Reverse(programs.len()));
    for (cause, programs) in causes.iter().take(causes_shown) {
        println!("    {} x {cause}", programs.len());
        programs.iter().take(4).for_each(|program| println!("        {program}"));
    }
    if causes.len() > causes_shown {
        println!("    {} more causes", causes.len() - causes_shown);
    }
    Ok(())
}
