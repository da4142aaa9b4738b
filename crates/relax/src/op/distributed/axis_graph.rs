//! Propagation of shardings between the axes of operands and result.
//!
//! Upstream counterpart: `AxisGroupGraph`, `include/tvm/relax/distributed/axis_group_graph.h`.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::with_stack;

/// An axis: index of the tensor, index of the axis.
pub(super) type Axis = (usize, usize);

/// Direction in which a sharding propagates.
#[derive(Debug, Clone, Copy)]
enum Edge {
    ToOperand = 0b001,
    BetweenOperands = 0b010,
    ToResult = 0b100,
}

/// Related axes, and the sharded ones.
#[derive(Debug, Default)]
pub(super) struct AxisGraph {
    edges: HashMap<Axis, Vec<(Axis, Edge)>>,
    divided: HashMap<Axis, usize>,
    /// The keys of `divided`, in order.
    sources: Vec<Axis>,
}

/// The propagation of one sharding.
struct Walk {
    mesh_axis: usize,
    visited: HashSet<Axis>,
    /// Reached axes with their priority.
    reached: Vec<(Axis, u8)>,
}

impl AxisGraph {
    fn join(&mut self, a: Axis, b: Axis, there: Edge, back: Edge) {
        self.edges.entry(a).or_default().push((b, there));
        self.edges.entry(b).or_default().push((a, back));
    }

    /// Relates an axis of an operand to one of the result.
    pub(super) fn join_result(&mut self, operand: Axis, result: Axis) {
        self.join(operand, result, Edge::ToResult, Edge::ToOperand);
    }

    /// Relates contracted axes of operands.
    pub(super) fn join_operands(&mut self, a: Axis, b: Axis) {
        self.join(a, b, Edge::BetweenOperands, Edge::BetweenOperands);
    }

    /// Shards an axis of an operand along an axis of the mesh.
    pub(super) fn divide(&mut self, axis: Axis, mesh_axis: usize) {
        if self.divided.insert(axis, mesh_axis).is_none() {
            self.sources.push(axis);
        }
    }

    /// Propagates all shardings and returns the mesh axis of each sharded axis.
    pub(super) fn propagate(&self) -> Result<HashMap<Axis, usize>, Axis> {
        let mut best: HashMap<Axis, (usize, u8, bool)> = HashMap::new();
        for source in &self.sources {
            let Some(&mesh_axis) = self.divided.get(source) else { continue };
            let mut walk = Walk { mesh_axis, visited: HashSet::new(), reached: Vec::new() };
            self.reach(*source, 0, &mut walk);
            for (axis, right) in walk.reached {
                let known = best.entry(axis).or_insert((mesh_axis, right, false));
                if known.0 == mesh_axis || right > known.1 {
                    *known = (mesh_axis, right, false);
                } else if right == known.1 {
                    known.2 = true;
                }
            }
        }
        match best.iter().filter(|(_, (.., is_unclear))| *is_unclear).map(|(axis, _)| *axis).min() {
            Some(axis) => Err(axis),
            None => Ok(best.into_iter().map(|(axis, (mesh_axis, ..))| (axis, mesh_axis)).collect()),
        }
    }

    /// Propagates one sharding. Like upstream, `passed` accumulates over the edges of an axis.
    fn reach(&self, axis: Axis, mut passed: u8, walk: &mut Walk) {
        let is_otherwise = self.divided.get(&axis).is_some_and(|other| *other != walk.mesh_axis);
        if is_otherwise || !walk.visited.insert(axis) {
            return;
        }
        let right = match passed {
            0 => 3,
            0b100 => 2,
            0b001 => 0,
            _ => 1,
        };
        walk.reached.push((axis, right));
        for (to, edge) in self.edges.get(&axis).into_iter().flatten() {
            passed |= *edge as u8;
            with_stack(|| self.reach(*to, passed, walk));
        }
    }
}
