//! Files with the constants of a model: `.safetensors` and `.npz`.
//!
//! Both are a description and the bytes of the tensors. Elements that are in the file of a model pass through a buffer.

use std::io::{Result, Write};

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::json::emit::Emitter;
use tvmscript_ir_core::{DataType, Ref, TypeCode};
use tvmscript_relax::Constant;

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

/// Writes constants under their names. Constants whose elements are left out are skipped.
///
/// # Errors
/// Those of `out`.
pub fn write(format: ParamsFormat, constants: &[(String, Ref<Constant>)], out: &mut dyn Write) -> Result<()> {
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

fn write_safetensors(constants: &[(String, Ref<Constant>)], out: &mut dyn Write) -> Result<()> {
    let mut header = Emitter::new(0, 0);
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
        offset = end;
    }
    header.close('}');
    let mut header = header.finish();
    let padding = header.len().next_multiple_of(ALIGNMENT) - header.len();
    header.extend(std::iter::repeat_n(' ', padding));
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    entries(constants).try_for_each(|(_, tensor, _)| write_elements(tensor, out))
}

fn write_elements(tensor: &TensorNode, out: &mut dyn Write) -> Result<()> {
    tensor.data.read_parts(&mut |part| out.write_all(part))
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

/// A file of the archive, for the directory at its end.
struct Member {
    name: String,
    crc: u32,
    size: u64,
    offset: u64,
}

fn write_npz(constants: &[(String, Ref<Constant>)], out: &mut dyn Write) -> Result<()> {
    let mut members = Vec::new();
    let mut offset = 0u64;
    for (name, tensor, byte_count) in entries(constants) {
        let (dtype, shape) = (tensor.dtype, &tensor.shape);
        let dims: Vec<String> = shape.iter().map(i64::to_string).collect();
        let (name, code, shape) = match numpy_type(dtype) {
            Some(code) => {
                let comma = if dims.len() == 1 { "," } else { "" };
                (format!("{name}.npy"), code, format!("({}{comma})", dims.join(", ")))
            }
            // Packed or foreign elements are plain bytes, or words of their size.
            None if dtype.bits == 16 => {
                let comma = if dims.len() == 1 { "," } else { "" };
                (format!("{name}:{dtype}.npy"), "<u2".to_owned(), format!("({}{comma})", dims.join(", ")))
            }
            None => (format!("{name}:{dtype}.npy"), "|u1".to_owned(), format!("({byte_count},)")),
        };
        let header = npy_header(&code, &shape);
        let mut crc = crc32fast::Hasher::new();
        crc.update(&header);
        tensor.data.read_parts(&mut |part| {
            crc.update(part);
            Ok(())
        })?;
        let crc = crc.finalize();
        let member = Member { name, crc, size: (header.len() + byte_count) as u64, offset };
        let local = member.local_header();
        out.write_all(&local)?;
        out.write_all(&header)?;
        write_elements(tensor, out)?;
        offset += local.len() as u64 + member.size;
        members.push(member);
    }
    let start = offset;
    let mut directory = Vec::new();
    members.iter().for_each(|member| directory.extend(member.central_header()));
    out.write_all(&directory)?;
    out.write_all(&end_of_archive(members.len() as u64, directory.len() as u64, start))
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

impl Member {
    /// The fields that both headers have, with the length of what follows the name.
    fn fields(&self, extra_bytes: u16) -> Vec<u8> {
        let name_bytes = self.name.len() as u16;
        packed![VERSION, UTF8, 0u16, 0u16, DATE, self.crc, IN_ZIP64, IN_ZIP64, name_bytes, extra_bytes]
    }

    fn local_header(&self) -> Vec<u8> {
        let mut header = packed![0x0403_4b50u32];
        header.extend(self.fields(20));
        header.extend(self.name.as_bytes());
        header.extend(packed![1u16, 16u16, self.size, self.size]);
        header
    }

    fn central_header(&self) -> Vec<u8> {
        let mut header = packed![0x0201_4b50u32, VERSION];
        header.extend(self.fields(28));
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
