//! Inversion of affine maps.
//!
//! Outputs flow from the sums down to the variables: a sum divides what reaches it among its parts, and a mark adds up
//! what its parts give.
//!
//! Upstream counterpart: `InverseAffineIterMapTransformer` of `src/arith/iter_affine_map.cc`.

use std::collections::HashMap;

use tvmscript_ir_core::{Ref, with_stack};
use tvmscript_prim::Var;
use tvmscript_prim::ops::is_zero;

use super::error::{IterMapError, IterMapErrors};
use super::form::{IterSource, IterSplit, IterSum};
use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, VarMap};

/// The variables as expressions of `outputs`, the values of the sums. Variables that no sum mentions are left out.
///
/// # Errors
/// [`IterMapErrors`] if there are not as many outputs as sums, or if the sums are not made of variables by quotients,
/// remainders and products that fit each other.
///
/// # Source
/// `InverseAffineIterMap`, `src/arith/iter_affine_map.cc`.
pub fn inverse_affine_iter_map(
    sums: &[IterSum],
    outputs: &[Expr],
) -> std::result::Result<Vec<(Ref<Var>, Expr)>, IterMapErrors> {
    if sums.len() != outputs.len() {
        return Err(IterMapError::Count { expected: sums.len(), found: outputs.len() }.into());
    }
    let mut flow = Flow::default();
    for (sum, output) in sums.iter().zip(outputs) {
        let at = flow.visit(sum);
        flow.reached.insert(at, output.clone());
    }
    Analyzer::new().metered(|analyzer| flow.run(analyzer))
}

/// A place that values flow through.
enum Node<'s> {
    /// A sum, and the nodes of its parts.
    Sum(&'s IterSum, Vec<usize>),
    /// A part, and the node of the sum that its mark stands for.
    Split(&'s IterSplit, Option<usize>),
}

/// All places, each after those that values flow to from it.
#[derive(Default)]
struct Flow<'s> {
    nodes: Vec<Node<'s>>,
    /// The nodes of the sources of marks.
    sources: HashMap<usize, usize>,
    /// What has reached a node, by its position.
    reached: HashMap<usize, Expr>,
    variables: Vec<(Ref<Var>, Expr)>,
    /// Positions in `variables`.
    known: VarMap<usize>,
}

impl<'s> Flow<'s> {
    fn add(&mut self, node: Node<'s>) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn visit(&mut self, sum: &'s IterSum) -> usize {
        let mut parts = Vec::with_capacity(sum.parts.len());
        for part in &sum.parts {
            let source = match part.mark.source() {
                IterSource::Sum(source) => Some(match self.sources.get(&part.mark.address()) {
                    Some(known) => *known,
                    None => {
                        let at = with_stack(|| self.visit(source));
                        self.sources.insert(part.mark.address(), at);
                        at
                    }
                }),
                _ => None,
            };
            parts.push(self.add(Node::Split(part, source)));
        }
        self.add(Node::Sum(sum, parts))
    }

    /// Adds to what has reached a node.
    fn send(&mut self, at: usize, value: Expr) -> Result<()> {
        let total = match self.reached.remove(&at) {
            Some(known) => expr::fold(BinOp::Add, known, value)?,
            None => value,
        };
        self.reached.insert(at, total);
        Ok(())
    }

    fn run(mut self, analyzer: &mut Analyzer) -> std::result::Result<Vec<(Ref<Var>, Expr)>, IterMapErrors> {
        while let Some(node) = self.nodes.pop() {
            let Some(value) = self.reached.remove(&self.nodes.len()) else { continue };
            match node {
                Node::Sum(sum, parts) => {
                    for (at, value) in parts.into_iter().zip(divided(sum, value, analyzer)?) {
                        self.send(at, value)?;
                    }
                }
                Node::Split(part, source) => {
                    let of_mark = expr::folded(BinOp::Mul, &value, &part.lower_factor)?;
                    match (source, part.mark.source()) {
                        (Some(source), _) => self.send(source, of_mark)?,
                        (None, IterSource::Variable { var, min }) if is_zero(min) => {
                            self.found(var, of_mark)?
                        }
                        (None, IterSource::Variable { var, .. }) => {
                            return Err(IterMapError::LostVariable(var.clone()).into());
                        }
                        _ => return Err(IterMapError::NotInvertible.into()),
                    }
                }
            }
        }
        Ok(self.variables)
    }

    fn found(&mut self, var: &Ref<Var>, value: Expr) -> Result<()> {
        let key = var.upcast_ref();
        match self.known.get(key).and_then(|at| self.variables.get_mut(*at)) {
            Some((_, total)) => *total = expr::folded(BinOp::Add, total, &value)?,
            None => {
                self.known.insert(key, self.variables.len());
                self.variables.push((var.clone(), value));
            }
        }
        Ok(())
    }
}

/// The values of the parts of a sum with a value.
fn divided(
    sum: &IterSum,
    output: Expr,
    analyzer: &mut Analyzer,
) -> std::result::Result<Vec<Expr>, IterMapErrors> {
    analyzer.spend_many(1 + sum.parts.len())?;
    let input = expr::folded(BinOp::Sub, &output, &sum.base)?;
    if let [only] = sum.parts.as_slice() {
        let mut is_unit = |value: i64| -> Result<bool> {
            Ok(analyzer.can_prove_equal(&only.scale, &expr::like(&only.scale, value)?))
        };
        if !is_unit(1)? && !is_unit(-1)? {
            return Err(IterMapError::NotInvertible.into());
        }
        return Ok(vec![expr::folded(BinOp::Mul, &input, &only.scale)?]);
    }
    let Some(innermost) = sum.parts.last() else { return Ok(Vec::new()) };
    let mut expected = innermost.scale.clone();
    for part in sum.parts.iter().rev() {
        if !analyzer.can_prove_equal(&part.scale, &expected) {
            return Err(IterMapError::NotInvertible.into());
        }
        expected = expr::fold(BinOp::Mul, expected, part.extent.clone())?;
    }
    let mut values = Vec::with_capacity(sum.parts.len());
    for (i, part) in sum.parts.iter().enumerate() {
        let mut value = expr::folded(BinOp::FloorDiv, &input, &part.scale)?;
        // The outermost part has no part above.
        if i > 0 {
            value = expr::fold(BinOp::FloorMod, value, part.extent.clone())?;
        }
        values.push(value);
    }
    Ok(values)
}
