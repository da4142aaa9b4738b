//! Text, errors and comparisons of a dialect unrelated to TVM do not mention TVM.

use tvmscript_diagnostics::{render, reports as diagnostics};
use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::{Array, Object, Ref, Registry, RegistryBuilder, Span, mismatches, structural_equal};
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
fn metadata_follows_the_profile() {
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
fn options_and_prefixes_stand_in_the_header_of_the_profile() {
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
        (statement("5"), "expected a step"),
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
    let mut options = ParseOptions::default();
    options.profile = Some("worklang-0.9".to_owned());
    let parsed = parse_script("dinner.plan", SCRIPT, &registry(), &options);
    assert_eq!(parsed.errors[0].to_string(), "unknown text profile `worklang-0.9`; known: worklang-1.0");
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
fn profiles_are_chosen_by_id() {
    let registry = RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::dialect())
        .with(plan::dialect())
        .build()
        .expect("the dialects go together");
    let ids: Vec<String> = registry.text_profiles().map(|profile| profile.id()).collect();
    assert_eq!(ids, ["tvm-0.23", "worklang-1.0"]);
    let plan = read(SCRIPT);
    let profile = Some("worklang-1.0".to_owned());
    let config = PrinterConfig { profile, ..PrinterConfig::default() };
    assert_eq!(print(&plan, &registry, &config).expect("prints"), SCRIPT);
    let first = print(&plan, &registry, &PrinterConfig::default()).expect("prints");
    assert!(first.starts_with("# from tvm.script import plan as Plan"), "{first}");
}
