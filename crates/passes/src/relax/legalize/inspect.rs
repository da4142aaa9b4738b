//! Properties of tensors at run time: functions that read the header of a tensor.
//!
//! Lengths and strides are left out: their functions declare a buffer over a pointer in the header, which releases state
//! differently.
//!
//! Upstream counterparts: `src/relax/op/tensor/inspect.cc`,
//! `python/tvm/relax/transform/legalize_ops/inspect_op.py`.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Array, DataType, Map, Ref, Span, Value};
use tvmscript_prim::{Expr, PrimType, Var};
use tvmscript_tir::node::PrimFunc;
use tvmscript_tir::op::control::ret;
use tvmscript_tir::op::memory::tvm_struct_get;
use tvmscript_tir::{Evaluate, LetStmt};

use super::scalar::Scalar;
use super::statements::number;
use super::tensor::Answer;

const UINT8: DataType = DataType::uint(8);
const UINT16: DataType = DataType::uint(16);
const UINT64: DataType = DataType::uint(64);

/// A value with its name, made of those before it.
type Derived = (&'static str, fn(&[Scalar]) -> Scalar);

/// A function of the header.
pub(super) struct Inspection {
    pub(super) name: &'static str,
    /// `true` if schedules may work on the function.
    pub(super) is_schedulable: bool,
    returns: DataType,
    /// Fields with their names and types, as `tvm_struct_get` numbers them.
    fields: &'static [(&'static str, i64, DataType)],
    /// Values that the fields give; the last value is returned.
    values: &'static [Derived],
}

macro_rules! inspections {
    ($($operator:literal => $returns:expr, $is_schedulable:literal,
        [$($field:literal = $number:literal: $dtype:expr),*] $(, $value:literal = $make:expr)*;)*) => {
        &[$((concat!("relax.inspect.tensor_", $operator), Inspection {
            name: concat!("_get_tensor_", $operator),
            is_schedulable: $is_schedulable,
            returns: $returns,
            fields: &[$(($field, $number, $dtype)),*],
            values: &[$(($value, $make)),*],
        })),*]
    };
}

const INSPECTIONS: &[(&str, Inspection)] = inspections! {
    "byte_offset" => DataType::INT64, true, ["byte_offset" = 8: UINT64];
    "dtype_bits" => UINT8, false, ["value" = 6: UINT8];
    "dtype_code" => UINT8, false, ["value" = 5: UINT8];
    "dtype_lanes" => UINT16, false, ["value" = 7: UINT16];
    "elem_offset" => DataType::INT64, true, ["byte_offset" = 8: UINT64, "scalar_bits" = 6: UINT8, "lanes" = 7: UINT16],
        "bytes_per_element" = |values| match values {
            [_, bits, lanes] => (bits.cast(UINT64) * lanes.cast(UINT64)).ceildiv(8),
            _ => Scalar::error("the element type is not read"),
        },
        "elem_offset" = |values| match values {
            [offset, .., size] => offset.floordiv(size),
            _ => Scalar::error("the offset is not read"),
        };
    "ndim" => DataType::INT32, false, ["value" = 4: DataType::INT32];
};

/// The function of an operator, by its name.
pub(super) fn inspection(operator: &str) -> Option<&'static Inspection> {
    INSPECTIONS.iter().find(|(name, _)| *name == operator).map(|(_, inspection)| inspection)
}

impl Inspection {
    /// The function, in the form of the first release.
    pub(super) fn function(&self) -> Answer<Ref<PrimFunc>> {
        let handle = Var::new("dlpack_handle", DataType::HANDLE);
        let (mut bound, mut values): (Vec<(Ref<Var>, Expr)>, Vec<Scalar>) = (Vec::new(), Vec::new());
        let mut bind = |name: &str, value: Scalar, values: &mut Vec<Scalar>| -> Answer<()> {
            let var = Var::new(name, value.dtype());
            values.push(Scalar::from(Expr::from(var.clone().upcast())));
            bound.push((var, value.0?));
            Ok(())
        };
        for (name, field, dtype) in self.fields {
            let [index, field] = [0, *field].map(|value| number(DataType::INT32, value).0);
            let value = tvm_struct_get(handle.clone().upcast(), index?, field?, *dtype);
            bind(name, Scalar::from(value), &mut values)?;
        }
        for (name, make) in self.values {
            let value = make(&values);
            bind(name, value, &mut values)?;
        }
        let result = values.pop().unwrap_or_else(|| Scalar::error("nothing is read"));
        let mut body = Evaluate::new(ret(result.0?));
        for (var, value) in bound.into_iter().rev() {
            body = LetStmt::try_new(var, value, body)?;
        }
        let marks = ["tir.is_host_func", "tir.is_scheduled"];
        Ok(Ref::new(PrimFunc {
            span: Span::current(),
            struct_info_: None,
            attrs: DictAttrs::new(marks.map(|mark| (mark.into(), Value::Bool(true)))),
            params: Array::new([handle]),
            ret_type: PrimType::new(self.returns),
            buffer_map: Map::default(),
            body,
        }))
    }
}
