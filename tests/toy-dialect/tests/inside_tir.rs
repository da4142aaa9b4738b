//! Nodes of the toy dialect inside a TIR function: printed, parsed and compared.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::equal::structural_equal;
use tvmscript_ir_core::{Dialect, Object, Ref, Registry, RegistryBuilder, RegistryErrors};
use tvmscript_irbuilder::{Builder, ScriptValue};
use tvmscript_python_syntax::ast::{Delete, For, StmtId};
use tvmscript_script_parser::{EvalErrorKind, EvalResult, ParseDialect, ParseOptions, Parser, parse_script};
use tvmscript_toy_dialect::Trace;

fn builder() -> RegistryBuilder {
    RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::dialect())
        .with(tvmscript_tir::dialect())
        .with(tvmscript_toy_dialect::dialect())
}

fn registry() -> Result<Registry, RegistryErrors> {
    builder().build()
}

const SCRIPT: &str = r#"# from tvm.script import tir as T
# from tvm.script import toy as Toy

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(16):
        Toy.trace("before", A[i])
        A[i] = Toy.clamp(A[i] + n, 0, 255) * 2 + Toy.twice(Toy.clamp(n, -1, 1))
    with Toy.region("warm up"):
        for i in range(16):
            with Toy.region("inner"):
                with T.LetStmt(A[i] + 1) as v:
                    A[i] = v
                Toy.trace("after", A[i])
        T.evaluate(n)"#;

fn parse(text: &str, registry: &Registry) -> Object {
    let parsed = parse_script("toy.py", text, registry, &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.scripts.into_iter().next().map(|s| s.node).expect("the script builds a function")
}

#[test]
fn p79_15_statements_of_another_crate_inside_tir() {
    let registry = registry().expect("the dialects go together");
    let function = parse(SCRIPT, &registry);
    let text = print(&function, &registry, &PrinterConfig::default()).expect("the function prints");
    assert_eq!(text, SCRIPT);
    assert!(structural_equal(&function, &parse(&text, &registry)));
}

#[test]
fn a_toy_mistake_is_an_error_at_its_argument() {
    let registry = registry().expect("the dialects go together");
    let text = SCRIPT.replace("0, 255", "9, 5");
    let parsed = parse_script("toy.py", &text, &registry, &ParseOptions::default());
    let [error] = &parsed.errors[..] else { panic!("one error expected: {:?}", parsed.errors) };
    assert_eq!(&text[error.range().start as usize..error.range().end as usize], "9");
}

#[test]
fn the_same_dialect_twice_is_an_error_that_names_both_places() {
    let clash = builder().with(tvmscript_toy_dialect::dialect()).build();
    let message = clash.expect_err("twice is not").to_string();
    assert!(message.contains("`toy.Clamp`") && message.contains("lib.rs"), "{message}");
}

#[test]
fn what_a_region_holds_counts_for_the_block_around() {
    let registry = registry().expect("the dialects go together");
    let script = r#"
@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        with T.block("b"):
            v = T.axis.spatial(16, i)
            with Toy.region("copy"):
                B[v] = A[v]
"#;
    let text = print(&parse(script, &registry), &registry, &PrinterConfig::default()).expect("it prints");
    assert!(text.contains("T.reads(A[v])") && text.contains("T.writes(B[v])"), "{text}");
}

#[test]
fn what_a_region_holds_is_checked() {
    let registry = registry().expect("the dialects go together");
    let script = r#"
@T.prim_func(check_well_formed=False)
def main(A: T.Buffer((16,), "int32")):
    n = T.int32()
    with Toy.region("out of scope"):
        A[n] = 0
"#;
    let errors = tvmscript_tir::check::well_formed(&parse(script, &registry));
    assert!(errors.iter().any(|error| error.to_string().contains("`n`")), "{errors:?}");
}

/// `del A[i]` in a function of TIR logs the value before it is forgotten.
fn forget(p: &mut Parser<'_>, id: StmtId, stmt: &Delete) -> EvalResult<()> {
    for index in 0..stmt.targets.len() {
        let Some(target) = p.item(stmt.targets, index) else { break };
        let ScriptValue::Node(value) = p.eval(target)? else {
            return Err(p.error(target, EvalErrorKind::InvalidTarget { what: "this value" }));
        };
        let trace = Trace { span: p.span(id), label: "forgotten".into(), value };
        let added = Builder::add_stmt(Ref::new(trace).into());
        p.checked(id, added)?;
    }
    Ok(())
}

#[test]
fn p79_15_a_statement_handler_of_another_crate_under_the_token_tir() {
    let script = r#"
@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for i in range(16):
        del A[i], A[0]
        A[i] = 0
"#;
    let extended = builder().with(Dialect::new("probes").parse_in::<Delete>("tir", forget)).build();
    let registry = extended.expect("TIR does not handle `del`");
    let text = print(&parse(script, &registry), &registry, &PrinterConfig::default()).expect("it prints");
    assert!(
        text.contains(
            "        Toy.trace(\"forgotten\", A[i])\n        Toy.trace(\"forgotten\", A[0])\n        A[i] = 0"
        ),
        "{text}"
    );

    let plain = self::registry().expect("the dialects go together");
    let parsed = parse_script("toy.py", script, &plain, &ParseOptions::default());
    assert_eq!(parsed.errors.len(), 1, "{:?}", parsed.errors);
}

#[test]
fn p79_15_a_handler_in_place_of_one_of_tir_is_an_error_that_names_both_places() {
    fn replaced(_: &mut Parser<'_>, _: StmtId, _: &For) -> EvalResult<()> {
        Ok(())
    }
    let clash = builder().with(Dialect::new("probes").parse_in::<For>("tir", replaced)).build();
    let message = clash.expect_err("TIR handles `for`").to_string();
    assert!(message.contains("the parser of `For` under the token `tir`"), "{message}");
    assert!(message.contains("inside_tir.rs") && message.contains("parse/mod.rs"), "{message}");
}
