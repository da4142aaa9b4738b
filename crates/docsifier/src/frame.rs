//! Frames: the scopes of a print.
//!
//! A frame collects statements, forgets its variables when it closes, and holds what its dialect wants to know of it.
//! Handlers further in may read and change the data of the frames around them.

use std::any::Any;

use hashbrown::HashMap;
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

/// The open frames, each with a number: how many are around it.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    stack: Vec<Frame>,
    /// For each node that an open frame prints, by address, the outermost such frame.
    of_node: HashMap<usize, usize>,
}

impl Frames {
    /// Opens a frame.
    pub(crate) fn open(&mut self, frame: Frame) {
        if let Some(object) = &frame.object {
            self.of_node.entry(object.address()).or_insert(self.stack.len());
        }
        self.stack.push(frame);
    }

    /// Closes the innermost frame.
    pub(crate) fn close(&mut self) -> Option<Frame> {
        let frame = self.stack.pop()?;
        if let Some(object) = &frame.object
            && self.of_node.get(&object.address()) == Some(&self.stack.len())
        {
            self.of_node.remove(&object.address());
        }
        Some(frame)
    }

    pub(crate) fn len(&self) -> usize {
        self.stack.len()
    }

    /// The frames, outermost first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Frame> + ExactSizeIterator {
        self.stack.iter()
    }

    /// The innermost frame and its number.
    ///
    /// # Panics
    /// Outside any frame: a mistake of a handler that is called without one, never of the printed node.
    pub(crate) fn innermost(&mut self) -> (usize, &mut Frame) {
        let number = self.stack.len().saturating_sub(1);
        match self.stack.last_mut() {
            Some(frame) => (number, frame),
            None => unreachable!("every print opens a frame first"),
        }
    }

    pub(crate) fn innermost_mut(&mut self) -> Option<&mut Frame> {
        self.stack.last_mut()
    }

    /// The number of the outermost frame that prints the node at this address.
    pub(crate) fn of_node(&self, address: usize) -> Option<usize> {
        self.of_node.get(&address).copied()
    }

    /// The data of the innermost frame that holds an `F`, to change.
    pub(crate) fn data_mut<F: Any>(&mut self) -> Option<&mut F> {
        self.stack.iter_mut().rev().find_map(|frame| frame.data.downcast_mut::<F>())
    }

    /// Takes off the frames further in than the one of this number, to be put back by [`Frames::resume`].
    pub(crate) fn suspend_inside(&mut self, number: usize) -> Vec<Frame> {
        let number = number.min(self.stack.len().saturating_sub(1));
        self.stack.split_off(number + 1)
    }

    pub(crate) fn resume(&mut self, inner: Vec<Frame>) {
        self.stack.extend(inner);
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::{ObjectLike, Str};

    use super::*;

    #[test]
    fn a_node_belongs_to_its_outermost_frame_while_that_is_open() {
        let node = Str::new("node").into_object();
        let mut frames = Frames::default();
        frames.open(Frame::fragment(()));
        frames.open(Frame::new(Some(node.clone()), ()));
        frames.open(Frame::new(Some(node.clone()), ()));
        assert_eq!(frames.of_node(node.address()), Some(1));
        frames.close();
        assert_eq!(frames.of_node(node.address()), Some(1));
        frames.close();
        assert_eq!(frames.of_node(node.address()), None);
    }

    #[test]
    fn suspended_frames_come_back() {
        let mut frames = Frames::default();
        for data in 0..3_u32 {
            frames.open(Frame::new(None, data));
        }
        let inner = frames.suspend_inside(0);
        assert_eq!((frames.len(), frames.data_mut::<u32>().copied()), (1, Some(0)));
        frames.resume(inner);
        assert_eq!((frames.len(), frames.data_mut::<u32>().copied()), (3, Some(2)));
    }
}
