//! `sys`: what does not depend on the machine.

use super::{Constant, Library};

pub(super) static SYS: Library = Library {
    path: "sys",
    constants: &[
        ("byteorder", Constant::Str("little")),
        ("maxsize", Constant::Int(i64::MAX)),
        ("maxunicode", Constant::Int(0x10_ffff)),
        ("version_info", Constant::Version(&[3, 11, 0])),
    ],
    missing: "abiflags activate_stack_trampoline addaudithook api_version argv audit base_exec_prefix base_prefix \
        breakpointhook builtin_module_names call_tracing copyright displayhook dont_write_bytecode exc_info \
        excepthook exception exec_prefix executable exit flags float_info float_repr_style get_asyncgen_hooks \
        get_coroutine_origin_tracking_depth get_int_max_str_digits getallocatedblocks getdefaultencoding \
        getdlopenflags getfilesystemencodeerrors getfilesystemencoding getprofile getrecursionlimit getrefcount \
        getsizeof getswitchinterval gettrace hash_info hexversion implementation int_info intern is_finalizing \
        meta_path modules orig_argv path path_hooks path_importer_cache platform platlibdir prefix ps1 ps2 \
        pycache_prefix set_asyncgen_hooks set_coroutine_origin_tracking_depth set_int_max_str_digits \
        setdlopenflags setprofile setrecursionlimit setswitchinterval settrace stderr stdin stdlib_module_names \
        stdout thread_info unraisablehook version warnoptions last_type last_value last_traceback",
    ..Library::EMPTY
};
