//! What the printers keep: options, what a frame knows of its function, and the words of the dialect.

use hashbrown::HashSet;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, OptionArgument, PrinterOption};
use tvmscript_ir::BaseFunc;
use tvmscript_ir::print::ModuleFrame;

/// The options of this dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelaxOptions {
    /// Variables are annotated also where the reader infers the same.
    pub show_all_struct_info: bool,
}

impl Default for RelaxOptions {
    fn default() -> Self {
        RelaxOptions { show_all_struct_info: true }
    }
}

/// The options as front ends offer them.
pub(super) static OPTIONS: &[PrinterOption] = &[PrinterOption {
    name: "no-inferred-struct-info",
    help: "Leave out annotations of variables where the reader infers the same",
    argument: OptionArgument::Switch,
    set: |config, _| {
        config.part_mut::<RelaxOptions>().show_all_struct_info = false;
        Ok(())
    },
    header: None,
}];

/// What a frame of this dialect knows.
#[derive(Debug, Default)]
pub(crate) struct RelaxFrame {
    /// The frame is a function's, not a fragment's or a sequence's.
    pub(crate) is_function: bool,
    /// The scalar variables met so far in the signature, while it is printed; by address.
    pub(crate) signature_vars: Option<HashSet<usize>>,
    /// The line that gives the module its short name is there.
    pub(crate) has_module_alias: bool,
    /// The next function says nothing of its result: the variable that holds it is known to give nothing.
    pub(crate) omits_result: bool,
}

/// Words of the dialect on the docsifier.
pub(crate) trait RelaxDocsifier {
    /// `R.name`
    fn r(&mut self, name: &str) -> ExprDoc;
    /// The number of the frame that declares scalar variables: that of the outermost function, else the outermost one.
    fn declaring_frame(&self) -> Option<usize>;
    /// The number of the frame around a fragment, which declares its free variables; none where a function or a module is
    /// printed, whose variables are its own.
    fn fragment_frame(&self) -> Option<usize>;
    /// The options.
    fn relax_options(&mut self) -> &RelaxOptions;
}

impl RelaxDocsifier for Docsifier<'_> {
    fn r(&mut self, name: &str) -> ExprDoc {
        self.prefixed("relax", name)
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

    fn fragment_frame(&self) -> Option<usize> {
        let is_whole = self.root().is::<BaseFunc>() || self.frame_data::<ModuleFrame>().is_some();
        self.outermost_free_frame().filter(|_| !is_whole)
    }

    fn relax_options(&mut self) -> &RelaxOptions {
        self.state(|config| config.part::<RelaxOptions>())
    }
}
