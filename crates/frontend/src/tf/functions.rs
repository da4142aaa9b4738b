//! Functions of a model: in place of their calls, or as functions of the module.

use std::collections::HashMap;

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{DataType, Ref, structural_equal};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::{Expr, StructInfo, TensorStructInfo, struct_info_of};

use super::importer::{Importer, Value};
use super::names::{Reference, reference, text};
use super::scope::Scope;
use crate::error::Reason;
use crate::graph::Graph;
use crate::ops::tensor_of;

/// Maximum depth of calls.
const MAX_DEPTH: usize = 50;

impl<'m> Importer<'m> {
    /// Puts a function in place of a call and returns its results. Its nodes are named after the call.
    pub(super) fn inline(
        &mut self,
        name: &'m [u8],
        layer: &str,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Reason> {
        let shown = text(name);
        let function = self.function(name);
        let function = function.ok_or_else(|| Reason(format!("the model has no function `{shown}`")))?;
        if self.calls.contains(&name) {
            return Err(Reason(format!("the function `{shown}` calls itself")));
        }
        if self.calls.len() >= MAX_DEPTH {
            return Err(Reason(format!("calls are nested deeper than {MAX_DEPTH} levels")));
        }
        let Some(signature) = &function.signature else { return Err("the function has no signature".into()) };
        let (expected, found) = (signature.input_arg.len(), args.len());
        if expected != found {
            return Err(Reason(format!("the function `{shown}` has {expected} parameters, found {found}")));
        }
        let args: HashMap<&[u8], Value> =
            signature.input_arg.iter().map(|param| param.name.as_ref()).zip(args).collect();
        let mut used: Vec<Reference<'m>> = Vec::new();
        for result in &signature.output_arg {
            let entry = function.ret.iter().find(|entry| entry.key == result.name);
            let value = entry.and_then(|entry| reference(&entry.value));
            let missing = || Reason(format!("the function `{shown}` has no result `{}`", text(&result.name)));
            used.push(value.ok_or_else(missing)?);
        }
        self.scopes.push(Scope::new(&function.node_def, format!("{layer}/"), Some(args)));
        self.calls.push(name);
        self.nodes_of(&used);
        let user = format!("the function `{shown}`");
        let results = used.into_iter().map(|used| self.value(used, &user)).collect();
        self.calls.pop();
        self.scopes.pop();
        Ok(results)
    }

    /// Returns `true` if a result of a function is one of its parameters, unchanged.
    pub(super) fn passes(&self, function: &[u8], index: usize) -> bool {
        let passes = || {
            let function = self.function(function)?;
            let signature = function.signature.as_ref()?;
            let param = &signature.input_arg.get(index)?.name;
            let result = &signature.output_arg.get(index)?.name;
            let entry = function.ret.iter().find(|entry| entry.key == *result)?;
            let mut used = reference(&entry.value)?;
            for _ in 0..=function.node_def.len() {
                if used.node == param.as_ref() && used.result.is_none() {
                    return Some(true);
                }
                let node = function.node_def.iter().find(|node| node.name.as_ref() == used.node)?;
                if node.op.as_ref() != b"Identity" {
                    return Some(false);
                }
                used = reference(node.input.first()?)?;
            }
            None
        };
        passes().unwrap_or(false)
    }

    /// Adds a private function to the module, with the given parameters; `body` makes the result.
    pub(super) fn lower(
        &mut self,
        global: Ref<GlobalVar>,
        params: &[(String, Ref<StructInfo>)],
        is_dataflow: bool,
        body: impl FnOnce(&mut Self, &[Expr]) -> Result<Expr, Reason>,
    ) -> Result<Ref<GlobalVar>, Reason> {
        let inner = Graph::new(self.options, is_dataflow)?;
        let outer = std::mem::replace(&mut self.graph, inner);
        let known = std::mem::take(&mut self.variables.known);
        self.depth += 1;
        let vars: Vec<Expr> =
            params.iter().map(|(name, info)| self.graph.input(name, info.clone()).upcast()).collect();
        let result = body(self, &vars);
        self.depth -= 1;
        self.variables.known = known;
        let inner = std::mem::replace(&mut self.graph, outer);
        let function = self.graph.adopt(inner.finish(result?)?);
        let mut global = global;
        // A function that calls itself has its type already.
        if global.struct_info_.is_none() {
            global.make_mut().struct_info_.clone_from(&function.struct_info_);
        }
        self.lowered.push((global.clone(), function.upcast()));
        Ok(global)
    }

    /// A name for a function of the module.
    pub(super) fn global(&mut self, layer: &str, what: &str) -> Ref<GlobalVar> {
        let identifier: String =
            layer.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let start = if identifier.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        let name = format!("{start}{identifier}{what}");
        GlobalVar::new(self.names.take(&name))
    }
}

/// Parameters of a function of the module.
#[derive(Debug, Default)]
pub(super) struct Params {
    /// Names and types.
    pub(super) types: Vec<(String, Ref<StructInfo>)>,
    /// Symbolic dimensions of the arguments, and those of the parameters.
    renamed: Vec<(prim::Expr, prim::Expr)>,
}

impl Params {
    /// The parameters for arguments: functions have variables of their own for symbolic dimensions.
    pub(super) fn of(args: &[Expr]) -> Result<Params, Reason> {
        let mut params = Params::default();
        let renamed = &mut params.renamed;
        for (i, arg) in args.iter().enumerate() {
            let name = format!("arg{i}");
            let info = struct_info_of(arg).ok_or_else(|| Reason::from("an operand has no type"))?;
            let Some(tensor) = info.as_node::<TensorStructInfo>() else {
                return Err("only tensors can be arguments".into());
            };
            let info = match tensor.known_dims() {
                None => info.clone(),
                Some(dims) => {
                    let own = dims.iter().enumerate().map(|(axis, dim)| {
                        if dim.is::<IntImm>() {
                            return dim.clone();
                        }
                        let known =
                            renamed.iter().find(|(old, _)| structural_equal(old.object(), dim.object()));
                        if let Some((_, new)) = known {
                            return new.clone();
                        }
                        let new: prim::Expr =
                            prim::Var::new(format!("{name}_d{axis}"), DataType::INT64).upcast();
                        renamed.push((dim.clone(), new.clone()));
                        new
                    });
                    tensor_of(own.collect::<Vec<_>>(), tensor.dtype)
                }
            };
            params.types.push((name, info));
        }
        Ok(params)
    }

    /// A dimension inside the function as the arguments have it.
    pub(super) fn outside(&self, dim: &prim::Expr) -> Option<prim::Expr> {
        if dim.is::<IntImm>() {
            return Some(dim.clone());
        }
        let known = self.renamed.iter().find(|(_, new)| structural_equal(new.object(), dim.object()));
        known.map(|(old, _)| old.clone())
    }
}
