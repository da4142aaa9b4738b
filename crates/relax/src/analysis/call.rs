//! Result type of a call, with the variables of the parameters bound to the arguments.

use tvmscript_arith::Analyzer;
use tvmscript_ir::RelaxExpr;
use tvmscript_ir_core::shared::PairMemo;
use tvmscript_ir_core::{Array, PtrMap, Ref};
use tvmscript_prim::{self as prim, Expr as Scalar};

use super::base::{BaseCheck, Values, check, compare_shapes, compare_values};
use super::erase::erase_to_well_defined;
use super::same_dims;
use crate::node::{Expr, FuncStructInfo, ShapeExpr, StructInfo, Var};

/// Mismatch of arguments and parameters.
#[derive(Debug, Clone)]
pub enum CallMismatch {
    /// Wrong number of arguments.
    Count {
        /// Number of parameters.
        expected: usize,
    },
    /// An argument that does not match its parameter.
    Argument {
        /// Index of the argument, from 0.
        index: usize,
        /// Struct info of the parameter.
        expected: Ref<StructInfo>,
        /// Struct info of the argument.
        found: Ref<StructInfo>,
    },
}

/// Infers the result of a call. Opaque functions state theirs.
///
/// # Errors
/// Fails if the arguments do not match the parameters.
pub fn call_result(
    function: &FuncStructInfo,
    args: &Array<Ref<StructInfo>>,
    analyzer: &mut Analyzer,
) -> Result<Ref<StructInfo>, CallMismatch> {
    let Some(params) = &function.params else { return Ok(function.ret.clone()) };
    if params.len() != args.len() {
        return Err(CallMismatch::Count { expected: params.len() });
    }
    let mut found = Bindings {
        analyzer,
        scalars: PtrMap::default(),
        shapes: PtrMap::default(),
        binds: true,
        done: PairMemo::default(),
        done_inside: PairMemo::default(),
    };
    for (index, (param, arg)) in params.iter().zip(args.iter()).enumerate() {
        if check(param, arg, &mut found) <= BaseCheck::NeedsCheck {
            return Err(CallMismatch::Argument { index, expected: param.clone(), found: arg.clone() });
        }
    }
    let Bindings { analyzer, scalars, shapes, .. } = found;
    let scalar = |var: &Ref<prim::Var>| scalars.get(var.object()).cloned();
    let shape = |var: &Ref<Var>| shapes.get(var.object()).cloned();
    Ok(erase_to_well_defined(&function.ret, &scalar, &shape, analyzer))
}

/// Variables of parameters, bound while the arguments are compared with them.
struct Bindings<'a> {
    analyzer: &'a mut Analyzer,
    scalars: PtrMap<Scalar>,
    shapes: PtrMap<Expr>,
    /// `false` inside the type of a function, where no variable is bound.
    binds: bool,
    /// Memoized results where variables are bound.
    done: PairMemo<BaseCheck>,
    /// Memoized results inside the types of functions.
    done_inside: PairMemo<BaseCheck>,
}

impl Values for Bindings<'_> {
    fn values(&mut self, param: &Scalar, arg: &Scalar) -> BaseCheck {
        if !self.binds || !param.is::<prim::Var>() {
            return compare_values(param, arg, self.analyzer);
        }
        match self.scalars.get(param.object()) {
            None => {
                self.scalars.insert(param.object().clone(), arg.clone());
                BaseCheck::Pass
            }
            Some(known) if known.ptr_eq(arg) || self.analyzer.can_prove_equal(known, arg) => BaseCheck::Pass,
            Some(_) => BaseCheck::NeedsValueCheck,
        }
    }

    fn shapes(&mut self, param: &Ref<RelaxExpr>, arg: &Ref<RelaxExpr>) -> BaseCheck {
        if !self.binds || !param.is::<Var>() {
            return compare_shapes(param, arg, self);
        }
        let arg: Expr = arg.clone().upcast();
        match self.shapes.get(param.object()) {
            None => {
                self.shapes.insert(param.object().clone(), arg);
                BaseCheck::Pass
            }
            Some(known) if known.ptr_eq(&arg) => BaseCheck::Pass,
            Some(known) => match (known.as_node::<ShapeExpr>(), arg.as_node::<ShapeExpr>()) {
                (Some(a), Some(b)) if same_dims(&a.values, &b.values, self.analyzer) => BaseCheck::Pass,
                _ => BaseCheck::NeedsValueCheck,
            },
        }
    }

    fn skips_same(&self) -> bool {
        false
    }

    fn inside_function(&mut self, f: &mut dyn FnMut(&mut Self) -> BaseCheck) -> BaseCheck {
        let outer = std::mem::replace(&mut self.binds, false);
        let result = f(self);
        self.binds = outer;
        result
    }

    fn done(&mut self) -> &mut PairMemo<BaseCheck> {
        if self.binds { &mut self.done } else { &mut self.done_inside }
    }
}
