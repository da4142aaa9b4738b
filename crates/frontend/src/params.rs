//! Files with the constants of a model: `.safetensors` and `.npz`.
//!
//! Both are a description and the bytes of the tensors, whose places follow from the description: the tensors are
//! written at once by all processors. Elements that are in the file of a model pass through a buffer, and are hashed on
//! the way for texts that name constants by their hashes.

use std::io::Result;

use rayon::prelude::*;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::json::emit::Emitter;
use tvmscript_ir_core::{DataType, Ref, TypeCode};
use tvmscript_relax::Constant;

pub use crate::write_at::WriteAt;

/// A format of files with tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamsFormat {
    /// A header of JSON and the bytes, for all element types.
    Safetensors,
    /// An archive of NumPy's files. Types that NumPy lacks are written as bytes, with the type after the name: `w:bfloat16`.
    Npz,
}

impl ParamsFormat {
    /// The format of files with this extension.
    pub fn of_extension(extension: &str) -> Option<ParamsFormat> {
        match extension {
            "safetensors" => Some(ParamsFormat::Safetensors),
            "npz" => Some(ParamsFormat::Npz),
            _ => None,
        }
    }
}

/// Writes constants under their names to an empty file. Constants whose elements are left out are skipped.
///
/// # Errors
/// Those of `out`, and those of the file of the model.
pub fn write(format: ParamsFormat, constants: &[(String, Ref<Constant>)], out: &dyn WriteAt) -> Result<()> {
    match format {
        ParamsFormat::Safetensors => write_safetensors(constants, out),
        ParamsFormat::Npz => write_npz(constants, out),
    }
}

/// A tensor with its name, and the size of its elements in bytes.
type Entry<'a> = (&'a str, &'a TensorNode, usize);

fn entries(constants: &[(String, Ref<Constant>)]) -> impl Iterator<Item = Entry<'_>> {
    constants.iter().filter_map(|(name, constant)| {
        let tensor = &*constant.data;
        Some((name.as_str(), tensor, tensor.data.byte_count()?))
    })
}

// --- safetensors ---------------------------------------------------------------------------------------------------

/// The alignment of the first tensor.
const ALIGNMENT: usize = 8;

/// The name of an element type.
fn safetensors_type(dtype: DataType) -> String {
    let bits = dtype.bits;
    match dtype.code {
        TypeCode::Bool => "BOOL".to_owned(),
        TypeCode::Int => format!("I{bits}"),
        TypeCode::UInt => format!("U{bits}"),
        TypeCode::BFloat => format!("BF{bits}"),
        TypeCode::Float => format!("F{bits}"),
        TypeCode::Float8E5M2 => "F8_E5M2".to_owned(),
        TypeCode::Float8E4M3Fn => "F8_E4M3".to_owned(),
        TypeCode::Float8E8M0Fnu => "F8_E8M0".to_owned(),
        TypeCode::Float4E2M1Fn => "F4".to_owned(),
        _ => dtype.to_string().to_uppercase(),
    }
}

/// The element type that [`write()`] gives this name; `None` for other names.
pub fn safetensors_dtype(name: &str) -> Option<DataType> {
    let text = match name {
        "BOOL" => "bool".to_owned(),
        "F8_E5M2" => "float8_e5m2".to_owned(),
        "F8_E4M3" => "float8_e4m3fn".to_owned(),
        "F8_E8M0" => "float8_e8m0fnu".to_owned(),
        "F4" => "float4_e2m1fn".to_owned(),
        _ => match name.split_at(name.find(|c: char| c.is_ascii_digit())?) {
            ("I", bits) => format!("int{bits}"),
            ("U", bits) => format!("uint{bits}"),
            ("BF", bits) => format!("bfloat{bits}"),
            ("F", bits) => format!("float{bits}"),
            _ => name.to_lowercase(),
        },
    };
    text.parse().ok().filter(|dtype| safetensors_type(*dtype) == name)
}

fn write_safetensors(constants: &[(String, Ref<Constant>)], out: &dyn WriteAt) -> Result<()> {
    let mut header = Emitter::new(0, 0);
    let mut places = Vec::new();
    header.open('{');
    let mut offset = 0usize;
    for (name, tensor, byte_count) in entries(constants) {
        header.key(name);
        header.open('{');
        header.key("dtype");
        header.string(&safetensors_type(tensor.dtype));
        header.key("shape");
        list(&mut header, tensor.shape.iter().copied());
        header.key("data_offsets");
        let end = offset + byte_count;
        list(&mut header, [offset as i64, end as i64]);
        header.close('}');
        places.push((tensor, offset as u64));
        offset = end;
    }
    header.close('}');
    let mut header = header.finish().into_bytes();
    header.resize(header.len().next_multiple_of(ALIGNMENT), b' ');
    let header_bytes = header.len() as u64;
    out.write_all_at(&header_bytes.to_le_bytes(), 0)?;
    out.write_all_at(&header, 8)?;
    let start = 8 + header_bytes;
    places
        .par_iter()
        .try_for_each(|(tensor, offset)| write_elements(tensor, out, start + offset, &mut |_| {}))
}

/// Writes the elements of a tensor at an offset. Each part passes by `observe`, too.
fn write_elements(
    tensor: &TensorNode,
    out: &dyn WriteAt,
    mut offset: u64,
    observe: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    tensor.read_and_hash(&mut |part| {
        observe(part);
        out.write_all_at(part, offset)?;
        offset += part.len() as u64;
        Ok(())
    })
}

fn list(out: &mut Emitter, values: impl IntoIterator<Item = i64>) {
    out.open('[');
    for value in values {
        out.element();
        out.int(value);
    }
    out.close(']');
}

// --- npz -----------------------------------------------------------------------------------------------------------

/// NumPy's code of an element type; `None` for types that it lacks.
fn numpy_type(dtype: DataType) -> Option<String> {
    let bytes = dtype.bits / 8;
    let kind = match dtype.code {
        TypeCode::Bool => return Some("|b1".to_owned()),
        TypeCode::Int => 'i',
        TypeCode::UInt => 'u',
        TypeCode::Float => 'f',
        _ => return None,
    };
    let order = if bytes == 1 { '|' } else { '<' };
    dtype.bits.is_multiple_of(8).then(|| format!("{order}{kind}{bytes}"))
}

/// The description before the elements in NumPy's files.
fn npy_header(dtype: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}");
    // The elements begin at a multiple of 64 bytes, after ten bytes, the text and a line break.
    let padding = (10 + text.len() + 1).next_multiple_of(64) - (10 + text.len() + 1);
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

/// A file of the archive.
struct Member<'a> {
    tensor: &'a TensorNode,
    name: String,
    /// NumPy's header, which is before the elements.
    header: Vec<u8>,
    /// Bytes of header and elements.
    size: u64,
    offset: u64,
}

/// The files of the archive, and the offset of their end.
fn members(constants: &[(String, Ref<Constant>)]) -> (Vec<Member<'_>>, u64) {
    let mut members = Vec::new();
    let mut offset = 0;
    for (name, tensor, byte_count) in entries(constants) {
        let (dtype, shape) = (tensor.dtype, &tensor.shape);
        let dims: Vec<String> = shape.iter().map(i64::to_string).collect();
        let comma = if dims.len() == 1 { "," } else { "" };
        let dims = format!("({}{comma})", dims.join(", "));
        let (name, code, shape) = match numpy_type(dtype) {
            Some(code) => (format!("{name}.npy"), code, dims),
            // Packed or foreign elements are plain bytes, or words of their size.
            None if dtype.bits == 16 => (format!("{name}:{dtype}.npy"), "<u2".to_owned(), dims),
            None => (format!("{name}:{dtype}.npy"), "|u1".to_owned(), format!("({byte_count},)")),
        };
        let header = npy_header(&code, &shape);
        let size = (header.len() + byte_count) as u64;
        let member = Member { tensor, name, header, size, offset };
        offset += member.local_header(0).len() as u64 + size;
        members.push(member);
    }
    (members, offset)
}

fn write_npz(constants: &[(String, Ref<Constant>)], out: &dyn WriteAt) -> Result<()> {
    let (members, end) = members(constants);
    let checksums: Vec<u32> = members.par_iter().map(|member| member.write(out)).collect::<Result<_>>()?;
    let mut directory = Vec::new();
    members.iter().zip(checksums).for_each(|(member, crc)| directory.extend(member.central_header(crc)));
    let directory_bytes = directory.len() as u64;
    directory.extend(end_of_archive(members.len() as u64, directory_bytes, end));
    out.write_all_at(&directory, end)
}

/// Bytes of a sequence of numbers, little-endian.
macro_rules! packed {
    ($($value:expr),* $(,)?) => {{
        let mut bytes: Vec<u8> = Vec::new();
        $(bytes.extend($value.to_le_bytes());)*
        bytes
    }};
}

/// The value of a 32-bit field whose number is in a 64-bit field.
const IN_ZIP64: u32 = u32::MAX;
/// The version of the format that has 64-bit fields.
const VERSION: u16 = 45;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
/// The first day that the format can state, so that the same constants make the same file.
const DATE: u16 = 1 << 5 | 1;

impl Member<'_> {
    /// Writes the file with its header, and returns its checksum.
    fn write(&self, out: &dyn WriteAt) -> Result<u32> {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&self.header);
        let header_bytes = self.local_header(0).len() + self.header.len();
        let start = self.offset + header_bytes as u64;
        write_elements(self.tensor, out, start, &mut |part| crc.update(part))?;
        let crc = crc.finalize();
        let mut header = self.local_header(crc);
        header.extend(&self.header);
        out.write_all_at(&header, self.offset)?;
        Ok(crc)
    }

    /// The fields that both headers have, with the length of what follows the name.
    fn fields(&self, crc: u32, extra_bytes: u16) -> Vec<u8> {
        let name_bytes = self.name.len() as u16;
        packed![VERSION, UTF8, 0u16, 0u16, DATE, crc, IN_ZIP64, IN_ZIP64, name_bytes, extra_bytes]
    }

    fn local_header(&self, crc: u32) -> Vec<u8> {
        let mut header = packed![0x0403_4b50u32];
        header.extend(self.fields(crc, 20));
        header.extend(self.name.as_bytes());
        header.extend(packed![1u16, 16u16, self.size, self.size]);
        header
    }

    fn central_header(&self, crc: u32) -> Vec<u8> {
        let mut header = packed![0x0201_4b50u32, VERSION];
        header.extend(self.fields(crc, 28));
        header.extend(packed![0u16, 0u16, 0u16, 0u32, IN_ZIP64]);
        header.extend(self.name.as_bytes());
        header.extend(packed![1u16, 24u16, self.size, self.size, self.offset]);
        header
    }
}

fn end_of_archive(members: u64, directory: u64, start: u64) -> Vec<u8> {
    let end = start + directory;
    let mut bytes =
        packed![0x0606_4b50u32, 44u64, VERSION, VERSION, 0u32, 0u32, members, members, directory, start,];
    bytes.extend(packed![0x0706_4b50u32, 0u32, end, 1u32]);
    bytes.extend(packed![0x0605_4b50u32, 0u16, 0u16, u16::MAX, u16::MAX, IN_ZIP64, IN_ZIP64, 0u16]);
    bytes
}
