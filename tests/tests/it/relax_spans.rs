//! Sources of Relax nodes: from a frontend, and through passes.

use tvmscript::ir_core::containers::TensorNode;
use tvmscript::ir_core::{Array, DataType, visit_nodes};
use tvmscript::pass::PassContext;
use tvmscript::pass::instrument::source_coverage;
use tvmscript::passes::on_module;
use tvmscript::relax::op::{elementwise, join, shape};
use tvmscript::relax::{
    Call, Constant, Expr, FuncStructInfo, Function, If, MatchCast, SeqExpr, ShapeExpr, TensorStructInfo,
    Tuple, Var, VarBinding, blocks::Blocks, struct_info_of,
};
use tvmscript::si_builder::SIBuilder;
use tvmscript::{
    Object, PrinterConfig, Ref, SourceId, Span, SpanKind, ir, prim, print, registry, structural_equal,
};

fn layer(name: &str) -> Span {
    Span::source(SourceId::new(name))
}

/// The names of a span's parts.
fn names(span: Span) -> String {
    match span.kind() {
        SpanKind::Source { source } => source.name(),
        SpanKind::Sequence { spans, .. } => {
            let names: Vec<String> = spans.into_iter().map(names).collect();
            format!("[{}]", names.join(", "))
        }
        SpanKind::Unknown => "?".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The text of a function, with the source of each bound value behind its line.
fn with_sources(function: &Ref<Function>) -> String {
    let mut spans = Vec::new();
    collect(&function.body, &mut spans);
    let mut spans = spans.into_iter();
    let text = print(function.object(), registry(), &PrinterConfig::default()).unwrap();
    let with_source = |line: &str| {
        let is_binding = line.starts_with("    ") && line.contains(" = ");
        let source = is_binding.then(|| format!("  # {}", names(spans.next().unwrap())));
        format!("{line}{}\n", source.unwrap_or_default())
    };
    text.lines().filter(|line| !line.starts_with('#')).map(with_source).collect()
}

/// Spans of bound values, in the order of the text.
fn collect(seq: &SeqExpr, spans: &mut Vec<Span>) {
    for binding in seq.blocks.iter().flat_map(|block| block.bindings.iter()) {
        let Some(node) = binding.as_node::<VarBinding>() else {
            spans.push(binding.as_node::<MatchCast>().unwrap().value.span());
            continue;
        };
        match node.value.as_node::<If>() {
            Some(node) => {
                collect(&node.true_branch, spans);
                collect(&node.false_branch, spans);
            }
            None => spans.push(node.value.span()),
        }
    }
}

/// Reads a function whose only sources are those that a comment at the end of a line names.
fn with_layers(text: &str) -> Ref<Function> {
    let node = tvmscript_tests::parse_ok("layers", text).unwrap().pop().unwrap();
    let function = node.downcast::<Function>().unwrap();
    let source = |span: Span| match span.kind() {
        SpanKind::Range { start_bytes, .. } => {
            let line = text[start_bytes as usize..].lines().next().unwrap_or_default();
            line.split_once("# ").map(|(_, name)| layer(name))
        }
        _ => None,
    };
    tvmscript::post_order_mutate(function, |node| {
        let span = source(node.span())?;
        let mut node = node.clone();
        if node.is::<Var>() {
            return None;
        }
        node.set_span(span);
        Some(node)
    })
    .unwrap()
}

fn run(pass: &str, function: &Ref<Function>) -> Ref<Function> {
    let context = PassContext::of(registry());
    let table = tvmscript::pass::PassTable::<tvmscript::ir::IRModule>::of(registry()).unwrap();
    let pass = table.pass(pass).unwrap();
    let result = on_module(function.clone().into(), |module| context.run(pass.as_ref(), module)).unwrap();
    let findings = tvmscript::relax::check::well_formed(&result);
    assert!(findings.is_empty(), "{findings:?}");
    tvmscript_tests::check_roundtrip(std::slice::from_ref(&result), &tvmscript_tests::canonical_options())
        .unwrap();
    result.downcast().unwrap()
}

fn run_on(context: &PassContext<'_, tvmscript::ir::IRModule>, pass: &str, node: &Object) -> Object {
    let pass = tvmscript::pass::PassTable::<tvmscript::ir::IRModule>::of(registry())
        .and_then(|table| table.pass(pass))
        .unwrap();
    on_module(node.clone(), |module| context.run(pass.as_ref(), module)).unwrap()
}

/// Checks that each node has a source if each has one before.
fn assert_nothing_lost(before: &Ref<Function>, after: &Ref<Function>) {
    assert!((source_coverage(before).share() - 1.0).abs() < f64::EPSILON, "the input is complete");
    assert_eq!(source_coverage(after).share(), 1.0, "{:?}", source_coverage(after));
}

// --- frontends -----------------------------------------------------------------------------------------------------

/// The conversion of TensorFlow's operator `Pack`: each input gets a new axis, then all are joined.
fn pack(inputs: &[Expr]) -> Expr {
    let zero = prim::IntImm { span: Span::UNKNOWN, dtype: DataType::INT32, value: 0 };
    let axis = || Array::new([Ref::new(zero.clone())]);
    let reshaped = inputs.iter().map(|input| shape::expand_dims(input.clone(), axis()).upcast());
    join::concat(Tuple::new(reshaped.collect::<Vec<Expr>>()).upcast(), Some(0)).upcast()
}

fn number(value: i64) -> Expr {
    let data = (value as i32).to_le_bytes().into();
    let dtype = DataType::INT32;
    Constant::new(Ref::new(TensorNode { dtype, shape: Box::new([]), data })).upcast()
}

/// The RFC's model up to the operator `Pack`, and the conversion of that.
fn model(fill: bool) -> Ref<Function> {
    let set_span = |expr: Expr, name: &str| if fill { ir::set_span(expr, name).unwrap() } else { expr };
    let info = tvmscript_tests::parse_ok(
        "input",
        "@R.function\ndef main(input: R.Tensor((1, 1), \"int32\")):\n    return input\n",
    );
    let main = info.unwrap().pop().unwrap().downcast::<Function>().unwrap();
    let input: Expr = main.params[0].clone().upcast();
    let squeezed = set_span(shape::squeeze(input, None).upcast(), "strided_slice");
    let packed = set_span(pack(&[squeezed, number(3), number(3)]), "stack");
    let mut blocks = Blocks::default();
    let body = blocks.emit(packed, None).unwrap();
    let info = struct_info_of(&body.clone().upcast()).unwrap();
    let blocks = blocks.end().into_iter().collect();
    let body =
        SeqExpr { span: Span::UNKNOWN, struct_info_: Some(info.clone().into()), blocks, body: body.upcast() };
    let body = Ref::new(body);
    let function = FuncStructInfo::new(Array::default(), info.clone(), true);
    Ref::new(Function { struct_info_: Some(function.into()), body, ret_struct_info: info, ..(*main).clone() })
}

#[test]
fn p92_02_one_conversion_to_many_nodes_has_one_source() {
    let expected = "\
@R.function
def main(input: R.Tensor((1, 1), dtype=\"int32\")) -> R.Tensor((3,), dtype=\"int32\"):
    gv: R.Tensor((), dtype=\"int32\") = R.squeeze(input, axis=None)  # strided_slice
    gv1: R.Tensor((1,), dtype=\"int32\") = R.expand_dims(gv, axis=[0])  # stack
    gv2: R.Tensor((1,), dtype=\"int32\") = R.expand_dims(R.const(3, \"int32\"), axis=[0])  # stack
    gv3: R.Tensor((1,), dtype=\"int32\") = R.expand_dims(R.const(3, \"int32\"), axis=[0])  # stack
    gv4: R.Tensor((3,), dtype=\"int32\") = R.concat((gv1, gv2, gv3), axis=0)  # stack
    return gv4
";
    assert_eq!(with_sources(&model(true)).trim_start(), expected);
    let unknown = expected.replace("  # strided_slice", "  # ?").replace("  # stack", "  # ?");
    assert_eq!(with_sources(&model(false)).trim_start(), unknown, "the same nodes without sources");
    let mut tuples = Vec::new();
    visit_nodes::<Tuple>(&model(true), |tuple| tuples.push(names(tuple.span)));
    assert_eq!(tuples, ["stack"]);
}

#[test]
fn p92_06_sources_have_no_suffix() {
    let mut sources = std::collections::BTreeSet::new();
    visit_nodes::<Call>(&model(true), |call| {
        sources.insert(names(call.span));
    });
    assert_eq!(sources.into_iter().collect::<Vec<_>>(), ["stack", "strided_slice"]);
}

#[test]
fn p92_08_the_environment_switches_span_filling_off() {
    const NAME: &str = "p92_08_the_environment_switches_span_filling_off";
    let here = std::env::var_os("SPAN_FILLING_CHILD").is_some();
    let model = model(true);
    let known = |model: &Ref<Function>| {
        let mut known = 0;
        visit_nodes::<Call>(model, |call| known += usize::from(call.span.is_known()));
        known
    };
    if here {
        assert!(!ir::span_filling());
        assert_eq!(known(&model), 0);
        println!("<<{}>>", print(model.object(), registry(), &PrinterConfig::default()).unwrap());
        return;
    }
    assert!(known(&model) > 0);
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(ir::SPAN_FILLING, "0")
        .env("SPAN_FILLING_CHILD", "1")
        .output()
        .unwrap();
    let out = String::from_utf8(child.stdout).unwrap();
    let text =
        out.split_once("<<").and_then(|(_, rest)| rest.split_once(">>")).map(|(text, _)| text).expect(&out);
    let without = tvmscript_tests::parse_ok("without", text).unwrap().pop().unwrap();
    assert!(structural_equal(&without, model.object()));
}

// --- builders ------------------------------------------------------------------------------------------------------

fn tensor(name: &str, dims: &[i64]) -> Expr {
    let shape = ShapeExpr::try_new(dims.iter().map(|dim| prim::IntImm::int64(*dim))).unwrap();
    let info = TensorStructInfo::of_shape(shape, DataType::FLOAT32, None);
    Var::new(name, Some(info.upcast())).upcast()
}

#[test]
fn p92_13_the_parts_of_a_batch_norm_are_filled_up_to_its_inputs() {
    let [data, scale, bias] = ["data", "scale", "bias"].map(|name| tensor(name, &[4]));
    let hidden = elementwise::exp(data.clone()).upcast();
    let out: Expr =
        elementwise::add(elementwise::multiply(hidden, scale.clone()).upcast(), bias.clone()).upcast();
    let input = out.as_node::<Call>().unwrap().args[0].as_node::<Call>().unwrap().args[0].clone();
    let filled =
        SIBuilder::new(layer("bn")).recursively_fill_span(out.clone(), [&input, &scale, &bias]).unwrap();
    let product = &filled.as_node::<Call>().unwrap().args[0];
    assert_eq!((names(filled.span()), names(product.span())), ("bn".to_owned(), "bn".to_owned()));
    assert!(product.as_node::<Call>().unwrap().args[0].ptr_eq(&input), "an input is the same node");
    assert!(!input.span().is_known() && !data.span().is_known());
}

#[test]
fn p92_14_the_spans_of_two_reshapes_are_collected() {
    let x = tensor("x", &[2, 3]);
    let reshape = |x: &Expr, dims: &[i64], name| {
        let shape = ShapeExpr::try_new(dims.iter().map(|dim| prim::IntImm::int64(*dim))).unwrap();
        Call::of_op("relax.reshape", [x.clone(), shape.with_span(layer(name)).upcast()], None)
            .with_span(layer(name))
            .upcast()
    };
    let inner: Expr = reshape(&x, &[6], "reshape1");
    let outer: Expr = reshape(&inner, &[3, 2], "reshape2");
    let span = SIBuilder::from_subgraph(&outer, [&x]).create_span();
    assert_eq!(names(span), "[reshape2, reshape1]");
    assert_eq!(names(SIBuilder::from_subgraph(&outer, [&inner]).create_span()), "reshape2");
}

// --- passes --------------------------------------------------------------------------------------------------------

#[test]
fn p92_18_fold_constant_if_keeps_branch_and_if_spans() {
    let model = with_layers(
        "@R.function
def main(x: R.Tensor((2,), \"float32\")):  # main
    if R.const(True):  # if
        y = R.add(x, x)  # taken
    else:
        y = R.multiply(x, x)  # other
    return y  # main
",
    );
    let folded = run("relax.FoldConstant", &model);
    let expected = "\
@R.function
def main(x: R.Tensor((2,), dtype=\"float32\")) -> R.Tensor((2,), dtype=\"float32\"):
    y: R.Tensor((2,), dtype=\"float32\") = R.add(x, x)  # [taken, if]
    return y
";
    assert_eq!(with_sources(&folded).trim_start(), expected);
}

#[test]
fn p92_19_unpacked_batch_norm_keeps_its_span() {
    let model = with_layers(
        "@R.function
def main(x: R.Tensor((2, 3), \"float32\"), g: R.Tensor((3,), \"float32\"), b: R.Tensor((3,), \"float32\"), m: R.Tensor((3,), \"float32\"), v: R.Tensor((3,), \"float32\")):  # main
    with R.dataflow():  # main
        bn = R.nn.batch_norm(x, g, b, m, v, axis=1)  # bn1
        y = bn[0]  # bn1.0
        z = R.nn.relu(y)  # relu
        R.output(z)  # main
    return z  # main
",
    );
    let unpacked = run("relax.DecomposeOpsForInference", &model);
    let text = with_sources(&unpacked);
    let lines: Vec<&str> =
        text.lines().filter_map(|line| line.split_once(" = ").map(|(_, value)| value)).collect();
    assert_eq!(
        lines,
        [
            "R.expand_dims(m, axis=[0])  # bn1",
            "R.subtract(x, lv)  # bn1",
            "R.expand_dims(v, axis=[0])  # bn1",
            "R.add(lv2, R.const(9.9999997473787516e-06, \"float32\"))  # bn1",
            "R.sqrt(lv3)  # bn1",
            "R.divide(lv1, lv4)  # bn1",
            "R.expand_dims(g, axis=[0])  # bn1",
            "R.multiply(lv5, lv6)  # bn1",
            "R.expand_dims(b, axis=[0])  # bn1",
            "R.add(lv7, lv8)  # bn1",
            "lv9, m, v  # bn1",
            "bn[0]  # bn1.0",
            "R.nn.relu(y)  # relu",
        ]
    );
    assert_nothing_lost(&model, &unpacked);
    // Constants, struct info and the variables of new bindings as well.
    let mut constants = Vec::new();
    visit_nodes::<Constant>(&unpacked, |constant| constants.push(names(constant.span)));
    assert_eq!(constants, ["bn1"]);
}

#[test]
fn p92_20_one_reshape_has_the_spans_of_both() {
    let model = with_layers(
        "@R.function
def main(x: R.Tensor((2, 3), \"float32\")):  # main
    with R.dataflow():  # main
        e = R.exp(x)  # exp
        a = R.reshape(e, (6,))  # reshape1
        b = R.reshape(a, (3, 2))  # reshape2
        R.output(b)  # main
    return b  # main
",
    );
    let simplified = run("relax.SimplifyReshape", &model);
    let expected = "\
@R.function
def main(x: R.Tensor((2, 3), dtype=\"float32\")) -> R.Tensor((3, 2), dtype=\"float32\"):
    with R.dataflow():
        e: R.Tensor((2, 3), dtype=\"float32\") = R.exp(x)  # exp
        b: R.Tensor((3, 2), dtype=\"float32\") = R.reshape(e, R.shape([3, 2]))  # [reshape2, reshape1]
        R.output(b)
    return b
";
    assert_eq!(with_sources(&simplified).trim_start(), expected);
    assert_nothing_lost(&model, &simplified);
}

/// Each pass keeps a source for each node of the programs of the corpus, and its result is well-formed and reads back.
#[test]
fn p92_21_every_relax_pass_keeps_the_sources_of_the_corpus() {
    let table = tvmscript::pass::PassTable::<tvmscript::ir::IRModule>::of(registry()).unwrap();
    let passes: Vec<_> = table.passes().filter(|pass| pass.info().name.starts_with("relax.")).collect();
    assert!(passes.len() >= 10);
    let context = PassContext::of(registry());
    let mut programs = 0;
    for fixture in
        tvmscript_tests::fixtures("programs").into_iter().chain(tvmscript_tests::fixtures("../corpus/relax"))
    {
        let Ok(nodes) = tvmscript_tests::parse_ok(&fixture.name, &fixture.text) else { continue };
        for node in nodes {
            if tvmscript::passes::on_module(node.clone(), Ok).is_err() {
                continue;
            }
            programs += 1;
            let share = |node: &Object| source_coverage(node).share();
            let before = share(&node);
            for pass in &passes {
                let name = pass.info().name;
                let before_pass = match name.as_str() {
                    // Without markers of purity, calls may not be part of a dataflow block.
                    "relax.RemovePurityChecking" => run_on(&context, "relax.ToNonDataflow", &node),
                    _ => node.clone(),
                };
                let result = on_module(before_pass, |module| context.run(pass.as_ref(), module));
                let result = result.unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
                assert!(share(&result) >= before, "{}: {name}: {}", fixture.name, share(&result));
                let findings = tvmscript::relax::check::well_formed(&result);
                let known = tvmscript::relax::check::well_formed(&node).len();
                assert!(findings.len() <= known, "{}: {name}: {findings:?}", fixture.name);
                tvmscript_tests::check_roundtrip(
                    std::slice::from_ref(&result),
                    &tvmscript_tests::canonical_options(),
                )
                .unwrap_or_else(|error| panic!("{}: {name}: {error}", fixture.name));
            }
        }
    }
    assert!(programs > 40, "{programs}");
}
