//! Frames that collect statements.

use tvmscript_ir_core::{Array, Class, Object, Ref};

use tvmscript_script_value::BuildResult;

use crate::frame::{Frame, FrameOf};

/// A frame that collects statements of class `S` and makes a node of them, with other data, when it closes. It refuses
/// other statements.
///
/// ```
/// use tvmscript_ir_core::{Array, Class, Node, Ref, Str};
/// use tvmscript_irbuilder::{Builder, FrameOf, Scope};
///
/// #[derive(Class)]
/// #[class(key = "doc.Stmt")]
/// struct Stmt(());
///
/// #[derive(Debug, Clone, Node)]
/// #[node(key = "doc.Group", parent = Stmt)]
/// struct Group {
///     label: Str,
///     body: Array<Ref<Stmt>>,
/// }
///
/// fn group(label: &str) -> FrameOf<Scope<Stmt, Str>> {
///     Scope::open("group", Str::new(label), |label, body| {
///         Builder::set_result(Ref::new(Group { label, body }).into())
///     })
/// }
///
/// let builder = Builder::new();
/// group("empty").body(|| ());
/// let group: Ref<Group> = builder.get().expect("no mistakes");
/// assert!(group.body.is_empty());
/// ```
pub struct Scope<S, T> {
    /// Data besides the statements.
    pub data: T,
    name: &'static str,
    body: Vec<Ref<S>>,
    close: fn(T, Array<Ref<S>>) -> BuildResult<()>,
}

impl<S: Class, T: 'static> Scope<S, T> {
    /// Makes a frame. `name` is that of messages; `close` makes the node and gives it to the builder.
    pub fn open(
        name: &'static str,
        data: T,
        close: fn(T, Array<Ref<S>>) -> BuildResult<()>,
    ) -> FrameOf<Scope<S, T>> {
        FrameOf::new(Scope { data, name, body: Vec::new(), close })
    }
}

impl<S: Class, T: 'static> Frame for Scope<S, T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let Scope { data, name: _, body, close } = *self;
        close(data, Array::new(body))
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        match stmt.downcast::<S>() {
            Ok(stmt) => {
                self.body.push(stmt);
                None
            }
            Err(other) => Some(other),
        }
    }
}
