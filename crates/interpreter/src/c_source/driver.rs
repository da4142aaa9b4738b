//! A `main` that runs a function on bytes, and the form of these.
//!
//! Standard input has the value of each parameter in C, in order, as little-endian bytes: of a scalar its 8 bytes as an
//! `int64_t` or `double`; of a pointer the number of bytes, as an `int64_t`, and these. Standard output has the bytes of each
//! pointer, and the result as 8 bytes.

use std::fmt::Write as _;

use super::{CFunction, CParameter, CValue};
use crate::arguments::Argument;
use crate::error::{RunError, RunErrorKind};
use crate::scalar::{Scalar, is_float};
use crate::tensor::Tensor;

const READ: &str = "
static void tir_read_bytes(void *to, size_t bytes) {
    if (fread(to, 1, bytes, stdin) != bytes) {
        fprintf(stderr, \"the input is too short\\n\");
        exit(2);
    }
}

static int64_t tir_read_int(void) {
    int64_t value;
    tir_read_bytes(&value, sizeof value);
    return value;
}

static double tir_read_float(void) {
    double value;
    tir_read_bytes(&value, sizeof value);
    return value;
}

static void *tir_read_memory(int64_t bytes) {
    void *memory = calloc(bytes > 0 ? (size_t)bytes : 1, 1);
    if (memory == NULL) {
        exit(2);
    }
    tir_read_bytes(memory, (size_t)bytes);
    return memory;
}
";

/// The text of `main`, which runs the function that its argument names, or the first one.
pub(super) fn main(functions: &[CFunction], has_lines: bool) -> String {
    let mut text = String::new();
    if has_lines {
        // The lines that follow have no script.
        text.push_str("#line 1 \"main\"\n");
    }
    text.push_str(READ.trim_start());
    text.push_str("\nint main(int tir_argc, char **tir_argv) {\n    const char *tir_name = tir_argc > 1 ? tir_argv[1] : NULL;\n");
    let is_input = |ctype: &str| functions.iter().flat_map(|f| &f.parameters).any(|p| p.ctype == ctype);
    if !is_input("double") && !is_input("float") {
        text.push_str("    (void)tir_read_float;\n");
    }
    text.push_str("    (void)tir_read_int;\n    (void)tir_read_memory;\n");
    for function in functions {
        let _ =
            writeln!(text, "    if (tir_name == NULL || strcmp(tir_name, \"{}\") == 0) {{", function.c_name);
        let mut args = Vec::new();
        let mut written = String::new();
        for (number, parameter) in function.parameters.iter().enumerate() {
            let name = format!("tir_p{number}");
            if parameter.dtype.is_handle() {
                let _ = writeln!(text, "        const int64_t tir_bytes{number} = tir_read_int();");
                let _ = writeln!(text, "        void *{name} = tir_read_memory(tir_bytes{number});");
                let _ = writeln!(written, "        fwrite({name}, 1, (size_t)tir_bytes{number}, stdout);");
            } else {
                let read = if is_float(parameter.dtype) { "tir_read_float" } else { "tir_read_int" };
                let _ = writeln!(text, "        const {0} {name} = ({0}){read}();", parameter.ctype);
            }
            args.push(name);
        }
        let call = format!("{}({})", function.c_name, args.join(", "));
        match function.result {
            Some(dtype) => {
                let ctype = if is_float(dtype) { "double" } else { "int64_t" };
                let _ = writeln!(text, "        const {ctype} tir_result = ({ctype}){call};");
                written.push_str("        fwrite(&tir_result, sizeof tir_result, 1, stdout);\n");
            }
            None => _ = writeln!(text, "        {call};"),
        }
        text.push_str(&written);
        text.push_str("        return 0;\n    }\n");
    }
    text.push_str("    return 2;\n}\n");
    text
}

/// The value of a parameter among the arguments: a scalar, or the bytes of a tensor.
enum Passed<'a> {
    Scalar(Scalar),
    Tensor(&'a Tensor),
}

fn passed<'a>(parameter: &CParameter, arguments: &'a [Argument]) -> Option<Passed<'a>> {
    let shape = |argument: usize| arguments.get(argument)?.tensor().map(Tensor::shape);
    let value = match parameter.value {
        CValue::Argument(index) => match arguments.get(index)? {
            Argument::Tensor(tensor) => return Some(Passed::Tensor(tensor)),
            Argument::Scalar(value) => *value,
        },
        CValue::Extent(index, dimension) => Scalar::Int(*shape(index)?.get(dimension)?),
        CValue::Stride(index, dimension) => {
            Scalar::Int(*crate::machine::compact_strides(shape(index)?).get(dimension)?)
        }
        CValue::Offset(_) => Scalar::Int(0),
    };
    Some(Passed::Scalar(value))
}

fn misfit(parameter: &CParameter) -> RunError {
    let reason = "it is missing or of another kind".to_owned();
    RunErrorKind::Argument { parameter: parameter.name.clone(), reason }.into()
}

impl CFunction {
    /// The standard input of `main` that passes arguments: of each parameter in C 8 bytes, as an `int64_t` or `double`; of a
    /// pointer the number of bytes, and these.
    ///
    /// # Errors
    /// If an argument does not fit its parameter.
    pub fn input(&self, arguments: &[Argument]) -> Result<Vec<u8>, RunError> {
        let mut bytes = Vec::new();
        for parameter in &self.parameters {
            match passed(parameter, arguments) {
                Some(Passed::Scalar(Scalar::Int(value))) if is_float(parameter.dtype) => {
                    bytes.extend((value as f64).to_le_bytes());
                }
                Some(Passed::Scalar(Scalar::Int(value))) => bytes.extend(value.to_le_bytes()),
                Some(Passed::Scalar(Scalar::Float(value))) => bytes.extend(value.to_le_bytes()),
                Some(Passed::Tensor(tensor)) => {
                    bytes.extend((tensor.bytes().len() as i64).to_le_bytes());
                    bytes.extend(tensor.bytes());
                }
                None => return Err(misfit(parameter)),
            }
        }
        Ok(bytes)
    }

    /// The arguments after a run of `main`, from its standard output, and the result.
    ///
    /// # Errors
    /// If the output has another length than the arguments.
    pub fn output(
        &self,
        arguments: &[Argument],
        output: &[u8],
    ) -> Result<(Vec<Argument>, Option<Scalar>), RunError> {
        let mut after = arguments.to_vec();
        let mut rest = output;
        let mut take = |bytes: usize| -> Option<&[u8]> {
            let (taken, others) = rest.split_at_checked(bytes)?;
            rest = others;
            Some(taken)
        };
        for parameter in &self.parameters {
            let (CValue::Argument(index), Some(Passed::Tensor(tensor))) =
                (parameter.value, passed(parameter, arguments))
            else {
                continue;
            };
            let bytes = take(tensor.bytes().len()).ok_or_else(|| misfit(parameter))?;
            let changed = Tensor::from_bytes(tensor.dtype(), tensor.shape(), bytes.to_vec())?;
            if let Some(slot) = after.get_mut(index) {
                *slot = Argument::Tensor(changed);
            }
        }
        let word = take(8).and_then(|bytes| bytes.first_chunk::<8>().copied());
        let result = self.result.zip(word).map(|(dtype, word)| match is_float(dtype) {
            true => Scalar::Float(f64::from_le_bytes(word)),
            false => Scalar::Int(i64::from_le_bytes(word)),
        });
        Ok((after, result))
    }
}
