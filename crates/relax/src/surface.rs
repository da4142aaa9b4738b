//! Words and forms of the dialect's text in a release.

#[cfg(any(feature = "print", feature = "parse"))]
use tvmscript_ir_core::Registry;
use tvmscript_ir_core::{Resolver, Slot};

/// Words and forms of a release.
#[derive(Debug)]
pub struct Surface {
    /// Keyword arguments that the release names otherwise: the name here, and in the release.
    pub keywords: &'static [(&'static str, &'static str)],
    /// Functions that the release names otherwise: its name, and the name here.
    pub aliases: &'static [(&'static str, &'static str)],
    /// The struct info of any value.
    pub any: &'static str,
    /// Scalar variables of type `int64` are type variables, declared before the script.
    pub has_type_variables: bool,
    /// Scalars print bare: `n` for `R.prim_value(n)`, `T.int64` for `R.Prim("int64")`.
    pub has_bare_scalars: bool,
    /// Texts have their own type, `I.StringType()`.
    pub has_text_type: bool,
    /// An attribute that is not a data type prints as `None`.
    pub has_absent_dtypes: bool,
    /// A nested function that refers to its module declares the alias itself, not the outermost function.
    pub has_nested_aliases: bool,
    /// Attributes that the release lacks, by the type of the attributes. Empty ones do not print.
    pub without_attributes: &'static [(&'static str, &'static str)],
}

/// TVM 0.23.
pub static TVM_0_23: Surface = Surface {
    keywords: &[],
    aliases: &[],
    any: "Object",
    has_type_variables: false,
    has_bare_scalars: false,
    has_text_type: false,
    has_absent_dtypes: false,
    has_nested_aliases: false,
    without_attributes: &[],
};

/// TVM 0.27.
pub static TVM_0_27: Surface = Surface {
    keywords: &[("out_sinfo", "out_ty"), ("sinfo_args", "ty_args")],
    aliases: &[("Any", "Object"), ("func_ret_ty", "func_ret_struct_info")],
    any: "Any",
    has_type_variables: true,
    has_bare_scalars: true,
    has_text_type: true,
    has_absent_dtypes: true,
    has_nested_aliases: true,
    without_attributes: &[
        ("relax.attrs.LayoutTransformAttrs", "axis_separators"),
        ("relax.attrs.LayoutTransformAttrs", "input_axis_separators"),
    ],
};

/// The surface of a registry.
#[derive(Debug, Default)]
pub(crate) struct Surfaces(pub(crate) Option<&'static Surface>);

impl Slot for Surfaces {
    fn merge(&mut self, other: Surfaces, _: &mut Resolver) {
        self.0 = other.0.or(self.0);
    }
}

impl Surface {
    /// The surface of a registry's dialect.
    #[cfg(any(feature = "print", feature = "parse"))]
    pub fn of(registry: &Registry) -> &'static Surface {
        registry.slot::<Surfaces>().and_then(|slot| slot.0).unwrap_or(&TVM_0_23)
    }

    /// The surface of the open builder.
    #[cfg(feature = "build")]
    pub fn open() -> &'static Surface {
        tvmscript_irbuilder::Builder::context::<&'static Surface>().map_or(&TVM_0_23, |surface| *surface)
    }

    /// A keyword argument as the release names it.
    pub fn keyword(&self, name: &'static str) -> &'static str {
        self.keywords.iter().find(|(own, _)| *own == name).map_or(name, |(_, renamed)| renamed)
    }
}
