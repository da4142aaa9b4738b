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
