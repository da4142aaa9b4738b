//! Ranges of printed text by access path.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashMap};
use tvmscript_doc::{DocArena, SourceMap};
use tvmscript_ir_core::containers::Key;
use tvmscript_ir_core::{AccessPath, PathStep};

/// The ranges of some parts of a [`crate::MappedText`] by path. [`crate::MappedText::ranges_of`] takes a pass over the
/// text per part; an index takes one pass for all parts that have text at their own path.
#[derive(Debug)]
pub struct PathIndex {
    hasher: DefaultHashBuilder,
    /// By the hash of the path.
    ranges: HashMap<u64, Vec<Range<usize>>>,
}

impl PathIndex {
    pub(crate) fn new<'p>(
        docs: &DocArena,
        map: &SourceMap,
        paths: impl IntoIterator<Item = &'p AccessPath>,
    ) -> PathIndex {
        let mut index = PathIndex { hasher: DefaultHashBuilder::default(), ranges: HashMap::new() };
        let wanted = paths.into_iter().map(|path| (index.hash(path), Vec::new())).collect();
        index.ranges = wanted;
        let root = index.hasher.hash_one(0);
        // Parents have lower indices than their children.
        let mut hashes: Vec<Option<u64>> = vec![Some(root)];
        for entry in map.entries() {
            for path in docs.paths_of(entry.doc) {
                let mut open = Vec::new();
                let mut at = path;
                let mut hash = loop {
                    if let Some(known) = hashes.get(at.index()).copied().flatten() {
                        break known;
                    }
                    let Some((parent, step)) = docs.paths().parent(at) else { break root };
                    open.push((at, step));
                    at = parent;
                };
                for (at, step) in open.into_iter().rev() {
                    hash = index.then(hash, step);
                    if hashes.len() <= at.index() {
                        hashes.resize(at.index() + 1, None);
                    }
                    hashes[at.index()] = Some(hash);
                }
                if let Some(ranges) = index.ranges.get_mut(&hash) {
                    ranges.push(entry.range.clone());
                }
            }
        }
        index
    }

    fn then(&self, parent: u64, step: &PathStep) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write_u64(parent);
        std::mem::discriminant(step).hash(&mut hasher);
        match step {
            PathStep::Field(name) => name.hash(&mut hasher),
            PathStep::Index(index) | PathStep::MissingIndex(index) => index.hash(&mut hasher),
            PathStep::Key(key) | PathStep::KeyItself(key) | PathStep::MissingKey(key) => {
                Key::new(key.clone()).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    fn hash(&self, path: &AccessPath) -> u64 {
        let root = self.hasher.hash_one(0);
        path.steps.iter().fold(root, |hash, step| self.then(hash, step))
    }

    /// The ranges of the part at a path of the index; none if the part has no text of its own at this path.
    pub fn ranges_at(&self, path: &AccessPath) -> &[Range<usize>] {
        self.ranges.get(&self.hash(path)).map_or(&[], Vec::as_slice)
    }
}
