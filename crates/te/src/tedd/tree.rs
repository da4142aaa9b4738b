//! The schedule tree: each stage with its loops and its computation, and edges to the loops that stages are computed in.

use super::cells::{Dot, broken, iter_row, marks, stage_label};
use super::model::Model;

/// Colours of edges, by the index of the iteration variable that they end at, from the second on.
const PALETTE: &[&str] =
    &["#000000", "#922B21", "#76448A", "#1F618D", "#148F77", "#B7950B", "#AF601A", "#F5B7B1", "#A9DFBF"];

pub(super) fn draw(model: &Model, dot: &mut Dot) {
    for (at, stage) in model.stages.iter().enumerate() {
        let mut rows = format!(
            "<TR><TD BGCOLOR=\"lightgrey\" COLSPAN=\"2\" PORT=\"stage\">{}</TD></TR>",
            stage_label(stage)
        );
        for (leaf, index) in (0..).zip(&stage.leaves) {
            if let Some(iter) = stage.iters.get(*index) {
                rows.push_str(&iter_row(iter, leaf, &format!("IterVar_{at}_{index}"), &marks(iter)));
            }
        }
        if let Some(body) = &stage.body {
            rows.push_str(&format!("<TR><TD COLSPAN=\"2\">{}</TD></TR>", broken(body)));
        }
        dot.table_with(&format!("Stage_{at}"), at, " ", &rows);
    }
    let first = PALETTE.first().copied().unwrap_or_default();
    for (at, stage) in model.stages.iter().enumerate() {
        let (to, color) = match stage.attach {
            Some((parent, iter)) => (
                format!("Stage_{parent}:IterVar_{parent}_{iter}"),
                PALETTE.get(iter + 1).copied().unwrap_or(first),
            ),
            None => ("ROOT".to_owned(), first),
        };
        dot.edge(&format!("Stage_{at}"), &to, &format!(" [color=\"{color}\"]"));
    }
    let prefix = dot.prefix;
    dot.line(&format!("{prefix}ROOT [label=ROOT margin=0 shape=oval]"));
}
