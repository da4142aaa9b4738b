//! Rules and checks: expressions of Python over the fields of a node, which the evaluator of scripts runs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use tvmscript_ir_core::{DataType, FieldRef, Object, SourceId, Value};
use tvmscript_irbuilder::{BuildError, ScriptValue};
use tvmscript_python_syntax::ast::{Ast, Expr, Name, Stmt};
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_eval::{Binding, Evaluator, Host, Limits, NodeRules, Program};

/// Maximum number of steps of one evaluation.
const MAX_STEPS: u64 = 100_000;

/// Number of evaluations after which an evaluator is made anew, as it does not give back what it used of its budget.
const MAX_RUNS: u32 = 256;

/// Number of results of a rule that are kept.
const MAX_KNOWN: usize = 16;

/// Functions of Python that rules may call.
pub(crate) const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "divmod",
    "enumerate",
    "float",
    "int",
    "len",
    "list",
    "max",
    "min",
    "pow",
    "range",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
];

/// An expression over the fields of a node.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    text: String,
    /// The fields that it names.
    fields: Vec<&'static str>,
}

/// A mistake in the text of a rule.
pub(crate) enum RuleMistake {
    /// It is not an expression.
    Syntax(String, Range<usize>),
    /// A name that is neither a field nor built in.
    Name(String, Range<usize>),
}

fn parsed(text: &str) -> Ast {
    parse_python(text, &PythonOptions::default()).ast
}

/// Checks the text of a rule over fields of these names. Returns the fields that it names.
pub(crate) fn check<'f>(text: &str, fields: &[&'f str]) -> Result<Vec<&'f str>, RuleMistake> {
    let parsed = parse_python(text, &PythonOptions::default());
    if let Some(error) = parsed.errors.first() {
        return Err(RuleMistake::Syntax(error.kind.to_string(), error.range.to_usize()));
    }
    let ast = &parsed.ast;
    let is_expression = match ast.module_body() {
        [only] => matches!(ast.stmt(*only), Stmt::Expr(_)),
        _ => false,
    };
    if !is_expression {
        return Err(RuleMistake::Syntax("it is a statement".to_owned(), 0..text.len()));
    }
    let mut bound: Vec<Name> = Vec::new();
    for expr in ast.all_exprs() {
        match expr {
            Expr::ListComp { generators, .. }
            | Expr::SetComp { generators, .. }
            | Expr::DictComp { generators, .. }
            | Expr::GeneratorExp { generators, .. } => {
                for comprehension in ast.list(*generators) {
                    bound.extend(names_in(ast, comprehension.target));
                }
            }
            Expr::Lambda { params, .. } => bound.extend(ast.list(*params).iter().map(|param| param.name)),
            _ => {}
        }
    }
    let mut used = Vec::new();
    for id in ast.expr_ids() {
        let Expr::Name(name) = ast.expr(id) else { continue };
        let text = ast.name(*name);
        match fields.iter().find(|field| **field == text) {
            Some(field) if !used.contains(field) => used.push(*field),
            Some(_) => {}
            None if bound.contains(name) || BUILTINS.contains(&text) => {}
            None => return Err(RuleMistake::Name(text.to_owned(), ast.range(id).to_usize())),
        }
    }
    Ok(used)
}

/// The names of a target.
fn names_in(ast: &Ast, target: tvmscript_python_syntax::ast::ExprId) -> Vec<Name> {
    let mut names = Vec::new();
    let mut work = vec![target];
    while let Some(at) = work.pop() {
        match ast.expr(at) {
            Expr::Name(name) => names.push(*name),
            Expr::Tuple { elts } | Expr::List { elts } => work.extend(ast.list(*elts)),
            Expr::Starred { value } => work.push(*value),
            _ => {}
        }
    }
    names
}

/// The host of a rule: names are fields, and attributes of nodes are their fields.
struct Fields {
    ast: Rc<Ast>,
    values: RefCell<Vec<(&'static str, ScriptValue)>>,
}

impl Host for Fields {
    fn local(&self, name: Name) -> Binding {
        let text = self.ast.name(name);
        let values = self.values.borrow();
        let value = values.iter().find(|(field, _)| *field == text);
        value.map_or(Binding::Unbound, |(_, value)| Binding::Value(value.clone()))
    }

    fn rules(&mut self, _: &Object) -> NodeRules {
        NodeRules { attribute: Some(attribute), names: Some(attribute_names), ..NodeRules::default() }
    }
}

/// The field of a node, and the dtype of an expression as a string.
fn attribute(node: &Object, name: &str) -> Result<Option<ScriptValue>, BuildError> {
    if name == "dtype" && node.dtype() != DataType::VOID {
        return Ok(Some(ScriptValue::str(&node.dtype().to_string())));
    }
    Ok(node.info().field_index(name).map(|index| script_value(node.field(index))))
}

fn attribute_names(node: &Object) -> Vec<String> {
    node.info().fields().iter().map(|field| field.name.to_owned()).collect()
}

/// The value of a field in a rule. Dtypes are strings.
pub(crate) fn script_value(field: FieldRef<'_>) -> ScriptValue {
    match field {
        FieldRef::DType(dtype) => ScriptValue::str(&dtype.to_string()),
        other => ScriptValue::from(&other.to_value()),
    }
}

struct Running {
    evaluator: Evaluator<Fields>,
    runs: u32,
    /// Values of the fields and the results of the rule: the same few occur again and again in a program.
    known: Vec<(Vec<ScriptValue>, ScriptValue)>,
}

impl Running {
    fn known(&self, values: &[(&'static str, ScriptValue)]) -> Option<&ScriptValue> {
        let is_same = |(known, _): &&(Vec<ScriptValue>, ScriptValue)| {
            known.iter().zip(values).all(|(known, (_, value))| is_same_constant(known, value))
        };
        self.known.iter().find(is_same).map(|(_, result)| result)
    }
}

/// Returns `true` for equal constants that can be compared in one step.
fn is_same_constant(one: &ScriptValue, other: &ScriptValue) -> bool {
    match (one, other) {
        (ScriptValue::None, ScriptValue::None) => true,
        (ScriptValue::Bool(one), ScriptValue::Bool(other)) => one == other,
        (ScriptValue::Int(one), ScriptValue::Int(other)) => one == other,
        (ScriptValue::Float(one), ScriptValue::Float(other)) => one.to_bits() == other.to_bits(),
        (ScriptValue::Str(one), ScriptValue::Str(other)) => one == other,
        (ScriptValue::DType(one), ScriptValue::DType(other)) => one == other,
        _ => false,
    }
}

thread_local! {
    /// Evaluators by the address of their rule, which lives as long as the process.
    static RUNNING: RefCell<HashMap<usize, Running>> = RefCell::new(HashMap::new());
}

impl Rule {
    pub(crate) fn new(text: &str, fields: Vec<&'static str>) -> Rule {
        Rule { text: text.to_owned(), fields }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The fields that it names.
    pub(crate) fn fields(&self) -> &[&'static str] {
        &self.fields
    }

    /// The value of the expression.
    ///
    /// # Errors
    /// The message of the first error.
    pub(crate) fn evaluate(
        &'static self,
        field: impl Fn(&'static str) -> ScriptValue,
    ) -> Result<ScriptValue, String> {
        let address = std::ptr::from_ref(self).addr();
        let running = RUNNING.with_borrow_mut(|all| all.remove(&address));
        let mut running = match running.filter(|running| running.runs < MAX_RUNS) {
            Some(running) => running,
            None => Running { evaluator: self.evaluator(), runs: 0, known: Vec::new() },
        };
        let values: Vec<_> = self.fields.iter().map(|name| (*name, field(name))).collect();
        if let Some(known) = running.known(&values).cloned() {
            RUNNING.with_borrow_mut(|all| _ = all.insert(address, running));
            return Ok(known);
        }
        running.runs += 1;
        running.evaluator.host().values.replace(values);
        let ast = Rc::clone(&running.evaluator.program().ast);
        let mut result = Err("the rule is empty".to_owned());
        for statement in ast.module_body() {
            result = match running.evaluator.run_statement(*statement) {
                Ok(Some(value)) => Ok(value),
                Ok(None) | Err(_) => {
                    let errors = running.evaluator.take_errors();
                    running.runs = MAX_RUNS;
                    Err(errors.first().map_or_else(|| "it has no value".to_owned(), ToString::to_string))
                }
            };
        }
        let values = running.evaluator.host().values.take();
        if let Ok(result) = &result
            && is_same_constant(result, result)
            && values.iter().all(|(_, value)| is_same_constant(value, value))
        {
            running.known.truncate(MAX_KNOWN - 1);
            running.known.insert(0, (values.into_iter().map(|(_, value)| value).collect(), result.clone()));
        }
        RUNNING.with_borrow_mut(|all| _ = all.insert(address, running));
        result
    }

    fn evaluator(&self) -> Evaluator<Fields> {
        let mut limits = Limits::default();
        limits.max_steps = MAX_STEPS * u64::from(MAX_RUNS);
        limits.max_memory_bytes = 64 << 20;
        limits.max_call_depth = 100;
        let program = Program::new(parsed(&self.text), &self.text, SourceId::new("rule"), limits);
        let ast = Rc::clone(&program.ast);
        Evaluator::new(program, Fields { ast, values: RefCell::default() })
    }
}

/// The value of a field of a node that is being made, in a rule.
pub(crate) fn value_in_rule(value: &Value) -> ScriptValue {
    script_value(value.as_field())
}
