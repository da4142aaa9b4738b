//! State of the printers during one print: options, shared docs, enclosing loops.

use std::str::FromStr;

use hashbrown::HashMap;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult, OptionArgument, PrinterConfig, PrinterOption};
use tvmscript_ir_core::{DataType, PathId, Ref};
use tvmscript_prim::Var;

use crate::bare::{bare_buffer, bare_float, bare_int};
use crate::node::{For, IterVar};
use crate::op::Operator;
use crate::syntax::TirSyntax;

/// Options of this dialect: default data types, which the text omits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TirOptions {
    /// Type of bare integer literals; `void` for none.
    pub int_dtype: DataType,
    /// Type of bare float literals; `void` for none.
    pub float_dtype: DataType,
    /// Type of buffers without an explicit one; `void` for none.
    pub buffer_dtype: DataType,
}

impl Default for TirOptions {
    fn default() -> Self {
        TirOptions {
            int_dtype: DataType::INT32,
            float_dtype: DataType::VOID,
            buffer_dtype: DataType::FLOAT32,
        }
    }
}

fn dtype(text: &str) -> std::result::Result<DataType, String> {
    DataType::from_str(text).map_err(|error| error.to_string())
}

/// Sets a default type after checking it.
fn set(
    config: &mut PrinterConfig,
    text: &str,
    check: fn(DataType) -> std::result::Result<(), String>,
    field: fn(&mut TirOptions) -> &mut DataType,
) -> std::result::Result<(), String> {
    let dtype = dtype(text)?;
    check(dtype)?;
    *field(config.part_mut()) = dtype;
    Ok(())
}

/// The header entry for a default type; `None` for that of plain Python text, or if there is none.
fn header(
    dtype: DataType,
    plain: DataType,
    check: fn(DataType) -> std::result::Result<(), String>,
) -> std::result::Result<Option<String>, String> {
    check(dtype)?;
    Ok((dtype != plain && dtype != DataType::VOID).then(|| dtype.to_string()))
}

/// The options, for front ends.
pub(super) static OPTIONS: &[PrinterOption] = &[
    PrinterOption {
        name: "int-dtype",
        help: "The integer type whose literals print bare; `void` for none",
        argument: OptionArgument::Value { name: "DTYPE", default: "int32" },
        set: |config, text| set(config, text, bare_int, |options| &mut options.int_dtype),
        header: Some(|config| header(config.part::<TirOptions>().int_dtype, DataType::INT32, bare_int)),
    },
    PrinterOption {
        name: "float-dtype",
        help: "The float type whose literals print bare; `void` for none",
        argument: OptionArgument::Value { name: "DTYPE", default: "void" },
        set: |config, text| set(config, text, bare_float, |options| &mut options.float_dtype),
        header: Some(|config| header(config.part::<TirOptions>().float_dtype, DataType::FLOAT32, bare_float)),
    },
    PrinterOption {
        name: "buffer-dtype",
        help: "The element type that buffers print without; `void` for none",
        argument: OptionArgument::Value { name: "DTYPE", default: "float32" },
        set: |config, text| set(config, text, bare_buffer, |options| &mut options.buffer_dtype),
        header: Some(|config| {
            header(config.part::<TirOptions>().buffer_dtype, DataType::FLOAT32, bare_buffer)
        }),
    },
];

/// State of the printers.
pub struct State {
    pub(crate) syntax: &'static TirSyntax,
    pub(crate) options: TirOptions,
    /// The doc of `T`.
    prefix: Option<ExprDoc>,
    /// `T.float32` and the like, shared.
    dtypes: Vec<(DataType, ExprDoc)>,
    /// Callees by the operator's address.
    callees: HashMap<usize, ExprDoc>,
    /// The statement, by its address, that may leave its body to the enclosing block.
    concise: Option<usize>,
    /// The next statement continues an `elif` ladder.
    pub(crate) is_rung: bool,
    /// The next call continues a long chain of conditionals.
    pub(crate) is_link: bool,
    /// Enclosing loops by the address of their variable.
    loops: HashMap<usize, Ref<For>>,
    /// Frames of pointers whose statement is in an inner frame of the one that has their name.
    bound: HashMap<usize, usize>,
    /// Defined threads by the address of their variable.
    threads: HashMap<usize, Ref<IterVar>>,
}

impl State {
    fn new(config: &PrinterConfig, syntax: &'static TirSyntax) -> State {
        State {
            syntax,
            options: config.part(),
            prefix: None,
            dtypes: Vec::new(),
            callees: HashMap::new(),
            concise: None,
            is_rung: false,
            is_link: false,
            loops: HashMap::new(),
            bound: HashMap::new(),
            threads: HashMap::new(),
        }
    }

    /// Lets one statement, by its address, leave its body to the enclosing block.
    #[inline]
    pub(crate) fn set_concise(&mut self, statement: Option<usize>) {
        self.concise = statement;
    }

    /// Returns `true` if this statement may be concise, and withdraws the permission. A statement in a scope of another
    /// dialect never may: what follows it there is unknown here.
    #[inline]
    pub(crate) fn take_concise(&mut self, statement: usize) -> bool {
        self.concise.take() == Some(statement)
    }

    /// The enclosing loop with this variable, by its address.
    pub(crate) fn loop_of(&self, variable: usize) -> Option<Ref<For>> {
        self.loops.get(&variable).cloned()
    }

    /// Enters a loop. Returns `false` if an enclosing loop has the same variable.
    pub(crate) fn enter_loop(&mut self, node: &Ref<For>) -> bool {
        self.loops.try_insert(node.loop_var.object().address(), node.clone()).is_ok()
    }

    pub(crate) fn leave_loop(&mut self, variable: usize) {
        self.loops.remove(&variable);
    }

    /// Undoes [`TirDocsifier::bind_here`].
    pub(crate) fn unbind(&mut self, variable: &Ref<Var>) {
        self.bound.remove(&variable.object().address());
    }

    /// The thread whose variable this was defined as.
    pub(crate) fn thread_of(&self, variable: &Ref<Var>) -> Option<Ref<IterVar>> {
        self.threads.get(&variable.object().address()).cloned()
    }
}

/// Access to the dialect's words and state.
pub trait TirDocsifier {
    /// The state of the printers.
    fn tir(&mut self) -> &mut State;
    /// `T.name`
    fn t(&mut self, name: &str) -> ExprDoc;
    /// `T.name(args)`
    fn call_t(&mut self, name: &str, args: &[ExprDoc]) -> ExprDoc;
    /// `T.name(args, key=value)`
    fn call_t_with(&mut self, name: &str, args: &[ExprDoc], kwargs: &[(&str, ExprDoc)]) -> ExprDoc;
    /// Prints a node in a field of the node at `path`.
    fn part<T: ?Sized>(&mut self, node: &Ref<T>, path: PathId, field: &'static str)
    -> DocsifyResult<ExprDoc>;
    /// `T.float32`
    fn t_dtype(&mut self, dtype: DataType) -> ExprDoc;
    /// The shared callee of an operator.
    fn t_callee(&mut self, address: usize, operator: &Operator) -> ExprDoc;
    /// The name of the release's function in place of one of TVM 0.23.
    fn successor(&self, name: &'static str) -> &'static str;
    /// Records that the statement of a pointer is in the innermost frame.
    fn bind_here(&mut self, variable: &Ref<Var>);
    /// Index of the outermost frame in which a statement may use the variable.
    fn visible_from(&mut self, variable: &Ref<Var>) -> usize;
    /// Records that the variable of a thread is defined in the innermost frame.
    fn set_thread(&mut self, thread: &Ref<IterVar>);
}

impl TirDocsifier for Docsifier<'_> {
    #[inline]
    fn tir(&mut self) -> &mut State {
        let registry = self.registry();
        self.state(|config| State::new(config, TirSyntax::of(registry)))
    }

    #[inline]
    fn t(&mut self, name: &str) -> ExprDoc {
        let prefix = match self.tir().prefix {
            Some(prefix) => prefix,
            None => {
                let prefix = self.prefix("tir");
                self.tir().prefix = Some(prefix);
                prefix
            }
        };
        let name = self.release().renames.function_name("tir", name);
        self.docs.attr(prefix, name)
    }

    fn successor(&self, name: &'static str) -> &'static str {
        self.release().renames.successor_name("tir", name)
    }

    fn call_t(&mut self, name: &str, args: &[ExprDoc]) -> ExprDoc {
        let callee = self.t(name);
        self.docs.call_args(callee, args)
    }

    fn call_t_with(&mut self, name: &str, args: &[ExprDoc], kwargs: &[(&str, ExprDoc)]) -> ExprDoc {
        let callee = self.t(name);
        self.docs.call(callee, args, kwargs)
    }

    #[inline]
    fn part<T: ?Sized>(
        &mut self,
        node: &Ref<T>,
        path: PathId,
        field: &'static str,
    ) -> DocsifyResult<ExprDoc> {
        let at = self.field(path, field);
        self.expr(node, at)
    }

    #[inline]
    fn t_dtype(&mut self, dtype: DataType) -> ExprDoc {
        if let Some((_, doc)) = self.tir().dtypes.iter().find(|(d, _)| *d == dtype) {
            return *doc;
        }
        let doc = self.t(&dtype.to_string());
        self.tir().dtypes.push((dtype, doc));
        doc
    }

    #[inline]
    fn t_callee(&mut self, address: usize, operator: &Operator) -> ExprDoc {
        if let Some(doc) = self.tir().callees.get(&address) {
            return *doc;
        }
        let name = self.successor(operator.text);
        let doc = self.t(name);
        self.tir().callees.insert(address, doc);
        doc
    }

    fn bind_here(&mut self, variable: &Ref<Var>) {
        let frame = self.frame_count().saturating_sub(1);
        self.tir().bound.insert(variable.object().address(), frame);
    }

    fn visible_from(&mut self, variable: &Ref<Var>) -> usize {
        let bound = self.tir().bound.get(&variable.object().address()).copied();
        bound.or_else(|| self.defining_frame(variable.object())).unwrap_or(0)
    }

    fn set_thread(&mut self, thread: &Ref<IterVar>) {
        let variable = thread.var.object().address();
        self.tir().threads.insert(variable, thread.clone());
        self.on_exit(Box::new(move |d| {
            d.tir().threads.remove(&variable);
        }));
    }
}
