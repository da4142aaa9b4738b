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
    /// Type keys of nodes whose name the release changed: the one here, and the release's.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Fields that only the release has: the type key here, and the name. They are written as empty maps.
    pub extra_maps: &'static [(&'static str, &'static str)],
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
        renamed: &[],
        extra_maps: &[],
    };

    /// TileLang's TVM 0.25.
    pub const V0_25: TvmJsonVersion = TvmJsonVersion {
        name: "0.25",
        tvm_version: "0.25.dev0",
        renamed: &[
            ("tir.Block", "tirx.SBlock"),
            ("tir.BlockRealize", "tirx.SBlockRealize"),
            ("tir.Add", "tirx.Add"),
            ("tir.Allocate", "tirx.Allocate"),
            ("tir.And", "tirx.And"),
            ("tir.AttrStmt", "tirx.AttrStmt"),
            ("tir.Broadcast", "tirx.Broadcast"),
            ("tir.Buffer", "tirx.Buffer"),
            ("tir.BufferLoad", "tirx.BufferLoad"),
            ("tir.BufferRealize", "tirx.BufferRealize"),
            ("tir.BufferRegion", "tirx.BufferRegion"),
            ("tir.BufferStore", "tirx.BufferStore"),
            ("tir.Call", "tirx.Call"),
            ("tir.Cast", "tirx.Cast"),
            ("tir.CommReducer", "tirx.CommReducer"),
            ("tir.Div", "tirx.Div"),
            ("tir.EQ", "tirx.EQ"),
            ("tir.Evaluate", "tirx.Evaluate"),
            ("tir.FloorDiv", "tirx.FloorDiv"),
            ("tir.FloorMod", "tirx.FloorMod"),
            ("tir.For", "tirx.For"),
            ("tir.GE", "tirx.GE"),
            ("tir.GT", "tirx.GT"),
            ("tir.IfThenElse", "tirx.IfThenElse"),
            ("tir.IndexMap", "tirx.IndexMap"),
            ("tir.IterVar", "tirx.IterVar"),
            ("tir.LE", "tirx.LE"),
            ("tir.LT", "tirx.LT"),
            ("tir.Let", "tirx.Let"),
            ("tir.MatchBufferRegion", "tirx.MatchBufferRegion"),
            ("tir.Max", "tirx.Max"),
            ("tir.Min", "tirx.Min"),
            ("tir.Mod", "tirx.Mod"),
            ("tir.Mul", "tirx.Mul"),
            ("tir.NE", "tirx.NE"),
            ("tir.Not", "tirx.Not"),
            ("tir.Or", "tirx.Or"),
            ("tir.PrimFunc", "tirx.PrimFunc"),
            ("tir.Ramp", "tirx.Ramp"),
            ("tir.Reduce", "tirx.Reduce"),
            ("tir.Select", "tirx.Select"),
            ("tir.SeqStmt", "tirx.SeqStmt"),
            ("tir.Shuffle", "tirx.Shuffle"),
            ("tir.SizeVar", "tirx.SizeVar"),
            ("tir.StringImm", "tirx.StringImm"),
            ("tir.Sub", "tirx.Sub"),
            ("tir.Var", "tirx.Var"),
            ("tir.While", "tirx.While"),
        ],
        extra_maps: &[("tir.Call", "annotations"), ("tir.Cast", "annotations")],
        ..TvmJsonVersion::V0_23
    };

    /// Returns the release's key for a type key.
    pub fn key_of(&self, key: &'static str) -> &'static str {
        match key {
            keys::STR => self.keys.string,
            keys::ARRAY => self.keys.array,
            keys::MAP => self.keys.map,
            keys::TENSOR => self.keys.tensor,
            keys::SHAPE => self.keys.shape,
            _ => self.renamed.iter().find(|(own, _)| *own == key).map_or(key, |(_, theirs)| theirs),
        }
    }

    /// Returns the type key of a release's key.
    pub(crate) fn own_key<'k>(&self, key: &'k str) -> &'k str {
        self.renamed.iter().find(|(_, theirs)| *theirs == key).map_or(key, |(own, _)| own)
    }
}

impl Default for TvmJsonVersion {
    /// Returns the newest release.
    fn default() -> Self {
        TvmJsonVersion::V0_23
    }
}
