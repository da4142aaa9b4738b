//! `split`: one loop becomes a nest.

use tvmscript_arith::{Analyzer, ProofStrength};
use tvmscript_ir_core::{PtrMap, Ref, substitute};
use tvmscript_prim::{Expr, IntImm, Var, ops};
use tvmscript_tir::StmtRef;

use crate::argument::{Argument, RvValue};
use crate::bindings::{Ranges, guarded, reused_blocks, simplify_bindings};
use crate::error::{Result, ScheduleError};
use crate::loops::{check_plain, check_starts_at_zero, handles, new_loops};
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::schedule::Schedule;
use crate::state::Item;

pub(in crate::primitive) static SPLIT: Primitive = Primitive {
    kind: "Split",
    name: "split",
    doc: "Divides a loop into a nest of loops with these extents; one of them may be inferred.",
    parameters: &[
        parameter("loop", Place::Input),
        parameter("factors", Place::Spread),
        with_default("preserve_unit_iters", Place::Attribute, Default::Bool(true)),
        with_default("disable_predication", Place::Attribute, Default::Bool(false)),
    ],
    is_pure: false,
    results: Results::List,
    apply: |schedule, args| {
        let [target, factors, preserves_units, is_unguarded] = args else {
            return Err(ScheduleError::plain("expected four arguments"));
        };
        let target = schedule.loop_item(target)?;
        let factors = self::factors(schedule, factors)?;
        let loops = split(schedule, target, &factors, preserves_units.bool()?, is_unguarded.bool()?)?;
        Ok(loops.into_iter().map(RvValue::Loop).collect())
    },
};

/// Factors, with `None` for an inferred one.
pub(super) fn factors(schedule: &Schedule, factors: &Argument) -> Result<Vec<Option<i64>>> {
    let factor = |factor: &Argument| match factor {
        Argument::None => Ok(None),
        Argument::Rv(rv) if schedule.value(*rv)? == RvValue::Absent => Ok(None),
        factor => schedule.int(factor).map(Some),
    };
    factors.list()?.iter().map(factor).collect()
}

fn split(
    schedule: &mut Schedule,
    target: Item,
    factors: &[Option<i64>],
    preserves_units: bool,
    is_unguarded: bool,
) -> Result<Vec<Item>> {
    if factors.iter().filter(|factor| factor.is_none()).count() > 1 {
        return Err(ScheduleError::new("NotSingleInferFactorError", "only one factor may be inferred"));
    }
    let state = schedule.state();
    let old = state.loop_of(target)?.clone();
    let dtype = old.loop_var.dtype;
    let mut analyzer = Analyzer::new();
    let mut product = IntImm::try_new(dtype, 1)?;
    let mut extents: Vec<Option<Expr>> = Vec::with_capacity(factors.len());
    for factor in factors {
        let Some(factor) = factor else {
            extents.push(None);
            continue;
        };
        if *factor <= 0 {
            let message = format!("the factor {factor} is not positive");
            return Err(ScheduleError::new("NonPositiveFactorError", message));
        }
        // Factors are of the loop's type.
        let factor = IntImm::try_new(dtype, *factor)?;
        product = ops::mul(product, factor.clone())?;
        extents.push(Some(factor));
    }
    let inferred = match extents.iter().any(Option::is_none) {
        true => {
            // The extent divided by the product of the others, rounded up.
            let one = IntImm::try_new(dtype, 1)?;
            let rounded = ops::sub(ops::add(old.extent.clone(), product.clone())?, one);
            let rounded = ops::floordiv(rounded?, product.clone())?;
            analyzer.simplify(&rounded)
        }
        false => {
            let covers = ops::ge(product.clone(), old.extent.clone())?;
            if !analyzer.can_prove_with(&covers, ProofStrength::SymbolicBound) {
                let message = "the product of the factors is less than the extent of the loop";
                return Err(ScheduleError::new("WrongFactorError", message).at(old));
            }
            product.clone()
        }
    };
    check_plain(&old)?;
    check_starts_at_zero(&old, &mut analyzer)?;
    let extents: Vec<Expr> =
        extents.into_iter().map(|extent| extent.unwrap_or_else(|| inferred.clone())).collect();

    let mut value: Expr = IntImm::try_new(dtype, 0)?;
    let mut variables: Vec<Ref<Var>> = Vec::with_capacity(extents.len());
    for (index, extent) in extents.iter().enumerate() {
        let name = format!("{}_{index}", old.loop_var.name.text());
        let variable = Var::new(name, dtype);
        analyzer.bind_range(&variable, &IntImm::try_new(dtype, 0)?, extent);
        value = ops::mul(value, extent.clone())?;
        value = ops::add(value, variable.clone().upcast())?;
        variables.push(variable);
    }
    let mut map = PtrMap::default();
    map.insert(old.loop_var.object().clone(), value.object().clone());
    let mut body: StmtRef = substitute(old.body.clone(), &map)?;
    let mut reused = reused_blocks(&old.body, &body);
    let guard = ops::lt(value, old.extent.clone())?;
    if !is_unguarded && !analyzer.can_prove_with(&guard, ProofStrength::SymbolicBound) {
        body = guarded(&body, &guard)?;
    }
    let parts = variables.into_iter().zip(extents);
    let nest = new_loops(parts, body)?;
    let mut ranges = Ranges::above(schedule.state(), target)?;
    let nest = simplify_bindings(&nest, &mut ranges, preserves_units, &mut reused)?;
    schedule.state_mut().replace(target, nest.clone(), &reused)?;
    Ok(handles(schedule.state(), &nest, factors.len()))
}
