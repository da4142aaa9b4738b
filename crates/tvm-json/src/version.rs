//! Releases of the format.

use tvmscript_ir_core::containers::keys;

/// A release of TVM's JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TvmJsonVersion {
    /// Release of TVM.
    pub name: &'static str,
    /// Value of `metadata.tvm_version` in written files.
    pub tvm_version: &'static str,
    /// Spaces per level in the output of `save_json`.
    pub indent_spaces: usize,
    /// Type keys of values whose data is no object of fields.
    pub keys: TypeKeys,
}

/// Type keys of values whose data is no object of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeKeys {
    /// The absent value.
    pub none: &'static str,
    /// A boxed boolean.
    pub bool: &'static str,
    /// A boxed integer.
    pub int: &'static str,
    /// A boxed float.
    pub float: &'static str,
    /// A boxed dtype.
    pub dtype: &'static str,
    /// A string.
    pub string: &'static str,
    /// An array.
    pub array: &'static str,
    /// A map.
    pub map: &'static str,
    /// A tuple of plain integers.
    pub shape: &'static str,
    /// A tensor.
    pub tensor: &'static str,
    /// A span of lines and columns.
    pub span: &'static str,
    /// A sequence of spans.
    pub sequential_span: &'static str,
    /// The name of a source, a string.
    pub source_name: &'static str,
}

impl TvmJsonVersion {
    /// TVM 0.23.
    pub const V0_23: TvmJsonVersion = TvmJsonVersion {
        name: "0.23",
        tvm_version: "0.23.dev0",
        indent_spaces: 2,
        keys: TypeKeys {
            none: "None",
            bool: "bool",
            int: "int",
            float: "float",
            dtype: "DataType",
            string: "ffi.String",
            array: "ffi.Array",
            map: "ffi.Map",
            shape: "ffi.Shape",
            tensor: "ffi.Tensor",
            span: "ir.Span",
            sequential_span: "ir.SequentialSpan",
            source_name: "ir.SourceName",
        },
    };
}

impl TypeKeys {
    /// Returns TVM's key for a type key.
    pub fn of_type(&self, key: &'static str) -> &'static str {
        match key {
            keys::STR => self.string,
            keys::ARRAY => self.array,
            keys::MAP => self.map,
            keys::TENSOR => self.tensor,
            keys::SHAPE => self.shape,
            _ => key,
        }
    }
}

impl Default for TvmJsonVersion {
    /// Returns the newest release.
    fn default() -> Self {
        TvmJsonVersion::V0_23
    }
}
