//! Frames: the scopes of a print, and the stack of open ones.
//!
//! A frame collects statements, ends its definitions when it closes, and carries data of its dialect. Handlers of inner
//! nodes may read and change the data of enclosing frames.

use std::any::Any;

use hashbrown::HashMap;
use tvmscript_ir_core::{NodeId, Object};

use crate::definitions::Scope;
use crate::docsifier::Docsifier;
use crate::stmts::Stmts;

/// One scope.
pub struct Frame {
    /// The statements collected so far.
    pub stmts: Stmts,
    /// The node that the frame prints; free variables below it may be declared here. `None` for fragments.
    pub object: Option<Object>,
    /// `true` if the frame declares free variables that belong to no open node.
    pub declares_free: bool,
    /// The dialect's data.
    pub data: Box<dyn Any>,
    /// `true` if other frames may define the same variables.
    isolated: bool,
    /// `true` if names of inner frames stay taken until this one closes.
    pub(crate) keeps_names: bool,
    pub(crate) scope: Scope,
    /// Callbacks to run when the frame closes, in order.
    pub(crate) exits: Vec<ExitCallback>,
}

/// A callback that runs when a frame closes.
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
    /// Creates a frame that prints `object`.
    pub fn new(object: Option<Object>, data: impl Any) -> Frame {
        let isolated = object.is_none();
        Frame {
            stmts: Stmts::default(),
            object,
            declares_free: false,
            data: Box::new(data),
            isolated,
            keeps_names: false,
            scope: Scope::default(),
            exits: Vec::new(),
        }
    }

    /// Creates the frame around a fragment, which declares the free variables that no open node declares.
    pub fn fragment(data: impl Any) -> Frame {
        Frame { declares_free: true, isolated: false, ..Frame::new(None, data) }
    }

    /// Lets other frames define the same variables, such as dimensions that functions of one module share. Frames
    /// without a node, such as those of lambdas, are isolated.
    #[must_use]
    pub fn isolated(self) -> Frame {
        Frame { isolated: true, ..self }
    }

    /// Keeps the names of inner frames taken until this one closes: every name in it is then unique.
    #[must_use]
    pub fn with_unique_names(self) -> Frame {
        Frame { keeps_names: true, ..self }
    }

    pub(crate) fn is_isolated(&self) -> bool {
        self.isolated
    }
}

/// The stack of open frames. A frame's number is its depth, counted from 0.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    stack: Vec<Frame>,
    /// By node, the outermost frame that prints the node.
    of_node: HashMap<NodeId, usize>,
    /// Numbers of the frames that keep names, in ascending order.
    keepers: Vec<usize>,
}

impl Frames {
    pub(crate) fn open(&mut self, frame: Frame) {
        if let Some(object) = &frame.object {
            self.of_node.entry(object.id()).or_insert(self.stack.len());
        }
        self.push(frame);
    }

    fn push(&mut self, frame: Frame) {
        if frame.keeps_names {
            self.keepers.push(self.stack.len());
        }
        self.stack.push(frame);
    }

    pub(crate) fn close(&mut self) -> Option<Frame> {
        let frame = self.stack.pop()?;
        if frame.keeps_names {
            self.keepers.pop();
        }
        if let Some(object) = &frame.object
            && self.of_node.get(&object.id()) == Some(&self.stack.len())
        {
            self.of_node.remove(&object.id());
        }
        Some(frame)
    }

    /// The innermost frame that keeps the names of others.
    pub(crate) fn name_keeper(&mut self) -> Option<&mut Frame> {
        self.stack.get_mut(*self.keepers.last()?)
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
    /// Panics outside any frame, which no handler is.
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

    /// Number of the outermost frame that prints the node.
    pub(crate) fn of_node(&self, node: NodeId) -> Option<usize> {
        self.of_node.get(&node).copied()
    }

    /// The data of the innermost frame that holds an `F`, for modification.
    pub(crate) fn data_mut<F: Any>(&mut self) -> Option<&mut F> {
        self.stack.iter_mut().rev().find_map(|frame| frame.data.downcast_mut::<F>())
    }

    /// Removes the frames above the one with this number; [`Frames::resume`] restores them.
    pub(crate) fn suspend_inside(&mut self, number: usize) -> Vec<Frame> {
        let number = number.min(self.stack.len().saturating_sub(1));
        self.keepers.truncate(self.keepers.partition_point(|keeper| *keeper <= number));
        self.stack.split_off(number + 1)
    }

    pub(crate) fn resume(&mut self, inner: Vec<Frame>) {
        inner.into_iter().for_each(|frame| self.push(frame));
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
        assert_eq!(frames.of_node(node.id()), Some(1));
        frames.close();
        assert_eq!(frames.of_node(node.id()), Some(1));
        frames.close();
        assert_eq!(frames.of_node(node.id()), None);
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
