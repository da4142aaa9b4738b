//! Words and forms of the dialect's text in a release.

use std::panic::Location;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Registry, Resolver, Slot};

use crate::op::Families;

/// Words and forms of a release.
#[derive(Debug)]
pub struct RelaxSyntax {
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
    /// Operators beside those of all releases.
    pub operators: Families,
    /// Attributes that the release lacks, by the type of the attributes. Empty ones do not print.
    pub without_attributes: &'static [(&'static str, &'static str)],
}

/// TVM 0.23.
pub static TVM_0_23: RelaxSyntax = FORMS;

/// The forms of TVM 0.23, for releases that resemble it.
pub const FORMS: RelaxSyntax = RelaxSyntax {
    has_type_variables: false,
    has_bare_scalars: false,
    has_text_type: false,
    has_absent_dtypes: false,
    has_nested_aliases: false,
    operators: Families::NONE,
    without_attributes: &[],
};

/// The syntax of a registry.
#[derive(Debug, Default, Clone)]
pub(crate) struct SyntaxSlot(Option<(&'static RelaxSyntax, RegistrationSite)>);

impl SyntaxSlot {
    #[track_caller]
    pub(crate) fn set(&mut self, syntax: &'static RelaxSyntax) {
        self.0 = Some((syntax, Location::caller()));
    }
}

impl Slot for SyntaxSlot {
    fn merge(&mut self, other: SyntaxSlot, resolver: &mut Resolver) {
        if let Some((syntax, place)) = other.0
            && resolver.claim("the syntax of `relax`", place)
        {
            self.0 = Some((syntax, place));
        }
    }
}

impl RelaxSyntax {
    /// The syntax of a registry's dialect.
    pub fn of(registry: &Registry) -> &'static RelaxSyntax {
        registry.slot::<SyntaxSlot>().and_then(|slot| slot.0).map_or(&TVM_0_23, |(syntax, _)| syntax)
    }

    /// The syntax of the open builder.
    #[cfg(feature = "build")]
    pub fn open() -> &'static RelaxSyntax {
        tvmscript_irbuilder::Builder::context::<&'static RelaxSyntax>().map_or(&TVM_0_23, |syntax| *syntax)
    }
}
