//! Builds IR from Rust in about as little code as Python: `use tvmscript::builder::*;`.
//!
//! The example of TVM's RFC 0079 in Python:
//!
//! ```python
//! with Builder() as b:
//!   with T.prim_func():
//!     T.func_name("main")
//!     buffer_a = T.Buffer((128, 128, 128), "float32")
//!     buffer_b = T.Buffer((128, 128, 128), "float32")
//!     arg_a = T.arg("A", buffer_a)
//!     arg_b = T.arg("B", buffer_b)
//!     with T.grid(128, 128, 128) as (i, j, k):
//!       def_many(["i", "j", "k"], [i, j, k])
//!       with T.block(name="block"):
//!         vi = def_("vi", T.axis.spatial(128, i))
//!         vj = def_("vj", T.axis.spatial(128, j))
//!         vk = def_("vk", T.axis.reduce(128, k))
//! f = b.get()  # f is a PrimFunc
//! ```
//!
//! The same in Rust:
//!
//! ```
//! use tvmscript::builder::*;
//! # use tvmscript::tir::PrimFunc;
//!
//! let b = Builder::new();
//! T::prim_func().body(|| {
//!     T::func_name("main");
//!     let buffer_a = T::buffer([128, 128, 128]).dtype("float32");
//!     let buffer_b = T::buffer([128, 128, 128]).dtype("float32");
//!     let _arg_a = T::arg("A", buffer_a);
//!     let _arg_b = T::arg("B", buffer_b);
//!     T::grid([128, 128, 128]).body(|[i, j, k]| {
//!         def_many(["i", "j", "k"], [&i, &j, &k]);
//!         T::block().name("block").body(|| {
//!             let _vi = def_("vi", T::axis::spatial(128, i));
//!             let _vj = def_("vj", T::axis::spatial(128, j));
//!             let _vk = def_("vk", T::axis::reduce(128, k));
//!         });
//!     });
//! });
//! let f = b.get::<PrimFunc>()?; // f is a PrimFunc
//! # #[cfg(all(feature = "parse", feature = "print"))] {
//! # use tvmscript::{ParseOptions, PrinterConfig, parse, print, registry, structural_equal};
//! # let text = r#"
//! # @T.prim_func
//! # def main(
//! #     A: T.Buffer(shape=(128, 128, 128), dtype="float32"),
//! #     B: T.Buffer(shape=(128, 128, 128), dtype="float32"),
//! # ) -> None:
//! #     for i, j, k in T.grid(128, 128, 128):
//! #         with T.block("block"):
//! #             vi = T.axis.S(128, i)
//! #             vj = T.axis.S(128, j)
//! #             vk = T.axis.R(128, k)
//! # "#;
//! # let read = parse("main.py", text, registry(), &ParseOptions::default());
//! # assert_eq!(read.errors, []);
//! # assert!(structural_equal(&read.scripts[0].node, f.object()));
//! # let printed = print(f.object(), registry(), &PrinterConfig::default())?;
//! # let again = parse("again.py", &printed, registry(), &ParseOptions::default());
//! # assert!(structural_equal(&again.scripts[0].node, f.object()), "{printed}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Python constructs and their Rust counterparts:
//!
//! | Python | Rust |
//! |---|---|
//! | `with T.block("b"):` | `T::block().name("b").body(\|\| ..)` |
//! | `bx = T.launch_thread("blockIdx.x", 64)` | `let bx = def_("bx", T::launch_thread("blockIdx.x", 64).enter());` |
//! | `for i, j in T.grid(16, n):` | `T::grid((16, &n)).body(\|[i, j]\| ..)` |
//! | `for i in T.serial(2, 16):` | `T::serial(2..16).body(\|i\| ..)`, also `T::grid((2..16, &n))` |
//! | `x = T.alloc_buffer((16,), scope="shared")` | `let x = def_("x", T::alloc_buffer().shape(16).scope("shared"));` |
//! | `A[i, j]`, `A[0:4, j]`, `A[:, j]` | `a.at((&i, &j))`, `a.at((0..4, &j))`, `a.region((.., &j))` |
//! | `A[i, j] = x` | `a.set((&i, &j), x)` |
//! | `x + 1`, `x // 2`, `x % 2` | `&x + 1`, `T::floordiv(&x, 2)`, `&x % 2` |
//! | `x < n and p` | `x.less(&n).and(&p)` |
//!
//! An error does not stop the program: the builder records it with its source location and ignores calls that depend on
//! it. [`Builder::finish`] and [`Builder::get`] return all errors.
//!
//! ```
//! use tvmscript::builder::*;
//!
//! let b = Builder::new();
//! T::prim_func().body(|| {
//!     T::func_name("main");
//!     let a = T::arg("A", T::buffer([16]).dtype("flaot32")); // misspelt
//!     T::serial(16).body(|i| a.set([&i], T::exp(a.at([&i])))); // depends on it: no error
//!     T::axis::spatial(16, 0).emit(); // outside of a block
//! });
//! let errors = b.finish().unwrap_err();
//! let said: Vec<String> = errors.iter().map(|e| e.error.to_string()).collect();
//! assert_eq!(said[0], "unknown dtype `flaot32`");
//! assert_eq!(said[1], "`T.axis.spatial` must be used directly inside `with T.block(..)`, but the innermost scope is `T.prim_func`");
//! assert_eq!(said.len(), 2);
//! ```

pub use tvmscript_ir::build::script as I;
pub use tvmscript_irbuilder::{
    BuildErrors, Builder, Emit, FrameOf, RecordedError, def_, def_many, name, name_many,
};
pub use tvmscript_prim::Compare;
pub use tvmscript_tir::build::script as T;
pub use tvmscript_tir::build::{BufferAccess, Indices};
