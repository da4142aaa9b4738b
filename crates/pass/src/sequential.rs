//! Sequences of passes.

use std::sync::Arc;

use tvmscript_ir_core::{Class, Ref};

use crate::{Pass, PassContext, PassError, PassInfo};

/// Runs passes in order. Leaves out passes that the context disables or that are above its optimisation level, unless
/// it requires them, and runs required passes first.
pub struct Sequential<R> {
    name: String,
    passes: Vec<Arc<dyn Pass<R>>>,
}

impl<R> Clone for Sequential<R> {
    fn clone(&self) -> Self {
        Sequential { name: self.name.clone(), passes: self.passes.clone() }
    }
}

impl<R> Sequential<R> {
    /// Creates an empty sequence.
    pub fn new(name: impl Into<String>) -> Sequential<R> {
        Sequential { name: name.into(), passes: Vec::new() }
    }

    /// Adds a pass at the end.
    #[must_use]
    pub fn then(self, pass: impl Pass<R> + 'static) -> Sequential<R> {
        self.then_shared(Arc::new(pass))
    }

    /// Adds a pass at the end, such as one of a [`PassTable`](crate::PassTable).
    #[must_use]
    pub fn then_shared(mut self, pass: Arc<dyn Pass<R>>) -> Sequential<R> {
        self.passes.push(pass);
        self
    }

    /// Returns the passes in order.
    pub fn passes(&self) -> &[Arc<dyn Pass<R>>] {
        &self.passes
    }
}

impl<R: Class> Pass<R> for Sequential<R> {
    fn info(&self) -> PassInfo {
        PassInfo { is_sequence: true, ..PassInfo::new(self.name.as_str(), "Runs passes in order.") }
    }

    fn transform(&self, root: Ref<R>, context: &PassContext<'_, R>) -> Result<Ref<R>, PassError> {
        self.passes.iter().filter(|pass| context.is_enabled(&pass.info())).try_fold(root, |root, pass| {
            let root = context.run_required(&pass.info(), root)?;
            context.run(pass.as_ref(), root)
        })
    }
}

impl<R> std::fmt::Debug for Sequential<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.passes.iter().map(|pass| pass.info().name).collect();
        f.debug_struct("Sequential").field("name", &self.name).field("passes", &names).finish()
    }
}
