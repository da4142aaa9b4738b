//! Unique names for the operators of a frontend's model, which [`set_span`](crate::set_span) takes as sources.
//!
//! Models name some of their operators, and not always uniquely: ONNX requires no names, and the operators of one
//! PyTorch module share its scope. The rules here depend on the model alone, so that a model has the same names in each
//! conversion, and no name of the model goes to another operator.

use tvmscript_ir_core::names::UniqueNames;

/// An operator of a model, as far as its name is concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operator<'a> {
    /// Kind of the operator, such as `Conv` or `aten::conv2d`.
    pub kind: &'a str,
    /// Name of the node in ONNX, scope of the module in PyTorch; empty if the model has none.
    pub name: &'a str,
    /// Name of the first output; empty if there is none.
    pub output: &'a str,
}

/// Returns a unique name for each operator of an ONNX graph, in the order of the graph.
///
/// A node keeps its name. A node without a name, or with that of an earlier node, is named after its first output, and
/// failing that after its kind and position: `Conv_7` is a `Conv` and the node with index 7.
///
/// ```
/// use tvmscript_si_builder::{Operator, onnx_names};
///
/// let names = onnx_names(&[
///     Operator { kind: "Conv", name: "stem", output: "t0" },
///     Operator { kind: "Relu", name: "", output: "t1" },
///     Operator { kind: "Print", name: "", output: "" },
/// ]);
/// assert_eq!(names, ["stem", "t1", "Print_2"]);
/// ```
pub fn onnx_names(operators: &[Operator<'_>]) -> Vec<String> {
    let mut names = Names::new(operators.iter().map(|operator| operator.name.to_owned()));
    names.fill(operators.iter().map(|operator| operator.output.to_owned()));
    names.finish(operators.iter().enumerate().map(|(index, operator)| positional(operator, index)))
}

/// Returns a unique name for each operator of a PyTorch graph, in the order of the graph.
///
/// The name is the path of the module that the operator belongs to, which is the last part of its scope:
/// `__module.layer1/__module.layer1.conv1` is `layer1.conv1`. Further operators of a module add their kind, as in
/// `layer1.conv1.relu`, and their index in the graph where that is the path of another operator. An operator outside
/// all modules is named after its kind and index, as in `relu_7`. The namespace `aten::` is left out.
///
/// ```
/// use tvmscript_si_builder::{Operator, pytorch_names};
///
/// let scope = "__module.layer1/__module.layer1.conv1";
/// let names = pytorch_names(&[
///     Operator { kind: "aten::conv2d", name: scope, output: "5" },
///     Operator { kind: "aten::relu", name: scope, output: "6" },
///     Operator { kind: "aten::flatten", name: "", output: "7" },
/// ]);
/// assert_eq!(names, ["layer1.conv1", "layer1.conv1.relu", "flatten_2"]);
/// ```
pub fn pytorch_names(operators: &[Operator<'_>]) -> Vec<String> {
    let mut names = Names::new(operators.iter().map(|operator| module_path(operator.name).to_owned()));
    names.fill(operators.iter().map(|operator| match module_path(operator.name) {
        "" => String::new(),
        path => format!("{path}.{}", kind(operator)),
    }));
    names.finish(operators.iter().enumerate().map(|(index, operator)| match module_path(operator.name) {
        "" => positional(operator, index),
        path => format!("{path}.{}", positional(operator, index)),
    }))
}

/// Returns the path of the innermost module of a scope of PyTorch.
fn module_path(scope: &str) -> &str {
    let innermost = scope.rsplit('/').next().unwrap_or(scope);
    innermost.strip_prefix("__module.").unwrap_or(innermost)
}

/// Returns the kind of an operator without its namespace.
fn kind<'a>(operator: &Operator<'a>) -> &'a str {
    match operator.kind.rsplit("::").next() {
        None | Some("") => "operator",
        Some(kind) => kind,
    }
}

fn positional(operator: &Operator<'_>, index: usize) -> String {
    format!("{}_{index}", kind(operator))
}

/// Names given so far. An earlier rule wins over a later one, and an earlier operator over a later one.
struct Names {
    names: Vec<Option<String>>,
    taken: UniqueNames,
}

impl Names {
    fn new(candidates: impl Iterator<Item = String>) -> Names {
        let mut names = Names { names: Vec::new(), taken: UniqueNames::numbered_from(2) };
        for candidate in candidates {
            let name = names.take(candidate);
            names.names.push(name);
        }
        names
    }

    /// Gives the candidate unless it is empty or taken.
    fn take(&mut self, candidate: String) -> Option<String> {
        let is_free = !candidate.is_empty() && self.taken.insert(&candidate);
        is_free.then_some(candidate)
    }

    /// Gives the candidates of a further rule to the operators without a name.
    fn fill(&mut self, candidates: impl Iterator<Item = String>) {
        let mut names = std::mem::take(&mut self.names);
        for (name, candidate) in names.iter_mut().zip(candidates) {
            if name.is_none() {
                *name = self.take(candidate);
            }
        }
        self.names = names;
    }

    /// Gives the candidates of the last rule, with a number where one is taken.
    fn finish(mut self, candidates: impl Iterator<Item = String>) -> Vec<String> {
        let names = std::mem::take(&mut self.names).into_iter().zip(candidates);
        let unique = names.map(|(name, candidate)| name.unwrap_or_else(|| self.taken.take(&candidate)));
        unique.collect()
    }
}
