//! `dump`: the examples of TVM's article about its visualizer.

use tvmscript::docsifier::print_mapped;
use tvmscript::ir::IRModule;
use tvmscript::ir_core::dump::{DumpOptions, Graph, fields_label};
use tvmscript::ir_core::type_table::TypeInfo;
use tvmscript::ir_core::{Ref, Span, StructuralEqual, post_order_visit, tree_size};
use tvmscript::pass::instrument::{DumpFormat, DumpModules};
use tvmscript::pass::{PassContext, PassTable, Sequential};
use tvmscript::passes::on_module;
use tvmscript::relax::{PrimStructInfo, StructInfo, TupleStructInfo, Var};
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, PrinterConfig, registry};
use tvmscript_tests::parse_ok;

/// A vector addition with its loop split by 64: a scope around two loops, two bound checks, one store. The loads and
/// stores of the article have a predicate.
const LOOP_NEST: &str = r#"
from tvm.script import tir as T

@T.prim_func(private=True)
def add(a: T.handle, b: T.handle, c: T.handle, n: T.int32):
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    p = T.match_buffer(c, (n,))
    C = T.decl_buffer((n,), data=p.data)
    for i_outer in range(T.Div(n + 63, 64)):
        for i_inner in range(64):
            if T.likely(i_outer * 64 + i_inner < n):
                if T.likely(i_outer * 64 + i_inner < n):
                    C.vstore(
                        [i_outer * 64 + i_inner],
                        A.vload([i_outer * 64 + i_inner], predicate=T.bool(True))
                        + B.vload([i_outer * 64 + i_inner], predicate=T.bool(True)),
                        predicate=T.bool(True),
                    )
"#;

/// Edges of the article: the parent of each node after the first.
const HOLDERS: [u32; 40] = [
    0, 1, 1, 3, 4, 4, 3, 1, 8, 8, 8, 11, 12, 13, 14, 15, 15, 14, 11, 19, 20, 21, 22, 23, 19, 25, 26, 27, 28,
    29, 27, 26, 32, 33, 34, 32, 25, 37, 38, 25,
];

fn kinds(keys: &[&str]) -> Vec<&'static TypeInfo> {
    keys.iter().map(|key| registry().node(key).expect("a registered type")).collect()
}

fn script(text: &str) -> Object {
    parse_ok("script", text).expect("a right script").remove(0)
}

#[test]
fn b04_post_order_of_the_loop_nest_of_the_article() {
    let function = script(LOOP_NEST);
    let body = function.as_node::<PrimFunc>().expect("a function").body.object().clone();
    let options = DumpOptions {
        kinds: kinds(&["tir.Stmt", "ir.PrimExpr"]),
        as_visited: true,
        ..DumpOptions::default()
    };
    let mut nodes: Vec<Object> = Vec::new();
    Graph::with_labels(&body, &options, |node| {
        nodes.push(node.clone());
        String::new()
    });
    // The article numbers nodes before their children; here each comes after them.
    let mut expected: Vec<usize> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for index in 0..nodes.len() {
        let parent = index.checked_sub(1).map(|before| HOLDERS[before] as usize);
        while open.last().copied() != parent {
            expected.push(open.pop().expect("a node around this one"));
        }
        open.push(index);
    }
    expected.extend(open.iter().rev());
    let mut order: Vec<usize> = Vec::new();
    post_order_visit(&body, |node| order.extend(nodes.iter().position(|known| known.ptr_eq(node))));
    assert_eq!((nodes.len(), order.len()), (41, 41));
    // The article's visitor meets a variable at its first use, ours at its definition.
    let is_no_variable = |index: &usize| nodes[*index].as_node::<tvmscript::prim::Var>().is_none();
    order.retain(is_no_variable);
    expected.retain(is_no_variable);
    assert_eq!(order, expected);
}

#[test]
fn b07_the_loop_nest_of_the_article_is_numbered_as_there() {
    let function = script(LOOP_NEST);
    let body = function.as_node::<PrimFunc>().expect("a function").body.object().clone();
    let options = DumpOptions {
        kinds: kinds(&["tir.Stmt", "ir.PrimExpr"]),
        as_visited: true,
        ..DumpOptions::default()
    };
    let config = PrinterConfig { syntax_sugar: false, ..PrinterConfig::default() };
    let mapped = print_mapped(&function, registry(), &config).expect("a printable function");
    let graph = Graph::with_labels(&body, &options, |node| {
        mapped.text_of_node(node).unwrap_or_else(|| fields_label(node))
    });
    let dot = graph.to_dot();
    assert_eq!((dot.matches("[label=").count(), dot.matches(" -> ").count()), (41, 40), "{dot}");
    let edges: Vec<(u32, u32)> = graph.edges.iter().filter(|e| e.first).map(|e| (e.from, e.to)).collect();
    let expected: Vec<(u32, u32)> =
        HOLDERS.iter().enumerate().map(|(i, from)| (*from, i as u32 + 1)).collect();
    assert_eq!(edges, expected, "{dot}");
    let classes: Vec<&str> = graph.nodes.iter().map(|node| node.class).collect();
    assert_eq!(
        classes[1..9],
        ["tir.For", "ir.IntImm", "tir.Div", "tir.Add", "tir.Var", "ir.IntImm", "ir.IntImm", "tir.For"]
    );
    // A label is the class and the text, whose lines end in `\l`.
    for label in [
        r#"node4[label="tir.Add\nn + 63"];"#,
        r#"node12[label="tir.Call\nT.likely(i_outer * 64 + i_inner < n)"];"#,
        r#"node19[label="tir.IfThenElse\nif T.likely(i_outer * 64 + i_inner < n):\l    C.vstore("#,
    ] {
        assert!(dot.contains(label), "{label}\n{dot}");
    }
}

/// Phases of a lowering: the one of the caller, which is empty here, then blocks to loops, then loops to code.
const PHASES: [(&str, &[&str]); 3] = [
    ("phase0", &[]),
    ("phase1", &["tir.LowerInitBlock", "tir.ConvertBlocksToOpaque", "tir.LowerOpaqueBlock", "tir.Simplify"]),
    ("phase2", &["tir.VectorizeLoop", "tir.UnrollLoop", "tir.RemoveNoOp"]),
];

const SUMS: &str = r#"
from tvm.script import tir as T

@T.prim_func(private=True)
def sums(A: T.Buffer((4, 16), "float32"), B: T.Buffer((16,), "float32")):
    for i in T.vectorized(16):
        for k in T.unroll(4):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vk, vi]
"#;

#[test]
fn b06_the_phases_of_a_lowering_are_dumped_as_one_dot_each() {
    let mut files: Vec<(String, String)> = Vec::new();
    {
        let save = |name: &str, text: &str| {
            files.push((name.to_owned(), text.to_owned()));
            Ok(())
        };
        let dump = DumpModules::new(DumpFormat::Dot, registry(), PrinterConfig::default(), save);
        let context = PassContext::of(registry()).with_opt_level(3).with_instrument(dump.each_sequence());
        let table = PassTable::<IRModule>::of(registry()).expect("passes are registered");
        on_module(script(SUMS), |mut module| {
            for (name, passes) in PHASES {
                let phase = passes.iter().fold(Sequential::new(name), |phase, pass| {
                    phase.then_shared(table.pass(pass).expect("a pass").clone())
                });
                module = context.run(&phase, module)?;
            }
            Ok(module)
        })
        .expect("the lowering succeeds");
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["00-input.dot", "01-phase0.dot", "02-phase1.dot", "03-phase2.dot"]);
    let classes = |index: usize, class: &str| files[index].1.matches(&format!("[label=\"{class}\\n")).count();
    for (index, (name, dot)) in files.iter().enumerate() {
        assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"), "{name}: {dot}");
        let blocks_and_loops = (classes(index, "tir.Block"), classes(index, "tir.For"));
        assert_eq!(blocks_and_loops, [(2, 2), (2, 2), (0, 2), (0, 0)][index], "{name}: {dot}");
    }
    assert_eq!(files[0].1, files[1].1, "a phase without passes changes nothing");
    assert!(classes(3, "tir.Ramp") > 0, "{}", files[3].1);
}

#[test]
fn b08_repeated_nodes_and_long_labels_are_thinned_out() {
    let body = script(LOOP_NEST);
    let all = Graph::of(&body, &DumpOptions::default()).nodes.len();
    let once = Graph::of(&body, &DumpOptions { dedupe: true, ..DumpOptions::default() }).nodes.len();
    assert!(once < all, "{once} of {all}");
    let options = DumpOptions { kinds: kinds(&["tir.Stmt"]), max_label: Some(10), ..DumpOptions::default() };
    let graph = Graph::with_labels(&body, &options, |_| "long ".repeat(100));
    assert!(
        graph.nodes.iter().all(|node| node.class.starts_with("tir.") && node.label.chars().count() == 11)
    );
}

#[test]
fn b09_relax_functions_are_drawn_with_inferred_struct_info_last() {
    let function = script(
        "from tvm.script import relax as R\n\n@R.function\ndef f(x: R.Tensor((2,), \"float32\")) -> R.Tensor((2,), \"float32\"):\n    y = R.exp(x)\n    return y\n",
    );
    let text = Graph::of(&function, &DumpOptions::default()).to_text();
    let line = |part: &str| {
        text.lines().position(|l| l.starts_with(part)).unwrap_or_else(|| panic!("{part}\n{text}"))
    };
    assert!(line("  body: relax.expr.SeqExpr") < line("  struct_info_: relax.FuncStructInfo"), "{text}");

    let mapped =
        print_mapped(&function, registry(), &PrinterConfig::default()).expect("a printable function");
    let options = DumpOptions {
        kinds: kinds(&["relax.expr.Function", "relax.expr.SeqExpr", "relax.expr.Call", "relax.expr.Var"]),
        ..DumpOptions::default()
    };
    let drawing = Graph::with_labels(&function, &options, |node| {
        mapped.text_of_node(node).unwrap_or_else(|| fields_label(node))
    });
    let dot = drawing.to_dot();
    assert!(dot.contains("[label=\"relax.expr.Call\\nR.exp(x)\"];"), "{dot}");
    assert!(dot.contains("[label=\"relax.expr.Var\\nx\"];"), "{dot}");
    assert!(dot.contains(" -> "), "{dot}");
}

#[test]
fn p74_12_a_node_knows_its_text_and_a_piece_of_text_its_node() {
    let function = script(LOOP_NEST);
    let mapped =
        print_mapped(&function, registry(), &PrinterConfig::default()).expect("a printable function");
    let text = mapped.text();
    let offset = text.find("n + 63").expect("the extent");
    let (path, part) = mapped.at(offset + 2).expect("a part");
    assert_eq!(path.to_string(), "<root>.body.body.extent.a");
    let node = part.as_object().expect("a node");
    let ranges = mapped.ranges_of_node(node);
    assert_eq!(ranges.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["n + 63"]);
    assert_eq!(mapped.text_of_node(node).as_deref(), Some("n + 63"));
}

#[test]
fn p74_13_a_buffer_that_is_used_three_times_has_four_docs() {
    let function = script(
        "from tvm.script import tir as T\n\n@T.prim_func\ndef f(a: T.handle, n: T.int32):\n    A = T.match_buffer(a, (n,))\n    A[0] = A[1] + A[2]\n",
    );
    let buffer =
        function.as_node::<PrimFunc>().expect("a function").buffer_map.iter().next().expect("a buffer").1;
    let mapped =
        print_mapped(&function, registry(), &PrinterConfig::default()).expect("a printable function");
    let texts: Vec<&str> =
        mapped.ranges_of_node(buffer.object()).iter().map(|range| &mapped.text()[range.clone()]).collect();
    assert_eq!(texts, ["T.match_buffer(a, (n,))", "A", "A", "A"]);
}

#[test]
fn struct_info_that_doubles_is_compared_and_drawn_once() {
    let info = |dtype: &str| {
        let dtype = dtype.parse().expect("a data type");
        let scalar =
            Ref::new(PrimStructInfo { span: Span::UNKNOWN, value: None, dtype }).upcast::<StructInfo>();
        (0..300).fold(scalar, |info, _| {
            let fields = [info.clone(), info].into_iter().collect();
            Ref::new(TupleStructInfo { span: Span::UNKNOWN, fields }).upcast()
        })
    };
    let (a, b) = (Var::new("x", Some(info("int32"))), Var::new("x", Some(info("int64"))));
    assert_eq!(tree_size(info("int32").object()).unfolded, u64::MAX);
    let how = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    for limit in [1, 1_000_000] {
        let found = how.mismatches(a.object(), b.object(), limit);
        let [one] = &*found else { panic!("{} differences", found.len()) };
        assert!(one.lhs.to_string().ends_with(".fields[0].dtype"), "{}", one.lhs);
        // The walk ends once the limit is reached.
        assert_eq!(one.repeats.is_empty(), limit == 1);
    }
    let graph = Graph::of(a.object(), &DumpOptions::default());
    assert!(graph.nodes.len() < 310 && graph.to_text().len() < 200_000);
}
