//! Descriptions from IRDL, the language in which MLIR describes dialects.
//!
//! Types become `[type]` tables whose parameters are dtypes, operations with one result `[op]` tables, and those without
//! a result `[statement]` tables. Constraints `is`, `any`, `any_of`, `parametric` and `base` become constraint variables.
//! What a description cannot say is an error at its line.

use std::collections::HashMap;
use std::fmt::Write as _;

use tvmscript_python_syntax::is_keyword;

/// A construct of IRDL that cannot be read, or that a description cannot say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct IrdlError {
    /// The line, from 1.
    pub line: usize,
    /// The message.
    pub message: String,
}

type Result<T> = std::result::Result<T, IrdlError>;

/// Constraint variables with their texts, in the order of their use.
type Texts = Vec<(String, String)>;

/// Maximum nesting of constraints.
const MAX_DEPTH: usize = 32;

/// Writes the description of a dialect in IRDL as TOML.
///
/// ```
/// use tvmscript_dialect_file::from_irdl;
///
/// let text = "irdl.dialect @unit {\n  irdl.operation @scale {\n    %0 = irdl.is f32\n    irdl.operands(x: %0)\n    irdl.results(y: %0)\n  }\n}\n";
/// let toml = from_irdl(text)?;
/// assert!(toml.contains("[op.scale]\nvariables = { X = \"float32\" }\nparameters = { x = \"X\" }\nresult = \"X\""), "{toml}");
/// # Ok::<(), tvmscript_dialect_file::IrdlError>(())
/// ```
///
/// # Errors
/// Fails at the first construct that is not read or that a description cannot say.
pub fn from_irdl(text: &str) -> Result<String> {
    let tokens = tokens(text)?;
    let mut reader = Reader { tokens: &tokens, at: 0 };
    let dialect = reader.dialect()?;
    dialect.write()
}

#[derive(Debug, Clone, PartialEq)]
struct Token {
    text: String,
    line: usize,
}

/// Words with their sigils and dots (`irdl.is`, `%0`, `@cmath`, `!type`), strings, and single signs.
fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut rest = line.split_once("//").map_or(line, |(code, _)| code).trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
            let length = match first {
                '"' => match rest.get(1..).and_then(|rest| rest.find('"')) {
                    Some(end) => end + 2,
                    None => {
                        return Err(IrdlError { line: number, message: "a string has no end".to_owned() });
                    }
                },
                '%' | '@' | '!' | '#' | '^' => 1 + rest.chars().skip(1).take_while(|c| is_word(*c)).count(),
                c if is_word(c) => rest.chars().take_while(|c| is_word(*c)).count(),
                ':' if rest.starts_with("::") => 2,
                other => other.len_utf8(),
            };
            let (word, behind) = rest.split_at(length.min(rest.len()));
            tokens.push(Token { text: word.to_owned(), line: number });
            rest = behind.trim_start();
        }
    }
    Ok(tokens)
}

/// A constraint of a type.
#[derive(Debug, Clone, PartialEq)]
enum Constraint {
    Any,
    Is(String),
    AnyOf(Vec<Constraint>),
    /// A type of the dialect with constraints of its parameters; `None` for any parameters.
    Type(String, Option<Vec<String>>),
}

/// A value with a name: a parameter, operand or result, and the name of its constraint.
struct Named {
    name: String,
    constraint: String,
    is_variadic: bool,
    line: usize,
}

/// A type or operation.
struct Definition {
    is_type: bool,
    name: String,
    line: usize,
    constraints: HashMap<String, Constraint>,
    parameters: Vec<Named>,
    operands: Vec<Named>,
    results: Vec<Named>,
    attributes: Vec<Named>,
}

struct DialectOfIrdl {
    name: String,
    definitions: Vec<Definition>,
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Reader<'_> {
    fn line(&self) -> usize {
        let last = self.tokens.last().map_or(1, |token| token.line);
        self.tokens.get(self.at).map_or(last, |token| token.line)
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(IrdlError { line: self.line(), message: message.into() })
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |token| token.text.as_str())
    }

    fn next(&mut self) -> Result<String> {
        match self.tokens.get(self.at) {
            Some(token) => {
                self.at += 1;
                Ok(token.text.clone())
            }
            None => self.fail("the text ends too early"),
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        match self.eat(text) {
            true => Ok(()),
            false => self.fail(format!("expected `{text}`, found `{}`", self.peek())),
        }
    }

    /// A symbol `@name`.
    fn symbol(&mut self) -> Result<String> {
        let word = self.next()?;
        match word.strip_prefix('@') {
            Some(name) if !name.is_empty() => Ok(identifier(name)),
            _ => {
                self.at -= 1;
                self.fail(format!("expected a name such as `@complex`, found `{word}`"))
            }
        }
    }

    fn dialect(&mut self) -> Result<DialectOfIrdl> {
        let in_module = self.eat("module");
        if in_module {
            self.expect("{")?;
        }
        self.expect("irdl.dialect")?;
        let mut dialect = DialectOfIrdl { name: self.symbol()?, definitions: Vec::new() };
        self.expect("{")?;
        while !self.eat("}") {
            let line = self.line();
            let is_type = match self.next()?.as_str() {
                "irdl.type" => true,
                "irdl.operation" => false,
                other => {
                    self.at -= 1;
                    return self.fail(format!("`{other}` is not a type or an operation"));
                }
            };
            let name = self.symbol()?;
            let mut definition = Definition {
                is_type,
                name,
                line,
                constraints: HashMap::new(),
                parameters: Vec::new(),
                operands: Vec::new(),
                results: Vec::new(),
                attributes: Vec::new(),
            };
            if self.eat("{") {
                while !self.eat("}") {
                    self.statement(&mut definition)?;
                }
            }
            dialect.definitions.push(definition);
        }
        if in_module {
            self.expect("}")?;
        }
        match self.peek() {
            "" => Ok(dialect),
            other => self.fail(format!("`{other}` follows the dialect: one dialect is read")),
        }
    }

    fn statement(&mut self, definition: &mut Definition) -> Result<()> {
        let word = self.next()?;
        if word.starts_with('%') {
            self.expect("=")?;
            let constraint = self.constraint(definition)?;
            definition.constraints.insert(word, constraint);
            return Ok(());
        }
        match word.as_str() {
            "irdl.parameters" => definition.parameters = self.named("parameter")?,
            "irdl.operands" => definition.operands = self.named("operand")?,
            "irdl.results" => definition.results = self.named("result")?,
            "irdl.attributes" => definition.attributes = self.attributes()?,
            other => {
                self.at -= 1;
                return self.fail(format!("`{other}` is not read"));
            }
        }
        Ok(())
    }

    fn constraint(&mut self, definition: &Definition) -> Result<Constraint> {
        let word = self.next()?;
        Ok(match word.as_str() {
            "irdl.any" => Constraint::Any,
            "irdl.is" => Constraint::Is(self.next()?),
            "irdl.any_of" => {
                self.expect("(")?;
                let mut any_of = Vec::new();
                for name in self.names(")")? {
                    match definition.constraints.get(&name) {
                        Some(constraint) => any_of.push(constraint.clone()),
                        None => return self.fail(format!("`{name}` is not defined before")),
                    }
                }
                Constraint::AnyOf(any_of)
            }
            "irdl.parametric" => {
                let ty = self.type_name()?;
                self.expect("<")?;
                let parameters = self.names(">")?;
                Constraint::Type(ty, Some(parameters))
            }
            "irdl.base" => Constraint::Type(self.type_name()?, None),
            other => {
                self.at -= 1;
                return self.fail(format!("the constraint `{other}` is not read"));
            }
        })
    }

    /// `@dialect::@type` or `@type`.
    fn type_name(&mut self) -> Result<String> {
        let first = self.symbol()?;
        match self.eat("::") {
            true => self.symbol(),
            false => Ok(first),
        }
    }

    fn names(&mut self, end: &str) -> Result<Vec<String>> {
        let mut names = Vec::new();
        while !self.eat(end) {
            names.push(self.next()?);
            if !self.eat(",") && self.peek() != end {
                return self.fail(format!("expected `,` or `{end}`, found `{}`", self.peek()));
            }
        }
        Ok(names)
    }

    /// `(name: %0, %1)`.
    fn named(&mut self, what: &str) -> Result<Vec<Named>> {
        self.expect("(")?;
        let mut found: Vec<Named> = Vec::new();
        while !self.eat(")") {
            let line = self.line();
            let mut word = self.next()?;
            let mut name = format!("{what}{}", found.len());
            let mut is_variadic = false;
            if self.eat(":") {
                name = identifier(&word);
                word = self.next()?;
            }
            match word.as_str() {
                "variadic" => {
                    is_variadic = true;
                    word = self.next()?;
                }
                "single" => word = self.next()?,
                "optional" => return self.fail("optional operands are not read"),
                _ => {}
            }
            found.push(Named { name, constraint: word, is_variadic, line });
            if !self.eat(",") && self.peek() != ")" {
                return self.fail(format!("expected `,` or `)`, found `{}`", self.peek()));
            }
        }
        Ok(found)
    }

    /// `{ "name" = %0 }`.
    fn attributes(&mut self) -> Result<Vec<Named>> {
        self.expect("{")?;
        let mut found = Vec::new();
        while !self.eat("}") {
            let line = self.line();
            let name = identifier(self.next()?.trim_matches('"'));
            self.expect("=")?;
            let constraint = self.next()?;
            found.push(Named { name, constraint, is_variadic: false, line });
            if !self.eat(",") && self.peek() != "}" {
                return self.fail(format!("expected `,` or `}}`, found `{}`", self.peek()));
            }
        }
        Ok(found)
    }
}

/// A type of MLIR as a dtype.
fn dtype(ty: &str) -> Option<String> {
    let bits = |text: &str| text.parse::<u16>().ok().filter(|bits| *bits > 0);
    Some(match ty {
        "index" => "int64".to_owned(),
        "bf16" => "bfloat16".to_owned(),
        "i1" => "bool".to_owned(),
        _ => {
            let (prefix, bits) = [("ui", "uint"), ("si", "int"), ("i", "int"), ("f", "float")]
                .into_iter()
                .find_map(|(short, long)| Some((long, bits(ty.strip_prefix(short)?)?)))?;
            format!("{prefix}{bits}")
        }
    })
}

impl Definition {
    fn fail<T>(&self, line: usize, message: impl Into<String>) -> Result<T> {
        Err(IrdlError { line, message: format!("`{}`: {}", self.name, message.into()) })
    }

    fn constraint(&self, name: &str, line: usize) -> Result<&Constraint> {
        match self.constraints.get(name) {
            Some(constraint) => Ok(constraint),
            None => self.fail(line, format!("`{name}` is not defined")),
        }
    }

    /// The dtypes that a constraint allows; `None` for any.
    fn dtypes(&self, constraint: &Constraint, line: usize, depth: usize) -> Result<Option<Vec<String>>> {
        if depth > MAX_DEPTH {
            return self.fail(line, "constraints are nested too deeply");
        }
        match constraint {
            Constraint::Any => Ok(None),
            Constraint::Is(ty) => match dtype(ty) {
                Some(dtype) => Ok(Some(vec![dtype])),
                None => self.fail(line, format!("`{ty}` has no dtype")),
            },
            Constraint::AnyOf(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    match self.dtypes(part, line, depth + 1)? {
                        Some(dtypes) => all.extend(dtypes),
                        None => return Ok(None),
                    }
                }
                Ok(Some(all))
            }
            Constraint::Type(..) => self.fail(line, "a choice between types of the dialect is not read"),
        }
    }

    /// The constraint variables, by the names of the constraints, and their texts in the order of their use.
    fn variables(&self) -> Result<(HashMap<String, String>, Texts)> {
        let mut names: HashMap<String, String> = HashMap::new();
        let mut texts = Texts::new();
        for named in self.operands.iter().chain(&self.results) {
            self.variable(&named.constraint, &named.name, named.line, &mut names, &mut texts)?;
        }
        Ok((names, texts))
    }

    fn variable(
        &self,
        constraint: &str,
        hint: &str,
        line: usize,
        names: &mut HashMap<String, String>,
        texts: &mut Texts,
    ) -> Result<String> {
        if let Some(name) = names.get(constraint) {
            return Ok(name.clone());
        }
        let text = match self.constraint(constraint, line)? {
            Constraint::Type(ty, parameters) => {
                let mut shown = Vec::new();
                for parameter in parameters.iter().flatten() {
                    if matches!(self.constraint(parameter, line)?, Constraint::Type(..)) {
                        return self.fail(line, "a type as a parameter of a type is not read");
                    }
                    shown.push(self.variable(parameter, "element", line, names, texts)?);
                }
                match parameters {
                    Some(_) => format!("\"{ty}<{}>\"", shown.join(", ")),
                    None => {
                        return self
                            .fail(line, format!("`irdl.base @{ty}` is not read: write `irdl.parametric`"));
                    }
                }
            }
            other => match self.dtypes(other, line, 0)?.as_deref() {
                None => "\"any\"".to_owned(),
                Some([only]) => format!("\"{only}\""),
                Some(all) => {
                    let all: Vec<String> = all.iter().map(|dtype| format!("\"{dtype}\"")).collect();
                    format!("{{ any_of = [{}] }}", all.join(", "))
                }
            },
        };
        let mut name = camel(hint);
        while texts.iter().any(|(taken, _)| *taken == name) {
            name.push('_');
        }
        names.insert(constraint.to_owned(), name.clone());
        texts.push((name.clone(), text));
        Ok(name)
    }

    fn write_type(&self, out: &mut String) -> Result<()> {
        let mut checks = Vec::new();
        let mut parameters = Vec::new();
        for named in &self.parameters {
            parameters.push(format!("{} = \"dtype\"", named.name));
            let constraint = self.constraint(&named.constraint, named.line)?;
            if let Some(dtypes) = self.dtypes(constraint, named.line, 0)? {
                let dtypes: Vec<String> = dtypes.iter().map(|dtype| format!("'{dtype}'")).collect();
                checks.push(format!("\"{} in [{}]\"", named.name, dtypes.join(", ")));
            }
        }
        let _ = writeln!(out, "\n[type.{}]", self.name);
        if !parameters.is_empty() {
            let _ = writeln!(out, "parameters = {{ {} }}", parameters.join(", "));
        }
        if !checks.is_empty() {
            let _ = writeln!(out, "checks = [{}]", checks.join(", "));
        }
        Ok(())
    }

    fn write_operation(&self, prefix: &str, out: &mut String) -> Result<()> {
        if let Some(second) = self.results.get(1) {
            return self.fail(second.line, "an operation with several results is not read");
        }
        let (names, variables) = self.variables()?;
        let variable = |named: &Named| names.get(&named.constraint).cloned().unwrap_or_default();
        let mut fields = Vec::new();
        let mut places = Vec::new();
        for named in &self.operands {
            let list = if named.is_variadic { "list of " } else { "" };
            fields.push(format!("{} = \"{list}{}\"", named.name, variable(named)));
            places.push(format!("{{{}}}", named.name));
        }
        for named in &self.attributes {
            fields.push(format!("{} = \"any\"", named.name));
            places.push(format!("{0}={{{0}}}", named.name));
        }
        let table = if self.results.is_empty() { "statement" } else { "op" };
        let _ = writeln!(out, "\n[{table}.{}]", self.name);
        if !variables.is_empty() {
            let variables: Vec<String> =
                variables.iter().map(|(name, text)| format!("{name} = {text}")).collect();
            let _ = writeln!(out, "variables = {{ {} }}", variables.join(", "));
        }
        let key = if self.results.is_empty() { "fields" } else { "parameters" };
        if !fields.is_empty() {
            let _ = writeln!(out, "{key} = {{ {} }}", fields.join(", "));
        }
        match self.results.first() {
            Some(result) => _ = writeln!(out, "result = \"{}\"", variable(result)),
            None => _ = writeln!(out, "assembly = \"{prefix}.{}({})\"", self.name, places.join(", ")),
        }
        Ok(())
    }
}

impl DialectOfIrdl {
    fn write(&self) -> Result<String> {
        let prefix = camel(&self.name);
        let mut out = format!(
            "# Written from IRDL. `Value` and `function` are additions: values with types, and functions that hold operations.\n\n\
             [dialect]\nname = \"{}\"\nprefix = \"{prefix}\"\nedition = \"1.0\"\n",
            self.name
        );
        if let Some(definition) =
            self.definitions.iter().find(|d| ["function", "Value", "yield_"].contains(&d.name.as_str()))
        {
            return definition.fail(definition.line, "the name is that of an addition");
        }
        let _ = write!(
            out,
            "\n[node.Value]\nvariable = true\ndoc = \"A value of a type.\"\nfields = {{ type = \"node\" }}\n\
             \n[statement.function]\ndoc = \"A function.\"\n\
             fields = {{ name = \"str\", params = \"definition list of Value\", body = \"list of node\" }}\n\
             assembly = \"\"\"\n@{prefix}.function\ndef {{name}}({{params}}): {{body}}\"\"\"\n\
             \n[statement.yield_]\ndoc = \"Gives a value.\"\nfields = {{ value = \"node\" }}\nassembly = \"{prefix}.yield_({{value}})\"\n"
        );
        for definition in self.definitions.iter().filter(|definition| definition.is_type) {
            definition.write_type(&mut out)?;
        }
        for definition in self.definitions.iter().filter(|definition| !definition.is_type) {
            definition.write_operation(&prefix, &mut out)?;
        }
        Ok(out)
    }
}

/// `lhs_part` as `LhsPart`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    for part in name.split('_') {
        let mut chars = part.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.push_str(chars.as_str());
    }
    out
}

/// A name that scripts can write.
fn identifier(name: &str) -> String {
    let name = name.replace(['.', '$', '-'], "_");
    if is_keyword(&name) { format!("{name}_") } else { name }
}
