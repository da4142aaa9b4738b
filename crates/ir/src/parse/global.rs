//! Functions that host code finds by their global names, as those of TVM's runtime: `tvm.get_global_func(..)`.

use tvmscript_ir_core::visit::Event;
use tvmscript_ir_core::{Object, Visitor, Walk};
use tvmscript_irbuilder::{BuildError, CallArgs, ScriptValue};
use tvmscript_script_parser::{Parser, unknown_value};

type Answer = Result<ScriptValue, BuildError>;

/// The entry point of the printer.
pub(super) const SCRIPT: &str = "script.printer.Script";

/// The walk that calls back before and after each node.
pub(super) const PRE_POST_ORDER_VISIT: &str = "_PrePostOrderVisit";

/// `tvm.get_global_func(name, allow_missing=False)`. Other functions than those here are in TVM's runtime alone.
pub(super) fn get_global_func(p: &mut Parser<'_>, args: CallArgs) -> Answer {
    let Some(ScriptValue::Str(name)) = args.positional.first() else {
        return Err(BuildError::message("`get_global_func` takes the name of a function").at_position(0));
    };
    let allow_missing = args.positional.get(1).or_else(|| args.keywords.first().map(|(_, value)| value));
    match (p.global_function(name), allow_missing) {
        (Ok(function), _) => Ok(function),
        (Err(_), Some(ScriptValue::Bool(true))) => Ok(ScriptValue::None),
        (Err(error), None) if error.help.is_some() => Err(error.at_position(0)),
        (Err(_), _) => Ok(unknown_value("it is a function of TVM's runtime")),
    }
}

/// `script.printer.Script(node)`: the text of a node.
pub(super) fn script(p: &mut Parser<'_>, args: CallArgs) -> Answer {
    let ([ScriptValue::Node(node)], []) = (args.positional.as_slice(), args.keywords.as_slice()) else {
        return Err(BuildError::message(format!("`{SCRIPT}` takes one node")).at_position(0));
    };
    match p.node_text(node)? {
        Some(text) => Ok(ScriptValue::str(&text)),
        None => Err(BuildError::message("there is no printer of nodes")),
    }
}

/// `_PrePostOrderVisit(node, pre, post)`: calls `pre` with each node before its children, and `post` after them. Each may be
/// `None`. A node whose `pre` returns `False` is left without its children.
pub(super) fn pre_post_order_visit(_: &mut Parser<'_>, args: CallArgs) -> Answer {
    let ([ScriptValue::Node(node), pre, post], []) = (args.positional.as_slice(), args.keywords.as_slice())
    else {
        let message =
            format!("`{PRE_POST_ORDER_VISIT}` takes a node and two functions, each of which may be `None`");
        return Err(BuildError::message(message).at_position(0));
    };
    let mut failure = None;
    let _ = Visitor::new().walk(node, |event, node| {
        let function = if event == Event::Enter { pre } else { post };
        match call(function, node) {
            Ok(ScriptValue::Bool(false)) if event == Event::Enter => Walk::Skip,
            Ok(_) => Walk::Advance,
            Err(error) => {
                failure = Some(error);
                Walk::Stop
            }
        }
    });
    failure.map_or(Ok(ScriptValue::None), Err)
}

fn call(function: &ScriptValue, node: &Object) -> Answer {
    let args = CallArgs {
        positional: [ScriptValue::Node(node.clone())].into_iter().collect(),
        ..CallArgs::default()
    };
    match function {
        ScriptValue::None => Ok(ScriptValue::None),
        ScriptValue::Host(function) if function.is_callable() => function.call(args),
        other => Err(BuildError::expected("a function or `None`", other.type_name())),
    }
}
