//! An IR for shaders that is only printed: six nodes and their text.

use tvmscript_docsifier::doc::{BinaryOp, ExprDoc, PathId, StmtDoc, StmtList};
use tvmscript_docsifier::{Docsifier, DocsifyDialect as _, DocsifyResult, fields, printers};
use tvmscript_ir_core::{Array, Class, Dialect, NameCell, Node, Ref, Str};

/// A value of a shader.
#[derive(Class)]
#[class(key = "shader.Expr")]
pub struct Expr(());

/// An image. Identity is the node; the name is a hint.
#[derive(Debug, Clone, Node)]
#[node(key = "shader.Image", eq = free_var)]
pub struct Image {
    /// Name hint.
    pub name: NameCell,
}

/// A number.
#[derive(Debug, Clone, Node)]
#[node(key = "shader.Number", parent = Expr)]
pub struct Number {
    /// The value.
    pub value: f64,
}

/// A pixel of an image.
#[derive(Debug, Clone, Node)]
#[node(key = "shader.Pixel", parent = Expr)]
pub struct Pixel {
    /// The image.
    pub image: Ref<Image>,
    /// Column.
    pub x: i64,
    /// Row.
    pub y: i64,
}

/// A product.
#[derive(Debug, Clone, Node)]
#[node(key = "shader.Mul", parent = Expr)]
pub struct Mul {
    /// The first factor.
    pub a: Ref<Expr>,
    /// The second factor.
    pub b: Ref<Expr>,
}

/// Sets a pixel.
#[derive(Debug, Clone, Node)]
#[node(key = "shader.Set")]
pub struct Set {
    /// The pixel.
    pub pixel: Ref<Pixel>,
    /// The new value.
    pub value: Ref<Expr>,
}

/// A shader.
#[derive(Debug, Clone, Node)]
#[node(key = "shader.Kernel")]
pub struct Kernel {
    /// The name.
    pub name: Str,
    /// Inputs and outputs.
    #[node(def)]
    pub images: Array<Ref<Image>>,
    /// Statements in order.
    pub body: Array<Ref<Set>>,
}

printers! {
    in "shader";
    fn number(Number { value }) = literal value;
    fn pixel(Pixel { image, x, y }) = index image[x, y];
}

fn image(node: &Ref<Image>, _: PathId, d: &mut Docsifier) -> DocsifyResult<ExprDoc> {
    d.variable(node.object(), "image", |d| d.prefixed("shader", "Image"))
}

fn mul(node: &Ref<Mul>, path: PathId, d: &mut Docsifier) -> DocsifyResult<ExprDoc> {
    fields!(d, path, node => Mul { a, b });
    let (a, b) = (d.print_field(a)?, d.print_field(b)?);
    Ok(d.docs.binary(BinaryOp::Mult, a, b))
}

fn set(node: &Ref<Set>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtDoc> {
    fields!(d, path, node => Set { pixel, value });
    let (pixel, value) = (d.print_field(pixel)?, d.print_field(value)?);
    Ok(d.docs.store(pixel, value))
}

fn kernel(node: &Ref<Kernel>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtList> {
    fields!(d, path, node => Kernel { name, images, body });
    let (images, body) = d.in_scope(node.object(), |d| {
        let images = d.define_parameters(images, "image", |d| Ok(d.prefixed("shader", "Image")))?;
        d.push_field(body)?;
        Ok(images)
    })?;
    let decorator = d.prefixed("shader", "kernel");
    d.script_function(node.object(), name, decorator, &images, &body)
}

/// The dialect: which function prints which node.
pub fn dialect() -> Dialect {
    let dialect = Dialect::new("shader").alias("S").node::<Image>().docsify(image).variable();
    let dialect = dialect.node::<Number>().docsify(number).node::<Pixel>().docsify(pixel);
    let dialect = dialect.node::<Mul>().docsify(mul).node::<Set>().docsify(set);
    dialect.node::<Kernel>().docsify(kernel).finish()
}
