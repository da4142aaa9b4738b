//! Text, errors and comparisons of a dialect unrelated to TVM do not mention TVM.

use tvmscript_diagnostics::{Diagnostic, ErrorCode, Message};
use tvmscript_diagnostics::{render, reports as diagnostics};
use tvmscript_docsifier::{DiagnosticOptions, PrinterConfig, print, render_diagnostics};
use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::{Release, Renames, Syntax};
use tvmscript_ir_core::{
    AccessPath, Array, Object, Ref, Registry, RegistryBuilder, Span, mismatches, structural_equal,
};
use tvmscript_script_parser::{ParseOptions, Parsed, parse_script};
use tvmscript_toy_dialect::plan::{self, Picture, Plan, Show, Step, Work};

const SCRIPT: &str = r#"# from worklang import plan as Plan

@Plan.plan
def dinner():
    Plan.step("peel", 5)
    Plan.step("cook", 20)"#;

fn registry() -> Registry {
    RegistryBuilder::new().with(plan::dialect()).build().expect("one dialect")
}

fn parse(text: &str) -> Parsed {
    parse_script("dinner.plan", text, &registry(), &ParseOptions::default())
}

fn read(text: &str) -> Object {
    let parsed = parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.scripts.into_iter().next().map(|script| script.node).expect("a plan")
}

fn work(label: &str, minutes: i64) -> Ref<Step> {
    Ref::new(Work { span: Span::UNKNOWN, label: label.into(), minutes }).upcast()
}

fn with_picture(rows: &str) -> Object {
    let picture = Ref::new(Picture { rows: rows.into() });
    let show = Ref::new(Show { span: Span::UNKNOWN, picture }).upcast();
    let steps = Array::new([work("look", 1), show]);
    Ref::new(Plan { span: Span::UNKNOWN, name: "exhibition".into(), steps }).into()
}

#[track_caller]
fn assert_neutral(text: &str) {
    assert!(!text.to_lowercase().contains("tvm"), "{text}");
}

#[test]
fn plans_print_and_read_back() {
    let plan = read(SCRIPT);
    let text = print(&plan, &registry(), &PrinterConfig::default()).expect("prints");
    assert_eq!(text, SCRIPT);
    assert_neutral(&text);
    assert!(structural_equal(&plan, &read(&text)));
}

#[test]
fn metadata_follows_the_release() {
    let plan = with_picture("/\\\n\\/");
    let hidden = print(&plan, &registry(), &PrinterConfig::default()).expect("prints");
    assert!(hidden.contains(r#"Plan.show(pictures["plan.Picture"][0])"#), "{hidden}");
    assert!(hidden.ends_with("# The pictures are not shown."), "{hidden}");
    assert_neutral(&hidden);
    let config = PrinterConfig { show_meta: true, ..PrinterConfig::default() };
    let shown = print(&plan, &registry(), &config).expect("prints");
    assert!(shown.starts_with("pictures = Plan.load(\"\"\""), "{shown}");
    // Native JSON contains the name of this project.
    assert_neutral(&shown.replace("tvmscript-ir", ""));
    assert!(structural_equal(&plan, &read(&shown)));
}

#[test]
fn options_and_prefixes_stand_in_the_header_of_the_release() {
    let prefixes = [("plan".to_owned(), "P".to_owned())].into();
    let config = PrinterConfig { prefixes, show_object_address: true, ..PrinterConfig::default() };
    let text = print(&read(SCRIPT), &registry(), &config).expect("prints");
    assert!(
        text.starts_with("# from worklang import plan as P\n# worklang: show_object_address=True\n"),
        "{text}"
    );
    assert_neutral(&text);
    assert!(structural_equal(&read(SCRIPT), &read(&text)));
}

#[test]
fn errors_are_neutral() {
    let statement = |statement: &str| SCRIPT.replace(r#"Plan.step("peel", 5)"#, statement);
    for (text, message) in [
        (String::new(), "the text contains no script"),
        ("def dinner():\n    pass\n".to_owned(), "the text contains no script"),
        (statement("Plan.step(\"peel\", minutes)"), "undefined name `minutes`"),
        (statement("Plan.step(\"peel\", -1)"), "a step cannot take less than no time"),
        (statement("Plan.step(\"peel\", 5, 6)"), "argument"),
        (statement("Plan.step(5, 5)"), "a string"),
        (statement("Plan.steep(\"tea\", 5)"), "steep"),
        (statement("with 5:\n        pass"), "`with` is not supported"),
        (statement("5"), "expected a statement"),
        (statement("Plan.step(\"peel\" 5)"), ""),
        (SCRIPT.replace("@Plan.plan", "@Plan.plane"), "plane"),
        (format!("# worklang: speed=fast\n{SCRIPT}"), "unknown option `speed`"),
        (format!("pictures = Plan.load(\"{{}}\")\n{SCRIPT}"), ""),
        (format!("import worklang.tools\nworklang.tools.run()\n{SCRIPT}"), ""),
    ] {
        let parsed = parse(&text);
        let found: Vec<_> = parsed.errors.iter().chain(&parsed.warnings).cloned().collect();
        let rendered = render(&found, "dinner.plan", &text, false);
        assert!(rendered.contains(message), "`{message}` is not in:\n{rendered}");
        assert_neutral(&rendered);
        assert_neutral(&format!("{:?}", diagnostics(&found, &text)));
    }
    let unknown = registry().find_release("worklang-0.9").expect_err("an unknown release");
    assert_eq!(unknown.to_string(), "unknown release `worklang-0.9`; known: worklang-1.0");
    let mut options = ParseOptions::default();
    options.release = Some(&LATER);
    let parsed = parse_script("dinner.plan", SCRIPT, &registry(), &options);
    assert_eq!(parsed.errors[0].to_string(), "unknown release `worklang-2.0`; known: worklang-1.0");
}

#[test]
fn diagnostics_about_nodes_are_neutral() {
    static SLOW: ErrorCode = ErrorCode { code: "P0001", name: "slow", meaning: "A step takes too long." };
    let plan = with_picture("/\\\n\\/");
    let dinner = read(SCRIPT);
    let message = |text: &str| Message::new(&SLOW, text);
    let path = |text: &str| AccessPath::parse(text, &dinner).expect("a path").0;
    let found: [Diagnostic; 2] = [
        Diagnostic::warning(message("cooking takes too long"), path("steps[1].minutes"))
            .labelled("20 minutes")
            .with_label(path("steps[1].label"), "of this work")
            .with_help("buy it"),
        Diagnostic::new(message("the plan is not signed"), &dinner),
    ];
    let sources = [("dinner.plan", SCRIPT)];
    let options = DiagnosticOptions { name: "dinner", sources: &sources, ..DiagnosticOptions::default() };
    let shown = render_diagnostics(&dinner, &registry(), &found, &options).expect("prints");
    assert_neutral(&shown);
    for line in ["[P0001] Warning: cooking takes too long", "dinner:6:23 ]", "20 minutes", "of this work"] {
        assert!(shown.contains(line), "`{line}` is not in:\n{shown}");
    }
    assert!(shown.contains("dinner.plan:6:5 ]") && shown.contains("it comes from here"), "{shown}");
    // The picture is printed as a reference to metadata: its rows have no text.
    let rows: [Diagnostic; 1] = [Diagnostic::new(
        message("too wide"),
        AccessPath::parse("steps[1].picture.rows", &plan).expect("a path").0,
    )];
    let shown = render_diagnostics(&plan, &registry(), &rows, &options).expect("prints");
    assert!(shown.contains("in `rows`, which is not printed"), "{shown}");
    assert_neutral(&shown);
}

#[test]
fn comparisons_are_neutral() {
    let (one, other) = (read(SCRIPT), read(&SCRIPT.replace("20", "25")));
    let found = mismatches(&one, &other);
    assert_eq!(found.len(), 1, "{found:?}");
    let path_to_underline = found.iter().map(|mismatch| mismatch.lhs.clone()).collect();
    let config = PrinterConfig { path_to_underline, ..PrinterConfig::default() };
    let text = print(&one, &registry(), &config).expect("prints");
    assert!(text.contains("    Plan.step(\"cook\", 20)\n                      ^^"), "{text}");
    assert_neutral(&text);
    assert_neutral(&format!("{found:?} {}", found[0].lhs));
}

#[test]
fn families_of_one_registry_have_their_releases() {
    let registry = RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::dialect())
        .with(plan::dialect())
        .build()
        .expect("the dialects go together");
    let ids: Vec<String> = registry.releases().map(Release::id).collect();
    assert_eq!(ids, ["tvm-0.23", "worklang-1.0"]);
    let plan = read(SCRIPT);
    let config = PrinterConfig { release: Some(&plan::RELEASE), ..PrinterConfig::default() };
    assert_eq!(print(&plan, &registry, &config).expect("prints"), SCRIPT);
    let first = print(&plan, &registry, &PrinterConfig::default()).expect("prints");
    assert!(first.starts_with("# from tvm.script import plan as Plan"), "{first}");
}

/// A later release of the toy's family: another name of the dialect in headers.
static LATER: Release = Release {
    name: "worklang",
    version: "2.0",
    syntax: Syntax {
        import_names: &[("plan", "work")],
        import_lines: &[("plan", "from worklang import units")],
        ..plan::RELEASE.syntax
    },
    renames: Renames::NONE,
};

#[test]
fn a_text_tells_its_release() {
    let registry = RegistryBuilder::new()
        .with(plan::dialect())
        .release(Overlay::new(&LATER))
        .build()
        .expect("two releases");
    let ids: Vec<String> = registry.releases().map(Release::id).collect();
    assert_eq!(ids, ["worklang-1.0", "worklang-2.0"]);

    let parsed = parse_script("plan", SCRIPT, &registry, &ParseOptions::default());
    assert_eq!(parsed.release.id(), "worklang-1.0");
    assert_eq!(parsed.release_reason.to_string(), "the text imports `plan` from `worklang`");

    let later = SCRIPT.replace("import plan as Plan", "import work as Plan\n# from worklang import units");
    let parsed = parse_script("plan", &later, &registry, &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    assert_eq!(parsed.release.id(), "worklang-2.0");
    assert_eq!(parsed.release_reason.to_string(), "the text imports `work` from `worklang`");
    let config = PrinterConfig { release: Some(&LATER), ..PrinterConfig::default() };
    assert_eq!(print(&parsed.scripts[0].node, &registry, &config).expect("prints"), later);

    let mut first = ParseOptions::default();
    first.release = Some(&plan::RELEASE);
    let parsed = parse_script("plan", SCRIPT, &registry, &first);
    assert_eq!(parsed.release_reason.to_string(), "an option selects it");
}
