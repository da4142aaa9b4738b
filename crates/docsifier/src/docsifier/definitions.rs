//! Definitions: the names of variables, the expressions that stand for some, and where free ones are declared.

use tvmscript_doc::ExprDoc;
use tvmscript_ir_core::Object;

use super::{Definition, DocFactory, Docsifier};
use crate::error::{DocsifyError, Result};
use crate::free_vars::CommonPrefix;

impl Docsifier<'_> {
    /// Names a node in the innermost frame: the hint's identifier, made unique. A node that has a name keeps it.
    ///
    /// # Errors
    /// When an expression stands for the node, and cannot be made.
    pub fn define(&mut self, object: &Object, hint: &str) -> Result<ExprDoc> {
        if let Some(doc) = self.defined_doc(object)? {
            return Ok(doc);
        }
        let name = match self.config.show_object_address {
            true => self.names.take(&format!("{}_{:#x}", crate::names::sanitize(hint), object.address())),
            false => self.names.take(hint),
        };
        let sym = self.docs.sym(&name);
        let frame = self.frames.len().saturating_sub(1) as u32;
        self.defined.insert(object.address(), Definition::Name(name, sym, frame));
        self.frame_mut().defined.push(object.address());
        Ok(self.docs.id(sym))
    }

    /// Lets an expression stand for a node while the innermost frame is open (`A.data`). A node that is defined keeps its
    /// definition.
    pub fn define_by_doc(&mut self, object: &Object, doc: DocFactory) {
        if self.is_defined(object) {
            return;
        }
        self.defined.insert(object.address(), Definition::Doc(doc));
        self.frame_mut().defined.push(object.address());
    }

    /// How a defined node is written.
    ///
    /// # Errors
    /// When an expression stands for the node, and cannot be made.
    #[inline]
    pub fn defined_doc(&mut self, object: &Object) -> Result<Option<ExprDoc>> {
        match self.defined.get(&object.address()) {
            None => Ok(None),
            Some(Definition::Name(_, sym, _)) => Ok(Some(self.docs.id(*sym))),
            Some(Definition::Doc(make)) => make.clone()(self).map(Some),
        }
    }

    /// The number of the frame that has the node's name.
    pub fn defining_frame(&self, object: &Object) -> Option<usize> {
        match self.defined.get(&object.address())? {
            Definition::Name(_, _, frame) => Some(*frame as usize),
            Definition::Doc(_) => None,
        }
    }

    /// Whether the node is defined.
    #[inline]
    pub fn is_defined(&self, object: &Object) -> bool {
        self.defined.contains_key(&object.address())
    }

    /// Takes a name so that no variable gets it while the print lasts.
    pub fn reserve_name(&mut self, name: &str) {
        self.names.reserve(name);
    }

    /// Declares a free variable: names it in the frame where all its uses can see it, and lets `declare` make the
    /// statements, which go to that frame at its current end. `declare` runs with that frame innermost.
    ///
    /// # Errors
    /// [`DocsifyError::Undeclared`] when no open frame can declare it.
    pub fn declare_free(
        &mut self,
        object: &Object,
        hint: &str,
        declare: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.declare_free_within(object, hint, 0, declare)
    }

    /// As [`Docsifier::declare_free`], in the frame of this number or further in: for a variable whose declaration speaks of
    /// what that frame defines.
    ///
    /// # Errors
    /// As [`Docsifier::declare_free`].
    pub fn declare_free_within(
        &mut self,
        object: &Object,
        hint: &str,
        outermost: usize,
        declare: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let frame =
            self.frame_of_free(object).ok_or_else(|| DocsifyError::Undeclared { name: hint.to_owned() })?;
        self.in_frame(frame.max(outermost), declare)
    }

    /// The number of the frame that declares a free variable: the innermost around all its uses.
    pub fn frame_of_free(&mut self, object: &Object) -> Option<usize> {
        let open = &self.open;
        let prefix = match &self.common_prefix {
            Some(prefix) => prefix,
            None => self.common_prefix.insert(CommonPrefix::new(&self.root, |o| self.table.is_variable(o))),
        };
        prefix
            .around(object.address())
            .find_map(|address| open.get(&address).copied())
            .or_else(|| self.frames.iter().rposition(|f| f.declares_free))
    }

    /// Whether all uses of a variable lie inside a node.
    pub fn is_around_all_uses(&mut self, node: &Object, variable: &Object) -> bool {
        let prefix = match &self.common_prefix {
            Some(prefix) => prefix,
            None => self.common_prefix.insert(CommonPrefix::new(&self.root, |o| self.table.is_variable(o))),
        };
        prefix.around(variable.address()).any(|address| address == node.address())
    }

    /// The node inside which free variables are looked for.
    pub fn root(&self) -> &Object {
        &self.root
    }

    /// Looks for the places of free variables inside `root` from now on, instead of inside the printed node. Gives the
    /// former root, to be set again.
    pub fn set_root(&mut self, root: &Object) -> Object {
        if !self.root.ptr_eq(root) {
            self.common_prefix = None;
            self.cache.clear();
        }
        std::mem::replace(&mut self.root, root.clone())
    }
}
