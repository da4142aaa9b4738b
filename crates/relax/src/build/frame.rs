//! Builder frames: functions, dataflow blocks, conditionals and branches.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir::GLOBAL_SYMBOL;
use tvmscript_ir_core::mutate::substitute;
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Array, Object, Ref, Span, Str, Value};
use tvmscript_irbuilder::record::record_syntax_as;
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, Builder, CallArgs, Frame, FrameOf, HostObject, ScriptValue,
};

use crate::blocks::{BlockBuilder, Branch, Signature};
use crate::error::RelaxError;
use crate::node::*;
use crate::syntax::RelaxSyntax;

/// A function under construction.
#[derive(Debug, Default)]
pub struct FunctionFrame {
    /// Name.
    pub name: Option<Str>,
    /// Parameters.
    pub params: Vec<Ref<Var>>,
    /// Attributes.
    pub attrs: Vec<(Str, Value)>,
    /// `true` if calls have no effect.
    pub is_pure: bool,
    /// `true` if the function has no global symbol.
    pub is_private: bool,
    /// Stated struct info of the result.
    pub ret: Option<Ref<StructInfo>>,
    /// Result.
    pub output: Option<Expr>,
    /// Bindings.
    pub blocks: BlockBuilder,
    /// Set if the bindings are a fragment and belong to no function.
    pub fragment: Option<Fragment>,
    span: Span,
}

/// Bindings outside a function.
#[derive(Debug, Default)]
pub struct Fragment {
    /// The fragment itself, if it is not an expression.
    pub value: Option<Object>,
    /// `true` if the fragment is a block or sequence even with at most one binding.
    pub is_block: bool,
}

impl FunctionFrame {
    /// A function without parameters.
    pub fn new(is_pure: bool, is_private: bool) -> FunctionFrame {
        FunctionFrame { is_pure, is_private, span: Span::current(), ..FunctionFrame::default() }
    }

    /// A fragment.
    pub fn fragment() -> FunctionFrame {
        FunctionFrame { fragment: Some(Fragment::default()), ..FunctionFrame::new(true, true) }
    }

    /// The node of a fragment: a sequence if it ends with a value, else a block; a single binding is itself.
    fn finish_fragment(mut self, fragment: Fragment) -> BuildResult<Object> {
        let Fragment { value, is_block } = fragment;
        let blocks = self.blocks.end();
        if let Some(body) = self.output {
            if blocks.is_empty() && !is_block {
                return Ok(body.into());
            }
            let struct_info_ = struct_info_of(&body).map(Into::into);
            let blocks: Array<Ref<BindingBlock>> = blocks.into_iter().collect();
            return Ok(Ref::new(SeqExpr { span: self.span, struct_info_, blocks, body }).into());
        }
        let error = |message: String, help: &'static str| Err(BuildError::message(message).with_help(help));
        match (value, <[Ref<BindingBlock>; 1]>::try_from(blocks)) {
            (None, Ok([block])) => match block.bindings.values() {
                [binding] if !is_block && !is_dataflow_block(&block) => {
                    Ok(binding.as_object().cloned().unwrap_or_else(|| block.clone().into()))
                }
                _ => Ok(block.into()),
            },
            (Some(value), Err(blocks)) if blocks.is_empty() => Ok(value),
            (Some(_), _) => {
                error("a conditional after bindings is not a node".to_owned(), "bind it to a name")
            }
            (None, Err(blocks)) if !blocks.is_empty() => {
                let message = format!("{} blocks of bindings without a value are not a node", blocks.len());
                error(message, "end them with an expression")
            }
            (None, _) if is_block => Ok(BindingBlock::new([], false).into()),
            (None, _) => error(
                "declarations alone are not a node".to_owned(),
                "end the fragment with a binding or an expression",
            ),
        }
    }

    fn finish(mut self) -> BuildResult<Ref<Function>> {
        let Some(body) = self.output.take() else {
            let help = "end it with `return` and a value; `R.tuple()` is the empty value";
            return Err(BuildError::message("the function returns nothing").with_help(help));
        };
        let body_info = struct_info_of(&body).unwrap_or_else(ObjectStructInfo::new);
        let body_info = self.blocks.well_defined(&body_info);
        let body_info = match RelaxSyntax::open().has_bare_scalars {
            true => without_values(&body_info),
            false => body_info,
        };
        if let Some(name) = &self.name
            && !self.is_private
            && !self.attrs.iter().any(|(key, _)| key.as_str() == GLOBAL_SYMBOL)
        {
            self.attrs.push((Str::from(GLOBAL_SYMBOL), name.clone().into()));
        }
        let FunctionFrame { span, attrs, params, ret, is_pure, blocks, .. } = self;
        Ok(blocks.into_function(Signature { span, attrs, params, ret, is_pure }, body, body_info))
    }
}

impl Frame for FunctionFrame {
    fn name(&self) -> &'static str {
        "R.function"
    }

    fn arguments(&self) -> CallArgs {
        CallArgs::positional(match (self.is_pure, self.is_private) {
            (true, false) => Vec::new(),
            (false, false) => vec![ScriptValue::Bool(false)],
            (is_pure, true) => vec![ScriptValue::Bool(is_pure), ScriptValue::Bool(true)],
        })
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let mut function = *self;
        if let Some(fragment) = function.fragment.take() {
            let fragment = function.finish_fragment(fragment)?;
            return Builder::set_result(fragment);
        }
        let name = function.name.clone();
        let function = function.finish()?;
        if Builder::depth() == 0 {
            return Builder::set_result(function.into());
        }
        if tvmscript_ir::build::in_module() {
            let Some(name) = name else {
                return Err(BuildError::message("a function of a module must have a name")
                    .with_help("set it with `R.func_name`"));
            };
            return tvmscript_ir::build::def_function(&name, function.upcast());
        }
        Err(BuildErrorKind::WrongFrame {
            function: "R.function".to_owned(),
            expected: "alone or in a module".into(),
            found: match Builder::top_name() {
                Some(name) => format!("the innermost scope is `{name}`"),
                None => "no scope is open".to_owned(),
            },
        }
        .into())
    }
}

/// Runs `f` on the innermost function.
///
/// # Errors
/// Fails if no function is open.
pub fn with_function<R>(name: &str, f: impl FnOnce(&mut FunctionFrame) -> R) -> BuildResult<R> {
    match Builder::with_innermost(f)? {
        Some(result) => Ok(result),
        None => Err(BuildErrorKind::WrongFrame {
            function: name.to_owned(),
            expected: "inside a function".into(),
            found: "no `R.function` is open".to_owned(),
        }
        .into()),
    }
}

/// Runs `f` on the bindings of the innermost function; `value` is the span of the bound value, for errors.
///
/// # Errors
/// Fails if no function is open, or with the error of `f`.
pub fn with_blocks<R>(
    name: &str,
    value: Option<Span>,
    f: impl FnOnce(&mut BlockBuilder) -> std::result::Result<R, RelaxError>,
) -> BuildResult<R> {
    with_function(name, |function| f(&mut function.blocks))?.map_err(|error| error.at(value))
}

/// `with R.dataflow():`
#[derive(Debug, Default)]
pub struct DataflowFrame {
    given: Given,
}

/// The variables that a scope defines when it closes, as a value of host code: TVM's `DataflowBlockFrame.output_vars` and
/// `IfFrame.var`.
#[derive(Debug, Default, Clone)]
struct Given {
    attribute: &'static str,
    vars: Rc<RefCell<ScriptValue>>,
}

impl Given {
    /// Sets the variables, and records them.
    fn set(&self, step: &'static str, vars: ScriptValue) {
        record_syntax_as(step, Vec::new, || vars.clone());
        self.vars.replace(vars);
    }
}

impl HostObject for Given {
    fn type_name(&self) -> &str {
        "a scope of Relax"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        (name == self.attribute).then(|| self.vars.borrow().clone())
    }

    fn attribute_names(&self) -> Vec<String> {
        vec![self.attribute.to_owned()]
    }
}

impl Frame for DataflowFrame {
    fn name(&self) -> &'static str {
        "R.dataflow"
    }

    fn enter(&mut self) -> BuildResult<ScriptValue> {
        with_blocks("R.dataflow", None, BlockBuilder::begin_dataflow)?;
        self.given.attribute = "output_vars";
        Ok(ScriptValue::host(self.given.clone()))
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        with_function("R.dataflow", |function| {
            let replaced = function.blocks.end_dataflow();
            let given = function.blocks.given().map(|var| ScriptValue::from(var.clone()));
            self.given.set(".output_vars", ScriptValue::list(given.collect()));
            // A `return` inside the block refers to its variables.
            if let Some(output) = &mut function.output
                && let Ok(new) = substitute(output.clone(), &replaced)
            {
                *output = new;
            }
        })
    }
}

/// A dataflow block.
pub fn dataflow_frame() -> FrameOf<DataflowFrame> {
    FrameOf::new(DataflowFrame::default())
}

/// `if cond:`; each branch is a frame.
#[derive(Debug)]
pub struct IfFrame {
    cond: Expr,
    then_branch: Option<Branch>,
    else_branch: Option<Branch>,
    span: Span,
    given: Given,
}

impl IfFrame {
    /// A conditional without branches.
    pub fn new(cond: Expr) -> IfFrame {
        IfFrame {
            cond,
            then_branch: None,
            else_branch: None,
            span: Span::current(),
            given: Given { attribute: "var", vars: Rc::default() },
        }
    }
}

impl Frame for IfFrame {
    fn name(&self) -> &'static str {
        "R.If"
    }

    fn enter(&mut self) -> BuildResult<ScriptValue> {
        with_blocks("R.If", None, |blocks| match blocks.in_dataflow() {
            true => Err(RelaxError::IfInDataflow),
            false => Ok(()),
        })?;
        Ok(ScriptValue::host(self.given.clone()))
    }

    fn arguments(&self) -> CallArgs {
        CallArgs::positional([self.cond.clone().into()])
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let IfFrame { cond, then_branch, else_branch, span, given } = *self;
        let (Some(yes), Some(no)) = (then_branch, else_branch) else {
            let help = "add an `else`; both branches must end with a binding of the same name";
            return Err(BuildError::message("the conditional has only one branch").with_help(help));
        };
        let node = If { span, struct_info_: None, cond, true_branch: yes.value, false_branch: no.value };
        let node = Ref::new(node).upcast::<tvmscript_prim::BaseExpr>();
        with_blocks("R.If", None, |blocks| {
            let var = blocks.emit(node, None)?;
            var.vid.name_hint.set(yes.name.clone());
            given.set(".var", var.clone().into());
            blocks.give(yes.name, var);
            Ok(())
        })
    }
}

/// A branch of the enclosing conditional.
#[derive(Debug)]
pub struct BranchFrame {
    is_then: bool,
}

impl BranchFrame {
    /// The `if` or the `else` branch.
    pub fn new(is_then: bool) -> BranchFrame {
        BranchFrame { is_then }
    }
}

impl Frame for BranchFrame {
    fn name(&self) -> &'static str {
        if self.is_then { "R.Then" } else { "R.Else" }
    }

    fn enter(&mut self) -> BuildResult<ScriptValue> {
        let name = self.name();
        let refused = |found: &str| BuildErrorKind::WrongFrame {
            function: name.to_owned(),
            expected: "directly inside a conditional, `R.Then` before `R.Else`, each once".into(),
            found: found.to_owned(),
        };
        let is_next = Builder::with_top(|frame: &mut IfFrame| match self.is_then {
            true => frame.then_branch.is_none(),
            false => frame.then_branch.is_some() && frame.else_branch.is_none(),
        })?;
        match is_next {
            Some(true) => {}
            Some(false) => return Err(refused("the other branch is next").into()),
            None => return Err(refused("the innermost scope is not an `R.If`").into()),
        }
        with_blocks(name, None, |blocks| {
            blocks.begin_branch();
            Ok(())
        })?;
        Ok(ScriptValue::None)
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let name = Frame::name(&*self);
        let branch = with_blocks(name, None, |blocks| blocks.end_branch(name))?;
        let mismatch = Builder::with_top(|frame: &mut IfFrame| {
            if self.is_then {
                frame.then_branch = Some(branch);
                return None;
            }
            let (first, second) = (frame.then_branch.as_ref()?.name.clone(), branch.name.clone());
            frame.else_branch = Some(branch);
            (first != second)
                .then(|| RelaxError::BranchNames { first: first.to_string(), second: second.to_string() })
        })?;
        match mismatch.flatten() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}

/// The dataflow variables that occur in an expression.
pub(crate) fn free_dataflow_vars(expr: &Expr) -> Vec<Ref<Var>> {
    let mut found: Vec<Ref<Var>> = Vec::new();
    let _ = Visitor::new().pre_order(expr.object(), |object| {
        if let Some(var) = object.downcast_ref::<Var>() {
            if is_dataflow_var(var) {
                found.push(var.clone());
            }
            return Walk::Skip;
        }
        Walk::Advance
    });
    found
}
