//! The common ancestors of several loops and blocks.

use crate::state::{Item, State};

impl State {
    /// The innermost loop or block that is or holds all of these.
    pub(crate) fn common_ancestor(&self, items: &[Item]) -> Option<Item> {
        let path = |item: Item| {
            let mut path: Vec<Item> = std::iter::once(item).chain(self.ancestors(item)).collect();
            path.reverse();
            path
        };
        let (first, rest) = items.split_first()?;
        let mut common = path(*first);
        for item in rest {
            let shared = common.iter().zip(path(*item)).take_while(|(one, other)| *one == other).count();
            common.truncate(shared);
        }
        common.last().copied()
    }
}
