//! Flatbuffers: tables of fields in slots, read in place.
//!
//! Each offset, table and vector is checked when it is read, so a table that is never asked for is never looked at.
//! Vectors of one file may overlap; a budget for all that is read bounds the time that such a file costs.

use std::cell::Cell;
use std::fmt::{self, Display, Formatter};

use crate::error::Reason;

/// Maximum number of tables and elements of vectors that are read from one file; more are refused.
const BUDGET: usize = 10_000_000;

/// A defect of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damaged {
    /// An offset, table or vector that is not inside the file.
    Outside,
    /// Overlapping vectors that count more elements than [`BUDGET`].
    TooLarge,
}

impl Display for Damaged {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Damaged::Outside => "an offset leads out of the file",
            Damaged::TooLarge => "it has more than 10 million tables and elements",
        })
    }
}

impl From<Damaged> for Reason {
    fn from(damaged: Damaged) -> Reason {
        Reason(format!("the file is damaged: {damaged}"))
    }
}

type Read<T> = Result<T, Damaged>;

/// The bytes of a file, and the rest of its budget.
#[derive(Debug)]
pub(super) struct File<'m> {
    bytes: &'m [u8],
    budget: Cell<usize>,
}

impl<'m> File<'m> {
    pub(super) fn new(bytes: &'m [u8]) -> File<'m> {
        File { bytes, budget: Cell::new(BUDGET) }
    }

    /// The first table.
    pub(super) fn root(&'m self) -> Read<Table<'m>> {
        self.table(self.follow(0)?)
    }

    /// Bytes of the file behind the tables, where large models keep their tensors.
    pub(super) fn range(&self, offset: u64, size: u64) -> Read<&'m [u8]> {
        let (offset, size) = (usize::try_from(offset), usize::try_from(size));
        let (Ok(offset), Ok(size)) = (offset, size) else { return Err(Damaged::Outside) };
        self.slice(offset, size)
    }

    fn slice(&self, at: usize, len: usize) -> Read<&'m [u8]> {
        at.checked_add(len).and_then(|end| self.bytes.get(at..end)).ok_or(Damaged::Outside)
    }

    fn scalar<T: Scalar>(&self, at: usize) -> Read<T> {
        T::read(self.slice(at, T::SIZE)?).ok_or(Damaged::Outside)
    }

    /// The position to which the offset at a position leads.
    fn follow(&self, at: usize) -> Read<usize> {
        let offset: u32 = self.scalar(at)?;
        usize::try_from(offset).ok().and_then(|offset| at.checked_add(offset)).ok_or(Damaged::Outside)
    }

    fn spend(&self, count: usize) -> Read<()> {
        self.budget.set(self.budget.get().checked_sub(count).ok_or(Damaged::TooLarge)?);
        Ok(())
    }

    fn table(&'m self, start: usize) -> Read<Table<'m>> {
        self.spend(1)?;
        let back: i32 = self.scalar(start)?;
        let fields = i64::try_from(start).ok().and_then(|start| start.checked_sub(back.into()));
        let fields = fields.and_then(|at| usize::try_from(at).ok()).ok_or(Damaged::Outside)?;
        let length: u16 = self.scalar(fields)?;
        Ok(Table { file: self, start, fields: self.slice(fields, length.into())? })
    }

    /// The start and length of the elements of a vector.
    fn vector(&self, at: usize, width: usize) -> Read<(usize, usize)> {
        let length: u32 = self.scalar(at)?;
        let length = usize::try_from(length).map_err(|_| Damaged::Outside)?;
        let size = length.checked_mul(width).ok_or(Damaged::Outside)?;
        let start = at.checked_add(4).ok_or(Damaged::Outside)?;
        self.slice(start, size)?;
        Ok((start, length))
    }
}

/// Numbers as they are stored, little-endian.
pub(super) trait Scalar: Sized {
    /// Number of bytes.
    const SIZE: usize;
    /// Reads as many bytes.
    fn read(bytes: &[u8]) -> Option<Self>;
}

macro_rules! scalars {
    ($($number:ty),*) => {$(
        impl Scalar for $number {
            const SIZE: usize = size_of::<$number>();
            fn read(bytes: &[u8]) -> Option<Self> {
                Some(<$number>::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    )*};
}
scalars! { u8, i8, u16, i32, u32, i64, u64, f32 }

/// A table: fields in slots, which may be left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'m> {
    file: &'m File<'m>,
    start: usize,
    /// Lengths of this list and of the table, then the offset of each field in the table, 0 if it is left out.
    fields: &'m [u8],
}

impl<'m> Table<'m> {
    /// The position of a field.
    fn field(&self, slot: u16) -> Option<usize> {
        let at = 4 + 2 * usize::from(slot);
        let offset = u16::read(self.fields.get(at..at + 2)?)?;
        (offset != 0).then(|| self.start + usize::from(offset))
    }

    fn target(&self, slot: impl Into<u16>) -> Read<Option<usize>> {
        self.field(slot.into()).map(|at| self.file.follow(at)).transpose()
    }

    /// A number.
    pub(super) fn scalar<T: Scalar>(&self, slot: impl Into<u16>, default: T) -> Read<T> {
        self.field(slot.into()).map_or(Ok(default), |at| self.file.scalar(at))
    }

    /// A table.
    pub(super) fn table(&self, slot: impl Into<u16>) -> Read<Option<Table<'m>>> {
        self.target(slot)?.map(|at| self.file.table(at)).transpose()
    }

    /// A vector of tables.
    pub(super) fn tables(&self, slot: impl Into<u16>) -> Read<Vec<Table<'m>>> {
        let Some(at) = self.target(slot)? else { return Ok(Vec::new()) };
        let (start, length) = self.file.vector(at, 4)?;
        self.file.spend(length)?;
        (0..length).map(|index| self.file.table(self.file.follow(start + 4 * index)?)).collect()
    }

    /// A vector of numbers; `None` if it is left out.
    pub(super) fn numbers<T: Scalar>(&self, slot: impl Into<u16>) -> Read<Option<Vec<T>>> {
        let Some(at) = self.target(slot)? else { return Ok(None) };
        let (start, length) = self.file.vector(at, T::SIZE)?;
        self.file.spend(length)?;
        let bytes = self.file.slice(start, length * T::SIZE)?;
        bytes.chunks_exact(T::SIZE).map(T::read).collect::<Option<_>>().map(Some).ok_or(Damaged::Outside)
    }

    /// A vector of bytes, or a text.
    pub(super) fn bytes(&self, slot: impl Into<u16>) -> Read<&'m [u8]> {
        let Some(at) = self.target(slot)? else { return Ok(&[]) };
        let (start, length) = self.file.vector(at, 1)?;
        self.file.slice(start, length)
    }
}
