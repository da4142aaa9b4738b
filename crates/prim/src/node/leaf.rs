//! Literals, variables and casts.

use std::sync::OnceLock;

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::type_table::{Shape, TypeDecl, register_node};
use tvmscript_ir_core::{Class, DataType, EqKind, NameCell, Node, Ref, Span, Str, TypeCode, TypeInfo};

use crate::class::{Expr, PrimExpr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::types::{PrimType, TupleType, Type};

/// Checks the stored dtype of an expression against the one computed from its operands.
pub(super) fn has_dtype(found: DataType, expected: DataType) -> Checked {
    match found == expected {
        true => Ok(()),
        false => {
            Err(Invalid::at("dtype", format_args!("it is `{found}`, but the parts make it `{expected}`")))
        }
    }
}

/// An integer, unsigned or bool literal.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.IntImm", parent = PrimExpr, check = IntImm::check)]
pub struct IntImm {
    /// Source span.
    pub span: Span,
    /// A scalar int, uint or bool type.
    pub dtype: DataType,
    /// The value.
    pub value: i64,
}

impl IntImm {
    /// Constructs a literal.
    /// # Errors
    /// [`PrimError::OperandType`] if the type is not a scalar int, uint or bool; [`PrimError::OutOfRange`].
    pub fn try_new(dtype: DataType, value: i64) -> PrimResult<Expr> {
        IntImm::fits(dtype, value)?;
        Ok(Ref::new(IntImm { span: Span::current(), dtype, value }).upcast())
    }

    fn check(&self) -> Checked {
        IntImm::fits(self.dtype, self.value).map_err(|error| Invalid::at("value", error))
    }

    fn fits(dtype: DataType, value: i64) -> PrimResult<()> {
        if !dtype.is_scalar() || !(dtype.is_integer() || dtype.is_bool()) {
            return Err(PrimError::OperandType {
                op: "IntImm",
                expected: "a scalar int, uint or bool type",
                found: dtype,
            });
        }
        let fits = match dtype.code {
            TypeCode::UInt => value >= 0 && (dtype.bits >= 63 || value < 1 << dtype.bits),
            TypeCode::Bool => matches!(value, 0 | 1),
            _ if dtype.bits == 1 => matches!(value, 0 | 1),
            _ => {
                let shift = 64 - u32::from(dtype.bits.clamp(1, 64));
                (value << shift) >> shift == value
            }
        };
        if !fits {
            return Err(PrimError::OutOfRange { value: value.to_string(), dtype });
        }
        Ok(())
    }

    /// An `int32` literal.
    pub fn int32(value: i32) -> Expr {
        Ref::new(IntImm { span: Span::current(), dtype: DataType::INT32, value: value.into() }).upcast()
    }

    /// An `int64` literal.
    pub fn int64(value: i64) -> Expr {
        Ref::new(IntImm { span: Span::current(), dtype: DataType::INT64, value }).upcast()
    }

    /// A bool literal.
    pub fn bool(value: bool) -> Expr {
        Ref::new(IntImm { span: Span::current(), dtype: DataType::BOOL, value: value.into() }).upcast()
    }
}

/// A literal of any floating type. The value is kept as given, not rounded to the type.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.FloatImm", parent = PrimExpr, check = FloatImm::check)]
pub struct FloatImm {
    /// Source span.
    pub span: Span,
    /// A scalar floating type.
    pub dtype: DataType,
    /// The value.
    pub value: f64,
}

/// The maximum magnitude of a finite literal of a floating type. These are TVM's bounds, which exceed the type's range
/// for `bfloat16` and some 8-bit floats; every script that TVM accepts is accepted.
/// # Source
/// `src/support/scalars.h`.
pub(crate) fn float_bound(dtype: DataType) -> f64 {
    match dtype.code {
        TypeCode::Float if dtype.bits == 16 => 65504.0,
        TypeCode::Float if dtype.bits == 32 => f64::from(f32::MAX),
        TypeCode::BFloat => 3.895_313_892_515_355e38,
        TypeCode::Float8E3M4 => 31.0,
        TypeCode::Float8E4M3 | TypeCode::Float8E4M3Fn | TypeCode::Float8E4M3Fnuz => 448.0,
        TypeCode::Float8E4M3B11Fnuz => 30.0,
        TypeCode::Float8E5M2 | TypeCode::Float8E5M2Fnuz => 57344.0,
        TypeCode::Float8E8M0Fnu => 3.402_823_669_209_385e38,
        TypeCode::Float6E2M3Fn => 7.5,
        TypeCode::Float6E3M2Fn => 28.0,
        TypeCode::Float4E2M1Fn => 6.0,
        _ => f64::MAX,
    }
}

/// Returns `true` if literals of a floating type must not be negative.
pub(crate) fn float_is_unsigned(dtype: DataType) -> bool {
    matches!(
        dtype.code,
        TypeCode::Float8E4M3B11Fnuz
            | TypeCode::Float8E4M3Fnuz
            | TypeCode::Float8E5M2Fnuz
            | TypeCode::Float8E8M0Fnu
    )
}

impl FloatImm {
    /// Constructs a literal. A finite value must be within the type's bounds.
    /// # Errors
    /// [`PrimError::OperandType`] if the type is not a scalar floating type; [`PrimError::OutOfRange`].
    /// # Source
    /// `FloatImm` constructor, `src/ir/expr.cc`.
    pub fn try_new(dtype: DataType, value: f64) -> PrimResult<Expr> {
        FloatImm::fits(dtype, value)?;
        Ok(Ref::new(FloatImm { span: Span::current(), dtype, value }).upcast())
    }

    fn check(&self) -> Checked {
        FloatImm::fits(self.dtype, self.value).map_err(|error| Invalid::at("value", error))
    }

    fn fits(dtype: DataType, value: f64) -> PrimResult<()> {
        if !dtype.is_scalar() || !dtype.is_any_float() {
            return Err(PrimError::OperandType {
                op: "FloatImm",
                expected: "a scalar floating type",
                found: dtype,
            });
        }
        let below = float_is_unsigned(dtype) && value < 0.0;
        if value.is_finite() && (value.abs() > float_bound(dtype) || below) {
            return Err(PrimError::OutOfRange { value: format!("{value:?}"), dtype });
        }
        Ok(())
    }
}

/// A string literal as an operand of an intrinsic.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.StringImm", parent = PrimExpr, check = StringImm::check)]
pub struct StringImm {
    /// Source span.
    pub span: Span,
    /// Always `handle`.
    pub dtype: DataType,
    /// The text.
    pub value: Str,
}

impl StringImm {
    fn check(&self) -> Checked {
        has_dtype(self.dtype, DataType::HANDLE)
    }

    /// Constructs a string literal.
    pub fn new(value: impl Into<Str>) -> Expr {
        Ref::new(StringImm { span: Span::current(), dtype: DataType::HANDLE, value: value.into() }).upcast()
    }
}

/// A variable, identified by its node.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Var", parent = PrimExpr, eq = free_var, check = Var::check)]
pub struct Var {
    /// Span of the definition.
    pub span: Span,
    /// The type of the value.
    pub dtype: DataType,
    /// A hint for the printed name.
    pub name: NameCell,
    /// The type, including the element type of a pointer.
    pub type_annotation: Ref<Type>,
}

impl Var {
    fn check(&self) -> Checked {
        has_dtype(self.dtype, dtype_of_type(&self.type_annotation))
    }

    /// Creates a variable of a scalar or vector type; void becomes the empty tuple type.
    pub fn new(name: impl Into<Str>, dtype: DataType) -> Ref<Var> {
        let annotation = if dtype.is_void() { TupleType::void() } else { PrimType::new(dtype) };
        Ref::new(Var {
            span: Span::current(),
            dtype,
            name: NameCell::from(name.into()),
            type_annotation: annotation,
        })
    }

    /// Creates a variable of a type: scalars keep their dtype, pointers are `handle`, the empty tuple is void.
    pub fn with_type(name: impl Into<Str>, annotation: Ref<Type>) -> Ref<Var> {
        let dtype = dtype_of_type(&annotation);
        Ref::new(Var {
            span: Span::current(),
            dtype,
            name: NameCell::from(name.into()),
            type_annotation: annotation,
        })
    }

    /// Creates a non-negative variable (`tir.SizeVar`).
    pub fn size_var(name: impl Into<Str>, dtype: DataType) -> Ref<Var> {
        Var::size_var_with_type(name, PrimType::new(dtype))
    }

    /// Creates a non-negative variable of a type (`tir.SizeVar`).
    pub fn size_var_with_type(name: impl Into<Str>, annotation: Ref<Type>) -> Ref<Var> {
        let dtype = dtype_of_type(&annotation);
        let name = NameCell::from(name.into());
        Ref::new_as(size_var_type(), Var { span: Span::current(), dtype, name, type_annotation: annotation })
    }
}

/// The dtype of a type's values.
pub fn dtype_of_type(annotation: &Ref<Type>) -> DataType {
    match annotation.as_node::<PrimType>() {
        Some(prim) => prim.dtype,
        None if annotation.as_node::<TupleType>().is_some_and(|t| t.fields.is_empty()) => DataType::VOID,
        None => DataType::HANDLE,
    }
}

/// The type of `tir.SizeVar`, a subtype of [`Var`] that shares its struct.
pub fn size_var_type() -> &'static TypeInfo {
    static INFO: OnceLock<&'static TypeInfo> = OnceLock::new();
    INFO.get_or_init(|| {
        let var = Var::type_info();
        register_node::<Var>(TypeDecl {
            key: "tir.SizeVar",
            parent: Some(var),
            missing_parent: None,
            eq: EqKind::FreeVar,
            custom_eq: None,
            shape: Shape::Fields,
            fields: var.fields(),
        })
    })
}

/// A conversion to another type with the same lanes. The constructor never folds.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Cast", parent = PrimExpr, check = Cast::check)]
pub struct Cast {
    /// Source span.
    pub span: Span,
    /// The target type.
    pub dtype: DataType,
    /// The converted value.
    pub value: Expr,
}

impl Cast {
    fn check(&self) -> Checked {
        let (to, from) = (self.dtype, self.value.dtype());
        match to.lanes == from.lanes {
            true => Ok(()),
            false => Err(Invalid::at("value", PrimError::Lanes { op: "Cast", left: to, right: from })),
        }
    }

    /// Constructs the node.
    /// # Errors
    /// [`PrimError::Lanes`] if the lanes differ.
    pub fn try_new(dtype: DataType, value: Expr) -> PrimResult<Expr> {
        if dtype.lanes != value.dtype().lanes {
            return Err(PrimError::Lanes { op: "Cast", left: dtype, right: value.dtype() });
        }
        Ok(Ref::new(Cast { span: Span::current(), dtype, value }).upcast())
    }
}
