//! Instructions of PTX: `T.ptx.add(d, a, b, "rn", "", "", "f32", "", "")`.
//!
//! The [`table`] has one line per operator. Several operators share a name in text, `tirx.ptx.mov_pack_b16x2` and
//! `tirx.ptx.mov_unpack_b16x2` print as `T.ptx.mov`. A call has the operands, a predicate if the last argument says so, one
//! word per modifier (empty if it is missing), then flags separated by commas: `pred`, `keep`, `s1` for an operand that is
//! missing, `p1` for one that is a predicate. It returns nothing.
//!
//! Calls in this form are read if modifiers and number of operands fit one operator alone; others stay as they are
//! written, like those with modifiers as attributes, `T.ptx.add.rn.f32(d, a, b)`.
//!
//! Upstream counterpart: `python/tvm/backend/cuda/ptx/{engine,table}.py`.

mod table;

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use tvmscript_ir_core::DataType;
#[cfg(feature = "parse")]
use tvmscript_irbuilder::{
    BuildError, BuildResult, CallArgs, Declaration, FromScript as _, HostObject, IntoScript, Param,
    ParamKind, ScriptValue,
};
#[cfg(feature = "parse")]
use tvmscript_prim::Expr;
#[cfg(feature = "parse")]
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use table::INSTRUCTIONS;

/// An operator with the form of its calls.
#[derive(Debug)]
struct Instruction {
    operator: Operator,
    /// Numbers of operands, in increasing order.
    #[cfg_attr(not(feature = "parse"), expect(dead_code, reason = "the parser selects by it"))]
    counts: &'static [RangeInclusive<usize>],
    /// Words that a modifier may be; an empty one if it may be missing.
    #[cfg_attr(not(feature = "parse"), expect(dead_code, reason = "the parser selects by it"))]
    modifiers: &'static [&'static [&'static str]],
    /// Names of the operands.
    #[cfg_attr(
        not(feature = "parse"),
        expect(dead_code, reason = "the documentation of functions lists them")
    )]
    operands: &'static str,
}

/// Declares [`table::INSTRUCTIONS`].
macro_rules! instructions {
    ($($text:literal $name:literal [$($counts:expr),*] $([$($word:literal)*])* = $operands:literal;)*) => {
        /// All instructions.
        pub(super) static INSTRUCTIONS: [Instruction; [$($name),*].len()] = [$(
            Instruction::new(
                concat!("tirx.ptx.", $name),
                concat!("ptx.", $text),
                &[$($counts),*],
                &[$(&[$($word),*]),*],
                $operands,
            )
        ),*];
    };
}
use instructions;

impl Instruction {
    const fn new(
        name: &'static str,
        text: &'static str,
        counts: &'static [RangeInclusive<usize>],
        modifiers: &'static [&'static [&'static str]],
        operands: &'static str,
    ) -> Instruction {
        let most = match counts {
            [.., last] => *last.end(),
            [] => 0,
        };
        // The flags, which may say that operands are missing, and the predicate.
        let operator = Operator::new(name, text, ResultType::Fixed(DataType::VOID))
            .with_operands(modifiers.len() + 1, most + modifiers.len() + 2)
            .with_effect(Effect::Opaque);
        Instruction { operator, counts, modifiers, operands }
    }
}

/// The operators.
pub(super) static OPERATORS: LazyLock<Vec<&'static Operator>> =
    LazyLock::new(|| INSTRUCTIONS.iter().map(|instruction| &instruction.operator).collect());

#[cfg(feature = "parse")]
impl Instruction {
    /// Returns `true` if the word, as an attribute, may be one of its modifiers: `global_` is `global`, `shared__cta` is
    /// `shared::cta`.
    fn has_modifier(&self, name: &str) -> bool {
        let word = name.trim_end_matches('_').replace("__", "::");
        self.modifiers.iter().any(|modifier| modifier.contains(&word.as_str()))
    }

    fn takes(&self, operands: usize, words: &[&str]) -> bool {
        self.modifiers.len() == words.len()
            && self.modifiers.iter().zip(words).all(|(modifier, word)| modifier.contains(word))
            && self.counts.iter().any(|counts| counts.contains(&operands))
    }
}

/// The only instruction that a call can be of; `None` for another form, or several instructions.
#[cfg(feature = "parse")]
fn instruction_of(function: &str, args: &CallArgs) -> Option<&'static Instruction> {
    let mut words: Vec<&str> = args.positional.iter().rev().map_while(word).collect();
    words.reverse();
    let (flags, modifiers) = words.split_last().filter(|_| args.keywords.is_empty())?;
    let flags: Vec<&str> = flags.split(',').collect();
    let given = args.positional.len() - words.len();
    let missing = flags.iter().filter(|flag| flag.starts_with('s')).count();
    let operands = (given + missing).checked_sub(usize::from(flags.contains(&"pred")))?;
    let mut fitting = INSTRUCTIONS.iter().filter(|instruction| {
        instruction.operator.text == function && instruction.takes(operands, modifiers)
    });
    fitting.next().filter(|_| fitting.next().is_none())
}

#[cfg(feature = "parse")]
fn word(value: &ScriptValue) -> Option<&str> {
    match value {
        ScriptValue::Str(word) => Some(word.as_str()),
        _ => None,
    }
}

/// A function in scripts, `T.ptx.add`, which stands for all instructions of its name.
#[cfg(feature = "parse")]
pub(super) struct Function {
    /// Name with its namespace.
    name: &'static str,
    doc: String,
}

#[cfg(feature = "parse")]
static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let families = INSTRUCTIONS.chunk_by(|a, b| a.operator.text == b.operator.text);
    let function = |family: &'static [Instruction]| {
        let name = family.first().map_or("", |instruction| instruction.operator.text);
        let mut operands: Vec<String> =
            family.iter().map(|instruction| format!("`{}`", instruction.operands)).collect();
        operands.sort_unstable();
        operands.dedup();
        let operands = operands.join(", ").replace("``", "none");
        let doc = format!(
            "A PTX instruction: operands, a word for each modifier (empty if it is missing), flags. Operands: {operands}."
        );
        Function { name, doc }
    };
    families.map(function).collect()
});

/// The function with a name.
#[cfg(feature = "parse")]
pub(super) fn find(name: &str) -> Option<ScriptValue> {
    let function = FUNCTIONS.iter().find(|function| function.name == name)?;
    Some(ScriptValue::host(Callable(function)))
}

/// The names of all functions.
#[cfg(feature = "parse")]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|function| function.name)
}

#[cfg(feature = "parse")]
struct Callable(&'static Function);

#[cfg(feature = "parse")]
impl HostObject for Callable {
    fn type_name(&self) -> &str {
        self.0.name
    }

    fn is_namespace(&self) -> bool {
        true
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn declaration(&self) -> Option<Declaration> {
        static PARAMS: &[Param] = &[Param {
            name: "args",
            kind: ParamKind::Args,
            default: None,
            py_type: Vec::<crate::op::types::Expr>::TYPE,
        }];
        Some(Declaration {
            doc: &self.0.doc,
            params: PARAMS.into(),
            returns: <Expr as IntoScript>::TYPE,
            is_annotation: false,
            around: None,
        })
    }

    /// Modifiers as attributes, `T.ptx.mapa.u64(d, a, b)`.
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        WithModifiers { name: self.0.name, modifiers: Vec::new() }.attribute(name)
    }

    fn has_form(&self, args: &CallArgs) -> bool {
        instruction_of(self.0.name, args).is_some()
    }

    fn call(&self, args: CallArgs) -> BuildResult<ScriptValue> {
        let Some(instruction) = instruction_of(self.0.name, &args) else {
            let message =
                format!("operands and modifiers of `{}` fit no instruction, or several", self.0.name);
            return Err(BuildError::message(message)
                .with_help("write it as printed texts do: operands, a word for each modifier, and flags"));
        };
        let args = args.positional.iter().enumerate();
        let args = args.map(|(i, arg)| ExprArg::convert(arg.clone()).map_err(|error| error.at_position(i)));
        Ok(instruction.operator.call(DataType::VOID, args.collect::<BuildResult<Vec<_>>>()?).into())
    }
}

/// A modifier as an attribute: words that Python reserves have an underscore.
#[cfg(feature = "parse")]
fn written(modifier: &str) -> String {
    match modifier {
        "and" | "async" | "global" | "is" | "not" | "or" => format!("{modifier}_"),
        _ => modifier.to_owned(),
    }
}

/// A function with modifiers as attributes. Its calls stay as they are written.
#[cfg(feature = "parse")]
struct WithModifiers {
    name: &'static str,
    modifiers: Vec<String>,
}

#[cfg(feature = "parse")]
impl HostObject for WithModifiers {
    fn type_name(&self) -> &str {
        self.name
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let mut instructions =
            INSTRUCTIONS.iter().filter(|instruction| instruction.operator.text == self.name);
        let has = |instruction: &Instruction| {
            self.modifiers.iter().map(String::as_str).chain([name]).all(|name| instruction.has_modifier(name))
        };
        instructions.any(has).then(|| {
            let modifiers = [self.modifiers.as_slice(), &[written(name)]].concat();
            ScriptValue::host(WithModifiers { name: self.name, modifiers })
        })
    }

    fn call(&self, args: CallArgs) -> BuildResult<ScriptValue> {
        tvmscript_tir::parse::unknown_call(&format!("{}.{}", self.name, self.modifiers.join(".")), args)
    }
}
