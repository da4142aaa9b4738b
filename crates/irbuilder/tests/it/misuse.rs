//! Builders and frames used the wrong way: each mistake is a typed error that says what to do.

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{NameCell, Node, Object, ObjectLike, PoisonNode, Ref, Str, poison_node};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildErrors, BuildResult, Builder, Emit, Frame, FrameOf, def_, def_many,
    script_fn, try_name,
};

/// A node with a name.
#[derive(Debug, Clone, Node)]
#[node(key = "misuse.Leaf")]
struct Leaf {
    name: NameCell,
}

fn leaf() -> Ref<Leaf> {
    Ref::new(Leaf { name: "".into() })
}

poison_node! {
    Leaf => leaf();
}

/// Gives a leaf when it closes, and one when it is entered.
struct Scope;

impl Frame for Scope {
    fn name(&self) -> &'static str {
        "Misuse.scope"
    }
    fn enter(&mut self) -> BuildResult<tvmscript_irbuilder::ScriptValue> {
        Ok(leaf().into())
    }
    fn close(self: Box<Self>) -> BuildResult<()> {
        Builder::set_result(leaf().into())
    }
}

fn scope() -> FrameOf<Scope, Ref<Leaf>> {
    FrameOf::new(Scope)
}

/// A leaf of this size, which must not be negative.
#[script_fn]
fn sized(size: i64, #[default = false] twice: bool) -> BuildResult<Ref<Leaf>> {
    let _ = twice;
    match size {
        0.. => Ok(leaf()),
        _ => Err(BuildError::message("a negative size").at_position(0)),
    }
}

/// Takes a leaf.
#[script_fn]
fn takes(first: Ref<Leaf>) -> BuildResult<Ref<Leaf>> {
    Ok(first)
}

/// Stands directly inside a scope.
#[script_fn]
fn inside() -> BuildResult<()> {
    match Builder::top_name() {
        Some("Misuse.scope") => Ok(()),
        found => Err(BuildErrorKind::WrongFrame {
            function: "inside".to_owned(),
            expected: "inside a scope".into(),
            found: found.unwrap_or("no scope is open").to_owned(),
        }
        .into()),
    }
}

#[track_caller]
fn only(result: std::result::Result<Object, BuildErrors>, kind: &BuildErrorKind, help: &str) {
    let errors = result.expect_err("it is a mistake");
    assert_eq!(errors.first.error.kind(), Some(kind));
    assert_eq!(errors.first.error.help.as_deref(), Some(help));
    assert!(errors.rest.is_empty(), "{errors}");
}

#[test]
fn nothing_is_on_the_stack() {
    let error = Builder::set_result(leaf().into()).expect_err("no builder is open");
    assert_eq!(error.kind(), Some(&BuildErrorKind::NoBuilder));
    assert_eq!(error.help.as_deref(), Some("open one with `Builder::new()`"));
    let error = scope().try_body(|_| Ok(())).expect_err("no builder is open");
    assert_eq!(error.kind(), Some(&BuildErrorKind::NoBuilder));
    // The plain form has nowhere to put the error.
    let panicked = std::panic::catch_unwind(|| scope().body(|_| ())).expect_err("it panics");
    let text = panicked.downcast_ref::<String>().expect("a formatted message");
    assert!(
        text.contains("misuse.rs")
            && text.ends_with("no builder is open (help: open one with `Builder::new()`)")
    );
}

#[test]
fn a_function_outside_its_scope() {
    let builder = Builder::new();
    inside();
    let errors = builder.finish().expect_err("it is a mistake");
    assert!(matches!(errors.first.error.kind(), Some(BuildErrorKind::WrongFrame { .. })));
    assert!(errors.to_string().ends_with("`inside` must be used inside a scope, but no scope is open"));
}

#[test]
fn nothing_was_built() {
    only(
        Builder::new().finish(),
        &BuildErrorKind::NoResult,
        "enter a scope, such as a function, and leave it",
    );
}

#[test]
fn two_results() {
    let builder = Builder::new();
    scope().body(|_| ());
    scope().body(|_| ());
    let help = "build each with a builder of its own, or all inside one module";
    only(builder.finish(), &BuildErrorKind::SecondResult { count: 2 }, help);
}

#[test]
fn a_scope_is_still_open() {
    let builder = Builder::new();
    let (_, open) = Builder::enter(Box::new(Scope)).expect("a builder is open");
    let kind = BuildErrorKind::Nesting { name: "the builder", inner: "Misuse.scope" };
    only(builder.finish(), &kind, "leave `Misuse.scope` first");
    drop(open);
}

#[test]
fn an_outer_scope_is_left_before_an_inner_one() {
    let builder = Builder::new();
    let (_, outer) = Builder::enter(Box::new(Scope)).expect("a builder is open");
    let (_, inner) = Builder::enter(Box::new(Scope)).expect("a builder is open");
    // The inner one was entered for the rest of the outer one: it is closed with it.
    assert!(outer.leave().is_ok());
    let errors = inner.leave().expect_err("it is closed");
    assert_eq!(errors[0].kind(), Some(&BuildErrorKind::Closed { name: "Misuse.scope" }));
    assert!(errors[0].help.as_deref().is_some_and(|help| help.contains("leave the inner ones first")));
    drop(builder);
}

#[test]
fn an_outer_builder_is_finished_before_an_inner_one() {
    let outer = Builder::new();
    let inner = Builder::new();
    only(outer.finish(), &BuildErrorKind::InnerBuilder, "finish or drop the inner builder first");
    // The inner one went with it.
    assert!(!Builder::is_open());
    only(inner.finish(), &BuildErrorKind::InnerBuilder, "finish or drop the inner builder first");
}

#[test]
fn builders_nest_and_threads_have_their_own() {
    let outer = Builder::new();
    scope().body(|_| {
        let inner = Builder::new();
        assert_eq!(Builder::depth(), 0);
        scope().body(|_| ());
        inner.get::<Leaf>().expect("one leaf");
        assert_eq!(Builder::depth(), 1);
        let elsewhere = std::thread::spawn(Builder::is_open);
        assert!(!elsewhere.join().expect("it does not panic"));
    });
    outer.get::<Leaf>().expect("one leaf");
}

#[test]
fn a_panic_closes_what_is_open() {
    let builder = Builder::new();
    let panicked = std::panic::catch_unwind(|| scope().body(|_| panic!("in the middle")));
    assert!(panicked.is_err());
    assert_eq!(Builder::depth(), 0);
    drop(builder);
    assert!(!Builder::is_open());
}

#[test]
fn a_result_of_another_class() {
    let builder = Builder::new();
    Builder::set_result(Str::new("text").into_object()).expect("a builder is open");
    let errors = builder.get::<Leaf>().expect_err("it is not a leaf");
    assert_eq!(errors.first.error.to_string(), "expected a `misuse.Leaf`, found `Str`");
}

#[test]
fn names() {
    let builder = Builder::new();
    let node = def_("x", leaf());
    assert_eq!(node.name.get().as_str(), "x");
    let [a, b] = def_many(["a", "b"], [&node, &leaf()]);
    assert!(a.ptr_eq(&node));
    assert_eq!((a.name.get().as_str(), b.name.get().as_str()), ("a", "b"));
    let call = def_("c", sized(1).twice(true));
    assert_eq!(call.name.get().as_str(), "c");
    drop(builder);

    let error = try_name("x", Str::new("text").as_object()).expect_err("text has no name");
    assert_eq!(error.kind(), Some(&BuildErrorKind::Unnameable { name: "x".to_owned(), what: "Str" }));
    assert!(error.help.is_some());
}

#[test]
fn one_mistake_is_one_message() {
    let builder = Builder::new();
    let wrong = sized(-1).emit();
    assert!(is_poison(wrong.object()));
    // What follows from it says nothing.
    assert!(is_poison(takes(def_("x", takes(&wrong))).object()));
    assert_eq!(Leaf::poison().name.get().as_str(), "");
    FrameOf::<Scope, Ref<Leaf>>::new(Scope).body(|_| takes(&wrong));
    <FrameOf<Scope, Ref<Leaf>> as tvmscript_irbuilder::Poison>::poison().body(|value| {
        assert!(is_poison(value.object()));
        inside();
        sized(-2).emit();
    });
    let errors = builder.finish().expect_err("there are mistakes");
    let places: Vec<String> = errors.iter().map(|e| e.error.to_string()).collect();
    assert_eq!(places, ["a negative size", "a negative size"]);
    assert!(errors.first.caller.file().ends_with("misuse.rs"));
    assert!(errors.first.caller.line() < errors.rest[0].caller.line());
}

#[test]
fn a_poison_of_another_builder_is_no_silent_loss() {
    let first = Builder::new();
    let wrong = sized(-1).emit();
    drop(first);
    let builder = Builder::new();
    scope().body(|_| takes(&wrong));
    let errors = builder.finish().expect_err("a call was left out");
    assert_eq!(errors.first.error.kind(), Some(&BuildErrorKind::Poisoned));
    assert!(errors.first.error.help.is_some());
}

#[test]
fn the_try_forms_return_the_error() {
    assert_eq!(sized(-1).try_emit().map(drop).expect_err("negative").to_string(), "a negative size");
    assert_eq!(try_sized(-1, false).map(drop).expect_err("negative").to_string(), "a negative size");
}
