//! Programs in Rust, over `tvmscript::dynamic`.

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::Expr;

use super::dynamic::{self, Printed, Words};
use super::expressions::Spelling;
use super::{ModuleName, Program};

/// Functions of the builder that programs use by name.
const FUNCTIONS: [&str; 9] = ["call", "dict", "lambda", "list", "name", "none", "tuple", "val", "with"];

/// Names that variables do not have: keywords of Rust, the functions, and what else a program names.
const RESERVED: &str = "as async await box break const continue crate do dyn else enum extern false final fn for gen if \
    impl in let loop macro match mod move mut override priv pub ref return self Self static struct super trait true try \
    type typeof unsafe unsized use virtual where while yield abstract become _ \
    args build main print program registry scope values BuildErrors Object Program Result Ok Err Some None";

/// Prints a program as a function `build`; with `main`, it prints what it builds when it runs.
///
/// # Errors
/// If the program has other statements or expressions than programs may have, or its text is too long.
pub fn print(
    docs: &DocArena,
    program: &Program<'_>,
    main: bool,
    max_bytes: usize,
) -> Result<String, PrintError> {
    let reserved = RESERVED.split_whitespace().chain(FUNCTIONS).map(str::to_owned).collect();
    let words = Words { variable: "let ", scope: "let " };
    let Printed { body, result, functions, modules } =
        dynamic::print(docs, program, Rust, words, reserved, max_bytes)?;
    // Names are those that the text calls, since unused imports are warnings.
    let functions: Vec<&str> = functions.into_iter().collect();
    let mut text =
        format!("use tvmscript::dynamic::{{BuildErrors, Program, args, {}}};\n", functions.join(", "));
    let needed = super::needed(modules.iter().copied());
    let (imported, head) = match &needed {
        None => (
            "Object, registry",
            "pub fn build() -> Result<Object, BuildErrors> {\n    let program = Program::new(registry());\n",
        ),
        Some(_) => (
            "Object, Registry",
            "pub fn build(registry: &'static Registry) -> Result<Object, BuildErrors> {\n    \
             let program = Program::new(registry);\n",
        ),
    };
    text.push_str(&format!("use tvmscript::{{{imported}}};\n\n"));
    if let Some(needed) = &needed {
        text.push_str(&format!("/// {needed}\n"));
    }
    text.push_str("#[allow(non_snake_case, unused_variables, clippy::all)]\n");
    text.push_str(head);
    for ModuleName { name, module, member } in modules.iter().filter(|module| !module.is_of_registry()) {
        match member {
            Some(member) => {
                text.push_str(&format!("    program.import({module:?}, {member:?}, {name:?});\n"))
            }
            None => text.push_str(&format!("    program.import_module({module:?}, {name:?});\n")),
        }
    }
    text.push_str(&body);
    text.push_str(&format!("    program.finish({result})\n}}\n"));
    if main {
        text.push_str(if needed.is_some() { MAIN_OF_FILES } else { MAIN });
    }
    Ok(text)
}

/// As [`MAIN`], with the descriptions of dialects that the arguments of the command name.
const MAIN_OF_FILES: &str = "
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use tvmscript::dialect_file::{DialectFile, LoadOptions};
    let mut registry = tvmscript::registry();
    let mut files = Vec::new();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(path)?;
        let beside = |name: &str| std::fs::read_to_string(std::path::Path::new(&path).with_file_name(name)).ok();
        let options = LoadOptions { read: &beside, ..LoadOptions::default() };
        files.push(DialectFile::load_with(&text, registry, &options).map_err(|errors| errors[0].to_string())?);
        let all = files.iter().fold(tvmscript::registry_builder(), |all, file| all.with(file.dialect()));
        registry = Box::leak(Box::new(all.build()?));
    }
    println!(\"{}\", tvmscript::print(&build(registry)?, registry, &tvmscript::PrinterConfig::default())?);
    Ok(())
}
";

/// The function that prints what a program builds.
const MAIN: &str = "
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(\"{}\", tvmscript::print(&build()?, registry(), &tvmscript::PrinterConfig::default())?);
    Ok(())
}
";

struct Rust;

impl Spelling for Rust {
    const CONVERSION: [&'static str; 2] = ["val(", ")"];
    const ARGUMENTS: [&'static str; 2] = ["args![", "]"];
    const KEYWORDS: [&'static str; 2] = ["; ", "; "];
    const INVERT: &'static str = "!";

    fn literal(&self, docs: &DocArena, expr: Expr) -> Option<String> {
        Some(match expr {
            Expr::None => "none()".to_owned(),
            Expr::Bool(value) => value.to_string(),
            Expr::Int(value) if i32::try_from(value).is_ok() => value.to_string(),
            Expr::Int(value) => format!("{value}_i64"),
            Expr::Float(value) if value.is_nan() => "f64::NAN".to_owned(),
            Expr::Float(value) if value.is_infinite() => {
                if value > 0.0 { "f64::INFINITY" } else { "-f64::INFINITY" }.to_owned()
            }
            Expr::Float(value) => format!("{value:?}"),
            Expr::Str(text) => format!("{:?}", docs.text(text)),
            _ => return None,
        })
    }

    fn keyword(&self, keyword: &str) -> [String; 2] {
        [format!("{keyword:?} => "), String::new()]
    }

    fn string(&self, text: &str) -> String {
        format!("{text:?}")
    }

    fn lambda(&self, names: &[&str], variables: &[&str]) -> [String; 2] {
        [format!("lambda({names:?}, move |[{}]| ", variables.join(", ")), ")".to_owned()]
    }
}
