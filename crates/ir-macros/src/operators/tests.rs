//! Tests of `operators!`: the generated code, and messages for mistakes.

use super::{Operators, expand};

const HEADER: &str = "prefix = \"toy.\"; result = Expr; error = ToyError; script = crate::build;";

fn declared(entries: &str) -> std::result::Result<String, String> {
    let parsed = syn::parse_str::<Operators>(&format!("{HEADER} {entries}"));
    parsed.and_then(expand).map(|tokens| tokens.to_string()).map_err(|error| error.to_string())
}

#[test]
fn an_entry_gives_a_function_a_record_and_a_script_function() {
    let out =
        declared("/// Sum.\n add(a: Expr, b: Expr) -> same_as(a), effect = Pure;").expect("it is right");
    for part in [
        "pub fn add (a : Expr , b : Expr) -> Expr",
        "pub static ADD : Operator",
        "Operator :: new (\"toy.add\" , \"add\" , ResultType :: SameAs (0usize)) . with_operands (2usize , 2usize)",
        "script_fn (name = \"add\")",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
}

#[test]
fn defaults_rest_parameters_and_names_are_kept() {
    let out = declared(
        "/// Call.\n call_(dtype: DataType, name: Expr, n: Expr = 8, *args: Expr) -> dtype, name = \"toy.invoke\", hidden;",
    );
    let out = out.expect("it is right");
    for part in
        ["\"toy.invoke\" , \"call\" , ResultType :: First", "# [default = 8] n", "# [args] args", "hidden ()"]
    {
        assert!(out.contains(part), "{part} in {out}");
    }
}

#[test]
fn groups_and_attributes_follow_into_the_call() {
    let out = declared(
        "params along = (x: Expr; axis: Option<Int> = None); /// Sum.\n sum(..along) -> infer(reduced), attrs = SumAttrs;",
    );
    let out = out.expect("it is right");
    for part in [
        "pub fn sum (x : Expr , axis : Option < Int >) -> Expr",
        "SumAttrs { axis : axis . into () }",
        "axis : Option < crate :: build :: Int >",
        "Operator :: new (\"toy.sum\" , \"sum\" , reduced)",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
}

#[test]
fn fields_operands_types_and_properties_are_as_written() {
    let out = declared(
        "/// Slice.\n slice(x: Expr, step: Int, n: Expr, to: Types, *rest: Expr; axis: Int = 0) -> infer(sliced), \
         attrs = SliceAttrs { step: wide(step), .. }, args = [n, x], stated = to, form = Form::Short;",
    );
    let out = out.expect("it is right");
    for part in [
        "SliceAttrs { step : wide (step) , axis : axis . into () }",
        "SLICE . call_stated (",
        ", [n , x] , to)",
        ". with_form (Form :: Short)",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
}

#[test]
fn a_body_is_that_of_the_script_function() {
    let out =
        declared("/// Print.\n print(*values: ExprArg) -> infer(nothing), effect = Opaque { call(values) }");
    let out = out.expect("it is right");
    assert!(
        out.contains("-> :: tvmscript_irbuilder :: BuildResult < super :: Made > { call (values) }"),
        "{out}"
    );
    assert!(!out.contains("pub fn print (values : impl"), "{out}");
}

#[test]
fn mistakes_are_named() {
    for (entries, message) in [
        ("/// A.\n a(..b) -> INT;", "no `params b = ..;`"),
        ("exp(x: Expr) -> same_as(x);", "`exp` needs a doc comment"),
        ("/// Exp.\n exp(x: Expr) -> same_as(y);", "no operand is called `y`"),
        ("/// Exp.\n exp(x: Expr);", "an operator needs the type of its calls: `-> same_as(x)`"),
        (
            "/// Abs.\n fn abs(x: Expr);",
            "a function without an operator needs what it does: `= path` or a body",
        ),
        ("/// A.\n a(x: Expr, x: Expr) -> INT;", "two parameters are called `x`"),
        (
            "/// A.\n a(w: Expr, x: Expr = 1, y: Expr) -> INT;",
            "`y` needs a default: a parameter before it has one",
        ),
        ("/// A.\n a(*x: Expr) -> same_as(x);", "`x` has several types: write `same_as(x[0])`"),
        ("/// A.\n a() -> INT;\n/// A.\n a() -> INT;", "`a` is declared twice"),
        ("/// A.\n a() -> INT, pure;", "expected `=`"),
        ("/// A.\n a() -> like(x);", "expected `same_as(operand)`, `infer(function)`, a parameter or a type"),
    ] {
        assert_eq!(declared(entries), Err(message.to_owned()), "{entries}");
    }
    let bare = syn::parse_str::<Operators>("/// A.\n a() -> INT;").and_then(expand);
    assert_eq!(bare.map(drop).map_err(|e| e.to_string()), Err("`result = ..;` is missing".to_owned()));
}

#[test]
fn entries_under_a_call_have_no_typed_function() {
    let parsed = syn::parse_str::<Operators>(
        "prefix = \"toy.\"; namespace = \"mem\"; result = Expr; script = types; call = crate::call; effect = Update;
         /// Copies.\n copy(from, to, count = 1, flags = None, **annotations) -> same_as(to);
         /// Loads.\n load(from, *, dtype: DataType) -> dtype, effect = Read;",
    );
    let out = parsed.and_then(expand).expect("it is right").to_string();
    for part in [
        "Operator :: new (\"toy.copy\" , \"mem.copy\" , ResultType :: SameAs (1usize)) . with_operands (3usize , 4usize) . with_effect (Effect :: Update)",
        "Param { name : \"count\" , kind : :: tvmscript_irbuilder :: ParamKind :: Plain , default : :: core :: option :: Option :: Some (\"1\")",
        "name : \"annotations\" , kind : :: tvmscript_irbuilder :: ParamKind :: Kwargs",
        "crate :: call (& super :: COPY , function , args , | index | match index { 2usize => :: core :: option :: Option :: Some (:: tvmscript_irbuilder :: ScriptValue :: Int (1))",
        "ResultType :: Last) . with_operands (1usize , 1usize) . with_effect (Effect :: Read)",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
    assert!(!out.contains("pub fn copy"), "{out}");
}

#[test]
fn a_function_without_an_operator_needs_a_typed_function() {
    let parsed = syn::parse_str::<Operators>(
        "prefix = \"toy.\"; result = Expr; script = types; call = crate::call; /// Twice.\n fn twice(x) = twice;",
    );
    let error = parsed.and_then(expand).expect_err("it is wrong").to_string();
    assert_eq!(error, "an entry under `call = ..;` is an operator without a body");
}
