//! What can be wrong with a function.

use tvmscript_ir_core::registry::Finding;
use tvmscript_ir_core::{AccessPath, DataType, Span, Str};

use super::call_tir::CallTirError;

/// What is wrong: one variant, one cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WellFormedErrorKind {
    /// The function's name in the module and in its attributes differ.
    #[error("the module calls the function `{name}`, its attribute `global_symbol` says `{symbol}`")]
    Symbol {
        /// In the module.
        name: Str,
        /// In the attributes.
        symbol: Str,
    },
    /// A function of the module is named that is none.
    #[error("the module has no function `{name}`")]
    UnknownFunction {
        /// The name.
        name: Str,
    },
    /// A value has no struct info.
    #[error("nothing is known of this value: it has no struct info")]
    NoStructInfo,
    /// A value stands where only a variable, a constant or a tuple of these may.
    #[error("{place} is a variable, a constant or a tuple of these, not `{found}`")]
    NotNormal {
        /// Where.
        place: &'static str,
        /// The type key of what stands there.
        found: &'static str,
    },
    /// A variable is used where nothing defines it.
    #[error("variable `{name}` is used where nothing defines it")]
    UndefinedVar {
        /// The name.
        name: Str,
    },
    /// A variable of a dataflow block is used or defined outside of one.
    #[error("variable `{name}` belongs to a dataflow block and stands outside of it")]
    DataflowVarOutside {
        /// The name.
        name: Str,
    },
    /// A variable is defined twice.
    #[error("variable `{name}` is defined a second time")]
    RepeatedDefinition {
        /// The name.
        name: Str,
    },
    /// A scalar variable is used that no parameter and no cast defines.
    #[error("the scalar variable `{name}` is used, but no parameter and no cast defines it")]
    UndefinedScalar {
        /// The name.
        name: Str,
    },
    /// Two functions share a scalar variable.
    #[error("the scalar variable `{name}` stands in two functions of the module")]
    SharedScalar {
        /// The name.
        name: Str,
    },
    /// A dimension is no integer.
    #[error("a dimension is an integer, not of type `{found}`")]
    Dimension {
        /// Its type.
        found: DataType,
    },
    /// A conditional stands in a dataflow block.
    #[error("a dataflow block has no conditionals")]
    IfInDataflow,
    /// A function said to be pure calls one with effects.
    #[error("`{callee}` has effects, and the function is said to have none")]
    ImpureCall {
        /// What is called.
        callee: Str,
    },
    /// A dataflow block calls a function with effects.
    #[error("`{callee}` has effects, and a dataflow block has none")]
    ImpureInDataflow {
        /// What is called.
        callee: Str,
    },
    /// A function is forced to be pure and said not to be.
    #[error(
        "the attribute `relax.force_pure` says that the function is pure, `pure=False` says that it is not"
    )]
    ForcedPurity,
    /// The attribute that forces a function to be pure is neither true nor false.
    #[error("the attribute `relax.force_pure` is true or false, not {found}")]
    ForcedPurityValue {
        /// What it is.
        found: String,
    },
    /// What a call gives cannot be told.
    #[error("{message}")]
    NotInferred {
        /// Why.
        message: String,
    },
    /// A call does not fit the function of buffers that it calls.
    #[error(transparent)]
    CallTir(#[from] CallTirError),
    /// A call asks a tensor for what is known of it already.
    #[error("`{callee}` is known to give `{value}` here")]
    KnownResult {
        /// What is called.
        callee: Str,
        /// What it gives.
        value: String,
    },
    /// A call is said to give what it does not.
    #[error("the call gives `{inferred}`, not `{stated}` as it says")]
    WrongStructInfo {
        /// What it says.
        stated: String,
        /// What it gives.
        inferred: String,
    },
    /// A variable is said to hold what it does not.
    #[error("a value that is `{value}` is bound to a variable that is `{variable}`")]
    WrongBinding {
        /// The value.
        value: String,
        /// The variable.
        variable: String,
    },
}

/// A mistake in a function, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct WellFormedError {
    /// What is wrong.
    pub kind: WellFormedErrorKind,
    /// The function's name in its module; none for a function by itself.
    pub function: Option<Str>,
    /// The route from the function to the wrong node.
    pub path: AccessPath,
    /// The place of the innermost node around it that has one; unknown for none.
    pub span: Span,
}

impl From<WellFormedError> for Finding {
    fn from(error: WellFormedError) -> Finding {
        let (message, help) = (error.kind.to_string(), error.help());
        let WellFormedError { kind: _, function, path, span } = error;
        Finding { message, help, function, path, span, notes: Vec::new() }
    }
}

impl WellFormedError {
    /// How to fix it.
    pub fn help(&self) -> Option<String> {
        use WellFormedErrorKind as Kind;
        Some(match &self.kind {
            Kind::ImpureCall { .. } => {
                "write `@R.function(pure=False)`; where the effects do not matter, call it with `R.call_pure_packed`, or \
                 write `R.func_attr({\"relax.force_pure\": True})` in the function"
                    .to_owned()
            }
            Kind::ImpureInDataflow { .. } => {
                "move the call behind the dataflow block, also in a function with `relax.force_pure`".to_owned()
            }
            Kind::ForcedPurity => {
                "leave out `pure=False`, so that calls with effects count as pure, or the attribute, so that the \
                 function has effects"
                    .to_owned()
            }
            Kind::ForcedPurityValue { .. } => "write `True` or `False`".to_owned(),
            Kind::CallTir(CallTirError::Count { params, scalars, .. }) => {
                let scalars = match scalars {
                    0 => " (scalar parameters behind the buffers are given with `tir_vars`)",
                    _ => "",
                };
                format!(
                    "the {params} parameters are the arguments, then one buffer for each result in `out_sinfo`, which the \
                     call itself makes{scalars}"
                )
            }
            Kind::DataflowVarOutside { name } => {
                format!("name it in the block's output: `R.output({name})`")
            }
            Kind::UndefinedScalar { name } => {
                format!(
                    "use it alone as a dimension of a parameter, or define it by a cast: `R.match_cast(x, R.Tensor(({name},)))`"
                )
            }
            Kind::NotNormal { .. } => "bind the value to a variable first".to_owned(),
            Kind::WrongStructInfo { inferred, .. } => {
                format!("annotate it as `{inferred}`, or leave out the annotation")
            }
            Kind::KnownResult { value, .. } => {
                format!("write the value in place of the call: `R.prim_value({value})`")
            }
            Kind::CallTir(CallTirError::NotInline { .. }) => "write them out: `(t[0], t[1])`".to_owned(),
            Kind::RepeatedDefinition { .. } => "give each definition a variable of its own".to_owned(),
            _ => return None,
        })
    }
}
