//! Dataflow blocks: their outputs get variables that the whole function knows.

use hashbrown::HashMap;
use tvmscript_ir::Omitted;
use tvmscript_ir_core::mutate::substitute;
use tvmscript_ir_core::shared::Memo;
use tvmscript_ir_core::{Array, Object, ObjectLike, PtrMap, Ref, any_node, with_stack};

use super::{BlockBuilder, Result, is_void};
use crate::error::RelaxError;
use crate::node::*;

#[derive(Debug, Default)]
pub(super) struct Dataflow {
    pub(super) bindings: Vec<Ref<Binding>>,
    /// For each variable bound here, by address, the index of its first binding.
    pub(super) emitted: HashMap<usize, usize>,
    pub(super) outputs: Vec<Ref<Var>>,
    pub(super) is_ended: bool,
}

impl BlockBuilder {
    /// Opens a dataflow block.
    ///
    /// # Errors
    /// Fails inside another dataflow block.
    pub fn begin_dataflow(&mut self) -> Result<()> {
        if self.dataflow.is_some() {
            return Err(RelaxError::NestedDataflow);
        }
        if let Some(sequence) = self.sequences.last_mut() {
            sequence.close_block();
        }
        self.forget_normalized();
        self.dataflow = Some(Dataflow::default());
        Ok(())
    }

    /// Returns `true` if a dataflow block is open.
    pub fn in_dataflow(&self) -> bool {
        self.dataflow.is_some()
    }

    /// Sets the outputs of the dataflow block; no binding may follow.
    ///
    /// # Errors
    /// Fails outside a dataflow block, for a second output, and for variables bound elsewhere.
    pub fn output(&mut self, vars: Vec<Ref<Var>>) -> Result<()> {
        let Some(dataflow) = &mut self.dataflow else { return Err(RelaxError::OutputOutsideDataflow) };
        if dataflow.is_ended {
            return Err(RelaxError::SecondOutput);
        }
        dataflow.is_ended = true;
        for (index, var) in vars.iter().enumerate() {
            if !dataflow.emitted.contains_key(&var.object().address()) {
                let name = var.vid.name_hint.get().to_string();
                return Err(RelaxError::ForeignOutput { index, name });
            }
        }
        dataflow.outputs.extend(vars);
        Ok(())
    }

    /// Adds outputs of the open dataflow block: the variables of a returned value.
    pub fn return_from_dataflow(&mut self, vars: impl IntoIterator<Item = Ref<Var>>) {
        if let Some(dataflow) = &mut self.dataflow {
            dataflow.outputs.extend(vars);
        }
    }

    /// Closes the dataflow block and returns the substitution for its outputs.
    pub fn end_dataflow(&mut self) -> PtrMap<Object> {
        let Some(dataflow) = self.dataflow.take() else { return PtrMap::default() };
        self.forget_normalized();
        let mut replaced = PtrMap::default();
        let mut visible = PtrMap::default();
        let mut has_scalars = false;
        self.given.clear();
        for var in &dataflow.outputs {
            let name = var.vid.name_hint.get();
            let info = struct_info_of(&var.clone().upcast());
            if visible.contains_key(var.object()) {
                continue;
            }
            let info = info.map(|info| {
                let info = if has_scalars { with_scalars(info, &replaced) } else { info };
                if uses_hidden(&info) { self.well_defined(&info) } else { info }
            });
            let new = Var::new(name.clone(), info.clone());
            let new = new.with_span(var.span());
            self.given.push((name, new.clone()));
            visible.insert(var.object().clone(), new.clone());
            let used = match info {
                Some(info) if is_void(&info) => Tuple::new([]).into(),
                _ => new.into(),
            };
            has_scalars |= ScalarUse::of(var).is_some();
            replaced.insert(var.object().clone(), used);
        }
        if dataflow.bindings.is_empty() {
            return replaced;
        }
        // No binding before the definition of an output uses it.
        let made = |var: &Ref<Var>| dataflow.emitted.get(&var.object().address()).copied().unwrap_or(0);
        let first = dataflow.outputs.iter().map(made).min().unwrap_or(dataflow.bindings.len());
        let mut bindings = dataflow.bindings;
        for binding in bindings.iter_mut().skip(first) {
            with_outputs(binding, &visible, &replaced);
        }
        let block = BindingBlock::new(bindings, true);
        let block = if has_scalars { with_scalars(block, &replaced) } else { block };
        if let Some(sequence) = self.sequences.last_mut() {
            sequence.push(block);
        }
        replaced
    }
}

/// Replaces dataflow variables by the outputs, in a binding of a dataflow block.
fn with_outputs(binding: &mut Ref<Binding>, visible: &PtrMap<Ref<Var>>, replaced: &PtrMap<Object>) {
    let value_of = |value: &Expr| match is_simple(value) {
        true => simple_with(value, replaced, &mut Memo::default()),
        false => substitute(value.clone(), replaced).unwrap_or_else(|_| value.clone()),
    };
    let var_of = |var: &Ref<Var>| visible.get(var.object()).unwrap_or(var).clone();
    if let Some(node) = binding.as_node::<VarBinding>() {
        let (var, value) = (var_of(&node.var), value_of(&node.value));
        if !var.ptr_eq(&node.var) || !value.ptr_eq(&node.value) {
            *binding = Ref::new(VarBinding { span: node.span, var, value }).upcast();
        }
    } else if let Some(node) = binding.as_node::<MatchCast>() {
        let (var, value) = (var_of(&node.var), value_of(&node.value));
        let struct_info = node.struct_info.clone();
        *binding = Ref::new(MatchCast { span: node.span, var, value, struct_info }).upcast();
    }
}

/// Returns `true` if the struct info has a scalar variable that only a dataflow block knows.
fn uses_hidden(info: &Ref<StructInfo>) -> bool {
    any_node(info, |node| node.as_node::<ScalarUse>().is_some_and(|used| is_dataflow_var(&used.var)))
}

/// Replaces the scalar variables inside scalar expressions, which struct info holds too.
fn with_scalars<T: ObjectLike + Clone>(root: T, replaced: &PtrMap<Object>) -> T {
    let is_used = |node: &Object| {
        node.as_node::<ScalarUse>().is_some_and(|used| replaced.contains_key(used.var.object()))
    };
    match any_node(root.as_object(), is_used) {
        true => substitute(root.clone(), replaced).unwrap_or(root),
        false => root,
    }
}

/// Returns `true` if variables occur only among the operands: the common case, which needs no walk over struct info.
fn is_simple(value: &Expr) -> bool {
    value.is::<Call>()
        || value.is::<Tuple>()
        || value.is::<TupleGetItem>()
        || value.is::<LeafExpr>()
        || value.is::<Omitted>()
}

/// Substitutes the variables of a simple value. `done` memoizes shared tuples.
fn simple_with(value: &Expr, replaced: &PtrMap<Object>, done: &mut Memo<Expr>) -> Expr {
    if let Some(new) = replaced.get(value.object()) {
        return new.clone().downcast().unwrap_or_else(|_| value.clone());
    }
    let all = |exprs: &Array<Expr>, done: &mut Memo<Expr>| {
        let replace = |expr| with_stack(|| simple_with(expr, replaced, done));
        let new: Vec<Expr> = exprs.iter().map(replace).collect();
        let is_same = new.iter().zip(exprs.iter()).all(|(a, b)| a.ptr_eq(b));
        if is_same { None } else { Some(new.into_iter().collect::<Array<Expr>>()) }
    };
    if let Some(call) = value.as_node::<Call>() {
        let op = simple_with(&call.op, replaced, done);
        let args = all(&call.args, done);
        if args.is_none() && op.ptr_eq(&call.op) {
            return value.clone();
        }
        let args = args.unwrap_or_else(|| call.args.clone());
        return Ref::new(Call { op, args, ..call.clone() }).upcast();
    }
    if let Some(tuple) = value.as_node::<Tuple>() {
        if let Some(known) = done.get(value.object()) {
            return known;
        }
        let new = match all(&tuple.fields, done) {
            Some(fields) => Ref::new(Tuple { fields, ..tuple.clone() }).upcast(),
            None => value.clone(),
        };
        done.insert(value.object(), &new);
        return new;
    }
    if let Some(item) = value.as_node::<TupleGetItem>() {
        let tuple_value = simple_with(&item.tuple_value, replaced, done);
        if !tuple_value.ptr_eq(&item.tuple_value) {
            return Ref::new(TupleGetItem { tuple_value, ..item.clone() }).upcast();
        }
    }
    value.clone()
}
