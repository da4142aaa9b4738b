//! Broken descriptions: each gives a typed error at the line of the mistake.

use tvmscript_dialect_file::{DescriptionErrorKind, DialectFile};
use tvmscript_ir_core::diagnostic::DiagnosticKind as _;
use tvmscript_ir_core::{Registry, RegistryBuilder};

const BASE: &str = r#"
[dialect]
name = "base"
prefix = "Base"
[node.Expr]
abstract = true
[node.Leaf]
parent = "Expr"
fields = { value = "int" }
[op.leaf]
node = "Make"
parameters = { value = "int" }
result = "int32"
"#;

/// Descriptions with a code, a line and a part of the message. A text that does not begin with `[dialect]` stands behind a
/// head of three lines.
const BROKEN: &[(&str, &str, u32, &str)] = &[
    // The file.
    ("[dialect]\nname = ", "E1201", 2, "not TOML"),
    ("[dialect]\nname = \"toy\"\nname = \"toy\"", "E1201", 3, "duplicate"),
    ("[dialect\nname = \"toy\"", "E1201", 1, "not TOML"),
    ("[node.A]\n", "E1202", 1, "lacks `[dialect]`"),
    ("dialect = 3\n", "E1204", 1, "must be a table"),
    ("[dialect]\nprefix = \"Toy\"", "E1202", 1, "lacks `name`"),
    ("[dialect]\nname = \"toy\"", "E1202", 1, "lacks `prefix`"),
    ("[dialect]\nname = 3\nprefix = \"Toy\"", "E1204", 2, "must be a string, not an integer"),
    ("[dialect]\nname = \"my toy\"\nprefix = \"Toy\"", "E1205", 2, "not a name"),
    ("[dialect]\nname = \"toy\"\nprefix = \"class\"", "E1205", 3, "word of Python"),
    ("[dialect]\nname = \"toy\"\nprefix = \"Toy\"\nversion = \"1\"", "E1203", 4, "no key `version`"),
    ("[dialect]\nname = \"base\"\nprefix = \"Toy\"", "E1208", 2, "the name `base` is taken"),
    ("[dialect]\nname = \"toy\"\nprefix = \"Base\"", "E1208", 3, "the prefix `Base` is taken"),
    ("[nodes.A]\n", "E1203", 4, "no key `nodes`"),
    ("node = \"A\"\n", "E1203", 4, "no key `node`"),
    // Nodes and fields.
    ("[node.A]\nparnt = \"base.Expr\"", "E1203", 5, "no key `parnt`"),
    ("[node.\"a b\"]\n", "E1205", 4, "not a name"),
    ("[node.for]\n", "E1205", 4, "word of Python"),
    ("[node.A]\nparent = \"base.Missing\"", "E1206", 5, "`base.Missing`"),
    ("[node.A]\nparent = \"base.Leaf\"", "E1209", 5, "not an abstract class"),
    ("[node.A]\nparent = \"B\"", "E1206", 5, "`B`, which is not a node of the file"),
    ("[node.B]\n[node.A]\nparent = \"B\"", "E1209", 6, "add `abstract = true`"),
    ("[node.A]\nabstract = true\nparent = \"A\"", "E1209", 6, "its own ancestor"),
    (
        "[node.A]\nabstract = true\nparent = \"B\"\n[node.B]\nabstract = true\nparent = \"A\"",
        "E1209",
        6,
        "ancestor",
    ),
    ("[node.A]\nabstract = \"yes\"", "E1204", 5, "must be `true` or `false`"),
    ("[node.A]\nabstract = true\nfields = { x = \"int\" }", "E1203", 4, "no key `fields`"),
    ("[node.A]\nfields = \"int\"", "E1204", 5, "must be a table"),
    ("[node.A]\nfields = { x = 3 }", "E1204", 5, "must be a kind of field"),
    ("[node.A]\nfields = { x = \"integer of\" }", "E1204", 5, "must be a kind of field"),
    ("[node.A]\nfields = { x = \"integer\" }", "E1206", 5, "`integer`"),
    ("[node.A]\nfields = { x = \"base.Missing\" }", "E1206", 5, "`base.Missing`"),
    ("[node.A]\nfields = { x = \"list of list of Missing\" }", "E1206", 5, "`Missing`"),
    ("[node.A]\nfields = { x = {} }", "E1202", 5, "lacks `kind`"),
    ("[node.A]\nfields = { x = { kind = \"int\", value = 3 } }", "E1203", 5, "no key `value`"),
    ("[node.A]\nfields = { x = { kind = \"int\", default = \"3\" } }", "E1204", 5, "the default of `x`"),
    (
        "[node.A]\nfields = { x = { kind = \"dtype\", default = \"float31x\" } }",
        "E1204",
        5,
        "the default of `x`",
    ),
    ("[node.A]\nfields = { x = { kind = \"expr\", default = 3 } }", "E1204", 5, "the default of `x`"),
    ("[node.A]\nfields = { span = \"int\" }", "E1205", 5, "has a field of this name"),
    ("[node.A]\nvariable = true\nfields = { name = \"str\" }", "E1205", 6, "has a field of this name"),
    ("[node.A]\nfields = { x-y = \"int\" }", "E1205", 5, "not a name"),
    ("[node.A]\n[type.a]\n", "E1207", 4, "`toy.A` is declared twice"),
    // Operators.
    ("[op.a]\nparameters = { x = \"int\" }", "E1202", 4, "lacks `result`"),
    ("[op.a]\nparameters = { x = \"T\" }\nresult = \"int32\"", "E1206", 5, "`T`"),
    ("[op.a]\nparameters = { x = \"int\" }\nresult = \"T\"", "E1206", 6, "`T`"),
    (
        "[op.a]\nvariables = { T = \"any\" }\nparameters = { x = \"int\" }\nresult = \"T\"",
        "E1206",
        7,
        "no parameter has this kind",
    ),
    (
        "[op.a]\nvariables = { T = \"float99x\" }\nparameters = { x = \"T\" }\nresult = \"T\"",
        "E1206",
        5,
        "`float99x`",
    ),
    (
        "[op.a]\nvariables = { T = {} }\nparameters = { x = \"T\" }\nresult = \"T\"",
        "E1202",
        5,
        "lacks `any_of`",
    ),
    (
        "[op.a]\nvariables = { T = 3 }\nparameters = { x = \"T\" }\nresult = \"T\"",
        "E1204",
        5,
        "must be \"any\"",
    ),
    ("[op.a]\nparameters = { x = \"expr\" }\nresult = \"x.dtype if\"", "E1211", 6, "not a Python expression"),
    ("[op.a]\nparameters = { x = \"expr\" }\nresult = \"y.dtype\"", "E1206", 6, "`y`"),
    (
        "[op.a]\nparameters = { x = { kind = \"int\", default = 1 }, y = \"int\" }\nresult = \"int32\"",
        "E1204",
        5,
        "with a default",
    ),
    (
        "[op.a]\nresult = \"int32\"\n[statement.a]\nnode = \"B\"\nassembly = \"Toy.a()\"",
        "E1207",
        6,
        "`Toy.a(..)` is declared twice",
    ),
    (
        "[op.a]\nresult = \"int32\"\nparameters = { dtype = \"dtype\" }",
        "E1205",
        6,
        "has a field of this name",
    ),
    // Traits.
    ("[op.a]\ntraits = [\"fast\"]\nresult = \"int32\"", "E1206", 5, "`fast`"),
    ("[op.a]\ntraits = \"commutative\"\nresult = \"int32\"", "E1206", 5, "one of `pure`, `terminator`"),
    // Enums.
    ("[enum.E]\ndoc = \"x\"", "E1202", 4, "lacks `values`"),
    ("[enum.E]\nvalues = [\"A\", \"A\"]", "E1207", 5, "the value `A`"),
    ("[enum.E]\nvalues = [\"no name\"]", "E1205", 5, "not a name"),
    ("[enum.E]\nvalues = [\"A\"]\ntext = \"Other.{value}\"", "E1204", 6, "`Toy.Name.{value}`"),
    ("[enum.E]\nvalues = [\"A\"]\n[node.E]", "E1207", 4, "the name `E`"),
    (
        "[enum.E]\nvalues = [\"A\"]\n[type.T]\nparameters = { e = { kind = \"E\", default = \"B\" } }",
        "E1206",
        7,
        "a value of the enum",
    ),
    (
        "[node.N]\n[type.T]\nparameters = { e = { kind = \"N\", default = \"B\" } }",
        "E1204",
        6,
        "a value of the kind",
    ),
    ("[type.T]\nparameters = { e = \"int or nothing\" }", "E1206", 5, "`nothing`"),
    // Texts of values and statements of Python.
    ("[type.T]\nparameters = { e = \"int\" }\nassembly = \"Toy.S[{e}]\"", "E1210", 6, "calls `Toy.S`"),
    ("[type.T]\nparameters = { e = \"int\" }\nassembly = \"return {e}\"", "E1210", 6, "is a statement"),
    ("[statement.a]\nfields = { e = \"int\" }\nassembly = \"{e} + {e}\"", "E1210", 6, "`{e}` twice"),
    (
        "[statement.a]\nfields = { e = \"int\", f = \"int\" }\nassembly = \"{e} < {f}\"",
        "E1210",
        6,
        "is an expression",
    ),
    (
        "[op.a]\nresult = \"none\"\nparameters = { e = \"int\" }\nassembly = \"{e} @ {e}\"",
        "E1210",
        7,
        "does not call",
    ),
    ("[statement.a]\nfields = { e = \"int\" }\nassembly = \"return\"", "E1210", 6, "returns no"),
    ("[statement.a]\nfields = { e = \"int\" }\nassembly = \"{e} = 3\"", "E1210", 6, "does not call"),
    (
        "[statement.a]\nfields = { c = \"node\", e = \"list of node\" }\nassembly = \"\"\"\nif {c}:\n    {e}\nelif {c}:\n    {e}\"\"\"",
        "E1210",
        7,
        "`elif`",
    ),
    (
        "[node.V]\nvariable = true\n[statement.a]\nfields = { x = \"definition V\", v = \"node\" }\nassembly = \"{x}: {x.type} = {v}\"",
        "E1206",
        8,
        "a field of `[node.V]`",
    ),
    (
        "[node.V]\nvariable = true\nfields = { type = \"int\" }\n[statement.a]\nfields = { x = \"definition V\", v = \"node\" }\nassembly = \"{x} = {v}\"",
        "E1210",
        8,
        "needs more than a name",
    ),
    (
        "[node.V]\nvariable = true\nfields = { type = \"int\" }\n[statement.a]\nfields = { x = \"definition V\", v = \"node\" }\nassembly = \"{x}: {v} = {v}\"",
        "E1210",
        9,
        "such as `{x.type}`",
    ),
    (
        "[node.N]\n[op.a]\nresult = \"none\"\nparameters = { e = \"N\" }\nassembly = \"-{e}\"\n[op.b]\nresult = \"none\"\nparameters = { e = \"N\" }\nassembly = \"-{e}\"",
        "E1207",
        9,
        "the operator `-x`",
    ),
    ("[op.a]\ntraits = [\"terminator\"]\nresult = \"int32\"", "E1204", 5, "a statement"),
    // Checks.
    ("[node.A]\nfields = { x = \"int\" }\nchecks = [\"x = 3\"]", "E1211", 6, "it is a statement"),
    ("[node.A]\nfields = { x = \"int\" }\nchecks = [\"x <\"]", "E1211", 6, "not a Python expression"),
    ("[node.A]\nfields = { x = \"int\" }\nchecks = [\"x < open('f')\"]", "E1206", 6, "`open`"),
    ("[node.A]\nfields = { x = \"int\" }\nchecks = [\"1 < 2\"]", "E1211", 6, "names no field"),
    ("[node.A]\nfields = { x = \"int\" }\nchecks = [3]", "E1204", 6, "a string or a table"),
    ("[node.A]\nfields = { x = \"int\" }\nchecks = [{ rule = \"x > 0\", at = \"y\" }]", "E1206", 6, "`y`"),
    (
        "[node.A]\nfields = { x = \"int\" }\nchecks = [{ rule = \"x > 0\", message = \"{z}\" }]",
        "E1206",
        6,
        "`z`",
    ),
    // Assemblies.
    ("[statement.a]\nfields = { x = \"int\" }", "E1202", 4, "lacks `assembly`"),
    (
        "[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a({x}\"",
        "E1210",
        6,
        "not a statement of Python",
    ),
    ("[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a({x)\"", "E1210", 6, "a `{` without `}`"),
    (
        "[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a({x y})\"",
        "E1210",
        6,
        "which is not a name",
    ),
    (
        "[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a({y})\"",
        "E1210",
        6,
        "`{y}`, which is not a field",
    ),
    ("[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a()\"", "E1210", 5, "lacks the field `x`"),
    ("[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a({x}, {x})\"", "E1210", 6, "twice"),
    ("[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.b({x})\"", "E1210", 6, "calls `Toy.b`"),
    (
        "[statement.a]\nfields = { x = \"int\" }\nassembly = \"T.a({x})\"",
        "E1210",
        6,
        "the prefix of the dialect is `Toy`",
    ),
    ("[statement.a]\nfields = { x = \"int\" }\nassembly = \"a({x})\"", "E1210", 6, "without the prefix"),
    (
        "[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a(3, {x})\"",
        "E1210",
        6,
        "where a placeholder",
    ),
    ("[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a(**{x})\"", "E1210", 6, "passes `**`"),
    (
        "[statement.a]\nfields = { x = \"int\" }\nassembly = \"Toy.a(*{x})\"",
        "E1210",
        5,
        "which is not a list",
    ),
    ("[statement.a]\nfields = { x = \"int\" }\nassembly = \"del {x}\"", "E1210", 6, "is another statement"),
    ("[statement.a]\nfields = { x = \"int\" }\nassembly = \"{x}\"", "E1210", 6, "does not call"),
    (
        "[statement.a]\nfields = { x = \"int\" }\nassembly = \"with Toy.a(): {x}\"",
        "E1210",
        5,
        "not a list of nodes",
    ),
    (
        "[statement.a]\nfields = { x = \"list of node\" }\nassembly = \"with Toy.a(): pass\"",
        "E1210",
        6,
        "a body",
    ),
    (
        "[statement.a]\nfields = { x = \"list of node\" }\nassembly = \"with Toy.a():\\n  {x}\\n  {x}\"",
        "E1210",
        6,
        "a body",
    ),
    (
        "[statement.a]\nfields = { x = \"int\" }\nassembly = \"{x} = Toy.a()\"",
        "E1210",
        5,
        "does not define a variable",
    ),
    (
        "[node.V]\nvariable = true\nfields = { w = \"int\" }\n[statement.a]\nfields = { x = \"definition V\" }\nassembly = \"{x} = Toy.a()\"",
        "E1210",
        8,
        "needs more than a name",
    ),
    (
        "[statement.a]\nfields = { x = \"base.Leaf\" }\nassembly = \"{x} = Toy.a()\"",
        "E1210",
        5,
        "does not define",
    ),
    (
        "[statement.a]\nfields = { n = \"int\", b = \"list of node\" }\nassembly = \"@Toy.a\\ndef {n}(): {b}\"",
        "E1210",
        5,
        "not a string",
    ),
    (
        "[statement.a]\nfields = { n = \"str\", p = \"int\", b = \"list of node\" }\nassembly = \"@Toy.a\\ndef {n}({p}): {b}\"",
        "E1210",
        5,
        "defines no variables",
    ),
    (
        "[statement.a]\nfields = { x = { kind = \"int\", default = 1 }, y = \"int\" }\nassembly = \"Toy.a({y})\"",
        "E1210",
        5,
        "lacks the field `x`",
    ),
];

fn base() -> Registry {
    let empty = RegistryBuilder::new().build().expect("no dialects");
    let file = DialectFile::load(BASE, &empty).unwrap_or_else(|errors| panic!("{errors:?}"));
    RegistryBuilder::new().with(file.dialect()).build().expect("one dialect")
}

#[test]
fn broken_descriptions_have_typed_errors_at_their_lines() {
    let base = base();
    let head = "[dialect]\nname = \"toy\"\nprefix = \"Toy\"\n";
    assert!(BROKEN.len() >= 60, "{}", BROKEN.len());
    let mut wrong = Vec::new();
    for (text, code, line, message) in BROKEN {
        let is_whole =
            text.starts_with("[dialect") || text.starts_with("dialect") || *code == "E1202" && *line == 1;
        let text = if is_whole { (*text).to_owned() } else { format!("{head}{text}") };
        let errors = match DialectFile::load(&text, &base) {
            Ok(_) => {
                wrong.push(format!("no error `{message}`:\n{text}"));
                continue;
            }
            Err(errors) => errors,
        };
        let found = errors.iter().any(|error| {
            let start = error.range().start as usize;
            let at = 1 + text[..start].matches('\n').count() as u32;
            error.kind.error_code().code == *code && at == *line && error.to_string().contains(message)
        });
        if !found {
            let shown = tvmscript_diagnostics::render(&errors, "toy.toml", &text, false);
            wrong.push(format!("expected {code} at line {line} with `{message}`:\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), BROKEN.len(), wrong.join("\n"));
}

#[test]
fn all_mistakes_are_reported_with_help() {
    let text = "[dialect]\nname = \"toy\"\nprefx = \"Toy\"\nprefix = \"Toy\"\n[op.a]\nresult = \"integer\"\n[statement.b]\n";
    let errors = DialectFile::load(text, &base()).expect_err("several mistakes");
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert_eq!(errors[0].help.as_deref(), Some("write `prefix`"));
    assert!(matches!(errors[1].kind, DescriptionErrorKind::Unknown { .. }));
    assert!(matches!(errors[2].kind, DescriptionErrorKind::MissingKey { .. }));
}
