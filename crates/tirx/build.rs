//! Generates the operators of later releases from `operators/*.json`, which list them with their effects.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, error, fs};

fn main() -> Result<(), Box<dyn error::Error>> {
    let mut code = table("operators/tilelang-0.25.json", "TILELANG", "TileLang's operators, `tl.*`.")?;
    code +=
        &table("operators/tvm-0.27.json", "CURRENT", "Operators of TVM 0.27 whose calls have attributes.")?;
    code += &table("operators/tirx-0.1.json", "STANDALONE", "Operators of TIRx 0.1 beside those of TIR.")?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    fs::write(out.join("operators.rs"), code)?;
    Ok(())
}

/// The static with the operators of a list.
fn table(source: &str, name: &str, doc: &str) -> Result<String, Box<dyn error::Error>> {
    println!("cargo::rerun-if-changed={source}");
    let table: Vec<serde_json::Value> = serde_json::from_str(&fs::read_to_string(source)?)?;
    let count = table.len();
    let mut code = format!("/// {doc}\npub static {name}: [Operator; {count}] = [\n");
    for entry in &table {
        let text = |key: &str| entry[key].as_str().ok_or_else(|| format!("`{key}` is missing: {entry}"));
        let result = match text("result")? {
            "given" => "ResultType::First".to_owned(),
            "named" => "ResultType::Fixed(DataType::VOID)".to_owned(),
            other => match other.strip_prefix("argument ") {
                Some(index) => format!("ResultType::SameAs({index})"),
                None => format!("ResultType::Fixed({})", dtype(other)?),
            },
        };
        let effect = match text("effect")? {
            "pure" => "Pure",
            "read" => "Read",
            "update" => "Update",
            "opaque" => "Opaque",
            other => return Err(format!("unknown effect `{other}`: {entry}").into()),
        };
        // A table of operators that says `void` says nothing about calls that are used as values.
        let made = match text("result")? {
            "named" => ".made_by(made_of_type)",
            "void" => ".with_open_result()",
            _ => "",
        };
        writeln!(
            code,
            "Operator::new({:?}, {:?}, {result}).with_operands(0, usize::MAX).with_effect(Effect::{effect}){made},",
            text("name")?,
            text("text")?,
        )?;
    }
    code.push_str("];\n");
    Ok(code)
}

fn dtype(name: &str) -> Result<&'static str, String> {
    Ok(match name {
        "void" => "DataType::VOID",
        "bool" => "DataType::BOOL",
        "int32" => "DataType::INT32",
        "handle" => "DataType::HANDLE",
        "uint32" => "DataType::uint(32)",
        "uint64" => "DataType::uint(64)",
        other => return Err(format!("unknown result `{other}`")),
    })
}
