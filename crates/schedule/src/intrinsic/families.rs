//! The intrinsics of TVM, as families of scripts.
//!
//! A section of a file is a template: lines `#: NAME | VALUE | ..` with the names of its intrinsics and their values for `$0$`,
//! `$1$`, .., then the description and the implementation. Nothing is read until a name is asked for.

use tvmscript_ir_core::Registry;

use super::TensorIntrinsic;
use super::text::function;
use crate::error::{Result, ScheduleError};

/// Dot products, products of matrices in fragments, and loads of fragments.
const FILES: [&str; 4] = [
    include_str!("families/dot.txt"),
    include_str!("families/wmma.txt"),
    include_str!("families/mma.txt"),
    include_str!("families/ldmatrix.txt"),
];

const ENTRY: &str = "#: ";
const FUNCTION: &str = "@T.prim_func";

/// The names of all intrinsics with their values and templates.
fn entries() -> impl Iterator<Item = (&'static str, Vec<&'static str>, &'static str)> {
    FILES.into_iter().flat_map(|file| file.split("\n\n")).flat_map(|section| {
        let (_, template) = section.split_at(section.find(FUNCTION).unwrap_or(section.len()));
        section.lines().filter_map(move |line| {
            let mut parts = line.strip_prefix(ENTRY)?.split(" | ");
            Some((parts.next()?, parts.collect(), template))
        })
    })
}

/// The names of all intrinsics.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    entries().map(|(name, _, _)| name)
}

/// The intrinsic with a name.
///
/// # Errors
/// If its scripts cannot be read.
pub(super) fn find(name: &str, registry: &Registry) -> Result<Option<TensorIntrinsic>> {
    let Some((_, values, template)) = entries().find(|(known, _, _)| *known == name) else { return Ok(None) };
    let mut script = template.to_owned();
    for (at, value) in values.iter().enumerate() {
        script = script.replace(&format!("${at}$"), value);
    }
    let second = script.rfind(FUNCTION).filter(|at| *at > 0);
    let Some((description, implementation)) = second.and_then(|at| script.split_at_checked(at)) else {
        return Err(ScheduleError::plain(format!("the intrinsic `{name}` is not two functions")));
    };
    let (description, implementation) =
        (function(name, description, registry)?, function(name, implementation, registry)?);
    Ok(Some(TensorIntrinsic { description, implementation }))
}
