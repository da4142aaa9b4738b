//! Functions of TIR whose type is a keyword of calls in the release, which may leave it out.

/// Names in TVM 0.23; the release lists its own.
const TYPED_BY_KEYWORD: &[&str] = &[
    "make_filled_simdgroup_matrix",
    "mma_fill",
    "mma_store",
    "ptx_ldmatrix",
    "ptx_mma",
    "simdgroup_load",
    "simdgroup_multiply_accumulate",
    "simdgroup_store",
];

pub(super) use names::{CALL_INTRIN, typed_by_keyword_functions};

mod names {
    use std::sync::LazyLock;

    use tvmscript_ir_core::DataType;
    use tvmscript_irbuilder::{
        BuildError, BuildResult, Builder, CallArgs, FromScript, Param, PyType, ScriptFn, ScriptValue,
        script_fn,
    };
    use tvmscript_tir::build::args::ExprArg;
    use tvmscript_tir::build::operator::{self, OpArg};

    type PrimExpr = tvmscript_prim::Expr;

    use super::TYPED_BY_KEYWORD;
    use crate::op::call::{Arguments, typed_by_keyword};

    /// A function of TIR with the parameters of the release.
    struct Typed {
        of_tir: &'static ScriptFn,
        params: Vec<Param>,
    }

    static DECLARED: LazyLock<Vec<Typed>> = LazyLock::new(|| {
        let declared = |name: &&'static str| match operator::find(name)? {
            ScriptValue::Function(of_tir) => {
                Some(Typed { of_tir, params: typed_by_keyword(of_tir, "dtype", Some("None")) })
            }
            _ => None,
        };
        TYPED_BY_KEYWORD.iter().filter_map(declared).collect()
    });

    static FUNCTIONS: LazyLock<Vec<ScriptFn>> = LazyLock::new(|| {
        let function = |Typed { of_tir, params }: &'static Typed| ScriptFn {
            name: of_tir.name,
            doc: of_tir.doc,
            params,
            returns: of_tir.returns,
            is_annotation: false,
            members: &[],
            around: None,
            call,
            data: None,
        };
        DECLARED.iter().map(function).collect()
    });

    /// The functions.
    pub(in super::super) fn typed_by_keyword_functions() -> Vec<&'static ScriptFn> {
        FUNCTIONS.iter().collect()
    }

    /// Calls an operator. The release does not print the type of a call, and reads calls with and without it.
    fn call(function: &'static ScriptFn, mut args: CallArgs) -> BuildResult<ScriptValue> {
        let is_type = |value: &ScriptValue| match value {
            ScriptValue::Str(name) => name.parse::<DataType>().is_ok(),
            ScriptValue::DType(_) => true,
            _ => false,
        };
        let Some(declared) = DECLARED.iter().find(|declared| declared.of_tir.name == function.name) else {
            return Err(BuildError::not_callable(function.name));
        };
        let is_typed = declared.of_tir.params.first().is_some_and(|param| param.name == "dtype");
        let dtype = match args.take_keyword("dtype") {
            Some(dtype) => dtype,
            None if is_typed && args.positional.first().is_some_and(is_type) => args.positional.remove(0),
            None => ScriptValue::DType(DataType::VOID),
        };
        Arguments::bind::<ExprArg>(function, args.clone(), |_| None)?;
        if is_typed {
            args.positional.insert(0, dtype);
        }
        declared.of_tir.call(args)
    }

    /// An operator, or its name in the release: `tirx.exp`, `prim.ceil`.
    #[derive(Debug, Clone)]
    pub struct OpOfRelease(OpArg);

    impl FromScript for OpOfRelease {
        const TYPE: PyType = OpArg::TYPE;
        fn from_script(value: ScriptValue) -> BuildResult<Self> {
            let of_tir = match &value {
                ScriptValue::Str(name) if super::super::operator(name).is_none() => {
                    let own = Builder::release().renames.operators.own_name(name);
                    (own != name.as_str()).then(|| ScriptValue::Str(own.as_ref().into()))
                }
                _ => None,
            };
            OpArg::from_script(of_tir.unwrap_or(value)).map(OpOfRelease)
        }
    }

    /// Calls the named operator.
    #[script_fn]
    pub fn call_intrin(
        dtype: DataType,
        func_name: OpOfRelease,
        #[args] args: Vec<ExprArg>,
    ) -> BuildResult<PrimExpr> {
        operator::try_call_intrin(dtype, func_name.0, args)
    }
}
