//! What stands for the nodes that are defined: a name, or an expression made at each use.

use tvmscript_doc::{DocArena, Sym};
use tvmscript_ir_core::Object;
use tvmscript_ir_core::ptr_map::AddressMap;

use crate::docsifier::DocFactory;
use crate::names::Namer;
use crate::words::Words;

/// The definitions that are in force, and the names in use.
pub(crate) struct Definitions {
    by_address: AddressMap<Definition>,
    factories: Vec<DocFactory>,
    names: Namer,
    words: Words,
    /// The first word that the text needs where a variable has it and keeps it.
    taken_word: Option<&'static str>,
}

/// The definition of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition {
    /// The number of the frame that has it.
    pub(crate) frame: usize,
    pub(crate) form: Form,
}

/// How a defined node is written where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A name.
    Name(Sym),
    /// An expression made at each use (`A.data`), by the factory of this number.
    Doc(u32),
}

/// What a frame gives back when it closes.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// The nodes that it defines, by address.
    defined: Vec<usize>,
    /// The names that it has taken.
    names: Vec<Sym>,
}

impl Definitions {
    /// No definitions; the words are those of [`Words::new`].
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

    /// The factory of this number.
    pub(crate) fn factory(&self, number: u32) -> DocFactory {
        self.factories[number as usize].clone()
    }

    /// Names a node in the frame of this number: the hint's identifier, made unique.
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

    /// Lets an expression stand for a node in the frame of this number.
    pub(crate) fn factor(&mut self, object: &Object, doc: DocFactory, frame: usize, scope: &mut Scope) {
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

    /// Ends the definitions of a frame that closes, and gives its names back.
    pub(crate) fn close(&mut self, scope: &Scope) {
        for address in &scope.defined {
            self.by_address.remove(address);
        }
        for name in &scope.names {
            self.names.release(*name);
        }
    }

    /// Takes a name that no variable may have.
    pub(crate) fn reserve(&mut self, name: Sym) {
        self.names.reserve(name);
    }

    /// Records that the text needs a word here.
    pub(crate) fn need_word(&mut self, word: &'static str, sym: Sym) {
        if self.names.is_taken(sym) && !self.names.is_reserved(sym) && !self.words.need(word) {
            self.taken_word.get_or_insert(word);
        }
    }

    /// Settles the names of variables that ask for a word of the text. Gives a word that a variable keeps, since nobody
    /// registered it.
    pub(crate) fn settle_words(&mut self, docs: &mut DocArena) -> Option<&'static str> {
        self.words.settle(&self.names, docs);
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
        definitions.factor(&a, Rc::new(|d| Ok(d.docs.none())), 2, &mut scope);
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
        assert_eq!(definitions.settle_words(&mut docs), None);
        let len = docs.sym("len");
        definitions.need_word("len", len);
        assert_eq!(definitions.settle_words(&mut docs), Some("len"));
    }
}
