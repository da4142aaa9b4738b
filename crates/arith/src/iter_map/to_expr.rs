//! Affine maps as plain expressions.
//!
//! Upstream counterpart: `IterMapToExprNormalizer` of `src/arith/iter_affine_map.cc`.

use std::collections::HashMap;

use tvmscript_ir_core::with_stack;
use tvmscript_prim::ops::is_one;

use super::form::{IterMark, IterSource, IterSplit, IterSum};
use crate::analyzer::Analyzer;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr};

/// Converts sums; the sources of shared marks are converted once.
pub(super) struct Converter<'a> {
    analyzer: &'a mut Analyzer,
    sources: HashMap<usize, Expr>,
}

impl<'a> Converter<'a> {
    pub(super) fn new(analyzer: &'a mut Analyzer) -> Self {
        Self { analyzer, sources: HashMap::new() }
    }

    pub(super) fn sum(&mut self, sum: &IterSum) -> Result<Expr> {
        let mut total = expr::like(&sum.base, 0)?;
        for part in &sum.parts {
            total = expr::fold(BinOp::Add, total, self.split(part)?)?;
        }
        expr::fold(BinOp::Add, total, sum.base.clone())
    }

    pub(super) fn source(&mut self, source: &IterSource) -> Result<Expr> {
        self.analyzer.spend_many(1)?;
        with_stack(|| match source {
            IterSource::Variable { var, min } => {
                let var = var.clone().upcast();
                if expr::as_int(min) == Some(0) { Ok(var) } else { expr::fold(BinOp::Sub, var, min.clone()) }
            }
            IterSource::Split(split) => self.split(split),
            IterSource::Sum(sum) => self.sum(sum),
        })
    }

    fn mark(&mut self, mark: &IterMark) -> Result<Expr> {
        if let Some(known) = self.sources.get(&mark.address()) {
            return Ok(known.clone());
        }
        let source = self.source(mark.source())?;
        self.sources.insert(mark.address(), source.clone());
        Ok(source)
    }

    fn proves_equal(&mut self, a: &Expr, b: &Expr) -> Result<bool> {
        let condition = expr::folded(BinOp::Eq, a, b)?;
        Ok(self.analyzer.can_prove(&condition))
    }

    pub(super) fn split(&mut self, split: &IterSplit) -> Result<Expr> {
        let source = self.mark(&split.mark)?;
        let extent = split.mark.extent();
        let scaled = |e: Expr| expr::fold(BinOp::Mul, e, split.scale.clone());
        if self.proves_equal(&split.extent, extent)? && is_one(&split.lower_factor) {
            return scaled(source);
        }
        let end = expr::folded(BinOp::Mul, &split.lower_factor, &split.extent)?;
        if self.proves_equal(extent, &end)? {
            // A part of one value is zero, but an iterator of one value stays visible.
            if is_one(&split.extent) && !is_one(extent) {
                return expr::like(&split.extent, 0);
            }
            return scaled(expr::fold(BinOp::FloorDiv, source, split.lower_factor.clone())?);
        }
        let below = expr::fold(BinOp::FloorMod, source, end)?;
        scaled(expr::fold(BinOp::FloorDiv, below, split.lower_factor.clone())?)
    }
}

impl IterSource {
    /// The source as an expression of the variables.
    ///
    /// # Errors
    /// [`ArithError`] if the expression is too large or leaves the range of its type.
    pub fn to_expr(&self, analyzer: &mut Analyzer) -> std::result::Result<Expr, ArithError> {
        analyzer.metered(|analyzer| Converter::new(analyzer).source(self))
    }
}

impl IterSplit {
    /// The part as an expression of the variables.
    ///
    /// # Errors
    /// See [`IterSource::to_expr`].
    pub fn to_expr(&self, analyzer: &mut Analyzer) -> std::result::Result<Expr, ArithError> {
        analyzer.metered(|analyzer| Converter::new(analyzer).split(self))
    }
}

impl IterSum {
    /// The sum as an expression of the variables; see [`normalize_iter_map_to_expr`].
    ///
    /// # Errors
    /// See [`IterSource::to_expr`].
    pub fn to_expr(&self, analyzer: &mut Analyzer) -> std::result::Result<Expr, ArithError> {
        analyzer.metered(|analyzer| Converter::new(analyzer).sum(self))
    }
}

/// The sum as an expression of the variables, without facts about them.
///
/// # Errors
/// See [`IterSource::to_expr`].
///
/// # Source
/// `NormalizeIterMapToExpr`, `src/arith/iter_affine_map.cc`.
pub fn normalize_iter_map_to_expr(sum: &IterSum) -> std::result::Result<Expr, ArithError> {
    sum.to_expr(&mut Analyzer::new())
}
