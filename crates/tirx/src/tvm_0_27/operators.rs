//! Operators that the release has in namespaces, under other names than TVM 0.23.

/// Names: in TVM 0.23, and in the release. The release lists them too, for printers and upgrades; these are declared here,
/// because their parameters differ.
const RENAMED: &[(&str, &str)] = &[
    ("make_filled_simdgroup_matrix", "metal.make_filled_simdgroup_matrix"),
    ("mma_fill", "cuda.mma_fill_legacy"),
    ("mma_store", "cuda.mma_store_legacy"),
    ("ptx_ldmatrix", "ptx_legacy.ldmatrix"),
    ("ptx_mma", "ptx_legacy.mma"),
    ("simdgroup_load", "metal.simdgroup_load"),
    ("simdgroup_multiply_accumulate", "metal.simdgroup_multiply_accumulate"),
    ("simdgroup_store", "metal.simdgroup_store"),
];

pub(super) use names::{CALL_INTRIN, renamed};

mod names {
    use std::sync::LazyLock;

    use tvmscript_ir_core::DataType;
    use tvmscript_irbuilder::{
        BuildError, Builder, CallArgs, FromScript, Param, PyType, Result, ScriptFn, ScriptValue, script_fn,
    };
    use tvmscript_tir::build::args::ExprArg;
    use tvmscript_tir::build::operator::{self, OpArg};

    type PrimExpr = tvmscript_prim::Expr;

    use super::RENAMED;
    use crate::op::call::{Arguments, typed_by_keyword};

    /// A function of TIR as the release has it.
    struct Renamed {
        of_tir: &'static ScriptFn,
        name: &'static str,
        params: Vec<Param>,
    }

    static DECLARED: LazyLock<Vec<Renamed>> = LazyLock::new(|| {
        let declared = |(own, name): &(&'static str, &'static str)| match operator::find(own)? {
            ScriptValue::Function(of_tir) => {
                Some(Renamed { of_tir, name, params: typed_by_keyword(of_tir, "dtype", Some("None")) })
            }
            _ => None,
        };
        RENAMED.iter().filter_map(declared).collect()
    });

    static FUNCTIONS: LazyLock<Vec<ScriptFn>> = LazyLock::new(|| {
        let function = |Renamed { of_tir, name, params }: &'static Renamed| ScriptFn {
            name,
            doc: of_tir.doc,
            params,
            returns: of_tir.returns,
            is_annotation: false,
            members: &[],
            around: None,
            call,
        };
        DECLARED.iter().map(function).collect()
    });

    /// The functions under the names of the release.
    pub(in super::super) fn renamed() -> Vec<&'static ScriptFn> {
        FUNCTIONS.iter().collect()
    }

    /// Calls an operator. The release does not print the type of a call, and reads calls with and without it.
    fn call(function: &'static ScriptFn, mut args: CallArgs) -> Result<ScriptValue> {
        let is_type = |value: &ScriptValue| match value {
            ScriptValue::Str(name) => name.parse::<DataType>().is_ok(),
            ScriptValue::DType(_) => true,
            _ => false,
        };
        let Some(declared) = DECLARED.iter().find(|declared| declared.name == function.name) else {
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
        fn from_script(value: ScriptValue) -> Result<Self> {
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
    ) -> Result<PrimExpr> {
        operator::try_call_intrin(dtype, func_name.0, args)
    }
}
