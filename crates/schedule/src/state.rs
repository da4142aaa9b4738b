//! The module under work, with a handle for each loop and block.
//!
//! A primitive replaces one loop or block by a new statement ([`State::replace`]). Handles survive: a loop keeps its handle
//! if the new statement has a loop with the same variable, a block if the primitive says which block it became. All other
//! handles below the replaced statement end.
//!
//! Upstream counterpart: `src/tir/schedule/state.cc`, which changes its tree in place. Here each replacement makes a new
//! function that shares all other nodes with the old one.

use hashbrown::HashMap;
use tvmscript_ir::{BaseFunc, GlobalVar, IRModule};
use tvmscript_ir_core::{
    Class as _, Descend, Map, Mutator, Object, ObjectLike as _, Ref, Str, mutate, substitute,
};
use tvmscript_tir::{Block, BlockRealize, For, PrimFunc, SeqStmt, Stmt, StmtRef};

use crate::definition::Exchange;
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::walk::{Found, topmost};

/// The handle of a loop or a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Item(u32);

/// A loop or block of the state.
#[derive(Debug, Clone)]
struct Entry {
    /// The loop, or the block realize.
    stmt: StmtRef,
    parent: Option<Item>,
    function: usize,
    is_live: bool,
    /// Of a block.
    flags: Flags,
}

/// A function with its root block.
#[derive(Debug, Clone)]
struct Function {
    var: Ref<GlobalVar>,
    function: Ref<PrimFunc>,
    root: Item,
}

/// The module under work.
#[derive(Debug, Clone)]
pub struct State {
    module: Ref<IRModule>,
    functions: Vec<Function>,
    entries: Vec<Entry>,
    /// Live handles by the address of their loop or block.
    places: HashMap<usize, Item>,
    is_checked: bool,
}

/// A block that became another one, and keeps its handle.
pub type Reused = (Ref<Block>, Ref<Block>);

impl State {
    /// The state of a module.
    ///
    /// # Errors
    /// If the body of a function of TIR is not one root block.
    pub fn new(module: Ref<IRModule>) -> Result<State> {
        let mut state = State {
            module,
            functions: Vec::new(),
            entries: Vec::new(),
            places: HashMap::new(),
            is_checked: true,
        };
        let functions: Vec<_> = state
            .module
            .functions
            .iter()
            .filter_map(|(var, function)| {
                Some((var.clone(), function.object().downcast_ref::<PrimFunc>()?.clone()))
            })
            .collect();
        for (var, function) in functions {
            if !function.body.is::<BlockRealize>() {
                let message = format!("the body of `{}` is not a root block", var.name_hint.as_str());
                return Err(ScheduleError::plain(message).at(function.body.clone()));
            }
            let at = state.functions.len();
            let root = state.enter(&function.body, None, at, &mut HashMap::new());
            let Some(root) = root else { continue };
            state.functions.push(Function { var, function, root });
            state.update(root)?;
        }
        Ok(state)
    }

    /// The module as it is now.
    pub fn module(&self) -> Ref<IRModule> {
        // Functions with handles are in the order of the module.
        let mut own = self.functions.iter().peekable();
        let mut is_same = true;
        let functions: Vec<_> = self
            .module
            .functions
            .iter()
            .map(|(var, old)| {
                let new = own.next_if(|own| own.var.ptr_eq(var));
                let new: Ref<BaseFunc> = new.map_or_else(|| old.clone(), |new| new.function.clone().upcast());
                is_same &= new.ptr_eq(old);
                (var.clone(), new)
            })
            .collect();
        let mut module = self.module.clone();
        if !is_same {
            module.make_mut().functions = Map::new(functions);
        }
        module
    }

    /// The names of the functions with handles.
    pub fn function_names(&self) -> impl Iterator<Item = &Str> {
        self.functions.iter().map(|function| &function.var.name_hint)
    }

    /// The root block of a function.
    pub fn root(&self, name: &str) -> Option<Item> {
        let found = self.functions.iter().find(|function| function.var.name_hint.as_str() == name)?;
        Some(found.root)
    }

    /// The name of the function of a loop or block.
    pub fn function_of(&self, item: Item) -> Option<&Str> {
        let function = self.functions.get(self.entry(item).ok()?.function)?;
        Some(&function.var.name_hint)
    }

    /// The function of a loop or block.
    pub(crate) fn prim_func_of(&self, item: Item) -> Option<&Ref<PrimFunc>> {
        Some(&self.functions.get(self.entry(item).ok()?.function)?.function)
    }

    fn entry(&self, item: Item) -> Result<&Entry> {
        let entry = usize::try_from(item.0).ok().and_then(|at| self.entries.get(at));
        entry
            .filter(|entry| entry.is_live)
            .ok_or_else(|| ScheduleError::plain("the loop or block is no longer in the module"))
    }

    fn entry_mut(&mut self, item: Item) -> Option<&mut Entry> {
        self.entries.get_mut(usize::try_from(item.0).ok()?)
    }

    /// The statement of a handle: a loop or a block realize.
    ///
    /// # Errors
    /// If it is no longer in the module.
    pub fn stmt(&self, item: Item) -> Result<&StmtRef> {
        self.entry(item).map(|entry| &entry.stmt)
    }

    /// The loop or block of a handle, also of one that a primitive has replaced: then the last one it had.
    pub fn last_stmt(&self, item: Item) -> Option<&StmtRef> {
        usize::try_from(item.0).ok().and_then(|at| self.entries.get(at)).map(|entry| &entry.stmt)
    }

    /// The loop of a handle.
    ///
    /// # Errors
    /// If it is a block, or no longer in the module.
    pub fn loop_of(&self, item: Item) -> Result<&Ref<For>> {
        let stmt = self.stmt(item)?;
        stmt.downcast_ref::<For>().ok_or_else(|| ScheduleError::plain("expected a loop, found a block"))
    }

    /// The block of a handle, with the values of its iterators.
    ///
    /// # Errors
    /// If it is a loop, or no longer in the module.
    pub fn realize_of(&self, item: Item) -> Result<&Ref<BlockRealize>> {
        let stmt = self.stmt(item)?;
        stmt.downcast_ref::<BlockRealize>()
            .ok_or_else(|| ScheduleError::plain("expected a block, found a loop"))
    }

    /// The block of a handle.
    ///
    /// # Errors
    /// If it is a loop, or no longer in the module.
    pub fn block_of(&self, item: Item) -> Result<&Ref<Block>> {
        self.realize_of(item).map(|realize| &realize.block)
    }

    /// Returns `true` for blocks.
    pub fn is_block(&self, item: Item) -> bool {
        self.stmt(item).is_ok_and(|stmt| stmt.is::<BlockRealize>())
    }

    /// The flags of a block; of other handles, none is set.
    pub(crate) fn flags(&self, block: Item) -> Flags {
        self.entry(block).map_or_else(|_| Flags::default(), |entry| entry.flags)
    }

    pub(crate) fn set_flags(&mut self, block: Item, flags: Flags) {
        if let Some(entry) = self.entry_mut(block) {
            entry.flags = flags;
        }
    }

    /// Returns `true` unless the tests for the order of reads and writes are off.
    pub(crate) fn is_checked(&self) -> bool {
        self.is_checked
    }

    pub(crate) fn set_checked(&mut self, is_checked: bool) {
        self.is_checked = is_checked;
    }

    /// The node that errors show for a handle: the loop or the block.
    pub(crate) fn node(&self, item: Item) -> Option<Object> {
        let stmt = self.stmt(item).ok()?;
        Some(match stmt.downcast_ref::<BlockRealize>() {
            Some(realize) => realize.block.object().clone(),
            None => stmt.object().clone(),
        })
    }

    /// The next loop or block above.
    pub fn parent(&self, item: Item) -> Option<Item> {
        self.entry(item).ok()?.parent
    }

    /// The loops and blocks above, inner ones first.
    pub fn ancestors(&self, item: Item) -> impl Iterator<Item = Item> + '_ {
        std::iter::successors(self.parent(item), |above| self.parent(*above))
    }

    /// The loops directly above up to the nearest block, outer ones first.
    pub fn loops_above(&self, item: Item) -> Vec<Item> {
        let mut loops: Vec<Item> = self.ancestors(item).take_while(|above| !self.is_block(*above)).collect();
        loops.reverse();
        loops
    }

    /// The nearest block above.
    ///
    /// # Errors
    /// For the root block.
    pub fn scope(&self, item: Item) -> Result<Item> {
        self.ancestors(item).find(|above| self.is_block(*above)).ok_or_else(|| {
            ScheduleError::new("RootBlockError", "the root block of a function has no scope around it")
        })
    }

    /// The handle of a loop or block in the module.
    pub(crate) fn find(&self, found: Found<'_>) -> Option<Item> {
        self.places.get(&found.address()).copied()
    }

    /// The handle of a block in the module.
    pub(crate) fn find_block(&self, block: &Ref<Block>) -> Option<Item> {
        self.places.get(&block.object().address()).copied()
    }

    /// The outermost loops and blocks in a loop or block, in order.
    ///
    /// # Errors
    /// If the handle has ended.
    pub fn children(&self, item: Item) -> Result<Vec<Item>> {
        let mut children = Vec::new();
        if let Some(found) = Found::of(self.stmt(item)?) {
            topmost(found.body(), &mut |child| children.extend(self.find(child)));
        }
        Ok(children)
    }

    /// The outermost blocks in a loop or block, in order.
    ///
    /// # Errors
    /// If the handle has ended.
    pub fn child_blocks(&self, item: Item) -> Result<Vec<Item>> {
        let mut blocks = Vec::new();
        let mut pending = self.children(item)?;
        pending.reverse();
        while let Some(next) = pending.pop() {
            match self.is_block(next) {
                true => blocks.push(next),
                false => pending.extend(self.children(next)?.into_iter().rev()),
            }
        }
        Ok(blocks)
    }

    /// The only outermost block in a loop or block.
    ///
    /// # Errors
    /// `NonSingleChildBlockError` for another number of blocks.
    pub(crate) fn only_block(&self, item: Item) -> Result<Item> {
        let blocks = self.child_blocks(item)?;
        match blocks[..] {
            [block] => Ok(block),
            _ => {
                let message = format!("expected one block in the loop or block, found {}", blocks.len());
                let error = ScheduleError::new("NonSingleChildBlockError", message);
                Err(self.node(item).into_iter().fold(error, ScheduleError::at))
            }
        }
    }

    /// Replaces a loop by a statement.
    ///
    /// # Errors
    /// If the handle has ended, or the new statement does not fit.
    pub fn replace(&mut self, target: Item, new: StmtRef, reused: &[Reused]) -> Result<()> {
        let old = self.stmt(target)?.clone();
        let Entry { parent, function, .. } = *self.entry(target)?;
        // What may keep its handle.
        let mut known = HashMap::new();
        self.leave(&old, &mut known);
        for (before, after) in reused {
            if let Some(item) = known.get(&before.object().address()).copied() {
                known.insert(after.object().address(), item);
            }
        }
        self.rebuild_ancestors(parent, function, &old, &new)?;
        topmost_of(&new, &mut |stmt| {
            self.enter(stmt, parent, function, &mut known);
        });
        Ok(())
    }

    /// Replaces a block, whose values and predicate stay.
    ///
    /// # Errors
    /// See [`State::replace`].
    pub fn replace_block(&mut self, target: Item, new: Ref<Block>, reused: &[Reused]) -> Result<()> {
        let mut realize = self.realize_of(target)?.clone();
        let old = realize.block.clone();
        realize.make_mut().block = new.clone();
        let reused: Vec<Reused> = reused.iter().cloned().chain([(old, new)]).collect();
        self.replace(target, realize.upcast(), &reused)
    }

    /// Exchanges buffers among the parameters of the function of a block.
    pub(crate) fn exchange_parameters(&mut self, item: Item, exchange: &Exchange) -> Result<()> {
        let function = self.entry(item)?.function;
        if let Some(changed) = self.functions.get_mut(function) {
            let buffers = changed.function.buffer_map.clone();
            changed.function.make_mut().buffer_map = substitute(buffers, &exchange.0)?;
        }
        Ok(())
    }

    /// Ends the handles of a statement. Keeps them by the address of their loop's variable or of their block.
    fn leave(&mut self, stmt: &StmtRef, known: &mut HashMap<usize, Item>) {
        let mut pending = vec![stmt.clone()];
        while let Some(stmt) = pending.pop() {
            topmost(&stmt, &mut |found| {
                if let Some(item) = self.places.remove(&found.address()) {
                    known.insert(key(found), item);
                    if let Some(entry) = self.entry_mut(item) {
                        entry.is_live = false;
                    }
                }
                pending.push(found.body().clone());
            });
        }
    }

    /// Gives handles to the loops and blocks of a statement that is one of them.
    fn enter(
        &mut self,
        stmt: &StmtRef,
        parent: Option<Item>,
        function: usize,
        known: &mut HashMap<usize, Item>,
    ) -> Option<Item> {
        let mut root = None;
        let mut pending = vec![(stmt.clone(), parent)];
        while let Some((stmt, parent)) = pending.pop() {
            let Some(found) = Found::of(&stmt) else { continue };
            let mut entry =
                Entry { stmt: stmt.clone(), parent, function, is_live: true, flags: Flags::default() };
            let item = match known.remove(&key(found)) {
                Some(item) => {
                    if let Some(old) = self.entry_mut(item) {
                        entry.flags = old.flags;
                        *old = entry;
                    }
                    item
                }
                None => {
                    self.entries.push(entry);
                    Item(u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX))
                }
            };
            self.places.insert(found.address(), item);
            root.get_or_insert(item);
            topmost_of(found.body(), &mut |child| pending.push((child.clone(), Some(item))));
        }
        root
    }

    /// Makes the loops, blocks and the function around a replaced statement anew.
    fn rebuild_ancestors(
        &mut self,
        parent: Option<Item>,
        function: usize,
        old: &StmtRef,
        new: &StmtRef,
    ) -> Result<()> {
        let (mut old, mut new, mut above) = (old.clone(), new.clone(), parent);
        while let Some(item) = above {
            let Entry { stmt, parent, .. } = self.entry(item)?.clone();
            let child = Replacement { root: root_of(&stmt), old, new };
            let changed = child.of(&stmt)?;
            if let Some(found) = Found::of(&stmt) {
                self.places.remove(&found.address());
            }
            if let Some(found) = Found::of(&changed) {
                self.places.insert(found.address(), item);
            }
            if let Some(entry) = self.entry_mut(item) {
                entry.stmt = changed.clone();
            }
            (old, new, above) = (stmt, changed, parent);
        }
        if let Some(changed) = self.functions.get_mut(function) {
            changed.function.make_mut().body = new;
        }
        Ok(())
    }
}

/// The address that identifies a loop or block after a replacement: of the loop's variable, or of the block.
fn key(found: Found<'_>) -> usize {
    match found {
        Found::Loop(found) => found.loop_var.object().address(),
        Found::Block(found) => found.block.object().address(),
    }
}

/// Calls `f` for the outermost loops and block realizes of a statement.
fn topmost_of(stmt: &StmtRef, f: &mut impl FnMut(&StmtRef)) {
    topmost(stmt, &mut |found| match found {
        Found::Loop(found) => f(found.upcast_ref()),
        Found::Block(found) => f(found.upcast_ref()),
    });
}

/// The node of a loop or block realize whose body is searched.
fn root_of(stmt: &StmtRef) -> Vec<usize> {
    let mut root = vec![stmt.object().address()];
    if let Some(realize) = stmt.as_node::<BlockRealize>() {
        root.push(realize.block.object().address());
    }
    root
}

/// Exchanges a loop or block realize in the body of another one.
struct Replacement {
    root: Vec<usize>,
    old: StmtRef,
    new: StmtRef,
}

impl Replacement {
    fn of(mut self, stmt: &StmtRef) -> Result<StmtRef> {
        // Most loops and blocks have no other statement between.
        match Found::of(stmt) {
            Some(found) if found.body().ptr_eq(&self.old) => Ok(found.with_body(self.new)),
            _ => Ok(mutate(stmt.clone(), &mut self)?),
        }
    }
}

impl Mutator for Replacement {
    fn enter(&mut self, node: &Object) -> Descend {
        if node.ptr_eq(self.old.object()) {
            return Descend::Replace(self.new.object().clone());
        }
        let is_between =
            node.info().is_a(Stmt::type_info()) && !node.is::<For>() && !node.is::<BlockRealize>();
        match is_between || self.root.contains(&node.address()) {
            true => Descend::Into,
            false => Descend::Keep,
        }
    }

    fn leave(&mut self, node: Object) -> Object {
        // A sequence in place of an element is part of the sequence.
        let Some(sequence) = node.as_node::<SeqStmt>() else { return node };
        if !sequence.seq.iter().any(|stmt| stmt.is::<SeqStmt>()) {
            return node;
        }
        let flat = sequence.seq.iter().flat_map(|stmt| match stmt.as_node::<SeqStmt>() {
            Some(inner) => inner.seq.iter().cloned().collect(),
            None => vec![stmt.clone()],
        });
        let mut changed = node.clone();
        if let Some(sequence) = node.downcast_ref::<SeqStmt>() {
            let mut sequence = sequence.clone();
            sequence.make_mut().seq = flat.collect();
            changed = sequence.into_object();
        }
        changed
    }
}
