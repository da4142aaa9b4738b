//! Sequences of passes.

use std::sync::Arc;

use tvmscript_ir::IRModule;
use tvmscript_ir_core::Ref;

use crate::{Pass, PassContext, PassError, PassInfo};

/// Runs passes in order. Leaves out passes that the context disables or that are above its optimisation level, unless
/// it requires them, and runs required passes first.
#[derive(Clone)]
pub struct Sequential {
    name: String,
    passes: Vec<Arc<dyn Pass>>,
}

impl Sequential {
    /// Creates an empty sequence.
    pub fn new(name: impl Into<String>) -> Sequential {
        Sequential { name: name.into(), passes: Vec::new() }
    }

    /// Adds a pass at the end.
    #[must_use]
    pub fn then(self, pass: impl Pass + 'static) -> Sequential {
        self.then_shared(Arc::new(pass))
    }

    /// Adds a pass at the end, such as one of a [`PassTable`](crate::PassTable).
    #[must_use]
    pub fn then_shared(mut self, pass: Arc<dyn Pass>) -> Sequential {
        self.passes.push(pass);
        self
    }

    /// Returns the passes in order.
    pub fn passes(&self) -> &[Arc<dyn Pass>] {
        &self.passes
    }
}

impl Pass for Sequential {
    fn info(&self) -> PassInfo {
        PassInfo { is_sequence: true, ..PassInfo::new(self.name.as_str(), "Runs passes in order.") }
    }

    fn transform(&self, module: Ref<IRModule>, context: &PassContext) -> Result<Ref<IRModule>, PassError> {
        self.passes.iter().filter(|pass| context.is_enabled(&pass.info())).try_fold(module, |module, pass| {
            let module = context.run_required(&pass.info(), module)?;
            context.run(pass.as_ref(), module)
        })
    }
}

impl std::fmt::Debug for Sequential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.passes.iter().map(|pass| pass.info().name).collect();
        f.debug_struct("Sequential").field("name", &self.name).field("passes", &names).finish()
    }
}
