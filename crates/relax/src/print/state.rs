//! State of the printers: options and frame data, and helpers on the docsifier.

use hashbrown::HashSet;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult, OptionArgument, PrinterOption};
use tvmscript_ir::BaseFunc;
use tvmscript_ir::print::ModuleFrame;
use tvmscript_ir_core::{Object, PathId, Ref};

use crate::syntax::RelaxSyntax;

/// The printer options of this dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelaxOptions {
    /// `true` to annotate variables even if the parser infers the same struct info.
    pub show_all_struct_info: bool,
}

impl Default for RelaxOptions {
    fn default() -> Self {
        RelaxOptions { show_all_struct_info: true }
    }
}

/// The options for front ends.
pub(super) static OPTIONS: &[PrinterOption] = &[PrinterOption {
    name: "no-inferred-struct-info",
    help: "Omit annotations of variables if the parser infers the same",
    argument: OptionArgument::Switch,
    set: |config, _| {
        config.part_mut::<RelaxOptions>().show_all_struct_info = false;
        Ok(())
    },
    header: None,
}];

/// Frame data.
#[derive(Debug, Default)]
pub(crate) struct RelaxFrame {
    /// `true` for the frame of a function, `false` for those of fragments and sequences.
    pub(crate) is_function: bool,
    /// Addresses of the scalar variables of the signature, while it is printed.
    pub(crate) signature_vars: Option<HashSet<usize>>,
    /// `true` if the alias of the module is declared.
    pub(crate) has_module_alias: bool,
    /// The type of the variable that the next function is bound to.
    pub(crate) bound_type: Option<Object>,
    /// Addresses of scalar variables of the signature that the function declares itself.
    pub(crate) own_vars: HashSet<usize>,
}

/// The syntax of this print.
struct Known(&'static RelaxSyntax);

/// Helpers on the docsifier.
pub(crate) trait RelaxDocsifier {
    /// `R.name`
    fn r(&mut self, name: &str) -> ExprDoc;
    /// `R.name(args)`
    fn r_call(&mut self, name: &str, args: &[ExprDoc]) -> ExprDoc;
    /// The name of a struct info: `R.Tensor`; in host code its class, `relax.TensorStructInfo`.
    fn info_name(&mut self, name: &str) -> ExprDoc;
    /// Prints a field of the node at `path`.
    fn expr_field<T: ?Sized>(
        &mut self,
        value: &Ref<T>,
        path: PathId,
        name: &'static str,
    ) -> DocsifyResult<ExprDoc>;
    /// The index of the frame that declares scalar variables: that of the outermost function, or the outermost one.
    fn declaring_frame(&self) -> Option<usize>;
    /// The index of the frame of the function that declares a scalar variable of its signature itself.
    fn owning_frame(&self, variable: &Object) -> Option<usize>;
    /// The index of the frame of the innermost function, or else that of `declaring_frame`.
    fn innermost_function(&self) -> Option<usize>;
    /// The index of the frame that declares the free variables of a fragment; `None` inside functions and modules.
    fn fragment_frame(&self) -> Option<usize>;
    fn relax_options(&mut self) -> &RelaxOptions;
    /// The keyword of a call in the release.
    fn r_keyword(&self, name: &'static str) -> &'static str;
    /// Forms of the release.
    fn syntax(&mut self) -> &'static RelaxSyntax;
}

impl RelaxDocsifier for Docsifier<'_> {
    fn r(&mut self, name: &str) -> ExprDoc {
        self.prefixed("relax", name)
    }

    fn r_keyword(&self, name: &'static str) -> &'static str {
        self.release().renames.keyword("relax", name)
    }

    fn r_call(&mut self, name: &str, args: &[ExprDoc]) -> ExprDoc {
        let callee = self.r(name);
        self.docs.call_args(callee, args)
    }

    fn info_name(&mut self, name: &str) -> ExprDoc {
        match self.is_host_code() {
            true => {
                let classes = self.docs.id("relax");
                self.docs.attr(classes, &*format!("{name}StructInfo"))
            }
            false => self.r(name),
        }
    }

    fn expr_field<T: ?Sized>(
        &mut self,
        value: &Ref<T>,
        path: PathId,
        name: &'static str,
    ) -> DocsifyResult<ExprDoc> {
        let at = self.field(path, name);
        self.expr(value, at)
    }

    fn declaring_frame(&self) -> Option<usize> {
        let data = |i: usize| self.frames().rev().nth(i)?.data.downcast_ref::<RelaxFrame>();
        let mut outermost = None;
        for i in 0..self.frame_count() {
            match data(i) {
                Some(frame) if frame.is_function => return Some(i),
                Some(_) => outermost = outermost.or(Some(i)),
                None => {}
            }
        }
        outermost
    }

    fn owning_frame(&self, variable: &Object) -> Option<usize> {
        let owns = |frame: &RelaxFrame| frame.own_vars.contains(&variable.address());
        let depth = self.frames().position(|frame| frame.data.downcast_ref().is_some_and(owns))?;
        Some(self.frame_count() - 1 - depth)
    }

    fn innermost_function(&self) -> Option<usize> {
        let is_function = |frame: &RelaxFrame| frame.is_function;
        let functions = self.frames().map(|f| f.data.downcast_ref().is_some_and(is_function));
        let depth = functions.enumerate().find_map(|(depth, found)| found.then_some(depth));
        depth.map(|depth| self.frame_count() - 1 - depth).or_else(|| self.declaring_frame())
    }

    fn fragment_frame(&self) -> Option<usize> {
        let is_whole = self.root().is::<BaseFunc>() || self.frame_data::<ModuleFrame>().is_some();
        self.outermost_free_frame().filter(|_| !is_whole)
    }

    fn relax_options(&mut self) -> &RelaxOptions {
        self.state(|config| config.part::<RelaxOptions>())
    }

    fn syntax(&mut self) -> &'static RelaxSyntax {
        let registry = self.registry();
        self.state(|_| Known(RelaxSyntax::of(registry))).0
    }
}
