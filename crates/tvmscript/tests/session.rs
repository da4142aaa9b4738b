//! Sessions are values: several on one thread, one inside the other, do not disturb each other.

use tvmscript::ir_core::Limits;
use tvmscript::irbuilder::record::Action;
use tvmscript::{
    JsonErrorKind, ParseOptions, PrinterConfig, Session, from_json, parse, print, releases, session, to_json,
};

const INNER: &str =
    "@T.prim_func\ndef g(a: T.uint8):\n    T.evaluate(T.uint8(200) + T.uint8(100))\n    T.evaluate(5)\n";
const LOOP: &str =
    "n = 0\nfor i in range(10000):\n    n = n + i\n@T.prim_func\ndef h():\n    T.evaluate(0)\n";

/// Parses a text of a later release and one that runs out of steps, inside whatever this thread does.
fn parse_inside() -> i64 {
    let newer = Session { release: Some(&releases::tvm_0_27::RELEASE), ..session() };
    let inner = parse("inner.py", INNER, newer.registry, &ParseOptions::of(&newer));
    assert!(inner.errors.is_empty(), "{:?}", inner.errors);
    assert_eq!(inner.release, &releases::tvm_0_27::RELEASE);
    assert!(inner.steps.is_empty(), "only the outer parse records");
    let printed = print(&inner.scripts[0].node, newer.registry, &PrinterConfig::of(&newer)).expect("prints");
    assert!(printed.contains("T.evaluate(5)"), "the header of the outer text does not hold: {printed}");

    let few = Session { limits: Limits { max_steps: 100, ..Limits::DEFAULT }, ..session() };
    let stopped = parse("loop.py", LOOP, few.registry, &ParseOptions::of(&few));
    let is_stopped = stopped.warnings.iter().any(|warning| warning.to_string().contains("steps"));
    assert!(is_stopped, "{:?}", stopped.warnings);
    7
}

#[test]
fn sessions_nest_on_one_thread() {
    let outer = session();
    let text = format!(
        "{LOOP}@T.prim_func\ndef f():\n    T.evaluate(5)\n    T.evaluate(inside())\n    T.evaluate(5)\n"
    );
    let mut options = ParseOptions::of(&outer);
    options.header = "int_dtype=int64".parse().expect("a header");
    options.record_steps = true;
    options.globals.function("inside", &[], || Ok(parse_inside()));
    let parsed = parse("outer.py", &text, outer.registry, &options);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    assert_eq!(parsed.release, outer.registry.release());
    let printed = print(&parsed.scripts[1].node, outer.registry, &PrinterConfig::of(&outer)).expect("prints");
    let body: Vec<&str> = printed.lines().rev().take(3).map(str::trim).collect();
    assert_eq!(body, ["T.evaluate(T.int64(5))", "T.evaluate(T.int64(7))", "T.evaluate(T.int64(5))"]);
    let opened = parsed.steps.iter().filter(|step| matches!(step.action, Action::Open)).count();
    assert_eq!(opened, 2, "the scripts of the outer text");

    // What a text sets ends with it.
    let after = parse("after.py", INNER, outer.registry, &ParseOptions::of(&outer));
    let printed = print(&after.scripts[0].node, outer.registry, &PrinterConfig::of(&outer)).expect("prints");
    assert!(printed.contains("T.evaluate(5)"), "{printed}");
}

#[test]
fn each_session_has_its_limits_on_json() {
    let params: Vec<String> = (0..40).map(|i| format!("a{i}: T.int32")).collect();
    let text = format!("@T.prim_func\ndef f({}):\n    T.evaluate(0)\n", params.join(", "));
    let all = session();
    let parsed = parse("f.py", &text, all.registry, &ParseOptions::of(&all));
    let json = to_json(&parsed.scripts[0].node);
    let few = Session { limits: Limits { max_json_elements: 30, ..Limits::DEFAULT }, ..all };
    let load = |session: Session<'_>| from_json(&json, session).map(drop).map_err(|error| error.kind);
    assert_eq!(load(all), Ok(()));
    assert!(matches!(load(few), Err(JsonErrorKind::TooManyElements { limit: 30 })));
    assert_eq!(load(all), Ok(()));
}
