//! The function that the conversion of a model builds.

use std::collections::{HashMap, HashSet};

use tvmscript_ir::{BaseFunc, DictAttrs, GLOBAL_SYMBOL, GlobalVar, IRModule};
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::span::CurrentSpan;
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Map, PtrMap, Ref, SourceId, Span, Value};
use tvmscript_relax::blocks::{BlockBuilder, FunctionBuilder};
use tvmscript_relax::error::RelaxError;
use tvmscript_relax::evaluate::evaluate;
use tvmscript_relax::{Call, Constant, Expr, Function, StructInfo, Var, struct_info_of};

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
        let before = Span::save_current();
        let span = name.map_or(Span::UNKNOWN, |name| Span::source(SourceId::new(name)));
        let _ = Span::set_current(span);
        Layer { before }
    }
}

impl Drop for Layer {
    fn drop(&mut self) {
        self.before.restore();
    }
}

/// A function under construction: bindings, constants with names, and remarks.
#[derive(Debug)]
pub struct Graph {
    function: FunctionBuilder,
    constants: PtrMap<String>,
    taken: HashSet<String>,
    fills_spans: bool,
    max_folded_bytes: usize,
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
            taken: HashSet::new(),
            fills_spans: options.fills_spans,
            max_folded_bytes: options.max_folded_bytes,
            warnings: Vec::new(),
        })
    }

    /// Enters a layer: until the result is dropped, new nodes come from it, unless spans are off.
    pub fn layer(&self, name: &str) -> Layer {
        Layer::enter(self.fills_spans.then_some(name))
    }

    /// Adds a parameter that stands for an input of the model. Its name is made an identifier; its source is the name as
    /// the model has it.
    pub fn param(&mut self, name: &str, info: Ref<StructInfo>) -> Ref<Var> {
        let _layer = self.layer(name);
        let mut identifier = name.replace('.', "_");
        let is_start = |first: char| first.is_alphabetic() || first == '_';
        if identifier.is_empty() {
            identifier.push_str("empty_");
        } else if !identifier.starts_with(is_start) {
            identifier.insert_str(0, "input_");
        }
        let mut unique = identifier.clone();
        let mut number = 1;
        while !self.taken.insert(unique.clone()) {
            unique = format!("{identifier}_{number}");
            number += 1;
        }
        self.function.param(unique, info)
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
        let fits = |bytes: usize| bytes <= self.max_folded_bytes;
        Ok(match folded.map(|tensor| tensor.encode()) {
            Some(tensor) if tensor.bytes().is_some_and(|bytes| fits(bytes.len())) => {
                Constant::new(tensor).with_span(value.span()).upcast()
            }
            _ => value,
        })
    }

    /// Maximum size of a constant that is computed during the import, in bytes.
    pub fn max_folded_bytes(&self) -> usize {
        self.max_folded_bytes
    }

    /// Takes over the names of constants and the remarks of a function that this one calls.
    pub fn absorb(&mut self, finished: Finished) -> Ref<Function> {
        self.constants.extend(finished.constants);
        self.warnings.extend(finished.warnings);
        finished.function
    }

    /// Ends the function with its result, which belongs to no layer.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn finish(self, result: Expr) -> Result<Finished, Reason> {
        let _layer = Layer::enter(None);
        Ok(Finished {
            function: self.function.finish(result)?,
            constants: self.constants,
            warnings: self.warnings,
        })
    }
}

/// A finished function, the names of its constants and remarks.
#[derive(Debug)]
pub struct Finished {
    /// The function.
    pub function: Ref<Function>,
    constants: PtrMap<String>,
    warnings: Vec<ImportWarning>,
}

impl Finished {
    /// The model with this function as `main`, and further functions.
    pub fn into_model(self, further: Vec<(Ref<GlobalVar>, Ref<BaseFunc>)>) -> Imported {
        let mut main = self.function;
        let attrs = main.attrs.dict.iter().map(|(key, value)| (key.clone(), value.clone()));
        let attrs = attrs.chain([(GLOBAL_SYMBOL.into(), "main".into())]);
        let attrs = Ref::new(DictAttrs { dict: Map::new(attrs.collect::<Vec<_>>()) });
        main.make_mut().attrs = attrs;
        let main = (GlobalVar::new("main"), main.upcast());
        let module = IRModule::new(std::iter::once(main).chain(further), DictAttrs::new([]), Map::default());
        let constants = named_constants(&module, &self.constants);
        Imported { module, constants, warnings: self.warnings }
    }
}

/// The named constants that a module uses, in order of use; a further constant of a name gets a number.
fn named_constants(module: &Ref<IRModule>, names: &PtrMap<String>) -> Vec<(String, Ref<Constant>)> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    let _ = Visitor::new().pre_order(module.object(), |object| {
        let Some(constant) = object.downcast_ref::<Constant>() else { return Walk::Advance };
        let Some(name) = names.get(object).filter(|_| seen.insert(object.address())) else {
            return Walk::Skip;
        };
        let mut unique = name.clone();
        while !taken.insert(unique.clone()) {
            let number = next.entry(name.clone()).or_insert(2);
            unique = format!("{name}_{number}");
            *number += 1;
        }
        found.push((unique, constant.clone()));
        Walk::Skip
    });
    found
}

/// The type of a value for messages: `float32 (2, 3)`.
pub fn described(value: &Expr) -> String {
    struct_info_of(value)
        .map_or_else(|| "a value without a type".to_owned(), |info| tvmscript_relax::describe(&info))
}
