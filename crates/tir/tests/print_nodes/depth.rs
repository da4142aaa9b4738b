//! Depth and size: what nests or shares without end prints in time, or is an error.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::{DataType, Ref, Span};
use tvmscript_prim::*;
use tvmscript_tir::*;

use crate::support::*;

fn on_small_stack(f: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(f)
        .expect("a thread")
        .join()
        .expect("no overflow");
}

#[test]
fn long_sums_and_deep_loops_print() {
    on_small_stack(|| {
        let x = x();
        let mut sum = x.clone();
        for _ in 1..100_000 {
            sum = Add::try_new(sum, x.clone()).expect("fits");
        }
        assert_eq!(text(sum).len(), 100_000 * 4 - 3);
        let mut body = evaluate(int(1));
        for _ in 0..10_000 {
            body = for_loop(For { kind: ForKind::Parallel, ..for_parts("i", int(2), body) });
        }
        let config = PrinterConfig { indent_spaces: 1, ..PrinterConfig::default() };
        assert_eq!(text_with(body, &config).lines().count(), 10_001);
    });
}

#[test]
fn a_long_chain_of_lets_prints_in_linear_time() {
    on_small_stack(|| {
        let mut body = evaluate(int(1));
        for _ in 0..100_000 {
            body = LetStmt::try_new(Var::new("x", DataType::INT32), int(1), body).expect("fits");
        }
        assert_eq!(text(seq([evaluate(int(0)), body])).lines().count(), 100_002);
    });
}

#[test]
fn a_ladder_too_long_to_nest_prints_with_elif() {
    let variable = Var::new("x", DataType::INT32);
    let ladder = move |rungs: i32| {
        let mut node: Option<StmtRef> = None;
        for i in (0..rungs).rev() {
            let condition = EQ::try_new(variable.clone().upcast(), int(i)).expect("fits");
            let then_case = evaluate(int(i));
            let rung = IfThenElse { span: Span::UNKNOWN, condition, then_case, else_case: node };
            node = Some(Ref::new(rung).upcast());
        }
        node.expect("a rung")
    };
    let short = func(vec![], vec![], ladder(96));
    assert!(!text(short).contains("elif"));
    on_small_stack(move || {
        let text = text(func(vec![], vec![], ladder(100_000)));
        assert_eq!(text.matches("elif").count(), 99_999);
        assert!(!text.contains("else"));
    });
}

#[test]
fn a_graph_that_doubles_at_each_level_is_an_error() {
    on_small_stack(|| {
        let mut node = x();
        for _ in 0..64 {
            node = Add::try_new(node.clone(), node).expect("fits");
        }
        let config = PrinterConfig { max_bytes: 1 << 16, ..PrinterConfig::default() };
        assert!(print(&node.into(), &registry(), &config).is_err());
    });
}
