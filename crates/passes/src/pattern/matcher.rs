//! Matching.

use std::sync::Arc;

use tvmscript_arith::Analyzer;
use tvmscript_ir::{DictAttrs, GlobalVar};
use tvmscript_ir_core::{Object, Ref, Span, Str, StructuralEqual, Value, with_stack};
use tvmscript_prim as prim;
use tvmscript_relax::analysis::{BaseCheck, base_check, same_dim};
use tvmscript_relax::{
    Call, Constant, Expr, ExternFunc, Function, StructInfo, TensorStructInfo, Tuple, TupleGetItem, Var,
    struct_info_of,
};
use tvmscript_si_builder::SIBuilder;

use super::bindings::Bindings;
use super::language::{Kind, Pattern};

/// The nodes that the parts of a pattern matched.
#[derive(Debug, Clone, Default)]
pub struct Match {
    /// Patterns, by address, and what they matched.
    matched: Vec<(usize, Expr)>,
    /// Names and what they stand for.
    named: Vec<(Str, Expr)>,
    /// Calls, tuples and items that the pattern describes, outermost first.
    inner: Vec<Expr>,
}

impl Match {
    /// Returns the expression with this name. A variable is not replaced by its value.
    pub fn get(&self, name: &str) -> Option<&Expr> {
        self.named.iter().find(|(known, _)| known.as_str() == name).map(|(_, expr)| expr)
    }

    /// Returns what a part of the pattern matched.
    pub fn of(&self, pattern: &Pattern) -> Option<&Expr> {
        let address = address(pattern);
        self.matched.iter().find(|(known, _)| *known == address).map(|(_, expr)| expr)
    }

    /// Returns the merged span of the calls, tuples and items that the pattern describes, outermost first: what the match
    /// consists of, without its inputs.
    pub fn span(&self) -> Span {
        SIBuilder::from_spans(self.inner.iter().map(|expr| expr.span())).create_span()
    }
}

fn address(pattern: &Pattern) -> usize {
    Arc::as_ptr(&pattern.0) as usize
}

impl Pattern {
    /// Matches an expression of a function with these bindings.
    pub fn matches(&self, expr: &Expr, bindings: &Bindings) -> Option<Match> {
        let mut matcher = Matcher { bindings, found: Match::default(), analyzer: Analyzer::new() };
        matcher.matches(self, expr).then_some(matcher.found)
    }
}

struct Matcher<'b> {
    bindings: &'b Bindings,
    found: Match,
    analyzer: Analyzer,
}

impl Matcher<'_> {
    /// Matches; undoes what was recorded if it fails.
    fn matches(&mut self, pattern: &Pattern, expr: &Expr) -> bool {
        let known = self.found.matched.iter().find(|(known, _)| *known == address(pattern));
        if let Some((_, known)) = known {
            let resolved = |expr| Bindings::identity(self.bindings.resolve(expr));
            return Bindings::identity(known).ptr_eq(Bindings::identity(expr))
                || resolved(known).ptr_eq(resolved(expr));
        }
        let before = (self.found.matched.len(), self.found.named.len(), self.found.inner.len());
        let matches = with_stack(|| self.matches_kind(pattern, expr));
        if matches {
            self.found.matched.push((address(pattern), expr.clone()));
        } else {
            self.found.matched.truncate(before.0);
            self.found.named.truncate(before.1);
            self.found.inner.truncate(before.2);
        }
        matches
    }

    fn all(&mut self, patterns: &[Pattern], exprs: &tvmscript_ir_core::Array<Expr>) -> bool {
        patterns.len() == exprs.len()
            && patterns.iter().zip(exprs.iter()).all(|(pattern, expr)| self.matches(pattern, expr))
    }

    fn matches_kind(&mut self, pattern: &Pattern, expr: &Expr) -> bool {
        let bindings = self.bindings;
        let value = bindings.resolve(expr);
        match &*pattern.0 {
            Kind::Wildcard => true,
            Kind::Op(name) => value.as_node::<prim::Op>().is_some_and(|op| op.name == *name),
            Kind::Constant => value.is::<Constant>(),
            Kind::Global(name) => value
                .as_node::<GlobalVar>()
                .is_some_and(|var| name.as_ref().is_none_or(|name| var.name_hint == *name)),
            Kind::External(name) => value
                .as_node::<ExternFunc>()
                .is_some_and(|function| name.as_ref().is_none_or(|name| function.global_symbol == *name)),
            Kind::Exactly(node) => {
                Bindings::identity(node).ptr_eq(Bindings::identity(expr)) || node.ptr_eq(value)
            }
            Kind::Call(op, args) => {
                let Some(call) = value.as_node::<Call>() else { return false };
                self.found.inner.push(value.clone());
                self.matches(op, &call.op) && args.as_ref().is_none_or(|args| self.all(args, &call.args))
            }
            Kind::CallTir(function, args) => {
                let Some(call) = value.as_node::<Call>() else { return false };
                if call.op_name() != Some("relax.call_tir") {
                    return false;
                }
                self.found.inner.push(value.clone());
                let mut operands = call.args.iter();
                let (Some(callee), Some(fields)) = (operands.next(), operands.next()) else { return false };
                self.matches(function, callee) && self.matches(args, fields)
            }
            Kind::Tuple(fields) => {
                let Some(tuple) = value.as_node::<Tuple>() else { return false };
                self.found.inner.push(value.clone());
                self.all(fields, &tuple.fields)
            }
            Kind::Item(tuple, index) => {
                let Some(item) = value.as_node::<TupleGetItem>() else { return false };
                self.found.inner.push(value.clone());
                index.is_none_or(|index| index == item.index) && self.matches(tuple, &item.tuple_value)
            }
            Kind::Or(a, b) => self.matches(a, expr) || self.matches(b, expr),
            Kind::And(a, b) => self.matches(a, expr) && self.matches(b, expr),
            Kind::Not(a) => {
                let before = self.found.clone();
                let matches = self.matches(a, expr);
                self.found = before;
                !matches
            }
            Kind::Attr(inner, name, wanted) => has_attr(value, name, wanted) && self.matches(inner, expr),
            Kind::Dtype(inner, dtype) => {
                tensor(expr, value).is_some_and(|tensor| tensor.dtype == *dtype) && self.matches(inner, expr)
            }
            Kind::Shape(inner, dims) => {
                let known = tensor(expr, value).and_then(|tensor| tensor.known_dims());
                let Some(known) = known.filter(|known| known.len() == dims.len()) else { return false };
                let fits = known.iter().zip(dims).all(|(known, dim)| {
                    dim.as_ref().is_none_or(|dim| same_dim(known, dim, &mut self.analyzer))
                });
                fits && self.matches(inner, expr)
            }
            Kind::StructInfo(inner, base) => {
                let info = struct_info_of(expr).or_else(|| struct_info_of(value));
                info.is_some_and(|info| base_check(base, &info, &mut self.analyzer) == BaseCheck::Pass)
                    && self.matches(inner, expr)
            }
            Kind::UsedBy(inner, user) => {
                let Some(var) = expr.downcast_ref::<Var>() else { return false };
                let users = bindings.users(var).iter().filter_map(|user| bindings.value(user));
                let mut users = users.collect::<Vec<_>>().into_iter();
                self.matches(inner, expr) && users.any(|value| self.uses(user, value))
            }
            Kind::OnlyUsedBy(inner, user) => {
                let Some(var) = expr.downcast_ref::<Var>() else { return false };
                let users: Vec<&Expr> =
                    bindings.users(var).iter().filter_map(|user| bindings.value(user)).collect();
                !bindings.is_result(var)
                    && !users.is_empty()
                    && self.matches(inner, expr)
                    && users.iter().all(|value| self.uses(user, value))
            }
            Kind::Named(inner, name) => {
                let matches = self.matches(inner, expr);
                if matches {
                    self.found.named.push((name.clone(), expr.clone()));
                }
                matches
            }
        }
    }

    /// Matches the value of a user. Users are not part of the match.
    fn uses(&mut self, user: &Pattern, value: &Expr) -> bool {
        let mut matcher =
            Matcher { bindings: self.bindings, found: Match::default(), analyzer: Analyzer::new() };
        matcher.matches(user, value)
    }
}

fn tensor(expr: &Expr, value: &Expr) -> Option<Ref<TensorStructInfo>> {
    let info: Ref<StructInfo> = struct_info_of(expr).or_else(|| struct_info_of(value))?;
    info.downcast_ref::<TensorStructInfo>().cloned()
}

/// Returns `true` if a call or function has an attribute with this value.
fn has_attr(value: &Expr, name: &Str, wanted: &Value) -> bool {
    let attrs: Option<Object> = match value.as_node::<Call>() {
        Some(call) => call.attrs.clone().map(Into::into),
        None => value.as_node::<Function>().map(|function| function.attrs.clone().into()),
    };
    let Some(attrs) = attrs else { return false };
    if let Some(entries) = attrs.as_node::<DictAttrs>() {
        return entries.dict.get_str(name).is_some_and(|found| same_value(found, wanted));
    }
    let Some(index) = attrs.info().field_index(name) else { return false };
    same_value(&attrs.field(index).to_value(), wanted)
}

fn same_value(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        // Integers are literals in some attributes, and plain in others.
        (Value::Node(found), Value::Int(wanted)) => {
            found.as_node::<prim::IntImm>().is_some_and(|literal| literal.value == *wanted)
        }
        _ => StructuralEqual::default().compare_values(found, wanted),
    }
}
