//! Builds a matrix product with the builder, checks that it is well-formed, and prints it as TVMScript.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::RegistryBuilder;
use tvmscript_irbuilder::{Builder, def_, def_many};
use tvmscript_tir::PrimFunc;
use tvmscript_tir::build::script as T;
use tvmscript_tir::build::script::BufferAccess;
use tvmscript_tir::check::well_formed;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let builder = Builder::new();
    T::prim_func().body(|| {
        T::func_name("matmul");
        let a = T::arg("A", T::buffer([128, 64]).dtype("float32"));
        let b = T::arg("B", T::buffer([64, 128]).dtype("float32"));
        let c = T::arg("C", T::buffer([128, 128]).dtype("float32"));
        T::grid([128, 128, 64]).body(|[i, j, k]| {
            def_many(["i", "j", "k"], [&i, &j, &k]);
            T::block().name("C").body(|| {
                let vi = def_("vi", T::axis::spatial(128, &i));
                let vj = def_("vj", T::axis::spatial(128, &j));
                let vk = def_("vk", T::axis::reduce(64, &k));
                T::init().body(|| c.set([&vi, &vj], 0.0));
                let product = a.at([&vi, &vk]) * b.at([&vk, &vj]);
                c.set([&vi, &vj], c.at([&vi, &vj]) + product);
            });
        });
    });
    let function = builder.get::<PrimFunc>()?;
    assert_eq!(well_formed(function.object()), []);

    let dialects = [tvmscript_prim::dialect(), tvmscript_ir::dialect(), tvmscript_tir::dialect()];
    let registry = dialects.into_iter().fold(RegistryBuilder::new(), RegistryBuilder::with).build()?;
    println!("{}", print(function.object(), &registry, &PrinterConfig::default())?);
    Ok(())
}
