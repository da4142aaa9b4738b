//! Trees of small texts.

use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, Stmt, StmtKind};
use tvmscript_python_syntax::{ParsedPython, PythonOptions, parse_python};

fn parse(text: &str) -> ParsedPython {
    parse_python(text, &PythonOptions::default())
}

fn read(text: &str) -> Ast {
    let parsed = parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    parsed.ast
}

fn text_of<'a>(ast: &Ast, text: &'a str, id: ExprId) -> &'a str {
    &text[ast.range(id).to_usize()]
}

#[test]
fn nodes_are_small() {
    assert!(size_of::<Expr>() <= 24);
    assert!(size_of::<Stmt>() <= 64);
    assert_eq!(size_of::<Option<ExprId>>(), 4);
}

#[test]
fn a_function_keeps_its_parts_and_places() {
    let text = "@T.prim_func(private=True)\ndef main(A: T.handle, /, n: T.int32 = 3, *rest, k, **kw) -> None:\n    A[n, 0] = B[1:n].f(x, y=2)\n";
    let ast = read(text);
    let [id] = ast.module_body() else { panic!() };
    let Stmt::FunctionDef(def) = ast.stmt(*id) else { panic!() };
    assert_eq!(ast.name(def.name), "main");
    assert_eq!(&text[ast.range(def.name_place).to_usize()], "main");
    assert!(text[ast.range(*id).to_usize()].starts_with("def main"));
    let names: Vec<&str> = ast.list(def.params).iter().map(|p| ast.name(p.name)).collect();
    assert_eq!(names, ["A", "n", "rest", "k", "kw"]);
    let places: Vec<&str> =
        ast.list(def.params).iter().map(|p| &text[ast.range(p.place).to_usize()]).collect();
    assert_eq!(places, ["A: T.handle", "n: T.int32", "rest", "k", "kw"]);
    let Stmt::Assign(assign) = ast.stmt(ast.stmts(def.body)[0]) else { panic!() };
    assert_eq!(text_of(&ast, text, ast.exprs(assign.targets)[0]), "A[n, 0]");
    let Expr::Call { func, keywords, .. } = ast.expr(assign.value) else { panic!() };
    assert_eq!(&text[ast.attr_range(*func).to_usize()], "f");
    assert_eq!(&text[ast.range(ast.list(*keywords)[0].place).to_usize()], "y=2");
}

#[test]
fn an_elif_chain_is_flat_and_a_nested_if_is_not() {
    let text = "if a:\n    x\nelif b:\n    y\nelif c:\n    z\nelse:\n    if d:\n        w\n";
    let ast = read(text);
    let Stmt::If(chain) = ast.stmt(ast.module_body()[0]) else { panic!() };
    assert_eq!(chain.clauses.len(), 3);
    assert_eq!(&text[ast.range(ast.list(chain.clauses)[1].place).to_usize()], "elif b:\n    y");
    let [inner] = ast.stmts(chain.orelse) else { panic!() };
    assert_eq!(ast.stmt(*inner).kind(), StmtKind::If);
}
