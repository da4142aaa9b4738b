//! Definitions of nodes and declarations of free variables.

use std::any::Any;

use tvmscript_doc::ExprDoc;
use tvmscript_ir_core::{EqKind, Object, PathId, pre_order_visit};

use super::{DocFactory, Docsifier};
use crate::analysis::{Region, UseScopes};
use crate::definitions::Form;
use crate::error::{DocsifyError, DocsifyResult};
use crate::shared::Part;

impl Docsifier<'_> {
    /// Names a node in the innermost frame: the hint's identifier, made unique. A defined node keeps its definition.
    ///
    /// # Errors
    /// [`DocsifyError::DefinedTwice`] for a variable whose earlier definition is out of scope, or an error of the
    /// expression that defines the node.
    pub fn define(&mut self, object: &Object, hint: &str) -> DocsifyResult<ExprDoc> {
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

    /// Fails if a variable was defined before, since the text would define two variables. Other nodes, such as buffers,
    /// may be defined twice: they read back equal.
    fn check_new(&mut self, object: &Object, hint: &str) -> DocsifyResult<()> {
        let is_variable = object.info().eq_kind() == EqKind::FreeVar && !self.frame_mut().is_isolated();
        if is_variable && !self.shared.define(object, Part::Region(self.region.number())) {
            self.use_scopes();
            return Err(DocsifyError::DefinedTwice { name: hint.to_owned() }.into());
        }
        Ok(())
    }

    /// Records that the part of the text that prints `owner` defines a node which other parts may share; without one, that
    /// each use of the node defines it. Variables outside isolated frames are recorded by [`Docsifier::define`].
    pub fn record_definition(&mut self, object: &Object, owner: Option<&Object>) {
        let part = owner.map_or(Part::Use, |owner| Part::Node(owner.address()));
        self.shared.define(object, part);
    }

    /// The nodes that several parts of the text would each define, so that they are declared before all: in the order of
    /// their second definition. Empty unless a print found some.
    pub fn shared_nodes(&self) -> Vec<Object> {
        self.shared.known().to_vec()
    }

    /// Defines a node by an expression (`A.data`) while the innermost frame is open. A defined node keeps its
    /// definition.
    ///
    /// # Errors
    /// [`DocsifyError::DefinedTwice`] for a variable whose earlier definition is out of scope.
    pub fn define_by_doc(&mut self, object: &Object, doc: DocFactory) -> DocsifyResult<()> {
        if self.is_defined(object) {
            return Ok(());
        }
        self.check_new(object, object.info().key())?;
        let (number, frame) = self.frames.innermost();
        self.definitions.define_by_doc(object, doc, number, &mut frame.scope);
        Ok(())
    }

    /// Ends a definition before its frame closes. The name stays taken until then.
    pub fn end_definition(&mut self, object: &Object) {
        self.definitions.end(object);
    }

    /// The expression for a defined node; `None` if it is not defined.
    ///
    /// # Errors
    /// Errors of the factory given to [`Docsifier::define_by_doc`].
    #[inline]
    pub fn defined_doc(&mut self, object: &Object) -> DocsifyResult<Option<ExprDoc>> {
        match self.definitions.get(object).map(|definition| definition.form) {
            Some(Form::Name(name)) => Ok(Some(self.docs.id(name))),
            Some(Form::Doc(factory)) => self.definitions.factory(factory)(self).map(Some),
            None => Ok(None),
        }
    }

    /// The nodes of the root that are defined now, each with the expression for its uses: the translation table. Walks the
    /// root.
    ///
    /// # Errors
    /// As [`Docsifier::defined_doc`].
    pub fn definitions(&mut self) -> DocsifyResult<Vec<(Object, ExprDoc)>> {
        let mut defined = Vec::new();
        let root = self.root.clone();
        pre_order_visit(&root, |node| {
            if self.is_defined(node) {
                defined.push(node.clone());
            }
            true
        });
        let with_doc = |node: Object| Ok(self.defined_doc(&node)?.map(|doc| (node, doc)));
        defined.into_iter().map(with_doc).filter_map(Result::transpose).collect()
    }

    /// Number of the frame that names the node.
    pub fn defining_frame(&self, object: &Object) -> Option<usize> {
        let definition = self.definitions.get(object)?;
        matches!(definition.form, Form::Name(_)).then_some(definition.frame)
    }

    /// Returns `true` if the node is defined.
    #[inline]
    pub fn is_defined(&self, object: &Object) -> bool {
        self.definitions.get(object).is_some()
    }

    /// Returns `true` if the innermost frame may define a variable: it is not defined yet, and the frame's node
    /// contains all of its uses.
    pub fn may_define(&mut self, variable: &Object) -> bool {
        let scope = self.frames().find_map(|frame| frame.object.clone());
        !self.is_defined(variable) && scope.is_none_or(|scope| !self.has_uses_outside(&scope, variable))
    }

    /// Returns `true` if a scope may define a variable: it is not defined yet, and the scope contains all of its uses.
    /// With two loops over one variable neither may; it is declared before both ([`Docsifier::declare_outside`]).
    pub fn may_define_in(&mut self, scope: &Object, variable: &Object) -> bool {
        !self.is_defined(variable) && !self.has_uses_outside(scope, variable)
    }

    fn has_uses_outside(&mut self, scope: &Object, variable: &Object) -> bool {
        if self.region.root().ptr_eq(scope) {
            return false;
        }
        if self.assumes && !self.region.has_use_scopes() && self.region.assume(scope, variable) {
            return false;
        }
        self.use_scopes().has_uses_outside(scope, variable)
    }

    /// The scopes of the region's variables. The first request tests what was assumed without them.
    fn use_scopes(&mut self) -> &mut UseScopes {
        let table = self.dispatch.table();
        if !self.region.has_use_scopes() && !self.region.assumed_rightly(table) {
            self.assumed_wrongly = true;
            self.next_size_check = 0;
        }
        self.region.use_scopes(table)
    }

    /// Assumes from now on that a scope that asks to define a variable contains all of its uses, until the scopes of
    /// the region's variables are needed. Only a print that is made again if it [assumed wrongly](#method.assumed_wrongly)
    /// may do so.
    pub(crate) fn assume_scopes(&mut self) {
        self.assumes = true;
    }

    /// Returns `true` if a scope has defined a variable that has uses outside of it: the docs are wrong.
    pub(crate) fn assumed_wrongly(&self) -> bool {
        self.assumed_wrongly
    }

    /// Returns `true` if the docs of the region rest on a wrong assumption that nothing has contradicted.
    pub(crate) fn is_deceived(&mut self) -> bool {
        !self.assumed_wrongly && !self.region.assumed_rightly(self.dispatch.table())
    }

    /// Declares a variable of a scope that does not contain all of its uses, in a frame that does.
    ///
    /// # Errors
    /// Errors of the variable's handler.
    pub fn declare_outside(&mut self, scope: &Object, variable: &Object, path: PathId) -> DocsifyResult<()> {
        if !self.is_defined(variable) && self.has_uses_outside(scope, variable) {
            self.expr_object(variable, path)?;
        }
        Ok(())
    }

    /// Declares a free variable in the innermost frame that contains all of its uses. `declare` runs with that frame
    /// innermost and appends its statements there.
    ///
    /// # Errors
    /// [`DocsifyError::Undeclared`] if no open frame can declare it.
    pub fn declare_free(
        &mut self,
        object: &Object,
        hint: &str,
        declare: impl FnOnce(&mut Self) -> DocsifyResult<()>,
    ) -> DocsifyResult<()> {
        self.declare_free_within(object, hint, 0, declare)
    }

    /// As [`Docsifier::declare_free`], but no further out than the frame with this number: for a declaration that
    /// refers to definitions of that frame.
    ///
    /// # Errors
    /// As [`Docsifier::declare_free`].
    pub fn declare_free_within(
        &mut self,
        object: &Object,
        hint: &str,
        outermost: usize,
        declare: impl FnOnce(&mut Self) -> DocsifyResult<()>,
    ) -> DocsifyResult<()> {
        let frame =
            self.frame_of_free(object).ok_or_else(|| DocsifyError::Undeclared { name: hint.to_owned() })?;
        self.in_frame(frame.max(outermost), declare)
    }

    /// Number of the frame that declares a free variable: the innermost that contains all of its uses.
    ///
    /// It serves definitions too. In a text whose inner scopes do not end names, as Python's `with`, a statement may
    /// define a variable that is used after its scope. Defined in the innermost frame, the name would end there;
    /// define it in the frame of all uses instead:
    ///
    /// ```
    /// # use tvmscript_docsifier::{Docsifier, DocsifyResult, doc::{ExprDoc, StmtDoc}};
    /// # use tvmscript_ir_core::Object;
    /// /// `output = value`, where uses of `output` may follow the scope of this statement.
    /// fn bind(output: &Object, hint: &str, value: ExprDoc, d: &mut Docsifier) -> DocsifyResult<StmtDoc> {
    ///     let frame = d.frame_of_free(output).unwrap_or(d.frame_count() - 1);
    ///     let name = d.in_frame(frame, |d| d.define(output, hint))?;
    ///     Ok(d.docs.bind(name, value))
    /// }
    /// ```
    ///
    /// The statement itself stays where it is; only the name lives in the other frame.
    pub fn frame_of_free(&mut self, object: &Object) -> Option<usize> {
        self.use_scopes();
        let scopes = self.region.use_scopes(self.dispatch.table());
        let frame_of = |node| self.frames.of_node(node);
        // A node compared by structure may be declared twice: at its first use, as upstream does.
        let frame = match object.info().eq_kind() {
            EqKind::FreeVar => scopes.dominators(object).find_map(frame_of),
            _ => scopes.dominators_of_first_uses(object).find_map(frame_of),
        };
        frame.or_else(|| self.frames.iter().rposition(|f| f.declares_free))
    }

    /// Returns `true` if a node is printed once and contains all uses of a variable.
    pub fn is_around_all_uses(&mut self, node: &Object, variable: &Object) -> bool {
        self.use_scopes().contains_all_uses(node, variable)
    }

    /// The root of the innermost region; free variables are declared below it.
    pub fn root(&self) -> &Object {
        self.region.root()
    }

    /// Runs `f` for a node whose variables are local to it (a function): uses outside do not count.
    pub fn with_region<R>(&mut self, root: &Object, f: impl FnOnce(&mut Self) -> R) -> R {
        if self.region.root().ptr_eq(root) {
            return f(self);
        }
        let outer = self.enter_region(root);
        let result = f(self);
        if cfg!(debug_assertions) && self.is_deceived() {
            self.inner_is_deceived = true;
        }
        self.region = outer;
        result
    }

    /// Makes a node the root of a region of its own. Returns the region around it.
    pub(crate) fn enter_region(&mut self, root: &Object) -> Region {
        let number = self.regions;
        self.regions += 1;
        std::mem::replace(&mut self.region, Region::new(root.clone(), number))
    }

    /// An analysis of the region's root, computed once.
    pub fn region_fact<T: Any>(&mut self, find: impl FnOnce(&Object) -> T) -> &T {
        self.region.fact(find)
    }
}
