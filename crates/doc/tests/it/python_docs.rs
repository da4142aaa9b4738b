//! One test for each class of doc: what it looks like in Python.

use tvmscript_doc::python::{self, PythonOptions, StringStyle};
use tvmscript_doc::{
    BinaryOp, Doc, DocArena, DocError, ExprDoc, FunctionParts, OperationKind, PrintError, StmtDoc, Subscript,
    UnaryOp,
};

fn print(docs: &DocArena, doc: impl Into<Doc>) -> String {
    python::print(docs, doc, &PythonOptions::default()).unwrap()
}

/// Prints the expression that `build` makes.
fn expr(build: impl FnOnce(&mut DocArena) -> ExprDoc) -> String {
    let mut docs = DocArena::new();
    let doc = build(&mut docs);
    print(&docs, doc)
}

/// Prints the statement that `build` makes.
fn stmt(build: impl FnOnce(&mut DocArena) -> StmtDoc) -> String {
    let mut docs = DocArena::new();
    let doc = build(&mut docs);
    print(&docs, doc)
}

fn ids<const N: usize>(docs: &mut DocArena, names: [&str; N]) -> [ExprDoc; N] {
    names.map(|name| docs.id(name))
}

const NO_KWARGS: &[(&str, ExprDoc)] = &[];

#[test]
fn p74_19_literals_are_numbers_texts_truth_values_and_none() {
    assert_eq!(expr(|d| d.none()), "None");
    assert_eq!(expr(|d| d.bool(true)), "True");
    assert_eq!(expr(|d| d.bool(false)), "False");
    assert_eq!(expr(|d| d.int(0)), "0");
    assert_eq!(expr(|d| d.int(-42)), "-42");
    assert_eq!(expr(|d| d.int(i64::MIN)), "-9223372036854775808");
    assert_eq!(expr(|d| d.int(i64::MAX)), "9223372036854775807");
    assert_eq!(expr(|d| d.float(1.5)), "1.5");
    assert_eq!(expr(|d| d.str("float32")), "\"float32\"");
}

#[test]
fn p74_19_characters_of_texts_are_escaped() {
    assert_eq!(expr(|d| d.str("a\"b\\c\td\re\nf\0\x7f")), r#""a\"b\\c\td\re\nf\x00\x7F""#);
    assert_eq!(expr(|d| d.str("é€😀")), r#""\u00e9\u20ac\U0001f600""#);
    assert_eq!(expr(|d| d.bytes(b"a\"\xC3\n")), r#"b"a\"\xC3\n""#);
    let mut docs = DocArena::new();
    let text = docs.str("é");
    let options = PythonOptions { strings: StringStyle::Bytes, ..PythonOptions::default() };
    assert_eq!(python::print(&docs, text, &options).unwrap(), r#""\xC3\xA9""#);
}

#[test]
fn attribute_and_index() {
    assert_eq!(
        expr(|d| {
            let [t, i, j] = ids(d, ["T", "i", "j"]);
            let attr = d.attr(t, "x");
            d.index(attr, &[i, j])
        }),
        "T.x[i, j]"
    );
    assert_eq!(
        expr(|d| {
            let a = d.id("A");
            d.index::<ExprDoc>(a, &[])
        }),
        "A[()]"
    );
}

#[test]
fn p74_20_indices_contain_slices() {
    assert_eq!(
        expr(|d| {
            let [a, i, j, k] = ids(d, ["A", "i", "j", "k"]);
            let all = d.slice(None, None, None);
            let from = d.slice(Some(i), None, None);
            let to = d.slice(None, Some(j), None);
            let full = d.slice(Some(i), Some(j), Some(k));
            d.index::<Subscript>(a, &[i.into(), all.into(), from.into(), to.into(), full.into()])
        }),
        "A[i, :, i:, :j, i:j:k]"
    );
}

#[test]
fn p74_20_calls_have_keyword_arguments() {
    assert_eq!(
        expr(|d| {
            let f = d.id("f");
            d.call(f, &[], NO_KWARGS)
        }),
        "f()"
    );
    assert_eq!(
        expr(|d| {
            let [f, x, y] = ids(d, ["f", "x", "y"]);
            let text = d.str("v");
            let sum = d.binary(BinaryOp::Add, x, y);
            d.call(f, &[x, sum], &[("key", text), ("other", sum)])
        }),
        "f(x, x + y, key=\"v\", other=x + y)"
    );
    assert_eq!(
        expr(|d| {
            let [f, x] = ids(d, ["f", "x"]);
            d.call(f, &[], &[("key", x)])
        }),
        "f(key=x)"
    );
}

#[test]
fn every_operation() {
    let mut printed = Vec::new();
    for kind in OperationKind::all() {
        printed.push(expr(|d| {
            let operands = ids(d, ["a", "b", "c"]);
            d.operation(kind, &operands[..kind.arity()]).unwrap()
        }));
    }
    let expected = [
        "-a",
        "~a",
        "not a",
        "a + b",
        "a - b",
        "a * b",
        "a / b",
        "a // b",
        "a % b",
        "a ** b",
        "a << b",
        "a >> b",
        "a & b",
        "a | b",
        "a ^ b",
        "a < b",
        "a <= b",
        "a == b",
        "a != b",
        "a > b",
        "a >= b",
        "a and b",
        "a or b",
        "b if a else c",
    ];
    assert_eq!(printed, expected);
    let mut docs = DocArena::new();
    let a = docs.id("a");
    let kind = OperationKind::from(BinaryOp::Add);
    assert_eq!(docs.operation(kind, &[a]), Err(DocError::Arity { kind, got: 1 }));
}

#[test]
fn lambdas() {
    assert_eq!(
        expr(|d| {
            let args = ids(d, ["a", "b"]);
            let body = d.binary(BinaryOp::Add, args[0], args[1]);
            d.lambda(&args, body).unwrap()
        }),
        "lambda a, b: a + b"
    );
    assert_eq!(
        expr(|d| {
            let x = d.id("x");
            d.lambda(&[], x).unwrap()
        }),
        "lambda : x"
    );
    let mut docs = DocArena::new();
    let one = docs.int(1);
    assert_eq!(docs.lambda(&[one], one), Err(DocError::NotAName { role: "a parameter of a lambda" }));
}

#[test]
fn tuples_lists_dicts() {
    assert_eq!(expr(|d| d.tuple(&[])), "()");
    assert_eq!(
        expr(|d| {
            let a = d.id("a");
            d.tuple(&[a])
        }),
        "(a,)"
    );
    assert_eq!(
        expr(|d| {
            let [a, b] = ids(d, ["a", "b"]);
            let sum = d.binary(BinaryOp::Add, a, b);
            let one = d.tuple(&[sum]);
            d.tuple(&[one, a, sum])
        }),
        "((a + b,), a, a + b)"
    );
    assert_eq!(expr(|d| d.list(&[])), "[]");
    assert_eq!(
        expr(|d| {
            let [a, b] = ids(d, ["a", "b"]);
            let inner = d.list(&[b]);
            d.list(&[a, inner])
        }),
        "[a, [b]]"
    );
    assert_eq!(expr(|d| d.dict(&[])), "{}");
    assert_eq!(
        expr(|d| {
            let [a, b] = ids(d, ["a", "b"]);
            let (key, value) = (d.str("k"), d.int(1));
            d.dict(&[(key, value), (a, b)])
        }),
        "{\"k\": 1, a: b}"
    );
}

#[test]
fn quoted_expression() {
    assert_eq!(
        expr(|d| {
            let (n, two) = (d.id("n"), d.int(2));
            let product = d.binary(BinaryOp::Mult, n, two);
            d.quoted(product)
        }),
        "\"n * 2\""
    );
    assert_eq!(
        expr(|d| {
            let text = d.str("é\"");
            let f = d.id("f");
            let call = d.call(f, &[text], NO_KWARGS);
            let once = d.quoted(call);
            d.quoted(once)
        }),
        r#""\"f(\\\"\\\\u00e9\\\\\\\"\\\")\"""#
    );
}

#[test]
fn p74_20_assignments_may_have_no_value() {
    let assign = |lhs: &[&str], rhs: Option<&[&str]>| {
        stmt(|d| {
            let mut side = |names: &[&str]| {
                let docs: Vec<_> = names.iter().map(|&name| d.id(name)).collect();
                if let [only] = docs[..] { only } else { d.tuple(&docs) }
            };
            let lhs = side(lhs);
            let rhs = rhs.map(side);
            d.assign(lhs, rhs, None).unwrap()
        })
    };
    assert_eq!(assign(&["a"], Some(&["b"])), "a = b");
    assert_eq!(assign(&["a", "b"], Some(&["c"])), "a, b = c");
    assert_eq!(assign(&["a"], Some(&["b", "c"])), "a = b, c");
    assert_eq!(assign(&["a"], Some(&[])), "a = ()");
    let single = stmt(|d| {
        let [a, b] = ids(d, ["a", "b"]);
        let (lhs, rhs) = (d.tuple(&[a]), d.tuple(&[b]));
        d.bind(lhs, rhs)
    });
    assert_eq!(single, "a = (b,)");
    let annotated = |with_value: bool| {
        stmt(|d| {
            let [a, b, c] = ids(d, ["a", "b", "c"]);
            d.assign(a, with_value.then_some(c), Some(b)).unwrap()
        })
    };
    assert_eq!(annotated(true), "a: b = c");
    assert_eq!(annotated(false), "a: b");
    let mut docs = DocArena::new();
    let a = docs.id("a");
    let one = docs.int(1);
    assert_eq!(docs.assign(a, None, None), Err(DocError::EmptyAssign));
    assert_eq!(docs.assign(one, Some(a), Some(a)), Err(DocError::AnnotationWithoutName));
}

#[test]
fn simple_statements() {
    let simple = |build: fn(&mut DocArena, [ExprDoc; 2]) -> StmtDoc| {
        let mut docs = DocArena::new();
        let operands = ids(&mut docs, ["a", "b"]);
        let doc = build(&mut docs, operands);
        let bare = print(&docs, doc);
        docs.set_comment(doc, Some("note"));
        assert_eq!(print(&docs, doc), format!("{bare}  # note"));
        docs.add_comment(doc, "more");
        assert!(matches!(
            python::print(&docs, doc, &PythonOptions::default()),
            Err(PrintError::CommentHasNewline { .. })
        ));
        bare
    };
    assert_eq!(simple(|d, [a, b]| d.bind(a, b)), "a = b");
    assert_eq!(simple(|d, [a, _]| d.expr_stmt(a)), "a");
    assert_eq!(simple(|d, [a, _]| d.assert(a, None)), "assert a");
    assert_eq!(simple(|d, [a, b]| d.assert(a, Some(b))), "assert a, b");
    assert_eq!(simple(|d, [a, _]| d.return_(a)), "return a");
    assert_eq!(simple(|d, _| d.break_()), "break");
    assert_eq!(simple(|d, _| d.continue_()), "continue");
}

#[test]
fn branches() {
    let mut docs = DocArena::new();
    let [a, b, c] = ids(&mut docs, ["a", "b", "c"]);
    let (on_true, on_false) = (docs.expr_stmt(b), docs.expr_stmt(c));
    assert_eq!(docs.if_(a, &[], &[]), Err(DocError::EmptyIf));
    let no_else = docs.if_(a, &[on_true], &[]).unwrap();
    assert_eq!(print(&docs, no_else), "if a:\n    b");
    let only_else = docs.if_(a, &[], &[on_false]).unwrap();
    assert_eq!(print(&docs, only_else), "if a:\n    pass\nelse:\n    c");
    let both = docs.if_(a, &[on_true, no_else], &[on_false]).unwrap();
    docs.set_comment(both, Some("first\nsecond"));
    assert_eq!(print(&docs, both), "# first\n# second\nif a:\n    b\n    if a:\n        b\nelse:\n    c");
}

#[test]
fn loops_and_scopes() {
    let mut docs = DocArena::new();
    let [a, b, c] = ids(&mut docs, ["a", "b", "c"]);
    let inner = docs.expr_stmt(c);
    let doc = docs.while_(a, &[inner]);
    assert_eq!(print(&docs, doc), "while a:\n    c");
    let doc = docs.for_(a, b, &[]);
    assert_eq!(print(&docs, doc), "for a in b:\n    pass");
    let (one, two) = (docs.tuple(&[a]), docs.tuple(&[a, b]));
    let doc = docs.for_(one, b, &[inner]);
    assert_eq!(print(&docs, doc), "for a, in b:\n    c");
    let doc = docs.for_(two, c, &[inner]);
    docs.set_comment(doc, Some("loop"));
    assert_eq!(print(&docs, doc), "# loop\nfor a, b in c:\n    c");
    let doc = docs.scope(None, a, &[inner, inner]);
    assert_eq!(print(&docs, doc), "with a:\n    c\n    c");
    let doc = docs.scope(Some(b), a, &[doc]);
    assert_eq!(print(&docs, doc), "with a as b:\n    with a:\n        c\n        c");
}

#[test]
fn functions() {
    let mut docs = DocArena::new();
    let [f, x, ty, one, decorator] = ids(&mut docs, ["f", "x", "ty", "one", "dec"]);
    let plain = docs.assign(x, None, Some(ty)).unwrap();
    let with_default = docs.assign(x, Some(one), Some(ty)).unwrap();
    let body = docs.return_(x);
    let parts = FunctionParts {
        name: f,
        args: &[plain, with_default],
        decorators: &[decorator, decorator],
        return_type: Some(ty),
        body: &[body],
    };
    let doc = docs.function(parts).unwrap();
    assert_eq!(print(&docs, doc), "@dec\n@dec\ndef f(x: ty, x: ty = one) -> ty:\n    return x");
    docs.set_comment(doc, Some("says\n\nwhat"));
    assert_eq!(
        print(&docs, doc),
        "@dec\n@dec\ndef f(x: ty, x: ty = one) -> ty:\n    \"\"\"\n    says\n\n    what\n    \"\"\"\n    return x"
    );
    docs.set_comment(plain, Some("no"));
    let failed = python::print(&docs, doc, &PythonOptions::default());
    assert_eq!(failed, Err(PrintError::CommentOnParameter));
    let parts = FunctionParts { name: f, args: &[], decorators: &[], return_type: None, body: &[] };
    let empty = docs.function(parts).unwrap();
    assert_eq!(print(&docs, empty), "def f():\n    pass");
    let wrong = docs.function(FunctionParts { args: &[body], ..parts });
    assert_eq!(wrong, Err(DocError::NotAParameter));
    let call = docs.call(f, &[], NO_KWARGS);
    let wrong = docs.function(FunctionParts { name: call, ..parts });
    assert_eq!(wrong, Err(DocError::NotAName { role: "the name of a function" }));
}

#[test]
fn p74_20_classes_have_aliases_and_functions() {
    let mut docs = DocArena::new();
    let [m, f, v] = ids(&mut docs, ["Module", "f", "v"]);
    let decorator = docs.attr(v, "ir_module");
    let field = docs.bind(v, f);
    let parts = FunctionParts { name: f, args: &[], decorators: &[v], return_type: None, body: &[field] };
    let function = docs.function(parts).unwrap();
    let doc = docs.class(m, &[decorator], &[field, function, function]).unwrap();
    assert_eq!(
        print(&docs, doc),
        "@v.ir_module\nclass Module:\n    v = f\n    @v\n    def f():\n        v = f\n\n    @v\n    def f():\n        v = f"
    );
    docs.set_comment(doc, Some("doc"));
    assert!(
        print(&docs, doc)
            .starts_with("@v.ir_module\nclass Module:\n    \"\"\"\n    doc\n    \"\"\"\n    v = f")
    );
    let empty = docs.class(m, &[], &[]).unwrap();
    assert_eq!(print(&docs, empty), "class Module:\n    pass");
}

#[test]
fn comments_and_docstrings() {
    let mut docs = DocArena::new();
    let a = docs.id("a");
    let a = docs.expr_stmt(a);
    let (header, blank) = (docs.comment("from x\nand y"), docs.comment(""));
    let block = docs.block(&[header, blank, a, a]);
    assert_eq!(print(&docs, block), "# from x\n# and y\n\na\na");
    let nested = docs.id("w");
    let nested = docs.scope(None, nested, &[header, blank, a]);
    assert_eq!(print(&docs, nested), "with w:\n    # from x\n    # and y\n    \n    a");
    let text = docs.docstring("one\n\ntwo\n");
    assert_eq!(print(&docs, text), "\"\"\"\none\n\ntwo\n\"\"\"");
    let empty = docs.docstring("");
    let block = docs.block(&[empty, a]);
    assert_eq!(print(&docs, block), "\na");
    assert!(docs.block(&[]).is_empty());
}

#[test]
fn comments_cannot_end_their_line() {
    let mut docs = DocArena::new();
    let evil = docs.comment("a\rimport os\r\nb");
    assert_eq!(print(&docs, evil), "# a\n# import os\n# b");
    let evil = docs.docstring("a\"\"\"b\\");
    assert_eq!(print(&docs, evil), "\"\"\"\na\\\"\\\"\\\"b\\\\\n\"\"\"");
}

#[test]
fn indentation_is_an_option() {
    let mut docs = DocArena::new();
    let a = docs.id("a");
    let inner = docs.while_(a, &[]);
    let outer = docs.while_(a, &[inner]);
    let options = PythonOptions { indent_spaces: 1, ..PythonOptions::default() };
    assert_eq!(python::print(&docs, outer, &options).unwrap(), "while a:\n while a:\n  pass");
}

#[test]
fn misread_spellings_get_parentheses_only_when_strict() {
    let both = |build: fn(&mut DocArena, [ExprDoc; 5]) -> ExprDoc| {
        let mut docs = DocArena::new();
        let operands = ids(&mut docs, ["a", "b", "c", "d", "e"]);
        let doc = build(&mut docs, operands);
        let options = PythonOptions { strict: false, ..PythonOptions::default() };
        [print(&docs, doc), python::print(&docs, doc, &options).unwrap()]
    };
    let eq = |d: &mut DocArena, [a, b, c, ..]: [ExprDoc; 5]| {
        let left = d.binary(BinaryOp::Eq, a, b);
        d.binary(BinaryOp::Eq, left, c)
    };
    assert_eq!(both(eq), ["(a == b) == c", "a == b == c"]);
    let nested = |d: &mut DocArena, [a, b, c, x, y]: [ExprDoc; 5]| {
        let inner = d.conditional(a, b, c);
        d.conditional(x, inner, y)
    };
    assert_eq!(both(nested), ["(b if a else c) if d else e", "b if a else c if d else e"]);
    let attr = |d: &mut DocArena, _: [ExprDoc; 5]| {
        let base = d.int(-1);
        d.attr(base, "x")
    };
    assert_eq!(both(attr), ["(-1).x", "-1.x"]);
    let attr = |d: &mut DocArena, _: [ExprDoc; 5]| {
        let base = d.int(1);
        d.attr(base, "x")
    };
    assert_eq!(both(attr), ["(1).x", "1.x"]);
    let power = |d: &mut DocArena, [a, ..]: [ExprDoc; 5]| {
        let base = d.float(-0.0);
        d.binary(BinaryOp::Pow, base, a)
    };
    assert_eq!(both(power), ["(-0.0) ** a", "-0.0 ** a"]);
    let index = |d: &mut DocArena, [a, ..]: [ExprDoc; 5]| {
        let base = d.int(-2);
        d.index(base, &[a])
    };
    assert_eq!(both(index), ["(-2)[a]", "-2[a]"]);
    let fine = |d: &mut DocArena, [a, ..]: [ExprDoc; 5]| {
        let minus = d.int(-1);
        let power = d.binary(BinaryOp::Pow, a, minus);
        let negated = d.unary(UnaryOp::USub, power);
        d.binary(BinaryOp::Sub, negated, minus)
    };
    assert_eq!(both(fine), ["-a ** -1 - -1", "-a ** -1 - -1"]);
}

#[test]
fn output_budget_is_kept() {
    let mut docs = DocArena::new();
    let mut doc = docs.id("x");
    for _ in 0..64 {
        doc = docs.binary(BinaryOp::Add, doc, doc);
    }
    let options = PythonOptions { max_bytes: 10_000, ..PythonOptions::default() };
    assert_eq!(python::print(&docs, doc, &options), Err(PrintError::OutputBudget { max_bytes: 10_000 }));
}

#[test]
fn full_arena_is_reported() {
    let mut docs = DocArena::with_max_docs(3);
    let made: Vec<_> = (0..10).map(|i| docs.int(i)).collect();
    assert_eq!(docs.check(), Err(DocError::Full { limit: 3 }));
    let sum = docs.tuple(&made);
    let printed = python::print(&docs, sum, &PythonOptions::default());
    assert_eq!(printed, Err(PrintError::Doc(DocError::Full { limit: 3 })));
}

#[test]
fn a_symbol_of_its_own_changes_its_text_where_it_stands() {
    let mut docs = DocArena::new();
    let shared = docs.sym("x");
    let own = docs.own_sym(shared);
    let (a, b) = (docs.id(own), docs.id(shared));
    let both = docs.tuple(&[a, b]);
    docs.set_text(own, "x_1");
    assert_eq!(print(&docs, both), "(x_1, x)");
    assert_eq!((docs.sym_of(a), docs.name_of(b)), (Some(own), Some("x")));
}
