//! The dialect of a plugin.

use crate::node::{Error, Node, Value};

/// Code of a plugin.
pub(crate) type Code = Box<dyn Fn(&[Value]) -> Result<Value, Error> + Send + Sync>;

/// Kind of an item, as the header numbers them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Function = 0,
    Printer = 1,
    Pass = 2,
}

/// A function, printer or pass.
pub(crate) struct Item {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) parameters: String,
    pub(crate) doc: String,
    pub(crate) code: Code,
}

/// The text of a node: a call of a function of the dialect.
#[derive(Debug, Clone)]
pub struct Call {
    name: String,
    args: Vec<Value>,
}

impl Call {
    /// `Prefix.name(args)`.
    pub fn new(name: &str, args: impl IntoIterator<Item = Value>) -> Call {
        Call { name: name.to_owned(), args: args.into_iter().collect() }
    }
}

/// A dialect: its description, and what is in code.
pub struct Dialect {
    pub(crate) description: String,
    pub(crate) items: Vec<Item>,
}

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.items.iter().map(|item| item.name.as_str()).collect();
        f.debug_struct("Dialect").field("items", &names).finish_non_exhaustive()
    }
}

impl Dialect {
    /// A dialect of a description in TOML, as in a file of `--dialect`.
    pub fn new(description: &str) -> Dialect {
        Dialect { description: description.to_owned(), items: Vec::new() }
    }

    /// Adds a function of scripts. A parameter that ends with `=` may be left out, and is [`Value::None`] then.
    #[must_use]
    pub fn function(
        self,
        name: &str,
        parameters: &[&str],
        doc: &str,
        code: impl Fn(&[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Dialect {
        self.item(Kind::Function, name, parameters.join(", "), doc, Box::new(code))
    }

    /// Adds the printer of a node of the description that has no `assembly`.
    #[must_use]
    pub fn printer(
        self,
        key: &str,
        code: impl Fn(&Node) -> Result<Call, Error> + Send + Sync + 'static,
    ) -> Dialect {
        let code = move |args: &[Value]| match args {
            [Value::Node(node)] => {
                let Call { name, args } = code(node)?;
                let values: Vec<Value> = std::iter::once(Value::Text(name)).chain(args).collect();
                Node::array(&values).map(Value::Node)
            }
            _ => Err(Error::from("a node is expected")),
        };
        self.item(Kind::Printer, key, String::new(), "", Box::new(code))
    }

    /// Adds a pass over modules.
    #[must_use]
    pub fn pass(
        self,
        name: &str,
        doc: &str,
        code: impl Fn(&Node) -> Result<Node, Error> + Send + Sync + 'static,
    ) -> Dialect {
        let code = move |args: &[Value]| match args {
            [Value::Node(module)] => code(module).map(Value::Node),
            _ => Err(Error::from("a module is expected")),
        };
        self.item(Kind::Pass, name, String::new(), doc, Box::new(code))
    }

    fn item(mut self, kind: Kind, name: &str, parameters: String, doc: &str, code: Code) -> Dialect {
        self.items.push(Item { kind, name: name.to_owned(), parameters, doc: doc.to_owned(), code });
        self
    }
}
