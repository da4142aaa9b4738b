//! `dump`: the nodes of a script as a tree or a graph.

use tvmscript::docsifier::{MappedText, print_mapped};
use tvmscript::ir_core::dump::{DumpOptions, Graph, fields_label};
use tvmscript::ir_core::type_table::TypeInfo;
use tvmscript::{Object, PrinterConfig};

use super::Run;
use super::equal::is_too_long;
use crate::args::{Dump, DumpFormat};
use crate::input::Script;
use crate::registry::{printer_config, registry};
use crate::{Outcome, input, output};

/// Short names of classes.
const KINDS: &[(&str, &[&str])] =
    &[("stmt", &["tir.Stmt"]), ("expr", &["ir.PrimExpr", "ir.RelaxExpr"]), ("func", &["ir.BaseFunc"])];

pub(super) fn run(args: &Dump, run: &mut Run) -> Outcome {
    let kinds = match args.kinds.iter().map(|kind| classes(kind)).collect::<Result<Vec<_>, _>>() {
        Ok(kinds) => kinds.into_iter().flatten().collect(),
        Err(message) => {
            output::diagnose(&message);
            return Outcome::Misused;
        }
    };
    let Some(input) = run.load(&args.file) else { return Outcome::No };
    let root = input::join(&input.scripts);
    let options = DumpOptions {
        kinds,
        as_visited: args.as_visited,
        dedupe: args.dedupe,
        max_label: args.max_label,
        ..DumpOptions::default()
    };
    let mut text = run.timings.time("dump", || match args.format {
        DumpFormat::Text => Graph::of(&root, &options).to_text(),
        DumpFormat::Dot => {
            let mut texts = Texts::new(&input.scripts);
            Graph::with_labels(&root, &options, |node| texts.label(node)).to_dot()
        }
        DumpFormat::Json => Graph::of(&root, &options).to_json(),
    });
    if !text.ends_with('\n') {
        text.push('\n');
    }
    output::write(args.output.as_deref(), &text)
}

/// Maximum size of all labels together. The label of a statement contains the text of nested statements.
const MAX_LABEL_BYTES: usize = 64 << 20;

/// The printed text of the nodes of scripts.
struct Texts {
    scripts: Vec<MappedText>,
    left_bytes: usize,
}

impl Texts {
    /// Leaves out scripts that cannot be printed or whose text is too long.
    fn new(scripts: &[Script]) -> Texts {
        // Without sugar, each loop has its own text.
        let config = PrinterConfig { syntax_sugar: false, ..printer_config() };
        let print = |script: &Script| match is_too_long(&script.node) {
            true => None,
            false => print_mapped(&script.node, registry(), &config).ok(),
        };
        Texts { scripts: scripts.iter().filter_map(print).collect(), left_bytes: MAX_LABEL_BYTES }
    }

    /// The text of a node, or its fields if it has no text.
    fn label(&mut self, node: &Object) -> String {
        let text = self.scripts.iter().find_map(|script| script.text_of_node(node));
        match text.filter(|text| text.len() <= self.left_bytes) {
            Some(text) => {
                self.left_bytes -= text.len();
                text
            }
            None => fields_label(node),
        }
    }
}

/// The classes of a kind on the command line.
fn classes(kind: &str) -> Result<Vec<&'static TypeInfo>, String> {
    let keys = match KINDS.iter().find(|(name, _)| *name == kind) {
        Some((_, keys)) => keys,
        None => &[kind][..],
    };
    let found: Vec<_> = keys.iter().filter_map(|key| registry().node(key)).collect();
    if found.is_empty() {
        let names: Vec<_> = KINDS.iter().map(|(name, _)| format!("`{name}`")).collect();
        let names = names.join(", ");
        return Err(format!(
            "error: unknown kind `{kind}`: neither {names} nor a type key such as `tir.For`"
        ));
    }
    Ok(found)
}
