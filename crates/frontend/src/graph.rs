//! The function that the conversion of a model builds.

use std::collections::{HashMap, HashSet};

use tvmscript_ir::{BaseFunc, DictAttrs, GLOBAL_SYMBOL, GlobalVar, IRModule};
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::mutate::post_order_mutate;
use tvmscript_ir_core::names::UniqueNames;
use tvmscript_ir_core::span::CurrentSpan;
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Map, Object, ObjectLike, PtrMap, Ref, SourceId, Span, SpanMark, Value};
use tvmscript_relax::blocks::{BlockBuilder, FunctionBuilder, is_leaf_or_tuple};
use tvmscript_relax::error::RelaxError;
use tvmscript_relax::evaluate::evaluate;
use tvmscript_relax::{
    Call, Constant, Expr, Function, If, SeqExpr, StructInfo, Tuple, Var, binding_parts, struct_info_of,
};

use crate::error::{ImportWarning, Reason};
use crate::ops::IntoExpr;
use crate::{ImportOptions, Imported};

/// While it lives, the nodes that this thread makes come from one layer of the model.
#[must_use]
pub struct Layer {
    before: CurrentSpan,
}

impl Layer {
    /// Enters a layer, or a place of the model without one.
    pub fn enter(name: Option<&str>) -> Layer {
        Layer::of(name.map_or(Span::UNKNOWN, |name| Span::source(SourceId::new(name))))
    }

    /// Enters the layer with a span.
    pub fn of(span: Span) -> Layer {
        let before = Span::save_current();
        let _ = Span::set_current(span);
        Layer { before }
    }
}

impl Drop for Layer {
    fn drop(&mut self) {
        self.before.restore();
    }
}

/// Number of computed constants of the maximum size that all of them may take.
const MAX_FOLDED: usize = 16;

/// A function under construction: bindings, constants with names, and remarks.
#[derive(Debug)]
pub struct Graph {
    function: FunctionBuilder,
    constants: PtrMap<String>,
    /// Constants of the model that parameters stand for.
    kept: PtrMap<Ref<Constant>>,
    /// Inputs for which shapes are stated, and that are not found yet.
    awaited: Vec<String>,
    params: UniqueNames,
    fills_spans: bool,
    marks_spans: bool,
    max_folded_bytes: usize,
    /// Memory that computed constants may still take, in bytes.
    affordable_bytes: usize,
    /// Remarks about the model.
    pub warnings: Vec<ImportWarning>,
}

impl Graph {
    /// Begins a function, whose bindings are one dataflow block or a plain one.
    ///
    /// # Errors
    /// None in practice: a new builder has no open block.
    pub fn new(options: &ImportOptions, is_dataflow: bool) -> Result<Graph, RelaxError> {
        Ok(Graph {
            function: FunctionBuilder::new(is_dataflow)?,
            constants: PtrMap::default(),
            kept: PtrMap::default(),
            awaited: options.shapes.iter().map(|(input, _)| input.clone()).collect(),
            params: UniqueNames::numbered_from(1),
            fills_spans: options.fills_spans,
            marks_spans: options.marks_spans,
            max_folded_bytes: options.max_folded_bytes,
            affordable_bytes: options.max_folded_bytes.saturating_mul(MAX_FOLDED),
            warnings: Vec::new(),
        })
    }

    /// Enters a layer: until the result is dropped, new nodes come from it, unless spans are off.
    pub fn layer(&self, name: &str) -> Layer {
        Layer::enter(self.fills_spans.then_some(name))
    }

    /// Adds a parameter that stands for an input of the model. Its name is made an identifier; its source is the name as
    /// the model has it.
    pub fn input(&mut self, name: &str, info: Ref<StructInfo>) -> Ref<Var> {
        self.param(name, name, info, SpanMark::Input)
    }

    /// Adds a parameter that stands for a weight of the model; see [`Self::input`].
    pub fn weight(&mut self, name: &str, info: Ref<StructInfo>) -> Ref<Var> {
        self.param(name, name, info, SpanMark::Parameter)
    }

    /// States that a parameter stands for a constant of the model, which the file with the parameters then holds.
    pub fn keep(&mut self, param: &Ref<Var>, constant: &Expr) {
        if let Some(constant) = constant.downcast_ref::<Constant>() {
            self.kept.insert(param.object().clone(), constant.clone());
        }
    }

    /// The constant that a parameter stands for.
    pub fn kept(&self, param: &Expr) -> Option<&Ref<Constant>> {
        self.kept.get(param.object())
    }

    /// Adds a parameter for a tensor that the model calls `source`; see [`Self::input`].
    pub fn param(&mut self, name: &str, source: &str, info: Ref<StructInfo>, role: SpanMark) -> Ref<Var> {
        let _layer = self.layer(source);
        if self.marks_spans {
            let _ = Span::set_current(Span::current().with_mark(role));
        }
        self.awaited.retain(|input| input != source);
        let mut identifier = name.replace('.', "_");
        let is_start = |first: char| first.is_alphabetic() || first == '_';
        if identifier.is_empty() {
            identifier.push_str("empty_");
        } else if !identifier.starts_with(is_start) {
            identifier.insert_str(0, "input_");
        }
        let unique = self.params.take(&identifier);
        self.function.param(unique, info)
    }

    /// States that calls of the function have effects.
    pub fn set_impure(&mut self) {
        self.function.set_impure();
    }

    /// Adds an attribute of the function.
    pub fn attr(&mut self, key: &str, value: Value) {
        self.function.attr(key, value);
    }

    /// The bindings.
    pub fn blocks(&mut self) -> &mut BlockBuilder {
        self.function.blocks()
    }

    /// A constant of the model, with its name as the source.
    pub fn constant(&mut self, name: &str, tensor: Ref<TensorNode>) -> Expr {
        let _layer = self.layer(name);
        self.named(name, Constant::new(tensor))
    }

    /// Gives a constant a name, which the file with the parameters uses.
    pub fn named(&mut self, name: &str, constant: Ref<Constant>) -> Expr {
        self.constants.insert(constant.object().clone(), name.to_owned());
        constant.upcast()
    }

    /// Binds the operands of a value and infers its struct info. The value itself is bound where it is used first.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn normalize(&mut self, value: impl IntoExpr) -> Result<Expr, RelaxError> {
        self.function.blocks().normalize(value.into_expr())
    }

    /// Binds a value at once.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn emit(&mut self, value: impl IntoExpr) -> Result<Expr, RelaxError> {
        Ok(self.function.blocks().emit(value.into_expr(), None)?.upcast())
    }

    /// Binds a value, cast to a type, at once.
    ///
    /// # Errors
    /// Fails if the cast is impossible.
    pub fn match_cast(&mut self, value: impl IntoExpr, info: Ref<StructInfo>) -> Result<Expr, RelaxError> {
        Ok(self.function.blocks().emit_match_cast(value.into_expr(), info)?.upcast())
    }

    /// The value of a call whose operands are constants, computed at once; the call itself if it has others, if it cannot
    /// be computed here, or if the result is too large.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn fold(&mut self, call: Ref<Call>) -> Result<Expr, RelaxError> {
        let is_constant = |arg: &Expr| !arg.is::<Call>() && !arg.is::<Var>();
        if !call.args.iter().all(is_constant) {
            return Ok(call.upcast());
        }
        let value = self.normalize(call)?;
        let folded = value.as_node::<Call>().and_then(evaluate);
        Ok(match folded.map(|tensor| tensor.encode()) {
            Some(tensor) if tensor.bytes().is_some_and(|bytes| self.affords(bytes.len())) => {
                Constant::new(tensor).with_span(value.span()).upcast()
            }
            _ => value,
        })
    }

    /// Reserves memory for a value that is computed during the import. Returns `false` if the value would be too large, or
    /// all such values together.
    pub fn affords(&mut self, bytes: usize) -> bool {
        let left = self.affordable_bytes.checked_sub(bytes).filter(|_| bytes <= self.max_folded_bytes);
        left.inspect(|left| self.affordable_bytes = *left).is_some()
    }

    /// Maximum size of a constant that is computed during the import, in bytes.
    pub fn max_folded_bytes(&self) -> usize {
        self.max_folded_bytes
    }

    /// Takes over the constants and remarks of another function of the module, and returns it.
    pub fn adopt(&mut self, other: Finished) -> Ref<Function> {
        self.constants.extend(other.constants);
        self.warnings.extend(other.warnings);
        other.function
    }

    /// A branch of a conditional with a value, which is bound inside it.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn branch(&mut self, value: impl IntoExpr) -> Result<Ref<SeqExpr>, RelaxError> {
        self.branch_with(|_| Ok(value.into_expr()))
    }

    /// A branch of a conditional with bindings and a value, which `value` makes and which is bound inside it.
    ///
    /// # Errors
    /// Fails if `value` does, and if inference fails.
    pub fn branch_with(
        &mut self,
        value: impl FnOnce(&mut Graph) -> Result<Expr, RelaxError>,
    ) -> Result<Ref<SeqExpr>, RelaxError> {
        self.blocks().begin_branch();
        let value = value(self).and_then(|value| {
            let value = self.normalize(value)?;
            if is_leaf_or_tuple(&value) { Ok(value) } else { self.emit(value) }
        });
        // The branch is closed after an error, too.
        let (value, result) = match value {
            Ok(value) => (value, Ok(())),
            Err(error) => (Tuple::new([]).upcast(), Err(error)),
        };
        let branch = self.blocks().end_branch_with(value)?;
        result.map(|()| branch)
    }

    /// Ends the function with its result, which belongs to no layer.
    ///
    /// # Errors
    /// Fails if inference fails, and for an empty tuple, whose variable text leaves out.
    pub fn finish(self, result: Expr) -> Result<Finished, Reason> {
        if result.as_node::<Tuple>().is_some_and(|tuple| tuple.fields.is_empty()) {
            return Err("it has no results".into());
        }
        let _layer = Layer::enter(None);
        let function = self.function.finish(result)?;
        let function = if self.marks_spans { with_outputs_marked(function)? } else { function };
        let Graph { constants, kept, awaited, warnings, .. } = self;
        Ok(Finished { function, constants, kept, awaited, warnings })
    }
}

/// Marks the last call of each layer, which computes its result.
fn with_outputs_marked(function: Ref<Function>) -> Result<Ref<Function>, Reason> {
    let mut last: HashMap<Span, usize> = HashMap::new();
    let mut open = vec![function.body.clone()];
    while let Some(body) = open.pop() {
        for binding in body.blocks.iter().flat_map(|block| block.bindings.iter()) {
            let Some((_, value)) = binding_parts(binding) else { continue };
            if let Some(node) = value.as_node::<If>() {
                open.extend([node.true_branch.clone(), node.false_branch.clone()]);
            } else if value.is::<Call>() && value.span().is_known() {
                last.insert(value.span(), value.object().address());
            }
        }
    }
    let outputs: HashSet<usize> = last.into_values().collect();
    let marked = |node: &Object| {
        let call = node.downcast_ref::<Call>().filter(|_| outputs.contains(&node.address()))?;
        Some(call.clone().with_span(call.span.with_mark(SpanMark::Output)).into_object())
    };
    post_order_mutate(function, marked).map_err(|error| Reason(error.to_string()))
}

/// A finished function, the names of its constants and remarks.
#[derive(Debug)]
pub struct Finished {
    /// The function.
    pub function: Ref<Function>,
    constants: PtrMap<String>,
    kept: PtrMap<Ref<Constant>>,
    awaited: Vec<String>,
    warnings: Vec<ImportWarning>,
}

impl Finished {
    /// The model with this function as `main`, and further functions.
    pub fn into_model(self, further: Vec<(Ref<GlobalVar>, Ref<BaseFunc>)>) -> Imported {
        let mut main = self.function;
        let kept: Vec<_> =
            main.params.iter().filter_map(|param| self.kept.get(param.object())).cloned().collect();
        let attrs = main.attrs.dict.iter().map(|(key, value)| (key.clone(), value.clone()));
        let attrs = attrs.chain([(GLOBAL_SYMBOL.into(), "main".into())]);
        let attrs = Ref::new(DictAttrs { dict: Map::new(attrs.collect::<Vec<_>>()) });
        main.make_mut().attrs = attrs;
        let main = (GlobalVar::new("main"), main.upcast());
        let module = IRModule::new(std::iter::once(main).chain(further), DictAttrs::new([]), Map::default());
        let constants = named_constants(&module, &kept, &self.constants);
        let mut warnings = self.warnings;
        warnings.extend(self.awaited.into_iter().map(|input| ImportWarning::Container {
            what: format!("a shape is stated for `{input}`, which is no input of the model"),
        }));
        Imported { module, constants, warnings }
    }
}

/// The named constants that a module uses, in order of use, then those that its parameters stand for; a further constant of
/// a name gets a number.
fn named_constants(
    module: &Ref<IRModule>,
    kept: &[Ref<Constant>],
    names: &PtrMap<String>,
) -> Vec<(String, Ref<Constant>)> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut unique = UniqueNames::numbered_from(2);
    let mut add = |constant: &Ref<Constant>| {
        let object = constant.object();
        if let Some(name) = names.get(object).filter(|_| seen.insert(object.address())) {
            found.push((unique.take(name), constant.clone()));
        }
    };
    let _ = Visitor::new().pre_order(module.object(), |object| match object.downcast_ref::<Constant>() {
        Some(constant) => {
            add(constant);
            Walk::Skip
        }
        None => Walk::Advance,
    });
    kept.iter().for_each(add);
    found
}

/// The type of a value for messages: `float32 (2, 3)`.
pub fn described(value: &Expr) -> String {
    struct_info_of(value)
        .map_or_else(|| "a value without a type".to_owned(), |info| tvmscript_relax::describe(&info))
}
