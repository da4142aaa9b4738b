//! Declares a class and a node, and lists the reflected fields.
//!
//! `cargo run -p tvmscript-ir-macros --example figure`

use tvmscript_ir_core::{Class, Node, Ref, Span, Str};

/// The class of shapes.
#[derive(Class)]
#[class(key = "doc.Figure")]
struct Figure(());

/// A circle; equality ignores its label.
#[derive(Debug, Clone, Node)]
#[node(key = "doc.Circle", parent = Figure)]
struct Circle {
    radius: i64,
    #[node(skip_eq)]
    label: Str,
    span: Span,
}

fn main() {
    let circle: Ref<Figure> =
        Ref::new(Circle { radius: 2, label: "wheel".into(), span: Span::UNKNOWN }).upcast();
    let info = circle.object().info();
    println!("{} is a {}", info.key(), info.parent().map_or("node", |parent| parent.key()));
    for (index, field) in info.fields().iter().enumerate() {
        let ignored = if field.skip_eq { ", ignored by equality" } else { "" };
        println!("  {}: {:?}{ignored}", field.name, circle.object().field(index));
    }
}
