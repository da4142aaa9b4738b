//! Schedules of TIR as pictures show them: a stage per leaf block, and per buffer that is only read.
//!
//! A loop belongs to the last block under it. A block inside loops of a later one is attached to the innermost of them.
//! Splits and fusions are those of the trace.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::{Object, PtrMap, Ref, Registry, free_variables, post_order_visit};
use tvmscript_prim::Range;
use tvmscript_schedule::{Argument, Instruction, Item, Rv, RvValue, Schedule, State};
use tvmscript_tir::{Buffer, BufferStore, For, ForKind, IterType};

use super::model::{Iter, Model, ModelRelation, ModelStage};
use super::of_te::{identifier, range_text, text};

impl Model {
    /// The stages of the function that a schedule of TIR works on; empty if there is none.
    pub fn of_tir(schedule: &Schedule, registry: &Registry) -> Model {
        let state = schedule.state();
        let root = schedule.function().and_then(|name| state.root(name.as_str()));
        let Some(root) = root else { return Model::default() };
        let blocks = leaf_blocks(state, root);
        let mut stages = Stages {
            state,
            registry,
            stages: Vec::new(),
            writers: PtrMap::default(),
            places: HashMap::new(),
        };
        stages.placeholders(&blocks);
        let first = stages.stages.len();
        for block in &blocks {
            stages.block(*block);
        }
        stages.loops(&blocks, first);
        for instruction in schedule.trace().instructions().iter().rev() {
            stages.relation(schedule, instruction);
        }
        stages.sort();
        Model { stages: stages.stages }
    }
}

/// The blocks without blocks in them, in the order of the text.
fn leaf_blocks(state: &State, root: Item) -> Vec<Item> {
    let mut leaves = Vec::new();
    let mut open = vec![root];
    while let Some(block) = open.pop() {
        let mut children = state.child_blocks(block).unwrap_or_default();
        if children.is_empty() && block != root {
            leaves.push(block);
        }
        children.reverse();
        open.append(&mut children);
    }
    leaves
}

struct Stages<'s> {
    state: &'s State,
    registry: &'s Registry,
    stages: Vec<ModelStage>,
    /// The last stage that writes a buffer, and its index among the results.
    writers: PtrMap<(usize, usize)>,
    /// Loops: stages and iteration variables.
    places: HashMap<Item, (usize, usize)>,
}

impl Stages<'_> {
    fn output(&self, buffer: &Ref<Buffer>) -> (String, String) {
        (text(buffer.shape.object(), self.registry), buffer.dtype.to_string())
    }

    /// A stage for each buffer that the blocks read before any writes it.
    fn placeholders(&mut self, blocks: &[Item]) {
        let mut known: HashSet<Object> = HashSet::new();
        for block in blocks {
            let Ok(block) = self.state.block_of(*block) else { continue };
            let written: Vec<&Object> = block.writes.iter().map(|region| region.buffer.object()).collect();
            for region in block.reads.iter() {
                let buffer = &region.buffer;
                if written.contains(&buffer.object()) || !known.insert(buffer.object().clone()) {
                    continue;
                }
                self.writers.insert(buffer.object().clone(), (self.stages.len(), 0));
                self.stages.push(ModelStage {
                    name: buffer.name.get().to_string(),
                    scope: buffer.scope().to_string(),
                    outputs: vec![self.output(buffer)],
                    ..ModelStage::default()
                });
            }
            known.extend(written.into_iter().cloned());
        }
    }

    fn block(&mut self, item: Item) {
        let Ok(block) = self.state.block_of(item) else { return };
        let at = self.stages.len();
        let written: Vec<&Ref<Buffer>> = block.writes.iter().map(|region| &region.buffer).collect();
        let mut stage = ModelStage { name: block.name_hint.to_string(), ..ModelStage::default() };
        stage.scope = written.first().map_or_else(|| "global".into(), |buffer| buffer.scope()).to_string();
        let mut read = HashSet::new();
        for region in block.reads.iter() {
            let buffer = region.buffer.object();
            let is_own = written.iter().any(|own| own.object().ptr_eq(buffer));
            if !is_own && read.insert(buffer.clone()) {
                stage.inputs.extend(self.writers.get(buffer).copied());
            }
        }
        let mut stores = Vec::new();
        post_order_visit(&block.body, |node| {
            if node.is::<BufferStore>() {
                stores.push(text(node, self.registry));
            }
        });
        stage.body = Some(stores.join("\n"));
        for (index, buffer) in written.into_iter().enumerate() {
            stage.outputs.push(self.output(buffer));
            self.writers.insert(buffer.object().clone(), (at, index));
        }
        self.stages.push(stage);
    }

    /// Gives loops to stages, later blocks first, and attaches the stages.
    fn loops(&mut self, blocks: &[Item], first: usize) {
        for (index, block) in blocks.iter().enumerate().rev() {
            let at = first + index;
            let roles = roles(self.state, *block);
            let mut above: Vec<Item> =
                self.state.ancestors(*block).filter(|item| self.state.loop_of(*item).is_ok()).collect();
            above.reverse();
            for item in above {
                if let Some((owner, iter)) = self.places.get(&item) {
                    if let Some(stage) = self.stages.get_mut(at) {
                        stage.attach = Some((*owner, *iter));
                    }
                    continue;
                }
                let Ok(node) = self.state.loop_of(item) else { continue };
                let role = roles.get(node.loop_var.object()).copied().unwrap_or(IterType::DataPar);
                let iter = self.iter(node, role, true);
                self.add(at, item, iter, true);
            }
        }
    }

    /// Puts iteration variables and relations into the order of their creation.
    fn sort(&mut self) {
        let mut items: Vec<Vec<(Item, usize)>> = vec![Vec::new(); self.stages.len()];
        for (item, (stage, iter)) in &self.places {
            if let Some(items) = items.get_mut(*stage) {
                items.push((*item, *iter));
            }
        }
        // For each stage, the new index of each iteration variable.
        let mut moved: Vec<Vec<usize>> = Vec::with_capacity(items.len());
        for (stage, mut items) in self.stages.iter_mut().zip(items) {
            items.sort_unstable();
            let mut to = vec![0; items.len()];
            for (new, (_, old)) in items.iter().enumerate() {
                if let Some(to) = to.get_mut(*old) {
                    *to = new;
                }
            }
            stage.iters = items.iter().filter_map(|(_, old)| stage.iters.get(*old).cloned()).collect();
            moved.push(to);
        }
        let new =
            |stage: usize, iter: usize| moved.get(stage).and_then(|to| to.get(iter)).copied().unwrap_or(iter);
        for (at, stage) in self.stages.iter_mut().enumerate() {
            let all = |iters: &mut Vec<usize>| iters.iter_mut().for_each(|iter| *iter = new(at, *iter));
            all(&mut stage.leaves);
            stage.attach = stage.attach.map(|(owner, iter)| (owner, new(owner, iter)));
            stage.relations.reverse();
            for relation in &mut stage.relations {
                match relation {
                    ModelRelation::Split(one, many) | ModelRelation::Fuse(many, one) => {
                        *one = new(at, *one);
                        all(many);
                    }
                    ModelRelation::Singleton(iter) => *iter = new(at, *iter),
                }
            }
        }
    }

    fn iter(&self, node: &For, role: IterType, is_loop: bool) -> Iter {
        let kind = match node.kind {
            _ if !is_loop => role,
            ForKind::Parallel => IterType::Parallelized,
            ForKind::Vectorized => IterType::Vectorized,
            ForKind::Unrolled => IterType::Unrolled,
            _ => role,
        };
        let range = Range::from_min_extent(node.min.clone(), node.extent.clone());
        let thread = node.thread_binding.as_ref().filter(|_| is_loop);
        Iter {
            name: identifier(node.loop_var.name.get().as_str()),
            kind: kind as usize,
            range: Some(range_text(&range, self.registry)),
            thread: thread.map(|thread| identifier(thread.thread_tag.as_str())),
            intrinsic: None,
        }
    }

    fn add(&mut self, stage: usize, item: Item, iter: Iter, is_loop: bool) {
        let Some(target) = self.stages.get_mut(stage) else { return };
        let at = target.iters.len();
        target.iters.push(iter);
        if is_loop {
            target.leaves.push(at);
        }
        self.places.insert(item, (stage, at));
    }

    /// The loops that a split or fusion replaced are iteration variables of the stage that has the results.
    fn relation(&mut self, schedule: &Schedule, instruction: &Instruction) {
        let item = |rv: &Rv| match schedule.value(*rv) {
            Ok(RvValue::Loop(item)) => Some(item),
            _ => None,
        };
        let Some(outputs) = instruction.outputs.iter().map(item).collect::<Option<Vec<Item>>>() else {
            return;
        };
        let inputs = match instruction.arguments.first() {
            Some(Argument::Rv(rv)) => item(rv).map(|item| vec![item]),
            Some(Argument::List(items)) => items
                .iter()
                .map(|argument| match argument {
                    Argument::Rv(rv) => item(rv),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        let is_split = instruction.primitive.name == "split";
        let (Some(inputs), true) = (inputs, is_split || instruction.primitive.name == "fuse") else { return };
        let places: Vec<(usize, usize)> =
            outputs.iter().filter_map(|item| self.places.get(item).copied()).collect();
        let Some((stage, first)) = places.first().copied() else { return };
        let role =
            self.stages.get(stage).and_then(|stage| stage.iters.get(first)).map_or(0, |iter| iter.kind);
        let is_reduction = role == IterType::CommReduce as usize;
        let role = if is_reduction { IterType::CommReduce } else { IterType::DataPar };
        for input in &inputs {
            let node = self.state.last_stmt(*input).and_then(|stmt| stmt.downcast_ref::<For>());
            if let Some(node) = node
                && !self.places.contains_key(input)
            {
                let iter = self.iter(node, role, false);
                self.add(stage, *input, iter, false);
            }
        }
        let index = |item: &Item| self.places.get(item).filter(|place| place.0 == stage).map(|place| place.1);
        let from: Vec<usize> = inputs.iter().filter_map(index).collect();
        let to: Vec<usize> = outputs.iter().filter_map(index).collect();
        let relation = match (is_split, from.as_slice(), to.as_slice()) {
            (true, [parent], _) => ModelRelation::Split(*parent, to),
            (false, _, [fused]) => ModelRelation::Fuse(from, *fused),
            _ => return,
        };
        if let Some(stage) = self.stages.get_mut(stage) {
            stage.relations.push(relation);
        }
    }
}

/// The roles of the loops around a block: reductions, where an axis of a reduction has a value that uses the loop.
fn roles(state: &State, block: Item) -> PtrMap<IterType> {
    let mut roles = PtrMap::default();
    let around = std::iter::once(block).chain(state.ancestors(block).filter(|item| state.is_block(*item)));
    for item in around {
        let Ok(realize) = state.realize_of(item) else { continue };
        for (axis, value) in realize.block.iter_vars.iter().zip(realize.iter_values.iter()) {
            for var in free_variables(value.object()) {
                let role: &mut IterType = roles.entry(var.clone()).or_insert(axis.iter_type);
                if axis.iter_type == IterType::CommReduce {
                    *role = IterType::CommReduce;
                }
            }
        }
    }
    roles
}
