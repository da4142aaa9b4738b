//! Python stubs and the reference of functions: complete, valid Python, and what the declarations say.

use tvmscript::ir_core::Registry;
use tvmscript::irbuilder::{Declaration, Namespaces, ParamKind, PyType, ScriptFn, ScriptValue};
use tvmscript::python_syntax::{PythonOptions, is_identifier, is_keyword, parse_python};
use tvmscript::stubs::{Entry, EntryKind, Layout, StubFile, reference, stubs, tools};
use tvmscript::tir::op::Operator;
use tvmscript::tirx::{tilelang_0_25, tirx_0_1, tvm_0_27};
use tvmscript::{Release, registry, tir};

/// The dialects of scripts, with their prefixes and the paths of their stubs.
const DIALECTS: [(&str, &str, &str); 3] = [
    ("tir", "T", "tvm/script/tir/__init__.pyi"),
    ("relax", "R", "tvm/script/relax/__init__.pyi"),
    ("ir", "I", "tvm/script/ir/__init__.pyi"),
];

fn text(files: &[StubFile], path: &str) -> String {
    files.iter().find(|file| file.path == path).map(|file| file.text.clone()).expect(path)
}

fn entry<'a>(entries: &'a [Entry], name: &str) -> &'a Entry {
    entries.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("no entry `{name}`"))
}

/// Tests whether a stub module defines a name at its top level, or a decorator one level inside.
fn defines(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let starts =
            |start: String| line.strip_prefix(&start).is_some_and(|rest| rest.starts_with(['(', ':']));
        starts(format!("def {name}"))
            || starts(format!("class {name}"))
            || line.starts_with(&format!("{name} = "))
            || line.starts_with(&format!("{name}: "))
            || line
                .strip_prefix("from tvm.script._nodes.decorators import ")
                .is_some_and(|rest| rest.ends_with(&format!(" as {name}")))
    })
}

/// All functions of a dialect.
fn functions(dialect: &str) -> Vec<&'static ScriptFn> {
    let names = registry().slot::<Namespaces>().and_then(|all| all.dialect(dialect)).expect(dialect);
    let others = names.all().into_iter().filter_map(|name| match names.get(name) {
        Some(ScriptValue::Function(function)) => Some(function),
        _ => None,
    });
    names.functions().chain(others).collect()
}

#[test]
fn p79_11_every_name_of_scripts_is_in_stubs_and_reference() {
    let files = stubs(registry(), Layout::Sources);
    let entries = reference(registry());
    for (dialect, prefix, path) in DIALECTS {
        let stub = text(&files, path);
        let names = registry().slot::<Namespaces>().and_then(|all| all.dialect(dialect)).expect(dialect);
        let mut count = 0;
        for name in names.all() {
            let parts: Vec<&str> = name.split('.').collect();
            if !parts.iter().all(|part| is_identifier(part) && !is_keyword(part)) {
                continue;
            }
            count += 1;
            assert!(defines(&stub, parts[0]), "{dialect}: no stub of `{name}`");
            let full = format!("{prefix}.{name}");
            let within = format!("{full}.");
            assert!(
                entries.iter().any(|entry| entry.name == full || entry.name.starts_with(&within)),
                "no entry `{full}`"
            );
        }
        assert!(count > 10, "{dialect}: {count} names");
    }
}

#[test]
fn p79_11_an_entry_says_what_the_declaration_says() {
    let entries = reference(registry());
    for (dialect, prefix, _) in DIALECTS {
        let mut checked = 0;
        for function in functions(dialect) {
            let Declaration { doc, params, returns, .. } = function.declaration();
            let name = format!("{prefix}.{}", function.name);
            let Some(entry) = entries.iter().find(|entry| entry.name == name) else {
                // The name is not one that Python code can write, or a group of operators that no table lists.
                assert!(function.name.contains('.') || is_keyword(function.name), "no entry `{name}`");
                continue;
            };
            assert_eq!(entry.dialect, dialect);
            assert_eq!(entry.doc, doc.trim(), "{name}");
            assert!(!entry.doc.is_empty(), "{name} has no documentation");
            assert_eq!(entry.returns.as_deref(), Some(returns.to_string().as_str()), "{name}");
            let declared: Vec<_> = params.iter().map(|param| (param.name, param.default)).collect();
            let shown: Vec<_> = entry.parameters.iter().map(|param| (param.name, param.default)).collect();
            assert_eq!(shown, declared, "{name}");
            checked += 1;
        }
        assert!(checked > 10, "{dialect}: {checked} functions");
    }
}

/// A registry of a release, with its operators beside those of TIR.
fn releases() -> Vec<(String, &'static Registry, Vec<&'static Operator>)> {
    let own = |id: &str| match id {
        "tilelang-0.25" => tilelang_0_25::OPERATORS.iter().collect(),
        "tvm-0.27" => tvm_0_27::OPERATORS.iter().collect(),
        // Instructions are groups that no table lists.
        "tvm-0.25" | "tvm-0.26" => {
            tvm_0_27::OPERATORS.iter().filter(|operator| !operator.text.starts_with("ptx")).collect()
        }
        "tirx-0.1" => tirx_0_1::OPERATORS.iter().collect(),
        _ => tir::op::operators().filter(|operator| operator.is_exported).collect(),
    };
    let release = |release: &'static Release| {
        let id = release.id();
        let dialects = registry().of_release(release).expect("a release of the registry");
        let operators = own(&id);
        (id, dialects, operators)
    };
    registry().releases().map(release).collect()
}

#[test]
fn p79_11_operators_of_every_release_have_parameters_and_documentation() {
    let releases = releases();
    assert_eq!(releases.len(), 7);
    for (id, edition, operators) in releases {
        let entries = reference(edition);
        assert!(operators.len() > 100, "{id}: {} operators", operators.len());
        for operator in operators {
            let Some(function) = operator.function else {
                // Calls of instructions are read by their form; several share a function.
                let entry = entry(&entries, &format!("T.{}", operator.text));
                assert!(!entry.doc.is_empty() && entry.returns.is_some(), "{id}: {}", entry.name);
                continue;
            };
            let name = format!("T.{}", function.name);
            if function.name.split('.').any(is_keyword) {
                continue;
            }
            let entry = entry(&entries, &name);
            assert!(!entry.doc.is_empty() && entry.returns.is_some(), "{id}: {name}");
            let operands = entry.parameters.iter().filter(|parameter| parameter.kind == "plain");
            let operands = operands.filter(|parameter| parameter.name != "dtype").count();
            if operator.max_operands != usize::MAX {
                assert_eq!(operands, operator.max_operands, "{id}: {}", entry.signature);
            }
        }
    }
}

#[test]
fn p79_11_stubs_and_reference_of_every_release() {
    let signatures = [
        ("tvm-0.23", "T.exp(x: ExprLike) -> PrimExpr"),
        ("tilelang-0.25", "T.copy(src: ExprLike, dst: ExprLike, **annotations: Any) -> PrimExpr"),
        ("tilelang-0.25", "T.tl.simd.vneg(src: ExprLike, mask: ExprLike, mode: ExprLike) -> PrimExpr"),
        ("tvm-0.27", "T.cuda.warp_reduce(value: ExprLike, op: ExprLike, width: ExprLike = 32) -> PrimExpr"),
        (
            "tvm-0.27",
            "T.call_ffi_kernel(*args: ExprLike, launch_params: Sequence[str], ret_ty: str = \"int32\") -> PrimExpr",
        ),
        (
            "tvm-0.27",
            "T.nvshmem.getmem_nbi.warp(dst: ExprLike, src: ExprLike, nelems: ExprLike, pe: ExprLike) -> PrimExpr",
        ),
        ("tvm-0.27", "T.ptx.add(*args: ExprLike) -> PrimExpr"),
        (
            "tvm-0.27",
            "T.warp.copy(dst: RegionLike, src: RegionLike | None = None, *, workspace: dict[str, Any] | None = None, dispatch: str | None = None, **config: Any) -> None",
        ),
        (
            "tirx-0.1",
            "T.abi_field_get(arr: ExprLike, index: ExprLike, field: ExprLike, *, ty: str) -> PrimExpr",
        ),
        ("tirx-0.1", "T.call_extern(func_name: ExprLike, *args: ExprLike, ty: str) -> PrimExpr"),
    ];
    for (id, signature) in signatures {
        let release = registry().find_release(id).expect("a release of the registry");
        let entries = reference(registry().of_release(release).expect("a release of the registry"));
        assert!(entries.iter().any(|entry| entry.signature == signature), "{id}: {signature}");
    }
    for (id, dialects, _) in releases() {
        for file in stubs(dialects, Layout::Sources) {
            let parsed = parse_python(&file.text, &PythonOptions::default());
            assert!(parsed.errors.is_empty(), "{id}: {}: {:?}", file.path, parsed.errors);
        }
    }
}

#[test]
fn p79_11_stubs_are_valid_python() {
    for layout in [Layout::Sources, Layout::StubPackages] {
        let files = stubs(registry(), layout);
        assert!(files.len() > 40, "{} files", files.len());
        for file in files.iter().filter(|file| file.path.ends_with(".pyi")) {
            let parsed = parse_python(&file.text, &PythonOptions::default());
            assert!(parsed.errors.is_empty(), "{}: {:?}\n{}", file.path, parsed.errors, file.text);
        }
    }
}

#[test]
fn p79_11_signatures_of_stubs() {
    let files = stubs(registry(), Layout::Sources);
    let tir = text(&files, "tvm/script/tir/__init__.pyi");
    let relax = text(&files, "tvm/script/relax/__init__.pyi");
    for (stub, part) in [
        (
            &tir,
            r#"
def serial(
    start: _types.ExprLike | _ir_nodes.Range,
    stop: _types.ExprLike | None = None,
    *,
    annotations: _builtins.dict[_builtins.str, _typing.Any] | None = None,
    step: _types.ExprLike | None = None,
    var: _tir_nodes.Var | None = None,
) -> _types.Scope[_tir_nodes.Var]:
    """A sequential loop."""
    ...
"#,
        ),
        (
            &tir,
            r#"
@_typing.overload
def call_extern(
    dtype: _builtins.str,
    func_name: _types.ExprLike,
    *args: _types.ExprLike,
) -> _ir_nodes.PrimExpr:
    """Calls an external function by name."""
    ...
@_typing.overload
def call_extern(
    func_name: _types.ExprLike,
    *args: _types.ExprLike,
    dtype: _builtins.str,
) -> _ir_nodes.PrimExpr:
"#,
        ),
        (
            &tir,
            r#"
class axis:
    @staticmethod
    def R(
        dom: _types.DomainLike,
        binding: _types.ExprLike | None = None,
        dtype: _builtins.str = "int32",
    ) -> _tir_nodes.Var:
        """A reduction axis."""
        ...
"#,
        ),
        (&tir, "\nbuffer_decl = Buffer\n"),
        (
            &relax,
            r#"
    @staticmethod
    def relu(data: _ir_nodes.BaseExpr) -> _relax_nodes.Call:
        """The rectified linear unit: zero for negative values."""
        ...
"#,
        ),
    ] {
        let part = part.trim_start_matches('\n');
        assert!(stub.contains(part), "{part}");
    }
}

#[test]
fn p79_17_annotations_and_decorators_are_what_type_checkers_accept() {
    let files = stubs(registry(), Layout::Sources);
    let entries = reference(registry());
    // A name of an annotation is a class.
    for (dialect, prefix, path) in DIALECTS {
        let stub = text(&files, path);
        let prefix = format!("{prefix}.");
        for entry in entries.iter().filter(|e| e.dialect == dialect && e.kind == EntryKind::Annotation) {
            let name = entry.name.strip_prefix(&prefix).expect("the prefix");
            let is_class = name.contains('.')
                || stub.contains(&format!("\nclass {name}("))
                || stub.contains(&format!("\n{name} = "));
            assert!(is_class, "{}", entry.name);
        }
    }
    for name in
        ["T.Buffer", "T.handle", "T.int32", "T.float16x8", "R.Tensor", "R.Shape", "R.Object", "R.Prim"]
    {
        assert_eq!(entry(&entries, name).kind, EntryKind::Annotation, "{name}");
    }
    // The body of a script is not Python's, so its decorator says that no type checker reads it.
    for (path, name) in [(DIALECTS[0].2, "prim_func"), (DIALECTS[1].2, "function")] {
        let line = format!("from tvm.script._nodes.decorators import function as {name}\n");
        assert!(text(&files, path).contains(&line), "{path}");
    }
    // Scripts of later releases call it.
    let release = registry().find_release("tvm-0.27").expect("a release of the registry");
    let later = stubs(registry().of_release(release).expect("a release of the registry"), Layout::Sources);
    let line = "from tvm.script._nodes.decorators import called_function as prim_func\n";
    assert!(text(&later, DIALECTS[0].2).contains(line));
    // The same name as a scope of host code.
    let scopes = text(&files, "tvm/script/ir_builder/tir/__init__.pyi");
    assert!(scopes.contains("def prim_func(*args: _typing.Any, **options: _typing.Any) -> _types.Scope["));
}

/// The names in a type.
fn names(ty: &PyType, out: &mut Vec<&'static str>) {
    match ty {
        PyType::Name(name) => out.push(name),
        PyType::Generic { name, of } => {
            out.push(name);
            of.iter().for_each(|ty| names(ty, out));
        }
        PyType::Union { of } => of.iter().for_each(|ty| names(ty, out)),
        PyType::Scope { of } | PyType::Alias { is: of, .. } => names(of, out),
        PyType::Node(_) | PyType::Class(_) | PyType::Opaque(_) => {}
    }
}

#[test]
fn p79_17_types_of_declarations_exist_in_python() {
    let mut all = Vec::new();
    for (dialect, ..) in DIALECTS {
        for function in functions(dialect) {
            names(&function.returns, &mut all);
            for param in function.params {
                names(&param.py_type, &mut all);
                if param.kind == ParamKind::Args {
                    assert!(matches!(param.py_type, PyType::Generic { of: [_], .. }), "{}", function.name);
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    let known = "Any Callable Mapping None Sequence SupportsFloat bool dict float int slice str tuple type";
    assert_eq!(all.join(" "), known);
}

#[test]
fn p79_17_plugins_are_valid_python_and_know_the_decorators_of_each_release() {
    for (id, dialects, _) in releases() {
        for layout in [Layout::Sources, Layout::StubPackages] {
            let files = tools(dialects, layout);
            for file in files.iter().filter(|file| file.path.ends_with(".py")) {
                let parsed = parse_python(&file.text, &PythonOptions::default());
                assert!(parsed.errors.is_empty(), "{id}: {}: {:?}", file.path, parsed.errors);
                assert!(file.text.contains(".prim_func\""), "{id}: {}", file.path);
            }
        }
    }
    let pylint = text(&tools(registry(), Layout::Sources), "tvmscript_pylint.py");
    for line in [
        "    \"tvm.script.tir.prim_func\": \"function\",",
        "    \"tvm.script.tir.macro\": \"macro\",",
        "    \"tvm.script.ir_module\": \"class\",",
    ] {
        assert!(pylint.lines().any(|other| other == line), "{line}");
    }
}

#[test]
fn p79_17_no_finding_of_scripts_is_recorded_but_those_of_called_decorators() {
    let record = include_str!("../../../xtask/checks/lint_scripts.txt");
    let lines: Vec<&str> = record.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 15);
    for line in lines {
        // ty knows the decorator of functions without checks only where nothing calls it.
        assert!(line.starts_with("0 ") || line.contains(" ty "), "{line}");
    }
}
