//! Symbolic values of calls: among the arguments, where the older release passes them after the results.

use std::collections::HashMap;

use tvmscript_ir::{BaseFunc, GlobalVar, IRModule};
use tvmscript_ir_core::{
    Array, Map, Object, ObjectLike, Ref, RewriteError, Visitor, Walk, post_order_mutate,
};
use tvmscript_prim::Var;
use tvmscript_relax::{Call, PrimValue, ShapeExpr, Tuple};
use tvmscript_tir::PrimFunc;

use crate::finding::{Finding, codes};

/// Operators whose third argument holds symbolic values.
const OPERATORS: [&str; 3] = ["relax.call_tir", "relax.call_tir_inplace", "relax.call_tir_with_grad"];

/// Numbers of a call's arguments and symbolic values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    arguments: usize,
    symbols: usize,
}

/// The parts of a call of a function of the module.
struct Parts<'c> {
    callee: &'c Ref<GlobalVar>,
    arguments: &'c Tuple,
    symbols: Option<&'c ShapeExpr>,
}

impl Parts<'_> {
    fn of(call: &Call) -> Option<Parts<'_>> {
        call.op_name().filter(|name| OPERATORS.contains(name))?;
        let mut args = call.args.iter();
        let callee = args.next()?.downcast_ref::<GlobalVar>()?;
        let arguments = args.next()?.as_node::<Tuple>()?;
        let symbols = match args.next() {
            Some(symbols) => Some(symbols.as_node::<ShapeExpr>()?),
            None => None,
        };
        Some(Parts { callee, arguments, symbols })
    }

    fn shape(&self) -> Shape {
        let symbols = self.symbols.map_or(0, |symbols| symbols.values.len());
        Shape { arguments: self.arguments.fields.len(), symbols }
    }
}

/// Moves the symbolic values of calls, and the parameters of the called functions.
pub(super) fn rewrite(node: Object, findings: &mut Vec<Finding>) -> Result<Object, RewriteError> {
    let (shapes, has_symbols) = shapes(&node, findings);
    if !has_symbols {
        return Ok(node);
    }
    let node = match node.downcast_ref::<IRModule>() {
        Some(module) => reorder(module, &shapes, findings).into_object(),
        None => node,
    };
    post_order_mutate(node, |node| {
        let call = node.downcast_ref::<Call>()?;
        let parts = Parts::of(call)?;
        let symbols = parts.symbols?;
        shapes.get(&parts.callee.object().address()).copied().flatten()?;
        let values = symbols.values.iter().map(|value| PrimValue::new(value.clone()).upcast());
        let arguments = Tuple::new(parts.arguments.fields.iter().cloned().chain(values));
        let args = Array::new([parts.callee.clone().upcast(), arguments.upcast()]);
        let mut call = call.clone();
        call.make_mut().args = args;
        Some(call.into_object())
    })
}

/// The shapes of the calls of each function, `None` for callers that disagree; and if any call has symbolic values.
fn shapes(node: &Object, findings: &mut Vec<Finding>) -> (HashMap<usize, Option<Shape>>, bool) {
    let mut shapes: HashMap<usize, Option<Shape>> = HashMap::new();
    let mut has_symbols = false;
    let _ = Visitor::new().pre_order(node, |node| {
        if let Some(parts) = node.as_node::<Call>().and_then(Parts::of) {
            let shape = parts.shape();
            has_symbols |= shape.symbols > 0;
            let known = shapes.entry(parts.callee.object().address()).or_insert(Some(shape));
            if known.is_some_and(|known| known != shape) {
                *known = None;
                findings.push(Finding::loss(
                    &codes::CALLERS,
                    format!("other callers pass other numbers of values to `{}`", parts.callee.name_hint),
                    "pass the values among the arguments, in one order",
                    node,
                ));
            }
        }
        Walk::Advance
    });
    (shapes, has_symbols)
}

/// The module whose called functions take symbolic values in front of their results.
fn reorder(
    module: &Ref<IRModule>,
    shapes: &HashMap<usize, Option<Shape>>,
    findings: &mut Vec<Finding>,
) -> Ref<IRModule> {
    let mut functions: Vec<(Ref<GlobalVar>, Ref<BaseFunc>)> = Vec::new();
    for (name, function) in module.functions.iter() {
        let shape = shapes.get(&name.object().address()).copied().flatten();
        let reordered = shape.filter(|shape| shape.symbols > 0).and_then(|shape| {
            let function = function.downcast_ref::<PrimFunc>()?;
            let params = moved(&function.params, shape)?;
            findings.push(Finding::choice(
                &codes::PARAMETERS,
                format!(
                    "the parameters of `{}` are reordered: symbolic values come in front of results",
                    name.name_hint
                ),
                "reorder the arguments of callers outside the module",
                function,
            ));
            let mut function = function.clone();
            function.make_mut().params = params;
            Some(function.upcast())
        });
        functions.push((name.clone(), reordered.unwrap_or_else(|| function.clone())));
    }
    let mut module = module.clone();
    module.make_mut().functions = Map::new(functions);
    module
}

/// The parameters with the last ones in front of the results.
fn moved(params: &Array<Ref<Var>>, shape: Shape) -> Option<Array<Ref<Var>>> {
    let params: Vec<Ref<Var>> = params.iter().cloned().collect();
    let results = params.len().checked_sub(shape.arguments + shape.symbols)?;
    let (arguments, rest) = params.split_at_checked(shape.arguments)?;
    let (results, symbols) = rest.split_at_checked(results)?;
    Some(Array::new([arguments, symbols, results].concat()))
}
