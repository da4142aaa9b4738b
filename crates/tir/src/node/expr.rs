//! Loads, iteration variables, reductions, index maps.

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, DataType, IntField, Node, Object, Ref, Span, Str};
use tvmscript_prim::{CommReducer, Expr, PrimExpr, PrimExprExt, Range, Var};

use super::Buffer;
use crate::error::{TirError, TirResult, check_kind, check_type};

/// A load from a buffer.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BufferLoad", parent = PrimExpr, check = BufferLoad::check)]
pub struct BufferLoad {
    /// Source span.
    pub span: Span,
    /// The buffer's type, its lanes multiplied by those of the last index.
    pub dtype: DataType,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// One index per dimension; only the last may be a vector.
    pub indices: Array<Expr>,
    /// Mask of the loaded lanes.
    pub predicate: Option<Expr>,
}

/// The type of the elements of `buffer` at `indices`.
///
/// # Shapes
/// `indices.len() == buffer.shape.len()`; the result's lanes are the buffer's times those of the last index.
///
/// # Errors
/// [`TirError::Rank`], [`TirError::VectorIndex`].
pub(crate) fn element_type(buffer: &Buffer, indices: &Array<Expr>) -> TirResult<DataType> {
    buffer.check_rank(indices.len())?;
    let Some((last, before)) = indices.len().checked_sub(1).map(|n| (indices[n].dtype(), n)) else {
        return Ok(buffer.dtype);
    };
    if indices.iter().take(before).any(|i| !i.dtype().is_scalar()) {
        return Err(TirError::VectorIndex { buffer: buffer.name.get().to_string() });
    }
    if last.lanes == 1 {
        return Ok(buffer.dtype);
    }
    let lanes = i32::from(buffer.dtype.lanes) * i32::from(last.lanes);
    let lanes = i16::try_from(lanes).map_err(|_| TirError::Kind {
        what: "the loaded vector",
        expected: "of at most 32767 lanes",
        found: last,
    })?;
    Ok(buffer.dtype.with_lanes(lanes))
}

impl BufferLoad {
    /// Creates the node.
    ///
    /// # Errors
    /// If the indices do not fit the buffer, or the predicate is not a mask for them.
    pub fn try_new(buffer: Ref<Buffer>, indices: Array<Expr>, predicate: Option<Expr>) -> TirResult<Expr> {
        let dtype = element_type(&buffer, &indices)?;
        if let Some(mask) = &predicate {
            check_mask(mask, dtype)?;
        }
        Ok(Ref::new(BufferLoad { span: Span::current(), dtype, buffer, indices, predicate }).upcast())
    }

    fn check(&self) -> Checked {
        let expected = element_type(&self.buffer, &self.indices);
        let expected = expected.map_err(|error| Invalid::at("indices", error))?;
        check_type("the loaded value", self.dtype, expected).map_err(|error| Invalid::at("dtype", error))?;
        check_mask_of("predicate", self.predicate.as_ref(), expected)
    }
}

pub(crate) fn check_mask(mask: &Expr, element: DataType) -> TirResult<()> {
    let found = mask.dtype();
    let boolean = found.is_bool() || (found.is_uint() && found.bits == 1);
    if !boolean || found.lanes != element.lanes {
        let expected = DataType::BOOL.with_lanes(element.lanes);
        return Err(TirError::Type { what: "the predicate", found, expected });
    }
    Ok(())
}

pub(super) fn check_mask_of(field: &'static str, mask: Option<&Expr>, element: DataType) -> Checked {
    match mask {
        Some(mask) => check_mask(mask, element).map_err(|error| Invalid::at(field, error)),
        None => Ok(()),
    }
}

/// An element of the producer of a tensor expression.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.ProducerLoad", parent = PrimExpr)]
pub struct ProducerLoad {
    /// Source span.
    pub span: Span,
    /// The element type.
    pub dtype: DataType,
    /// The producer.
    pub producer: Object,
    /// One index per dimension.
    pub indices: Array<Expr>,
}

macro_rules! iter_types {
    ($($name:ident),*) => {
        /// The role of an iteration variable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum IterType {
            $($name,)*
        }

        impl IterType {
            /// All types, by number.
            pub const ALL: &[IterType] = &[$(IterType::$name),*];

            /// The name in scripts.
            pub fn name(self) -> &'static str {
                match self {
                    $(IterType::$name => stringify!($name),)*
                }
            }
        }
    };
}
iter_types! {
    DataPar, ThreadIndex, CommReduce, Ordered, Opaque, Unrolled, Vectorized, Parallelized, Tensorized
}

impl IntField for IterType {
    fn to_int(self) -> i64 {
        self as i64
    }
    fn from_int(value: i64) -> Option<Self> {
        IterType::ALL.get(usize::try_from(value).ok()?).copied()
    }
}

/// A variable with a domain: an axis of a block or a reduction, or a thread.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.IterVar", namer = IterVar::give_name_to_var, check = IterVar::check)]
pub struct IterVar {
    /// The domain.
    pub dom: Option<Ref<Range>>,
    /// The variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// The role.
    pub iter_type: IterType,
    /// The thread tag; empty if there is none.
    pub thread_tag: Str,
}

impl IterVar {
    /// The key of the attribute with which scripts launch a thread of this tag.
    pub fn launch_key(&self) -> &'static str {
        if self.thread_tag == "vthread" { "virtual_thread" } else { "thread_extent" }
    }

    fn give_name_to_var(&self, name: &Str) {
        self.var.name.set(name.clone());
    }

    /// Creates the node.
    ///
    /// # Errors
    /// If the domain's type is not a signed integer, or differs from the variable's.
    pub fn try_new(
        dom: Option<Ref<Range>>,
        var: Ref<Var>,
        iter_type: IterType,
        tag: Str,
    ) -> TirResult<Ref<IterVar>> {
        let axis = IterVar { dom, var, iter_type, thread_tag: tag };
        axis.check_domain()?;
        Ok(Ref::new(axis))
    }

    fn check(&self) -> Checked {
        self.check_domain().map_err(|error| Invalid::at("dom", error))
    }

    fn check_domain(&self) -> TirResult<()> {
        if let Some(dom) = &self.dom {
            let found = dom.extent.dtype();
            check_kind("the domain", "of a signed integer type", found, found.is_int())?;
            check_type("the variable", self.var.dtype, found)?;
        }
        Ok(())
    }
}

/// A reduction over axes.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Reduce", parent = PrimExpr, check = Reduce::check)]
pub struct Reduce {
    /// Source span.
    pub span: Span,
    /// The type of the value picked by `value_index`.
    pub dtype: DataType,
    /// The combiner.
    pub combiner: Ref<CommReducer>,
    /// The reduced values.
    pub source: Array<Expr>,
    /// Initial values; empty for the identity elements.
    pub init: Array<Expr>,
    /// The axes, all `CommReduce`.
    pub axis: Array<Ref<IterVar>>,
    /// Condition under which an element takes part.
    pub condition: Expr,
    /// Index of the combined value that this expression is.
    pub value_index: i64,
}

impl Reduce {
    fn check(&self) -> Checked {
        let picked = usize::try_from(self.value_index).ok().and_then(|index| self.source.get(index));
        let Some(picked) = picked else {
            let (index, count) = (self.value_index, self.source.len());
            return Err(Invalid::at("value_index", format_args!("there is no value {index} among {count}")));
        };
        check_type("the reduction", self.dtype, picked.dtype())
            .map_err(|error| Invalid::at("dtype", error))?;
        if let Some(axis) = self.axis.iter().find(|axis| axis.iter_type != IterType::CommReduce) {
            let kind = axis.iter_type.name();
            return Err(Invalid::at("axis", format_args!("an axis is `{kind}`, not `CommReduce`")));
        }
        Ok(())
    }
}
