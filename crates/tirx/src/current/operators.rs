//! Operators that the release has in namespaces, under other names than TVM 0.23.

/// Names: in TVM 0.23, and in the release.
pub(super) const RENAMED: &[(&str, &str)] = &[
    ("make_filled_simdgroup_matrix", "metal.make_filled_simdgroup_matrix"),
    ("mma_fill", "cuda.mma_fill_legacy"),
    ("mma_store", "cuda.mma_store_legacy"),
    ("ptx_ldmatrix", "ptx_legacy.ldmatrix"),
    ("ptx_mma", "ptx_legacy.mma"),
    ("simdgroup_load", "metal.simdgroup_load"),
    ("simdgroup_multiply_accumulate", "metal.simdgroup_multiply_accumulate"),
    ("simdgroup_store", "metal.simdgroup_store"),
];

#[cfg(feature = "parse")]
pub(super) use names::{call_intrin, namespace};

#[cfg(feature = "parse")]
mod names {
    use tvmscript_ir_core::DataType;
    use tvmscript_irbuilder::{CallArgs, HostFunction, HostObject, Result, ScriptFn, ScriptValue};
    use tvmscript_tir::build::operator;

    use super::RENAMED;

    /// The namespaces.
    const NAMESPACES: [&str; 3] = ["cuda", "metal", "ptx_legacy"];

    /// The namespace of a name.
    pub(in super::super) fn namespace(name: &str) -> Option<ScriptValue> {
        let namespace = NAMESPACES.into_iter().find(|namespace| *namespace == name)?;
        Some(ScriptValue::host(Namespace(namespace)))
    }

    /// `T.ptx_legacy`
    struct Namespace(&'static str);

    impl HostObject for Namespace {
        fn type_name(&self) -> &str {
            "a namespace of operators"
        }
        fn is_namespace(&self) -> bool {
            true
        }
        fn attribute(&self, name: &str) -> Option<ScriptValue> {
            let is_name =
                |full: &str| full.strip_prefix(self.0).and_then(|rest| rest.strip_prefix('.')) == Some(name);
            let (own, full) = RENAMED.iter().find(|(_, full)| is_name(full))?;
            let ScriptValue::Function(function) = operator::find(own)? else { return None };
            Some(HostFunction::value(*full, move |args| call(function, args)))
        }
    }

    /// Calls an operator. The release does not print the type of a call, and reads calls with and without it.
    fn call(function: &'static ScriptFn, mut args: CallArgs) -> Result<ScriptValue> {
        let is_typed = function.params.first().is_some_and(|param| param.name == "dtype");
        let has_type = args.keywords.iter().any(|(keyword, _)| keyword == "dtype")
            || args.positional.first().is_some_and(|first| match first {
                ScriptValue::Str(name) => name.parse::<DataType>().is_ok(),
                ScriptValue::DType(_) => true,
                _ => false,
            });
        if is_typed && !has_type {
            args.positional.insert(0, ScriptValue::DType(DataType::VOID));
        }
        function.call(args)
    }

    /// Calls an operator by its name in the release: `tirx.exp`, `prim.ceil`.
    pub(in super::super) fn call_intrin(mut args: CallArgs) -> Result<ScriptValue> {
        if let Some(ScriptValue::Str(name)) = args.positional.get_mut(1) {
            let rest = name.strip_prefix("tirx.").or_else(|| name.strip_prefix("prim."));
            let own = rest.map(|rest| {
                let own = RENAMED.iter().find(|(_, full)| *full == rest).map_or(rest, |(own, _)| *own);
                format!("tir.{own}")
            });
            if let Some(own) = own {
                *name = own.as_str().into();
            }
        }
        operator::CALL_INTRIN.call(args)
    }
}
