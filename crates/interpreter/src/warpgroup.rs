//! Products of matrices by a group of four warps, with operands in shared memory that descriptors point to.
//!
//! A descriptor holds the address, two strides and how the parts of 16 bytes are swapped. In memory it is a word: the place in
//! units of 16 bytes, the number of the memory, the strides in units of 16 bytes, the layout.

use tvmscript_ir_core::DataType;

use crate::error::{Result, unsupported};
use crate::machine::Machine;
use crate::matrix::{Lanes, accumulate, pairs};
use crate::memory::{Element, OFFSET_BITS, advance};
use crate::program::Register;
use crate::tensor_map::swizzled;
use crate::threads::WARP;

const PLACE_BITS: u32 = 18;
const MEMORY_BITS: u32 = 16;
const STRIDE_BITS: u32 = 14;

/// A product `C = A * B + C`. Each warp has 16 of the 64 rows of A and C.
#[derive(Debug, Clone)]
pub(crate) struct WarpgroupProduct {
    pub(crate) columns: usize,
    pub(crate) depth: usize,
    pub(crate) a: Operand,
    pub(crate) a_element: Element,
    pub(crate) b: Operand,
    pub(crate) b_element: Element,
    /// Pointer to the elements of a lane.
    pub(crate) c: Register,
    pub(crate) c_type: DataType,
    /// Whether C is added.
    pub(crate) scale_out: Register,
}

/// The place of an operand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operand {
    /// In shared memory: the descriptor, and an offset to its place.
    Shared { descriptor: Register, offset: Register, is_depth_major: bool },
    /// Spread over the lanes: a pointer to the elements of a lane, and how many of them are in a register.
    Lanes { p: Register, parts: usize },
}

/// Makes a descriptor of memory.
pub(crate) fn descriptor(p: u64, layout: u8, leading: u16, stride: u16) -> Result<u64> {
    let (memory, offset) = (p >> OFFSET_BITS, p & ((1 << OFFSET_BITS) - 1));
    let fits = memory < 1 << MEMORY_BITS && offset < 1 << (PLACE_BITS + 4) && offset.is_multiple_of(16);
    let is_small = leading < 1 << STRIDE_BITS && stride < 1 << STRIDE_BITS && layout < 4;
    if !fits || !is_small {
        return unsupported("a descriptor of this place in shared memory");
    }
    let place = offset >> 4 | memory << PLACE_BITS;
    let strides =
        u64::from(leading) | u64::from(stride) << STRIDE_BITS | u64::from(layout) << (2 * STRIDE_BITS);
    Ok(place | strides << (PLACE_BITS + MEMORY_BITS))
}

/// An operand in shared memory.
struct Shared {
    start: u64,
    leading: i64,
    stride: i64,
    swizzle: u64,
    is_depth_major: bool,
    size: i64,
}

impl Shared {
    fn of(descriptor: u64, is_depth_major: bool, element: Element) -> Shared {
        let bits = |from: u32, count: u32| descriptor >> from & ((1 << count) - 1);
        let strides = PLACE_BITS + MEMORY_BITS;
        Shared {
            start: bits(0, PLACE_BITS) << 4 | bits(PLACE_BITS, MEMORY_BITS) << OFFSET_BITS,
            leading: 16 * bits(strides, STRIDE_BITS) as i64,
            stride: 16 * bits(strides + STRIDE_BITS, STRIDE_BITS) as i64,
            // Layouts are numbered from the widest swizzle on.
            swizzle: match bits(strides + 2 * STRIDE_BITS, 2) {
                0 => 0,
                layout => 4 - layout,
            },
            is_depth_major,
            size: element.bytes() as i64,
        }
    }

    /// The address of the element with an index along its rows or columns, and along the depth.
    fn at(&self, index: i64, depth: i64) -> u64 {
        let width = 16i64 << self.swizzle;
        let bytes = match (self.is_depth_major, self.swizzle) {
            (true, 0) => {
                let inner = depth * self.size;
                index % 8 * 16 + index / 8 * self.stride + inner / 16 * self.leading + inner % 16
            }
            (true, _) => index % 8 * width + index / 8 * self.stride + depth * self.size,
            (false, 0) => {
                let inner = index * self.size;
                inner / 16 * self.stride + inner % 16 + depth % 8 * 16 + depth / 8 * self.leading
            }
            (false, _) => {
                let inner = index * self.size;
                inner % width + inner / width * self.leading + depth % 8 * width + depth / 8 * self.stride
            }
        };
        swizzled(advance(self.start, bytes), self.swizzle)
    }
}

impl Machine<'_> {
    /// Executes the part of a product that a warp computes.
    pub(crate) fn warpgroup(
        &mut self,
        place: usize,
        product: &WarpgroupProduct,
        own: &Lanes<'_>,
    ) -> Result<()> {
        let WarpgroupProduct { columns, depth, .. } = *product;
        let Some(leader) = own.lanes.first().copied() else { return Ok(()) };
        let warp = own.first / WARP % 4;
        let left =
            self.operand(place, product.a, product.a_element, [16, depth], 16 * warp, (leader, own))?;
        let right = self.operand(place, product.b, product.b_element, [columns, depth], 0, (leader, own))?;
        let element = Element::of(product.c_type)?;
        let is_added = own.read(leader, product.scale_out) != 0;
        for lane in own.lanes {
            let (group, inner) = ((lane - own.first) / 4, (lane - own.first) % 4);
            let pointer = own.read(*lane, product.c);
            for index in 0..columns / 2 {
                let row = group + 8 * (index % 4 / 2);
                let column = index / 4 * 8 + inner * 2 + index % 2;
                let old = if is_added { self.element(place, element, pointer, index)? } else { 0 };
                let new = accumulate(product.c_type, old, pairs(&left, row, &right, column, depth));
                self.set_element(place, element, pointer, index, new)?;
            }
        }
        self.steps += (16 * columns * depth / 8) as u64;
        Ok(())
    }

    /// The elements of an operand, row by row; rows of shared memory are counted from `first` on.
    pub(crate) fn operand(
        &self,
        place: usize,
        operand: Operand,
        element: Element,
        [rows, depth]: [usize; 2],
        first: usize,
        (leader, own): (usize, &Lanes<'_>),
    ) -> Result<Vec<u64>> {
        let mut values = vec![0u64; rows * depth];
        match operand {
            Operand::Shared { descriptor, offset, is_depth_major } => {
                let start = own.read(leader, descriptor).wrapping_add(own.read(leader, offset));
                let shared = Shared::of(start, is_depth_major, element);
                for (number, value) in values.iter_mut().enumerate() {
                    let (row, column) = (first + number / depth, number % depth);
                    *value = self.element(place, element, shared.at(row as i64, column as i64), 0)?;
                }
            }
            Operand::Lanes { p, parts } => {
                for lane in own.lanes {
                    let (group, inner) = ((lane - own.first) / 4, (lane - own.first) % 4);
                    for index in 0..rows * depth / WARP {
                        let part = index / parts;
                        let row = group + 8 * (part % 2);
                        let column = inner * parts + index % parts + 4 * parts * (part / 2);
                        let value = self.element(place, element, own.read(*lane, p), index)?;
                        if let Some(slot) = values.get_mut(row * depth + column) {
                            *slot = value;
                        }
                    }
                }
            }
        }
        Ok(values)
    }
}
