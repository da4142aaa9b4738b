//! Memory, pointers and elements.

use crate::scalar::{float_from_bits, float_to_bits, is_float, storage_bytes, wrap};
use tvmscript_ir_core::{DataType, TypeCode};

use crate::error::{Result, RunErrorKind, unsupported_type};

/// Bits of a pointer that count bytes; those above are the number of the memory.
pub(crate) const OFFSET_BITS: u32 = 40;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;

/// The type of an element in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Float32,
    Int32,
    Float16,
    BFloat16,
    Float64,
    Int8,
    UInt8,
    Int16,
    UInt16,
    UInt32,
    Word,
    Bool,
    /// Another type of one byte per element.
    Byte(DataType),
}

impl Element {
    /// Returns the form of the elements of a type; an error for types that have none.
    pub(crate) fn of(dtype: DataType) -> Result<Element> {
        let dtype = dtype.element();
        Ok(match (dtype.code, dtype.bits) {
            (TypeCode::Float, 32) => Element::Float32,
            (TypeCode::Float, 16) => Element::Float16,
            (TypeCode::BFloat, 16) => Element::BFloat16,
            (TypeCode::Float, 64) => Element::Float64,
            (TypeCode::Int, 32) => Element::Int32,
            (TypeCode::Int, 16) => Element::Int16,
            (TypeCode::Int, 8) => Element::Int8,
            (TypeCode::UInt, 8) => Element::UInt8,
            (TypeCode::UInt, 16) => Element::UInt16,
            (TypeCode::UInt, 32) => Element::UInt32,
            (TypeCode::Int | TypeCode::UInt | TypeCode::Handle, 64) => Element::Word,
            (TypeCode::Bool, _) => Element::Bool,
            _ => match storage_bytes(dtype) {
                Some(1) => Element::Byte(dtype),
                _ => return unsupported_type(dtype),
            },
        })
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            Element::Int8 | Element::UInt8 | Element::Bool | Element::Byte(_) => 1,
            Element::Int16 | Element::UInt16 | Element::Float16 | Element::BFloat16 => 2,
            Element::Int32 | Element::UInt32 | Element::Float32 => 4,
            Element::Word | Element::Float64 => 8,
        }
    }
}

/// All memory of a run.
#[derive(Debug)]
pub(crate) struct Memory {
    /// By number; 0 is that of the null pointer.
    parts: Vec<Vec<u8>>,
    free: Vec<usize>,
    bytes: usize,
    limit: usize,
}

impl Memory {
    pub(crate) fn new(limit: usize) -> Memory {
        Memory { parts: vec![Vec::new()], free: Vec::new(), bytes: 0, limit }
    }

    /// Adds the memory of an argument, which does not count.
    pub(crate) fn add(&mut self, bytes: Vec<u8>) -> u64 {
        self.parts.push(bytes);
        ((self.parts.len() - 1) as u64) << OFFSET_BITS
    }

    /// Takes the memory of an argument back.
    pub(crate) fn take(&mut self, pointer: u64) -> Vec<u8> {
        self.parts.get_mut(number(pointer)).map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<u64> {
        if self.bytes.saturating_add(bytes) > self.limit {
            return Err(RunErrorKind::Memory { limit: self.limit }.into());
        }
        self.bytes += bytes;
        let number = self.free.pop().unwrap_or(self.parts.len());
        match self.parts.get_mut(number) {
            Some(part) => {
                part.clear();
                part.resize(bytes, 0);
            }
            None => self.parts.push(vec![0; bytes]),
        }
        Ok((number as u64) << OFFSET_BITS)
    }

    /// Clears memory that is allocated again with the same size; `false` for another size.
    pub(crate) fn renew(&mut self, pointer: u64, bytes: usize) -> bool {
        match self.parts.get_mut(number(pointer)) {
            Some(part) if part.len() == bytes && pointer != 0 => {
                part.fill(0);
                true
            }
            _ => false,
        }
    }

    pub(crate) fn release(&mut self, pointer: u64) {
        let number = number(pointer);
        if number == 0 {
            return;
        }
        if let Some(part) = self.parts.get_mut(number) {
            self.bytes = self.bytes.saturating_sub(part.len());
            part.clear();
            self.free.push(number);
        }
    }

    /// The number of bytes of the memory that a pointer points to.
    pub(crate) fn len(&self, pointer: u64) -> usize {
        self.parts.get(number(pointer)).map_or(0, Vec::len)
    }

    /// The bytes from a pointer on.
    pub(crate) fn bytes(&self, pointer: u64, len: usize) -> Option<&[u8]> {
        self.parts.get(number(pointer))?.get(offset(pointer)..)?.get(..len)
    }

    pub(crate) fn bytes_mut(&mut self, pointer: u64, len: usize) -> Option<&mut [u8]> {
        self.parts.get_mut(number(pointer))?.get_mut(offset(pointer)..)?.get_mut(..len)
    }

    #[inline(always)]
    fn array<const N: usize>(&self, pointer: u64, index: i64) -> Option<[u8; N]> {
        let start = (offset(pointer) as i64).wrapping_add(index.wrapping_mul(N as i64));
        self.parts.get(number(pointer))?.get(start as usize..)?.first_chunk::<N>().copied()
    }

    #[inline(always)]
    fn set<const N: usize>(&mut self, pointer: u64, index: i64, value: [u8; N]) -> Option<()> {
        let start = (offset(pointer) as i64).wrapping_add(index.wrapping_mul(N as i64));
        *self.parts.get_mut(number(pointer))?.get_mut(start as usize..)?.first_chunk_mut::<N>()? = value;
        Some(())
    }

    /// Reads an element.
    #[inline(always)]
    pub(crate) fn load(&self, element: Element, pointer: u64, index: i64) -> Option<u64> {
        Some(match element {
            Element::Float32 => f64::from(f32::from_le_bytes(self.array(pointer, index)?)).to_bits(),
            Element::Int32 => i64::from(i32::from_le_bytes(self.array(pointer, index)?)) as u64,
            Element::Float64 | Element::Word => u64::from_le_bytes(self.array(pointer, index)?),
            Element::Int8 => i64::from(i8::from_le_bytes(self.array(pointer, index)?)) as u64,
            Element::UInt8 => u64::from(u8::from_le_bytes(self.array(pointer, index)?)),
            Element::Int16 => i64::from(i16::from_le_bytes(self.array(pointer, index)?)) as u64,
            Element::UInt16 => u64::from(u16::from_le_bytes(self.array(pointer, index)?)),
            Element::UInt32 => u64::from(u32::from_le_bytes(self.array(pointer, index)?)),
            Element::Bool => u64::from(u8::from_le_bytes(self.array(pointer, index)?) != 0),
            Element::Float16 => {
                let bits = u16::from_le_bytes(self.array(pointer, index)?);
                from_bits(DataType::float(16), bits.into())
            }
            Element::BFloat16 => {
                let bits = u16::from_le_bytes(self.array(pointer, index)?);
                f64::from(f32::from_bits(u32::from(bits) << 16)).to_bits()
            }
            Element::Byte(dtype) => from_bits(dtype, u8::from_le_bytes(self.array(pointer, index)?).into()),
        })
    }

    /// Writes an element.
    #[inline(always)]
    pub(crate) fn store(&mut self, element: Element, pointer: u64, index: i64, value: u64) -> Option<()> {
        match element {
            Element::Float32 => self.set(pointer, index, (f64::from_bits(value) as f32).to_le_bytes()),
            Element::Int32 | Element::UInt32 => self.set(pointer, index, (value as u32).to_le_bytes()),
            Element::Float64 | Element::Word => self.set(pointer, index, value.to_le_bytes()),
            Element::Int8 | Element::UInt8 => self.set(pointer, index, (value as u8).to_le_bytes()),
            Element::Int16 | Element::UInt16 => self.set(pointer, index, (value as u16).to_le_bytes()),
            Element::Bool => self.set(pointer, index, [u8::from(value != 0)]),
            Element::Float16 => {
                self.set(pointer, index, (to_bits(DataType::float(16), value) as u16).to_le_bytes())
            }
            Element::BFloat16 => {
                let bits = to_bits(DataType { code: TypeCode::BFloat, bits: 16, lanes: 1 }, value);
                self.set(pointer, index, (bits as u16).to_le_bytes())
            }
            Element::Byte(dtype) => self.set(pointer, index, [to_bits(dtype, value) as u8]),
        }
    }
}

fn number(pointer: u64) -> usize {
    (pointer >> OFFSET_BITS) as usize
}

pub(crate) fn offset(pointer: u64) -> usize {
    (pointer & OFFSET_MASK) as usize
}

/// The pointer some bytes further.
pub(crate) fn advance(pointer: u64, bytes: i64) -> u64 {
    (pointer & !OFFSET_MASK) | (pointer.wrapping_add(bytes as u64) & OFFSET_MASK)
}

/// The value of a register that holds the element with some bits.
pub(crate) fn from_bits(dtype: DataType, bits: u64) -> u64 {
    match float_from_bits(dtype, bits) {
        Some(value) => value.to_bits(),
        None => wrap(dtype, bits as i64),
    }
}

/// The bits of the element that a register holds.
pub(crate) fn to_bits(dtype: DataType, value: u64) -> u64 {
    let width = u32::from(dtype.bits.clamp(1, 64));
    let bits = match is_float(dtype) {
        true => float_to_bits(dtype, f64::from_bits(value)).unwrap_or_default(),
        false => value,
    };
    bits & (u64::MAX >> (64 - width))
}
