//! What the dialect's printers keep during one print: options, words made already, loops around the current place.

use std::str::FromStr;

use hashbrown::HashMap;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, OptionArgument, PrinterConfig, PrinterOption, Result};
use tvmscript_ir_core::{DataType, PathId, Ref};
use tvmscript_prim::Var;

use crate::bare::{bare_buffer, bare_float, bare_int};
use crate::node::{For, IterVar};
use crate::op::Operator;

/// The options of this dialect: which data types go without saying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TirOptions {
    /// Integer literals of this type print bare; `void` for none.
    pub int_dtype: DataType,
    /// Float literals of this type print bare; `void` for none.
    pub float_dtype: DataType,
    /// Buffers of this type print without it; `void` for none.
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

/// Sets a type that `check` accepts.
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

/// What the header says of a type: nothing where it is that of plain Python text, or where no literal stands bare.
fn header(
    dtype: DataType,
    plain: DataType,
    check: fn(DataType) -> std::result::Result<(), String>,
) -> std::result::Result<Option<String>, String> {
    check(dtype)?;
    Ok((dtype != plain && dtype != DataType::VOID).then(|| dtype.to_string()))
}

/// The options as front ends offer them.
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

/// What the printers keep.
pub(crate) struct State {
    pub(crate) options: TirOptions,
    /// The doc of `T`.
    prefix: Option<ExprDoc>,
    /// `T.float32` and its like, made once.
    dtypes: Vec<(DataType, ExprDoc)>,
    /// Callees, by the operator's address.
    callees: HashMap<usize, ExprDoc>,
    /// The statement that may leave its body to the enclosing block, by its address.
    concise: Option<usize>,
    /// Whether the next statement is a rung of a ladder of `elif`.
    pub(crate) is_rung: bool,
    /// Whether the next call is a link of a long chain of conditionals.
    pub(crate) is_link: bool,
    /// Above zero where the reader runs plain Python: values of keywords, bodies of lambdas.
    host: u32,
    /// The loops around the current place, by the address of their variable.
    loops: HashMap<usize, Ref<For>>,
    /// For pointers whose statement stands in a frame further in than the one that has their name: the number of that frame.
    bound: HashMap<usize, usize>,
    /// The threads whose variables are defined as such, by the address of the variable.
    threads: HashMap<usize, Ref<IterVar>>,
}

impl State {
    fn new(config: &PrinterConfig) -> State {
        State {
            options: config.part(),
            prefix: None,
            dtypes: Vec::new(),
            callees: HashMap::new(),
            concise: None,
            is_rung: false,
            is_link: false,
            host: 0,
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

    /// Returns `true` where the parser will run plain Python.
    #[inline]
    pub(crate) fn in_host(&self) -> bool {
        self.host > 0
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

/// Words of the dialect, and its state, on the docsifier.
pub(crate) trait TirDocsifier {
    /// The state.
    fn tir(&mut self) -> &mut State;
    /// `T.name`
    fn t(&mut self, name: &str) -> ExprDoc;
    /// `T.name(args)`
    fn call_t(&mut self, name: &str, args: &[ExprDoc]) -> ExprDoc;
    /// `T.name(args, key=value)`
    fn call_t_with(&mut self, name: &str, args: &[ExprDoc], kwargs: &[(&str, ExprDoc)]) -> ExprDoc;
    /// The doc of a node that a field of the node at `path` holds.
    fn part<T: ?Sized>(&mut self, node: &Ref<T>, path: PathId, field: &'static str) -> Result<ExprDoc>;
    /// `T.float32`
    fn t_dtype(&mut self, dtype: DataType) -> ExprDoc;
    /// The callee of an operator, made once.
    fn t_callee(&mut self, address: usize, operator: &Operator) -> ExprDoc;
    /// Runs `f` for a place where the reader runs plain Python.
    fn host<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R;
    /// Says that the statement of a pointer stands in the innermost frame.
    fn bind_here(&mut self, variable: &Ref<Var>);
    /// The number of the outermost frame where a statement may speak of the variable.
    fn visible_from(&mut self, variable: &Ref<Var>) -> usize;
    /// Says that the variable of a thread is defined as such in the innermost frame.
    fn set_thread(&mut self, thread: &Ref<IterVar>);
}

impl TirDocsifier for Docsifier<'_> {
    #[inline]
    fn tir(&mut self) -> &mut State {
        self.state(State::new)
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
        self.docs.attr(prefix, name)
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
    fn part<T: ?Sized>(&mut self, node: &Ref<T>, path: PathId, field: &'static str) -> Result<ExprDoc> {
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
        let doc = self.t(operator.text);
        self.tir().callees.insert(address, doc);
        doc
    }

    fn host<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.tir().host += 1;
        let result = f(self);
        self.tir().host -= 1;
        result
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
