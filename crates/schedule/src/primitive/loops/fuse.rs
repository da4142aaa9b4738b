//! `fuse`: a nest becomes one loop.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{PtrMap, Ref, substitute};
use tvmscript_prim::{Expr, IntImm, Var, ops};
use tvmscript_tir::StmtRef;

use crate::argument::RvValue;
use crate::bindings::{Ranges, reused_blocks, simplify_bindings};
use crate::error::{Result, ScheduleError};
use crate::loops::{check_plain, check_starts_at_zero, handles, serial};
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::reads::mentions;
use crate::schedule::Schedule;
use crate::state::Item;

pub(in crate::primitive) static FUSE: Primitive = Primitive {
    kind: "Fuse",
    name: "fuse",
    doc: "Makes one loop of a nest.",
    parameters: &[
        parameter("loops", Place::Variadic),
        with_default("preserve_unit_iters", Place::Flag, Default::Bool(true)),
    ],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| {
        let [loops, preserves_units] = args else {
            return Err(ScheduleError::plain("expected loops and `preserve_unit_iters`"));
        };
        let loops: Vec<Item> =
            loops.list()?.iter().map(|found| schedule.loop_item(found)).collect::<Result<_>>()?;
        fuse(schedule, &loops, preserves_units.bool()?).map(|fused| vec![RvValue::Loop(fused)])
    },
};

fn fuse(schedule: &mut Schedule, loops: &[Item], preserves_units: bool) -> Result<Item> {
    let state = schedule.state();
    let Some(first) = loops.first().copied() else {
        return Err(ScheduleError::plain("`fuse` needs a loop"));
    };
    let mut analyzer = Analyzer::new();
    let mut nodes = Vec::with_capacity(loops.len());
    let mut outer: Option<Item> = None;
    for item in loops.iter().copied() {
        let node = state.loop_of(item)?.clone();
        check_plain(&node)?;
        if let Some(outer) = outer {
            let above = state.loop_of(outer)?;
            if state.parent(item) != Some(outer) {
                let message = "the outer loop is not the parent of the inner one";
                return Err(ScheduleError::new("OuterNotInnerParent", message).at(above.clone()).at(node));
            }
            if !above.body.object().ptr_eq(node.object()) {
                let message = "the inner loop is not the only child of the outer one";
                return Err(ScheduleError::new("NotOnlyChildError", message).at(above.clone()).at(node));
            }
        }
        check_starts_at_zero(&node, &mut analyzer)?;
        let used =
            nodes.iter().find(|outer: &&Ref<tvmscript_tir::For>| mentions(&node.extent, &outer.loop_var));
        if let Some(used) = used {
            let message = format!("the extent of the loop depends on `{}`", used.loop_var.name.text());
            return Err(ScheduleError::new("DependentLoopError", message).at(node));
        }
        outer = Some(item);
        nodes.push(node);
    }

    let names: Vec<String> = nodes.iter().map(|node| node.loop_var.name.text().to_string()).collect();
    let bits = nodes.iter().map(|node| node.loop_var.dtype.bits).max().unwrap_or(32);
    let dtype = tvmscript_ir_core::DataType::int(bits);
    let fused = Var::new(format!("{}_fused", names.join("_")), dtype);
    let mut map = PtrMap::default();
    let mut lower: Expr = IntImm::try_new(dtype, 1)?;
    for (index, node) in nodes.iter().enumerate().rev() {
        let value = match ops::is_one(&node.extent) {
            true => IntImm::try_new(dtype, 0)?,
            false => {
                let fused: Expr = fused.clone().upcast();
                let part = match index {
                    0 => fused,
                    _ => ops::floormod(fused, ops::mul(lower.clone(), node.extent.clone())?)?,
                };
                ops::floordiv(part, lower.clone())?
            }
        };
        let value = match dtype == node.loop_var.dtype {
            true => value,
            false => ops::cast(node.loop_var.dtype, value)?,
        };
        map.insert(node.loop_var.object().clone(), value.object().clone());
        lower = ops::mul(lower, node.extent.clone())?;
    }
    let Some(innermost) = nodes.last() else { return Err(ScheduleError::plain("`fuse` needs a loop")) };
    let one: Expr = IntImm::try_new(dtype, 1)?;
    let product = nodes.iter().try_fold(one, |product, node| ops::mul(product, node.extent.clone()))?;
    let extent = analyzer.simplify(&product);
    let body: StmtRef = substitute(innermost.body.clone(), &map)?;
    let mut reused = reused_blocks(&innermost.body, &body);
    let new = serial(fused, extent, body)?;
    let mut ranges = Ranges::above(schedule.state(), first)?;
    let new = simplify_bindings(&new, &mut ranges, preserves_units, &mut reused)?;
    schedule.state_mut().replace(first, new.clone(), &reused)?;
    handles(schedule.state(), &new, 1)
        .first()
        .copied()
        .ok_or_else(|| ScheduleError::plain("the loop is lost"))
}
