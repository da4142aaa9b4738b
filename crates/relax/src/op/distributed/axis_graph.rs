//! Which axes of operands and result belong together, and how the division of one carries over to others.
//!
//! Upstream counterpart: `AxisGroupGraph`, `include/tvm/relax/distributed/axis_group_graph.h`.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::with_stack;

/// An axis: of which tensor, and which.
pub(super) type Axis = (usize, usize);

/// How a division carries over from one axis to another.
#[derive(Debug, Clone, Copy)]
enum Edge {
    ToOperand = 0b001,
    BetweenOperands = 0b010,
    ToResult = 0b100,
}

/// Axes that belong together, and those that are divided.
#[derive(Debug, Default)]
pub(super) struct AxisGraph {
    edges: HashMap<Axis, Vec<(Axis, Edge)>>,
    divided: HashMap<Axis, usize>,
    /// The keys of `divided`, in order.
    sources: Vec<Axis>,
}

/// What carries one division on.
struct Walk {
    mesh_axis: usize,
    visited: HashSet<Axis>,
    /// The axes that were reached, with how much it counts.
    reached: Vec<(Axis, u8)>,
}

impl AxisGraph {
    fn join(&mut self, a: Axis, b: Axis, there: Edge, back: Edge) {
        self.edges.entry(a).or_default().push((b, there));
        self.edges.entry(b).or_default().push((a, back));
    }

    /// An axis of an operand is one of the result.
    pub(super) fn join_result(&mut self, operand: Axis, result: Axis) {
        self.join(operand, result, Edge::ToResult, Edge::ToOperand);
    }

    /// Axes of operands run together.
    pub(super) fn join_operands(&mut self, a: Axis, b: Axis) {
        self.join(a, b, Edge::BetweenOperands, Edge::BetweenOperands);
    }

    /// An axis of an operand is divided along an axis of the mesh.
    pub(super) fn divide(&mut self, axis: Axis, mesh_axis: usize) {
        if self.divided.insert(axis, mesh_axis).is_none() {
            self.sources.push(axis);
        }
    }

    /// Which axes are divided, each along which axis of the mesh.
    ///
    /// # Errors
    /// An axis that would be divided along two, by equal right.
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

    /// Carries a division on. What it passed counts from the first edge of an axis to its last, as upstream keeps it.
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
