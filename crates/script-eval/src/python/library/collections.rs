//! `collections`: the subclasses of `dict`.

use super::Library;
use crate::python::dict_class;

pub(super) static COLLECTIONS: Library = Library {
    path: "collections",
    types: &[dict_class::TYPES],
    missing: "ChainMap UserDict UserList UserString abc deque namedtuple",
    ..Library::EMPTY
};
