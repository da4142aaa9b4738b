//! Definitions: the names of variables, the expressions that stand for some, and where free ones are declared.

use tvmscript_doc::ExprDoc;
use tvmscript_ir_core::{EqKind, Object, PathId};

use super::{DefinedAs, Definition, DocFactory, Docsifier};
use crate::error::{DocsifyError, Result};
use crate::free_vars::CommonPrefix;
use crate::table::PrinterTable;

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
            true => {
                let hint = format!("{}_{:#x}", crate::names::sanitize(hint), object.address());
                self.names.take(&hint, &mut self.docs)
            }
            false => self.names.take(hint, &mut self.docs),
        };
        self.insert_definition(object, DefinedAs::Name(name));
        Ok(self.docs.id(name))
    }

    fn insert_definition(&mut self, object: &Object, form: DefinedAs) {
        let address = object.address();
        let frame = self.frames.len().saturating_sub(1) as u32;
        let definition = Definition { frame, root: self.root_number, form };
        let former = self.defined.insert(address, definition);
        self.frame_mut().defined.push(address);
        // Others that are defined twice, such as buffers, read back equal.
        if matches!(former, Some(Definition { root, form: DefinedAs::Ended(_) | DefinedAs::Closed, .. }) if root == self.root_number)
            && object.info().eq_kind() == EqKind::FreeVar
        {
            self.add_escaping(object);
        }
    }

    /// Lets an expression stand for a node while the innermost frame is open (`A.data`). A node that is defined keeps its
    /// definition.
    pub fn define_by_doc(&mut self, object: &Object, doc: DocFactory) {
        if self.is_defined(object) {
            return;
        }
        self.insert_definition(object, DefinedAs::Doc(self.factories.len() as u32));
        self.factories.push(doc);
    }

    /// Ends a definition before its frame closes: where the node stands from now on, nothing defines it. Its name stays taken
    /// until the frame closes.
    pub fn end_definition(&mut self, object: &Object) {
        let definition = self.defined.get_mut(&object.address());
        if let Some(Definition { root, form, .. }) = definition
            && let DefinedAs::Name(name) = *form
        {
            (*root, *form) = (self.root_number, DefinedAs::Ended(name));
        }
    }

    /// How a defined node is written.
    ///
    /// # Errors
    /// When an expression stands for the node, and cannot be made.
    #[inline]
    pub fn defined_doc(&mut self, object: &Object) -> Result<Option<ExprDoc>> {
        match self.form(object) {
            Some(DefinedAs::Name(name)) => Ok(Some(self.docs.id(name))),
            Some(DefinedAs::Doc(factory)) => self.factories[factory as usize].clone()(self).map(Some),
            None | Some(DefinedAs::Ended(_) | DefinedAs::Closed) => Ok(None),
        }
    }

    #[inline]
    fn form(&self, object: &Object) -> Option<DefinedAs> {
        self.defined.get(&object.address()).map(|definition| definition.form)
    }

    /// The number of the frame that has the node's name.
    pub fn defining_frame(&self, object: &Object) -> Option<usize> {
        let Definition { frame, form, .. } = self.defined.get(&object.address())?;
        matches!(form, DefinedAs::Name(_)).then_some(*frame as usize)
    }

    /// Whether the node is defined.
    #[inline]
    pub fn is_defined(&self, object: &Object) -> bool {
        matches!(self.form(object), Some(DefinedAs::Name(_) | DefinedAs::Doc(_)))
    }

    /// Whether the variable is known to stand both inside and outside of the scope that would make it (two loops over one
    /// variable). Such a scope must declare it before ([`Docsifier::declare_escaping`]).
    ///
    /// The first print of a node knows of none: it finds them where they get a second definition, and is made anew. Nodes that
    /// equality takes for no variables never do.
    pub fn escapes(&self, variable: &Object) -> bool {
        self.known.escapes(variable.address())
    }

    /// Whether a scope may make the variable: nothing defines it, and it does not escape.
    pub fn is_new(&self, variable: &Object) -> bool {
        !self.is_defined(variable) && !self.escapes(variable)
    }

    /// Says that a variable must be declared before the scope that would make it, or in another way than it was. The print
    /// is made anew.
    pub fn add_escaping(&mut self, variable: &Object) {
        if !self.escapes(variable) {
            self.found.add_escaping(variable.address());
        }
    }

    /// Declares a variable that escapes and is not defined yet, where all its uses can see it.
    ///
    /// # Errors
    /// Whatever the variable's handler says.
    pub fn declare_escaping(&mut self, variable: &Object, path: PathId) -> Result<()> {
        if self.escapes(variable) && !self.is_defined(variable) {
            self.expr_object(variable, path)?;
        }
        Ok(())
    }

    /// Takes a name so that no variable gets it while the print lasts.
    pub fn reserve_name(&mut self, name: &str) {
        self.names.reserve(self.docs.sym(name));
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
        let (address, escapes) = (object.address(), self.escapes(object));
        let (open, table, root) = (&self.open, self.table, &self.root);
        let prefix = common_prefix(&mut self.common_prefix, root, table);
        let frame_of = |address| open.get(&address).copied();
        let frame = match escapes {
            true => prefix.around_all(address).find_map(frame_of),
            false => prefix.around(address).find_map(frame_of),
        };
        frame.or_else(|| self.frames.iter().rposition(|f| f.declares_free))
    }

    /// Whether a node is printed once, and all uses of a variable inside it.
    pub fn is_around_all_uses(&mut self, node: &Object, variable: &Object) -> bool {
        common_prefix(&mut self.common_prefix, &self.root, self.table)
            .is_around_all(node.address(), variable.address())
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
        self.root_number += 1;
        std::mem::replace(&mut self.root, root.clone())
    }
}

/// The places of free variables below a root, found once.
fn common_prefix<'a>(
    found: &'a mut Option<CommonPrefix>,
    root: &Object,
    table: &PrinterTable,
) -> &'a mut CommonPrefix {
    found.get_or_insert_with(|| CommonPrefix::new(root, |object| table.is_variable(object)))
}
