//! `merge`: nests in a row become one nest around their bodies.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{
    Class as _, Descend, Mutator, Object, ObjectLike as _, PtrMap, Ref, mutate, substitute,
};
use tvmscript_prim::{Var, ops};
use tvmscript_tir::{Block, BlockRealize, Evaluate, For, SeqStmt, Stmt, StmtRef, flatten};

use crate::argument::RvValue;
use crate::error::{Result, ScheduleError};
use crate::loops::{check_plain, check_starts_at_zero, new_loops};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::schedule::Schedule;
use crate::state::{Item, State};
use crate::walk::Found;

pub(in crate::primitive) static MERGE: Primitive = Primitive {
    kind: "Merge",
    name: "merge",
    doc: "Makes one nest of nests that follow each other, up to the loops given.",
    parameters: &[parameter("loops", Place::Variadic)],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| {
        let [loops] = args else { return Err(ScheduleError::plain("expected loops")) };
        let loops: Vec<Item> =
            loops.list()?.iter().map(|found| schedule.loop_item(found)).collect::<Result<_>>()?;
        merge(schedule, &loops).map(|merged| vec![RvValue::Loop(merged)])
    },
};

fn merge(schedule: &mut Schedule, loops: &[Item]) -> Result<Item> {
    let state = schedule.state_mut();
    let common = common_ancestor(state, loops)?;
    let chains = checked_chains(state, loops, common)?;
    // The variables and extents of the first nest, inner ones first.
    let Some(first) = chains.first() else { return Err(ScheduleError::plain("`merge` needs two loops")) };
    let merged = |node: &Ref<For>| {
        let name = format!("{}_m", node.loop_var.name.text());
        (Var::new(name, node.loop_var.dtype), node.extent.clone())
    };
    let merged: Vec<_> = first.iter().map(merged).collect();
    let (mut bodies, mut outermost) = (Vec::new(), Vec::new());
    for chain in &chains {
        let mut map = PtrMap::default();
        for (node, (variable, _)) in chain.iter().zip(&merged) {
            map.insert(node.loop_var.object().clone(), variable.object().clone());
        }
        let (Some(inner), Some(outer)) = (chain.first(), chain.last()) else { continue };
        bodies.push(substitute(inner.body.clone(), &map)?);
        outermost.push(outer.object().clone());
    }
    let mut outward = merged.into_iter();
    let inner = new_loops(outward.next().into_iter(), flatten(bodies, false))?;
    let nest = outward.try_fold(inner.clone(), |inner, outer| new_loops([outer].into_iter(), inner))?;

    let last = outermost.pop().ok_or_else(|| ScheduleError::plain("`merge` needs two loops"))?;
    let old = state.stmt(common)?.clone();
    let mut merging = Merging { common: state.node(common), last, others: outermost, nest, is_single: false };
    let new = mutate(old.clone(), &mut merging)?;
    if merging.is_single {
        return Err(ScheduleError::plain("the loops are all that there is in their sequence of statements"));
    }
    let reused = match (old.as_node::<BlockRealize>(), new.as_node::<BlockRealize>()) {
        (Some(old), Some(new)) => vec![(old.block.clone(), new.block.clone())],
        _ => Vec::new(),
    };
    state.replace(common, new, &reused)?;
    let lost = || ScheduleError::plain("the loop is lost");
    Found::of(&inner).and_then(|inner| state.find(inner)).ok_or_else(lost)
}

/// The innermost loop or block around all loops, none of which is in another one.
fn common_ancestor(state: &State, loops: &[Item]) -> Result<Item> {
    let common = state.common_ancestor(loops).filter(|common| !loops.contains(common));
    let is_twice = |at: usize, item: &Item| loops.iter().take(at).any(|earlier| earlier == item);
    let common = common.filter(|_| !loops.iter().enumerate().any(|(at, item)| is_twice(at, item)));
    common.ok_or_else(|| ScheduleError::plain("`merge` needs two loops, none of which is in another one"))
}

/// The loops from each loop up to a common ancestor, inner ones first.
fn checked_chains(state: &State, loops: &[Item], common: Item) -> Result<Vec<Vec<Ref<For>>>> {
    let mut analyzer = Analyzer::new();
    let mut chains: Vec<Vec<Ref<For>>> = Vec::with_capacity(loops.len());
    let mut first_scope = None;
    for item in loops {
        let scope = state.scope(*item)?;
        let mut chain: Vec<Ref<For>> = Vec::new();
        for above in std::iter::once(*item).chain(state.ancestors(*item)).take_while(|above| *above != common)
        {
            let Ok(node) = state.loop_of(above).cloned() else { continue };
            check_plain(&node)?;
            check_starts_at_zero(&node, &mut analyzer)?;
            chain.push(node);
        }
        for pair in chain.windows(2) {
            let [inner, outer] = pair else { continue };
            if !outer.body.object().ptr_eq(inner.object()) {
                let message = "the inner loop is not the only child of the outer one";
                let error = ScheduleError::new("NotOnlyChildError", message);
                return Err(error.at(outer.clone()).at(inner.clone()));
            }
        }
        if *first_scope.get_or_insert(scope) != scope {
            return Err(ScheduleError::plain("the loops are in different blocks"));
        }
        if let Some(first) = chains.first() {
            let mut pairs = first.iter().zip(&chain);
            if first.len() != chain.len() {
                return Err(ScheduleError::plain("the nests have different depths"));
            }
            if !pairs.all(|(one, other)| analyzer.can_prove_equal(&one.extent, &other.extent)) {
                return Err(ScheduleError::plain("the loops have different extents"));
            }
        }
        chains.push(chain);
    }
    Ok(chains)
}

/// Puts the new nest in the place of the last one, and removes the others.
struct Merging {
    common: Option<Object>,
    last: Object,
    others: Vec<Object>,
    nest: StmtRef,
    /// Only one statement of a sequence is left, which TVM refuses.
    is_single: bool,
}

impl Mutator for Merging {
    fn enter(&mut self, node: &Object) -> Descend {
        if node.ptr_eq(&self.last) {
            return Descend::Replace(self.nest.object().clone());
        }
        if self.others.iter().any(|other| other.ptr_eq(node)) {
            let nothing = Evaluate::new(tvmscript_prim::IntImm::int32(0));
            return Descend::Replace(nothing.into_object());
        }
        let is_common = self.common.as_ref().is_some_and(|common| common.ptr_eq(node));
        let is_stmt = node.info().is_a(Stmt::type_info());
        match is_common || (is_stmt && !node.is::<Block>()) {
            true => Descend::Into,
            false => Descend::Keep,
        }
    }

    fn leave(&mut self, node: Object) -> Object {
        let Some(sequence) = node.as_node::<SeqStmt>() else { return node };
        let is_nothing =
            |stmt: &StmtRef| stmt.as_node::<Evaluate>().is_some_and(|evaluate| ops::is_zero(&evaluate.value));
        if !sequence.seq.iter().any(is_nothing) {
            return node;
        }
        let kept: Vec<StmtRef> = sequence.seq.iter().filter(|stmt| !is_nothing(stmt)).cloned().collect();
        self.is_single |= kept.len() < 2;
        flatten(kept, true).into_object()
    }
}
