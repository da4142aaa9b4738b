//! Frames and dispatch tokens as printers use them.

use tvmscript_docsifier::doc::python::{self, PythonOptions};
use tvmscript_docsifier::{Docsifier, DocsifyDialect, DocsifyError, DocsifyResult, Frame, PrinterConfig};
use tvmscript_ir_core::{Array, Dialect, ObjectLike, RegistryBuilder};

/// Runs `f` in a print whose registry has a dialect `mini`.
fn with_docsifier<R>(f: impl FnOnce(&mut Docsifier<'_>) -> R) -> R {
    let root = Array::of_values([]).into_object();
    let mini = Dialect::new("mini").docsify_info_under("mini", root.info(), |_, _, d| Ok(d.docs.none()));
    let registry = RegistryBuilder::new().with(mini).build().expect("one dialect");
    let config = PrinterConfig::default();
    f(&mut Docsifier::new(&registry, &config, &root).expect("valid options"))
}

/// Variables of nested loops that are printed in one line.
#[derive(Default)]
struct Nest {
    vars: Vec<&'static str>,
}

fn push_name(d: &mut Docsifier<'_>, name: &str) {
    let name = d.docs.id(name);
    let stmt = d.docs.expr_stmt(name);
    d.push_stmt(stmt);
}

#[test]
fn p74_10_inner_printers_change_outer_frames_and_exits_add_statements() {
    with_docsifier(|d| {
        let nest = Frame::new(None, Nest::default());
        let (vars, stmts) = d
            .with_frame(nest, |d| {
                d.on_exit(Box::new(|d| push_name(d, "declared_at_the_end")));
                for var in ["i", "j"] {
                    d.with_frame(Frame::new(None, ()), |d| {
                        d.frame_data_mut::<Nest>().expect("the frame of the nest").vars.push(var);
                        Ok(())
                    })?;
                }
                push_name(d, "body");
                Ok(d.frame_data::<Nest>().expect("this frame").vars.join(", "))
            })
            .expect("nothing fails");
        assert_eq!(vars, "i, j");
        let block = d.docs.block(&stmts);
        let text = python::print(&d.docs, block, &PythonOptions::default()).expect("it prints");
        assert_eq!(text, "body\ndeclared_at_the_end");
    });
}

#[test]
fn p74_24_frames_and_tokens_close_after_success_and_errors() {
    with_docsifier(|d| {
        let before = d.token();
        let nested = |d: &mut Docsifier<'_>, fails: bool| -> DocsifyResult<()> {
            d.with_token("mini", |d| {
                assert!(d.is_under("mini"));
                d.with_frame(Frame::new(None, Nest::default()), |d| {
                    assert_eq!((d.frame_count(), d.frame_data::<Nest>().is_some()), (1, true));
                    assert!(d.frame_data::<&str>().is_none(), "frames are found by type");
                    if fails { Err(DocsifyError::TakenWord { word: "range" }.into()) } else { Ok(()) }
                })?;
                Ok(())
            })
        };
        for fails in [false, true] {
            assert_eq!(nested(d, fails).is_err(), fails);
            assert_eq!((d.frame_count(), d.frame_data::<Nest>().is_some()), (0, false));
            assert_eq!(d.token(), before);
        }
    });
}
