//! Operators with a constant on the left, which Python's rules would turn round, in every place of an expression: the text of
//! the program reads back to the same operators.

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::{
    Object, ParseOptions, PrinterConfig, Release, from_json, parse, print, registry, to_json_of,
    to_tvm_json_of,
};

const COMPARISONS: [&str; 6] = ["LT", "LE", "GT", "GE", "EQ", "NE"];
const ARITHMETIC: [&str; 9] =
    ["Add", "Sub", "Mul", "FloorDiv", "FloorMod", "Min", "Max", "bitwise_and", "shift_left"];

/// Conditions over `n`, by functions that neither fold nor turn round.
fn conditions(dtype: &str) -> Vec<String> {
    let of = |name: &str| format!("T.{name}(T.{dtype}(1), n)");
    let mut all: Vec<String> = COMPARISONS.iter().map(|name| of(name)).collect();
    for name in ["LT", "EQ"] {
        all.push(format!("T.Not({})", of(name)));
        all.push(format!("T.And({}, T.LT(n, T.{dtype}(9)))", of(name)));
        all.push(format!("T.Or(T.bool(True), {})", of(name)));
        all.push(format!("T.EQ(T.bool(True), {})", of(name)));
    }
    all.push(format!("T.LT(T.{dtype}(1), T.{dtype}(2))"));
    all
}

/// Integers over `n`.
fn integers(dtype: &str) -> Vec<String> {
    let arithmetic = ARITHMETIC.iter().map(|name| format!("T.{name}(T.{dtype}(6), n)"));
    let chosen = conditions(dtype).into_iter();
    arithmetic.chain(chosen.map(|c| format!("T.Select({c}, T.{dtype}(1), T.{dtype}(0))"))).collect()
}

/// Statements of TIR with a condition or an integer at `@`. `%` begins the name of functions of blocks.
const TIR: &[(bool, &str)] = &[
    (true, "T.func_attr({\"a\": @})\n    T.evaluate(0)"),
    (true, "T.evaluate(@)"),
    (true, "if @:\n        T.evaluate(n)"),
    (true, "assert @, \"m\"\n    T.evaluate(n)"),
    (true, "for i in T.serial(4, annotations={\"x\": [@]}):\n        T.evaluate(i)"),
    (
        true,
        "for i in range(4):\n        with T.%block(\"b\"):\n            v = T.axis.spatial(4, i)\n            T.where(@)\n            A[v] = T.float32(1)",
    ),
    (false, "A[@] = T.float32(1)"),
    (false, "for i in range(n, @):\n        T.evaluate(i)"),
    (false, "for i in T.serial(0, n, step=@):\n        T.evaluate(i)"),
    (false, "B = T.decl_buffer((@,), data=A.data, strides=(@,), elem_offset=@)\n    B[0] = T.float32(1)"),
    (
        false,
        "for i in range(4):\n        with T.%block(\"b\"):\n            v = T.axis.spatial(@, @)\n            T.%block_attr({\"x\": T.index_map(lambda q: (@, q))})\n            A[v] = T.float32(1)",
    ),
];

/// Statements of Relax. `^` is the keyword's name for struct info.
const RELAX: &[(bool, &str)] = &[
    (true, "R.func_attr({\"x\": @})\n    return x"),
    (true, "a = R.call_packed(\"f\", !, ^_args=R.Tensor((n,), \"float32\"))\n    return a"),
    (true, "a = (!, x)\n    return x"),
    (true, "a = !\n    if a:\n        b = x\n    else:\n        b = x\n    return b"),
    (false, "a = R.shape([@, n])\n    return a"),
    (false, "a = R.match_cast(x, R.Tensor((@,), \"float32\"))\n    return a"),
    (
        false,
        "a: R.Tensor((@,), \"float32\") = R.call_packed(\"f\", x, ^_args=R.Tensor((@,), \"float32\"))\n    return a",
    ),
    (false, "a = R.call_dps_packed(\"f\", (x,), out_^=R.Tensor((@,), \"float32\"))\n    return a"),
    (
        false,
        "a = R.call_packed(\"f\", x, ^_args=R.Callable((R.Tensor((@,), \"float32\"),), R.Shape([@]), True))\n    return a",
    ),
    (
        false,
        "@R.function\n    def g(y: R.Tensor((@,), \"float32\")) -> R.Tensor((@,), \"float32\"):\n        return y\n    return x",
    ),
];

/// Checks a program in text and in both forms of JSON.
fn check(text: &str, release: &'static Release) -> Result<(), String> {
    let read = |text: &str| -> Result<Object, String> {
        let mut options = ParseOptions::default();
        options.release = Some(release);
        let parsed = parse("text.py", text, registry(), &options);
        match parsed.errors.first() {
            Some(error) => Err(format!("{error}\n{text}")),
            None => parsed.scripts.into_iter().next().map(|script| script.node).ok_or("nothing".to_owned()),
        }
    };
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    let program = read(text)?;
    let config = PrinterConfig { release: Some(release), ..PrinterConfig::default() };
    let printed = print(&program, registry(), &config).map_err(|error| error.to_string())?;
    if !equal.compare(&program, &read(&printed)?) {
        return Err(format!("{text}\nreads back as another program:\n{printed}"));
    }
    let native = from_json(&to_json_of(&program, release), registry()).map_err(|error| error.to_string())?;
    if !equal.compare(&program, &native) {
        return Err(format!("{text}\nis another program in JSON"));
    }
    let json = to_tvm_json_of(&program, release, registry()).map_err(|error| error.to_string())?;
    let loaded = from_json(&json, registry()).map_err(|error| error.to_string())?;
    match equal.compare(&program, &loaded) {
        true => Ok(()),
        false => Err(format!("{text}\nis another program in TVM's JSON")),
    }
}

fn check_release(id: &str) {
    let release = registry().find_release(id).expect("a release");
    let is_later = id != "tvm-0.23";
    let (tir, block, info) = if is_later { ("tirx", "sblock", "ty") } else { ("tir", "block", "sinfo") };
    let head = format!(
        "# from tvm.script import ir as I\n# from tvm.script import {tir} as T\n# from tvm.script import relax as R\n\n"
    );
    let mut failed = Vec::new();
    let mut checked = 0;
    let mut check = |text: String| {
        checked += 1;
        failed.extend(check(&text, release).err());
    };
    for dtype in ["int32", "int64"] {
        for (takes_condition, form) in TIR {
            let values = if *takes_condition { conditions(dtype) } else { integers(dtype) };
            for value in values {
                let body = form.replace('@', &value).replace("T.%block", &format!("T.{block}"));
                check(format!(
                    "{head}@T.prim_func\ndef f(A: T.Buffer((128,), \"float32\"), n: T.{dtype}):\n    {body}\n"
                ));
            }
        }
    }
    for value in integers("int32") {
        check(format!(
            "{head}@T.prim_func\ndef f(a: T.handle, n: T.int32):\n    A = T.match_buffer(a, ({value}, n))\n    T.evaluate(A[0, 0])\n"
        ));
    }
    for (takes_condition, form) in RELAX {
        let values = if *takes_condition { conditions("int64") } else { integers("int64") };
        for value in values {
            let scalar = if is_later { value.clone() } else { format!("R.prim_value({value})") };
            let body =
                form.replace('!', &scalar).replace("@R.", "%R.").replace('@', &value).replace("%R.", "@R.");
            let body = body.replace('^', info);
            check(format!(
                "{head}@R.function\ndef f(x: R.Tensor((\"n\",), \"float32\")):\n    n = T.int64()\n    {body}\n"
            ));
        }
    }
    for value in integers("int64") {
        check(format!(
            "{head}@R.function\ndef f(x: R.Tensor((\"n\", \"{value}\"), \"float32\")) -> R.Tensor((\"n\", \"{value}\"), \"float32\"):\n    n = T.int64()\n    return x\n"
        ));
    }
    assert!(failed.is_empty(), "{} of {checked}\n{}", failed.len(), failed.join("\n\n"));
    assert!(checked > 500, "{checked}");
}

#[test]
fn constants_on_the_left_stay_there_in_0_23() {
    check_release("tvm-0.23");
}

#[test]
fn constants_on_the_left_stay_there_in_0_27() {
    check_release("tvm-0.27");
}

#[test]
fn constants_on_the_left_stay_there_in_fragments() {
    for value in conditions("int64") {
        for form in ["R.prim_value(@)", "R.Prim(value=@)", "R.shape([T.Select(@, T.int64(1), T.int64(0))])"] {
            let text = format!("n = T.int64()\n{}", form.replace('@', &value));
            let node = tvmscript_tests::fragments::read("relax", &text).expect("reads");
            tvmscript_tests::fragments::check("relax", &node).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}
