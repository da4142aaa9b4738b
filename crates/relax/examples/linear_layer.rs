//! Builds a Relax function in Rust, checks that it is well-formed, and prints it as TVMScript.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::{DataType, RegistryBuilder};
use tvmscript_irbuilder::{BuildResult, Builder};
use tvmscript_prim::{Expr as Scalar, IntImm};
use tvmscript_relax::build::args::{AnyExprArg, InfoArg};
use tvmscript_relax::build::function as f;
use tvmscript_relax::op::{elementwise, linear_algebra, nn::activation};
use tvmscript_relax::{ShapeExpr, TensorStructInfo, check};

fn tensor(dims: impl IntoIterator<Item = Scalar>) -> InfoArg {
    let shape = ShapeExpr::try_new(dims).expect("the dimensions are `int64`");
    InfoArg(TensorStructInfo::of_shape(shape, DataType::FLOAT32, None).upcast())
}

/// `relu(x @ w + b)`
fn linear_layer() -> BuildResult<()> {
    let [n, k, m] = [8, 64, 16].map(IntImm::int64);
    f::function().body(|| {
        f::try_func_name("linear_layer".into())?;
        let x = f::try_arg("x".into(), tensor([n, k.clone()]))?;
        let w = f::try_arg("w".into(), tensor([k, m.clone()]))?;
        let b = f::try_arg("b".into(), tensor([m]))?;
        let product = f::emit_value(linear_algebra::matmul(x.upcast(), w.upcast(), None).upcast(), None)?;
        let sum = f::emit_value(elementwise::add(product.upcast(), b.upcast()).upcast(), None)?;
        let result = f::emit_value(activation::relu(sum.upcast()).upcast(), None)?;
        f::try_func_ret_value(AnyExprArg(result.upcast()))
    })
}

fn main() {
    let registry = RegistryBuilder::new().with(tvmscript_prim::dialect()).with(tvmscript_ir::dialect());
    let registry = registry.with(tvmscript_relax::dialect()).build().expect("the dialects do not clash");
    let builder = Builder::for_registry(&registry);
    let function = match (linear_layer(), builder.finish()) {
        (Ok(()), Ok(function)) => function,
        (Err(error), _) => return eprintln!("error: {error}"),
        (_, Err(errors)) => return eprintln!("{errors}"),
    };
    for error in check::well_formed(&function) {
        eprintln!("error: {error}");
    }
    match print(&function, &registry, &PrinterConfig::default()) {
        Ok(text) => println!("{text}"),
        Err(error) => eprintln!("error: {error}"),
    }
}
