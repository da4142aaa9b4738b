//! The form of an affine map: sums of parts of marks.
//!
//! Marks are shared: two parts of one iterator refer to the same mark, and [`IterMark::is_same`] tells marks apart.

use std::sync::Arc;

use tvmscript_ir_core::{DataType, Ref, with_stack};
use tvmscript_prim::Var;

use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::expr::{self, Expr};

/// An iterator, or an expression that behaves like one: its values are `0..extent`.
#[derive(Debug, Clone)]
pub struct IterMark(Arc<Mark>);

#[derive(Debug)]
struct Mark {
    source: IterSource,
    extent: Expr,
}

/// The expression that a mark stands for.
#[derive(Debug, Clone)]
pub enum IterSource {
    /// A variable minus the least value of its range.
    Variable {
        /// The variable.
        var: Ref<Var>,
        /// The least value of its range.
        min: Expr,
    },
    /// One part of another mark.
    Split(IterSplit),
    /// Recombined parts, or a mark with padding before it.
    Sum(IterSum),
}

/// A part of a mark: `source // lower_factor % extent * scale`.
#[derive(Debug, Clone)]
pub struct IterSplit {
    pub(super) mark: IterMark,
    pub(super) lower_factor: Expr,
    pub(super) extent: Expr,
    pub(super) scale: Expr,
}

/// A sum of parts and of a base without iterators.
#[derive(Debug, Clone)]
pub struct IterSum {
    pub(super) parts: Vec<IterSplit>,
    pub(super) base: Expr,
}

impl IterMark {
    pub(super) fn new(source: IterSource, extent: Expr) -> Self {
        Self(Arc::new(Mark { source, extent }))
    }

    /// The expression that the mark stands for.
    pub fn source(&self) -> &IterSource {
        &self.0.source
    }

    /// The number of its values.
    pub fn extent(&self) -> &Expr {
        &self.0.extent
    }

    /// Returns `true` for handles of one mark.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Identifies the mark as long as it lives.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Structural equality, which also holds for marks made apart from the same parts.
    pub(super) fn equals(&self, other: &Self, analyzer: &mut Analyzer) -> bool {
        if self.is_same(other) {
            return true;
        }
        if !analyzer.spend() || !analyzer.same(self.extent(), other.extent()) {
            return false;
        }
        let mut equal = |a: &IterSplit, b: &IterSplit| {
            a.has_same_factors(b, true, analyzer) && with_stack(|| a.mark.equals(&b.mark, analyzer))
        };
        match (self.source(), other.source()) {
            (IterSource::Split(a), IterSource::Split(b)) => equal(a, b),
            (IterSource::Sum(a), IterSource::Sum(b)) => {
                a.parts.len() == b.parts.len()
                    && a.parts.iter().zip(&b.parts).all(|(a, b)| equal(a, b))
                    && analyzer.same(&a.base, &b.base)
            }
            // Each variable has one mark.
            _ => false,
        }
    }
}

/// Chains of marks are as long as the expressions that they were made from.
impl Drop for Mark {
    fn drop(&mut self) {
        if !matches!(self.source, IterSource::Variable { .. }) {
            let empty = IterSource::Sum(IterSum { parts: Vec::new(), base: self.extent.clone() });
            let source = std::mem::replace(&mut self.source, empty);
            with_stack(|| drop(source));
        }
    }
}

impl IterSource {
    pub(super) fn dtype(&self) -> DataType {
        match self {
            IterSource::Variable { var, .. } => var.dtype,
            IterSource::Split(split) => split.dtype(),
            IterSource::Sum(sum) => expr::dtype(&sum.base),
        }
    }

    /// The source as a part: a sum becomes the whole of a new mark with `extent` values.
    pub(super) fn into_split(self, extent: &Expr) -> Result<IterSplit> {
        match self {
            IterSource::Split(split) => Ok(split),
            source => IterSplit::whole(IterMark::new(source, extent.clone())),
        }
    }
}

impl IterSplit {
    /// The whole of a mark.
    pub(super) fn whole(mark: IterMark) -> Result<IterSplit> {
        let one = expr::constant(mark.source().dtype(), 1)?;
        Ok(IterSplit { extent: mark.extent().clone(), mark, lower_factor: one.clone(), scale: one })
    }

    /// The mark.
    pub fn source(&self) -> &IterMark {
        &self.mark
    }

    /// The divisor.
    pub fn lower_factor(&self) -> &Expr {
        &self.lower_factor
    }

    /// The number of values of the part, before scaling.
    pub fn extent(&self) -> &Expr {
        &self.extent
    }

    /// The factor of the part.
    pub fn scale(&self) -> &Expr {
        &self.scale
    }

    pub(super) fn dtype(&self) -> DataType {
        self.mark.source().dtype()
    }

    /// Structural equality of the expressions, whatever the marks.
    fn has_same_factors(&self, other: &Self, with_scale: bool, analyzer: &mut Analyzer) -> bool {
        analyzer.same(&self.lower_factor, &other.lower_factor)
            && (!with_scale || analyzer.same(&self.scale, &other.scale))
            && analyzer.same(&self.extent, &other.extent)
    }

    /// The same part of the same mark with the same scale.
    pub(super) fn equals(&self, other: &Self, analyzer: &mut Analyzer) -> bool {
        self.mark.is_same(&other.mark) && self.has_same_factors(other, true, analyzer)
    }

    /// The same part of the same mark, with any scale.
    pub(super) fn is_same_part(&self, other: &Self, analyzer: &mut Analyzer) -> bool {
        self.mark.is_same(&other.mark) && self.has_same_factors(other, false, analyzer)
    }
}

impl IterSum {
    /// The sum without parts.
    pub(super) fn constant(base: Expr) -> Self {
        Self { parts: Vec::new(), base }
    }

    /// The parts, outermost first.
    pub fn args(&self) -> &[IterSplit] {
        &self.parts
    }

    /// The rest, which is added to the parts.
    pub fn base(&self) -> &Expr {
        &self.base
    }
}
