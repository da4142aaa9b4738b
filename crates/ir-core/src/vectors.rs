//! Vectors whose positions are names of their elements, and the accesses to vectors that dialect-free crates share.

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
pub fn reverse_above<T>(stack: &mut [T], mark: usize) {
    if let Some(pushed) = stack.get_mut(mark..) {
        pushed.reverse();
    }
}

/// The element of a position that is known to be in the vector.
///
/// # Panics
/// If it is not.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "documented")]
pub fn at<T>(elements: &[T], position: usize) -> &T {
    &elements[position]
}

/// The element of an index in a vector that grows up to it.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the vector is as long")]
pub fn entry<T: Default>(elements: &mut Vec<T>, index: usize) -> &mut T {
    if elements.len() <= index {
        elements.resize_with(index + 1, T::default);
    }
    &mut elements[index]
}

/// The first element that `is_wanted`, added if there is none.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the element was found or added")]
pub fn find_or_push<T>(
    elements: &mut Vec<T>,
    is_wanted: impl FnMut(&T) -> bool,
    make: impl FnOnce() -> T,
) -> &mut T {
    let found = elements.iter().position(is_wanted);
    let position = found.unwrap_or_else(|| {
        elements.push(make());
        elements.len() - 1
    });
    &mut elements[position]
}

/// The first `N` bytes, with zeros behind fewer.
#[inline]
pub fn padded<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut all = [0; N];
    let len = bytes.len().min(N);
    if let (Some(to), Some(from)) = (all.get_mut(..len), bytes.get(..len)) {
        to.copy_from_slice(from);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_found_or_added() {
        let mut pairs = vec![(1, "one")];
        assert_eq!(find_or_push(&mut pairs, |(key, _)| *key == 1, || (1, "other")).1, "one");
        find_or_push(&mut pairs, |(key, _)| *key == 2, || (2, "two")).1 = "deux";
        assert_eq!(pairs, [(1, "one"), (2, "deux")]);
    }

    #[test]
    fn a_vector_grows_up_to_an_index() {
        let mut numbers = vec![7];
        *entry(&mut numbers, 2) += 1;
        assert_eq!(numbers, [7, 0, 1]);
        assert_eq!(*entry(&mut numbers, 0), 7);
    }

    #[test]
    fn bytes_are_cut_or_filled_with_zeros() {
        assert_eq!(padded::<3>(&[1]), [1, 0, 0]);
        assert_eq!(padded::<2>(&[1, 2, 3]), [1, 2]);
    }
}
