//! Constants whose elements the text leaves out.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, OptionArgument, PrinterOption};
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::tensor::element_count;

/// Selects the constants that text leaves out, in all dialects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConstantOptions {
    /// Leaves out constants with more elements than this. The text then contains the hash under which a
    /// [`ConstantStore`](crate::constants::ConstantStore) holds the constant. With `None` all constants are in the text
    /// or its metadata section.
    pub elide: Option<u64>,
}

/// The printer options for front ends.
pub(super) static OPTIONS: &[PrinterOption] = &[PrinterOption {
    name: "elide-constants",
    help: "Leave out the elements of constants with more than this many; the text names them by their content",
    argument: OptionArgument::Value { name: "ELEMENTS", default: "never" },
    set: |config, text| {
        config.part_mut::<ConstantOptions>().elide = match text {
            "never" => None,
            count => Some(count.parse().map_err(|_| "not a number of elements".to_owned())?),
        };
        Ok(())
    },
    header: None,
}];

/// `R.elided_const("3f9a..", (64, 64), "float32")`, for a tensor above the size limit or without elements; `None` for
/// others. `dialect` names the function's prefix.
pub fn elided(data: &TensorNode, dialect: &str, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    let limit = d.state(|config| config.part::<ConstantOptions>()).elide;
    let is_large = limit.is_some_and(|limit| element_count(&data.shape) > limit);
    if !is_large && data.bytes().is_some() {
        return None;
    }
    let hash = d.docs.str(&*data.content_hash().to_string());
    Some(tensor_call(dialect, "elided_const", hash, data, d))
}

/// `R.function(name, (64, 64), "float32")`: a call with a tensor's shape and type.
pub fn tensor_call(
    dialect: &str,
    function: &str,
    name: ExprDoc,
    data: &TensorNode,
    d: &mut Docsifier<'_>,
) -> ExprDoc {
    let dims: Vec<ExprDoc> = data.shape.iter().map(|dim| d.docs.int(*dim)).collect();
    let shape = d.docs.tuple(&dims);
    let dtype = d.dtype(data.dtype);
    let callee = d.prefixed(dialect, function);
    d.docs.call_args(callee, &[name, shape, dtype])
}
