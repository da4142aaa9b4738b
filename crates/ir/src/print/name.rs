//! The names of functions in text.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, names};
use tvmscript_ir_core::{DictAttrs, PathId, Value};

use crate::symbol::{GLOBAL_SYMBOL, global_symbol};

/// The name a function of these attributes prints by: the one its module has for it, else the one it is linked by, else
/// `main`. What Python cannot read as a name is made one; the attributes then say the real one.
pub fn function_name(attrs: &DictAttrs, d: &mut Docsifier<'_>) -> String {
    let name = match d.binding_name() {
        Some(name) => d.docs.text(name).to_owned(),
        None => global_symbol(attrs).unwrap_or("main").to_owned(),
    };
    if names::is_wide_identifier(&name) { name } else { names::sanitize(&name) }
}

/// The name after `def`, which stands for the name that the function at `path` is linked by.
pub fn function_name_doc(name: &str, path: PathId, d: &mut Docsifier<'_>) -> ExprDoc {
    let doc = d.docs.id(name);
    let at = d.field(path, "attrs");
    let at = d.field(at, "__dict__");
    let at = d.entry(at, &Value::str(GLOBAL_SYMBOL));
    d.at(doc, at)
}
