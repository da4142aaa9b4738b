//! Words and forms of the dialect's text in a release.

use std::panic::Location;

#[cfg(any(feature = "print", feature = "parse"))]
use tvmscript_ir_core::Registry;
use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Resolver, Slot};

/// Words and forms of a release.
#[derive(Debug)]
pub struct Surface {
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
    has_type_variables: false,
    has_bare_scalars: false,
    has_text_type: false,
    has_absent_dtypes: false,
    has_nested_aliases: false,
    without_attributes: &[],
};

/// The surface of a registry.
#[derive(Debug, Default, Clone)]
pub(crate) struct Surfaces(Option<(&'static Surface, RegistrationSite)>);

impl Surfaces {
    #[track_caller]
    pub(crate) fn set(&mut self, surface: &'static Surface) {
        self.0 = Some((surface, Location::caller()));
    }
}

impl Slot for Surfaces {
    fn merge(&mut self, other: Surfaces, resolver: &mut Resolver) {
        if let Some((surface, place)) = other.0
            && resolver.claim("the syntax of `relax`", place)
        {
            self.0 = Some((surface, place));
        }
    }
}

impl Surface {
    /// The surface of a registry's dialect.
    #[cfg(any(feature = "print", feature = "parse"))]
    pub fn of(registry: &Registry) -> &'static Surface {
        registry.slot::<Surfaces>().and_then(|slot| slot.0).map_or(&TVM_0_23, |(surface, _)| surface)
    }

    /// The surface of the open builder.
    #[cfg(feature = "build")]
    pub fn open() -> &'static Surface {
        tvmscript_irbuilder::Builder::context::<&'static Surface>().map_or(&TVM_0_23, |surface| *surface)
    }
}
