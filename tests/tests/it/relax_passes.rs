//! Passes over Relax, and dataflow patterns: text in, text out.

use tvmscript::ir::IRModule;
use tvmscript::ir_core::DataType;
use tvmscript::pass::{PassContext, PassTable, Sequential};
use tvmscript::passes::on_module;
use tvmscript::passes::pattern::{
    Bindings, Pattern, call, call_tir, constant, exactly, external, global, op, tuple, wildcard,
};
use tvmscript::prim::IntImm;
use tvmscript::relax::print::RelaxOptions;
use tvmscript::relax::{Expr, Function, VarBinding, struct_info_of};
use tvmscript::{PrinterConfig, Ref, print, registry};

fn read(text: &str) -> tvmscript::Object {
    tvmscript_tests::parse_ok("program", text).unwrap().pop().unwrap()
}

/// Runs passes on the body of a function with the parameters `x` and `y` of shape (2, 3), and returns the new body.
fn check(passes: &str, body: &str, expected: &str) {
    let head = "@R.function(pure=False)\ndef main(x: R.Tensor((2, 3), \"float32\"), y: R.Tensor((2, 3), \"float32\")):\n";
    let context = PassContext::of(registry());
    let table = PassTable::<IRModule>::of(registry()).unwrap();
    let named = |passes: Sequential<IRModule>, name| passes.then_shared(table.pass(name).unwrap().clone());
    let passes = passes.split(',').fold(Sequential::new("test"), named);
    let node = read(&format!("{head}{body}"));
    let result = on_module(node, |module| context.run(&passes, module)).unwrap();
    let config = PrinterConfig::default().with_part(RelaxOptions { show_all_struct_info: false });
    let text = print(&result, registry(), &config).unwrap();
    let (_, new) = text.split_once("):\n").or_else(|| text.split_once("\"):\n")).unwrap_or(("", &text));
    let new =
        new.split_once(":\n").filter(|(head, _)| head.contains("def main")).map_or(new, |(_, body)| body);
    assert_eq!(new.trim_end(), expected.trim_end());
    assert!(tvmscript::relax::check::well_formed(&result).is_empty());
}

#[test]
fn dead_code_is_removed_unless_it_has_effects() {
    check(
        "relax.DeadCodeElimination",
        "    a = R.add(x, y)
    b = R.multiply(a, a)
    c = R.print(x, format=\"{}\")
    d = R.subtract(x, y)
    return d
",
        "    R.print(x, format=R.str(\"{}\"))
    d = R.subtract(x, y)
    return d",
    );
}

#[test]
fn common_subexpressions_are_bound_once_per_scope() {
    check(
        "relax.EliminateCommonSubexpr,relax.CanonicalizeBindings",
        "    a = R.add(x, y)
    b = R.add(x, y)
    if R.const(True):
        c = R.add(x, y)
        d = R.multiply(b, c)
    else:
        e = R.exp(x)
        d = R.multiply(e, e)
    f = R.exp(x)
    g = R.add(d, f)
    return g
",
        "    a = R.add(x, y)
    if R.const(True, \"bool\"):
        d_then = R.multiply(a, a)
        d: R.Tensor((2, 3), dtype=\"float32\") = d_then
    else:
        e = R.exp(x)
        d_else = R.multiply(e, e)
        d: R.Tensor((2, 3), dtype=\"float32\") = d_else
    f = R.exp(x)
    g = R.add(d, f)
    return g",
    );
}

#[test]
fn names_of_variables_constants_and_tuple_items_are_inlined() {
    check(
        "relax.CanonicalizeBindings",
        "    with R.dataflow():
        a = R.add(x, y)
        t = (a, x)
        b = t[0]
        one = R.const(1.0, \"float32\")
        c = R.multiply(b, one)
        d = c
        R.output(d)
    e = d
    return e
",
        "    with R.dataflow():
        a = R.add(x, y)
        t = a, x
        one: R.Tensor((), dtype=\"float32\") = R.const(1.0, \"float32\")
        d = R.multiply(a, R.const(1.0, \"float32\"))
        R.output(d)
    return d",
    );
}

#[test]
fn constants_are_folded_in_their_element_type() {
    let folded = |value: &str, expected: &str| {
        check(
            "relax.FoldConstant",
            &format!("    with R.dataflow():\n        a = {value}\n        R.output(a)\n    return a\n"),
            &format!("    return {expected}"),
        );
    };
    folded("R.add(R.const(127, \"int8\"), R.const(1, \"int8\"))", "R.const(-128, \"int8\")");
    folded("R.floor_divide(R.const(-7), R.const(2))", "R.const(-4, \"int32\")");
    folded("R.divide(R.const(-7), R.const(2))", "R.const(-3, \"int32\")");
    folded("R.add(R.const(2048.0, \"float16\"), R.const(1.0, \"float16\"))", "R.const(2048.0, \"float16\")");
    folded("R.add(R.const(16777216.0), R.const(1.0))", "R.const(16777216.0, \"float32\")");
    folded(
        "R.add(R.const(256.0, \"bfloat16\"), R.const(1.0, \"bfloat16\"))",
        "R.raw_const(\"gEM=\", (), \"bfloat16\")",
    );
    folded("R.less(R.const(1), R.const(2))", "R.const(True, \"bool\")");
    folded("R.sum(R.permute_dims(R.const([[1, 2], [3, 4]])))", "R.const(10, \"int32\")");
    folded("R.max(R.concat((R.const([1, 5]), R.const([3])), axis=0))", "R.const(5, \"int32\")");
    folded("R.argmin(R.const([3.0, 1.0, 2.0]))", "R.const(1, \"int64\")");
    folded("R.sum(R.matmul(R.const([[1.0, 2.0]]), R.const([[3.0], [4.0]])))", "R.const(11.0, \"float32\")");
    folded("R.astype(R.const(2.75), \"int32\")", "R.const(2, \"int32\")");
    folded(
        "R.sum(R.dequantize(R.const([3, -5], \"int8\"), R.const(0.5), R.const(1, \"int8\"), axis=0))",
        "R.const(-2.0, \"float32\")",
    );
    folded(
        "R.max(R.astype(R.quantize(R.const([1.0, -300.0]), R.const([0.5, 0.5]), R.const([1, 1], \"int8\"), axis=0), \"int32\"))",
        "R.const(3, \"int32\")",
    );
    // No defined value: stays.
    let body = "    with R.dataflow():
        a: R.Tensor((), dtype=\"int32\") = R.divide(R.const(1), R.const(0))
        R.output(a)
    return a
";
    check(
        "relax.FoldConstant",
        body,
        "    with R.dataflow():
        a = R.divide(R.const(1, \"int32\"), R.const(0, \"int32\"))
        R.output(a)
    return a",
    );
}

#[test]
fn calls_of_prim_funcs_on_constants_are_run() {
    let module = read(
        "@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(a: T.Buffer((2,), \"float32\"), b: T.Buffer((2,), \"float32\")):
        for i in range(2):
            with T.block(\"b\"):
                vi = T.axis.spatial(2, i)
                b[vi] = a[vi] * T.float32(2)

    @R.function
    def main():
        a = R.call_tir(Module.double, (R.const([1.0, 2.0]),), out_sinfo=R.Tensor((2,), \"float32\"))
        with R.dataflow():
            b = R.sum(a)
            R.output(b)
        return b
",
    );
    let context = PassContext::of(registry());
    let pass =
        PassTable::<IRModule>::of(registry()).and_then(|table| table.pass("relax.FoldConstant")).unwrap();
    let folded = on_module(module, |module| context.run(pass.as_ref(), module)).unwrap();
    let text = print(&folded, registry(), &PrinterConfig::default()).unwrap();
    assert!(text.ends_with("return R.const(6.0, \"float32\")"), "{text}");
}

#[test]
fn known_shapes_are_folded_into_calls() {
    check(
        "relax.FoldConstant",
        "    with R.dataflow():
        s = R.tensor_to_shape(R.const([3, 2], \"int64\"))
        a = R.reshape(x, s)
        R.output(a)
    return a
",
        "    with R.dataflow():
        a = R.reshape(x, R.shape([3, 2]))
        R.output(a)
    return a",
    );
}

#[test]
fn dataflow_blocks_are_made_and_removed() {
    let plain = "    a = R.add(x, y)
    b = R.multiply(a, a)
    R.print(b, format=R.str(\"{}\"))
    d = R.exp(b)
    return d
";
    let gathered = "    with R.dataflow():
        a = R.add(x, y)
        b = R.multiply(a, a)
        R.output(b)
    R.print(b, format=R.str(\"{}\"))
    d = R.exp(b)
    return d
";
    let read_back = plain.replace("R.str(\"{}\")", "\"{}\"");
    check("relax.ConvertToDataflow", &read_back, gathered);
    check("relax.ToNonDataflow", &gathered.replace("R.str(\"{}\")", "\"{}\""), plain);
}

// --- patterns ------------------------------------------------------------------------------------------------------

/// A function, its bindings, and the values of its variables by name.
struct Program {
    function: Ref<Function>,
    bindings: Bindings,
}

impl Program {
    fn new(text: &str) -> Program {
        let function = read(text).downcast::<Function>().unwrap();
        Program { bindings: Bindings::of(&function), function }
    }

    fn value(&self, name: &str) -> Expr {
        let var = self.var(name);
        self.bindings.value(&var.downcast().unwrap()).unwrap().clone()
    }

    fn var(&self, name: &str) -> Expr {
        let mut found = None;
        tvmscript::ir_core::visit_nodes::<VarBinding>(&self.function, |binding| {
            if binding.var.vid.name_hint.get().as_str() == name {
                found = Some(binding.var.clone().upcast());
            }
        });
        found.unwrap()
    }

    fn matches(&self, pattern: &Pattern, name: &str) -> bool {
        pattern.matches(&self.value(name), &self.bindings).is_some()
    }
}

fn program() -> Program {
    Program::new(
        "@R.function
def main(x: R.Tensor((2, 3), \"float32\")):
    a = R.exp(x)
    b = R.add(a, a)
    c = R.add(a, x)
    t = (b, c)
    d = t[1]
    e = R.multiply(d, R.const(2.0, \"float32\"))
    f = R.permute_dims(e, axes=[1, 0])
    g = R.sum(f, axis=[0], keepdims=True)
    h = R.call_pure_packed(\"ext\", e, sinfo_args=(R.Tensor((2, 3), \"float32\"),))
    i = R.tanh(h)
    j = (g, i)
    return j
",
    )
}

#[test]
fn a_pattern_that_occurs_twice_matches_one_expression() {
    let program = program();
    let x = wildcard();
    let twice = call("relax.add", [x.clone(), x]);
    assert!(program.matches(&twice, "b"));
    assert!(!program.matches(&twice, "c"));
    assert!(program.matches(&call("relax.add", [wildcard(), wildcard()]), "c"));
}

#[test]
fn calls_tuples_and_items_match_across_bindings() {
    let program = program();
    let sum = || call("relax.add", [call("relax.exp", [wildcard()]), wildcard()]);
    assert!(program.matches(&tuple([sum(), sum()]), "t"));
    assert!(!program.matches(&tuple([sum()]), "t"));
    assert!(program.matches(&call("relax.multiply", [tuple([wildcard(), sum()]).item(1), constant()]), "e"));
    assert!(!program.matches(&wildcard().item(0), "d") && program.matches(&wildcard().any_item(), "d"));
    assert!(program.matches(&op("relax.call_pure_packed").call([external(Some("ext")), wildcard()]), "h"));
    assert!(program.matches(&op("relax.tanh").call_any(), "i"));
    assert!(program.matches(&call("relax.exp", [exactly(program.function.params[0].clone().upcast())]), "a"));
    assert!(!program.matches(&call_tir(global(None), [wildcard()]), "h"));
}

#[test]
fn alternatives_conjunctions_and_negations_match() {
    let program = program();
    let either = || op("relax.exp").call_any() | op("relax.tanh").call_any();
    assert!(
        program.matches(&either(), "a")
            && program.matches(&either(), "i")
            && !program.matches(&either(), "b")
    );
    let two_dims = || wildcard().with_shape([None, None]);
    assert!(program.matches(&(either() & two_dims()), "a"));
    assert!(program.matches(&!either(), "b") && !program.matches(&!either(), "a"));
}

#[test]
fn attributes_types_and_shapes_are_required() {
    let program = program();
    let any = wildcard;
    assert!(program.matches(&any().with_dtype(DataType::FLOAT32), "f"));
    assert!(!program.matches(&any().with_dtype(DataType::INT32), "f"));
    assert!(program.matches(&any().with_shape([Some(IntImm::int64(3)), None]), "f"));
    assert!(!program.matches(&any().with_shape([Some(IntImm::int64(2)), None]), "f"));
    assert!(program.matches(&any().with_attr("keepdims", true), "g"));
    assert!(!program.matches(&any().with_attr("keepdims", false), "g"));
    assert!(!program.matches(&any().with_attr("nothing", 1i64), "g"));
    let info = struct_info_of(&program.value("e")).unwrap();
    assert!(program.matches(&any().with_struct_info(info.clone()), "h"));
    assert!(!program.matches(&any().with_struct_info(info), "f"));
}

#[test]
fn variables_are_told_apart_by_their_users() {
    let program = program();
    let add = || op("relax.add").call_any();
    let exp = || op("relax.exp").call_any();
    let matches =
        |pattern: &Pattern, name: &str| pattern.matches(&program.var(name), &program.bindings).is_some();
    assert!(matches(&exp().used_by(add()), "a"));
    assert!(matches(&exp().only_used_by(add()), "a"));
    assert!(matches(&wildcard().used_by(op("relax.permute_dims").call_any()), "e"));
    assert!(
        !matches(&wildcard().only_used_by(op("relax.permute_dims").call_any()), "e"),
        "a call uses it, too"
    );
    assert!(!matches(&wildcard().only_used_by(wildcard()), "j"), "it is the result");
}

#[test]
fn names_and_the_source_of_a_match_are_recorded() {
    let program = program();
    let pattern = call("relax.add", [call("relax.exp", [wildcard().named("x")]).named("exp"), wildcard()]);
    let found = pattern.matches(&program.value("b"), &program.bindings).unwrap();
    assert!(found.get("x").unwrap().ptr_eq(&program.function.params[0]));
    assert!(found.get("exp").unwrap().ptr_eq(&program.var("a")));
    assert!(found.get("y").is_none());
    let expected =
        tvmscript::Span::sequence([program.value("b").span(), program.value("a").span()], "subgraph");
    assert_eq!(found.span(), expected);
}

#[test]
fn three_reshapes_become_one() {
    check(
        "relax.SimplifyReshape",
        "    a = R.reshape(x, (6,))
    b = R.flatten(a)
    c = R.reshape(b, (3, 2))
    return c
",
        "    c = R.reshape(x, R.shape([3, 2]))
    return c",
    );
}

#[test]
fn a_rewriting_without_end_fails() {
    let program = program();
    let pattern = op("relax.exp").call_any();
    let result = tvmscript::passes::pattern::rewrite_matches(&program.function, &pattern, |_, found| {
        Ok(Some(tvmscript::relax::Call::of_op("relax.exp", [found.clone()], None).upcast()))
    });
    assert!(result.unwrap_err().to_string().contains("does not come to an end"));
}
