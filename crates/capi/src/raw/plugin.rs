//! Plugins: what a library exports, what it gets, and how it is opened.
//!
//! Opening a library runs its initialisers, and calling its function runs its code: like a program that links it, the caller trusts
//! it. What a plugin *returns* is checked like any argument. A library stays open until the process ends, since the types and
//! functions that it registers live as long.

use std::ffi::c_void;
use std::path::Path;

use super::findings::Position;
use super::function::{CallCallback, Foreign, VisitCallback};
use super::handle::{Errors, Object, Registry, Text};
use super::program::PrintOptions;
use super::value::Value;
use super::{Str, compare, findings, function, handle, library, object, program, read_slice, text, value};
use crate::plugin::{Item, ItemKind, PluginError, Table};
use crate::status::{Outcome, Status};

/// Version of the tables of plugins.
pub const PLUGIN_VERSION: u32 = 1;

/// Kind of an item of a plugin.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginItemKind {
    /// A function of scripts, `Prefix.name(..)`. It gets the values of its parameters and returns a value; None for a parameter that
    /// a call leaves out.
    Function = 0,
    /// The printer of a node type without `assembly`, whose name is a type key. It gets the node and returns an array: the name of a
    /// function of the dialect, then its arguments. The text is `Prefix.name(arguments)`.
    Printer = 1,
    /// A pass. It gets a module and returns one.
    Pass = 2,
}

/// A function, printer or pass of a plugin.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PluginItem {
    /// A `tvmscript_plugin_item_kind`.
    pub kind: i32,
    /// Name of the function or pass, or the type key of the node.
    pub name: Str,
    /// Parameters of a function, separated by commas; `name=` for one that may be left out.
    pub parameters: Str,
    /// Documentation.
    pub doc: Str,
    /// The code.
    pub call: CallCallback,
    /// Passed to the code.
    pub user: *mut c_void,
}

/// A dialect in a plugin. It has to stay as it is while the process runs.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Plugin {
    /// `sizeof(tvmscript_plugin_table)`.
    pub size: usize,
    /// `TVMSCRIPT_PLUGIN_VERSION`.
    pub version: u32,
    /// The description of the dialect, as in a file of `--dialect`: its nodes, operators and statements.
    pub description: Str,
    /// Functions, printers and passes in code.
    pub items: *const PluginItem,
    /// Number of items.
    pub item_count: usize,
}

/// The functions of the library that a plugin may call: those of the same names with `tvmscript_` in front.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Host {
    /// `sizeof(tvmscript_host)` of the library, which may be larger than that of the plugin.
    pub size: usize,
    /// `TVMSCRIPT_PLUGIN_VERSION` of the library.
    pub version: u32,
    /// See `tvmscript_status_text`.
    pub status_text: extern "C" fn(status: i32) -> *const std::ffi::c_char,
    /// See `tvmscript_registry_default`.
    pub registry_default: unsafe extern "C" fn(out_registry: *mut Registry) -> Status,
    /// See `tvmscript_registry_free`.
    pub registry_free: extern "C" fn(registry: Registry) -> Status,
    /// See `tvmscript_object_type`.
    pub object_type: unsafe extern "C" fn(object: Object, out_key: *mut Str) -> Status,
    /// See `tvmscript_object_is`.
    pub object_is: unsafe extern "C" fn(object: Object, key: Str, out_is: *mut bool) -> Status,
    /// See `tvmscript_object_count`.
    pub object_count: unsafe extern "C" fn(object: Object, out_count: *mut usize) -> Status,
    /// See `tvmscript_object_item`.
    pub object_item: unsafe extern "C" fn(object: Object, index: usize, out_value: *mut Value) -> Status,
    /// See `tvmscript_object_key`.
    pub object_key: unsafe extern "C" fn(object: Object, index: usize, out_key: *mut Value) -> Status,
    /// See `tvmscript_object_field`.
    pub object_field: unsafe extern "C" fn(object: Object, name: Str, out_value: *mut Value) -> Status,
    /// See `tvmscript_object_at`.
    pub object_at: unsafe extern "C" fn(object: Object, path: Str, out_value: *mut Value) -> Status,
    /// See `tvmscript_object_new`.
    pub object_new: unsafe extern "C" fn(
        registry: Registry,
        key: Str,
        names: *const Str,
        values: *const Value,
        count: usize,
        out_object: *mut Object,
        out_errors: *mut Errors,
    ) -> Status,
    /// See `tvmscript_object_with_field`.
    pub object_with_field: unsafe extern "C" fn(
        object: Object,
        name: Str,
        value: *const Value,
        out_object: *mut Object,
        out_errors: *mut Errors,
    ) -> Status,
    /// See `tvmscript_object_rewrite`.
    pub object_rewrite: unsafe extern "C" fn(
        object: Object,
        call: CallCallback,
        user: *mut c_void,
        out_object: *mut Object,
        out_errors: *mut Errors,
    ) -> Status,
    /// See `tvmscript_array_new`.
    pub array_new: unsafe extern "C" fn(
        registry: Registry,
        values: *const Value,
        count: usize,
        out_object: *mut Object,
    ) -> Status,
    /// See `tvmscript_object_clone`.
    pub object_clone: unsafe extern "C" fn(object: Object, out_object: *mut Object) -> Status,
    /// See `tvmscript_object_free`.
    pub object_free: extern "C" fn(object: Object) -> Status,
    /// See `tvmscript_value_free`.
    pub value_free: unsafe extern "C" fn(value: *mut Value) -> Status,
    /// See `tvmscript_visit`.
    pub visit: unsafe extern "C" fn(
        object: Object,
        pre: VisitCallback,
        post: VisitCallback,
        user: *mut c_void,
    ) -> Status,
    /// See `tvmscript_errors_render`.
    pub errors_render: unsafe extern "C" fn(errors: Errors, out_text: *mut Text) -> Status,
    /// See `tvmscript_errors_free`.
    pub errors_free: extern "C" fn(errors: Errors) -> Status,
    /// See `tvmscript_text_get`.
    pub text_get: unsafe extern "C" fn(text: Text, out_view: *mut Str) -> Status,
    /// See `tvmscript_text_free`.
    pub text_free: extern "C" fn(text: Text) -> Status,
    /// See `tvmscript_print`.
    pub print: unsafe extern "C" fn(
        registry: Registry,
        object: Object,
        options: *const PrintOptions,
        out_text: *mut Text,
        out_errors: *mut Errors,
    ) -> Status,
    /// See `tvmscript_equal`.
    pub equal: unsafe extern "C" fn(
        a: Object,
        b: Object,
        map_free_vars: u8,
        out_equal: *mut bool,
        out_differences: *mut handle::Differences,
    ) -> Status,
    /// See `tvmscript_object_span`.
    pub object_span: unsafe extern "C" fn(
        object: Object,
        out_source: *mut Text,
        out_start: *mut Position,
        out_end: *mut Position,
    ) -> Status,
}

static HOST: Host = Host {
    size: size_of::<Host>(),
    version: PLUGIN_VERSION,
    status_text: library::tvmscript_status_text,
    registry_default: library::tvmscript_registry_default,
    registry_free: library::tvmscript_registry_free,
    object_type: object::tvmscript_object_type,
    object_is: object::tvmscript_object_is,
    object_count: object::tvmscript_object_count,
    object_item: object::tvmscript_object_item,
    object_key: object::tvmscript_object_key,
    object_field: object::tvmscript_object_field,
    object_at: object::tvmscript_object_at,
    object_new: object::tvmscript_object_new,
    object_with_field: object::tvmscript_object_with_field,
    object_rewrite: function::tvmscript_object_rewrite,
    array_new: object::tvmscript_array_new,
    object_clone: program::tvmscript_object_clone,
    object_free: program::tvmscript_object_free,
    value_free: value::tvmscript_value_free,
    visit: function::tvmscript_visit,
    errors_render: findings::tvmscript_errors_render,
    errors_free: findings::tvmscript_errors_free,
    text_get: text::tvmscript_text_get,
    text_free: text::tvmscript_text_free,
    print: program::tvmscript_print,
    equal: compare::tvmscript_equal,
    object_span: object::tvmscript_object_span,
};

/// The function that a plugin exports under the name `tvmscript_plugin`. It returns its dialect, or null to refuse. The functions
/// live as long as the process.
pub type PluginMain = Option<unsafe extern "C" fn(host: *const Host) -> *const Plugin>;

/// Name of the function that a plugin exports.
const SYMBOL: &str = "tvmscript_plugin";

/// Maximum number of items of a plugin.
const MAX_ITEMS: usize = 1 << 16;

/// Opens a library and reads its tables.
///
/// # Errors
/// If the library cannot be opened, exports no plugin, or its tables are not those of this version.
pub(crate) fn open(path: &Path) -> Result<Table, PluginError> {
    // SAFETY: whoever names a library as a plugin trusts the code of its initialisers.
    let opened = unsafe { libloading::Library::new(path) };
    let library = opened.map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        PluginError::Unreadable { reason: format!("{error}{cause}") }
    })?;
    // SAFETY: whoever names a library as a plugin promises that the symbol has this type; it is checked to be there.
    let symbol = unsafe { library.get::<PluginMain>(SYMBOL) };
    let main = symbol.ok().and_then(|main| *main).ok_or(PluginError::NoSymbol { symbol: SYMBOL })?;
    // The types, functions and tables of the plugin live as long as the process.
    std::mem::forget(library);
    // SAFETY: the type is promised; the table is static.
    let plugin = unsafe { main(&raw const HOST) };
    if plugin.is_null() {
        return Err(PluginError::Refused);
    }
    let table = |what: &'static str| move |status: Status| PluginError::Table { what, status };
    if !plugin.is_aligned() {
        return Err(table("the table")(Status::InvalidPointer));
    }
    // SAFETY: not null and aligned; the plugin promises a table there, whose size and version are its first fields. Nothing else is
    // read before these are checked.
    let (size, version) =
        unsafe { ((&raw const (*plugin).size).read(), (&raw const (*plugin).version).read()) };
    if version != PLUGIN_VERSION {
        return Err(PluginError::Version { found: version, known: PLUGIN_VERSION });
    }
    if size < size_of::<Plugin>() {
        return Err(table("the size of the table")(Status::InvalidLength));
    }
    // SAFETY: the table has this version and at least this size.
    let plugin = unsafe { plugin.read() };
    // SAFETY: the plugin promises that its texts live as long as the process.
    let description = unsafe { plugin.description.read() }.map_err(table("the description"))?;
    if plugin.item_count > MAX_ITEMS {
        return Err(table("the number of items")(Status::InvalidLength));
    }
    // SAFETY: as above, for its items.
    let items = unsafe { read_slice(plugin.items, plugin.item_count) }.map_err(table("the items"))?;
    let items = items.iter().map(read_item).collect::<Outcome<Vec<Item>>>();
    Ok(Table { description: description.to_owned(), items: items.map_err(table("an item"))? })
}

fn read_item(item: &PluginItem) -> Outcome<Item> {
    let kind = [
        (PluginItemKind::Function, ItemKind::Function),
        (PluginItemKind::Printer, ItemKind::Printer),
        (PluginItemKind::Pass, ItemKind::Pass),
    ];
    let kind = kind.into_iter().find(|(known, _)| *known as i32 == item.kind);
    let (_, kind) = kind.ok_or(Status::InvalidArgument)?;
    // SAFETY: the plugin promises that its texts live as long as the process.
    let (name, parameters, doc) = unsafe { (item.name.read()?, item.parameters.read()?, item.doc.read()?) };
    let call = item.call.ok_or(Status::InvalidPointer)?;
    let callback = Box::new(Foreign::new(call, item.user, None));
    Ok(Item { kind, name: name.to_owned(), parameters: parameters.to_owned(), doc: doc.to_owned(), callback })
}
