//! Releases of the format.

use std::borrow::Cow;

use tvmscript_ir_core::containers::keys;

use crate::graph::Schema;
use crate::translate::{Current, Own, RENAMED};

/// A release of TVM's JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TvmJsonVersion {
    /// Release of TVM.
    pub name: &'static str,
    /// Id of the text profile of the release.
    pub text_profile: &'static str,
    /// Value of `metadata.tvm_version` in written files.
    pub tvm_version: &'static str,
    /// Spaces per level in the output of `save_json`.
    pub indent_spaces: usize,
    /// Type keys of values whose data is no object of fields.
    pub keys: TypeKeys,
    /// Type keys of nodes whose name the release changed: the one here, and the release's.
    pub renamed: &'static [(&'static str, &'static str)],
    /// The start of operators' names that the release changed: the one here, and the release's.
    pub renamed_operators: Option<(&'static str, &'static str)>,
    /// `true` if types are nodes in the release, to which fields `ty` refer, and buffers are variables. A graph is then
    /// translated as a whole.
    pub types_as_nodes: bool,
    /// Fields that only the release has: the type key here, and the name. They are written as empty maps.
    pub extra_maps: &'static [(&'static str, &'static str)],
    /// Maps that the release does not have: the type key here, and the field. They are written unless they are empty.
    pub missing_maps: &'static [(&'static str, &'static str)],
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
        text_profile: "tvm-0.23",
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
        renamed_operators: None,
        types_as_nodes: false,
        extra_maps: &[],
        missing_maps: &[],
    };

    /// TileLang's TVM 0.25.
    pub const V0_25: TvmJsonVersion = TvmJsonVersion {
        name: "0.25",
        text_profile: "tilelang-0.25",
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
        renamed_operators: Some(("tir.", "tirx.")),
        extra_maps: &[("tir.Call", "annotations"), ("tir.Cast", "annotations")],
        missing_maps: &[("target.Target", "features")],
        ..TvmJsonVersion::V0_23
    };

    /// TVM 0.27.
    pub const V0_27: TvmJsonVersion = TvmJsonVersion {
        name: "0.27",
        text_profile: "tvm-0.27",
        tvm_version: "0.27.0.post1",
        renamed: RENAMED,
        types_as_nodes: true,
        ..TvmJsonVersion::V0_23
    };

    /// The releases, oldest first.
    pub const ALL: [TvmJsonVersion; 3] =
        [TvmJsonVersion::V0_23, TvmJsonVersion::V0_25, TvmJsonVersion::V0_27];

    /// Returns the release that wrote a text, by the start of the version in it; `None` if it names no known one.
    pub fn of_text(text: &str) -> Option<TvmJsonVersion> {
        let (_, version) = text.rsplit_once("\"tvm_version\"")?;
        let version = version.trim_start_matches([':', ' ', '"', '\n', '\r', '\t']);
        let is_of = |release: &TvmJsonVersion| {
            let rest = version.strip_prefix(release.name);
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
        };
        TvmJsonVersion::ALL.into_iter().find(is_of)
    }

    /// Returns the release of a text profile.
    pub fn of_profile(id: &str) -> Option<TvmJsonVersion> {
        TvmJsonVersion::ALL.into_iter().find(|release| release.text_profile == id)
    }

    /// Returns `true` if an integer in a field of a type is a value in the release, and not the number of a node.
    pub fn is_plain_number(&self, kind: &str, field: &str) -> bool {
        match self.types_as_nodes {
            true => Current::default().is_plain(kind, field),
            false => Own::default().is_plain(self.own_key(kind), field),
        }
    }

    /// Returns `true` for a map that the release does not have.
    pub(crate) fn is_missing_map(&self, key: &str, field: &str) -> bool {
        self.missing_maps.contains(&(key, field))
    }

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

    /// Returns the release's name for a named node.
    pub(crate) fn name_of<'n>(&self, key: &str, name: &'n str) -> Cow<'n, str> {
        rename(key, name, self.renamed_operators)
    }

    /// Returns the name here for a release's named node.
    pub(crate) fn own_name<'n>(&self, key: &str, name: &'n str) -> Cow<'n, str> {
        rename(key, name, self.renamed_operators.map(|(own, theirs)| (theirs, own)))
    }

    /// Returns the type key of a release's key.
    pub(crate) fn own_key<'k>(&self, key: &'k str) -> &'k str {
        self.renamed.iter().find(|(_, theirs)| *theirs == key).map_or(key, |(own, _)| own)
    }
}

/// The name of a node of a type whose nodes have names, with another start if it is that of an operator.
fn rename<'n>(key: &str, name: &'n str, starts: Option<(&str, &str)>) -> Cow<'n, str> {
    let rest = starts.filter(|_| key == "ir.Op").and_then(|(from, to)| Some((name.strip_prefix(from)?, to)));
    rest.map_or(Cow::Borrowed(name), |(rest, to)| Cow::Owned(format!("{to}{rest}")))
}

impl Default for TvmJsonVersion {
    /// Returns the release whose nodes are those here.
    fn default() -> Self {
        TvmJsonVersion::V0_23
    }
}
