//! The types and fields of both releases.

use std::cell::RefCell;

use hashbrown::HashMap;
use tvmscript_ir_core::release::Renames;
use tvmscript_ir_core::type_table::{FieldKind, TypeInfo, type_by_key};

use crate::graph::{Schema, Shape};
use crate::version::TypesAsNodes;

/// Operators that became types of nodes, with the names of their operands.
pub(super) const BIT_OPERATORS: [(&str, &str); 6] = [
    ("tir.bitwise_and", "prim.BitwiseAnd"),
    ("tir.bitwise_not", "prim.BitwiseNot"),
    ("tir.bitwise_or", "prim.BitwiseOr"),
    ("tir.bitwise_xor", "prim.BitwiseXor"),
    ("tir.shift_left", "prim.LShift"),
    ("tir.shift_right", "prim.RShift"),
];

/// Operators whose calls have no value in the release, with the type that they have here.
///
/// # Source
/// `python/tvm/tirx/op.py`.
pub(super) const VOID_OPERATORS: [(&str, &str); 11] = [
    ("tir.end_profile_intrinsic", "handle"),
    ("tir.start_profile_intrinsic", "handle"),
    ("tir.tvm_bmma_sync", "handle"),
    ("tir.tvm_fill_fragment", "handle"),
    ("tir.tvm_load_matrix_sync", "handle"),
    ("tir.tvm_mma_sync", "handle"),
    ("tir.tvm_storage_sync", "int32"),
    ("tir.tvm_store_matrix_sync", "handle"),
    ("tir.tvm_thread_allreduce", "handle"),
    ("tir.tvm_throw_last_error", "handle"),
    ("tir.tvm_tuple", "handle"),
];

/// The operators of accesses with a mask, which is a field here.
pub(super) const MASKED_LOAD: &str = "tirx.masked_load";
/// See [`MASKED_LOAD`].
pub(super) const MASKED_STORE: &str = "tirx.masked_store";

/// Fields that the release renamed.
pub(super) const FIELDS: [(&str, &str); 5] = [
    ("struct_info_", "ty"),
    ("struct_info", "ty"),
    ("ret_struct_info", "ret_ty"),
    ("sinfo_args", "ty_args"),
    ("tensor_sinfo", "tensor_ty"),
];

/// Fields that the release does not have.
pub(super) const DROPPED: [(&str, &str); 5] = [
    ("relax.attrs.LayoutTransformAttrs", "axis_separators"),
    ("relax.attrs.LayoutTransformAttrs", "input_axis_separators"),
    ("target.Target", "features"),
    ("tir.BufferLoad", "predicate"),
    ("tir.BufferStore", "predicate"),
];

/// Attributes that are a data type or absent, and a data type in place here, where `void` stands for none.
pub(super) const OPTIONAL_DTYPES: [(&str, &str); 13] = [
    ("relax.attrs.ArgsortAttrs", "dtype"),
    ("relax.attrs.Conv1DAttrs", "out_dtype"),
    ("relax.attrs.Conv1DTransposeAttrs", "out_dtype"),
    ("relax.attrs.Conv2DAttrs", "out_dtype"),
    ("relax.attrs.Conv2DTransposeAttrs", "out_dtype"),
    ("relax.attrs.Conv3DAttrs", "out_dtype"),
    ("relax.attrs.Conv3DTransposeAttrs", "out_dtype"),
    ("relax.attrs.InitAttrs", "dtype"),
    ("relax.attrs.MatmulAttrs", "out_dtype"),
    ("relax.attrs.Resize2DAttrs", "out_dtype"),
    ("relax.attrs.Resize3DAttrs", "out_dtype"),
    ("relax.attrs.ScanopAttrs", "dtype"),
    ("relax.attrs.TopKAttrs", "dtype"),
];

/// Attributes that are numbers in place, and nodes here.
pub(super) const PLAIN_ATTRS: [(&str, &str); 5] = [
    ("relax.attrs.FlipAttrs", "axis"),
    ("relax.attrs.GatherElementsAttrs", "axis"),
    ("relax.attrs.GatherNDAttrs", "batch_dims"),
    ("relax.attrs.ScanopAttrs", "exclusive"),
    ("relax.attrs.ScatterElementsAttrs", "axis"),
];

/// Attributes that are boxed numbers, and nodes here.
pub(super) const BOXED_ATTRS: [(&str, &str); 1] = [("relax.attrs.StackAttrs", "axis")];

/// Starts of the keys of attributes whose numbers are nodes of `int64` here; others are of `int32`.
pub(super) const WIDE_ATTRS: [&str; 2] = ["relax.attrs.Conv", "relax.attrs.Pool"];

/// Arrays of nodes beside those of attributes that are arrays of numbers in the release.
pub(super) const NUMBER_ARRAYS: [(&str, &str); 1] = [("relax.distributed.DeviceMesh", "device_ids")];

/// Arrays of attributes that stay arrays of nodes.
pub(super) const NODE_ARRAYS: [(&str, &str); 3] = [
    ("relax.attrs.LayoutTransformAttrs", "axis_separators"),
    ("relax.attrs.LayoutTransformAttrs", "input_axis_separators"),
    ("relax.attrs.SplitAttrs", "indices_or_sections"),
];

/// Functions that the release renamed.
pub(super) const FUNCTIONS: [(&str, &str); 1] =
    [("tvm.relax.struct_info.infer_by_sinfo_args", "tvm.relax.type.infer_by_ty_args")];

/// Functions that name the indices of scopes of threads, in the order of their numbers in the release.
pub(super) const SCOPES: [&str; 9] = [
    "cluster_id",
    "cta_id",
    "cta_id_in_cluster",
    "warpgroup_id",
    "warp_id",
    "warp_id_in_wg",
    "lane_id",
    "thread_id",
    "thread_id_in_wg",
];

/// Integers of the release that are values, in types that are not declared here under the same key.
const PLAIN: [(&str, &str); 16] = [
    ("ir.TupleGetItem", "index"),
    ("relax.ShapeType", "ndim"),
    ("relax.TensorType", "ndim"),
    ("relax.VDevice", "vdevice_id"),
    ("te.Reduce", "value_index"),
    ("tirx.BufferType", "data_alignment"),
    ("tirx.BufferType", "offset_factor"),
    ("tirx.For", "kind"),
    ("tirx.IterVar", "iter_type"),
    ("tirx.ScopeIdDef", "scope"),
    ("tirx.TensorMapEncodeTiledAttr", "force_cu_dtype"),
    ("tirx.TensorMapEncodeTiledAttr", "interleave"),
    ("tirx.TensorMapEncodeTiledAttr", "l2_promotion"),
    ("tirx.TensorMapEncodeTiledAttr", "oob_fill"),
    ("tirx.TensorMapEncodeTiledAttr", "rank"),
    ("tirx.TensorMapEncodeTiledAttr", "swizzle"),
];

/// Types of the release that have no single counterpart here.
const OTHERS: [&str; 25] = [
    "DataType",
    "None",
    "bool",
    "ffi.String",
    "ffi.Tensor",
    "float",
    "int",
    "ir.Call",
    "ir.SequentialSpan",
    "ir.SourceName",
    "ir.Span",
    "ir.StringType",
    "ir.Var",
    "prim.BitwiseAnd",
    "prim.BitwiseNot",
    "prim.BitwiseOr",
    "prim.BitwiseXor",
    "prim.LShift",
    "prim.RShift",
    "tirx.BufferRegionType",
    "tirx.BufferType",
    "tirx.CallFFIKernelAttr",
    "tirx.Return",
    "tirx.ScopeIdDef",
    "tirx.TensorMapEncodeTiledAttr",
];

/// Types of values and places.
const SCALARS: [&str; 10] = [
    "DataType",
    "None",
    "bool",
    "ffi.String",
    "ffi.Tensor",
    "float",
    "int",
    "ir.SequentialSpan",
    "ir.SourceName",
    "ir.Span",
];

pub(super) fn contains(table: &[(&str, &str)], kind: &str, field: &str) -> bool {
    table.contains(&(kind, field))
}

/// Declared types by key.
#[derive(Debug, Default)]
struct Types(RefCell<HashMap<String, Option<&'static TypeInfo>>>);

impl Types {
    fn get(&self, key: &str) -> Option<&'static TypeInfo> {
        if let Some(info) = self.0.borrow().get(key) {
            return *info;
        }
        let info = type_by_key(key);
        self.0.borrow_mut().insert(key.to_owned(), info);
        info
    }

    fn is_plain(&self, kind: &str, field: &str) -> bool {
        if matches!(kind, "ir.Span" | "ir.SequentialSpan") {
            return !matches!(field, "source_name" | "spans");
        }
        let info = self.get(kind);
        let field = info.and_then(|info| info.field_index(field).and_then(|at| info.fields().get(at)));
        field.is_some_and(|field| {
            matches!(field.kind, FieldKind::Int | FieldKind::Bool | FieldKind::Float | FieldKind::DType)
        })
    }
}

fn container(kind: &str) -> Option<Shape> {
    match kind {
        "ffi.Array" | "ffi.Map" => Some(Shape::Numbers),
        // Numbers that are values.
        "ffi.Shape" => Some(Shape::Opaque),
        _ => None,
    }
}

/// The types that are declared here.
#[derive(Debug, Default)]
pub(crate) struct Own(Types);

impl Own {
    /// Returns `true` for a type whose fields are known.
    pub(crate) fn knows(&self, kind: &str) -> bool {
        container(kind).is_some() || SCALARS.contains(&kind) || self.0.get(kind).is_some()
    }
}

impl Schema for Own {
    fn shape(&self, kind: &str) -> Shape {
        container(kind).unwrap_or(Shape::Fields)
    }

    fn is_plain(&self, kind: &str, field: &str) -> bool {
        self.0.is_plain(kind, field)
    }
}

/// The types of the release.
#[derive(Debug)]
pub(crate) struct Current {
    types: Types,
    renames: &'static Renames,
    nodes: &'static TypesAsNodes,
}

impl Current {
    pub(crate) fn new(renames: &'static Renames, nodes: &'static TypesAsNodes) -> Current {
        Current { types: Types::default(), renames, nodes }
    }

    /// Returns `true` for a type whose fields are known.
    pub(crate) fn knows(&self, kind: &str) -> bool {
        let kind = self.nodes.key_in_0_27(self.renames, kind);
        container(kind).is_some()
            || OTHERS.contains(&kind)
            || self.nodes.renames.unwrap_or(self.renames).old_type_key(kind).is_some()
            || self.types.get(kind).is_some()
    }
}

impl Schema for Current {
    fn shape(&self, kind: &str) -> Shape {
        match container(kind) {
            Some(shape) => shape,
            None if self.knows(kind) => Shape::Fields,
            None => Shape::Opaque,
        }
    }

    fn is_plain(&self, kind: &str, field: &str) -> bool {
        let kind = self.nodes.key_in_0_27(self.renames, kind);
        if contains(&PLAIN, kind, field) || contains(&PLAIN_ATTRS, kind, field) {
            return true;
        }
        // Values that are boxed in the release.
        let is_boxed = kind == "ir.IntImm" && self.nodes.shares_nodes
            || contains(&OPTIONAL_DTYPES, kind, field)
            || field == "ty";
        !is_boxed && self.types.is_plain(kind, field)
    }
}
