//! Builds blocks of bindings in normal form, and infers the struct info of each value.
//!
//! In normal form, operands are variables, constants or tuples of these; any other operand is first bound to a
//! generated name (`gv`, `gv1`; `lv` inside dataflow). Nodes are immutable, so a call gets its struct info when it is
//! bound.
//!
//! Upstream counterpart: `BlockBuilder`, `src/relax/ir/block_builder.cc`.

mod branch;
mod dataflow;
mod function;

pub use branch::Branch;
pub use function::{FunctionBuilder, Signature};

use std::mem::take;

use hashbrown::HashSet;
use tvmscript_arith::Analyzer;
use tvmscript_ir::{GlobalVar, Omitted};
use tvmscript_ir_core::shared::Visited;
use tvmscript_ir_core::{Array, PtrMap, Ref, Span, Str, with_stack};
use tvmscript_prim as prim;
use tvmscript_prim::Op;

use self::dataflow::Dataflow;
use crate::analysis::{CallMismatch, call_result, erase_to_well_defined, lca};
use crate::error::RelaxError;
use crate::node::*;
use crate::op::{Infer, operator};

type Result<T> = std::result::Result<T, RelaxError>;

/// The bindings of a function under construction.
#[derive(Debug)]
pub struct BlockBuilder {
    /// The function's body, then the enclosing branches.
    sequences: Vec<Sequence>,
    /// The open dataflow block.
    dataflow: Option<Dataflow>,
    /// Values bound to generated names in the open block.
    normalized: PtrMap<Ref<Var>>,
    /// Shared tuples normalized in the open block.
    normal_tuples: PtrMap<Expr>,
    /// Values of variables; without the outputs of dataflow blocks.
    bound: PtrMap<Expr>,
    /// Addresses of the scalar variables in scope, in order of definition.
    known: Vec<usize>,
    known_set: HashSet<usize>,
    analyzer: Analyzer,
    globals: u32,
    locals: u32,
    /// Names and variables that the last closed scope exports.
    given: Vec<(Str, Ref<Var>)>,
    /// New variables are dataflow variables of a block that encloses the fragment.
    binds_dataflow: bool,
}

/// Closed blocks, and the open plain block after them.
#[derive(Debug, Default)]
struct Sequence {
    blocks: Vec<Ref<BindingBlock>>,
    open: Vec<Ref<Binding>>,
    /// Number of scalar variables in scope at its start.
    known_before: usize,
    /// The enclosing dataflow block, which is open again at its end.
    outer: Option<Dataflow>,
    /// Scalar variables of the enclosing function, hidden until its end.
    hidden: Option<(Vec<usize>, HashSet<usize>)>,
    /// Values and tuples normalized in the enclosing block, which is open again at its end.
    outer_normalized: (PtrMap<Ref<Var>>, PtrMap<Expr>),
}

impl Default for BlockBuilder {
    fn default() -> Self {
        BlockBuilder {
            sequences: vec![Sequence::default()],
            dataflow: None,
            normalized: PtrMap::default(),
            normal_tuples: PtrMap::default(),
            bound: PtrMap::default(),
            known: Vec::new(),
            known_set: HashSet::new(),
            analyzer: Analyzer::new(),
            globals: 0,
            locals: 0,
            given: Vec::new(),
            binds_dataflow: false,
        }
    }
}

/// Returns `true` for values that need no binding: variables, constants, names of functions, tuples.
pub fn is_leaf_or_tuple(expr: &Expr) -> bool {
    expr.is::<LeafExpr>()
        || expr.is::<Omitted>()
        || expr.is::<Tuple>()
        || expr.is::<GlobalVar>()
        || expr.is::<ExternFunc>()
        || expr.is::<Op>()
}

/// Returns `true` for the empty tuple.
pub fn is_void(info: &Ref<StructInfo>) -> bool {
    info.as_node::<TupleStructInfo>().is_some_and(|tuple| tuple.fields.is_empty())
}

impl BlockBuilder {
    // --- scopes ----------------------------------------------------------------------------------------------

    /// Defines the scalar variables that occur alone as a dimension or value, also in tuples and functions.
    ///
    /// # Source
    /// `StructInfoVarCollector`, `src/relax/ir/block_builder.cc`.
    pub fn define_scalars(&mut self, info: &Ref<StructInfo>) {
        self.define_scalars_in(info, &mut Visited::default());
    }

    fn define_scalars_in(&mut self, info: &Ref<StructInfo>, visited: &mut Visited) {
        let dims = if let Some(tensor) = info.as_node::<TensorStructInfo>() {
            tensor.dims()
        } else if let Some(spread) = info.as_node::<DTensorStructInfo>() {
            spread.tensor_sinfo.dims()
        } else if let Some(shape) = info.as_node::<ShapeStructInfo>() {
            shape.values.as_ref()
        } else {
            if let Some(value) = info.as_node::<PrimStructInfo>().and_then(|prim| prim.value.as_ref()) {
                self.define_scalar(value);
            } else if !visited.is_first(info.object()) {
            } else if let Some(tuple) = info.as_node::<TupleStructInfo>() {
                tuple.fields.iter().for_each(|field| with_stack(|| self.define_scalars_in(field, visited)));
            } else if let Some(function) = info.as_node::<FuncStructInfo>() {
                let params = function.params.iter().flat_map(Array::iter);
                let infos = params.chain([&function.ret]);
                infos.for_each(|info| with_stack(|| self.define_scalars_in(info, visited)));
            }
            return;
        };
        for dim in dims.into_iter().flat_map(Array::iter) {
            self.define_scalar(dim);
        }
    }

    fn define_scalar(&mut self, value: &prim::Expr) {
        let Some(var) = value.downcast_ref::<prim::Var>() else { return };
        if self.known_set.insert(var.object().address()) {
            self.known.push(var.object().address());
            self.analyzer.mark_non_negative(var);
        }
    }

    /// Returns `true` if there are no bindings.
    pub fn is_empty(&self) -> bool {
        self.sequences.iter().all(|sequence| sequence.blocks.is_empty() && sequence.open.is_empty())
    }

    /// Erases scalar variables that are not in scope, and all shape variables.
    pub fn well_defined(&mut self, info: &Ref<StructInfo>) -> Ref<StructInfo> {
        let known = &self.known_set;
        let scalar =
            |var: &Ref<prim::Var>| known.contains(&var.object().address()).then(|| var.clone().upcast());
        erase_to_well_defined(info, &scalar, &|_| None, &mut self.analyzer)
    }

    /// The analyzer, with facts about the scalar variables in scope.
    pub fn analyzer(&mut self) -> &mut Analyzer {
        &mut self.analyzer
    }

    fn end_sequence(&mut self) -> (Vec<Ref<BindingBlock>>, usize) {
        let mut sequence = self.sequences.pop().unwrap_or_default();
        sequence.close_block();
        (self.normalized, self.normal_tuples) = take(&mut sequence.outer_normalized);
        self.dataflow = sequence.outer.take();
        (sequence.blocks, sequence.known_before)
    }

    fn forget_scalars(&mut self, known_before: usize) {
        for address in self.known.drain(known_before.min(self.known.len())..) {
            self.known_set.remove(&address);
        }
    }

    /// Ends the function and returns its blocks.
    pub fn end(&mut self) -> Vec<Ref<BindingBlock>> {
        let (blocks, _) = self.end_sequence();
        blocks
    }

    // --- dataflow --------------------------------------------------------------------------------------------

    /// Takes the names and variables that the last closed scope exports.
    pub fn take_given(&mut self) -> Vec<(Str, Ref<Var>)> {
        take(&mut self.given)
    }

    /// The variables that the last scope defined when it closed.
    pub fn given(&self) -> impl Iterator<Item = &Ref<Var>> {
        self.given.iter().map(|(_, var)| var)
    }

    /// Exports a variable from a closing scope.
    pub fn give(&mut self, name: Str, var: Ref<Var>) {
        self.given = vec![(name, var)];
    }

    // --- bindings --------------------------------------------------------------------------------------------

    fn check_open(&self) -> Result<()> {
        match &self.dataflow {
            Some(dataflow) if dataflow.is_ended => Err(RelaxError::AfterOutput),
            _ => Ok(()),
        }
    }

    fn new_var(&mut self, info: Ref<StructInfo>) -> Ref<Var> {
        let is_local = self.dataflow.is_some();
        let (prefix, count) = if is_local { ("lv", &mut self.locals) } else { ("gv", &mut self.globals) };
        let name = match *count {
            0 => prefix.to_owned(),
            count => [prefix, itoa::Buffer::new().format(count)].concat(),
        };
        *count += 1;
        if is_local || self.binds_dataflow {
            Var::dataflow(name, Some(info))
        } else {
            Var::new(name, Some(info))
        }
    }

    fn push(&mut self, var: &Ref<Var>, binding: Ref<Binding>) {
        if let Some(dataflow) = &mut self.dataflow {
            dataflow.emitted.entry(var.object().address()).or_insert(dataflow.bindings.len());
            dataflow.bindings.push(binding);
        } else if let Some(sequence) = self.sequences.last_mut() {
            sequence.open.push(binding);
        }
    }

    /// Binds a value to a new variable. The annotation becomes the struct info of a call without any, if its operands
    /// need no bindings.
    ///
    /// # Errors
    /// Fails if inference fails, if the annotation contradicts the value, and after the output of a dataflow block.
    pub fn emit(&mut self, value: Expr, annotation: Option<Ref<StructInfo>>) -> Result<Ref<Var>> {
        self.check_open()?;
        let value = match annotation {
            None => value,
            Some(annotation) => match struct_info_of(&value) {
                Some(info) => {
                    if base_is_disjoint(&annotation, &info, &mut self.analyzer) {
                        return Err(RelaxError::Annotation { found: info, annotated: annotation });
                    }
                    value
                }
                None => with_struct_info(value, annotation),
            },
        };
        let value = self.normalize(value)?;
        Ok(self.emit_normalized(value))
    }

    fn emit_normalized(&mut self, value: Expr) -> Ref<Var> {
        let info = struct_info_of(&value).unwrap_or_else(ObjectStructInfo::new);
        let var = self.new_var(info);
        self.bound.insert(var.object().clone(), value.clone());
        let binding = Ref::new(VarBinding { span: Span::current(), var: var.clone(), value });
        self.push(&var, binding.upcast());
        var
    }

    /// Binds a value to an existing variable.
    ///
    /// # Errors
    /// Fails after the output of a dataflow block, and if inference fails.
    pub fn emit_to(&mut self, var: Ref<Var>, value: Expr) -> Result<()> {
        self.check_open()?;
        let value = self.normalize(value)?;
        let binding = Ref::new(VarBinding { span: Span::current(), var: var.clone(), value });
        self.push(&var, binding.upcast());
        Ok(())
    }

    /// Binds a value, cast to the given struct info, to a new variable.
    ///
    /// # Errors
    /// Fails if the cast is impossible, and after the output of a dataflow block.
    pub fn emit_match_cast(&mut self, value: Expr, info: Ref<StructInfo>) -> Result<Ref<Var>> {
        self.check_open()?;
        let value = self.normalize(value)?;
        if let Some(found) = struct_info_of(&value)
            && base_is_disjoint(&found, &info, &mut self.analyzer)
        {
            return Err(RelaxError::ImpossibleCast { found, stated: info });
        }
        let var = self.new_var(info.clone());
        let binding =
            Ref::new(MatchCast { span: Span::current(), var: var.clone(), value, struct_info: info.clone() });
        self.push(&var, binding.upcast());
        self.define_scalars(&info);
        Ok(var)
    }

    /// Adds a binding whose value is in normal form. A cast defines the scalar variables of its struct info.
    ///
    /// # Errors
    /// Fails after the output of a dataflow block.
    pub fn emit_binding(&mut self, binding: Ref<Binding>) -> Result<()> {
        self.check_open()?;
        if let Some(node) = binding.as_node::<VarBinding>() {
            self.bound.insert(node.var.object().clone(), node.value.clone());
            self.push(&node.var, binding.clone());
        } else if let Some(node) = binding.as_node::<MatchCast>() {
            self.push(&node.var, binding.clone());
            self.define_scalars(&node.struct_info);
        }
        Ok(())
    }

    /// Returns the value bound to a variable.
    pub fn bound_value(&self, var: &Ref<Var>) -> Option<&Expr> {
        self.bound.get(var.object())
    }

    // --- normalisation ---------------------------------------------------------------------------------------

    /// Brings a value into normal form, with struct info.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn normalize(&mut self, value: Expr) -> Result<Expr> {
        if let Some(var) = self.normalized.get(value.object()) {
            return Ok(var.clone().upcast());
        }
        with_stack(|| self.normalize_new(value))
    }

    /// Forgets which values are bound: one that is used again is bound once more.
    pub fn forget_normalized(&mut self) {
        self.normalized.clear();
        self.normal_tuples.clear();
    }

    fn normalize_new(&mut self, value: Expr) -> Result<Expr> {
        if let Some(var) = value.downcast_ref::<Var>() {
            let is_void_var =
                !is_dataflow_var(var) && struct_info_of(&value).is_some_and(|info| is_void(&info));
            return Ok(if is_void_var { Tuple::new([]).upcast() } else { value });
        }
        if value.is::<Call>() {
            return self.normalize_call(value);
        }
        if let Some(tuple) = value.as_node::<Tuple>() {
            if let Some(known) = self.normal_tuples.get(value.object()) {
                return Ok(known.clone());
            }
            let fields = self.normalize_all(&tuple.fields)?;
            let is_normal = fields.ptr_eq(&tuple.fields) && tuple.struct_info_.is_some();
            let normal = match is_normal {
                true => value.clone(),
                false => Tuple::new(fields.iter().cloned()).with_span(tuple.span).upcast(),
            };
            // One handle is here, and one in the enclosing value.
            if value.object().handle_count() > 2 {
                self.normal_tuples.insert(value.into(), normal.clone());
            }
            return Ok(normal);
        }
        if let Some(item) = value.as_node::<TupleGetItem>() {
            let tuple_value = self.normalize_operand(item.tuple_value.clone())?;
            let info = struct_info_of(&tuple_value);
            let fields = info.as_ref().and_then(|info| info.as_node::<TupleStructInfo>()).map(|t| &t.fields);
            let field = usize::try_from(item.index).ok().and_then(|index| fields?.get(index));
            let Some(field) = field else {
                let (index, found) = (item.index, info.unwrap_or_else(ObjectStructInfo::new));
                return Err(RelaxError::NoSuchField { index, found });
            };
            let (span, index) = (item.span, item.index);
            let struct_info_ = Some(field.clone().into());
            return Ok(Ref::new(TupleGetItem { span, struct_info_, tuple_value, index }).upcast());
        }
        if let Some(node) = value.as_node::<If>() {
            let mut node = node.clone();
            node.cond = self.normalize_operand(node.cond)?;
            if node.struct_info_.is_none() {
                let branches =
                    (struct_info_of_seq(&node.true_branch), struct_info_of_seq(&node.false_branch));
                if let (Some(a), Some(b)) = branches {
                    let (a, b) = (self.well_defined(&a), self.well_defined(&b));
                    node.struct_info_ = Some(lca(&a, &b, &mut self.analyzer).into());
                }
            }
            return Ok(Ref::new(node).upcast());
        }
        if let Some(call) = value.as_node::<UnknownCall>()
            && call.struct_info_.is_none()
        {
            let struct_info_ = Some(call.stated().unwrap_or_else(ObjectStructInfo::new).into());
            return Ok(Ref::new(UnknownCall { struct_info_, is_bare: true, ..call.clone() }).upcast());
        }
        Ok(value)
    }

    fn normalize_all(&mut self, exprs: &Array<Expr>) -> Result<Array<Expr>> {
        let mut changed: Option<Vec<Expr>> = None;
        for (i, expr) in exprs.iter().enumerate() {
            let new = self.normalize_operand(expr.clone())?;
            match &mut changed {
                Some(all) => all.push(new),
                None if new.ptr_eq(expr) => {}
                None => {
                    let mut all: Vec<Expr> = exprs.iter().take(i).cloned().collect();
                    all.push(new);
                    changed = Some(all);
                }
            }
        }
        Ok(match changed {
            Some(all) => all.into_iter().collect(),
            None => exprs.clone(),
        })
    }

    /// Normalizes an operand: binds it to a generated name unless it is a leaf or a tuple.
    fn normalize_operand(&mut self, operand: Expr) -> Result<Expr> {
        if operand.is::<LeafExpr>() && !operand.is::<Var>() {
            return Ok(operand);
        }
        if is_leaf_or_tuple(&operand) {
            return self.normalize(operand);
        }
        if let Some(var) = self.normalized.get(operand.object()) {
            return Ok(var.clone().upcast());
        }
        let value = with_stack(|| self.normalize_new(operand.clone()))?;
        self.check_open()?;
        // The binding comes from the operand, not from the value that uses it.
        let before = Span::save_current();
        if value.span().is_known() {
            let _ = Span::set_current(value.span());
        }
        let var = self.emit_normalized(value);
        before.restore();
        self.normalized.insert(operand.into(), var.clone());
        Ok(var.upcast())
    }

    fn normalize_call(&mut self, value: Expr) -> Result<Expr> {
        let Ok(mut call) = value.downcast::<Call>() else { unreachable!("the caller checked the type") };
        let op = self.normalize_operand(call.op.clone())?;
        let args = self.normalize_all(&call.args)?;
        if !op.ptr_eq(&call.op) || !args.ptr_eq(&call.args) {
            let call = call.make_mut();
            call.op = op;
            call.args = args;
            // What an annotation states is of the call as written, not of that on its bound operands.
            call.struct_info_ = None;
        }
        if call.struct_info_.is_none() {
            let info = self.infer(&call)?;
            call.make_mut().struct_info_ = Some(info.into());
        }
        Ok(call.upcast())
    }

    /// Infers the struct info of a call with normalized operands.
    fn infer(&mut self, call: &Ref<Call>) -> Result<Ref<StructInfo>> {
        let failed = |kind| RelaxError::Infer { call: call.clone(), kind };
        if let Some(name) = call.op_name() {
            let Some(op) = operator(name) else {
                return Err(failed(crate::op::InferError::unknown(name)));
            };
            let cx = Infer::new(call, &mut self.analyzer);
            return op.result(cx.with_bound(&self.bound)).map_err(failed);
        }
        let info = struct_info_of(&call.op);
        let Some(function) = info.as_ref().and_then(|info| info.as_node::<FuncStructInfo>()) else {
            return Err(RelaxError::NotAFunction { found: info.unwrap_or_else(ObjectStructInfo::new) });
        };
        if function.params.is_none() && call.op.is::<ExternFunc>() && !call.sinfo_args.is_empty() {
            return Ok(packed_result(&call.sinfo_args));
        }
        let args: Array<Ref<StructInfo>> =
            call.args.iter().map(|arg| struct_info_of(arg).unwrap_or_else(ObjectStructInfo::new)).collect();
        call_result(function, &args, &mut self.analyzer).map_err(|mismatch| match mismatch {
            CallMismatch::Count { expected } => {
                RelaxError::ArgumentCount { call: call.clone(), expected, found: args.len() }
            }
            CallMismatch::Argument { index, expected, found } => {
                RelaxError::Argument { call: call.clone(), index, expected, found }
            }
        })
    }
}

/// The struct info of an external call from what the caller states: one value, several, or any.
pub(crate) fn packed_result(infos: &Array<Ref<StructInfo>>) -> Ref<StructInfo> {
    match infos.only() {
        Some(only) => only.clone(),
        None if infos.is_empty() => ObjectStructInfo::new(),
        None => TupleStructInfo::new(infos.iter().cloned()),
    }
}

fn struct_info_of_seq(seq: &Ref<SeqExpr>) -> Option<Ref<StructInfo>> {
    match &seq.struct_info_ {
        Some(info) => info.downcast_ref::<StructInfo>().cloned(),
        None => struct_info_of(&seq.body),
    }
}

fn base_is_disjoint(base: &Ref<StructInfo>, info: &Ref<StructInfo>, analyzer: &mut Analyzer) -> bool {
    crate::analysis::base_check(base, info, analyzer) == crate::analysis::BaseCheck::Disjoint
}

/// Sets the struct info of a call to the annotation of its variable. Other values keep theirs.
fn with_struct_info(value: Expr, info: Ref<StructInfo>) -> Expr {
    match value.downcast::<Call>() {
        Ok(mut call) => {
            call.make_mut().struct_info_ = Some(info.into());
            call.upcast()
        }
        Err(value) => match value.downcast::<UnknownCall>() {
            Ok(mut call) => {
                call.make_mut().struct_info_ = Some(info.into());
                call.upcast()
            }
            Err(value) => value,
        },
    }
}

impl Sequence {
    fn close_block(&mut self) {
        if !self.open.is_empty() {
            let block = BindingBlock::new(take(&mut self.open), false);
            self.push(block);
        }
    }

    /// Adds a block; merges it with a preceding block of the same kind.
    fn push(&mut self, block: Ref<BindingBlock>) {
        match self.blocks.last_mut() {
            Some(last) if is_dataflow_block(last) == is_dataflow_block(&block) => {
                let bindings = last.bindings.iter().chain(block.bindings.iter()).cloned();
                *last = BindingBlock::new(bindings.collect::<Vec<_>>(), is_dataflow_block(&block));
            }
            _ => self.blocks.push(block),
        }
    }
}
