//! Defining nodes, and declaring free variables where all their uses can see them.

use std::any::Any;

use tvmscript_doc::ExprDoc;
use tvmscript_ir_core::{EqKind, Object, PathId};

use super::{DocFactory, Docsifier};
use crate::analysis::Region;
use crate::definitions::Form;
use crate::error::{DocsifyError, Result};

impl Docsifier<'_> {
    /// Names a node in the innermost frame: the hint's identifier, made unique. A node that has a name keeps it.
    ///
    /// # Errors
    /// [`DocsifyError::DefinedTwice`] for a variable whose definition ended before, or an error of the expression that
    /// stands for the node.
    pub fn define(&mut self, object: &Object, hint: &str) -> Result<ExprDoc> {
        if let Some(doc) = self.defined_doc(object)? {
            return Ok(doc);
        }
        let with_address;
        let hint = match self.config.show_object_address {
            true => {
                with_address = format!("{}_{:#x}", crate::names::sanitize(hint), object.address());
                &with_address
            }
            false => hint,
        };
        self.check_new(object, hint)?;
        let Docsifier { definitions, frames, docs, .. } = self;
        let (number, frame) = frames.innermost();
        let name = definitions.name(object, hint, number, &mut frame.scope, docs);
        Ok(self.docs.id(name))
    }

    /// Checks that a variable was not defined before: the text would define two. Others that are defined twice, such as
    /// buffers, read back equal.
    fn check_new(&mut self, object: &Object, hint: &str) -> Result<()> {
        let is_variable = object.info().eq_kind() == EqKind::FreeVar && !self.frame_mut().is_isolated();
        match is_variable && !self.region.define(object) {
            true => Err(DocsifyError::DefinedTwice { name: hint.to_owned() }.into()),
            false => Ok(()),
        }
    }

    /// Lets an expression stand for a node while the innermost frame is open (`A.data`). A node that is defined keeps its
    /// definition.
    ///
    /// # Errors
    /// [`DocsifyError::DefinedTwice`] for a variable whose definition ended before.
    pub fn define_by_doc(&mut self, object: &Object, doc: DocFactory) -> Result<()> {
        if self.is_defined(object) {
            return Ok(());
        }
        self.check_new(object, object.info().key())?;
        let (number, frame) = self.frames.innermost();
        self.definitions.factor(object, doc, number, &mut frame.scope);
        Ok(())
    }

    /// Ends a definition before its frame closes. The name stays taken until then.
    pub fn end_definition(&mut self, object: &Object) {
        self.definitions.end(object);
    }

    /// How a defined node is written.
    ///
    /// # Errors
    /// When an expression stands for the node, and cannot be made.
    #[inline]
    pub fn defined_doc(&mut self, object: &Object) -> Result<Option<ExprDoc>> {
        match self.definitions.get(object).map(|definition| definition.form) {
            Some(Form::Name(name)) => Ok(Some(self.docs.id(name))),
            Some(Form::Doc(factory)) => self.definitions.factory(factory)(self).map(Some),
            None => Ok(None),
        }
    }

    /// The number of the frame that has the node's name.
    pub fn defining_frame(&self, object: &Object) -> Option<usize> {
        let definition = self.definitions.get(object)?;
        matches!(definition.form, Form::Name(_)).then_some(definition.frame)
    }

    /// Whether the node is defined.
    #[inline]
    pub fn is_defined(&self, object: &Object) -> bool {
        self.definitions.get(object).is_some()
    }

    /// Whether the innermost frame may define a variable: nothing defines it so far, and all its uses are inside of the
    /// node that the frame prints.
    pub fn may_define(&mut self, variable: &Object) -> bool {
        let scope = self.frames().find_map(|frame| frame.object.as_ref()).map(Object::address);
        !self.is_defined(variable) && scope.is_none_or(|scope| !self.has_uses_outside(scope, variable))
    }

    /// Whether a scope may define a variable: nothing defines it so far, and all its uses are inside of the scope. Two loops
    /// over one variable may not: it is declared before both ([`Docsifier::declare_outside`]).
    pub fn may_define_in(&mut self, scope: &Object, variable: &Object) -> bool {
        !self.is_defined(variable) && !self.has_uses_outside(scope.address(), variable)
    }

    fn has_uses_outside(&mut self, scope: usize, variable: &Object) -> bool {
        let places = self.region.places(self.dispatch.table());
        places.has_uses_outside(scope, variable.address())
    }

    /// Declares a variable that a scope would define, but that has uses outside of it, where all of them can see it.
    ///
    /// # Errors
    /// Whatever the variable's handler says.
    pub fn declare_outside(&mut self, scope: &Object, variable: &Object, path: PathId) -> Result<()> {
        if !self.is_defined(variable) && self.has_uses_outside(scope.address(), variable) {
            self.expr_object(variable, path)?;
        }
        Ok(())
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
        let places = self.region.places(self.dispatch.table());
        let frame_of = |address| self.frames.of_node(address);
        // A variable that is no identity of its own may be declared twice: where it is met first, as upstream does.
        let frame = match object.info().eq_kind() {
            EqKind::FreeVar => places.around(object.address()).find_map(frame_of),
            _ => places.around_first(object.address()).find_map(frame_of),
        };
        frame.or_else(|| self.frames.iter().rposition(|f| f.declares_free))
    }

    /// Whether a node is printed once, and all uses of a variable inside it.
    pub fn is_around_all_uses(&mut self, node: &Object, variable: &Object) -> bool {
        self.region.places(self.dispatch.table()).is_around_all(node.address(), variable.address())
    }

    /// The root of the innermost region: free variables are declared below it.
    pub fn root(&self) -> &Object {
        self.region.root()
    }

    /// Prints a node whose variables are its own (a function): uses outside of it do not count.
    pub fn with_region<R>(&mut self, root: &Object, f: impl FnOnce(&mut Self) -> R) -> R {
        if self.region.root().ptr_eq(root) {
            return f(self);
        }
        let outer = std::mem::replace(&mut self.region, Region::new(root.clone()));
        let result = f(self);
        self.region = outer;
        result
    }

    /// A fact about the root of the region, found once.
    pub fn region_fact<T: Any>(&mut self, find: impl FnOnce(&Object) -> T) -> &T {
        self.region.fact(find)
    }
}
