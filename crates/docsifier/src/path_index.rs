//! Ranges of printed text by access path, and the paths that a print records.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use tvmscript_doc::{DocArena, SourceMap};
use tvmscript_ir_core::containers::Key;
use tvmscript_ir_core::vectors;
use tvmscript_ir_core::{AccessPath, PathId, PathStep};

/// Hashes of paths: that of a path follows from that of its parent.
#[derive(Debug, Default)]
struct PathHasher(DefaultHashBuilder);

impl PathHasher {
    fn root(&self) -> u64 {
        self.0.hash_one(0)
    }

    fn then(&self, parent: u64, step: &PathStep) -> u64 {
        let mut hasher = self.0.build_hasher();
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
        path.steps.iter().fold(self.root(), |hash, step| self.then(hash, step))
    }
}

/// The paths that a print records: some paths and those of the parts around them. All other parts share one path.
#[derive(Debug)]
pub(crate) struct WantedPaths {
    hasher: PathHasher,
    /// Hashes of the paths to record.
    wanted: HashSet<u64>,
    /// Hashes of recorded paths, by index in the table.
    hashes: Vec<u64>,
    /// The path of all parts that are not recorded.
    elsewhere: PathId,
}

impl WantedPaths {
    /// Records only `paths` and their prefixes in the table of `docs`, which must be empty.
    pub(crate) fn new(docs: &mut DocArena, paths: &[AccessPath]) -> WantedPaths {
        let hasher = PathHasher::default();
        let mut wanted = HashSet::new();
        for path in paths {
            let mut hash = hasher.root();
            for step in &path.steps {
                hash = hasher.then(hash, step);
                wanted.insert(hash);
            }
        }
        let hashes = vec![hasher.root(), 0];
        let elsewhere = docs.child_path(PathId::ROOT, PathStep::MissingIndex(0));
        WantedPaths { hasher, wanted, hashes, elsewhere }
    }

    /// Returns `true` if the path is recorded.
    #[inline]
    pub(crate) fn contains(&self, path: PathId) -> bool {
        path != self.elsewhere
    }

    /// The path `step` below `parent`.
    pub(crate) fn child(&mut self, docs: &mut DocArena, parent: PathId, step: PathStep) -> PathId {
        let Some(&around) = self.hashes.get(parent.index()).filter(|_| self.contains(parent)) else {
            return self.elsewhere;
        };
        let hash = self.hasher.then(around, &step);
        if !self.wanted.contains(&hash) {
            return self.elsewhere;
        }
        self.hashes.push(hash);
        docs.child_path(parent, step)
    }
}

/// The ranges of some parts of a [`crate::MappedText`] by path. [`crate::MappedText::ranges_of`] takes a pass over the
/// text per part; an index takes one pass for all parts that have text at their own path.
#[derive(Debug)]
pub struct PathIndex {
    hasher: PathHasher,
    /// By the hash of the path.
    ranges: HashMap<u64, Vec<Range<usize>>>,
}

impl PathIndex {
    pub(crate) fn new<'p>(
        docs: &DocArena,
        map: &SourceMap,
        paths: impl IntoIterator<Item = &'p AccessPath>,
    ) -> PathIndex {
        let mut index = PathIndex { hasher: PathHasher::default(), ranges: HashMap::new() };
        let wanted = paths.into_iter().map(|path| (index.hasher.hash(path), Vec::new())).collect();
        index.ranges = wanted;
        let root = index.hasher.root();
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
                    hash = index.hasher.then(hash, step);
                    *vectors::entry(&mut hashes, at.index()) = Some(hash);
                }
                if let Some(ranges) = index.ranges.get_mut(&hash) {
                    ranges.push(entry.range.clone());
                }
            }
        }
        index
    }

    /// The ranges of the part at a path of the index; none if the part has no text of its own at this path.
    pub fn ranges_at(&self, path: &AccessPath) -> &[Range<usize>] {
        self.ranges.get(&self.hasher.hash(path)).map_or(&[], Vec::as_slice)
    }
}
