//! Errors of the well-formedness check.

use tvmscript_ir_core::{AccessPath, DataType, Span, Str, error_codes};

use super::call_tir::CallTirError;

/// A violation of well-formedness.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WellFormedErrorKind {
    /// The function's name in the module differs from its attribute.
    #[error("the function `{name}` has the attribute `global_symbol` set to `{symbol}`")]
    Symbol {
        /// Name in the module.
        name: Str,
        /// Name in the attribute.
        symbol: Str,
    },
    /// The module has no function of this name.
    #[error("the module has no function `{name}`")]
    UnknownFunction {
        /// Name.
        name: Str,
    },
    /// A value has no struct info.
    #[error("the value has no struct info")]
    NoStructInfo,
    /// A value is not in normal form.
    #[error("{place} must be a variable, a constant or a tuple of these, found `{found}`")]
    NotNormal {
        /// Position.
        place: &'static str,
        /// Type key of the value.
        found: &'static str,
    },
    /// A variable is used but not defined.
    #[error("undefined variable `{name}`")]
    UndefinedVar {
        /// Name.
        name: Str,
    },
    /// A dataflow variable is used or defined outside a dataflow block.
    #[error("dataflow variable `{name}` is used outside its dataflow block")]
    DataflowVarOutside {
        /// Name.
        name: Str,
    },
    /// A variable is defined twice.
    #[error("variable `{name}` is defined twice")]
    RepeatedDefinition {
        /// Name.
        name: Str,
    },
    /// A scalar variable is used but not defined by a parameter or a cast.
    #[error("undefined scalar variable `{name}`: no parameter and no cast defines it")]
    UndefinedScalar {
        /// Name.
        name: Str,
    },
    /// Two functions share a scalar variable.
    #[error("the scalar variable `{name}` is used in two functions of the module")]
    SharedScalar {
        /// Name.
        name: Str,
    },
    /// A dimension is not an integer.
    #[error("a dimension must be an integer, found type `{found}`")]
    Dimension {
        /// Its type.
        found: DataType,
    },
    /// A conditional inside a dataflow block.
    #[error("a conditional is not allowed inside a dataflow block")]
    IfInDataflow,
    /// A pure function calls an impure one.
    #[error("`{callee}` is impure, but the function is pure")]
    ImpureCall {
        /// Callee.
        callee: Str,
    },
    /// A dataflow block calls an impure function.
    #[error("`{callee}` is impure, which is not allowed inside a dataflow block")]
    ImpureInDataflow {
        /// Callee.
        callee: Str,
    },
    /// A function is both forced to be pure and impure.
    #[error("the attribute `relax.force_pure` contradicts `pure=False`")]
    ForcedPurity,
    /// The attribute `relax.force_pure` is not a bool.
    #[error("the attribute `relax.force_pure` must be a bool, found {found}")]
    ForcedPurityValue {
        /// Found value.
        found: String,
    },
    /// Type inference of a call fails.
    #[error("{message}")]
    NotInferred {
        /// Message of the inference error.
        message: String,
    },
    /// A call does not match the PrimFunc that it calls.
    #[error(transparent)]
    CallTir(#[from] CallTirError),
    /// The result of a call is already known.
    #[error("the result of `{callee}` is already known to be `{value}`")]
    KnownResult {
        /// Callee.
        callee: Str,
        /// Result.
        value: String,
    },
    /// The stated struct info of a call contradicts the inferred one.
    #[error("the struct info of the call does not match: expected `{inferred}`, found `{stated}`")]
    WrongStructInfo {
        /// Stated struct info.
        stated: String,
        /// Result.
        inferred: String,
    },
    /// The struct info of a variable contradicts that of its value.
    #[error("the value has struct info `{value}`, which does not match the variable: `{variable}`")]
    WrongBinding {
        /// Value.
        value: String,
        /// Struct info of the variable.
        variable: String,
    },
}

error_codes! {
    WellFormedErrorKind {
        WellFormedErrorKind::Symbol { .. } => "E0620" "ill-formed"
            "The attribute `global_symbol` of a function differs from its name in the module.";
        WellFormedErrorKind::UnknownFunction { .. } => "E0621" "ill-formed"
            "A call names a function that the module does not have.";
        WellFormedErrorKind::NoStructInfo => "E0622" "ill-formed"
            "A Relax value has no struct info. Values of scripts always have one; a pass that makes values has to infer it.";
        WellFormedErrorKind::NotNormal { .. } => "E0623" "ill-formed"
            "An argument, condition or result is a nested expression, where normal form allows a variable, a constant or \
             a tuple of these. Reading a script binds nested expressions; a pass has to do so itself.";
        WellFormedErrorKind::UndefinedVar { .. } => "E0624" "ill-formed"
            "A Relax function uses a variable before its binding, or one that it does not bind at all.";
        WellFormedErrorKind::DataflowVarOutside { .. } => "E0625" "ill-formed"
            "A variable of a dataflow block is used behind the block, without being one of its outputs.";
        WellFormedErrorKind::RepeatedDefinition { .. } => "E0626" "ill-formed"
            "A Relax variable is bound twice. Names may repeat, variables may not.";
        WellFormedErrorKind::UndefinedScalar { .. } => "E0627" "ill-formed"
            "A shape uses a scalar variable that no parameter defines by having it alone as a dimension, and no \
             `R.match_cast` binds.";
        WellFormedErrorKind::SharedScalar { .. } => "E0628" "ill-formed"
            "Two functions of a module use the same scalar variable. Each function needs its own.";
        WellFormedErrorKind::Dimension { .. } => "E0629" "ill-formed"
            "A dimension of a shape is not an integer.";
        WellFormedErrorKind::IfInDataflow => "E0630" "ill-formed"
            "A dataflow block contains a conditional. Dataflow blocks have no control flow; end the block before it.";
        WellFormedErrorKind::ImpureCall { .. } => "E0631" "ill-formed"
            "A pure function calls something that has side effects.";
        WellFormedErrorKind::ImpureInDataflow { .. } => "E0632" "ill-formed"
            "A dataflow block calls something that has side effects.";
        WellFormedErrorKind::ForcedPurity => "E0633" "ill-formed"
            "A function is declared impure, and its attribute `relax.force_pure` says that it is pure.";
        WellFormedErrorKind::ForcedPurityValue { .. } => "E0634" "ill-formed"
            "The attribute `relax.force_pure` is not a bool.";
        WellFormedErrorKind::NotInferred { .. } => "E0635" "ill-formed"
            "The arguments of an operator contradict each other or its attributes, so that its result has no struct info.";
        WellFormedErrorKind::KnownResult { .. } => "E0637" "ill-formed"
            "A call computes at run time what is known already, such as the size of a tensor of known shape.";
        WellFormedErrorKind::WrongStructInfo { .. } => "E0638" "ill-formed"
            "The struct info that a call states contradicts the one that follows from its arguments.";
        WellFormedErrorKind::WrongBinding { .. } => "E0639" "ill-formed"
            "The struct info of a variable contradicts that of the value bound to it.";
    }
    delegate {
        WellFormedErrorKind::CallTir(error) => error.error_code();
    }
}

/// A violation of well-formedness, with its location.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct WellFormedError {
    /// The violation.
    pub kind: WellFormedErrorKind,
    /// Name of the function in its module; `None` for a function alone.
    pub function: Option<Str>,
    /// Path from the function to the node.
    pub path: AccessPath,
    /// Span of the node or its innermost ancestor with a span.
    pub span: Span,
}

impl WellFormedError {
    /// Returns a suggestion for the fix.
    pub fn help(&self) -> Option<String> {
        use WellFormedErrorKind as Kind;
        Some(match &self.kind {
            Kind::ImpureCall { .. } => {
                "write `@R.function(pure=False)`; if the effects can be ignored, use `R.call_pure_packed`, or \
                 `R.func_attr({\"relax.force_pure\": True})` in the function"
                    .to_owned()
            }
            Kind::ImpureInDataflow { .. } => {
                "move the call after the dataflow block, even in a function with `relax.force_pure`".to_owned()
            }
            Kind::ForcedPurity => {
                "remove `pure=False` to treat impure calls as pure, or the attribute to make the \
                 function impure"
                    .to_owned()
            }
            Kind::ForcedPurityValue { .. } => "write `True` or `False`".to_owned(),
            Kind::CallTir(CallTirError::Count { params, scalars, .. }) => {
                let scalars = match scalars {
                    0 => " (`tir_vars` holds the scalar parameters after the buffers)",
                    _ => "",
                };
                format!(
                    "the {params} parameters are the arguments, then one buffer for each result in `out_sinfo`, which the \
                     call allocates{scalars}"
                )
            }
            Kind::DataflowVarOutside { name } => {
                format!("add it to the output of the block: `R.output({name})`")
            }
            Kind::UndefinedScalar { name } => {
                format!(
                    "use it alone as a dimension of a parameter, or define it with a cast: `R.match_cast(x, R.Tensor(({name},)))`"
                )
            }
            Kind::NotNormal { .. } => "bind the value to a variable first".to_owned(),
            Kind::WrongStructInfo { inferred, .. } => {
                format!("annotate it as `{inferred}`, or remove the annotation")
            }
            Kind::KnownResult { value, .. } => {
                format!("replace the call by the value: `R.prim_value({value})`")
            }
            Kind::CallTir(CallTirError::NotInline { .. }) => "write out the tuple: `(t[0], t[1])`".to_owned(),
            Kind::RepeatedDefinition { .. } => "use a different variable for each definition".to_owned(),
            _ => return None,
        })
    }
}
