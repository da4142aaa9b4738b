//! The variables of a model, by name.

use std::collections::{BTreeMap, HashMap};

use tvmscript_ir_core::Ref;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_relax::Expr;

use super::bundle::{Bundle, VALUE_SUFFIX};
use crate::error::ImportError;

/// The variables of a model.
#[derive(Debug, Default)]
pub(super) struct Variables {
    bundle: Option<Bundle>,
    /// Keys of variables that the graph itself restores.
    restored: HashMap<String, String>,
    /// Keys of variables, from the graph of objects.
    named: BTreeMap<String, String>,
    /// Values that were read already.
    pub(super) known: HashMap<String, Expr>,
}

impl Variables {
    /// The variables of a bundle; `restored` has the keys that the graph states.
    pub(super) fn new(bundle: Option<Bundle>, restored: HashMap<String, String>) -> Variables {
        let named = bundle.as_ref().map(Bundle::keys_of_names).unwrap_or_default();
        Variables { bundle, restored, named, known: HashMap::new() }
    }

    /// The value of a variable.
    pub(super) fn tensor(&self, name: &str) -> Result<Ref<TensorNode>, ImportError> {
        let Some(bundle) = &self.bundle else {
            let reason = "is a variable, and the model has no `variables/variables.index` beside it";
            return Err(ImportError::Tensor { name: name.to_owned(), reason: reason.to_owned() });
        };
        let stated = self.restored.get(name).or_else(|| self.named.get(name)).cloned();
        let candidates = [stated, Some(name.to_owned()), Some(format!("{name}{VALUE_SUFFIX}"))];
        let key = candidates.into_iter().flatten().find(|key| bundle.contains(key));
        bundle.tensor(name, &key.unwrap_or_default())
    }
}
