//! Indices that are nests of whole iterators: `i * 32 + j * 4 + k` for `j` in `0..8` and `k` in `0..4`.
//!
//! Most values of blocks have this form. It is an affine map that takes all values, so its simplest form follows without
//! the search of [`detect_iter_map`](super::detect_iter_map).

use smallvec::SmallVec;
use tvmscript_prim::ops::is_one;

use crate::VarRange;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};

/// Maximum number of iterators that are looked through for each variable.
const MAX_ITERATORS: usize = 64;
/// Maximum number of nodes of an index.
const MAX_NODES: usize = 64;

/// A summand: an iterator by its position, and its factor.
type Term<'e> = (usize, &'e Expr, i64);

/// The indices as sums with the greatest factors first, if all are nests of whole iterators, each of which occurs once.
///
/// This is what the search finds for them: `None` leaves other indices to it.
pub(super) fn simplify_nests(
    indices: &[Expr],
    ranges: &[VarRange],
    predicate: &Expr,
    simplify_trivial: bool,
) -> Result<Option<Vec<Expr>>> {
    if ranges.len() > MAX_ITERATORS || !is_one(predicate) {
        return Ok(None);
    }
    let mut extents: SmallVec<[i64; 16]> = SmallVec::new();
    for range in ranges {
        match (expr::as_int(&range.min), expr::as_int(&range.extent)) {
            (Some(0), Some(extent)) if extent > 0 => extents.push(extent),
            _ => return Ok(None),
        }
    }
    let mut nests = Nests { ranges, extents, keeps_units: !simplify_trivial, used: 0 };
    let mut simple = Vec::with_capacity(indices.len());
    for index in indices {
        match nests.sum(index)? {
            Some(sum) => simple.push(sum),
            None => return Ok(None),
        }
    }
    Ok(Some(simple))
}

struct Nests<'r> {
    ranges: &'r [VarRange],
    extents: SmallVec<[i64; 16]>,
    /// Keeps an iterator of one value that is an index by itself.
    keeps_units: bool,
    /// The iterators that occur in an index, as bits.
    used: u64,
}

impl Nests<'_> {
    fn sum(&mut self, index: &Expr) -> Result<Option<Expr>> {
        let mut terms = SmallVec::new();
        if self.terms(index, &mut terms).is_none() {
            return Ok(None);
        }
        terms.sort_by_key(|(_, _, factor)| std::cmp::Reverse(*factor));
        let is_kept = self.keeps_units && terms.len() == 1;
        // Each factor is the number of values of the iterators after it.
        let mut below = 1i64;
        for (at, _, factor) in terms.iter().rev() {
            let extent = self.extents.get(*at).copied().unwrap_or_default();
            match below.checked_mul(extent).filter(|_| *factor == below && (extent > 1 || is_kept)) {
                Some(end) => below = end,
                None => return Ok(None),
            }
        }
        let mut total = expr::like(index, 0)?;
        for (_, var, factor) in terms {
            let scaled = expr::fold(BinOp::Mul, var.clone(), expr::like(var, factor)?)?;
            total = expr::fold(BinOp::Add, total, scaled)?;
        }
        Ok(Some(total))
    }

    /// Collects the summands of an index. `None` for other indices, and for an iterator that occurred before.
    fn terms<'e>(&mut self, index: &'e Expr, terms: &mut SmallVec<[Term<'e>; 8]>) -> Option<()> {
        let mut pending: SmallVec<[(&'e Expr, i64); 8]> = SmallVec::from_slice(&[(index, 1)]);
        for _ in 0..MAX_NODES {
            let Some((e, factor)) = pending.pop() else { return Some(()) };
            match expr::view(e) {
                View::Int(0) => {}
                View::Var => {
                    let at = self.ranges.iter().position(|range| e.object().ptr_eq(range.var.object()))?;
                    let bit = 1u64 << at;
                    if self.used & bit != 0 {
                        return None;
                    }
                    self.used |= bit;
                    terms.push((at, e, factor));
                }
                View::Bin(BinOp::Add, a, b) => pending.extend([(b, factor), (a, factor)]),
                View::Bin(BinOp::Mul, a, b) => match (expr::as_int(a), expr::as_int(b)) {
                    (_, Some(by)) => pending.push((a, factor.checked_mul(by)?)),
                    (Some(by), _) => pending.push((b, factor.checked_mul(by)?)),
                    _ => return None,
                },
                _ => return None,
            }
        }
        None
    }
}
