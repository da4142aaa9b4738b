//! A dialect of one decorator: `@S.steps` collects the strings of a function body into a node.
//!
//! `cargo run -p tvmscript-script-parser --example steps`

use tvmscript_ir_core::{Dialect, Node, Object, Ref, RegistryBuilder, Str};
use tvmscript_irbuilder::{Builder, ScriptValue};
use tvmscript_python_syntax::ast::{FunctionDef, Stmt};
use tvmscript_script_parser::{
    DecoratorRule, Definition, EvalResult, ParseDialect as _, ParseErrorKind, ParseOptions, Parser,
    parse_script,
};

/// The node that a script builds.
#[derive(Debug, Clone, Node)]
#[node(key = "steps.Steps")]
struct Steps {
    text: Str,
}

fn steps(p: &mut Parser, definition: &Definition<FunctionDef>) -> EvalResult<Option<ScriptValue>> {
    let ast = p.ast();
    let mut lines = Vec::new();
    for id in ast.list(definition.stmt.body) {
        let Stmt::Expr(stmt) = ast.stmt(*id) else {
            return Err(p.error(*id, ParseErrorKind::expected("a string", "another statement")));
        };
        let value = p.eval(stmt.value)?;
        lines.push(value.as_str().unwrap_or_default().to_owned());
    }
    let node = Ref::new(Steps { text: lines.join("\n").as_str().into() });
    let result = Builder::set_result(Object::from(node));
    p.checked(definition.id, result)?;
    Ok(None)
}

const TEXT: &str = r#"
tool = "drill"

@S.steps
def build():
    f"take the {tool}"
    f"drill {2 * 4} holes"

@S.steps
def broken():
    f"take the {tol}"
"#;

fn main() {
    let dialect = Dialect::new("steps")
        .namespace(&["S"])
        .decorator("steps", DecoratorRule::Function { define: steps, declare: None })
        .node::<Steps>()
        .finish();
    let registry = RegistryBuilder::new().with(dialect).build().expect("a single dialect has no conflicts");
    let parsed = parse_script("steps.py", TEXT, &registry, &ParseOptions::default());
    for script in &parsed.scripts {
        let node = script.node.as_node::<Steps>().expect("the decorator builds `Steps`");
        println!("{}:\n{}\n", script.name.as_deref().unwrap_or_default(), node.text);
    }
    print!("{}", tvmscript_diagnostics::render(&parsed.errors, "steps.py", TEXT, false));
}
