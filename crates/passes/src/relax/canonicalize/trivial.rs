//! Bindings that only name a variable or constant.

use tvmscript_ir_core::{
    Object, ObjectLike, PtrMap, PtrSet, Ref, Visitor, Walk, free_variables, post_order_mutate,
    structural_equal, visit_nodes, with_stack,
};
use tvmscript_relax::{
    Binding, BindingBlock, Constant, Expr, Function, Id, MatchCast, SeqExpr, Tuple, TupleGetItem,
    TupleStructInfo, Var, VarBinding, binding_parts, is_dataflow_block, is_dataflow_var,
};

use crate::Result;
use crate::relax::rewrite::{Rewriter, Rules, info_of, rewrite, span_or};

/// Replaces variables that are bound to variables or constants.
pub(super) fn inline(function: &Ref<Function>) -> Result<Ref<Function>> {
    let mut planner = Planner::default();
    planner.function(function);
    let function = rewrite(function, &mut planner.plan())?;
    Ok(post_order_mutate(function, |node| {
        let block = node.downcast_ref::<BindingBlock>().filter(|block| is_dataflow_block(block))?;
        without_renamed_outputs(block).map(ObjectLike::into_object)
    })?)
}

/// Replacements by identity.
#[derive(Default)]
struct Plan {
    usage: PtrMap<Ref<Var>>,
    definition: PtrMap<Ref<Var>>,
    removed: PtrSet,
    constants: PtrMap<Expr>,
}

/// Follows replacements to the last one.
fn last<'a>(map: &'a PtrMap<Ref<Var>>, var: &'a Ref<Var>) -> &'a Ref<Var> {
    let mut var = var;
    while let Some(next) = map.get(var.vid.object()) {
        var = next;
    }
    var
}

impl Rules for Plan {
    fn keeps(&mut self, binding: &Ref<Binding>, _: &mut Rewriter) -> Result<bool> {
        Ok(!binding_parts(binding).is_some_and(|(var, _)| self.removed.contains(var.vid.object())))
    }

    fn definition(&mut self, var: &Ref<Var>) -> Ref<Var> {
        last(&self.definition, var).clone()
    }

    fn usage(&mut self, var: &Ref<Var>, cx: &mut Rewriter) -> Option<Expr> {
        let new = last(&self.usage, var);
        match self.constants.get(new.vid.object()) {
            Some(constant) => Some(constant.clone()),
            None if new.ptr_eq(var) => None,
            None => Some(cx.current(new)),
        }
    }
}

/// Collects the definitions and uses of a function.
#[derive(Default)]
struct Planner {
    /// The block that is being visited.
    block: Option<Ref<BindingBlock>>,
    /// The block of each variable, by identity.
    homes: PtrMap<Ref<BindingBlock>>,
    /// Variables that are bound to variables.
    trivial: Vec<(Ref<Var>, Ref<Var>)>,
    values: PtrMap<Expr>,
    constants: PtrMap<Expr>,
    in_dataflow: Vec<Ref<Var>>,
    /// Variables that are used outside the dataflow block that defines them.
    escaping: PtrSet,
}

impl Planner {
    fn function(&mut self, function: &Ref<Function>) {
        for id in free_variables(function.object()).iter().filter(|id| id.is::<Id>()) {
            self.escaping.insert(id.clone());
        }
        self.sequence(&function.body);
    }

    fn sequence(&mut self, seq: &Ref<SeqExpr>) {
        let outer = self.block.take();
        for block in seq.blocks.iter() {
            for binding in block.bindings.iter() {
                self.block = Some(block.clone());
                self.binding(binding, block);
            }
        }
        self.block = None;
        self.uses(&seq.body);
        self.block = outer;
    }

    fn binding(&mut self, binding: &Ref<Binding>, block: &Ref<BindingBlock>) {
        let Some((var, value)) = binding_parts(binding) else { return };
        let is_renaming = match binding.as_node::<MatchCast>() {
            None => true,
            Some(_) => {
                let (stated, actual) = (info_of(&var.clone().upcast()), info_of(value));
                structural_equal(stated.object(), actual.object())
            }
        };
        let known = self.known_value(value).unwrap_or_else(|| value.clone());
        if let Some(parent) = known.downcast_ref::<Var>().filter(|_| is_renaming) {
            self.trivial.push((var.clone(), parent.clone()));
        }
        let id = var.vid.object();
        if known.is::<Constant>() {
            self.constants.insert(id.clone(), known.clone());
        }
        self.values.insert(id.clone(), known);
        self.homes.insert(id.clone(), block.clone());
        self.uses(value);
        if is_dataflow_block(block) {
            self.in_dataflow.push(var.clone());
        }
    }

    /// Records the variables of an expression.
    fn uses(&mut self, expr: &Expr) {
        let _ = Visitor::new().pre_order(expr.object(), |node| {
            if let Some(seq) = node.downcast_ref::<SeqExpr>() {
                with_stack(|| self.sequence(seq));
                return Walk::Skip;
            }
            if let Some(function) = node.downcast_ref::<Function>() {
                let outer = self.block.take();
                with_stack(|| self.function(function));
                self.block = outer;
                return Walk::Skip;
            }
            if let Some(var) = node.downcast_ref::<Var>() {
                let id = var.vid.object();
                let is_foreign = |block: &Ref<BindingBlock>| {
                    !is_dataflow_block(block) || self.homes.get(id).is_some_and(|home| !home.ptr_eq(block))
                };
                if self.block.as_ref().is_none_or(is_foreign) {
                    self.escaping.insert(id.clone());
                }
            }
            Walk::Advance
        });
    }

    /// The value that an expression is known to have, one step up to the last one for variables.
    fn resolve(&self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        while let Some(next) = expr.as_node::<Var>().and_then(|var| self.values.get(var.vid.object())) {
            expr = next.clone();
        }
        expr
    }

    /// The field that an item of a known tuple selects, or the tuple that a tuple copies item by item.
    fn known_value(&self, value: &Expr) -> Option<Expr> {
        if let Some(item) = value.as_node::<TupleGetItem>()
            && let Some(tuple) = self.resolve(&item.tuple_value).as_node::<Tuple>()
        {
            return tuple.fields.get(usize::try_from(item.index).ok()?).cloned();
        }
        let fields = &value.as_node::<Tuple>()?.fields;
        let mut source: Option<Expr> = None;
        for (index, field) in fields.iter().enumerate() {
            let item = self.resolve(field);
            let item = item.as_node::<TupleGetItem>()?;
            let tuple = self.resolve(&item.tuple_value);
            let size = info_of(&item.tuple_value).as_node::<TupleStructInfo>()?.fields.len();
            if size != fields.len() || usize::try_from(item.index) != Ok(index) {
                return None;
            }
            match &source {
                Some(source) if !source.ptr_eq(&tuple) => return None,
                _ => source = Some(tuple),
            }
        }
        source
    }

    fn plan(self) -> Plan {
        let mut plan = Plan { constants: self.constants, ..Plan::default() };
        let escapes = |var: &Ref<Var>| self.escaping.contains(var.vid.object());
        for var in &self.in_dataflow {
            if !is_dataflow_var(var) && !escapes(var) {
                let info = info_of(&var.clone().upcast());
                let new = Var::dataflow(var.vid.name_hint.get(), Some(info)).with_span(var.span);
                plan.definition.insert(var.vid.object().clone(), new.clone());
                plan.usage.insert(var.vid.object().clone(), new);
            }
        }
        let parents: PtrMap<Ref<Var>> =
            self.trivial.iter().map(|(var, parent)| (var.vid.object().clone(), parent.clone())).collect();
        for (var, parent) in &self.trivial {
            let parent = last(&plan.definition, last(&parents, parent)).clone();
            let id = var.vid.object().clone();
            if is_dataflow_var(var) || !is_dataflow_var(&parent) || !escapes(var) {
                plan.usage.insert(id.clone(), parent);
            } else {
                // The variable is needed outside the block, so it takes the place of the one that it is bound to.
                plan.definition.insert(parent.vid.object().clone(), var.clone());
                plan.usage.insert(parent.vid.object().clone(), var.clone());
            }
            plan.removed.insert(id);
        }
        plan
    }
}

/// Binds the outputs of a dataflow block directly to the values of local variables that nothing else uses.
fn without_renamed_outputs(block: &Ref<BindingBlock>) -> Option<Ref<BindingBlock>> {
    let mut rejected = PtrSet::default();
    let mut outputs = PtrSet::default();
    let mut values: PtrMap<(Expr, Ref<Binding>)> = PtrMap::default();
    for binding in block.bindings.iter().rev() {
        let (var, value) = binding_parts(binding)?;
        let id = var.vid.object();
        let renamed =
            value.downcast_ref::<Var>().filter(|value| is_dataflow_var(value) && !is_dataflow_var(var));
        if let Some(local) = renamed {
            if !outputs.insert(local.vid.object().clone()) {
                rejected.insert(local.vid.object().clone());
            }
            continue;
        }
        visit_nodes::<Var>(value, |used| {
            rejected.insert(used.vid.object().clone());
        });
        if binding.is::<VarBinding>()
            && is_dataflow_var(var)
            && !rejected.contains(id)
            && outputs.contains(id)
        {
            values.insert(id.clone(), (value.clone(), binding.clone()));
        }
    }
    if values.is_empty() {
        return None;
    }
    let mut bindings = Vec::new();
    for binding in block.bindings.iter() {
        let (var, value) = binding_parts(binding)?;
        let local = value.as_node::<Var>().filter(|_| !is_dataflow_var(var)).map(|local| local.vid.object());
        if is_dataflow_var(var) && values.contains_key(var.vid.object()) {
            continue;
        }
        let Some((value, definition)) = local.and_then(|local: &Object| values.get(local)) else {
            bindings.push(binding.clone());
            continue;
        };
        bindings.push(match binding.as_node::<MatchCast>() {
            Some(cast) => Ref::new(MatchCast { value: value.clone(), ..cast.clone() }).upcast(),
            None => {
                let span = span_or(definition.span(), binding.span());
                Ref::new(VarBinding { span, var: var.clone(), value: value.clone() }).upcast()
            }
        });
    }
    Some(BindingBlock::new(bindings, true).with_span(block.span))
}
