//! The relations of iteration variables: for each stage, its iteration variables and the primitives that made them.

use super::cells::{Dot, iter_row, quoted};
use super::model::{Model, ModelRelation};

pub(super) fn draw(model: &Model, dot: &mut Dot) {
    for (at, stage) in model.stages.iter().enumerate() {
        let prefix = dot.prefix;
        dot.open(&format!("subgraph cluster_{prefix}Stage_{at} {{"));
        dot.line(&format!("label={}", quoted(&stage.name)));
        if stage.iters.is_empty() {
            let name = quoted(&format!("{prefix}{}_placeholder", stage.name));
            dot.line(&format!("{name} [style=invis]"));
        }
        for (index, (iter, leaf)) in stage.iters.iter().zip(stage.leaf_positions()).enumerate() {
            let name = format!("IterVar_{at}_{index}");
            dot.table(&name, at, &iter_row(iter, leaf, &name, ""));
        }
        for (index, relation) in stage.relations.iter().enumerate() {
            let (kind, inputs, outputs) = ports(relation);
            let name = format!("{kind}_Relation_{at}_{index}");
            let columns = inputs.len().max(outputs.len()).max(2);
            let rows = format!(
                "{}<TR><TD BGCOLOR=\"white\" COLSPAN=\"{columns}\" PORT=\"relation\">{kind}</TD></TR>{}",
                port_row(&inputs, columns),
                port_row(&outputs, columns)
            );
            dot.table(&name, at, &rows);
            for (port, iter) in inputs {
                dot.edge(&format!("IterVar_{at}_{iter}:itervar"), &format!("{name}:{port}"), "");
            }
            for (port, iter) in outputs {
                dot.edge(&format!("{name}:{port}"), &format!("IterVar_{at}_{iter}:itervar"), "");
            }
        }
        dot.close();
    }
}

type Ports = Vec<(String, usize)>;

/// Name, inputs and outputs of a relation.
fn ports(relation: &ModelRelation) -> (&'static str, Ports, Ports) {
    match relation {
        ModelRelation::Split(parent, made) => ("Split", vec![("Input".to_owned(), *parent)], parts(made)),
        ModelRelation::Fuse(from, fused) => ("Fuse", parts(from), vec![("Fused".to_owned(), *fused)]),
        ModelRelation::Singleton(iter) => ("Singleton", Vec::new(), vec![("Iter".to_owned(), *iter)]),
    }
}

/// `Outer` and `Inner`, or numbered parts if there are more.
fn parts(iters: &[usize]) -> Ports {
    let name = |at: usize| match (iters.len(), at) {
        (..=2, 0) => "Outer".to_owned(),
        (..=2, _) => "Inner".to_owned(),
        _ => format!("Part_{at}"),
    };
    iters.iter().enumerate().map(|(at, iter)| (name(at), *iter)).collect()
}

/// Cells, empty where there is no port.
fn port_row(ports: &Ports, columns: usize) -> String {
    let cell = |at: usize| match ports.get(at) {
        Some((port, _)) => format!("<TD BGCOLOR=\"lightgrey\" PORT=\"{port}\">{port}</TD>"),
        None => "<TD BGCOLOR=\"white\"></TD>".to_owned(),
    };
    format!("<TR>{}</TR>", (0..columns).map(cell).collect::<String>())
}
