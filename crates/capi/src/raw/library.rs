//! The library and its dialects.

use std::ffi::c_char;
use std::sync::Arc;

use super::findings::report;
use super::handle::{Errors, Handle as _, Registry, Text};
use super::{Out, Str, enter, read_texts};
use crate::diagnostics::Findings;
use crate::handles;
use crate::plugin::Additions;
use crate::program::Dialects;
use crate::status::Status;
use crate::text::OwnedText;

/// Version of the interface. It grows when a function, a parameter or a field changes its meaning; functions and fields that are
/// added do not change it.
pub const ABI_VERSION: u32 = 1;

static VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// Returns the version of the interface that the library has: compare it with `TVMSCRIPT_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_abi_version() -> u32 {
    ABI_VERSION
}

/// Returns the version of the library, such as "0.1.0", with a zero byte after it. The text lives as long as the library.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_version() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// Describes a status in a few words, with a zero byte after them. The text lives as long as the library; it is empty for numbers that
/// are no status.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_status_text(status: i32) -> *const c_char {
    Status::of_number(status).map_or(c"", Status::describe).as_ptr()
}

/// Returns the number of handles that are not freed, for tests of programs that use the library.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_live_handles() -> usize {
    handles::count()
}

/// Returns a handle of the registry with all dialects and releases of the library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_registry_default(out_registry: *mut Registry) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_registry)? };
        out.set(Registry::store(Arc::new(Dialects::shared()))?);
        Ok(())
    })
}

/// Makes a registry of the library's dialects, dialects that are described in TOML, and plugins. Like the types of its nodes, it stays in
/// memory until the process ends: a program makes one for each combination that it needs.
///
/// @param descriptions texts of descriptions
/// @param description_count number of descriptions
/// @param plugins paths of dynamic libraries, whose code is trusted; they stay loaded until the process ends
/// @param plugin_count number of plugins
/// @param out_registry the registry, to be freed with `tvmscript_registry_free`
/// @param out_errors the reason why there is no such registry; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_registry_new(
    descriptions: *const Str,
    description_count: usize,
    plugins: *const Str,
    plugin_count: usize,
    out_registry: *mut Registry,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_registry)?, Out::optional(out_errors)?) };
        // SAFETY: as above.
        let (descriptions, plugins) =
            unsafe { (read_texts(descriptions, description_count)?, read_texts(plugins, plugin_count)?) };
        match Additions::load(&descriptions, &plugins) {
            Ok(registry) => {
                out.set(Registry::store(Arc::new(Dialects::of(registry)))?);
                Ok(())
            }
            Err((name, error)) => report(Findings::of_plugin(&error, &name), errors),
        }
    })
}

/// Frees a handle of a registry. Objects that were read with it stay valid.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_registry_free(registry: Registry) -> Status {
    enter(|| registry.free())
}

/// Lists the names of the releases, such as "tvm-0.27", one per line; the first one is the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_registry_releases(registry: Registry, out_names: *mut Text) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_names)? };
        let names: Vec<String> = registry.load()?.releases().map(tvmscript::Release::id).collect();
        out.set(Text::store(Arc::new(OwnedText::new(names.join("\n"))))?);
        Ok(())
    })
}
