//! Taking a leaf block, with the loops that iterate nothing else, out of its scope.

use tvmscript_ir_core::{Descend, Mutator, Object, mutate};
use tvmscript_tir::{SeqStmt, Stmt, StmtRef, StmtView as _, flatten};

use crate::error::{Result, ScheduleError};
use crate::state::{Item, State};
use crate::walk::Found;

/// A statement that is going to be taken out of a sequence, with all that only it is for.
#[derive(Debug, Clone)]
pub(crate) struct Removal {
    /// The element of the sequence.
    element: Object,
}

impl Removal {
    /// Plans the removal of a block.
    ///
    /// # Errors
    /// `OnlyLeafError` if nothing of the scope would remain.
    ///
    /// # Source
    /// `LeafBlockRemovalPlan`, `src/tir/schedule/transform.cc`.
    pub(crate) fn of(state: &State, block: Item) -> Result<Removal> {
        let mut element = block;
        for above in state.ancestors(block) {
            let stmt = state.stmt(above)?;
            let Some(found) = Found::of(stmt) else { break };
            let mut body = found.body();
            if state.is_block(above) {
                body = below_declarations(body);
            }
            if let Some(sequence) = body.as_node::<SeqStmt>() {
                let stmt = state.stmt(element)?.object().clone();
                let is_element = sequence.seq.iter().any(|other| other.object().ptr_eq(&stmt));
                let is_alone = element == block || state.child_blocks(element)?.len() == 1;
                return match is_element && is_alone {
                    true => Ok(Removal { element: stmt }),
                    false => {
                        Err(ScheduleError::plain("the block is below a condition, and cannot be taken out"))
                    }
                };
            }
            if state.is_block(above) {
                let (leaf, scope) = (state.block_of(block)?, state.block_of(above)?);
                let message = format!(
                    "the block `{}` is the only one of `{}`, which would be empty without it",
                    leaf.name_hint.as_str(),
                    scope.name_hint.as_str()
                );
                return Err(ScheduleError::new("OnlyLeafError", message).at(leaf.clone()).at(scope.clone()));
            }
            element = above;
        }
        Err(ScheduleError::plain("the block has no scope"))
    }

    /// Returns `true` for the statement that is taken out.
    pub(crate) fn is(&self, node: &Object) -> bool {
        node.ptr_eq(&self.element)
    }

    /// A node whose parts were rewritten, without the statement, if it is the sequence that has it.
    pub(crate) fn leave(&self, node: Object) -> Object {
        match node.as_node::<SeqStmt>() {
            Some(sequence) if sequence.seq.iter().any(|stmt| self.is(stmt.object())) => {
                let rest = sequence.seq.iter().filter(|stmt| !self.is(stmt.object()));
                flatten(rest.cloned().collect(), true).object().clone()
            }
            _ => node,
        }
    }
}

/// The statement below the declarations at the beginning of a block.
fn below_declarations(stmt: &StmtRef) -> &StmtRef {
    use tvmscript_tir::StmtKind;
    let mut body = stmt;
    loop {
        match body.kind() {
            StmtKind::DeclBuffer(declaration) => body = &declaration.body,
            StmtKind::AllocateConst(constant) => body = &constant.body,
            _ => return body,
        }
    }
}

/// Moves a leaf block within its scope: takes it out, and replaces one loop.
///
/// # Errors
/// If the new statement does not fit.
pub(crate) fn moved(body: StmtRef, removal: &Removal, old: &StmtRef, new: &StmtRef) -> Result<StmtRef> {
    Ok(mutate(body, &mut Move { removal, old, new })?)
}

struct Move<'m> {
    removal: &'m Removal,
    old: &'m StmtRef,
    new: &'m StmtRef,
}

impl Mutator for Move<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if node.ptr_eq(self.old.object()) {
            return Descend::Replace(self.new.object().clone());
        }
        let is_entered = node.is::<Stmt>() && !node.is::<tvmscript_tir::BlockRealize>();
        match is_entered && !self.removal.is(node) {
            true => Descend::Into,
            false => Descend::Keep,
        }
    }

    fn leave(&mut self, node: Object) -> Object {
        self.removal.leave(node)
    }
}
