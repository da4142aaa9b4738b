//! The tables of the header `tvmscript.h`, and the border of a plugin.
//!
//! All unsafe code of the crate is here: calls of the host's functions, and the function that the host calls. It rests on the promises
//! of the interface:
//!
//! - the host's functions have the declared signatures, check what they get, and return;
//! - values that the host returns own their handles and texts until they are freed, and arguments live during the call;
//! - the host calls the code of an item only with the pointer that stands beside it.
//!
//! The host is given once, before anything else is called: without it every function here is an error.

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::dialect::{Code, Dialect, Item};
use crate::node::{Error, Node, Value};

/// Version of the tables.
const VERSION: u32 = 1;

const OK: i32 = 0;
const STOPPED: i32 = 11;

#[repr(C)]
#[derive(Clone, Copy)]
struct Str {
    data: *const c_char,
    len: usize,
}

impl Str {
    const EMPTY: Str = Str { data: std::ptr::null(), len: 0 };

    /// A view of a text that outlives the use of the view.
    fn of(text: &str) -> Str {
        Str { data: text.as_ptr().cast(), len: text.len() }
    }

    /// # Safety
    /// The bytes have to be there for the lifetime that the caller picks.
    unsafe fn read<'a>(self) -> &'a str {
        if self.data.is_null() {
            return "";
        }
        // SAFETY: by contract; the host returns UTF-8 only, which is checked all the same.
        let bytes = unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.len) };
        std::str::from_utf8(bytes).unwrap_or("")
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Id {
    id: u64,
}

const NULL: Id = Id { id: 0 };

#[repr(C)]
#[derive(Clone, Copy)]
struct RawValue {
    kind: i32,
    int_value: i64,
    float_value: f64,
    text: Str,
    object: Id,
    function: Id,
    owner: Id,
}

impl RawValue {
    const NONE: RawValue = RawValue {
        kind: 0,
        int_value: 0,
        float_value: 0.0,
        text: Str::EMPTY,
        object: NULL,
        function: NULL,
        owner: NULL,
    };

    /// A view of a value, which outlives the use of the view.
    fn of(value: &Value) -> RawValue {
        match value {
            Value::None => RawValue::NONE,
            Value::Bool(value) => RawValue { kind: 1, int_value: (*value).into(), ..RawValue::NONE },
            Value::Int(value) => RawValue { kind: 2, int_value: *value, ..RawValue::NONE },
            Value::Float(value) => RawValue { kind: 3, float_value: *value, ..RawValue::NONE },
            Value::Text(text) => RawValue { kind: 4, text: Str::of(text), ..RawValue::NONE },
            Value::DType(name) => RawValue { kind: 5, text: Str::of(name), ..RawValue::NONE },
            Value::Node(node) => RawValue { kind: 6, object: Id { id: node.0.0 }, ..RawValue::NONE },
        }
    }

    /// Reads a value of the host, with handles of its own.
    ///
    /// # Safety
    /// The text has to be there.
    unsafe fn read(&self) -> Result<Value, Error> {
        Ok(match self.kind {
            0 => Value::None,
            1 => Value::Bool(self.int_value != 0),
            2 => Value::Int(self.int_value),
            3 => Value::Float(self.float_value),
            // SAFETY: by contract.
            4 => Value::Text(unsafe { self.text.read() }.to_owned()),
            // SAFETY: by contract.
            5 => Value::DType(unsafe { self.text.read() }.to_owned()),
            6 => Value::Node(Node(Handle(self.object.id).duplicate()?)),
            kind => return Err(Error::from(format!("values of kind {kind} are not known"))),
        })
    }
}

type Call = unsafe extern "C" fn(*mut c_void, *const RawValue, usize, *mut RawValue) -> i32;

#[repr(C)]
struct RawItem {
    kind: i32,
    name: Str,
    parameters: Str,
    doc: Str,
    call: Option<Call>,
    user: *mut c_void,
}

/// The table that the host reads.
#[repr(C)]
pub struct Table {
    size: usize,
    version: u32,
    description: Str,
    items: *const RawItem,
    item_count: usize,
}

// SAFETY: a table is made once and never changes; what it points to is leaked.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

type VisitCallback = Option<unsafe extern "C" fn(*mut c_void, Id) -> i32>;

/// The functions of the host, in the order of the header. Later versions append to them.
#[repr(C)]
pub struct Host {
    size: usize,
    version: u32,
    status_text: extern "C" fn(i32) -> *const c_char,
    registry_default: unsafe extern "C" fn(*mut Id) -> i32,
    registry_free: extern "C" fn(Id) -> i32,
    object_type: unsafe extern "C" fn(Id, *mut Str) -> i32,
    object_is: unsafe extern "C" fn(Id, Str, *mut bool) -> i32,
    object_count: unsafe extern "C" fn(Id, *mut usize) -> i32,
    object_item: unsafe extern "C" fn(Id, usize, *mut RawValue) -> i32,
    object_key: unsafe extern "C" fn(Id, usize, *mut RawValue) -> i32,
    object_field: unsafe extern "C" fn(Id, Str, *mut RawValue) -> i32,
    object_at: unsafe extern "C" fn(Id, Str, *mut RawValue) -> i32,
    object_new: unsafe extern "C" fn(Id, Str, *const Str, *const RawValue, usize, *mut Id, *mut Id) -> i32,
    object_with_field: unsafe extern "C" fn(Id, Str, *const RawValue, *mut Id, *mut Id) -> i32,
    object_rewrite: unsafe extern "C" fn(Id, Option<Call>, *mut c_void, *mut Id, *mut Id) -> i32,
    array_new: unsafe extern "C" fn(Id, *const RawValue, usize, *mut Id) -> i32,
    object_clone: unsafe extern "C" fn(Id, *mut Id) -> i32,
    object_free: extern "C" fn(Id) -> i32,
    value_free: unsafe extern "C" fn(*mut RawValue) -> i32,
    visit: unsafe extern "C" fn(Id, VisitCallback, VisitCallback, *mut c_void) -> i32,
    errors_render: unsafe extern "C" fn(Id, *mut Id) -> i32,
    errors_free: extern "C" fn(Id) -> i32,
    text_get: unsafe extern "C" fn(Id, *mut Str) -> i32,
    text_free: extern "C" fn(Id) -> i32,
}

static HOST: OnceLock<&'static Host> = OnceLock::new();

fn host() -> Result<&'static Host, Error> {
    HOST.get().copied().ok_or_else(|| Error::from("the plugin is not loaded"))
}

/// The result of a call.
fn check(host: &Host, status: i32) -> Result<(), Error> {
    if status == OK {
        return Ok(());
    }
    let text = (host.status_text)(status);
    if text.is_null() {
        return Err(Error::from("an unknown error"));
    }
    // SAFETY: the host returns a text with a zero byte, which lives as long as the host.
    let text = unsafe { std::ffi::CStr::from_ptr(text) };
    Err(Error::from(text.to_string_lossy().into_owned()))
}

/// The result of a call that may leave errors.
fn check_errors(host: &Host, status: i32, errors: Id) -> Result<(), Error> {
    let mut text = NULL;
    let mut view = Str::EMPTY;
    // SAFETY: places of the right types; the view lives until the text is freed.
    let message = unsafe {
        let is_there = errors.id != 0
            && (host.errors_render)(errors, &raw mut text) == OK
            && (host.text_get)(text, &raw mut view) == OK;
        is_there.then(|| view.read().trim().to_owned())
    };
    (host.text_free)(text);
    (host.errors_free)(errors);
    match message {
        Some(message) if status != OK => Err(Error::from(message)),
        _ => check(host, status),
    }
}

/// A handle of a node that is freed at its end.
pub struct Handle(u64);

impl Handle {
    fn id(&self) -> Id {
        Id { id: self.0 }
    }

    fn duplicate(self) -> Result<Handle, Error> {
        // The handle is the host's.
        let handle = std::mem::ManuallyDrop::new(self);
        let host = host()?;
        let mut copy = NULL;
        // SAFETY: a place of the right type.
        check(host, unsafe { (host.object_clone)(handle.id(), &raw mut copy) })?;
        Ok(Handle(copy.id))
    }
}

impl Clone for Handle {
    fn clone(&self) -> Handle {
        // A handle that cannot be copied is the null handle, whose use is an error.
        Handle(self.0).duplicate().unwrap_or(Handle(0))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Ok(host) = host() {
            (host.object_free)(self.id());
        }
    }
}

/// Reads a value that the host made, and frees it.
fn take(host: &Host, mut value: RawValue) -> Result<Value, Error> {
    // SAFETY: the text lives until the value is freed.
    let taken = unsafe { value.read() };
    // SAFETY: a value that the host made.
    unsafe { (host.value_free)(&raw mut value) };
    taken
}

pub(crate) fn object_type(object: &Handle) -> Result<&'static str, Error> {
    let host = host()?;
    let mut key = Str::EMPTY;
    // SAFETY: a place of the right type.
    check(host, unsafe { (host.object_type)(object.id(), &raw mut key) })?;
    // SAFETY: type keys live as long as the process.
    Ok(unsafe { key.read() })
}

pub(crate) fn object_is(object: &Handle, key: &str) -> bool {
    let mut is = false;
    let Ok(host) = host() else { return false };
    // SAFETY: a place of the right type; the text lives during the call.
    unsafe { (host.object_is)(object.id(), Str::of(key), &raw mut is) };
    is
}

pub(crate) fn object_count(object: &Handle) -> usize {
    let mut count = 0;
    let Ok(host) = host() else { return 0 };
    // SAFETY: a place of the right type.
    unsafe { (host.object_count)(object.id(), &raw mut count) };
    count
}

pub(crate) fn object_field(object: &Handle, name: &str) -> Result<Value, Error> {
    let host = host()?;
    let mut value = RawValue::NONE;
    // SAFETY: a place of the right type; the text lives during the call.
    check(host, unsafe { (host.object_field)(object.id(), Str::of(name), &raw mut value) })
        .map_err(|error| Error::from(format!("{error}: the field `{name}`")))?;
    take(host, value)
}

pub(crate) fn object_item(object: &Handle, index: usize) -> Result<Value, Error> {
    let host = host()?;
    let mut value = RawValue::NONE;
    // SAFETY: a place of the right type.
    check(host, unsafe { (host.object_item)(object.id(), index, &raw mut value) })?;
    take(host, value)
}

pub(crate) fn object_at(object: &Handle, path: &str) -> Result<Value, Error> {
    let host = host()?;
    let mut value = RawValue::NONE;
    // SAFETY: a place of the right type; the text lives during the call.
    check(host, unsafe { (host.object_at)(object.id(), Str::of(path), &raw mut value) })?;
    take(host, value)
}

pub(crate) fn object_new(key: &str, fields: &[(&str, &Value)]) -> Result<Handle, Error> {
    let host = host()?;
    let names: Vec<Str> = fields.iter().map(|(name, _)| Str::of(name)).collect();
    let values: Vec<RawValue> = fields.iter().map(|(_, value)| RawValue::of(value)).collect();
    let (mut object, mut errors) = (NULL, NULL);
    // SAFETY: arrays of this length, which live during the call, and places of the right types. The null registry is any.
    let status = unsafe {
        let (names, values) = (names.as_ptr(), values.as_ptr());
        (host.object_new)(NULL, Str::of(key), names, values, fields.len(), &raw mut object, &raw mut errors)
    };
    check_errors(host, status, errors)?;
    Ok(Handle(object.id))
}

pub(crate) fn object_with_field(object: &Handle, name: &str, value: &Value) -> Result<Handle, Error> {
    let host = host()?;
    let value = RawValue::of(value);
    let (mut changed, mut errors) = (NULL, NULL);
    // SAFETY: a text and a value that live during the call, and places of the right types.
    let status = unsafe {
        (host.object_with_field)(
            object.id(),
            Str::of(name),
            &raw const value,
            &raw mut changed,
            &raw mut errors,
        )
    };
    check_errors(host, status, errors)?;
    Ok(Handle(changed.id))
}

pub(crate) fn array_new(values: &[Value]) -> Result<Handle, Error> {
    let host = host()?;
    let values: Vec<RawValue> = values.iter().map(RawValue::of).collect();
    let mut array = NULL;
    // SAFETY: an array of this length, which lives during the call, and a place of the right type.
    check(host, unsafe { (host.array_new)(NULL, values.as_ptr(), values.len(), &raw mut array) })?;
    Ok(Handle(array.id))
}

pub(crate) fn object_rewrite(
    object: &Handle,
    call: &dyn Fn(&[Value]) -> Result<Value, Error>,
) -> Result<Handle, Error> {
    let host = host()?;
    let (mut rewritten, mut errors) = (NULL, NULL);
    let failed: RefCell<Option<Error>> = RefCell::new(None);
    let keep = |args: &[Value]| {
        call(args).inspect_err(|error| {
            failed.borrow_mut().get_or_insert_with(|| error.clone());
        })
    };
    let borrowed: &dyn Fn(&[Value]) -> Result<Value, Error> = &keep;
    let user = (&raw const borrowed).cast_mut().cast::<c_void>();
    // SAFETY: `call_borrowed` gets the pointer to `borrowed`, which lives during the call; places of the right types.
    let status = unsafe {
        (host.object_rewrite)(object.id(), Some(call_borrowed), user, &raw mut rewritten, &raw mut errors)
    };
    let result = check_errors(host, status, errors);
    match failed.into_inner() {
        Some(error) => Err(error),
        None => result.map(|()| Handle(rewritten.id)),
    }
}

unsafe extern "C" fn call_borrowed(
    user: *mut c_void,
    args: *const RawValue,
    count: usize,
    result: *mut RawValue,
) -> i32 {
    // SAFETY: `object_rewrite` passes this pointer, and the host passes it on during that call.
    let code = unsafe { &*user.cast::<&dyn Fn(&[Value]) -> Result<Value, Error>>() };
    // SAFETY: arguments and result are the host's.
    unsafe { answer(code, args, count, result) }
}

unsafe extern "C" fn call_item(
    user: *mut c_void,
    args: *const RawValue,
    count: usize,
    result: *mut RawValue,
) -> i32 {
    // SAFETY: `user` is the leaked code of the item whose table has this function.
    let code = unsafe { &*user.cast::<Code>() };
    // SAFETY: arguments and result are the host's.
    unsafe { answer(&**code, args, count, result) }
}

thread_local! {
    /// The value that the last call returned, whose text the host reads before it calls again.
    static RESULT: RefCell<Value> = const { RefCell::new(Value::None) };
}

/// Calls code with the arguments of the host, and writes its result or the reason of its failure.
///
/// # Safety
/// `count` values have to be at `args`, and a place for one at `result`.
unsafe fn answer(
    code: &dyn Fn(&[Value]) -> Result<Value, Error>,
    args: *const RawValue,
    count: usize,
    result: *mut RawValue,
) -> i32 {
    let run = AssertUnwindSafe(|| {
        let args = match count {
            0 => &[],
            // SAFETY: by contract.
            count => unsafe { std::slice::from_raw_parts(args, count) },
        };
        // SAFETY: arguments live during the call.
        let args = args.iter().map(|arg| unsafe { arg.read() }).collect::<Result<Vec<Value>, Error>>()?;
        code(&args)
    });
    let (value, status) = match catch_unwind(run) {
        Ok(Ok(value)) => (value, OK),
        Ok(Err(error)) => (Value::Text(error.message().to_owned()), STOPPED),
        Err(payload) => {
            let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
            std::mem::forget(payload);
            (Value::Text(format!("the plugin panicked: {}", message.unwrap_or_default())), STOPPED)
        }
    };
    let raw = RESULT.with(|last| {
        // The handle in a result becomes the host's.
        let raw = RawValue::of(&value);
        match value {
            Value::Node(node) => std::mem::forget(node),
            value => {
                // The text has not moved: its bytes are on the heap.
                drop(last.replace(value));
            }
        }
        raw
    });
    // SAFETY: by contract.
    unsafe { result.write(raw) };
    status
}

/// The table of a plugin, made on the first call of its function.
pub struct TableCell(OnceLock<Option<Table>>);

impl TableCell {
    /// An empty cell.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> TableCell {
        TableCell(OnceLock::new())
    }

    /// The table; null for a host of another version, and if making the dialect panics.
    ///
    /// # Safety
    /// The pointer has to be that of the host's functions, which live as long as the process.
    pub unsafe fn get(&self, given: *const Host, make: fn() -> Dialect) -> *const Table {
        if given.is_null() {
            return std::ptr::null();
        }
        // SAFETY: by contract; the first two fields are those of every version.
        let (size, version) =
            unsafe { ((&raw const (*given).size).read(), (&raw const (*given).version).read()) };
        if version != VERSION || size < size_of::<Host>() {
            return std::ptr::null();
        }
        // SAFETY: by contract, with the size that was checked.
        HOST.get_or_init(|| unsafe { &*given });
        let table = self.0.get_or_init(|| catch_unwind(make).ok().map(table));
        table.as_ref().map_or(std::ptr::null(), std::ptr::from_ref)
    }
}

fn table(dialect: Dialect) -> Table {
    let Dialect { description, items } = dialect;
    let leak = |text: String| Str::of(String::leak(text));
    let items: Vec<RawItem> = items
        .into_iter()
        .map(|Item { kind, name, parameters, doc, code }| RawItem {
            kind: kind as i32,
            name: leak(name),
            parameters: leak(parameters),
            doc: leak(doc),
            call: Some(call_item),
            user: Box::into_raw(Box::new(code)).cast(),
        })
        .collect();
    let items: &'static [RawItem] = Vec::leak(items);
    Table {
        size: size_of::<Table>(),
        version: VERSION,
        description: leak(description),
        items: items.as_ptr(),
        item_count: items.len(),
    }
}

/// Defines the function that a plugin exports.
#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($table:expr, $make:expr) => {
        /// The function that a host of plugins calls.
        ///
        /// # Safety
        /// The pointer has to be that of the host's functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn tvmscript_plugin(
            host: *const $crate::raw::Host,
        ) -> *const $crate::raw::Table {
            // SAFETY: the host's promise.
            unsafe { $table.get(host, $make) }
        }
    };
}
