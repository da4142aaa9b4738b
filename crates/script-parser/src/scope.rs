//! Variable table of script bodies.
//!
//! Names are dense indices, so the table is an array, and a lookup is one indexed load. Opening a frame copies
//! nothing; closing it undoes its definitions.
//!
//! Invariant: for each definition since a frame opened, the undo log contains the previous value of the slot.

use hashbrown::HashMap;
use tvmscript_ir_core::Object;
use tvmscript_irbuilder::ScriptValue;

use tvmscript_python_syntax::ast::{Name, TextRange};
use tvmscript_script_eval::{Binding, same};

/// Binding of a name, and where it was defined.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    pub(crate) binding: Binding,
    /// Number of the defining frame, from 1.
    frame: u32,
    /// Range of the definition; for an unbound name, of its last definition.
    pub(crate) place: TextRange,
}

/// The name is already defined in the innermost frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Redefined {
    pub(crate) first: TextRange,
}

/// Definitions that a new definition of the same name may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shadowing {
    /// Definitions of outer frames, which it hides.
    OuterFrames,
    /// Definitions of outer frames and of the same frame.
    SameFrame,
}

#[derive(Debug, Default)]
pub(crate) struct Scopes {
    slots: Vec<Slot>,
    undo: Vec<(Name, Slot)>,
    frames: Vec<u32>,
    /// Number of names bound to each node, by address. Computed by the first query and maintained from then on.
    holders: Option<HashMap<usize, u32>>,
    /// Slot of names beyond the end of the array.
    unbound: Slot,
}

impl Scopes {
    #[inline]
    pub(crate) fn get(&self, name: Name) -> &Slot {
        self.slots.get(name.index()).unwrap_or(&self.unbound)
    }

    pub(crate) fn push_frame(&mut self) {
        self.frames.push(self.undo.len() as u32);
    }

    pub(crate) fn pop_frame(&mut self) {
        let start = self.frames.pop().unwrap_or(0) as usize;
        for (name, slot) in self.undo.drain(start..).rev() {
            let Some(current) = self.slots.get_mut(name.index()) else { continue };
            let old = std::mem::replace(current, slot);
            if let Binding::Unbound = current.binding {
                current.place = old.place;
            }
            if let Some(holders) = &mut self.holders {
                forget(holders, &old);
                count(holders, current);
            }
        }
    }

    /// Returns `true` if the name is defined in the innermost frame.
    pub(crate) fn is_local(&self, name: Name) -> bool {
        let slot = self.get(name);
        slot.frame == self.frames.len() as u32 && !matches!(slot.binding, Binding::Unbound)
    }

    /// Defines a name in the innermost frame.
    pub(crate) fn define(
        &mut self,
        name: Name,
        binding: Binding,
        place: TextRange,
        shadowing: Shadowing,
    ) -> Result<(), Redefined> {
        let frame = self.frames.len() as u32;
        let slot = grown(&mut self.slots, name.index());
        let new = Slot { binding, frame, place };
        if let (Binding::Value(old), Binding::Value(value)) = (&slot.binding, &new.binding)
            && same(old, value)
        {
            return Ok(());
        }
        let replaces = slot.frame == frame && frame > 0 && !matches!(slot.binding, Binding::Unbound);
        // Poison can be replaced, so that an invalid first definition causes no second error.
        let poisoned = matches!(slot.binding, Binding::Poison) || matches!(new.binding, Binding::Poison);
        if replaces && shadowing == Shadowing::OuterFrames && !poisoned {
            return Err(Redefined { first: slot.place });
        }
        if let Some(holders) = &mut self.holders {
            forget(holders, slot);
            count(holders, &new);
        }
        let old = std::mem::replace(slot, new);
        if !replaces {
            self.undo.push((name, old));
        }
        Ok(())
    }

    /// The bound names, for suggestions.
    pub(crate) fn bound_names(&self) -> impl Iterator<Item = Name> {
        self.undo.iter().map(|(name, _)| *name)
    }

    /// Returns `true` if a name is bound to this node.
    pub(crate) fn holds(&mut self, node: &Object) -> bool {
        let holders = self.holders.get_or_insert_with(|| {
            let mut holders = HashMap::new();
            self.slots.iter().for_each(|slot| count(&mut holders, slot));
            holders
        });
        holders.contains_key(&node.address())
    }

    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }
}

/// Counts the node of a slot.
fn count(holders: &mut HashMap<usize, u32>, slot: &Slot) {
    if let Binding::Value(ScriptValue::Node(node)) = &slot.binding {
        *holders.entry(node.address()).or_insert(0) += 1;
    }
}

/// Reverts [`count`].
fn forget(holders: &mut HashMap<usize, u32>, slot: &Slot) {
    if let Binding::Value(ScriptValue::Node(node)) = &slot.binding
        && let Some(names) = holders.get_mut(&node.address())
    {
        *names -= 1;
        if *names == 0 {
            holders.remove(&node.address());
        }
    }
}

/// The element at an index of a dense table, which grows as needed.
#[allow(clippy::indexing_slicing, reason = "the table has been grown to contain the index")]
pub(crate) fn grown<T: Default>(table: &mut Vec<T>, index: usize) -> &mut T {
    if table.len() <= index {
        table.resize_with(index + 1, T::default);
    }
    &mut table[index]
}
