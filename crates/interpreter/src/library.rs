//! Functions of TVM's runtime library that programs call.

use tvmscript_ir_core::{DataType, TypeCode};

use crate::error::{Result, RunErrorKind, unsupported};
use crate::machine::{Machine, compact_strides};
use crate::memory::{Element, Memory, advance};
use crate::records::{self, ANY_CONTENT};
use crate::scalar::is_float;
use crate::tensor_map::{create_patches, create_tiled};

/// A function: the state of the run, its arguments, their number.
type Function = fn(&mut Machine<'_>, u64, i64) -> Result<()>;

const FUNCTIONS: &[(&str, Function)] = &[
    ("__tvm_set_device", |_, _, _| Ok(())),
    ("__tvm_tensormap_create_im2col", create_patches),
    ("__tvm_tensormap_create_tiled", create_tiled),
    ("tvm.contrib.sort.argsort", |machine, values, count| {
        sort(&mut machine.memory, values, count, true, false)
    }),
    ("tvm.contrib.sort.argsort_nms", |machine, values, count| {
        sort(&mut machine.memory, values, count, true, true)
    }),
    ("tvm.contrib.sort.sort", |machine, values, count| {
        sort(&mut machine.memory, values, count, false, false)
    }),
    ("tvm.contrib.sort.topk", |machine, values, count| topk(&mut machine.memory, values, count)),
];

/// The number of a function.
pub(crate) fn find(name: &str) -> Option<u32> {
    FUNCTIONS.iter().position(|(known, _)| *known == name).map(|at| at as u32)
}

/// Calls a function by its number.
pub(crate) fn call(function: u32, machine: &mut Machine<'_>, values: u64, count: i64) -> Result<()> {
    match FUNCTIONS.get(function as usize) {
        Some((_, function)) => function(machine, values, count),
        None => Ok(()),
    }
}

fn argument(memory: &Memory, values: u64, at: i64) -> Result<u64> {
    match records::read(memory, values, at, ANY_CONTENT) {
        Some(value) => Ok(value),
        None => Err(RunErrorKind::Kind { expected: "one more argument of a packed call" }.into()),
    }
}

/// A tensor by its record.
struct View {
    data: u64,
    element: Element,
    dtype: DataType,
    shape: Vec<i64>,
}

impl View {
    fn of(memory: &Memory, values: u64, at: i64) -> Result<View> {
        let record = argument(memory, values, at)?;
        let kind = || RunErrorKind::Kind { expected: "the record of a tensor" };
        let field = |number: i64| records::read(memory, record, 0, number).ok_or_else(kind);
        let code =
            u8::try_from(field(records::TYPE_CODE)?).ok().and_then(TypeCode::from_number).ok_or_else(kind)?;
        let dtype = DataType { code, bits: field(records::TYPE_BITS)? as u8, lanes: 1 };
        let rank = field(records::RANK)? as i64;
        let list = |from: u64| -> Result<Vec<i64>> {
            let value = |at: i64| records::read(memory, from, at, records::INTEGER).map(|value| value as i64);
            (0..rank.clamp(0, 64)).map(value).collect::<Option<Vec<i64>>>().ok_or_else(|| kind().into())
        };
        let (shape, strides) = (list(field(records::SHAPE)?)?, field(records::STRIDES)?);
        let is_compact = strides == 0 || list(strides)? == compact_strides(&shape);
        if field(records::TYPE_LANES)? != 1 || !is_compact {
            return unsupported("a tensor of vectors or with gaps as an argument of a packed call");
        }
        let data = advance(field(records::DATA)?, field(records::BYTE_OFFSET)? as i64);
        Ok(View { data, element: Element::of(dtype)?, dtype, shape })
    }

    fn load(&self, memory: &Memory, index: i64) -> Result<u64> {
        memory.load(self.element, self.data, index).ok_or_else(|| outside(index))
    }

    /// Writes a number, which must be an integer if the elements are.
    fn store(&self, memory: &mut Memory, index: i64, value: u64) -> Result<()> {
        memory.store(self.element, self.data, index, value).ok_or_else(|| outside(index))
    }

    fn store_integer(&self, memory: &mut Memory, index: i64, value: i64) -> Result<()> {
        let value = if is_float(self.dtype) { (value as f64).to_bits() } else { value as u64 };
        self.store(memory, index, value)
    }
}

fn outside(index: i64) -> crate::error::RunError {
    RunErrorKind::OutsideMemory { buffer: "an argument of a packed call".to_owned(), offset: index, len: 0 }
        .into()
}

/// Calls a function with the positions along an axis in the order of their values, for each line: the memory, the
/// position of an element in the input, and, by place and length, that in the output. If there are limits, one per line,
/// only so many elements of a line are sorted, and the others follow.
fn for_each_line(
    memory: &mut Memory,
    input: &View,
    limits: Option<&View>,
    axis: i64,
    is_ascending: bool,
    mut line: impl FnMut(&mut Memory, &[(i64, u64)], &dyn Fn(i64, i64) -> i64) -> Result<()>,
) -> Result<()> {
    let rank = input.shape.len() as i64;
    let axis = if axis < 0 { axis + rank } else { axis };
    let Some(at) = usize::try_from(axis).ok().filter(|at| *at < input.shape.len()) else {
        return unsupported(format!("a sort along the axis {axis} of {rank}"));
    };
    let product =
        |extents: &[i64]| extents.iter().fold(1i64, |product, extent| product.saturating_mul(*extent));
    let (before, rest) = input.shape.split_at(at);
    let (extent, after) = rest.split_first().map_or((1, &[][..]), |(extent, after)| (*extent, after));
    let (before, after) = (product(before), product(after));
    for outer in 0..before {
        for inner in 0..after {
            let place = move |index: i64, extent: i64| (outer * extent + index) * after + inner;
            let mut values = Vec::new();
            for index in 0..extent {
                values.push((index, input.load(memory, place(index, extent))?));
            }
            let is_float = is_float(input.dtype);
            let sorted = match limits {
                Some(limits) => limits.load(memory, outer * after + inner)? as i64,
                None => extent,
            };
            let rest = values.split_off(values.len().min(usize::try_from(sorted).unwrap_or_default()));
            // Equal values keep their order. A NaN is greater than all numbers.
            values.sort_by(|(_, a), (_, b)| {
                let [x, y] = [a, b].map(|bits| f64::from_bits(*bits));
                let order = match is_float {
                    true => x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan())),
                    false => crate::scalar::wide(input.dtype, *a).cmp(&crate::scalar::wide(input.dtype, *b)),
                };
                if is_ascending { order } else { order.reverse() }
            });
            values.extend(rest);
            line(memory, &values, &place)?;
        }
    }
    Ok(())
}

/// Input, how many elements of each line are sorted if that is counted, output, axis, whether ascending: the sorted values,
/// or their positions.
fn sort(memory: &mut Memory, values: u64, count: i64, is_position: bool, is_counted: bool) -> Result<()> {
    let more = i64::from(is_counted);
    if count != 4 + more {
        return unsupported(format!("a sort with {count} arguments"));
    }
    let input = View::of(memory, values, 0)?;
    let limits = is_counted.then(|| View::of(memory, values, 1)).transpose()?;
    let output = View::of(memory, values, 1 + more)?;
    let axis = argument(memory, values, 2 + more)? as i64;
    let is_ascending = argument(memory, values, 3 + more)? != 0;
    for_each_line(memory, &input, limits.as_ref(), axis, is_ascending, |memory, line, place| {
        for (at, (index, value)) in line.iter().enumerate() {
            let to = place(at as i64, line.len() as i64);
            match is_position {
                true => output.store_integer(memory, to, *index)?,
                false => output.store(memory, to, *value)?,
            }
        }
        Ok(())
    })
}

/// Input, values and positions as far as wanted, their number, axis, what is wanted, whether ascending.
fn topk(memory: &mut Memory, values: u64, count: i64) -> Result<()> {
    if !(6..=7).contains(&count) {
        return unsupported(format!("a choice of the largest values with {count} arguments"));
    }
    let number = argument(memory, values, count - 4)? as i64;
    let axis = argument(memory, values, count - 3)? as i64;
    let wanted = argument(memory, values, count - 2)?;
    let is_ascending = argument(memory, values, count - 1)? != 0;
    let is_text = |text: &[u8]| memory.bytes(wanted, text.len()) == Some(text);
    let (has_values, has_positions) =
        (is_text(b"both\0") || is_text(b"values\0"), is_text(b"both\0") || is_text(b"indices\0"));
    let input = View::of(memory, values, 0)?;
    let outputs = [has_values.then_some(1), has_positions.then_some(if has_values { 2 } else { 1 })];
    let [found, positions] = outputs.map(|at| at.map(|at| View::of(memory, values, at)));
    let (found, positions) = (found.transpose()?, positions.transpose()?);
    for_each_line(memory, &input, None, axis, is_ascending, |memory, line, place| {
        let len = if number < 1 { line.len() } else { line.len().min(number as usize) };
        for (at, (index, value)) in line.iter().take(len).enumerate() {
            let to = place(at as i64, len as i64);
            if let Some(found) = &found {
                found.store(memory, to, *value)?;
            }
            if let Some(positions) = &positions {
                positions.store_integer(memory, to, *index)?;
            }
        }
        Ok(())
    })
}
