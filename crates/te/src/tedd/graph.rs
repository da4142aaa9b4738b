//! Pictures without markup, for programs that lay graphs out themselves.

use super::model::{Model, ModelRelation, ModelStage};
use super::{KINDS, Picture, changed};

/// A picture as boxes and arrows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Graph {
    /// The texts of the boxes, with whether a comparison marks the box.
    pub nodes: Vec<(String, bool)>,
    /// Arrows between boxes, by index.
    pub edges: Vec<(usize, usize)>,
}

impl Picture {
    /// The boxes and arrows of the picture.
    pub fn graph(self, model: &Model) -> Graph {
        let mut graph = Graph::default();
        self.add(model, &[], &mut graph);
        graph
    }

    /// Two pictures, with the stages that differ marked.
    pub fn graph_of_two(self, former: &Model, latter: &Model) -> Graph {
        let mut graph = Graph::default();
        self.add(former, &changed(former, latter), &mut graph);
        self.add(latter, &changed(latter, former), &mut graph);
        graph
    }

    fn add(self, model: &Model, changed: &[bool], graph: &mut Graph) {
        let first = graph.nodes.len();
        let is_changed = |stage: usize| changed.get(stage).copied().unwrap_or(false);
        match self {
            Picture::ScheduleTree => {
                let root = first + model.stages.len();
                for (at, stage) in model.stages.iter().enumerate() {
                    let mut text = label(stage);
                    for iter in &stage.leaves {
                        text.push('\n');
                        text.push_str(&iter_text(stage, *iter));
                    }
                    graph.nodes.push((text, is_changed(at)));
                    let to = stage.attach.map_or(root, |(parent, _)| first + parent);
                    graph.edges.push((to, first + at));
                }
                graph.nodes.push(("ROOT".to_owned(), false));
            }
            Picture::IterVarRelationship => {
                for (at, stage) in model.stages.iter().enumerate() {
                    let start = graph.nodes.len();
                    for iter in 0..stage.iters.len() {
                        let text = format!("{}: {}", stage.name, iter_text(stage, iter));
                        graph.nodes.push((text, is_changed(at)));
                    }
                    for relation in &stage.relations {
                        match relation {
                            ModelRelation::Split(parent, parts) => {
                                graph.edges.extend(parts.iter().map(|part| (start + parent, start + part)));
                            }
                            ModelRelation::Fuse(parts, fused) => {
                                graph.edges.extend(parts.iter().map(|part| (start + part, start + fused)));
                            }
                            ModelRelation::Singleton(_) => {}
                        }
                    }
                }
            }
            Picture::Dataflow => {
                for (at, stage) in model.stages.iter().enumerate() {
                    let mut text = label(stage);
                    for (shape, dtype) in &stage.outputs {
                        text.push_str(&format!("\n{shape} {dtype}"));
                    }
                    graph.nodes.push((text, is_changed(at)));
                    graph.edges.extend(stage.inputs.iter().map(|(from, _)| (first + from, first + at)));
                }
            }
        }
    }
}

fn label(stage: &ModelStage) -> String {
    format!("{} ({})", stage.name, stage.scope)
}

fn iter_text(stage: &ModelStage, at: usize) -> String {
    let Some(iter) = stage.iters.get(at) else { return String::new() };
    let kind = KINDS.get(iter.kind).map_or("", |(kind, _)| kind);
    let thread = iter.thread.as_ref().map_or(String::new(), |thread| format!(" {thread}"));
    let range = iter.range.as_deref().unwrap_or("range(N/A)");
    format!("{} {kind}{thread} {range}", iter.name)
}
