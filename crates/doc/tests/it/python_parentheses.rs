//! Printed text reads back: random expressions, printed at several widths, give the same tree in a reader that follows
//! Python's grammar.
//!
//! The reader below is written from the grammar of the Python reference ("6. Expressions"), not from the printer's table of
//! levels. Both sides are compared as text in prefix form.

use proptest::prelude::*;
use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{BinaryOp, DocArena, ExprDoc, Subscript, UnaryOp};

/// An expression to print.
#[derive(Debug, Clone)]
enum Tree {
    Id(&'static str),
    Int(i64),
    Float(f64),
    Str(&'static str),
    Attr(Box<Tree>),
    Index(Box<Tree>, Vec<Item>),
    Call(Box<Tree>, Vec<Tree>, Vec<Tree>),
    Unary(UnaryOp, Box<Tree>),
    Binary(BinaryOp, Box<Tree>, Box<Tree>),
    Conditional(Box<[Tree; 3]>),
    Lambda(usize, Box<Tree>),
    Tuple(Vec<Tree>),
    List(Vec<Tree>),
    Dict(Vec<(Tree, Tree)>),
}

/// An element of an index.
#[derive(Debug, Clone)]
enum Item {
    Tree(Tree),
    Slice([Option<Tree>; 3]),
}

const UNARY: [(UnaryOp, &str); 3] = [(UnaryOp::USub, "-"), (UnaryOp::Invert, "~"), (UnaryOp::Not, "not")];

const BINARY: [(BinaryOp, &str); 20] = [
    (BinaryOp::Add, "+"),
    (BinaryOp::Sub, "-"),
    (BinaryOp::Mult, "*"),
    (BinaryOp::Div, "/"),
    (BinaryOp::FloorDiv, "//"),
    (BinaryOp::Mod, "%"),
    (BinaryOp::Pow, "**"),
    (BinaryOp::LShift, "<<"),
    (BinaryOp::RShift, ">>"),
    (BinaryOp::BitAnd, "&"),
    (BinaryOp::BitOr, "|"),
    (BinaryOp::BitXor, "^"),
    (BinaryOp::Lt, "<"),
    (BinaryOp::LtE, "<="),
    (BinaryOp::Eq, "=="),
    (BinaryOp::NotEq, "!="),
    (BinaryOp::Gt, ">"),
    (BinaryOp::GtE, ">="),
    (BinaryOp::And, "and"),
    (BinaryOp::Or, "or"),
];

const PARAMETERS: [&str; 2] = ["p", "q"];

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["a", "b", "x_1"]).prop_map(Tree::Id),
        prop::sample::select(vec![0, 7, -1, -12, i64::MIN]).prop_map(Tree::Int),
        prop::sample::select(vec![1.5, -0.25, -2.0, 1e-7]).prop_map(Tree::Float),
        prop::sample::select(vec!["", "s"]).prop_map(Tree::Str),
    ];
    leaf.prop_recursive(6, 60, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let several = || prop::collection::vec(inner.clone(), 0..3);
        let item = prop_oneof![
            3 => inner.clone().prop_map(Item::Tree),
            1 => [prop::option::of(inner.clone()), prop::option::of(inner.clone()), prop::option::of(inner.clone())]
                .prop_map(Item::Slice),
        ];
        prop_oneof![
            1 => boxed.clone().prop_map(Tree::Attr),
            1 => (boxed.clone(), prop::collection::vec(item, 1..3)).prop_map(|(value, items)| Tree::Index(value, items)),
            1 => (boxed.clone(), several(), several()).prop_map(|(callee, args, kw)| Tree::Call(callee, args, kw)),
            2 => (prop::sample::select(UNARY.map(|(op, _)| op).to_vec()), boxed.clone())
                .prop_map(|(op, operand)| Tree::Unary(op, operand)),
            6 => (prop::sample::select(BINARY.map(|(op, _)| op).to_vec()), boxed.clone(), boxed.clone())
                .prop_map(|(op, left, right)| Tree::Binary(op, left, right)),
            2 => [inner.clone(), inner.clone(), inner.clone()].prop_map(|parts| Tree::Conditional(Box::new(parts))),
            1 => (0..=PARAMETERS.len(), boxed).prop_map(|(arity, body)| Tree::Lambda(arity, body)),
            1 => several().prop_map(Tree::Tuple),
            1 => several().prop_map(Tree::List),
            1 => prop::collection::vec((inner.clone(), inner.clone()), 0..3).prop_map(Tree::Dict),
        ]
    })
}

impl Tree {
    fn doc(&self, docs: &mut DocArena) -> ExprDoc {
        match self {
            Tree::Id(name) => docs.id(*name),
            Tree::Int(value) => docs.int(*value),
            Tree::Float(value) => docs.float(*value),
            Tree::Str(text) => docs.str(*text),
            Tree::Attr(value) => {
                let value = value.doc(docs);
                docs.attr(value, "f")
            }
            Tree::Index(value, items) => {
                let value = value.doc(docs);
                let items: Vec<Subscript> = items
                    .iter()
                    .map(|item| match item {
                        Item::Tree(tree) => tree.doc(docs).into(),
                        Item::Slice(parts) => {
                            let [start, stop, step] =
                                parts.each_ref().map(|part| part.as_ref().map(|part| part.doc(docs)));
                            docs.slice(start, stop, step).into()
                        }
                    })
                    .collect();
                docs.index(value, &items)
            }
            Tree::Call(callee, args, kwargs) => {
                let callee = callee.doc(docs);
                let args = all(docs, args);
                let kwargs: Vec<_> = all(docs, kwargs).into_iter().map(|value| ("k", value)).collect();
                docs.call(callee, &args, &kwargs)
            }
            Tree::Unary(op, operand) => {
                let operand = operand.doc(docs);
                docs.unary(*op, operand)
            }
            Tree::Binary(op, left, right) => {
                let (left, right) = (left.doc(docs), right.doc(docs));
                docs.binary(*op, left, right)
            }
            Tree::Conditional(parts) => {
                let [condition, then_value, else_value] = parts.each_ref().map(|part| part.doc(docs));
                docs.conditional(condition, then_value, else_value)
            }
            Tree::Lambda(arity, body) => {
                let args: Vec<_> = PARAMETERS[..*arity].iter().map(|&name| docs.id(name)).collect();
                let body = body.doc(docs);
                docs.lambda(&args, body).unwrap()
            }
            Tree::Tuple(elements) => {
                let elements = all(docs, elements);
                docs.tuple(&elements)
            }
            Tree::List(elements) => {
                let elements = all(docs, elements);
                docs.list(&elements)
            }
            Tree::Dict(entries) => {
                let entries: Vec<_> =
                    entries.iter().map(|(key, value)| (key.doc(docs), value.doc(docs))).collect();
                docs.dict(&entries)
            }
        }
    }

    /// The tree in prefix form. A negative number and a negated one are the same.
    fn prefix(&self) -> String {
        let join = |trees: &[Tree]| trees.iter().map(Tree::prefix).collect::<Vec<_>>().join(" ");
        match self {
            Tree::Id(name) => (*name).to_owned(),
            Tree::Int(value) if *value < 0 => format!("(- {})", value.unsigned_abs()),
            Tree::Int(value) => value.to_string(),
            Tree::Float(value) if *value < 0.0 => format!("(- {})", Tree::Float(-value).prefix()),
            Tree::Float(value) => format!("{value:?}"),
            Tree::Str(text) => format!("{text:?}"),
            Tree::Attr(value) => format!("(. {})", value.prefix()),
            Tree::Index(value, items) => {
                let items: Vec<_> = items
                    .iter()
                    .map(|item| match item {
                        Item::Tree(tree) => tree.prefix(),
                        Item::Slice(parts) => {
                            let part =
                                |part: &Option<Tree>| part.as_ref().map_or("_".to_owned(), Tree::prefix);
                            format!("(: {})", parts.each_ref().map(part).join(" "))
                        }
                    })
                    .collect();
                format!("([] {} {})", value.prefix(), items.join(" "))
            }
            Tree::Call(callee, args, kwargs) => {
                format!("(call {} ({}) ({}))", callee.prefix(), join(args), join(kwargs))
            }
            Tree::Unary(op, operand) => {
                let token = UNARY.iter().find(|(known, _)| known == op).unwrap().1;
                format!("({token} {})", operand.prefix())
            }
            Tree::Binary(op, left, right) => {
                let token = BINARY.iter().find(|(known, _)| known == op).unwrap().1;
                format!("({token} {} {})", left.prefix(), right.prefix())
            }
            Tree::Conditional(parts) => format!("(if {})", join(&parts[..])),
            Tree::Lambda(arity, body) => {
                format!("(lambda ({}) {})", PARAMETERS[..*arity].join(" "), body.prefix())
            }
            Tree::Tuple(elements) => format!("(tuple {})", join(elements)),
            Tree::List(elements) => format!("(list {})", join(elements)),
            Tree::Dict(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| format!("{} {}", key.prefix(), value.prefix()))
                    .collect();
                format!("(dict {})", entries.join(" "))
            }
        }
    }
}

fn all(docs: &mut DocArena, trees: &[Tree]) -> Vec<ExprDoc> {
    trees.iter().map(|tree| tree.doc(docs)).collect()
}

/// Reads an expression of Python into prefix form, by recursive descent over the grammar.
struct Reader<'t> {
    tokens: Vec<&'t str>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn read(text: &'t str) -> String {
        let mut reader = Reader { tokens: tokens(text), at: 0 };
        let tree = reader.expression();
        assert_eq!(reader.at, reader.tokens.len(), "left over in {text}");
        tree
    }

    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn next(&mut self) -> &'t str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.accept(token), "expected {token:?}, got {:?} in {:?}", self.peek(), self.tokens);
    }

    /// `expression: disjunction ['if' disjunction 'else' expression] | lambda`
    fn expression(&mut self) -> String {
        if self.accept("lambda") {
            let mut names = Vec::new();
            while !self.accept(":") {
                names.push(self.next());
                self.accept(",");
            }
            return format!("(lambda ({}) {})", names.join(" "), self.expression());
        }
        let value = self.level(0);
        if self.accept("if") {
            let condition = self.level(0);
            self.expect("else");
            return format!("(if {condition} {value} {})", self.expression());
        }
        value
    }

    /// The levels from disjunction down to multiplication, all but comparison and `not` associating to the left.
    fn level(&mut self, level: usize) -> String {
        const LEVELS: [&[&str]; 10] = [
            &["or"],
            &["and"],
            &["not"],
            &["<", "<=", "==", "!=", ">", ">="],
            &["|"],
            &["^"],
            &["&"],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "//", "%"],
        ];
        let Some(&operators) = LEVELS.get(level) else { return self.factor() };
        if operators == ["not"] {
            return if self.accept("not") {
                format!("(not {})", self.level(level))
            } else {
                self.level(level + 1)
            };
        }
        let mut left = self.level(level + 1);
        let mut comparisons = 0;
        while operators.contains(&self.peek()) {
            let operator = self.next();
            let right = self.level(level + 1);
            comparisons += 1;
            left = if operators.contains(&"==") && comparisons > 1 {
                format!("(chain {operator} {left} {right})")
            } else {
                format!("({operator} {left} {right})")
            };
        }
        left
    }

    /// `factor: ('-' | '~') factor | power` and `power: primary ['**' factor]`
    fn factor(&mut self) -> String {
        for sign in ["-", "~"] {
            if self.accept(sign) {
                return format!("({sign} {})", self.factor());
            }
        }
        let base = self.primary();
        if self.accept("**") { format!("(** {base} {})", self.factor()) } else { base }
    }

    fn primary(&mut self) -> String {
        let mut value = self.atom();
        loop {
            if self.accept(".") {
                assert_eq!(self.next(), "f");
                value = format!("(. {value})");
            } else if self.accept("[") {
                let mut items = Vec::new();
                while !self.accept("]") {
                    items.push(self.subscript());
                    self.accept(",");
                }
                value = format!("([] {value} {})", items.join(" "));
            } else if self.accept("(") {
                let (mut args, mut kwargs) = (Vec::new(), Vec::new());
                while !self.accept(")") {
                    if self.tokens.get(self.at + 1) == Some(&"=") {
                        self.at += 2;
                        kwargs.push(self.expression());
                    } else {
                        assert!(kwargs.is_empty());
                        args.push(self.expression());
                    }
                    self.accept(",");
                }
                value = format!("(call {value} ({}) ({}))", args.join(" "), kwargs.join(" "));
            } else {
                return value;
            }
        }
    }

    fn subscript(&mut self) -> String {
        let part = |reader: &mut Self| {
            if [":", ",", "]"].contains(&reader.peek()) { "_".to_owned() } else { reader.expression() }
        };
        let start = part(self);
        if !self.accept(":") {
            return start;
        }
        let stop = part(self);
        let step = if self.accept(":") { part(self) } else { "_".to_owned() };
        format!("(: {start} {stop} {step})")
    }

    fn atom(&mut self) -> String {
        let token = self.next();
        match token {
            "(" => {
                let mut elements = Vec::new();
                let mut is_tuple = self.peek() == ")";
                while !self.accept(")") {
                    elements.push(self.expression());
                    is_tuple |= self.accept(",");
                }
                if is_tuple { format!("(tuple {})", elements.join(" ")) } else { elements.concat() }
            }
            "[" => {
                let mut elements = Vec::new();
                while !self.accept("]") {
                    elements.push(self.expression());
                    self.accept(",");
                }
                format!("(list {})", elements.join(" "))
            }
            "{" => {
                let mut entries = Vec::new();
                while !self.accept("}") {
                    entries.push(self.expression());
                    self.expect(":");
                    entries.push(self.expression());
                    self.accept(",");
                }
                format!("(dict {})", entries.join(" "))
            }
            number if number.contains('.') || number.contains("e-") => {
                format!("{:?}", number.parse::<f64>().unwrap())
            }
            _ => {
                let first = token.chars().next();
                assert!(
                    first.is_some_and(|c| c.is_alphanumeric() || c == '"'),
                    "{token:?} in {:?}",
                    self.tokens
                );
                token.to_owned()
            }
        }
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let while_ = |text: &str, is_part: fn(char) -> bool| text.find(|c| !is_part(c)).unwrap_or(text.len());
        let digits = |text: &str| while_(text, |c| c.is_ascii_digit());
        let len = if first == '"' {
            rest[1..].find('"').unwrap() + 2
        } else if first.is_ascii_digit() {
            let mut len = digits(rest);
            if rest[len..].starts_with('.') {
                len += 1 + digits(&rest[len + 1..]);
            }
            if rest[len..].starts_with("e-") {
                len += 2 + digits(&rest[len + 2..]);
            }
            len
        } else if first.is_alphabetic() {
            while_(rest, |c| c.is_alphanumeric() || c == '_')
        } else {
            let long = ["**", "//", "<<", ">>", "<=", ">=", "==", "!="];
            if long.iter().any(|token| rest.starts_with(token)) { 2 } else { 1 }
        };
        tokens.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    tokens
}

#[test]
fn the_reader_reads_as_python_does() {
    // Recorded from CPython's `ast` module.
    for (text, expected) in [
        ("-a ** -b", "(- (** a (- b)))"),
        ("a ** b ** a", "(** a (** b a))"),
        ("a == b == a", "(chain == (== a b) a)"),
        ("a if b else b if a else b", "(if b a (if a b b))"),
        ("lambda p: a if b else p", "(lambda (p) (if b a p))"),
        (
            "not a == b and a | b ^ a & b << a - b * a",
            "(and (not (== a b)) (| a (^ b (& a (<< b (- a (* b a)))))))",
        ),
        ("-1 .f", "(- (. 1))"),
        ("a[b:, (a, b)](k=a)", "(call ([] a (: b _ _) (tuple a b)) () (a))"),
    ] {
        assert_eq!(Reader::read(text), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn p74_21_printed_expressions_read_back(tree in tree()) {
        let mut docs = DocArena::new();
        let doc = tree.doc(&mut docs);
        let wide = python::print(&docs, doc, &PythonOptions::default()).unwrap();
        prop_assert_eq!(Reader::read(&wide), tree.prefix(), "{}", wide);
        for width in [1, 40, 80] {
            let options = PythonOptions { max_width_columns: Some(width), ..PythonOptions::default() };
            let text = python::print(&docs, doc, &options).unwrap();
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(squeezed(&text), squeezed(&wide));
            prop_assert_eq!(Reader::read(&text), tree.prefix(), "{}", text);
            // A line ends only where a bracket is open.
            let mut open = 0i32;
            for (at, c) in text.char_indices() {
                open += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
                prop_assert!(c != '\n' || open > 0, "line end at {} in {}", at, text);
            }
        }
    }
}
