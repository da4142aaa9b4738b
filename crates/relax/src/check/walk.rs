//! The walk of the well-formedness check.

use hashbrown::{HashMap, HashSet};
use tvmscript_arith::Analyzer;
use tvmscript_ir::{GlobalVar, IRModule};
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{AccessPath, Array, Object, PathStep, Ref, Span, Str, Value, with_stack};
use tvmscript_prim::BaseExpr;
use tvmscript_prim::{self as prim, PrimExprExt};

use super::call_tir;
use super::error::{WellFormedError, WellFormedErrorKind as Kind};
use super::{MAX_ERRORS, symbol};
use crate::analysis::{BaseCheck, base_check, is_impure_call};
use crate::blocks::{BlockBuilder, is_leaf_or_tuple};
use crate::describe;
use crate::node::*;
use crate::op::inspect;

/// State of the walk: definitions in scope, and the current location.
#[derive(Default)]
pub(super) struct Checker<'a> {
    /// The enclosing module.
    pub(super) module: Option<&'a IRModule>,
    pub(super) errors: Vec<WellFormedError>,
    function: Option<Str>,
    path: Vec<PathStep>,
    span: Span,
    vars: Scope,
    scalars: Scope,
    /// The outermost function in which a scalar variable was first used.
    owners: HashMap<usize, usize>,
    outermost: usize,
    in_dataflow: bool,
    is_pure: bool,
    analyzer: Option<Analyzer>,
    /// Shared nodes already checked in the open scopes.
    checked: Scope,
}

/// Definitions in scope, with a log to undo them.
#[derive(Default)]
struct Scope {
    defined: HashSet<usize>,
    log: Vec<usize>,
}

impl Scope {
    fn define(&mut self, object: &Object) -> bool {
        let is_new = self.defined.insert(object.address());
        if is_new {
            self.log.push(object.address());
        }
        is_new
    }

    fn has(&self, object: &Object) -> bool {
        self.defined.contains(&object.address())
    }

    fn undo_to(&mut self, length: usize) {
        for address in self.log.drain(length.min(self.log.len())..) {
            self.defined.remove(&address);
        }
    }
}

impl<'a> Checker<'a> {
    fn report(&mut self, kind: Kind) {
        if self.errors.len() < MAX_ERRORS {
            let path = AccessPath { steps: self.path.clone() };
            self.errors.push(WellFormedError {
                kind,
                function: self.function.clone(),
                path,
                span: self.span,
            });
        }
    }

    /// Runs `f` with a longer path.
    fn at(&mut self, step: PathStep, f: impl FnOnce(&mut Self)) {
        self.path.push(step);
        f(self);
        self.path.pop();
    }

    /// Runs `f` with another span.
    fn spanned(&mut self, span: Span, f: impl FnOnce(&mut Self)) {
        let outer = self.span;
        if span != Span::UNKNOWN {
            self.span = span;
        }
        f(self);
        self.span = outer;
    }

    /// Checks a function of a module, or one alone.
    pub(super) fn function(&mut self, name: Option<&Str>, function: &Ref<Function>) {
        self.function = name.cloned();
        self.outermost = function.object().address();
        if let (Some(name), Some(symbol)) = (name, symbol(function))
            && *name != symbol
        {
            self.spanned(function.span, |c| c.report(Kind::Symbol { name: name.clone(), symbol }));
        }
        self.nested(function);
    }

    fn nested(&mut self, node: &Ref<Function>) {
        let Function { span, struct_info_: _, attrs, params, body, ret_struct_info, is_pure } = &**node;
        let scalars = std::mem::take(&mut self.scalars);
        let checked = std::mem::take(&mut self.checked);
        let vars = self.vars.log.len();
        let in_dataflow = std::mem::replace(&mut self.in_dataflow, false);
        let force_pure = attrs.dict.get_str("relax.force_pure");
        let forces_purity = force_pure.is_some_and(is_true);
        let was_pure = std::mem::replace(&mut self.is_pure, *is_pure && !forces_purity);
        self.spanned(*span, |c| {
            if forces_purity && !is_pure {
                c.report(Kind::ForcedPurity);
            }
            if let Some(other) = force_pure.filter(|value| !is_truth_value(value)) {
                let found = match other.as_str() {
                    Some(text) => format!("the text \"{text}\""),
                    None => format!("`{}`", other.kind_name()),
                };
                c.report(Kind::ForcedPurityValue { found });
            }
            for param in params.iter() {
                if let Some(info) = struct_info_of(&param.clone().upcast()) {
                    c.define_scalars(info.object());
                }
            }
            c.at(PathStep::Field("params"), |c| {
                for (i, param) in params.iter().enumerate() {
                    c.at(PathStep::Index(i as u32), |c| c.define(param));
                }
            });
            c.at(PathStep::Field("ret_struct_info"), |c| c.struct_info(ret_struct_info.object()));
            c.at(PathStep::Field("body"), |c| c.sequence(body));
        });
        self.is_pure = was_pure;
        self.in_dataflow = in_dataflow;
        self.vars.undo_to(vars);
        self.scalars = scalars;
        self.checked = checked;
    }

    /// Defines all scalar variables of the struct info.
    fn define_scalars(&mut self, info: &Object) {
        let scalars = &mut self.scalars;
        let _ = Visitor::new().pre_order(info, |object| {
            if object.is::<prim::Var>() {
                scalars.define(object);
            }
            Walk::Advance
        });
    }

    fn define(&mut self, var: &Ref<Var>) {
        self.spanned(var.span, |c| {
            let name = var.vid.name_hint.get();
            if is_dataflow_var(var) && !c.in_dataflow {
                c.report(Kind::DataflowVarOutside { name: name.clone() });
            }
            if !c.vars.define(var.object()) {
                c.report(Kind::RepeatedDefinition { name });
            }
            match &var.struct_info_ {
                Some(info) => c.at(PathStep::Field("struct_info_"), |c| c.struct_info(info)),
                None => c.report(Kind::NoStructInfo),
            }
        });
    }

    /// Returns `true` for the first visit of a shared node in the open scopes.
    fn is_first(&mut self, node: &Object) -> bool {
        node.is_unique() || self.checked.define(node)
    }

    /// Checks that the scalar variables are defined.
    fn struct_info(&mut self, info: &Object) {
        let has_parts = info.is::<FuncStructInfo>() || info.is::<TupleStructInfo>();
        if has_parts && !self.is_first(info) {
            return;
        }
        if let Some(function) = info.as_node::<FuncStructInfo>() {
            // The parameters define variables of the type itself.
            let (known, checked) = (self.scalars.log.len(), self.checked.log.len());
            for param in function.params.iter().flat_map(Array::iter) {
                self.define_scalars(param.object());
            }
            with_stack(|| self.struct_info(function.ret.object()));
            self.scalars.undo_to(known);
            self.checked.undo_to(checked);
            return;
        }
        if let Some(tuple) = info.as_node::<TupleStructInfo>() {
            for field in tuple.fields.iter() {
                with_stack(|| self.struct_info(field.object()));
            }
            return;
        }
        self.scalars_in(info);
    }

    fn scalars_in(&mut self, object: &Object) {
        let mut wrong = Vec::new();
        let _ = Visitor::new().pre_order(object, |object| {
            if let Some(var) = object.as_node::<prim::Var>() {
                if self.scalars.define(object) {
                    // Reported once: the variable counts as defined from here on.
                    wrong.push(Kind::UndefinedScalar { name: var.name.get() });
                } else if *self.owners.entry(object.address()).or_insert(self.outermost) != self.outermost {
                    wrong.push(Kind::SharedScalar { name: var.name.get() });
                }
                return Walk::Skip;
            }
            Walk::Advance
        });
        wrong.into_iter().for_each(|kind| self.report(kind));
    }

    fn sequence(&mut self, node: &SeqExpr) {
        let SeqExpr { span, struct_info_: _, blocks, body } = node;
        self.spanned(*span, |c| {
            c.at(PathStep::Field("blocks"), |c| {
                for (i, block) in blocks.iter().enumerate() {
                    c.at(PathStep::Index(i as u32), |c| c.block(block));
                }
            });
            c.at(PathStep::Field("body"), |c| c.operand(body, "the value of a sequence"));
        });
    }

    fn block(&mut self, block: &Ref<BindingBlock>) {
        let is_dataflow = is_dataflow_block(block);
        let was_in_dataflow = self.in_dataflow;
        self.in_dataflow |= is_dataflow;
        self.at(PathStep::Field("bindings"), |c| {
            for (i, binding) in block.bindings.iter().enumerate() {
                c.at(PathStep::Index(i as u32), |c| c.binding(binding));
            }
        });
        self.in_dataflow = was_in_dataflow;
    }

    fn binding(&mut self, binding: &Ref<Binding>) {
        if let Some(VarBinding { span, var, value }) = binding.as_node::<VarBinding>() {
            self.spanned(*span, |c| {
                // A function may call itself.
                let is_function = value.is::<Function>();
                if is_function {
                    c.at(PathStep::Field("var"), |c| c.define(var));
                }
                c.at(PathStep::Field("value"), |c| c.value(value));
                if !is_function {
                    c.at(PathStep::Field("var"), |c| c.define(var));
                }
                let infos = (struct_info_of(&var.clone().upcast()), struct_info_of(value));
                if let (Some(variable), Some(found)) = infos
                    && base_check(&variable, &found, c.analyzer()) != BaseCheck::Pass
                {
                    let (value, variable) = (text(&found), text(&variable));
                    c.report(Kind::WrongBinding { value, variable });
                }
            });
        } else if let Some(MatchCast { span, var, value, struct_info }) = binding.as_node::<MatchCast>() {
            self.spanned(*span, |c| {
                c.at(PathStep::Field("value"), |c| c.value(value));
                c.define_scalars(struct_info.object());
                c.at(PathStep::Field("var"), |c| c.define(var));
            });
        }
    }

    fn analyzer(&mut self) -> &mut Analyzer {
        self.analyzer.get_or_insert_with(Analyzer::new)
    }

    /// Checks an operand, which must be in normal form.
    fn operand(&mut self, expr: &Ref<BaseExpr>, place: &'static str) {
        if !is_leaf_or_tuple(expr) {
            self.report(Kind::NotNormal { place, found: expr.object().info().key() });
        }
        with_stack(|| self.value(expr));
    }

    fn value(&mut self, expr: &Expr) {
        self.spanned(expr.span(), |c| c.value_here(expr));
    }

    fn value_here(&mut self, expr: &Expr) {
        if let Some(var) = expr.downcast_ref::<Var>() {
            let name = var.vid.name_hint.get();
            if is_dataflow_var(var) && !self.in_dataflow {
                self.report(Kind::DataflowVarOutside { name });
            } else if !self.vars.has(var.object()) {
                self.report(Kind::UndefinedVar { name });
            }
            return;
        }
        if let Some(call) = expr.downcast_ref::<Call>() {
            self.call(call);
        } else if let Some(tuple) = expr.as_node::<Tuple>() {
            if !self.is_first(expr.object()) {
                return;
            }
            self.at(PathStep::Field("fields"), |c| c.operands(&tuple.fields, "a field of a tuple"));
        } else if let Some(item) = expr.as_node::<TupleGetItem>() {
            self.at(PathStep::Field("tuple_value"), |c| c.operand(&item.tuple_value, "a subscripted tuple"));
        } else if let Some(node) = expr.as_node::<If>() {
            self.conditional(node);
        } else if let Some(function) = expr.downcast_ref::<Function>() {
            with_stack(|| self.nested(function));
        } else if let Some(shape) = expr.as_node::<ShapeExpr>() {
            for value in shape.values.iter() {
                if !value.dtype().is_int() {
                    self.report(Kind::Dimension { found: value.dtype() });
                }
                self.scalars_in(value.object());
            }
        } else if let Some(value) = expr.as_node::<PrimValue>() {
            self.scalars_in(value.value.object());
        } else if let Some(name) = expr.as_node::<GlobalVar>() {
            self.global(expr, name);
        } else if let Some(seq) = expr.as_node::<SeqExpr>() {
            self.report(Kind::NotNormal { place: "a bound value", found: expr.object().info().key() });
            with_stack(|| self.sequence(seq));
        }
        if struct_info_of(expr).is_none() && !expr.is::<tvmscript_prim::Op>() {
            self.report(Kind::NoStructInfo);
        }
    }

    fn operands(&mut self, exprs: &Array<Expr>, place: &'static str) {
        for (i, expr) in exprs.iter().enumerate() {
            self.at(PathStep::Index(i as u32), |c| c.operand(expr, place));
        }
    }

    fn global(&mut self, expr: &Expr, name: &GlobalVar) {
        let Some(module) = self.module else { return };
        let known = module.global_var_map_.get_str(&name.name_hint);
        if !known.is_some_and(|known| known.ptr_eq(expr)) {
            self.report(Kind::UnknownFunction { name: name.name_hint.clone() });
        }
    }

    fn conditional(&mut self, node: &If) {
        if self.in_dataflow {
            self.report(Kind::IfInDataflow);
        }
        self.at(PathStep::Field("cond"), |c| c.operand(&node.cond, "a condition"));
        for (field, branch) in [("true_branch", &node.true_branch), ("false_branch", &node.false_branch)] {
            let (vars, scalars) = (self.vars.log.len(), self.scalars.log.len());
            let checked = self.checked.log.len();
            self.at(PathStep::Field(field), |c| with_stack(|| c.sequence(branch)));
            self.vars.undo_to(vars);
            self.scalars.undo_to(scalars);
            self.checked.undo_to(checked);
        }
    }

    fn call(&mut self, call: &Ref<Call>) {
        let Call { span: _, struct_info_, op, args, attrs: _, sinfo_args } = &**call;
        self.at(PathStep::Field("op"), |c| c.operand(op, "a callee"));
        self.at(PathStep::Field("args"), |c| c.operands(args, "an argument"));
        self.at(PathStep::Field("sinfo_args"), |c| {
            for (i, info) in sinfo_args.iter().enumerate() {
                c.at(PathStep::Index(i as u32), |c| c.struct_info(info.object()));
            }
        });
        if let Some(callee) = impure_callee(call) {
            if self.in_dataflow {
                self.report(Kind::ImpureInDataflow { callee });
            } else if self.is_pure {
                self.report(Kind::ImpureCall { callee });
            }
        }
        if call_tir::is_call_tir(call) {
            for mistake in call_tir::check(call, self.analyzer()) {
                let depth = self.path.len();
                self.path.extend(mistake.steps);
                self.spanned(mistake.span, |c| c.report(mistake.error.into()));
                self.path.truncate(depth);
            }
        }
        if let Some(value) = inspect::known_result(call) {
            let callee = script_name(call.op_name().unwrap_or_default());
            self.report(Kind::KnownResult { callee, value: describe::scalar(value).to_string() });
        }
        let Some(stated) = struct_info_.as_ref().and_then(|info| info.downcast_ref::<StructInfo>()) else {
            return;
        };
        let bare = Call { struct_info_: None, ..(**call).clone() };
        match BlockBuilder::default().normalize(Ref::new(bare).upcast()) {
            Err(error) => self.report(Kind::NotInferred { message: error.to_string() }),
            Ok(again) => {
                let Some(inferred) = struct_info_of(&again) else { return };
                if base_check(stated, &inferred, self.analyzer()) == BaseCheck::Disjoint {
                    let (stated, inferred) = (text(stated), text(&inferred));
                    self.report(Kind::WrongStructInfo { stated, inferred });
                }
            }
        }
    }
}

fn text(info: &Ref<StructInfo>) -> String {
    describe::struct_info(info).to_string()
}

/// Returns `true` for values that TVM accepts as a bool.
fn is_truth_value(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Int(_) => true,
        Value::Node(node) => node.is::<prim::IntImm>(),
        _ => false,
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(b) => *b,
        Value::Int(i) => *i != 0,
        Value::Node(node) => node.as_node::<prim::IntImm>().is_some_and(|literal| literal.value != 0),
        _ => false,
    }
}

/// The name of an operator in scripts.
fn script_name(operator: &str) -> Str {
    Str::from(operator.replacen("relax.", "R.", 1))
}

/// The callee of a call if it is impure.
fn impure_callee(call: &Call) -> Option<Str> {
    if !is_impure_call(call) {
        return None;
    }
    if let Some(name) = call.op_name() {
        return Some(script_name(name));
    }
    if let Some(var) = call.op.as_node::<Var>() {
        return Some(var.vid.name_hint.get());
    }
    if let Some(name) = call.op.as_node::<GlobalVar>() {
        return Some(name.name_hint.clone());
    }
    call.op.as_node::<ExternFunc>().map(|function| function.global_symbol.clone())
}
