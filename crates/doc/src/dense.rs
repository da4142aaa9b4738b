//! Access to the vectors of an arena by the positions that it hands out.

/// The element of a position.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "positions are handed out by the arena, which removes nothing")]
pub(crate) fn at<T>(elements: &[T], position: u32) -> &T {
    &elements[position as usize]
}

/// As [`at`], for changes.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "positions are handed out by the arena, which removes nothing")]
pub(crate) fn at_mut<T>(elements: &mut [T], position: u32) -> &mut T {
    &mut elements[position as usize]
}

/// The elements of a list.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "lists are handed out by the arena, which removes nothing")]
pub(crate) fn run<T>(elements: &[T], start: u32, len: u32) -> &[T] {
    &elements[start as usize..][..len as usize]
}

/// The element of an index in a vector that grows up to it.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the vector is as long")]
pub(crate) fn entry<T: Default>(elements: &mut Vec<T>, index: usize) -> &mut T {
    if elements.len() <= index {
        elements.resize_with(index + 1, T::default);
    }
    &mut elements[index]
}
