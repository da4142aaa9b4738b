//! Tests of the unsafe core, small enough for Miri: `cargo +nightly miri test -p tvmscript-ir-core raw`.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::memory::Header;
use super::{Array, Map, NameCell, Object, ObjectLike, Ref, Str};
use crate::containers::{ArrayNode, MapNode};
use crate::span::Span;
use crate::type_table::{EqKind, FieldInfo, FieldKind, register_dynamic};
use crate::value::{FieldError, FieldRef, Value};
use crate::{Class, Node};

/// The class of the tests' nodes.
#[derive(Class)]
#[class(key = "raw_test.Base")]
struct Base(());

#[derive(Debug, Clone, Node)]
#[node(key = "raw_test.Leaf", parent = Base)]
struct Leaf {
    value: i64,
    name: Str,
    span: Span,
}

#[derive(Debug, Clone, Node)]
#[node(key = "raw_test.Link", parent = Base)]
struct Link {
    next: Option<Ref<Base>>,
    also: Option<Ref<Base>>,
}

/// Longer than any native stack holds; shorter under Miri, which is slow.
const LONG: usize = if cfg!(miri) { 300 } else { 1_000_000 };

fn leaf(value: i64) -> Ref<Leaf> {
    Ref::new(Leaf { value, name: Str::new("leaf"), span: Span::UNKNOWN })
}

fn chain(length: usize) -> Ref<Base> {
    (0..length).fold(leaf(0).upcast(), |next, _| Ref::new(Link { next: Some(next), also: None }).upcast())
}

fn on_small_stack<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn_scoped(scope, f);
        thread.expect("a thread starts").join().expect("the thread ends well")
    })
}

#[test]
fn handles_are_one_word_with_a_niche() {
    assert_eq!(size_of::<Option<Ref<Leaf>>>(), size_of::<usize>());
    assert_eq!(size_of::<Option<Array<Str>>>(), size_of::<usize>());
    assert_eq!(size_of::<Value>(), 16);
    assert_eq!((size_of::<Header>(), size_of::<NameCell>()), (8, size_of::<usize>()));
}

#[test]
fn texts_of_any_length_are_kept() {
    for length in [0, 1, 15, 16, 17, 100] {
        let ascii = "x".repeat(length);
        let wide: String = "é".repeat(length / 2);
        for text in [ascii, wide] {
            let (string, copy) = (Str::new(&text), Str::new(text.clone()));
            assert_eq!(
                (string.as_str(), &string, format!("{string:?}")),
                (&*text, &copy, format!("{text:?}"))
            );
            assert!(!string.as_object().ptr_eq(copy.as_object()));
        }
    }
}

#[test]
fn classes_go_up_and_down() {
    let dialect = crate::Dialect::new("raw_test").node::<Base>().node::<Leaf>().node::<Link>();
    assert!(
        crate::RegistryBuilder::new().with(dialect).build().is_ok_and(|r| r.node("raw_test.Link").is_some())
    );
    let handle: Ref<Base> = leaf(1).upcast();
    assert!(handle.is::<Base>() && handle.is::<Leaf>() && !handle.is::<Link>());
    assert_eq!(handle.as_node::<Leaf>().map(|l| l.value), Some(1));
    assert!(handle.as_node::<Link>().is_none());
    let handle = handle.downcast::<Link>().expect_err("no link");
    let leaf = handle.downcast::<Leaf>().expect("a leaf");
    let object: Object = leaf.clone().into();
    assert!(object.downcast_ref::<Base>().is_some_and(|b| b.ptr_eq(&leaf)));
    assert!(object.downcast::<Link>().is_err());
    assert_eq!(leaf.upcast_ref::<Base>().span(), Span::UNKNOWN);
}

#[test]
fn long_chains_are_dropped_in_a_loop() {
    on_small_stack(|| drop(chain(LONG)));
    // Both kinds of links, with sharing.
    let doubled = |length: usize| {
        (0..length).fold(chain(3), |e, _| Ref::new(Link { next: Some(e.clone()), also: Some(e) }).upcast())
    };
    on_small_stack(move || drop(doubled(LONG / 10)));
}

#[test]
fn a_node_dies_with_its_last_handle() {
    static ALIVE: AtomicUsize = AtomicUsize::new(0);
    #[derive(Debug)]
    struct Probe;
    impl Probe {
        fn new() -> Probe {
            ALIVE.fetch_add(1, Ordering::Relaxed);
            Probe
        }
    }
    impl Drop for Probe {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let held = std::sync::Arc::new(Probe::new());
    #[derive(Debug, Clone)]
    struct Payload {
        _probe: std::sync::Arc<Probe>,
        inner: Option<Object>,
    }
    // SAFETY: the entry is registered for this very struct.
    unsafe impl Class for Payload {
        fn type_info() -> &'static crate::TypeInfo {
            use crate::type_table::{Shape, TypeDecl, register_node};
            static INFO: std::sync::OnceLock<&'static crate::TypeInfo> = std::sync::OnceLock::new();
            INFO.get_or_init(|| {
                register_node::<Payload>(TypeDecl {
                    key: "raw_test.Payload",
                    parent: None,
                    missing_parent: None,
                    eq: EqKind::Tree,
                    custom_eq: None,
                    shape: Shape::Fields,
                    fields: &[],
                })
            })
        }
    }
    impl crate::node::Node for Payload {
        fn field(&self, _: usize) -> FieldRef<'_> {
            FieldRef::None
        }
        fn set_field(&mut self, _: usize, _: Value) -> Result<(), FieldError> {
            Ok(())
        }
        fn from_fields(_: &mut crate::Fields<'_>) -> Result<Self, FieldError> {
            Err(FieldError::Abstract { key: "raw_test.Payload" })
        }
    }
    let inner = Ref::new(Payload { _probe: held.clone(), inner: None });
    let outer = Ref::new(Payload { _probe: held.clone(), inner: Some(inner.clone().into()) });
    assert_eq!(std::sync::Arc::strong_count(&held), 3);
    drop(outer);
    assert_eq!(std::sync::Arc::strong_count(&held), 2);
    assert!(inner.inner.is_none());
    drop(inner);
    assert_eq!(std::sync::Arc::strong_count(&held), 1);
    drop(held);
    assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
}

#[test]
fn a_shared_value_is_copied_before_it_changes() {
    let mut a = leaf(1);
    assert!(a.get_mut().is_some());
    let b = a.clone();
    assert!(a.get_mut().is_none());
    a.make_mut().value = 2;
    assert_eq!((a.value, b.value), (2, 1));
    assert!(!a.ptr_eq(&b));
    let place = a.clone();
    a.make_mut().value = 3;
    assert_eq!((a.value, place.value), (3, 2));
    let mut object: Object = b.clone().into();
    object.set_field(0, Value::Int(9)).expect("an int fits");
    assert_eq!((b.value, object.as_node::<Leaf>().map(|l| l.value)), (1, Some(9)));
    assert!(object.set_field(0, Value::str("no")).is_err());
    assert_eq!(object.unique_mut::<Leaf>().map(|l| std::mem::replace(&mut l.value, 4)), Some(9));
}

#[test]
fn poison_is_a_mark_of_one_node() {
    use crate::operators::is_poison;
    let kept = leaf(1);
    let poison = kept.clone().into_poison();
    assert!(is_poison(poison.object()) && !is_poison(kept.object()));
    let base: Ref<Base> = poison.clone().upcast();
    assert!(is_poison(base.object()) && base.is::<Leaf>() && poison.value == 1);
    let mut copy = base.clone().downcast::<Leaf>().expect("a leaf");
    copy.make_mut().value = 2;
    assert!(!is_poison(copy.object()) && is_poison(base.object()));
}

#[test]
fn typed_arrays_hold_what_their_type_says() {
    let array: Array<Ref<Base>> = Array::new([leaf(1).upcast(), chain(2)]);
    assert_eq!(array.len(), 2);
    assert_eq!(array[0].as_node::<Leaf>().map(|l| l.value), Some(1));
    assert_eq!(array.iter().rev().filter(|e| e.is::<Link>()).count(), 1);
    let object = array.object().clone();
    assert!(Array::<Ref<Base>>::try_ref(&object).is_some());
    assert!(Array::<Ref<Leaf>>::try_ref(&object).is_none());
    assert!(Array::<Value>::try_ref(&object).is_some());
    assert!(Map::<Str, Value>::try_ref(&object).is_none());
    let nested: Array<Array<Str>> = Array::new([Array::new([Str::new("a")]), Array::default()]);
    assert_eq!(nested[0][0].as_str(), "a");
    assert!(Array::<Array<Ref<Leaf>>>::try_ref(nested.object()).is_none());
    assert!(Array::of_values([Value::Int(1)]).values()[0].as_int() == Some(1));
    assert!(Array::<Str>::try_from_object(leaf(1).into()).is_err());
}

#[test]
fn typed_maps_hold_what_their_type_says() {
    let (k, v) = (leaf(1), chain(1));
    let map: Map<Ref<Leaf>, Ref<Base>> = Map::new([(k.clone(), v.clone()), (leaf(1), k.clone().upcast())]);
    assert_eq!(map.len(), 2);
    assert!(map.get(&Value::Node(k.clone().into())).is_some_and(|found| found.ptr_eq(&v)));
    assert!(map.iter().all(|(k, _)| k.value == 1));
    assert!(Map::<Ref<Leaf>, Ref<Base>>::try_ref(map.object()).is_some());
    assert!(Map::<Ref<Leaf>, Ref<Leaf>>::try_ref(map.object()).is_none());
    assert!(Map::<Value, Value>::try_ref(map.object()).is_some());
    let names: Map<Str, Value> = Map::new([(Str::new("a"), 1.into()), (Str::new("a"), 2.into())]);
    assert_eq!((names.len(), names.get_str("a").and_then(Value::as_int)), (1, Some(2)));
}

#[test]
fn containers_change_only_when_nobody_else_holds_them() {
    let array: Array<Ref<Leaf>> = Array::new([leaf(1)]);
    let mut object = array.object().clone();
    assert!(object.unique_mut::<ArrayNode>().is_none());
    drop(array);
    let items = object.unique_mut::<ArrayNode>().map(ArrayNode::items_mut).expect("the only handle");
    items[0] = Value::Int(3);
    // What no longer fits is not a typed array.
    assert!(Array::<Ref<Leaf>>::try_from_object(object.clone()).is_err());
    assert!(object.unique_mut::<MapNode>().is_none());
    assert_eq!(object.as_node::<ArrayNode>().map(|a| a.items().len()), Some(1));
}

#[test]
fn a_child_taken_out_leaves_a_placeholder_until_the_field_is_set() {
    let placeholder: Object = Str::new("").into_object();
    let mut link: Object = Ref::new(Link { next: Some(leaf(1).upcast()), also: None }).into();
    let mut child = link.take_node(0, &placeholder).expect("unique, and a node");
    assert!(child.unique_mut::<Leaf>().is_some());
    assert!(link.take_node(1, &placeholder).is_none());
    link.set_field(0, Value::Node(child)).expect("what was there fits");
    let other = link.clone();
    assert!(link.take_node(0, &placeholder).is_none());
    drop((link, other));
    let mut dropped: Object = Ref::new(Link { next: Some(leaf(1).upcast()), also: None }).into();
    drop(dropped.take_node(0, &placeholder));
    drop(dropped);
}

#[test]
fn fields_are_read_and_walked_by_index() {
    let object: Object = leaf(5).into();
    assert!(matches!(object.field(0), FieldRef::Int(5)));
    assert!(matches!(object.field(1), FieldRef::Node(o) if o.is::<crate::containers::StrNode>()));
    assert!(matches!(object.field(7), FieldRef::None));
    assert!(crate::structural_equal(&object, leaf(5).object()));
    assert_eq!(crate::structural_hash(&object), crate::structural_hash(leaf(5).object()));
}

#[test]
fn types_made_at_run_time_are_ordinary() {
    let field =
        |name, kind| FieldInfo { name, def: false, skip_eq: false, kind, derived: false, optional: false };
    let info = register_dynamic(
        "raw_test.Dynamic",
        Some(Base::type_info()),
        EqKind::Tree,
        &[field("value", FieldKind::Int), field("child", FieldKind::Node)],
    )
    .expect("the parent is abstract");
    let make = |value: i64| info.construct(vec![value.into(), chain(2).into()]).expect("fits");
    let node = make(1);
    assert!(node.is::<Base>());
    assert!(crate::structural_equal(&node, &make(1)));
    assert!(!crate::structural_equal(&node, &make(2)));
    assert!(info.construct(vec![]).is_err());
    assert!(register_dynamic("raw_test.No", Some(Leaf::type_info()), EqKind::Tree, &[]).is_err());
    assert!(register_dynamic("raw_test.Yes", Some(info), EqKind::Tree, &[]).is_ok());
}

#[test]
fn handles_are_cloned_and_dropped_across_threads() {
    let shared = chain(if cfg!(miri) { 20 } else { 10_000 });
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let shared = &shared;
            scope.spawn(move || {
                for _ in 0..if cfg!(miri) { 10 } else { 1000 } {
                    let copy = shared.clone();
                    let more: Array<Ref<Base>> = (0..3).map(|_| copy.clone()).collect();
                    drop(copy);
                    drop(more);
                }
            });
        }
    });
    assert!(shared.object().is_unique());
    // The last handle may go on another thread than the first.
    let handles: Vec<_> = (0..4).map(|_| shared.clone()).collect();
    drop(shared);
    let threads = handles.into_iter().map(|h| std::thread::spawn(move || drop(h))).collect::<Vec<_>>();
    threads.into_iter().for_each(|t| t.join().expect("the thread ends well"));
}

#[test]
fn names_are_read_while_they_change() {
    let cell = NameCell::from("first");
    let first = cell.text();
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let cell = &cell;
            scope.spawn(move || (0..20).for_each(|i| cell.set(Str::new(format!("{writer}_{i}")))));
        }
        for _ in 0..50 {
            let (text, handle) = (cell.text(), cell.get());
            assert!(text == "first" || text.contains('_'));
            assert!(handle.as_str() == "first" || handle.contains('_'));
        }
    });
    // What was read first is still there.
    assert_eq!(first, "first");
    assert!(matches!(cell.text(), "0_19" | "1_19"));
    let copy = cell.clone();
    let kept = cell.get();
    drop(cell);
    assert_eq!(copy.text(), kept.as_str());
    copy.set(kept.clone());
    copy.set(Str::new(kept.as_str()));
    assert_eq!(kept.as_object().handle_count(), 2);
    copy.set(Str::new("other"));
    assert_eq!((copy.text(), kept.as_object().handle_count()), ("other", 2));
    drop(copy);
    assert_eq!(kept.as_object().handle_count(), 1);
}
