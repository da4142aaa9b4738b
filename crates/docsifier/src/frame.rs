//! Frames: the scopes of a print.
//!
//! A frame collects statements, forgets its variables when it closes, and holds what its dialect wants to know of it.
//! Handlers further in may read and change the data of the frames around them.

use std::any::Any;

use tvmscript_ir_core::Object;

use crate::definitions::Scope;
use crate::docsifier::Docsifier;
use crate::stmts::Stmts;

/// What a dialect keeps in a frame.
pub trait FrameData: Any {}
impl<T: Any> FrameData for T {}

/// One scope.
pub struct Frame {
    /// The statements collected so far.
    pub stmts: Stmts,
    /// The node the frame prints; free variables below it may be declared here. A fragment's frame has none.
    pub object: Option<Object>,
    /// Whether a free variable that belongs to no open node may be declared here.
    pub declares_free: bool,
    /// What the dialect keeps.
    pub data: Box<dyn Any>,
    /// What the frame defines may be defined by other frames too.
    isolated: bool,
    pub(crate) scope: Scope,
    /// Run when the frame closes, in the order they came.
    pub(crate) exits: Vec<ExitCallback>,
}

/// What a frame does when it closes.
pub type ExitCallback = Box<dyn FnOnce(&mut Docsifier<'_>)>;

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame")
            .field("stmts", &self.stmts.len())
            .field("object", &self.object)
            .finish_non_exhaustive()
    }
}

impl Frame {
    /// A frame that prints `object`, with a dialect's data.
    pub fn new(object: Option<Object>, data: impl FrameData) -> Frame {
        let isolated = object.is_none();
        Frame {
            stmts: Stmts::default(),
            object,
            declares_free: false,
            data: Box::new(data),
            isolated,
            scope: Scope::default(),
            exits: Vec::new(),
        }
    }

    /// The frame around a fragment: what no open node declares is declared here.
    pub fn fragment(data: impl FrameData) -> Frame {
        Frame { declares_free: true, isolated: false, ..Frame::new(None, data) }
    }

    /// The same frame, whose variables other frames may define as well: dimensions that functions of one module share. Frames
    /// without a node, such as those of lambdas, are isolated.
    #[must_use]
    pub fn isolated(self) -> Frame {
        Frame { isolated: true, ..self }
    }

    pub(crate) fn is_isolated(&self) -> bool {
        self.isolated
    }
}
