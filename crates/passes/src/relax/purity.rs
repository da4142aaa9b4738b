//! Removal of markers of purity.
//!
//! Upstream counterpart: `src/relax/transform/remove_purity_checking.cc`.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Map, Ref, Str, Value};
use tvmscript_prim::Op;
use tvmscript_relax::{Call, Expr, Function};

use super::rewrite::{Rewriter, Rules, rewrite};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Replaces calls that state the purity of external functions by plain calls. Pure functions get the attribute
    /// `relax.force_pure`, since their calls may no longer show it.
    pub RemovePurityChecking = "relax.RemovePurityChecking" for Function in IRModule |function, _context| {
        Ok(forced(rewrite(&function, &mut Remover)?))
    }
}

struct Remover;

impl Rules for Remover {
    fn expression(&mut self, _: &Expr, new: Expr, _: &mut Rewriter) -> Result<Expr> {
        if let Some(function) = new.downcast_ref::<Function>() {
            return Ok(forced(function.clone()).upcast());
        }
        let Some(call) = new.as_node::<Call>() else { return Ok(new) };
        let plain = |attrs| {
            let mut args = call.args.iter().cloned();
            let op = args.next()?;
            Some(Call { op, args: args.collect(), attrs, struct_info_: None, ..call.clone() })
        };
        let call = match call.op_name() {
            Some("relax.call_pure_packed") => plain(call.attrs.clone()),
            Some("relax.call_inplace_packed") => plain(None),
            Some("relax.invoke_pure_closure") => {
                let op = Op::get("relax.invoke_closure").upcast();
                Some(Call { op, struct_info_: None, ..call.clone() })
            }
            _ => None,
        };
        Ok(call.map_or(new, |call| Ref::new(call).upcast()))
    }
}

/// Adds the attribute to a pure function.
fn forced(function: Ref<Function>) -> Ref<Function> {
    const FORCE_PURE: &str = "relax.force_pure";
    let is_set =
        function.attrs.dict.get_str(FORCE_PURE).is_some_and(|value| matches!(value, Value::Bool(true)));
    if !function.is_pure || is_set {
        return function;
    }
    let mut function = function;
    let old = function.attrs.dict.iter().filter(|(key, _)| key.as_str() != FORCE_PURE);
    let entries: Vec<(Str, Value)> = old.map(|(key, value)| (key.clone(), value.clone())).collect();
    let new = [(Str::from(FORCE_PURE), Value::Bool(true))];
    function.make_mut().attrs.make_mut().dict = Map::new(entries.into_iter().chain(new));
    function
}
