//! Use-def chains, dominating scopes and copies, on TIR and Relax.

use tvmscript::arith::Rules;
use tvmscript::ir_core::use_scopes::{Role, UseScopes};
use tvmscript::ir_core::{EqKind, UseDef};
use tvmscript::pass::Rewriter;
use tvmscript::pass::instrument::source_coverage;
use tvmscript::passes::scalar_rules;
use tvmscript::tir::node::{BufferStore, For, flatten};
use tvmscript::{Object, PrinterConfig, copy_fresh, registry, structural_equal};
use tvmscript_tests::parse_ok;

const BLOCK: &str = r#"
from tvm.script import tir as T

@T.prim_func
def f(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 4))
    B = T.alloc_buffer((4,))
    for i in range(n):
        for j in range(4):
            with T.block("x"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vj] = A[vi, vj] + B[vj]
"#;

fn script(text: &str) -> Object {
    parse_ok("script.py", text).expect("a right script").remove(0)
}

/// Name of a variable or buffer.
fn name(variable: &Object) -> String {
    let info = variable.info();
    let at = ["name", "name_hint"].into_iter().find_map(|field| info.field_index(field));
    at.map(|at| variable.field(at).to_value().as_str().unwrap_or_default().to_owned()).unwrap_or_default()
}

#[test]
fn chains_list_the_definition_and_the_users_of_each_variable() {
    let chains = UseDef::of(&script(BLOCK));
    let of = |wanted: &str, class: &str| {
        let mut found = chains.variables().iter().filter(|v| name(v) == wanted && v.info().key() == class);
        let variable = found.next().expect("a variable of this name").clone();
        assert!(found.next().is_none(), "`{wanted}` is unique");
        let definition = chains.definition(&variable).map(|node| node.info().key());
        let users: Vec<&str> = chains.users(&variable).map(|node| node.info().key()).collect();
        (definition, users)
    };
    assert_eq!(of("i", "tir.Var"), (Some("tir.For"), vec!["tir.BlockRealize"]));
    assert_eq!(of("vj", "tir.Var").0, Some("tir.Block"));
    // The buffer map uses its parameter.
    assert_eq!(of("a", "tir.Var"), (Some("tir.PrimFunc"), vec!["tir.PrimFunc"]));
    assert_eq!(of("n", "tir.Var"), (Some("tir.PrimFunc"), vec!["tir.Buffer", "tir.For", "ir.Range"]));
    let (definition, users) = of("B", "tir.Buffer");
    assert_eq!(definition, Some("tir.Block"));
    assert!(users.contains(&"tir.BufferLoad") && users.contains(&"tir.BufferStore"), "{users:?}");
}

#[test]
fn chains_of_relax_bindings() {
    let function = script(
        r#"
from tvm.script import relax as R

@R.function
def main(x: R.Tensor((2,), "float32")):
    with R.dataflow():
        lv = R.add(x, x)
        gv = R.multiply(lv, x)
        R.output(gv)
    return gv
"#,
    );
    let chains = UseDef::of(&function);
    let found: Vec<(String, Option<&str>, usize)> = chains
        .variables()
        .iter()
        .map(|v| (name(v), chains.definition(v).map(|node| node.info().key()), chains.users(v).len()))
        .filter(|(_, definition, _)| definition.is_some())
        .collect();
    assert_eq!(chains.users(chains.variables().first().expect("a variable")).len(), 3, "{found:?}");
    assert!(
        found
            .iter()
            .any(|(_, definition, users)| *definition == Some("relax.expr.VarBinding") && *users == 1)
    );
}

#[test]
fn a_dominating_scope_contains_all_uses() {
    let function = script(BLOCK);
    let scopes = UseScopes::new(&function, |info| match info.eq_kind() {
        EqKind::FreeVar | EqKind::Dag => Role::Variable,
        _ if info.is_a(registry().node("tir.Stmt").expect("a class")) => Role::Scope,
        _ => Role::Other,
    });
    let mut store = None;
    tvmscript::visit_nodes::<BufferStore>(&function, |node| store = Some(node.clone()));
    let mut loops = Vec::new();
    tvmscript::visit_nodes::<For>(&function, |node| loops.push(node.clone()));
    let outer = loops[0].loop_var.object();
    assert!(scopes.dominators(outer).any(|scope| scope == loops[0].object().id()));
    assert!(!scopes.dominators(outer).any(|scope| scope == store.as_ref().expect("a store").object().id()));
}

#[test]
fn a_copied_statement_defines_its_own_variables() {
    let function = script(BLOCK);
    let mut outer = None;
    tvmscript::visit_nodes::<For>(&function, |node| _ = outer.get_or_insert_with(|| node.clone()));
    let outer = outer.expect("a loop");
    let copy = copy_fresh(&outer).expect("a valid loop");
    assert!(structural_equal(copy.object(), outer.object()));
    assert!(!copy.loop_var.ptr_eq(&outer.loop_var));
    let twice = flatten(vec![outer.upcast(), copy.upcast()], false);
    let mut defined = Vec::new();
    tvmscript::visit_nodes::<For>(&twice, |node| defined.push(node.loop_var.object().address()));
    defined.sort_unstable();
    defined.dedup();
    assert_eq!(defined.len(), 4);
}

#[test]
fn rules_are_applied_until_none_applies() {
    let function = script(
        r#"
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((16,), "int32"), n: T.int32):
    A[T.Add(T.Mul(n, 1), 0)] = T.Add(T.Add(T.Mul(n, 1), 0), 0) * 2 + T.Add(0, n) * 3
"#,
    );
    let rules =
        Rules::parse(&["x + 0 | 0 + x => x", "x * 1 => x", "x * c1 + x * c2 => x * (c1 + c2)"]).unwrap();
    let new = Rewriter::new().with_rule(scalar_rules(&rules)).run(function.clone()).expect("rules that end");
    let text = tvmscript::print(&new, registry(), &PrinterConfig::default()).expect("printable");
    assert!(text.ends_with("A[n] = n * 5"), "{text}");
    assert_eq!(source_coverage(&new).share(), 1.0);

    // Rules that undo each other end with an error.
    let swap = Rules::parse(&["x + y => y + x"]).unwrap();
    let error = Rewriter::new()
        .with_rule(scalar_rules(&swap))
        .with_max_rewrites(100)
        .run(function.clone())
        .unwrap_err();
    assert_eq!(error.to_string(), "more than 100 rewrites; the rules may undo each other");

    // Any function is a rule; without an application the graph stays the same.
    let never = |_: &Object| Ok(None);
    assert!(Rewriter::new().with_rule(never).run(function.clone()).unwrap().ptr_eq(&function));
}
