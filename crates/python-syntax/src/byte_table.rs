//! Tables with an entry for each byte.

/// A value for each byte; [`byte_table!`] makes one.
pub(crate) struct ByteTable<T: 'static>(pub(crate) [T; 256]);

impl<T: Copy> ByteTable<T> {
    /// The entry of a byte.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a byte is less than the length")]
    pub(crate) fn of(&self, byte: u8) -> T {
        self.0[byte as usize]
    }
}

/// Makes a [`ByteTable`] in a constant, from a value of its type and an expression over a byte.
macro_rules! byte_table {
    ($first:expr, |$byte:ident| $value:expr) => {{
        let mut table = [$first; 256];
        let mut rest: &mut [_] = &mut table;
        let mut next = 0_u8;
        while let Some((entry, after)) = rest.split_first_mut() {
            let $byte = next;
            *entry = $value;
            rest = after;
            next = next.wrapping_add(1);
        }
        $crate::byte_table::ByteTable(table)
    }};
}

pub(crate) use byte_table;
