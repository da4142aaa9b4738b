//! Copies between a tensor in global memory and a box in shared memory, by descriptors as CUDA's `cuTensorMapEncode` makes
//! them.
//!
//! A box lies in shared memory with its first dimension innermost; bits of the address above a line of the box swap its parts
//! of 16 bytes. Elements outside of the tensor are read as zero, and not written.

use std::collections::HashMap;

use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_ir_core::{DataType, TypeCode};

use crate::error::{Result, RunErrorKind, unsupported};
use crate::machine::Machine;
use crate::memory::{Element, advance};
use crate::program::Register;
use crate::records::{self, ANY_CONTENT};
use crate::scalar::operate;

/// Maximum number of dimensions.
const MAX_RANK: usize = 5;
/// Maximum extent of a box.
const MAX_BOX: i64 = 1 << 16;

/// The types of elements, by number.
const TYPES: [DataType; 13] = [
    DataType::uint(8),
    DataType::uint(16),
    DataType::uint(32),
    DataType::INT32,
    DataType::uint(64),
    DataType::INT64,
    DataType::float(16),
    DataType::FLOAT32,
    DataType::float(64),
    DataType { code: TypeCode::BFloat, bits: 16, lanes: 1 },
    DataType::FLOAT32,
    DataType::FLOAT32,
    DataType::FLOAT32,
];

/// The descriptors of a run, by their address.
pub(crate) type TensorMaps = HashMap<u64, TensorMap>;

/// A descriptor. Lists are by dimension, innermost first.
#[derive(Debug, Clone)]
pub(crate) struct TensorMap {
    dtype: DataType,
    address: u64,
    extents: Vec<i64>,
    /// In bytes.
    strides: Vec<i64>,
    steps: Vec<i64>,
    shape: Shape,
    swizzle: u64,
}

#[derive(Debug, Clone)]
enum Shape {
    /// Extents of the box.
    Box(Vec<i64>),
    /// Places of a kernel in an image: bounds of the places by dimension, the number of places and of channels.
    Patches { lower: Vec<i64>, upper: Vec<i64>, places: i64, channels: i64 },
}

/// A copy of a box.
#[derive(Debug, Clone)]
pub(crate) struct BoxCopy {
    pub(crate) descriptor: Register,
    pub(crate) shared: Register,
    pub(crate) coordinates: Vec<Register>,
    /// The place in a patch.
    pub(crate) offsets: Vec<Register>,
    pub(crate) direction: Direction,
    /// The barrier that counts the bytes.
    pub(crate) barrier: Option<Register>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Load,
    Store,
    Add,
}

/// The address in shared memory at which a place of a box lies. The mode is the number of address bits that change.
pub(crate) fn swizzled(pointer: u64, mode: u64) -> u64 {
    let mask = ((1u64 << mode.min(3)) - 1) << 4;
    pointer ^ (pointer >> 3 & mask)
}

/// The arguments of a packed call: a place, then numbers.
fn numbers(machine: &Machine<'_>, values: u64, count: i64) -> Result<(u64, Vec<i64>)> {
    let read = |at: i64| -> Result<i64> {
        match records::read(&machine.memory, values, at, ANY_CONTENT) {
            Some(value) => Ok(value as i64),
            None => Err(RunErrorKind::Kind { expected: "an argument of a descriptor" }.into()),
        }
    };
    let place = read(0)? as u64;
    Ok((place, (1..count).map(read).collect::<Result<Vec<i64>>>()?))
}

/// Makes a descriptor of tiles: the place, type, rank, address, extents, strides, box, steps, interleaving, swizzle, a hint
/// for the cache, and what is read outside of the tensor.
pub(crate) fn create_tiled(machine: &mut Machine<'_>, values: u64, count: i64) -> Result<()> {
    create(machine, values, count, |lists, rank| {
        let (shape, rest) = lists.split_at_checked(rank)?;
        let (steps, rest) = rest.split_at_checked(rank)?;
        is_box(shape).then(|| (steps.to_vec(), Shape::Box(shape.to_vec()), rest.to_vec()))
    })
}

/// Makes a descriptor of patches: as [`create_tiled`], with the bounds of the places, the number of channels and of places
/// instead of the box.
pub(crate) fn create_patches(machine: &mut Machine<'_>, values: u64, count: i64) -> Result<()> {
    create(machine, values, count, |lists, rank| {
        let (steps, rest) = lists.split_at_checked(rank)?;
        let corners = rank.checked_sub(2)?;
        let (lower, rest) = rest.split_at_checked(corners)?;
        let (upper, rest) = rest.split_at_checked(corners)?;
        let (&[places, channels], rest) = rest.split_first_chunk::<2>()?;
        let shape = Shape::Patches { lower: lower.to_vec(), upper: upper.to_vec(), places, channels };
        is_box(&[places, channels]).then(|| (steps.to_vec(), shape, rest.to_vec()))
    })
}

fn is_box(extents: &[i64]) -> bool {
    let count = extents.iter().fold(1i64, |count, extent| count.saturating_mul(*extent));
    extents.iter().all(|extent| *extent > 0) && count <= MAX_BOX
}

/// The steps, the shape and the modes after the strides of a list of numbers.
type Parts = (Vec<i64>, Shape, Vec<i64>);

fn create(
    machine: &mut Machine<'_>,
    values: u64,
    count: i64,
    parts: impl Fn(&[i64], usize) -> Option<Parts>,
) -> Result<()> {
    let (place, numbers) = numbers(machine, values, count)?;
    let map = || -> Option<TensorMap> {
        let (&[dtype, rank, address], lists) = numbers.split_first_chunk::<3>()?;
        let rank = usize::try_from(rank).ok().filter(|rank| (1..=MAX_RANK).contains(rank))?;
        let (extents, lists) = lists.split_at_checked(rank)?;
        let (strides, lists) = lists.split_at_checked(rank)?;
        let (steps, shape, modes) = parts(lists, rank)?;
        // Without interleaving, and with zero outside.
        let &[0, swizzle @ 0..=3, _, 0] = modes.as_slice() else { return None };
        Some(TensorMap {
            dtype: *TYPES.get(usize::try_from(dtype).ok()?)?,
            address: address as u64,
            extents: extents.to_vec(),
            strides: strides.to_vec(),
            steps,
            shape,
            swizzle: swizzle as u64,
        })
    };
    match map() {
        Some(map) => {
            machine.maps.insert(place, map);
            Ok(())
        }
        None => unsupported("a descriptor of a tensor of this form"),
    }
}

impl TensorMap {
    /// The coordinates of the elements of the box, in the order in which they lie in shared memory.
    fn places(&self, start: &[i64], offsets: &[i64]) -> Vec<Vec<i64>> {
        let mut places = Vec::new();
        match &self.shape {
            Shape::Box(extents) => {
                let count: i64 = extents.iter().product();
                for number in 0..count {
                    let mut rest = number;
                    let mut place = Vec::new();
                    for ((start, extent), step) in start.iter().zip(extents).zip(&self.steps) {
                        place.push(start.wrapping_add((rest % extent).wrapping_mul(*step)));
                        rest /= extent;
                    }
                    places.push(place);
                }
            }
            Shape::Patches { lower, upper, places: count, channels } => {
                let mut at = start.to_vec();
                for _ in 0..*count {
                    for channel in 0..*channels {
                        let mut place = at.clone();
                        for (dimension, coordinate) in place.iter_mut().enumerate() {
                            let moved = match dimension.checked_sub(1) {
                                None => channel,
                                Some(inner) => offsets.get(inner).copied().unwrap_or_default(),
                            };
                            *coordinate = coordinate.wrapping_add(moved);
                        }
                        places.push(place);
                    }
                    self.advance(&mut at, lower, upper);
                }
            }
        }
        places
    }

    /// Goes to the next place: along the rows of the bounds, then to the next image.
    fn advance(&self, at: &mut [i64], lower: &[i64], upper: &[i64]) {
        for (inner, coordinate) in at.iter_mut().skip(1).enumerate() {
            let step = self.steps.get(inner + 1).copied().unwrap_or(1).max(1);
            *coordinate = coordinate.wrapping_add(step);
            let (Some(low), Some(high)) = (lower.get(inner), upper.get(inner)) else { return };
            let extent = self.extents.get(inner + 1).copied().unwrap_or_default();
            if *coordinate < extent.wrapping_add(*high) {
                return;
            }
            *coordinate = *low;
        }
    }

    /// The address of an element of the tensor; `None` outside.
    fn address(&self, place: &[i64]) -> Option<u64> {
        let mut bytes = 0i64;
        for ((coordinate, extent), stride) in place.iter().zip(&self.extents).zip(&self.strides) {
            if !(0..*extent).contains(coordinate) {
                return None;
            }
            bytes = bytes.wrapping_add(coordinate.wrapping_mul(*stride));
        }
        Some(advance(self.address, bytes))
    }
}

impl Machine<'_> {
    /// Executes a copy of a box.
    pub(crate) fn copy_box(&mut self, at: usize, copy: &BoxCopy, registers: &[u64]) -> Result<()> {
        let read = |register: &Register| registers.get(*register as usize).copied().unwrap_or_default();
        let Some(map) = self.maps.get(&read(&copy.descriptor)).cloned() else {
            return Err(RunErrorKind::Kind { expected: "a descriptor of a tensor" }.into());
        };
        let list = |registers: &[Register]| registers.iter().map(|at| read(at) as i64).collect::<Vec<i64>>();
        let (start, offsets) = (list(&copy.coordinates), list(&copy.offsets));
        let is_patches = matches!(map.shape, Shape::Patches { .. });
        if start.len() != map.extents.len() || is_patches == offsets.is_empty() {
            return unsupported("a copy of a box of another rank than that of its descriptor");
        }
        let element = Element::of(map.dtype)?;
        let size = element.bytes() as i64;
        let shared = read(&copy.shared);
        let mut bytes = 0i64;
        for place in map.places(&start, &offsets) {
            let inside = swizzled(advance(shared, bytes), map.swizzle);
            let global = map.address(&place);
            let outside = |this: &Self, pointer: u64| this.outside(at, pointer, 0, element.bytes());
            let load = |this: &Self, pointer: u64| {
                this.memory.load(element, pointer, 0).ok_or_else(|| outside(this, pointer))
            };
            let (target, value) = match (copy.direction, global) {
                (Direction::Load, global) => {
                    let value = global.map(|global| load(self, global)).transpose()?;
                    (inside, value.unwrap_or_default())
                }
                (_, None) => {
                    bytes += size;
                    continue;
                }
                (Direction::Store, Some(global)) => (global, load(self, inside)?),
                (Direction::Add, Some(global)) => {
                    let (old, new) = (load(self, global)?, load(self, inside)?);
                    (global, operate(Operator::Add, map.dtype, old, new).unwrap_or(old))
                }
            };
            if self.memory.store(element, target, 0, value).is_none() {
                return Err(outside(self, target));
            }
            bytes += size;
        }
        self.steps += bytes as u64 / size as u64;
        if let Some(barrier) = &copy.barrier {
            self.barriers.receive(read(barrier), bytes);
        }
        Ok(())
    }
}
