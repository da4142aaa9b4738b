//! The variable table of script bodies: names to values, in frames.
//!
//! A name is a dense number, so the table is an array; leaving a frame undoes what was written in it. Nothing is copied
//! when a frame opens, and looking a name up is one indexed load.
//!
//! Invariant: the undo log holds, for each definition since its frame opened, what the slot held before.
//! Upstream counterpart: `VarTable` in `python/tvm/script/parser/core/parser.py`.

use hashbrown::HashMap;
use tvmscript_ir_core::Object;
use tvmscript_irbuilder::ScriptValue;

use tvmscript_python_syntax::ast::{Name, TextRange};
use tvmscript_script_eval::{Binding, same};

/// What a name stands for, and where it was defined.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    pub(crate) binding: Binding,
    /// The number of the frame of the definition, from 1.
    frame: u32,
    /// Where it was defined; of a name that stands for nothing now, where it last stood for something.
    pub(crate) place: TextRange,
}

/// The name is already defined in the innermost frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Redefined {
    pub(crate) first: TextRange,
}

/// Whether a definition may replace another one of the same frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shadowing {
    /// A name is defined once in its frame; names of outer frames are hidden.
    OuterFrames,
    /// Also names of the same frame are replaced.
    SameFrame,
}

#[derive(Debug, Default)]
pub(crate) struct Scopes {
    slots: Vec<Slot>,
    undo: Vec<(Name, Slot)>,
    frames: Vec<u32>,
    /// How many names stand for a node, by its address, once that was asked: then every change is entered.
    holders: Option<HashMap<usize, u32>>,
    /// What names that the table has not met stand for.
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
        while self.undo.len() > start {
            if let Some((name, slot)) = self.undo.pop() {
                let current = &mut self.slots[name.index()];
                let old = std::mem::replace(current, slot);
                if let Binding::Unbound = current.binding {
                    current.place = old.place;
                }
                if let Some(holders) = &mut self.holders {
                    forget(holders, &old);
                    count(holders, &self.slots[name.index()]);
                }
            }
        }
    }

    /// Whether the name is defined in the innermost frame.
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
        if self.slots.len() <= name.index() {
            self.slots.resize_with(name.index() + 1, Slot::default);
        }
        let frame = self.frames.len() as u32;
        let slot = &mut self.slots[name.index()];
        let new = Slot { binding, frame, place };
        if let (Binding::Value(old), Binding::Value(value)) = (&slot.binding, &new.binding)
            && same(old, value)
        {
            return Ok(());
        }
        let replaces = slot.frame == frame && frame > 0 && !matches!(slot.binding, Binding::Unbound);
        // Poison gives way, so that a wrong first definition is not followed by a second complaint.
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

    /// The names that stand for something now, for suggestions.
    pub(crate) fn bound_names(&self) -> impl Iterator<Item = Name> {
        self.undo.iter().map(|(name, _)| *name)
    }

    /// Whether a name stands for this very node.
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

/// Enters that a slot stands for its node.
fn count(holders: &mut HashMap<usize, u32>, slot: &Slot) {
    if let Binding::Value(ScriptValue::Node(node)) = &slot.binding {
        *holders.entry(node.address()).or_insert(0) += 1;
    }
}

/// Takes [`count`] back.
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
