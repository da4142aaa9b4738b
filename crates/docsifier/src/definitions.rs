//! Definitions of nodes: a name, or an expression built at each use.

use tvmscript_doc::{DocArena, Sym};
use tvmscript_ir_core::Object;
use tvmscript_ir_core::ptr_map::AddressMap;

use crate::docsifier::DocFactory;
use crate::names::Namer;
use crate::words::Words;

/// The definitions in scope and the names in use.
pub(crate) struct Definitions {
    by_address: AddressMap<Definition>,
    factories: Vec<DocFactory>,
    names: Namer,
    words: Words,
    /// The first word that the text needs although a variable keeps it as its name.
    taken_word: Option<&'static str>,
}

/// The definition of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition {
    /// Number of the frame that holds the definition.
    pub(crate) frame: usize,
    pub(crate) form: Form,
}

/// The form in which a defined node is printed at its uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A name.
    Name(Sym),
    /// An expression built at each use (`A.data`); index of its factory.
    Doc(u32),
}

/// The definitions and names that a closing frame releases.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// Addresses of the nodes that the frame defines.
    defined: Vec<usize>,
    /// Names that the frame took.
    names: Vec<Sym>,
}

impl Scope {
    /// Takes over the names of an inner scope.
    pub(crate) fn keep(&mut self, inner: &mut Scope) {
        self.names.append(&mut inner.names);
    }
}

impl Definitions {
    /// Creates an empty set of definitions; `words` is that of [`Words::new`].
    pub(crate) fn new(words: &[&'static str]) -> Definitions {
        Definitions {
            by_address: AddressMap::default(),
            factories: Vec::new(),
            names: Namer::new(),
            words: Words::new(words),
            taken_word: None,
        }
    }

    #[inline]
    pub(crate) fn get(&self, object: &Object) -> Option<&Definition> {
        self.by_address.get(&object.address())
    }

    #[expect(clippy::indexing_slicing, reason = "numbers are positions of added factories")]
    pub(crate) fn factory(&self, number: u32) -> DocFactory {
        self.factories[number as usize].clone()
    }

    /// Names a node in the frame with this number: the hint's identifier, made unique.
    pub(crate) fn name(
        &mut self,
        object: &Object,
        hint: &str,
        frame: usize,
        scope: &mut Scope,
        docs: &mut DocArena,
    ) -> Sym {
        let name = self.names.take(hint, docs);
        scope.names.push(name);
        let name = self.words.symbol(name, docs);
        self.insert(object, Definition { frame, form: Form::Name(name) }, scope);
        name
    }

    /// Defines a node by an expression, in the frame with this number.
    pub(crate) fn define_by_doc(
        &mut self,
        object: &Object,
        doc: DocFactory,
        frame: usize,
        scope: &mut Scope,
    ) {
        let form = Form::Doc(self.factories.len() as u32);
        self.factories.push(doc);
        self.insert(object, Definition { frame, form }, scope);
    }

    fn insert(&mut self, object: &Object, definition: Definition, scope: &mut Scope) {
        self.by_address.insert(object.address(), definition);
        scope.defined.push(object.address());
    }

    /// Ends one definition. Its name stays taken until the frame closes.
    pub(crate) fn end(&mut self, object: &Object) {
        self.by_address.remove(&object.address());
    }

    /// Ends the definitions of a closing frame and releases its names.
    pub(crate) fn close(&mut self, scope: &Scope) {
        for address in &scope.defined {
            self.by_address.remove(address);
        }
        for name in &scope.names {
            self.names.release(*name);
        }
    }

    /// Reserves a name that no variable may take.
    pub(crate) fn reserve(&mut self, name: Sym) {
        self.names.reserve(name);
    }

    /// Takes a name that something else than a definition has, until the frame closes.
    pub(crate) fn hold(&mut self, name: Sym, scope: &mut Scope) {
        if self.names.hold(name) {
            scope.names.push(name);
        }
    }

    /// Records that the text uses a word at this point.
    pub(crate) fn need_word(&mut self, word: &'static str, sym: Sym) {
        if self.names.is_taken(sym) && !self.names.is_reserved(sym) && !self.words.need(word) {
            self.taken_word.get_or_insert(word);
        }
    }

    /// Resolves conflicts between variables and words of the text. Returns a word that still conflicts because no
    /// dialect registered it.
    pub(crate) fn resolve_words(&mut self, docs: &mut DocArena) -> Option<&'static str> {
        self.words.resolve(&self.names, docs);
        self.taken_word
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use tvmscript_ir_core::{ObjectLike, Str};

    use super::*;

    fn nodes() -> [Object; 3] {
        ["a", "b", "c"].map(|text| Str::new(text).into_object())
    }

    #[test]
    fn names_are_free_again_when_their_frame_closes() {
        let ([a, b, c], mut docs) = (nodes(), DocArena::new());
        let (mut definitions, mut outer, mut inner) =
            (Definitions::new(&[]), Scope::default(), Scope::default());
        definitions.name(&a, "i", 0, &mut outer, &mut docs);
        let name = definitions.name(&b, "i", 1, &mut inner, &mut docs);
        assert_eq!(docs.text(name), "i_1");
        definitions.close(&inner);
        assert!(definitions.get(&b).is_none() && definitions.get(&a).is_some());
        let name = definitions.name(&c, "i", 0, &mut outer, &mut docs);
        assert_eq!(docs.text(name), "i_1");
    }

    #[test]
    fn the_name_of_an_ended_definition_stays_taken() {
        let ([a, b, _], mut docs) = (nodes(), DocArena::new());
        let (mut definitions, mut scope) = (Definitions::new(&[]), Scope::default());
        definitions.name(&a, "p", 0, &mut scope, &mut docs);
        definitions.end(&a);
        assert!(definitions.get(&a).is_none());
        let name = definitions.name(&b, "p", 0, &mut scope, &mut docs);
        assert_eq!(docs.text(name), "p_1");
    }

    #[test]
    fn an_expression_stands_for_a_node() {
        let ([a, ..], mut scope) = (nodes(), Scope::default());
        let mut definitions = Definitions::new(&[]);
        definitions.define_by_doc(&a, Rc::new(|d| Ok(d.docs.none())), 2, &mut scope);
        let found = definitions.get(&a).map(|definition| (definition.frame, definition.form));
        assert_eq!(found, Some((2, Form::Doc(0))));
    }

    #[test]
    fn a_needed_word_that_nobody_registered_is_a_conflict() {
        let ([a, ..], mut docs, mut scope) = (nodes(), DocArena::new(), Scope::default());
        let mut definitions = Definitions::new(&["range"]);
        for hint in ["range", "len"] {
            definitions.name(&a, hint, 0, &mut scope, &mut docs);
        }
        let range = docs.sym("range");
        definitions.need_word("range", range);
        assert_eq!(definitions.resolve_words(&mut docs), None);
        let len = docs.sym("len");
        definitions.need_word("len", len);
        assert_eq!(definitions.resolve_words(&mut docs), Some("len"));
    }
}
