//! Layouts: the meaning of a tensor's axes, and shapes converted between layouts.
//!
//! `NCHW` has four axes. `NCHW16c` splits the axis `C` into blocks of 16: `C` is the index of the block, `c` the index
//! inside it. Two layouts are convertible if they have the same axes, in any order and split in any way.
//!
//! Upstream counterpart: `src/tir/ir/data_layout.cc`.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::Array;
use tvmscript_prim::{Expr, IntImm, PrimError, ops};

/// An invalid layout, or a shape that does not match its layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// Invalid text.
    #[error("`{name}` is not a layout: {reason}")]
    Invalid {
        /// Text.
        name: String,
        /// Reason.
        reason: &'static str,
    },
    /// Two layouts with different axes.
    #[error("the layouts `{from}` and `{to}` have different axes")]
    NotConvertible {
        /// Source layout.
        from: String,
        /// Target layout.
        to: String,
    },
    /// An inner axis whose length differs from the layout.
    #[error("expected length {expected} for axis {axis}, as in the layout `{name}`, found {found}")]
    Length {
        /// Layout.
        name: String,
        /// Index of the axis.
        axis: usize,
        /// Length in the layout.
        expected: i64,
        /// Length of the tensor.
        found: i64,
    },
    /// A length cannot be computed.
    #[error(transparent)]
    Scalar(#[from] PrimError),
}

type Result<T> = std::result::Result<T, LayoutError>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    /// Letter in upper case.
    letter: u8,
    /// Length of an inner axis; `None` for an outer axis.
    inner: Option<i64>,
}

impl Axis {
    fn is_outer(self, letter: u8) -> bool {
        self.letter == letter && self.inner.is_none()
    }
}

/// The axes of a tensor, outermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    name: String,
    axes: Vec<Axis>,
}

impl Layout {
    /// Parses a layout such as `NCHW` or `NCHW16c`.
    pub(super) fn parse(name: &str) -> Result<Layout> {
        let invalid = |reason| LayoutError::Invalid { name: name.to_owned(), reason };
        let mut axes: Vec<Axis> = Vec::with_capacity(name.len());
        let mut length: i64 = 0;
        for c in name.bytes() {
            match c {
                b'0'..=b'9' => {
                    length = length * 10 + i64::from(c - b'0');
                    if i32::try_from(length).is_err() {
                        return Err(invalid("a length is too large"));
                    }
                }
                b'A'..=b'Z' if length == 0 => axes.push(Axis { letter: c, inner: None }),
                b'A'..=b'Z' => return Err(invalid("a length precedes a capital letter")),
                b'a'..=b'z' if length > 0 => {
                    axes.push(Axis { letter: c.to_ascii_uppercase(), inner: Some(length) });
                    length = 0;
                }
                b'a'..=b'z' => return Err(invalid("no length precedes a small letter")),
                _ => return Err(invalid("axes must be letters")),
            }
        }
        let layout = Layout { name: name.to_owned(), axes };
        if layout.axes.is_empty() {
            return Err(invalid("there are no axes"));
        }
        if !layout.axes.iter().all(|axis| layout.has_outer(axis.letter)) {
            return Err(invalid("a small letter has no capital letter"));
        }
        Ok(layout)
    }

    pub(super) fn rank(&self) -> usize {
        self.axes.len()
    }

    fn has_outer(&self, letter: u8) -> bool {
        self.axes.iter().any(|axis| axis.is_outer(letter))
    }

    /// The product of the inner lengths of an axis; 1 if it is not split.
    fn inner_length(&self, letter: u8) -> Result<Expr> {
        let lengths = self.axes.iter().filter(|axis| axis.letter == letter).filter_map(|axis| axis.inner);
        let mut product = IntImm::int64(1);
        for length in lengths {
            product = ops::mul(product, IntImm::int64(length))?;
        }
        Ok(product)
    }

    /// Checks that two layouts have the same axes.
    pub(super) fn check_convertible(&self, to: &Layout) -> Result<()> {
        let covers = |a: &Layout, b: &Layout| b.axes.iter().all(|axis| a.has_outer(axis.letter));
        match covers(self, to) && covers(to, self) {
            true => Ok(()),
            false => Err(LayoutError::NotConvertible { from: self.name.clone(), to: to.name.clone() }),
        }
    }

    /// Converts a shape to another layout. Split axes are rounded up to whole blocks.
    ///
    /// # Shapes
    /// One dimension of `int64` per axis of the layout; the result has one per axis of `to`.
    pub(super) fn convert(&self, dims: &[Expr], to: &Layout) -> Result<Vec<Expr>> {
        self.check_convertible(to)?;
        for (i, (axis, dim)) in self.axes.iter().zip(dims).enumerate() {
            if let (Some(expected), Some(found)) = (axis.inner, dim.as_node::<IntImm>())
                && expected != found.value
            {
                let name = self.name.clone();
                return Err(LayoutError::Length { name, axis: i, expected, found: found.value });
            }
        }
        // Like upstream, without facts about the variables.
        let mut analyzer = Analyzer::new();
        let converted = to.axes.iter().map(|axis| {
            if let Some(length) = axis.inner {
                return Ok(IntImm::int64(length));
            }
            let block = self.inner_length(axis.letter)?;
            let mut whole = IntImm::int64(0);
            for (_, dim) in self.axes.iter().zip(dims).filter(|(own, _)| own.is_outer(axis.letter)) {
                whole = ops::add(whole, ops::mul(dim.clone(), block.clone())?)?;
            }
            let blocks = ops::ceildiv(whole, to.inner_length(axis.letter)?)?;
            Ok(analyzer.simplify(&blocks))
        });
        converted.collect()
    }
}

/// The layout that a call states, with the canonical layout of the operator.
#[derive(Debug)]
pub(super) struct Canonical {
    canonical: Layout,
    given: Layout,
}

impl Canonical {
    /// Creates the pair.
    pub(super) fn new(given: &str, canonical: &str) -> Result<Canonical> {
        let (given, canonical) = (Layout::parse(given)?, Layout::parse(canonical)?);
        given.check_convertible(&canonical)?;
        Ok(Canonical { canonical, given })
    }

    /// The rank of a tensor in the stated layout.
    pub(super) fn rank(&self) -> i64 {
        self.given.rank() as i64
    }

    /// Converts a shape to the canonical layout.
    pub(super) fn to_canonical(&self, dims: &Array<Expr>) -> Result<Vec<Expr>> {
        let dims: Vec<Expr> = dims.iter().cloned().collect();
        self.given.convert(&dims, &self.canonical)
    }

    /// Converts a shape from the canonical layout.
    pub(super) fn dims_of_canonical(&self, dims: &[Expr]) -> Result<Vec<Expr>> {
        self.canonical.convert(dims, &self.given)
    }
}
