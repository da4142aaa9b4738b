//! Functions: `T.prim_func`, parameters, attributes, result.

use tvmscript_ir::signature::{FunctionTyper, Signature};
use tvmscript_ir::{DictAttrs, GLOBAL_SYMBOL};
use tvmscript_ir_core::{Array, Map, Object, Ref, RewriteError, Span, Str, Value};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, Builder, FrameOf, ScriptValue, script_fn,
};
use tvmscript_prim::{Expr, TupleType, Type, Var};

use super::frame::{FrameKind, TirFrame, set_once, wrong_frame};
use super::types::TypeArg;
use crate::complete::{CompleteError, CompleteErrorKind, complete, complete_fragment};
use crate::handles::without_handles;
use crate::node::*;
use crate::signature::{self, Effects};

/// An open function.
#[derive(Debug, Default)]
pub struct PrimFuncFrame {
    pub(crate) name: Option<Str>,
    is_private: bool,
    /// Declare the signature in the module instead of defining the function.
    declares: bool,
    params: Vec<Ref<Var>>,
    pub(crate) buffer_map: Vec<(Ref<Var>, Ref<Buffer>)>,
    ret_type: Option<Ref<Type>>,
    attrs: Option<Map<Str, Value>>,
    pub(crate) root_alloc: Vec<Ref<Buffer>>,
    pub(crate) env_threads: Vec<super::thread::EnvThread>,
    /// Build the statements alone, without a function.
    pub(crate) fragment: Option<Fragment>,
    /// Variables that annotations of the signature define.
    matched: Vec<Ref<Var>>,
    /// The expression in the place of a buffer's handle, if no text names the handles.
    pub(crate) handle_value: Option<fn(&Var, &Buffer) -> Expr>,
    /// Leave blocks as they are written: no root block, no computed regions.
    is_raw: bool,
}

/// Statements outside of a function, or a single value.
#[derive(Debug, Default)]
pub(crate) struct Fragment {
    /// The value, unless the fragment consists of statements.
    value: Option<Object>,
}

impl Fragment {
    /// Sets the builder's result to the statements or the value.
    fn close(self, root_alloc: &[Ref<Buffer>], stmts: Vec<StmtRef>) -> BuildResult<()> {
        if let Some(buffer) = root_alloc.first() {
            let message = format!("`{}` is allocated outside of any block or function", buffer.name.get());
            let help = "`T.Buffer(..)` declares a buffer that the fragment does not define";
            return Err(BuildError::message(message).with_help(help));
        }
        match (self.value, stmts.is_empty()) {
            (Some(value), true) => Builder::set_result(value),
            (None, false) => {
                let body = complete_fragment(flatten(stmts, true)).map_err(completion_error)?;
                Builder::set_result(body.into())
            }
            (None, true) => Err(BuildError::message("the fragment has declarations only")
                .with_help("end the fragment with a statement or an expression")),
            (Some(_), false) => {
                Err(BuildError::message("a fragment is statements or part of a block, not both"))
            }
        }
    }
}

impl PrimFuncFrame {
    /// The arguments of `T.prim_func` that differ from its defaults.
    pub(crate) fn arguments(&self) -> Vec<ScriptValue> {
        self.is_private.then_some(ScriptValue::Bool(true)).into_iter().collect()
    }

    /// Returns `true` if the variable is a parameter.
    pub(crate) fn has_param(&self, var: &Ref<Var>) -> bool {
        self.params.iter().any(|p| p.ptr_eq(var))
    }

    pub(crate) fn close(self, stmts: Vec<StmtRef>) -> BuildResult<()> {
        let PrimFuncFrame {
            name,
            is_private,
            declares,
            params,
            buffer_map,
            ret_type,
            attrs,
            root_alloc,
            fragment,
            handle_value,
            is_raw,
            ..
        } = self;
        if let Some(fragment) = fragment {
            return fragment.close(&root_alloc, stmts);
        }
        let mut entries: Vec<(Str, Value)> =
            attrs.map(|a| a.iter().map(|(k, v)| (k.clone(), v.clone())).collect()).unwrap_or_default();
        if let Some(name) = &name
            && !is_private
            && !entries.iter().any(|(k, _)| k.as_str() == GLOBAL_SYMBOL)
        {
            entries.push((Str::new(GLOBAL_SYMBOL), name.clone().into()));
        }
        let mut function = PrimFunc {
            span: Span::current(),
            struct_info_: None,
            attrs: DictAttrs::new(entries),
            params: Array::new(params),
            ret_type: ret_type.unwrap_or_else(TupleType::void),
            buffer_map: Map::new(buffer_map),
            body: flatten(stmts, true),
        };
        if let Some(value) = handle_value {
            without_handles(&mut function, value).map_err(invalid)?;
        }
        if declares {
            let name = name.unwrap_or_else(|| Str::new("main"));
            let function_type = declared_type(&function);
            return tvmscript_ir::build::decl_function(&name, function_type).map(drop);
        }
        let function = match is_raw && root_alloc.is_empty() {
            true => function,
            false => complete(function, root_alloc).map_err(completion_error)?,
        };
        let function = with_struct_info(Ref::new(function));
        match name {
            Some(name) if tvmscript_ir::build::in_module() => {
                tvmscript_ir::build::def_function(&name, function.upcast())
            }
            _ => Builder::set_result(function.into()),
        }
    }
}

fn completion_error(error: CompleteError) -> BuildError {
    let (span, help) = (error.span, error.help());
    let error = BuildError::from(error).at_span(span);
    match help {
        Some(help) => error.with_help(help),
        None => error,
    }
}

/// The error of a function whose body does not fit together.
fn invalid(error: RewriteError) -> BuildError {
    completion_error(CompleteError { kind: CompleteErrorKind::Invalid(error), span: Span::current() })
}

fn signature(function: &PrimFunc) -> Signature {
    signature::signature(function, Builder::context::<Effects>().as_deref())
}

/// Functions of tensor expressions in the form of the release ([`TirSyntax::made`](crate::TirSyntax::made)): a context of the
/// builder for releases that have another form than the first.
#[derive(Debug, Clone, Copy)]
pub struct MadeFunctions(pub fn(Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError>);

/// Adds the function's type, if a dialect of the open registry provides one.
pub fn with_struct_info(mut function: Ref<PrimFunc>) -> Ref<PrimFunc> {
    if let Some(typer) = Builder::context::<FunctionTyper>() {
        let function_type = typer.0(&signature(&function));
        function.make_mut().struct_info_ = Some(function_type);
    }
    function
}

/// The type of a declaration without body; such a function counts as impure.
fn declared_type(function: &PrimFunc) -> Option<Object> {
    let typer = Builder::context::<FunctionTyper>()?;
    let signature = Signature { is_pure: false, ..signature(function) };
    Some(typer.0(&signature))
}

/// Runs `f` on the innermost frame, which must be a function.
fn with_function<R>(function: &str, f: impl FnOnce(&mut PrimFuncFrame) -> BuildResult<R>) -> BuildResult<R> {
    let done = Builder::with_top(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::PrimFunc(func) if func.fragment.is_none() => Some(f(func)),
        _ => None,
    })?;
    done.flatten()
        .unwrap_or_else(|| Err(wrong_frame(function, "at the top of a function, not inside another scope")))
}

/// Opens a function: `@T.prim_func`.
pub fn prim_func() -> FrameOf<TirFrame> {
    open(false, false)
}

/// Opens a function without a global symbol: `@T.prim_func(private=True)`.
pub fn private_prim_func() -> FrameOf<TirFrame> {
    open(true, false)
}

/// Opens a function of the enclosing module, or only its declaration.
pub(crate) fn open(is_private: bool, declares: bool) -> FrameOf<TirFrame> {
    open_with(Flags { is_private, declares, ..Flags::default() })
}

/// Properties of a function that its decorator sets.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// The function has no global symbol.
    pub is_private: bool,
    /// Declare the function in the module instead of defining it.
    pub declares: bool,
    /// Leave blocks as they are written: no root block, no computed regions.
    pub is_raw: bool,
    /// Attributes.
    pub attrs: Vec<(Str, Value)>,
}

/// Opens a function.
pub fn open_with(flags: Flags) -> FrameOf<TirFrame> {
    let Flags { is_private, declares, is_raw, attrs } = flags;
    let attrs = (!attrs.is_empty()).then(|| Map::new(attrs));
    let frame = PrimFuncFrame { is_private, declares, is_raw, attrs, ..PrimFuncFrame::default() };
    FrameOf::new(TirFrame::new(FrameKind::PrimFunc(Box::new(frame))))
}

/// Returns `true` if the open function has an attribute with this key so far.
pub fn has_attr(key: &str) -> bool {
    find_function(|function| function.attrs.as_ref().is_some_and(|attrs| attrs.get_str(key).is_some()))
}

/// Notes that an annotation of the open function's signature defines a variable.
pub fn note_matched(var: &Ref<Var>) {
    find_function(|function| {
        function.matched.push(var.clone());
        true
    });
}

/// Returns `true` if an annotation of the open function's signature defines the variable.
pub fn is_matched(var: &Ref<Var>) -> bool {
    find_function(|function| function.matched.iter().any(|matched| matched.ptr_eq(var)))
}

/// The result of `f` for the open function; `false` outside of one.
fn find_function(mut f: impl FnMut(&mut PrimFuncFrame) -> bool) -> bool {
    let found = Builder::find(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::PrimFunc(function) => Some(f(function)),
        _ => None,
    });
    matches!(found, Ok(Some(true)))
}

/// Opens a fragment: statements outside of a function, or a single value.
#[cfg(feature = "parse")]
pub(crate) fn open_fragment() -> FrameOf<TirFrame> {
    let frame = PrimFuncFrame { fragment: Some(Fragment::default()), ..PrimFuncFrame::default() };
    FrameOf::new(TirFrame::new(FrameKind::PrimFunc(Box::new(frame))))
}

/// Returns `true` if the innermost frame is an empty fragment.
pub(crate) fn is_fragment_empty() -> bool {
    let is_empty = Builder::with_top(|frame: &mut TirFrame| match &frame.kind {
        FrameKind::PrimFunc(func) => {
            frame.stmts.is_empty() && func.fragment.as_ref().is_some_and(|f| f.value.is_none())
        }
        _ => false,
    });
    matches!(is_empty, Ok(Some(true)))
}

/// Makes a value the content of the innermost frame if that is an empty fragment. Returns `false` otherwise.
pub(crate) fn set_fragment(value: Object) -> bool {
    if !is_fragment_empty() {
        return false;
    }
    let done = Builder::with_top(|frame: &mut TirFrame| {
        if let FrameKind::PrimFunc(func) = &mut frame.kind {
            func.fragment = Some(Fragment { value: Some(value) });
        }
    });
    matches!(done, Ok(Some(())))
}

/// Sets the name of the function.
#[script_fn]
pub fn func_name(name: Str) -> BuildResult<()> {
    with_function("T.func_name", |func| match func.name.replace(name) {
        None => Ok(()),
        Some(before) => {
            Err(BuildErrorKind::Repeated { what: format!("the name of function `{before}`") }.into())
        }
    })
}

/// Sets the return type of the function.
#[script_fn]
pub fn func_ret(ret_type: TypeArg) -> BuildResult<()> {
    with_function("T.func_ret", |func| {
        set_once(&mut func.ret_type, ret_type.0, "the result type of the function")
    })
}

/// Adds attributes to the function.
#[script_fn]
pub fn func_attr(attrs: Map<Str, Value>) -> BuildResult<()> {
    with_function("T.func_attr", |func| {
        if func.is_private && attrs.get_str(GLOBAL_SYMBOL).is_some() {
            let error = BuildError::message("a private function cannot have a \"global_symbol\"");
            return Err(error.with_help("drop the attribute, or `private=True`"));
        }
        let before = func.attrs.take().unwrap_or_default();
        for (key, value) in attrs.iter() {
            if before.get_str(key).is_some_and(|old| !same_value(old, value)) {
                let what = format!("the attribute \"{key}\" of the function");
                return Err(BuildErrorKind::Repeated { what }.into());
            }
        }
        let entries = before.iter().chain(attrs.iter()).map(|(k, v)| (k.clone(), v.clone()));
        func.attrs = Some(Map::new(entries.collect::<Vec<_>>()));
        Ok(())
    })
}

/// Adds a parameter: a variable, or a buffer with an implicit handle.
#[script_fn(name = "arg")]
pub fn arg_(name: Str, obj: ScriptValue) -> BuildResult<ScriptValue> {
    let (param, buffer) = if let Some(var) = obj.as_node::<Var>() {
        (var.clone(), None)
    } else if let Some(buffer) = obj.as_node::<Buffer>() {
        (Buffer::implicit_handle(&name), Some(buffer.clone()))
    } else {
        let error = BuildError::expected(
            "a variable or buffer, such as `T.int32` or `T.Buffer((16,))`",
            obj.type_name(),
        );
        return Err(error.at_position(1));
    };
    with_function("T.arg", |func| {
        match &buffer {
            Some(buffer) => {
                buffer.object().give_name(&name);
                func.buffer_map.push((param.clone(), buffer.clone()));
            }
            None => param.name.set(name),
        }
        func.params.push(param);
        Ok(())
    })?;
    Ok(obj)
}

/// Returns `true` if two attribute values are equal.
pub(crate) fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Node(x), Value::Node(y)) => tvmscript_ir_core::equal::structural_equal(x, y),
        (Value::None, Value::None) => true,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Float(x), Value::Float(y)) => x.to_bits() == y.to_bits(),
        (Value::DType(x), Value::DType(y)) => x == y,
        _ => false,
    }
}
