//! Tables of converters: the one place that says which operators of a format are supported.

/// The documentation of one operator: a line of `tvmscript import --list-operators` and of the tables in the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorDoc {
    /// Name of the operator in the model.
    pub name: &'static str,
    /// Operator set; empty for the format's own.
    pub domain: &'static str,
    /// Versions of the operator set that have a converter of their own; empty where the format has no versions.
    pub versions: &'static [i64],
    /// The operators of Relax that a call becomes, in words.
    pub relax: &'static str,
    /// Forms that are not supported; empty if all are.
    pub unsupported: &'static str,
}

impl OperatorDoc {
    /// Documents an operator of a format without versions and operator sets.
    #[cfg(any(feature = "torch", feature = "tflite", feature = "tf"))]
    pub(crate) const fn plain(
        name: &'static str,
        relax: &'static str,
        unsupported: &'static str,
    ) -> OperatorDoc {
        OperatorDoc { name, domain: "", versions: &[], relax, unsupported }
    }

    /// Documents in order of their names.
    pub(crate) fn sorted(docs: impl IntoIterator<Item = OperatorDoc>) -> Vec<OperatorDoc> {
        let mut docs: Vec<OperatorDoc> = docs.into_iter().collect();
        docs.sort_by_key(|doc| (doc.name, doc.domain));
        docs
    }
}

/// Lets converters return an expression, a call, or the list of results as the output type of their format.
#[cfg(any(feature = "onnx", feature = "tflite", feature = "tf"))]
macro_rules! outputs {
    ($output:ident) => {
        impl From<tvmscript_relax::Expr> for $output {
            fn from(value: tvmscript_relax::Expr) -> $output {
                $output::One(value)
            }
        }

        impl From<tvmscript_ir_core::Ref<tvmscript_relax::Call>> for $output {
            fn from(call: tvmscript_ir_core::Ref<tvmscript_relax::Call>) -> $output {
                $output::One(call.upcast())
            }
        }

        impl From<Vec<tvmscript_relax::Expr>> for $output {
            fn from(values: Vec<tvmscript_relax::Expr>) -> $output {
                $output::Many(values)
            }
        }
    };
}
#[cfg(any(feature = "onnx", feature = "tflite", feature = "tf"))]
pub(crate) use outputs;
