//! Branches of conditionals.

use std::mem::take;

use tvmscript_ir_core::{Ref, Span, Str};

use super::{BlockBuilder, Result, Sequence, is_leaf_or_tuple, is_void};
use crate::error::RelaxError;
use crate::node::*;

impl BlockBuilder {
    /// Opens a branch.
    pub fn begin_branch(&mut self) {
        let known_before = self.known.len();
        let outer_normalized = (take(&mut self.normalized), take(&mut self.normal_tuples));
        let outer = self.dataflow.take();
        self.sequences.push(Sequence { known_before, outer, outer_normalized, ..Sequence::default() });
    }

    /// Opens the body of a nested function, which knows the scalar variables of its parameters alone.
    pub fn begin_function<'a>(&mut self, params: impl IntoIterator<Item = &'a Ref<StructInfo>>) {
        self.begin_branch();
        let hidden = (take(&mut self.known), take(&mut self.known_set));
        if let Some(sequence) = self.sequences.last_mut() {
            sequence.known_before = 0;
            sequence.hidden = Some(hidden);
        }
        params.into_iter().for_each(|info| self.define_scalars(info));
    }

    /// Closes the body of a nested function.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn end_function(&mut self, value: Expr) -> Result<Ref<SeqExpr>> {
        let hidden = self.sequences.last_mut().and_then(|sequence| sequence.hidden.take());
        let body = self.end_branch_with(value);
        (self.known, self.known_set) = hidden.unwrap_or_default();
        body
    }

    /// Closes a branch whose value is its last binding.
    ///
    /// # Errors
    /// Fails if the branch is empty.
    pub fn end_branch(&mut self, name: &'static str) -> Result<Branch> {
        let (blocks, known_before) = self.end_sequence();
        let Some((last, earlier)) = blocks.split_last() else {
            self.forget_scalars(known_before);
            return Err(RelaxError::EmptyBranch { name });
        };
        let branch = branch_value(earlier, last, if name == "R.Then" { "_then" } else { "_else" });
        let mut seq = branch.value;
        if let Some(info) = struct_info_of(&seq.body) {
            let info = self.well_defined(&info);
            seq.struct_info_ = Some(info.into());
        }
        self.forget_scalars(known_before);
        Ok(Branch { name: branch.name, value: Ref::new(seq) })
    }

    /// Closes a branch that ends with a value.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn end_branch_with(&mut self, value: Expr) -> Result<Ref<SeqExpr>> {
        let body = self.normalize(value);
        let (blocks, known_before) = self.end_sequence();
        let info = body.as_ref().ok().and_then(struct_info_of).map(|info| self.well_defined(&info));
        self.forget_scalars(known_before);
        let (blocks, struct_info_) = (blocks.into_iter().collect(), info.map(Into::into));
        Ok(Ref::new(SeqExpr { span: Span::current(), struct_info_, blocks, body: body? }))
    }

    /// Sets whether new variables belong to a dataflow block that encloses the fragment.
    pub fn set_binds_dataflow(&mut self, yes: bool) {
        self.binds_dataflow = yes;
    }
}

/// A closed branch.
#[derive(Debug)]
pub struct Branch {
    /// Name of its last binding.
    pub name: Str,
    /// Bindings and value.
    pub value: Ref<SeqExpr>,
}

/// The value of a variable: the empty tuple for one without a value.
fn used(var: Ref<Var>) -> Expr {
    let value: Expr = var.upcast();
    match struct_info_of(&value) {
        Some(info) if is_void(&info) => Tuple::new([]).upcast(),
        _ => value,
    }
}

struct RawBranch {
    name: Str,
    value: SeqExpr,
}

/// The bindings of a branch, whose last block follows the earlier ones, with the last one as its value: a leaf or tuple itself, any other under the variable's
/// name with a suffix.
fn branch_value(earlier: &[Ref<BindingBlock>], last: &Ref<BindingBlock>, suffix: &str) -> RawBranch {
    let mut bindings: Vec<Ref<Binding>> = last.bindings.iter().cloned().collect();
    let binding = bindings.pop();
    let mut blocks: Vec<Ref<BindingBlock>> = earlier.to_vec();
    let mut name = Str::from("");
    let mut body: Expr = Tuple::new([]).upcast();
    if let Some(node) = binding.as_ref().and_then(|b| b.as_node::<VarBinding>()) {
        name = node.var.vid.name_hint.get();
        if is_leaf_or_tuple(&node.value) {
            body = node.value.clone();
        } else {
            let var = Var::new(format!("{name}{suffix}"), struct_info_of(&node.var.clone().upcast()));
            let value = node.value.clone();
            bindings.push(Ref::new(VarBinding { span: node.span, var: var.clone(), value }).upcast());
            body = used(var);
        }
    } else if let Some(node) = binding.as_ref().and_then(|b| b.as_node::<MatchCast>()) {
        name = node.var.vid.name_hint.get();
        let var = Var::new(format!("{name}{suffix}"), struct_info_of(&node.var.clone().upcast()));
        let (value, struct_info) = (node.value.clone(), node.struct_info.clone());
        bindings.push(Ref::new(MatchCast { span: node.span, var: var.clone(), value, struct_info }).upcast());
        body = used(var);
    }
    if !bindings.is_empty() {
        blocks.push(BindingBlock::new(bindings, is_dataflow_block(last)));
    }
    let value =
        SeqExpr { span: Span::current(), struct_info_: None, blocks: blocks.into_iter().collect(), body };
    RawBranch { name, value }
}
