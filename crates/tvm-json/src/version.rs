//! Releases of the format.

use std::borrow::Cow;
use std::panic::Location;

use tvmscript_ir_core::containers::keys;
use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::release::{Release, Renames};
use tvmscript_ir_core::{Dialect, Registry, Resolver, Slot};

use crate::graph::Schema;
use crate::translate::{Current, Own};

/// A release of TVM's JSON.
#[derive(Debug, Clone, Copy)]
pub struct TvmJsonVersion {
    /// Start of the versions of TVM that write the form.
    pub name: &'static str,
    /// Value of `metadata.tvm_version` in written files.
    pub tvm_version: &'static str,
    /// Spaces per level in the output of `save_json`.
    pub indent_spaces: usize,
    /// Type keys of values whose data is not an object of fields.
    pub keys: TypeKeys,
    /// Type keys and names of operators that the release changed.
    pub renames: &'static Renames,
    /// If types are nodes in the release, to which fields `ty` refer, and buffers are variables: what differs from TVM 0.27. A
    /// graph is then translated as a whole.
    pub types_as_nodes: Option<&'static TypesAsNodes>,
    /// If numbers of attributes are not nodes in the release: what else differs. A graph is then translated.
    pub plain_numbers: Option<&'static PlainNumbers>,
    /// Fields that only the release has: the type key here, and the name. They are written as empty maps.
    pub extra_maps: &'static [(&'static str, &'static str)],
    /// Maps that the release does not have: the type key here, and the field. They are written unless they are empty.
    pub missing_maps: &'static [(&'static str, &'static str)],
}

/// Type keys of values whose data is not an object of fields.
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

/// The other differences of a release with plain numbers in attributes, by its type keys.
#[derive(Debug, Clone, Copy)]
pub struct PlainNumbers {
    /// Fields that are written as empty lists.
    pub extra_lists: &'static [(&'static str, &'static str)],
    /// Fields that are written without a value, unless they have one.
    pub extra_values: &'static [(&'static str, &'static str)],
    /// Operators whose calls have no type, by their names here.
    pub void_operators: &'static [&'static str],
}

/// The form of a release whose types are nodes. The translation is written for the graph of TVM 0.27.
#[derive(Debug, Clone, Copy)]
pub struct TypesAsNodes {
    /// Names of the release with the type keys of TVM 0.27, if it has others.
    pub renames: Option<&'static Renames>,
    /// Fields that the release names otherwise: the type key and the field of TVM 0.27, and the field of the release.
    pub fields: &'static [(&'static str, &'static str, &'static str)],
    /// `true` if dialects share the nodes of texts, data types, regions and bit operations, masks are calls, and the values of
    /// integers are nodes.
    pub shares_nodes: bool,
}

impl TypesAsNodes {
    /// Returns the type key of TVM 0.27 for one of the release.
    pub(crate) fn key_in_0_27<'k>(&self, renames: &'static Renames, key: &'k str) -> &'k str {
        let Some(current) = self.renames else { return key };
        let own = renames.old_type_key(key).unwrap_or(key);
        current.new_type_key(own).unwrap_or(key)
    }

    /// Returns the release's type key for one of TVM 0.27.
    pub(crate) fn key_of_0_27<'k>(&self, renames: &'static Renames, key: &'k str) -> &'k str {
        match self.renames.and_then(|current| current.old_type_key(key)) {
            Some(own) => renames.new_type_key(own).unwrap_or(own),
            None => key,
        }
    }
}

/// Type key of operators, which are stored by name.
const OPERATOR: &str = "ir.Op";

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
        renames: &Renames::NONE,
        types_as_nodes: None,
        plain_numbers: None,
        extra_maps: &[],
        missing_maps: &[],
    };

    /// Returns the form in which the release of a registry writes JSON; `None` if it has none of its own.
    pub fn of(registry: &Registry) -> Option<&'static TvmJsonVersion> {
        registry.slot::<Versions>()?.0.first().map(|(_, version, _)| *version)
    }

    /// Returns the form that a text has, by the version of TVM in it, with the dialects of its release.
    pub fn of_text<'r>(
        text: &str,
        registry: &'r Registry,
    ) -> Option<(&'r Registry, &'static TvmJsonVersion)> {
        let (_, version) = text.rsplit_once("\"tvm_version\"")?;
        let version = version.trim_start_matches([':', ' ', '"', '\n', '\r', '\t']);
        let is_of = |form: &TvmJsonVersion| {
            let rest = version.strip_prefix(form.name);
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
        };
        let releases = registry.releases().filter_map(|release| registry.of_release(release));
        let mut forms = releases.filter_map(|dialects| Some((dialects, TvmJsonVersion::of(dialects)?)));
        forms.find(|(_, form)| is_of(form))
    }

    /// Returns `true` if an integer in a field of a type is a value in the release, and not the number of a node.
    pub fn is_plain_number(&self, kind: &str, field: &str) -> bool {
        match self.types_as_nodes {
            Some(nodes) => Current::new(self.renames, nodes).is_plain(kind, field),
            None => Own::default().is_plain(self.own_key(kind), field),
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
            _ => self.renames.new_type_key(key).unwrap_or(key),
        }
    }

    /// Returns the release's name for a named node.
    pub(crate) fn name_of<'n>(&self, key: &str, name: &'n str) -> Cow<'n, str> {
        if key == OPERATOR { self.renames.operators.name(name) } else { Cow::Borrowed(name) }
    }

    /// Returns the name here for a release's named node.
    pub(crate) fn own_name<'n>(&self, key: &str, name: &'n str) -> Cow<'n, str> {
        if key == OPERATOR { self.renames.operators.own_name(name) } else { Cow::Borrowed(name) }
    }

    /// Returns the type key of a release's key.
    pub(crate) fn own_key<'k>(&self, key: &'k str) -> &'k str {
        self.renames.old_type_key(key).unwrap_or(key)
    }
}

impl Default for TvmJsonVersion {
    /// Returns the release whose nodes are those here.
    fn default() -> Self {
        TvmJsonVersion::V0_23
    }
}

/// The forms that dialects set; in a registry, that of its release.
#[derive(Debug, Default, Clone)]
struct Versions(Vec<(&'static Release, &'static TvmJsonVersion, RegistrationSite)>);

impl Slot for Versions {
    fn merge(&mut self, other: Versions, resolver: &mut Resolver) {
        for (release, version, place) in other.0 {
            if release == resolver.release() && resolver.claim("the form of TVM's JSON", place) {
                self.0.push((release, version, place));
            }
        }
    }
}

/// Registration of the forms in which releases write JSON.
pub trait TvmJsonDialect {
    /// Sets the form of TVM's JSON that a release writes.
    #[must_use]
    #[track_caller]
    fn tvm_json(self, release: &'static Release, version: &'static TvmJsonVersion) -> Self;
}

impl<T> TvmJsonDialect for Dialect<T> {
    #[track_caller]
    fn tvm_json(mut self, release: &'static Release, version: &'static TvmJsonVersion) -> Self {
        let place = Location::caller();
        self.slot_mut::<Versions>().0.push((release, version, place));
        self
    }
}
