//! The dataflow: stages with a port for each tensor that they read and each result.

use super::cells::{Dot, stage_label};
use super::model::{Model, ModelStage};

pub(super) fn draw(model: &Model, dot: &mut Dot) {
    for (at, stage) in model.stages.iter().enumerate() {
        dot.table(&format!("Stage_{at}"), at, &rows(stage));
        let prefix = dot.prefix;
        for (index, (shape, dtype)) in stage.outputs.iter().enumerate() {
            dot.line(&format!(
                "{prefix}Tensor_{at}_{index} [label=\"{shape}\n{dtype}\" margin=0 shape=oval]"
            ));
        }
    }
    for (at, stage) in model.stages.iter().enumerate() {
        for (index, (from, output)) in stage.inputs.iter().enumerate() {
            dot.edge(&format!("Tensor_{from}_{output}"), &format!("Stage_{at}:I_{index}"), "");
        }
        for index in 0..stage.outputs.len() {
            dot.edge(&format!("Stage_{at}:O_{index}"), &format!("Tensor_{at}_{index}"), "");
        }
    }
}

/// The ports around the name of the stage.
fn rows(stage: &ModelStage) -> String {
    let count = stage.inputs.len().max(stage.outputs.len()).max(1);
    let port = |kind: &str, index: usize, count: usize| match index < count {
        true => format!("<TD BGCOLOR=\"lightgrey\" COLSPAN=\"2\" PORT=\"{kind}_{index}\">{index}</TD>"),
        false => "<TD BGCOLOR=\"white\" COLSPAN=\"2\"></TD>".to_owned(),
    };
    let mut rows = String::new();
    for index in 0..count {
        let label = match index {
            0 => {
                format!("<TD BGCOLOR=\"white\" COLSPAN=\"2\" ROWSPAN=\"{count}\">{}</TD>", stage_label(stage))
            }
            _ => String::new(),
        };
        let (input, output) = (port("I", index, stage.inputs.len()), port("O", index, stage.outputs.len()));
        rows.push_str(&format!("<TR>{input}{label}{output}</TR>"));
    }
    rows
}
