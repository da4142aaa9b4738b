//! Vectors whose positions are names of their elements.

/// Elements named by the positions that [`Arena::push`] returns, which stay valid: nothing is ever removed.
#[derive(Debug, Clone)]
pub(crate) struct Arena<T>(Vec<T>);

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena(Vec::new())
    }
}

impl<T> Arena<T> {
    /// Values for the elements of another arena of this length.
    pub(crate) fn filled(value: T, len: usize) -> Arena<T>
    where
        T: Clone,
    {
        Arena(vec![value; len])
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, element: T) -> u32 {
        let position = self.0.len() as u32;
        self.0.push(element);
        position
    }

    /// The element of a position from elsewhere, if there is one.
    #[inline]
    pub(crate) fn get(&self, position: u32) -> Option<&T> {
        self.0.get(position as usize)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, position: u32) -> Option<&mut T> {
        self.0.get_mut(position as usize)
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "positions are those that `push` returned")]
    pub(crate) fn at(&self, position: u32) -> &T {
        &self.0[position as usize]
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "positions are those that `push` returned")]
    pub(crate) fn at_mut(&mut self, position: u32) -> &mut T {
        &mut self.0[position as usize]
    }
}

/// Reverses the elements of a stack above a mark, so that the first one that was pushed is popped first.
#[inline]
pub(crate) fn reverse_above<T>(stack: &mut [T], mark: usize) {
    if let Some(pushed) = stack.get_mut(mark..) {
        pushed.reverse();
    }
}
