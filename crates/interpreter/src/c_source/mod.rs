//! Functions of TIR as C99.
//!
//! The text does what the interpreter does: integers wrap at their width, floats are rounded to their type, lanes of vectors
//! are written one by one, and threads are loops: around the whole launch, or around the statements between two barriers. It
//! checks neither indices nor the sizes of memory. A division by zero, a failed assertion and memory that cannot be had call
//! `abort`.
//!
//! A `#line` directive before each statement names the line of the script, so that a debugger stops there.
//!
//! Calling convention: each parameter of the function is one of C, a buffer as a pointer to its first element; behind them
//! stand the variables that only the layouts of buffers define, in the order of their first use: extents, then strides and
//! offsets of each buffer. Truth values and floats of 16 or 8 bits lie in memory as unsigned integers, and are `bool` and
//! `float` as scalars.

mod aliases;
mod block;
mod buffer;
mod call;
mod driver;
mod exchange;
mod expr;
mod function;
mod group;
mod helpers;
mod joint;
mod lines;
mod loops;
mod matrix;
mod meetings;
mod names;
mod operate;
mod pointer;
mod stmt;
mod types;
mod value;
mod varying;
mod warp;

use std::fmt;

use tvmscript_ir_core::diagnostic::{Diagnostic, ErrorCode, Message};
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{DataType, Ref, SourceTexts, Span};
use tvmscript_prim::Var;
use tvmscript_tir::node::{Buffer, PrimFunc};

use aliases::Aliases;
use buffer::View;
use group::Group;
use helpers::{Helper, Helpers};
use lines::{Lines, Place};
use names::Names;
use value::Value;

use crate::error::{Result, RunError, RunErrorKind, unsupported};
use crate::threads::WARP;

/// Options of [`c_source`].
#[derive(Debug, Clone, Copy)]
pub struct COptions<'t> {
    /// The texts that spans point into.
    pub texts: &'t SourceTexts,
    /// Write `#line` directives.
    pub has_lines: bool,
    /// Write a `main` that runs one of the functions on standard input; see [`CFunction::input`].
    pub has_main: bool,
}

/// A function to write.
#[derive(Debug, Clone)]
pub struct CInput {
    /// The number of its module: functions of one module may call each other.
    pub module: usize,
    /// The name.
    pub name: String,
    /// The function.
    pub function: Ref<PrimFunc>,
}

/// C of some functions.
#[derive(Debug, Clone, PartialEq)]
pub struct CSource {
    /// A file of C.
    pub text: String,
    /// The functions, in order.
    pub functions: Vec<CFunction>,
}

/// The C form of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct CFunction {
    /// The name of the function.
    pub name: String,
    /// The name in C, which differs where C uses the name itself.
    pub c_name: String,
    /// The parameters in C.
    pub parameters: Vec<CParameter>,
    /// The type of the result, if there is one.
    pub result: Option<DataType>,
}

/// A parameter in C.
#[derive(Debug, Clone, PartialEq)]
pub struct CParameter {
    /// Its name.
    pub name: String,
    /// Its C type.
    pub ctype: String,
    /// Its type in TIR; a handle for a buffer.
    pub dtype: DataType,
    /// What to pass.
    pub value: CValue,
}

/// The value of a parameter in C, by the number of a parameter of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CValue {
    /// The argument itself.
    Argument(usize),
    /// The extent of a dimension of an argument.
    Extent(usize, usize),
    /// The stride of a dimension of an argument.
    Stride(usize, usize),
    /// The offset of the first element of an argument.
    Offset(usize),
}

/// A construct that has no form in C, with the span of the innermost statement or expression that has one.
#[derive(Debug, Clone, PartialEq)]
pub struct CError {
    kind: RunErrorKind,
    /// Where; may be unknown.
    pub span: Span,
}

impl fmt::Display for CError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            RunErrorKind::Unsupported { construct } => write!(f, "{construct} has no form in C"),
            other => other.fmt(f),
        }
    }
}

impl std::error::Error for CError {}

/// The code of [`CError`].
pub static NO_C_FORM: ErrorCode = ErrorCode {
    code: "E0824",
    name: "no-c-form",
    meaning: "A part of a function has no form in C for `emit --target c`: an operator on tiles, a barrier that some \
              threads may not reach, an instruction of a device, or a call of a function that is not there. All such parts are \
              reported at once.",
};

impl CError {
    /// The error with its place.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Message::new(&NO_C_FORM, self.to_string()), self.span).with_help(
            "lower this part to loops and accesses of buffers, or leave the function out with `--function`",
        )
    }
}

/// Writes functions as C99.
///
/// ```
/// use tvmscript_interpreter::{COptions, c_source};
/// use tvmscript_ir_core::SourceTexts;
///
/// let texts = SourceTexts::new();
/// let source = c_source(&[], COptions { texts: &texts, has_lines: true, has_main: false })?;
/// assert!(source.text.contains("#include <stdint.h>"));
/// # Ok::<(), Vec<tvmscript_interpreter::CError>>(())
/// ```
///
/// # Errors
/// All constructs that have no form in C.
pub fn c_source(functions: &[CInput], options: COptions<'_>) -> std::result::Result<CSource, Vec<CError>> {
    let mut names = Names::default();
    let mut described: Vec<CFunction> = functions
        .iter()
        .map(|input| CFunction {
            name: input.name.clone(),
            c_name: names.define(&input.name),
            parameters: Vec::new(),
            result: function::result_of(&input.function),
        })
        .collect();
    let mut writer = Writer {
        functions,
        module: 0,
        callees: described.clone(),
        aliases: Aliases::of(functions),
        texts: options.texts,
        helpers: Helpers::default(),
        lines: Lines::default(),
        prototypes: String::new(),
        names,
        variables: AddressMap::default(),
        views: AddressMap::default(),
        scopes: Vec::new(),
        loops: Vec::new(),
        axes: Vec::new(),
        group: None,
        exchanged: AddressMap::default(),
        memory: AddressMap::default(),
        stack_bytes: 0,
        warp: WARP as i64,
        depth: 0,
        lazy: 0,
        result: None,
        is_guarded: false,
        is_ordered: false,
        bytes: 0,
        span: Span::UNKNOWN,
        place: None,
        remark: None,
        errors: Vec::new(),
    };
    for (input, description) in functions.iter().zip(&mut described) {
        writer.function(input, description);
    }
    if !writer.errors.is_empty() {
        let errors = writer.errors.into_iter();
        return Err(errors.map(|error| CError { kind: error.kind, span: error.span }).collect());
    }
    let mut text = HEADER.replace(
        "#include <stdint.h>\n",
        match options.has_main {
            true => "#include <stdint.h>\n#include <stdio.h>\n",
            false => "#include <stdint.h>\n",
        },
    );
    text.push_str(writer.helpers.text());
    text.push_str(&writer.prototypes);
    text.push('\n');
    text.push_str(&writer.lines.render(options.has_lines));
    if options.has_main {
        text.push_str(&driver::main(&described, options.has_lines));
    }
    Ok(CSource { text, functions: described })
}

const HEADER: &str = "\
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
/* Variables of the script may be unused, and conditions always true. */
#pragma GCC diagnostic ignored \"-Wunused-parameter\"
#pragma GCC diagnostic ignored \"-Wunused-variable\"
#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"
#pragma GCC diagnostic ignored \"-Wtautological-compare\"
#pragma GCC diagnostic ignored \"-Wtype-limits\"
#endif

";

/// The scalars of a value.
type Lanes = Vec<Value>;

/// Names and memory that end with a scope.
#[derive(Debug, Default)]
struct Scope {
    /// Variables and buffers that the scope bound, with what they were before.
    variables: Vec<(usize, Option<Lanes>)>,
    views: Vec<(usize, Option<View>)>,
    /// Names of memory to free.
    allocations: Vec<String>,
}

/// Maximum number of bytes of C.
const MAX_BYTES: usize = 1 << 26;

/// The state of writing.
struct Writer<'m> {
    functions: &'m [CInput],
    /// The number of the current module.
    module: usize,
    /// Their names and results in C, in the same order.
    callees: Vec<CFunction>,
    aliases: Aliases,
    texts: &'m SourceTexts,
    helpers: Helpers,
    lines: Lines,
    prototypes: String,
    names: Names,
    variables: AddressMap<Lanes>,
    views: AddressMap<View>,
    scopes: Vec<Scope>,
    /// The number of scopes outside of each open loop.
    loops: Vec<usize>,
    /// The axes of threads that have an index at the moment.
    axes: Vec<(String, Value)>,
    /// The threads that run the current statements together.
    group: Option<Group>,
    /// The results of exchanges between threads in the current statement.
    exchanged: AddressMap<Lanes>,
    /// The type and number of the elements of allocated memory, by its pointer.
    memory: AddressMap<(DataType, Value)>,
    /// The number of bytes on the stack of the function.
    stack_bytes: i128,
    /// The number of lanes of a warp of the function.
    warp: i64,
    depth: usize,
    /// The number of conditions that the current expression depends on.
    lazy: usize,
    result: Option<DataType>,
    /// `true` if an access beyond a buffer in global memory reads zero and writes nothing, as in programs on tiles.
    is_guarded: bool,
    /// `true` if reads keep their order, because an expression of the function writes memory.
    is_ordered: bool,
    bytes: usize,
    span: Span,
    place: Option<Place>,
    /// A comment for the next line.
    remark: Option<String>,
    errors: Vec<RunError>,
}

impl Writer<'_> {
    /// Adds a line of C at the current place.
    fn line(&mut self, mut text: String) {
        if let Some(remark) = self.remark.take() {
            text.push(' ');
            text.push_str(&remark);
        }
        self.bytes += text.len();
        self.lines.push(self.depth, text, self.place);
    }

    fn helper(&mut self, helper: Helper) -> String {
        self.helpers.name(helper)
    }

    /// Fails if the text has become too large.
    fn check_size(&self) -> Result<()> {
        match self.bytes > MAX_BYTES {
            true => unsupported(format!("a text of more than {MAX_BYTES} bytes")),
            false => Ok(()),
        }
    }

    /// Moves to the place of a node; returns the one before.
    fn enter_span(&mut self, span: Span) -> (Span, Option<Place>) {
        let outer = (self.span, self.place);
        if span.is_known() {
            self.span = span;
            let places = span.places();
            self.place = self.lines.place(&places, self.texts).or(self.place);
            let layers: Vec<String> = places.into_iter().filter_map(Span::source_name).collect();
            if !layers.is_empty() {
                self.remark = Some(lines::comment(&layers.join(", ")));
            }
        }
        outer
    }

    fn leave_span(&mut self, outer: (Span, Option<Place>)) {
        (self.span, self.place) = outer;
        self.remark = None;
    }

    fn bind(&mut self, variable: &Ref<Var>, lanes: Lanes) {
        let key = variable.object().address();
        let old = self.variables.insert(key, lanes);
        if let Some(scope) = self.scopes.last_mut() {
            scope.variables.push((key, old));
        }
    }

    /// The value of a variable that is a scalar.
    fn first_lane(&self, variable: &Ref<Var>) -> Option<Value> {
        self.variables.get(&variable.object().address())?.first().cloned()
    }

    fn declare(&mut self, buffer: &Ref<Buffer>, view: View) {
        let key = buffer.object().address();
        let old = self.views.insert(key, view);
        if let Some(scope) = self.scopes.last_mut() {
            scope.views.push((key, old));
        }
    }

    fn close_scope(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        for (key, old) in scope.variables.into_iter().rev() {
            match old {
                Some(old) => self.variables.insert(key, old),
                None => self.variables.remove(&key),
            };
        }
        for (key, old) in scope.views.into_iter().rev() {
            match old {
                Some(old) => self.views.insert(key, old),
                None => self.views.remove(&key),
            };
        }
        for name in scope.allocations.into_iter().rev() {
            self.line(format!("free({name});"));
        }
    }

    /// Writes in a scope of its own.
    fn scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.scopes.push(Scope::default());
        let result = body(self);
        self.close_scope();
        result
    }

    /// Writes a block of C in a scope of its own.
    fn block_of<T>(&mut self, header: &str, body: impl FnOnce(&mut Self) -> T) -> T {
        self.open_block(header);
        let result = body(self);
        self.close_block();
        result
    }

    fn open_block(&mut self, header: &str) {
        self.line(if header.is_empty() { "{".to_owned() } else { format!("{header} {{") });
        self.depth += 1;
        self.names.open();
        self.scopes.push(Scope::default());
    }

    fn close_block(&mut self) {
        self.close_scope();
        self.names.close();
        self.depth -= 1;
        self.line("}".to_owned());
    }
}
