//! Names of layouts and equations of `R.einsum`, by the shapes that they give.

use tvmscript_tests::parse_ok;

/// The result type of a Relax function with this body, as its text has it.
fn result(parameters: &str, value: &str) -> Result<String, String> {
    let text = format!(
        "from tvm.script import relax as R\n\n@R.function\ndef f({parameters}):\n    return {value}\n"
    );
    let node = parse_ok("f", &text)?.remove(0);
    let printed =
        tvmscript::print(&node, tvmscript::registry(), &Default::default()).map_err(|e| e.to_string())?;
    let line = printed.lines().find(|line| line.contains("def f(")).unwrap_or_default();
    let shape = line.rsplit_once("R.Tensor((").and_then(|(_, rest)| rest.split_once(')'));
    Ok(shape.map_or(line, |(shape, _)| shape).to_owned())
}

/// The shape in another layout, by a pooling over single elements.
fn convert(dims: &str, from: &str, to: &str) -> Result<String, String> {
    let value = format!("R.nn.max_pool2d(x, pool_size=[1, 1], layout=\"{from}\", out_layout=\"{to}\")");
    result(&format!("x: R.Tensor(({dims}), \"float32\")"), &value)
}

#[test]
fn axes_are_reordered_split_and_joined() {
    let converted = |dims, from, to| convert(dims, from, to).expect("a right layout");
    assert_eq!(converted("1, 8, 4, 5", "NCHW", "NHWC"), "1, 4, 5, 8");
    assert_eq!(converted("1, 32, 4, 5", "NCHW", "NCHW16c"), "1, 2, 4, 5, 16");
    assert_eq!(converted("1, 2, 4, 5, 16", "NCHW16c", "NHWC"), "1, 4, 5, 32");
    assert_eq!(converted("1, 2, 4, 5, 16", "NCHW16c", "NCHW8c"), "1, 4, 4, 5, 8");
    assert_eq!(
        converted("1, 30, 4, 5", "NCHW", "NCHW16c"),
        "1, 2, 4, 5, 16",
        "parts of blocks are rounded up"
    );
}

#[test]
fn wrong_layouts_are_errors() {
    for wrong in ["NC-HW", "N16CHW", "NcHW", "NCcHW", "NHW4c", "NCHW99999999999999999999c"] {
        assert!(convert("1, 8, 4, 5", "NCHW", wrong).is_err(), "{wrong}");
    }
    assert!(convert("1, 8, 4, 5", "NCHW", "NCH").is_err());
    assert!(convert("1, 2, 4, 5, 8", "NCHW4c", "NCHW").is_err());
}

#[test]
fn einsum_without_an_arrow_keeps_the_names_that_occur_once_in_order() {
    let parameters = "x: R.Tensor((2, 3, 5), \"float32\"), y: R.Tensor((2, 7), \"float32\")";
    assert_eq!(result(parameters, "R.einsum((x, y), \"bA...,ba\")").as_deref(), Ok("5, 3, 7"));
}

#[test]
fn dots_and_arrows_of_einsum_are_whole() {
    for wrong in ["i.j", "..", "i-j", "i->j->k", "......", "i1", "\u{e9}"] {
        let value = format!("R.einsum((x,), \"{wrong}\")");
        assert!(result("x: R.Tensor((2, 3), \"float32\")", &value).is_err(), "{wrong}");
    }
}
