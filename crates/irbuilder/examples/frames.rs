//! A script function, a frame, and a builder that collects errors.
//!
//! Run it with `cargo run -p tvmscript-irbuilder --example frames`.

use tvmscript_ir_core::json::native;
use tvmscript_ir_core::{Array, Object, ObjectLike, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildResult, Builder, Frame, FrameOf, script_fn};

/// A scope that becomes an array of its statements.
#[derive(Default)]
struct Block {
    stmts: Vec<Object>,
}

impl Frame for Block {
    fn name(&self) -> &'static str {
        "block"
    }
    fn close(self: Box<Self>) -> BuildResult<()> {
        // The enclosing frame takes the array, or the builder if there is none.
        Builder::add_stmt(Array::<Object>::new(self.stmts).into_object())
    }
    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        self.stmts.push(stmt);
        None
    }
}

fn block() -> FrameOf<Block> {
    FrameOf::new(Block::default())
}

/// Appends a line of text to the open block.
#[script_fn]
fn line(text: Str) -> BuildResult<()> {
    if text.is_empty() {
        return Err(BuildError::message("a line must not be empty").at_position(0));
    }
    Builder::add_stmt(text.into_object())
}

fn main() {
    let builder = Builder::new();
    block().body(|| {
        line("first");
        block().body(|| line("second"));
    });
    match builder.finish() {
        Ok(node) => println!("{}", native::save(&Value::Node(node))),
        Err(errors) => println!("{errors}"),
    }

    let builder = Builder::new();
    block().body(|| {
        line("");
        line("");
    });
    // Both errors, each with its call site.
    if let Err(errors) = builder.finish() {
        println!("{errors}");
    }
}
