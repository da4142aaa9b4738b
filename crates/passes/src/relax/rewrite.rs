//! Rewriting of functions in normal form.
//!
//! [`rewrite`] visits the bindings of a function in order, rewrites the expressions of each, and infers the struct info
//! of what changed. A variable whose value has new struct info is replaced by a variable with the same identity and that
//! struct info. Unchanged parts stay the same node. New nodes get the span of the binding that they belong to.
//!
//! Upstream counterpart: `ExprMutator`, `src/relax/ir/expr_functor.cc`.

use tvmscript_ir_core::shared::Memo;
use tvmscript_ir_core::{
    Array, Descend, Mutator, Object, PtrMap, Ref, Span, mutate, structural_equal, with_stack,
};
use tvmscript_prim as prim;
use tvmscript_relax::analysis::{BaseCheck, base_check};
use tvmscript_relax::blocks::BlockBuilder;
use tvmscript_relax::error::RelaxError;
use tvmscript_relax::{
    Binding, Call, Expr, FuncStructInfo, Function, If, MatchCast, ObjectStructInfo, PrimValue, SeqExpr,
    ShapeExpr, StructInfo, TensorStructInfo, Tuple, TupleGetItem, Var, VarBinding, binding_parts,
    is_dataflow_block, struct_info_of,
};

use tvmscript_pass::PassError;

use crate::Result;

/// A region of bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// The body of a function.
    Function,
    /// A branch of a conditional.
    Branch,
    /// A dataflow block.
    Dataflow,
}

/// The rules of a rewrite. By default nothing changes.
pub trait Rules {
    /// `true` if [`Rules::scalar`] may change expressions.
    const REWRITES_SCALARS: bool = false;

    /// Enters a region.
    fn enter(&mut self, _region: Region) {}

    /// Leaves a region.
    fn leave(&mut self, _region: Region) {}

    /// Returns `false` to remove a binding.
    fn keeps(&mut self, _binding: &Ref<Binding>, _cx: &mut Rewriter) -> Result<bool> {
        Ok(true)
    }

    /// Replaces the value of a binding before its parts are rewritten.
    fn value(&mut self, _binding: &Ref<Binding>) -> Option<Expr> {
        None
    }

    /// Replaces a variable where it is defined.
    fn definition(&mut self, var: &Ref<Var>) -> Ref<Var> {
        var.clone()
    }

    /// Replaces a variable where it is used.
    fn usage(&mut self, _var: &Ref<Var>, _cx: &mut Rewriter) -> Option<Expr> {
        None
    }

    /// Replaces a scalar expression inside an expression or struct info.
    fn scalar(&mut self, value: &prim::Expr, _cx: &mut Rewriter) -> prim::Expr {
        value.clone()
    }

    /// Replaces an expression whose parts were rewritten. `old` is the expression before.
    fn expression(&mut self, _old: &Expr, new: Expr, _cx: &mut Rewriter) -> Result<Expr> {
        Ok(new)
    }

    /// Makes a binding with a new value. `None` binds it to the variable, with the struct info of the value.
    fn binding(&mut self, _old: &Ref<Binding>, _value: &Expr) -> Option<Ref<Binding>> {
        None
    }
}

/// The state of a rewrite.
pub struct Rewriter {
    /// The new bindings.
    pub blocks: BlockBuilder,
    /// Replaced variables, by identity.
    replaced: PtrMap<Expr>,
    /// New tuples of the current binding.
    tuples: Memo<Expr>,
    /// Old tuples of the current binding, so that no address is reused.
    kept: Vec<Expr>,
}

/// Sets the span of new nodes until it is dropped.
pub struct CurrentSpan(Span);

impl CurrentSpan {
    /// Keeps the current span if `span` is unknown.
    pub fn set(span: Span) -> CurrentSpan {
        let before = Span::current();
        CurrentSpan(Span::set_current(if span.is_known() { span } else { before }))
    }

    /// Sets the span, also an unknown one.
    pub fn replace(span: Span) -> CurrentSpan {
        CurrentSpan(Span::set_current(span))
    }
}

impl Drop for CurrentSpan {
    fn drop(&mut self) {
        Span::set_current(self.0);
    }
}

pub(crate) fn relax_error(error: RelaxError) -> PassError {
    PassError::unsupported(error.to_string())
}

/// Returns the struct info of a variable or other normalized expression.
pub fn info_of(expr: &Expr) -> Ref<StructInfo> {
    struct_info_of(expr).unwrap_or_else(ObjectStructInfo::new)
}

/// Returns a variable with the same identity and other struct info.
pub(crate) fn with_info(var: &Ref<Var>, info: &Ref<StructInfo>) -> Ref<Var> {
    if let Some(old) = &var.struct_info_
        && (old.ptr_eq(info.object()) || structural_equal(old, info.object()))
    {
        return var.clone();
    }
    let mut new = var.clone();
    new.make_mut().struct_info_ = Some(info.clone().into());
    new
}

/// Rewrites a function. Returns the same node if nothing changes.
pub fn rewrite(function: &Ref<Function>, rules: &mut impl Rules) -> Result<Ref<Function>> {
    let _span = CurrentSpan::set(function.span);
    let mut rewriter = Rewriter {
        blocks: BlockBuilder::default(),
        replaced: PtrMap::default(),
        tuples: Memo::default(),
        kept: Vec::new(),
    };
    rewriter.function(function, rules)
}

impl Rewriter {
    /// Replaces the uses of a variable from here on.
    pub fn replace(&mut self, var: &Ref<Var>, by: Expr) {
        self.replaced.insert(var.vid.object().clone(), by);
    }

    /// Returns the current replacement of a variable, or the variable itself.
    pub fn current(&self, var: &Ref<Var>) -> Expr {
        match self.replaced.get(var.vid.object()) {
            Some(new) => new.clone(),
            None => var.clone().upcast(),
        }
    }

    /// Returns the new value that a variable is bound to. Casts do not count.
    pub fn value_of(&self, var: &Ref<Var>) -> Option<Expr> {
        let current = self.current(var);
        self.blocks.bound_value(current.downcast_ref::<Var>()?).cloned()
    }

    fn function<R: Rules>(&mut self, old: &Ref<Function>, rules: &mut R) -> Result<Ref<Function>> {
        rules.enter(Region::Function);
        let result = self.function_body(old, rules);
        rules.leave(Region::Function);
        result
    }

    fn function_body<R: Rules>(&mut self, old: &Ref<Function>, rules: &mut R) -> Result<Ref<Function>> {
        let mut params = Vec::with_capacity(old.params.len());
        for param in old.params.iter() {
            let new = rules.definition(param);
            let new = with_info(&new, &self.info(&info_of(&new.clone().upcast()), rules)?);
            if !new.ptr_eq(param) {
                self.replace(param, new.clone().upcast());
            }
            params.push(new);
        }
        let infos: Array<_> = params.iter().map(|param| info_of(&param.clone().upcast())).collect();
        self.blocks.begin_function(infos.iter());
        let value = self.bindings(&old.body, rules);
        let body = self.blocks.end_function(self.end_value(&value)).map_err(relax_error)?;
        let body = self.sequence_or_same(&old.body, body);
        value?;
        let is_same = params.iter().zip(old.params.iter()).all(|(new, old)| new.ptr_eq(old));
        if is_same && body.ptr_eq(&old.body) {
            return Ok(old.clone());
        }
        Ok(with_body(old, params.into_iter().collect(), body, &mut self.blocks))
    }

    /// The value to end a scope with; anything after an error.
    fn end_value(&self, value: &Result<Expr>) -> Expr {
        match value {
            Ok(value) => value.clone(),
            Err(_) => Tuple::new([]).upcast(),
        }
    }

    fn branch<R: Rules>(&mut self, old: &Ref<SeqExpr>, rules: &mut R) -> Result<Ref<SeqExpr>> {
        rules.enter(Region::Branch);
        self.blocks.begin_branch();
        let value = self.bindings(old, rules);
        let body = self.blocks.end_branch_with(self.end_value(&value)).map_err(relax_error);
        rules.leave(Region::Branch);
        value?;
        Ok(self.sequence_or_same(old, body?))
    }

    /// Returns the old sequence, and the old blocks, if they have the same bindings.
    fn sequence_or_same(&self, old: &Ref<SeqExpr>, mut new: Ref<SeqExpr>) -> Ref<SeqExpr> {
        let mut blocks: Vec<_> = new.blocks.iter().cloned().collect();
        let mut old_blocks = old.blocks.iter();
        let mut is_same = blocks.len() == old.blocks.len();
        for block in &mut blocks {
            let unchanged = |old: &&Ref<tvmscript_relax::BindingBlock>| {
                is_dataflow_block(old) == is_dataflow_block(block)
                    && old.bindings.len() == block.bindings.len()
                    && old.bindings.iter().zip(block.bindings.iter()).all(|(old, new)| old.ptr_eq(new))
            };
            match old_blocks.next().filter(unchanged) {
                Some(old) => *block = old.clone(),
                None => is_same = false,
            }
        }
        let has_info =
            |info: &Object| old.struct_info_.as_ref().is_some_and(|old| structural_equal(old, info));
        if is_same && new.body.ptr_eq(&old.body) && new.struct_info_.as_ref().is_none_or(has_info) {
            return old.clone();
        }
        let node = new.make_mut();
        node.blocks = blocks.into_iter().collect();
        if old.span.is_known() {
            node.span = old.span;
        }
        new
    }

    /// Rewrites the bindings of a sequence into the open scope, and returns its value.
    fn bindings<R: Rules>(&mut self, seq: &Ref<SeqExpr>, rules: &mut R) -> Result<Expr> {
        for block in seq.blocks.iter() {
            let _span = CurrentSpan::set(block.span);
            if !is_dataflow_block(block) {
                block.bindings.iter().try_for_each(|binding| self.binding_at(binding, rules))?;
                continue;
            }
            self.blocks.begin_dataflow().map_err(relax_error)?;
            rules.enter(Region::Dataflow);
            let done = block.bindings.iter().try_for_each(|binding| self.binding_at(binding, rules));
            rules.leave(Region::Dataflow);
            let _ = self.blocks.end_dataflow();
            done?;
        }
        let _span = CurrentSpan::set(seq.body.span());
        self.forget_tuples();
        self.expr(&seq.body, rules)
    }

    fn forget_tuples(&mut self) {
        self.tuples = Memo::default();
        self.kept.clear();
    }

    /// Rewrites a binding; an error without a place is about it.
    fn binding_at<R: Rules>(&mut self, binding: &Ref<Binding>, rules: &mut R) -> Result<()> {
        self.binding(binding, rules).map_err(|error| error.at(binding))
    }

    fn binding<R: Rules>(&mut self, binding: &Ref<Binding>, rules: &mut R) -> Result<()> {
        if !rules.keeps(binding, self)? {
            return Ok(());
        }
        let Some((var, old)) = binding_parts(binding) else {
            return Err(PassError::unsupported("an unknown kind of binding"));
        };
        let _span = CurrentSpan::set(binding.span());
        let _span = CurrentSpan::set(old.span());
        self.forget_tuples();
        let given = rules.value(binding);
        let value = self.expr(given.as_ref().unwrap_or(old), rules)?;
        let value = self.splice(&value)?;
        if let Some(new) = rules.binding(binding, &value) {
            return self.blocks.emit_binding(new).map_err(relax_error);
        }
        if let Some(cast) = binding.as_node::<MatchCast>() {
            return self.match_cast(binding, cast, value, rules);
        }
        let new_var = rules.definition(var);
        let declared = self.info(&info_of(&new_var.clone().upcast()), rules)?;
        let new_var = with_info(&new_var, &declared);
        if new_var.ptr_eq(var) && value.ptr_eq(old) {
            return self.blocks.emit_binding(binding.clone()).map_err(relax_error);
        }
        let new_var = with_info(&new_var, &info_of(&value));
        self.define(var, &new_var);
        let new = Ref::new(VarBinding { span: span_or(binding.span(), value.span()), var: new_var, value });
        self.blocks.emit_binding(new.upcast()).map_err(relax_error)
    }

    fn match_cast<R: Rules>(
        &mut self,
        binding: &Ref<Binding>,
        cast: &MatchCast,
        value: Expr,
        rules: &mut R,
    ) -> Result<()> {
        let info = self.info(&cast.struct_info, rules)?;
        let var = rules.definition(&cast.var);
        if var.ptr_eq(&cast.var) && value.ptr_eq(&cast.value) && info.ptr_eq(&cast.struct_info) {
            return self.blocks.emit_binding(binding.clone()).map_err(relax_error);
        }
        let var = with_info(&var, &info);
        self.define(&cast.var, &var);
        let new = Ref::new(MatchCast { span: cast.span, var, value, struct_info: info });
        self.blocks.emit_binding(new.upcast()).map_err(relax_error)
    }

    fn define(&mut self, old: &Ref<Var>, new: &Ref<Var>) {
        if !new.ptr_eq(old) {
            self.replace(old, new.clone().upcast());
            self.replace(new, new.clone().upcast());
        }
    }

    /// Adds the bindings of a nested sequence to the open block, and returns its value. In normal form no value is a
    /// sequence.
    fn splice(&mut self, value: &Expr) -> Result<Expr> {
        let mut value = value.clone();
        while let Some(seq) = value.as_node::<SeqExpr>() {
            for block in seq.blocks.iter() {
                let opens = is_dataflow_block(block) && !self.blocks.in_dataflow();
                if opens {
                    self.blocks.begin_dataflow().map_err(relax_error)?;
                }
                let mut bindings = block.bindings.iter().cloned();
                let done = bindings.try_for_each(|binding| self.blocks.emit_binding(binding));
                if opens {
                    let _ = self.blocks.end_dataflow();
                }
                done.map_err(relax_error)?;
            }
            let body = seq.body.clone();
            value = body;
        }
        Ok(value)
    }

    /// Rewrites and normalizes an expression.
    fn expr<R: Rules>(&mut self, old: &Expr, rules: &mut R) -> Result<Expr> {
        if let Some(var) = old.downcast_ref::<Var>() {
            let new = match rules.usage(var, self) {
                Some(new) => new,
                None => self.current(var),
            };
            return self.blocks.normalize(new).map_err(relax_error);
        }
        if old.is::<Tuple>() {
            if let Some(known) = self.tuples.get(old.object()) {
                return Ok(known);
            }
            let new = self.compound(old, rules)?;
            self.tuples.insert(old.object(), &new);
            self.kept.push(old.clone());
            return Ok(new);
        }
        self.compound(old, rules)
    }

    fn compound<R: Rules>(&mut self, old: &Expr, rules: &mut R) -> Result<Expr> {
        let new = with_stack(|| self.with_new_parts(old, rules))?;
        let new = rules.expression(old, new, self)?;
        self.blocks.normalize(new).map_err(relax_error)
    }

    fn with_new_parts<R: Rules>(&mut self, old: &Expr, rules: &mut R) -> Result<Expr> {
        if let Some(call) = old.as_node::<Call>() {
            let op = self.expr(&call.op, rules)?;
            let args = self.all(&call.args, rules)?;
            let stated = self.infos(&call.sinfo_args, rules)?;
            let has_same_info = match call.struct_info_.as_ref().and_then(|info| info.downcast_ref()) {
                Some(info) if R::REWRITES_SCALARS => self.info(info, rules)?.ptr_eq(info),
                _ => true,
            };
            if has_same_info && op.ptr_eq(&call.op) && args.is_none() && stated.is_none() {
                return Ok(old.clone());
            }
            let args = args.unwrap_or_else(|| call.args.clone());
            let sinfo_args = stated.unwrap_or_else(|| call.sinfo_args.clone());
            return Ok(Ref::new(Call { op, args, sinfo_args, struct_info_: None, ..call.clone() }).upcast());
        }
        if let Some(tuple) = old.as_node::<Tuple>() {
            return Ok(match self.all(&tuple.fields, rules)? {
                None => old.clone(),
                Some(fields) => Tuple::new(fields.iter().cloned()).with_span(tuple.span).upcast(),
            });
        }
        if let Some(item) = old.as_node::<TupleGetItem>() {
            let tuple_value = self.expr(&item.tuple_value, rules)?;
            if tuple_value.ptr_eq(&item.tuple_value) {
                return Ok(old.clone());
            }
            return Ok(Ref::new(TupleGetItem { tuple_value, struct_info_: None, ..item.clone() }).upcast());
        }
        if let Some(node) = old.as_node::<If>() {
            let cond = self.expr(&node.cond, rules)?;
            let true_branch = self.branch(&node.true_branch, rules)?;
            let false_branch = self.branch(&node.false_branch, rules)?;
            let is_same = cond.ptr_eq(&node.cond)
                && true_branch.ptr_eq(&node.true_branch)
                && false_branch.ptr_eq(&node.false_branch);
            if is_same {
                return Ok(old.clone());
            }
            let new = If { span: node.span, struct_info_: None, cond, true_branch, false_branch };
            return Ok(Ref::new(new).upcast());
        }
        if let Some(function) = old.downcast_ref::<Function>() {
            return Ok(self.function(function, rules)?.upcast());
        }
        if R::REWRITES_SCALARS {
            if let Some(node) = old.as_node::<PrimValue>() {
                let value = rules.scalar(&node.value, self);
                let is_same = value.ptr_eq(&node.value);
                return Ok(if is_same {
                    old.clone()
                } else {
                    PrimValue::new(value).with_span(node.span).upcast()
                });
            }
            if let Some(node) = old.as_node::<ShapeExpr>() {
                let values: Vec<_> = node.values.iter().map(|value| rules.scalar(value, self)).collect();
                if values.iter().zip(node.values.iter()).all(|(new, old)| new.ptr_eq(old)) {
                    return Ok(old.clone());
                }
                let shape = ShapeExpr::try_new(values);
                let shape = shape.map_err(|error| PassError::unsupported(error.to_string()))?;
                return Ok(shape.with_span(node.span).upcast());
            }
        }
        Ok(old.clone())
    }

    /// Rewrites expressions; `None` if none changes.
    fn all<R: Rules>(&mut self, old: &Array<Expr>, rules: &mut R) -> Result<Option<Array<Expr>>> {
        let new: Vec<Expr> = old.iter().map(|expr| self.expr(expr, rules)).collect::<Result<_>>()?;
        let is_same = new.iter().zip(old.iter()).all(|(new, old)| new.ptr_eq(old));
        Ok((!is_same).then(|| new.into_iter().collect()))
    }

    fn infos<R: Rules>(
        &mut self,
        old: &Array<Ref<StructInfo>>,
        rules: &mut R,
    ) -> Result<Option<Array<Ref<StructInfo>>>> {
        let new: Vec<_> = old.iter().map(|info| self.info(info, rules)).collect::<Result<_>>()?;
        let is_same = new.iter().zip(old.iter()).all(|(new, old)| new.ptr_eq(old));
        Ok((!is_same).then(|| new.into_iter().collect()))
    }

    /// Rewrites the scalars and variables of struct info. The types of functions define their own.
    pub fn info<R: Rules>(&mut self, info: &Ref<StructInfo>, rules: &mut R) -> Result<Ref<StructInfo>> {
        let is_shape_var =
            |info: &TensorStructInfo| info.shape.as_ref().is_some_and(|shape| shape.is::<Var>());
        if !R::REWRITES_SCALARS && !info.as_node::<TensorStructInfo>().is_some_and(is_shape_var) {
            return Ok(info.clone());
        }
        Ok(mutate(info.clone(), &mut Info { rewriter: self, rules })?)
    }
}

/// A span, or another one if it is unknown.
pub(crate) fn span_or(span: Span, other: Span) -> Span {
    if span.is_known() { span } else { other }
}

/// Rewrites struct info.
struct Info<'a, R> {
    rewriter: &'a mut Rewriter,
    rules: &'a mut R,
}

impl<R: Rules> Mutator for Info<'_, R> {
    fn enter(&mut self, node: &Object) -> Descend {
        if node.is::<FuncStructInfo>() {
            return Descend::Keep;
        }
        if let Some(var) = node.downcast_ref::<Var>() {
            return match self.rewriter.replaced.get(var.vid.object()) {
                Some(new) => Descend::Replace(new.clone().into()),
                None => Descend::Keep,
            };
        }
        match node.downcast_ref::<prim::PrimExpr>() {
            Some(value) => {
                let value = self.rules.scalar(value, self.rewriter);
                if value.object().ptr_eq(node) { Descend::Keep } else { Descend::Replace(value.into()) }
            }
            None => Descend::Into,
        }
    }
}

/// A function with new parameters and a new body. The type of the result stays, unless that of the body is more precise
/// or contradicts it.
pub(crate) fn with_body(
    old: &Ref<Function>,
    params: Array<Ref<Var>>,
    body: Ref<SeqExpr>,
    blocks: &mut BlockBuilder,
) -> Ref<Function> {
    let body_info = info_of(&body.clone().upcast());
    let analyzer = blocks.analyzer();
    let stated = &old.ret_struct_info;
    let keeps = base_check(&body_info, stated, analyzer) == BaseCheck::Pass
        && base_check(stated, &body_info, analyzer) != BaseCheck::Pass;
    let infos: Array<Ref<StructInfo>> = params.iter().map(|param| info_of(&param.clone().upcast())).collect();
    let ret_struct_info = match keeps {
        true => stated.clone(),
        false => {
            let mut signature = BlockBuilder::default();
            infos.iter().for_each(|info| signature.define_scalars(info));
            let new = signature.well_defined(&body_info);
            // An equal type keeps its span.
            if structural_equal(new.object(), stated.object()) { stated.clone() } else { new }
        }
    };
    let purity = old.is_pure;
    let info = FuncStructInfo::new(infos, ret_struct_info.clone(), purity);
    let Function { span, attrs, is_pure, .. } = (**old).clone();
    Ref::new(Function {
        span,
        struct_info_: Some(info.into()),
        attrs,
        params,
        body,
        ret_struct_info,
        is_pure,
    })
}
