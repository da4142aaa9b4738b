//! `dump`: the nodes of a script as a tree or a graph.

use tvmscript::Registry;
use tvmscript::docsifier::NodeLabels;
use tvmscript::ir_core::dump::{DumpOptions, Graph};
use tvmscript::ir_core::type_table::TypeInfo;

use super::Run;
use crate::args::{Dump, DumpFormat};
use crate::{Outcome, input, output, svg};

/// Short names of classes.
const KINDS: &[(&str, &[&str])] =
    &[("stmt", &["tir.Stmt"]), ("expr", &["ir.PrimExpr", "ir.RelaxExpr"]), ("func", &["ir.BaseFunc"])];

pub(super) fn run(args: &Dump, run: &mut Run<'_>) -> Outcome {
    let settings = run.settings;
    let classes = args.kinds.iter().map(|kind| classes(kind, settings.registry()));
    let kinds = match classes.collect::<Result<Vec<_>, _>>() {
        Ok(kinds) => kinds.into_iter().flatten().collect(),
        Err(message) => {
            output::diagnose(&message);
            return Outcome::Misused;
        }
    };
    let input = match run.load(&args.file) {
        Ok(input) => input,
        Err(outcome) => return outcome,
    };
    let root = input::join(&input.scripts);
    let options = DumpOptions {
        kinds,
        as_visited: args.as_visited,
        dedupe: args.dedupe,
        max_label: args.max_label,
        ..DumpOptions::default()
    };
    let with_labels = || {
        let roots = input.scripts.iter().map(|script| &script.node);
        let config = match input.scripts.first() {
            Some(script) => script.with_own_release(settings.printer_config()),
            None => settings.printer_config(),
        };
        let mut labels = NodeLabels::new(roots, settings.registry(), &config);
        Graph::with_labels(&root, &options, |node| labels.label(node))
    };
    let text = run.timings.time("dump", || match args.format {
        DumpFormat::Text => Ok(Graph::of(&root, &options).to_text()),
        DumpFormat::Dot => Ok(with_labels().to_dot()),
        DumpFormat::Svg => svg::to_svg(&with_labels()),
        DumpFormat::Json => Ok(Graph::of(&root, &options).to_json()),
    });
    let mut text = match text {
        Ok(text) => text,
        Err(message) => {
            output::diagnose(&format!("error: {message}"));
            return Outcome::No;
        }
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    output::write(args.output.as_deref(), &text)
}

/// The classes of a kind on the command line.
fn classes(kind: &str, registry: &Registry) -> Result<Vec<&'static TypeInfo>, String> {
    let keys = match KINDS.iter().find(|(name, _)| *name == kind) {
        Some((_, keys)) => keys,
        None => &[kind][..],
    };
    let found: Vec<_> = keys.iter().filter_map(|key| registry.node(key)).collect();
    if found.is_empty() {
        let names: Vec<_> = KINDS.iter().map(|(name, _)| format!("`{name}`")).collect();
        let names = names.join(", ");
        return Err(format!(
            "error: unknown kind `{kind}`: neither {names} nor a type key such as `tir.For`"
        ));
    }
    Ok(found)
}
