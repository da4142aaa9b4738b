//! `compute_at` and `reverse_compute_at`: a block moves under a loop of its consumers or producers.

use hashbrown::HashMap;
use tvmscript_arith::{Analyzer, DomMap, IntSet, ProofStrength, eval_set_of_range};
use tvmscript_ir_core::{Ref, Span};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Var, ops};
use tvmscript_tir::{BlockRealize, Buffer, StmtRef, flatten};

use crate::argument::{Argument, RvValue};
use crate::bindings::Ranges;
use crate::domains::{Demand, Domain, domains};
use crate::error::{Result, ScheduleError};
use crate::insertion::{Positions, Required, elements};
use crate::loops::new_loops;
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::regions::accesses;
use crate::removal::{Removal, moved};
use crate::schedule::Schedule;
use crate::scope::{Dependences, check_complete_or_reduction, check_not_output};
use crate::state::{Item, State};

macro_rules! moves {
    ($(#[doc = $doc:literal] $name:ident, $kind:literal, $call:literal, $direction:expr, $inline:expr;)*) => {$(
        pub(in crate::primitive) static $name: Primitive = Primitive {
            kind: $kind,
            name: $call,
            doc: $doc,
            parameters: &[
                parameter("block", Place::Input),
                parameter("loop", Place::Input),
                with_default("preserve_unit_loops", Place::Flag, Default::Bool(false)),
                with_default("index", Place::Attribute, Default::Int(-1)),
            ],
            is_pure: false,
            results: Results::None,
            apply: |schedule, args| {
                let inline: fn(&mut State, Item) -> Result<()> = $inline;
                apply(schedule, args, $direction, inline)
            },
        };
    )*};
}

moves! {
    #[doc = "Moves a block under a loop of its consumers, and computes there what they need of it."]
    COMPUTE_AT, "ComputeAt", "compute_at", Direction::ToConsumers, super::compute_inline::inline;
    #[doc = "Moves a block under a loop of its producers, and computes there what they give."]
    REVERSE_COMPUTE_AT, "ReverseComputeAt", "reverse_compute_at", Direction::ToProducers,
        super::reverse_compute_inline::inline;
}

/// The blocks to which a block moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    ToConsumers,
    ToProducers,
}

/// A move of a block under a loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move {
    pub(crate) block: Item,
    pub(crate) target: Item,
    pub(crate) direction: Direction,
    /// Makes loops of one iteration, too.
    pub(crate) preserves_units: bool,
    pub(crate) index: i64,
}

fn apply(
    schedule: &mut Schedule,
    args: &[Argument],
    direction: Direction,
    inline: fn(&mut State, Item) -> Result<()>,
) -> Result<Vec<RvValue>> {
    let [block, target, preserves_units, index] = args else {
        return Err(ScheduleError::plain("expected four arguments"));
    };
    let block = schedule.block_item(block)?;
    match schedule.value(target.rv()?)? {
        RvValue::Root => return Ok(Vec::new()),
        RvValue::Inline => {
            inline(schedule.state_mut(), block)?;
            return Ok(Vec::new());
        }
        _ => {}
    }
    let target = schedule.loop_item(target)?;
    let (preserves_units, index) = (preserves_units.bool()?, schedule.int(index)?);
    let plan = Move { block, target, direction, preserves_units, index }.plan(schedule.state())?;
    plan.apply(schedule.state_mut())?;
    Ok(Vec::new())
}

/// The scope of a moved block with its new body.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    block: Item,
    scope: Item,
    body: StmtRef,
}

/// Regions of one buffer, a set per dimension.
type Regions = Vec<Vec<IntSet>>;

impl Plan {
    fn apply(self, state: &mut State) -> Result<()> {
        let mut scope = state.block_of(self.scope)?.clone();
        scope.make_mut().body = self.body;
        state.replace_block(self.scope, scope, &[])?;
        let mut analyzer = Analyzer::new();
        state.bound_shapes(self.block, &mut analyzer);
        for above in state.loops_above(self.block) {
            let found = state.loop_of(above)?;
            analyzer.bind_range(&found.loop_var, &found.min, &found.extent);
        }
        state.renew_affine(self.block, &mut analyzer)
    }
}

impl Move {
    /// Tests the move, and makes the new scope.
    ///
    /// # Errors
    /// If the block cannot move.
    pub(crate) fn plan(&self, state: &State) -> Result<Plan> {
        let scope = state.pipeline_scope(self.block)?;
        let mut analyzer = Analyzer::new();
        state.bound_shapes(self.block, &mut analyzer);
        let dependences = Dependences::of_scope(state, scope)?;
        let (producers, consumers) = (dependences.producers(self.block), dependences.consumers(self.block));
        check_complete_or_reduction(state, self.block, scope)?;
        self.check_scope(state, scope, &mut analyzer)?;
        if self.direction == Direction::ToConsumers {
            check_not_output(state, self.block, scope)?;
        }
        let removal = Removal::of(state, self.block)?;
        let old = state.loop_of(self.target)?;
        let mut statements = elements(&old.body);
        let required = match self.direction {
            Direction::ToConsumers => Required::Consumers,
            Direction::ToProducers => Required::Producers,
        };
        let positions = Positions::of(state, &statements, &producers, &consumers, required)?;
        let position = positions.at(self.index)?;
        let others = match self.direction {
            Direction::ToConsumers => consumers,
            Direction::ToProducers => producers,
        };
        let demands = self.demands(state, &others)?;
        let realize = state.realize_of(self.block)?;
        let axes: Vec<_> = realize.block.iter_vars.iter().cloned().collect();
        let domains = domains(&axes, &demands, &mut analyzer)?;
        statements.insert(position, self.nest(realize, &domains, &mut analyzer)?);
        let mut new = old.clone();
        new.make_mut().body = flatten(statements, true);
        let body = state.block_of(scope)?.body.clone();
        let body = moved(body, &removal, old.upcast_ref(), &new.upcast())?;
        Ok(Plan { block: self.block, scope, body })
    }

    /// Refuses a loop of another scope and one above the block. Binds the variables of the loops around the new place.
    fn check_scope(&self, state: &State, scope: Item, analyzer: &mut Analyzer) -> Result<()> {
        let around = state.loops_above(self.target);
        for item in std::iter::once(self.target).chain(around.into_iter().rev()) {
            let found = state.loop_of(item)?;
            analyzer.bind_range(&found.loop_var, &found.min, &found.extent);
        }
        if state.scope(self.target)? == scope && !state.loops_above(self.block).contains(&self.target) {
            return Ok(());
        }
        let message = "the block and the loop must be in one scope, and the loop must not be above the block";
        let error = ScheduleError::new("NotInSameScopeError", message);
        Err(error.at(state.block_of(self.block)?.clone()).at(state.loop_of(self.target)?.clone()))
    }

    /// The regions that one iteration of the block provides, and those that the other blocks require of it below the loop.
    fn demands(&self, state: &State, others: &[Item]) -> Result<Vec<Demand>> {
        let is_producer = self.direction == Direction::ToConsumers;
        let node = state.block_of(self.block)?;
        let regions = if is_producer { &node.writes } else { &node.reads };
        let mut demands: Vec<(Ref<Buffer>, Regions, Regions)> = Vec::new();
        let mut known: HashMap<usize, usize> = HashMap::new();
        for region in regions.iter() {
            let sets =
                region.region.iter().map(|range| IntSet::from_range(&range.min, &range.extent)).collect();
            let at = *known.entry(region.buffer.object().address()).or_insert(demands.len());
            match demands.get_mut(at) {
                Some((_, provided, _)) => provided.push(sets),
                None => demands.push((region.buffer.clone(), vec![sets], Vec::new())),
            }
        }
        for other in others {
            let realize = state.realize_of(*other)?;
            let regions = if is_producer { &realize.block.reads } else { &realize.block.writes };
            for access in accesses(realize, regions)? {
                let at = known.get(&access.buffer.object().address()).copied();
                let Some((_, _, required)) = at.and_then(|at| demands.get_mut(at)) else { continue };
                // The block computes for all threads that share the memory.
                let storage = access.buffer.scope();
                let storage = if is_producer { storage.as_str() } else { "global" };
                let loops = Ranges::below(state, state.parent(*other), Some(self.target), storage)?;
                let mut domains = DomMap::new();
                for range in &loops.0 {
                    domains.insert(&range.var, IntSet::from_range(&range.min, &range.extent));
                }
                let set = |(min, extent): &(Expr, Expr)| eval_set_of_range(min, extent, &domains);
                required.push(access.region.iter().map(set).collect());
            }
        }
        let demands = demands.into_iter().filter(|(_, _, required)| !required.is_empty());
        Ok(demands
            .map(|(buffer, provided, required)| Demand {
                buffer,
                provided: union(&provided),
                required: union(&required),
            })
            .collect())
    }

    /// The block in loops over the domains of its iterators.
    fn nest(&self, realize: &BlockRealize, domains: &[Domain], analyzer: &mut Analyzer) -> Result<StmtRef> {
        let mut loops: Vec<(Ref<Var>, Expr)> = Vec::new();
        let mut values = Vec::with_capacity(domains.len());
        let mut predicate: Expr = IntImm::bool(true);
        for Domain { domain, bound } in domains {
            let Some((min, extent)) = domain.cover_range() else {
                return Err(ScheduleError::plain("an axis of the block has no bounds at the new place"));
            };
            let value = match self.preserves_units || !ops::is_one(&extent) {
                true => {
                    let bits = min.dtype().bits.max(extent.dtype().bits);
                    let dtype = tvmscript_ir_core::DataType::int(bits);
                    let var = Var::new(format!("ax{}", loops.len()), dtype);
                    analyzer.bind_range(&var, &IntImm::try_new(dtype, 0)?, &extent);
                    loops.push((var.clone(), analyzer.simplify(&extent)));
                    ops::add(min, var.upcast())?
                }
                false => min,
            };
            let mut conditions = Vec::new();
            if let Some(min) = bound.min() {
                conditions.push(ops::ge(value.clone(), min.clone())?);
            }
            if let Some(max) = bound.max() {
                let end = ops::add(max.clone(), ops::make_const(max.dtype(), 1)?)?;
                conditions.push(ops::lt(value.clone(), end)?);
            }
            for condition in conditions {
                if !analyzer.can_prove_with(&condition, ProofStrength::SymbolicBound) {
                    predicate = ops::and(predicate, condition)?;
                }
            }
            values.push(value);
        }
        let predicate = analyzer.simplify(&predicate);
        let block = realize.block.clone();
        let iter_values = values.into_iter().collect();
        let realize = Ref::new(BlockRealize { span: Span::current(), iter_values, predicate, block });
        new_loops(loops.into_iter(), realize.upcast())
    }
}

/// The union of regions in each dimension.
fn union(regions: &[Vec<IntSet>]) -> Vec<IntSet> {
    let Some(first) = regions.first() else { return Vec::new() };
    let of_dimension = |at: usize| {
        let sets: Vec<IntSet> = regions.iter().filter_map(|region| region.get(at).cloned()).collect();
        IntSet::union(&sets)
    };
    (0..first.len()).map(of_dimension).collect()
}
