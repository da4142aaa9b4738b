//! Functions by name, and callbacks.

use std::ops::ControlFlow;
use std::sync::Arc;

use tvmscript::ir_core::visit::Event;
use tvmscript::ir_core::{StructuralEqual, Visitor, Walk};
use tvmscript::{Object, PrinterConfig, post_order_mutate, structural_hash};

use crate::diagnostics::Findings;
use crate::json::{self, JsonForm};
use crate::options::Printing;
use crate::program::{Dialects, Part, Program};
use crate::status::{Outcome, Status};
use crate::value::Datum;

/// The reason why a call failed.
pub(crate) enum Failure {
    Status(Status),
    Found(Findings),
}

impl From<Status> for Failure {
    fn from(status: Status) -> Failure {
        Failure::Status(status)
    }
}

type Answer = Result<Datum, Failure>;

/// The failure of a function of the caller.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: Status,
    /// The reason, if the function gives one.
    pub(crate) message: Option<String>,
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Refusal {
        Refusal { status, message: None }
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Status {
        refusal.status
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        match refusal.message {
            Some(message) => Failure::Found(Findings::of_callback(&message)),
            None => Failure::Status(refusal.status),
        }
    }
}

/// A function of the caller.
pub(crate) trait Callback: Send + Sync {
    fn call(&self, args: &[Datum]) -> Result<Datum, Refusal>;
}

/// A function that can be called with values.
pub(crate) enum Callable {
    /// One of [`NAMED`], for some dialects.
    Named(&'static Named, Arc<Dialects>),
    Callback(Box<dyn Callback>),
}

impl Callable {
    /// The function of a name.
    pub(crate) fn named(name: &str, dialects: Arc<Dialects>) -> Outcome<Callable> {
        let named = NAMED.iter().find(|named| named.name == name).ok_or(Status::UnknownName)?;
        Ok(Callable::Named(named, dialects))
    }

    pub(crate) fn call(&self, args: &[Datum]) -> Answer {
        match self {
            Callable::Named(named, dialects) => (named.call)(dialects, args),
            Callable::Callback(callback) => Ok(callback.call(args)?),
        }
    }
}

/// A function of the library.
pub(crate) struct Named {
    /// Name, that of upstream where it has one.
    pub(crate) name: &'static str,
    /// Parameters and meaning.
    pub(crate) doc: &'static str,
    call: fn(&Arc<Dialects>, &[Datum]) -> Answer,
}

/// All functions.
pub(crate) static NAMED: [Named; 7] = [
    Named {
        name: "script.printer.Script",
        doc: "(node, options=\"\"): the text of a node. Options are those of dialects, `NAME=VALUE`, one per line.",
        call: |dialects, args| match args {
            [Datum::Object(part)] => script(dialects, part, ""),
            [Datum::Object(part), Datum::Text(options)] => script(dialects, part, options),
            _ => Err(Status::InvalidArgument.into()),
        },
    },
    Named {
        name: "script.parser.Parse",
        doc: "(text, name=\"<text>\"): the only script of a text, or the array of all.",
        call: |dialects, args| match args {
            [Datum::Text(text)] => parse(dialects, text, "<text>"),
            [Datum::Text(text), Datum::Text(name)] => parse(dialects, text, name),
            _ => Err(Status::InvalidArgument.into()),
        },
    },
    Named {
        name: "_PrePostOrderVisit",
        doc: "(node, pre, post): calls `pre` with each node before its children, and `post` after them. Each may be None. A node \
              whose `pre` returns False is left without its children.",
        call: |_, args| match args {
            [Datum::Object(part), pre, post] => visit_by_functions(part, pre, post),
            _ => Err(Status::InvalidArgument.into()),
        },
    },
    Named {
        name: "node.StructuralEqual",
        doc: "(a, b, map_free_vars=False): whether two nodes are structurally equal.",
        call: |_, args| {
            let (a, b, map_free_vars) = match args {
                [Datum::Object(a), Datum::Object(b)] => (a, b, false),
                [Datum::Object(a), Datum::Object(b), Datum::Bool(map)] => (a, b, *map),
                _ => return Err(Status::InvalidArgument.into()),
            };
            let how = StructuralEqual { map_free_vars, ..StructuralEqual::default() };
            Ok(Datum::Bool(how.compare(&a.node, &b.node)))
        },
    },
    Named {
        name: "node.StructuralHash",
        doc: "(node): a number that equal nodes share, as a signed integer.",
        call: |_, args| match args {
            [Datum::Object(part)] => Ok(Datum::Int(structural_hash(&part.node).cast_signed())),
            _ => Err(Status::InvalidArgument.into()),
        },
    },
    Named {
        name: "node.SaveJSON",
        doc: "(node): JSON in the form of TVM.",
        call: |_, args| match args {
            [Datum::Object(part)] => {
                let text = json::save(part, JsonForm::Tvm, part.origin.release, false);
                text.map(Datum::Text).map_err(Failure::Found)
            }
            _ => Err(Status::InvalidArgument.into()),
        },
    },
    Named {
        name: "node.LoadJSON",
        doc: "(text): the node of a JSON text in either form.",
        call: |dialects, args| match args {
            [Datum::Text(text)] => {
                let loaded = json::load(Arc::clone(dialects), "<json>", text);
                loaded.map(Datum::Object).map_err(Failure::Found)
            }
            _ => Err(Status::InvalidArgument.into()),
        },
    },
];

fn script(dialects: &Arc<Dialects>, part: &Part, dialect_options: &str) -> Answer {
    let config: PrinterConfig = Printing { dialect_options, ..Printing::default() }.config(dialects, part)?;
    match tvmscript::print(&part.node, dialects, &config) {
        Ok(text) => Ok(Datum::Text(text)),
        Err(error) => Err(Failure::Found(Findings::of_print(&error, part))),
    }
}

fn parse(dialects: &Arc<Dialects>, text: &str, name: &str) -> Answer {
    let options = crate::options::Parsing::default().options(dialects)?;
    let (program, findings) = Program::parse(Arc::clone(dialects), name, text, &options);
    match findings.has_errors() {
        true => Err(Failure::Found(findings)),
        false => Ok(Datum::Object(program.whole())),
    }
}

/// Walks over all nodes below one, each once.
pub(crate) fn visit(root: &Part, mut f: impl FnMut(Event, Part) -> Outcome<Walk>) -> Outcome {
    let mut failure = None;
    let flow = Visitor::new().walk(&root.node, |event, node| match f(event, root.with(node.clone())) {
        Ok(walk) => walk,
        Err(status) => {
            failure = Some(status);
            Walk::Stop
        }
    });
    match (failure, flow) {
        (Some(status), _) => Err(status),
        (None, ControlFlow::Break(())) => Err(Status::Stopped),
        (None, ControlFlow::Continue(())) => Ok(()),
    }
}

fn visit_by_functions(root: &Part, pre: &Datum, post: &Datum) -> Answer {
    let function = |value: &Datum| match value {
        Datum::None => Ok(None),
        Datum::Function(function) => Ok(Some(Arc::clone(function))),
        _ => Err(Status::InvalidArgument),
    };
    let (pre, post) = (function(pre)?, function(post)?);
    let mut failed = None;
    let walked = visit(root, |event, part| {
        let function = match event {
            Event::Enter => &pre,
            Event::Leave => &post,
        };
        let Some(function) = function else { return Ok(Walk::Advance) };
        match function.call(&[Datum::Object(part)]) {
            Ok(Datum::Bool(false)) if event == Event::Enter => Ok(Walk::Skip),
            Ok(_) => Ok(Walk::Advance),
            Err(Failure::Status(status)) => Err(status),
            Err(found) => {
                failed = Some(found);
                Err(Status::Errors)
            }
        }
    });
    match (failed, walked) {
        (Some(failed), _) => Err(failed),
        (None, walked) => walked.map(|()| Datum::None).map_err(Failure::Status),
    }
}

/// Replaces the nodes at and below one by what a callback returns for them, children before parents.
pub(crate) fn rewrite(root: &Part, callback: &dyn Callback) -> Result<Object, Failure> {
    let mut failure: Option<Failure> = None;
    let rewritten = post_order_mutate(root.node.clone(), |node| {
        if failure.is_some() {
            return None;
        }
        match callback.call(&[Datum::Object(root.with(node.clone()))]) {
            Ok(Datum::None) => return None,
            Ok(Datum::Object(part)) => return Some(part.node),
            Ok(_) => failure = Some(Status::InvalidArgument.into()),
            Err(refusal) => failure = Some(refusal.into()),
        }
        None
    });
    match failure {
        Some(failure) => Err(failure),
        None => rewritten.map_err(|error| Failure::Found(Findings::of_rewrite(&error, root))),
    }
}
