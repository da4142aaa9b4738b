//! `import --summary`: the layers of a model with their operators and shapes.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use serde_json::json;
use tvmscript::diagnostics::escape;
use tvmscript::frontend::Imported;
use tvmscript::ir_core::Ref;
use tvmscript::relax::{
    Binding, Call, Expr, Function, If, SeqExpr, StructInfo, Var, binding_parts, describe, struct_info_of,
};

use crate::import_args::ListFormat;

/// The calls of one layer.
#[derive(Debug, Default)]
struct Layer {
    name: String,
    operators: Vec<String>,
    /// Type of the last value.
    result: String,
}

/// An imported model in numbers.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Names and types.
    inputs: Vec<(String, String)>,
    results: String,
    layers: Vec<Layer>,
    /// Positions of the layers by name: calls of one may stand apart.
    places: HashMap<String, usize>,
    /// Number of calls of each operator of Relax.
    operators: BTreeMap<String, usize>,
    constants: usize,
    elements: u64,
    bytes: u64,
}

impl Summary {
    pub(super) fn of(imported: &Imported) -> Summary {
        let mut summary = Summary::default();
        for (_, constant) in &imported.constants {
            summary.constants += 1;
            summary.elements += constant.data.shape.iter().map(|dim| dim.unsigned_abs()).product::<u64>();
            summary.bytes += constant.data.data.byte_count().map_or(0, |bytes| bytes as u64);
        }
        let main = imported.module.function("main").and_then(|(_, function)| function.as_node::<Function>());
        let Some(main) = main else { return summary };
        summary.inputs =
            main.params.iter().map(|param| (name_of(param), type_of(param.struct_info_.as_ref()))).collect();
        summary.results = describe(&main.ret_struct_info);
        summary.sequence(&main.body);
        summary
    }

    fn sequence(&mut self, body: &Ref<SeqExpr>) {
        for binding in body.blocks.iter().flat_map(|block| block.bindings.iter()) {
            self.binding(binding);
        }
    }

    fn binding(&mut self, binding: &Ref<Binding>) {
        let Some((_, value)) = binding_parts(binding) else { return };
        if let Some(node) = value.as_node::<If>() {
            self.sequence(&node.true_branch);
            self.sequence(&node.false_branch);
        }
        let Some(call) = value.as_node::<Call>() else { return };
        let operator = call
            .op_name()
            .map_or("a function", |name| name.strip_prefix("relax.").unwrap_or(name))
            .to_owned();
        *self.operators.entry(operator.clone()).or_default() += 1;
        let Some(name) = value.span().source_name() else { return };
        let place = *self.places.entry(name.clone()).or_insert_with(|| {
            self.layers.push(Layer { name, ..Layer::default() });
            self.layers.len() - 1
        });
        if let Some(layer) = self.layers.get_mut(place) {
            layer.operators.push(operator);
            layer.result = result_of(value);
        }
    }

    pub(super) fn text(&self, format: ListFormat) -> String {
        if format == ListFormat::Json {
            let inputs = self.inputs.iter().map(|(name, of)| json!({"name": name, "type": of}));
            let layers = self.layers.iter().map(
                |layer| json!({"name": layer.name, "operators": layer.operators, "result": layer.result}),
            );
            let whole = json!({
                "inputs": inputs.collect::<Vec<_>>(),
                "result": self.results,
                "layers": layers.collect::<Vec<_>>(),
                "operators": self.operators,
                "constants": {"count": self.constants, "elements": self.elements, "bytes": self.bytes},
            });
            return format!("{whole:#}\n");
        }
        let mut text = String::new();
        let width = |names: &mut dyn Iterator<Item = usize>| names.max().unwrap_or(0).min(40);
        let wide = width(&mut self.inputs.iter().map(|(name, _)| name.chars().count()));
        self.inputs.iter().for_each(|(name, of)| {
            let name = escape::name(name);
            let _ = writeln!(text, "input   {name:<wide$}  {of}");
        });
        let _ = writeln!(text, "result  {:<wide$}  {}\n", "", self.results);
        let wide = width(&mut self.layers.iter().map(|layer| layer.name.chars().count()));
        for layer in &self.layers {
            let _ = writeln!(
                text,
                "{:<wide$}  {:<40}  {}",
                escape::name(&layer.name),
                escape::name(&layer.operators.join(", ")),
                layer.result
            );
        }
        let counts: Vec<String> = self
            .operators
            .iter()
            .map(|(operator, count)| format!("{count} {}", escape::name(operator)))
            .collect();
        let _ = writeln!(
            text,
            "\n{} layers, {} calls: {}",
            self.layers.len(),
            self.operators.values().sum::<usize>(),
            counts.join(", ")
        );
        let _ =
            writeln!(text, "{} constants, {} elements, {} bytes", self.constants, self.elements, self.bytes);
        text
    }
}

fn name_of(var: &Ref<Var>) -> String {
    var.vid.name_hint.get().to_string()
}

fn type_of(info: Option<&tvmscript::Object>) -> String {
    info.and_then(|info| info.downcast_ref::<StructInfo>()).map(describe).unwrap_or_default()
}

fn result_of(value: &Expr) -> String {
    struct_info_of(value).as_ref().map(describe).unwrap_or_default()
}
