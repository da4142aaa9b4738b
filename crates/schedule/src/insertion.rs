//! Places for a block among the statements of a loop.

use hashbrown::HashSet;
use tvmscript_tir::{SeqStmt, StmtRef};

use crate::error::{Result, ScheduleError};
use crate::state::{Item, State};
use crate::walk::topmost_blocks;

/// The blocks that must be below the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Required {
    Producers,
    Consumers,
}

/// The statements of a sequence, or the only one.
pub(crate) fn elements(stmt: &StmtRef) -> Vec<StmtRef> {
    match stmt.as_node::<SeqStmt>() {
        Some(sequence) => sequence.seq.iter().cloned().collect(),
        None => vec![stmt.clone()],
    }
}

/// The positions of a block among statements: after its producers, before its consumers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Positions {
    /// The first one: after the last producer.
    pub(crate) first: usize,
    /// The last one: before the first consumer.
    pub(crate) last: usize,
}

impl Positions {
    /// Finds the positions for a block.
    ///
    /// # Errors
    /// `InsertionPointNotFoundError` if a consumer is not after all producers, and `NotAllRequiredBlocksAreVisitedError`.
    ///
    /// # Source
    /// `FindInsertionPoint`, `src/tir/schedule/primitive/compute_at.cc`.
    pub(crate) fn of(
        state: &State,
        statements: &[StmtRef],
        producers: &[Item],
        consumers: &[Item],
        required: Required,
    ) -> Result<Positions> {
        let (mut producers_found, mut consumers_found) = (0usize, 0usize);
        let mut positions = Positions { first: 0, last: statements.len() };
        let blocks = |items: &[Item]| items.iter().copied().collect::<HashSet<Item>>();
        let (all_producers, all_consumers) = (blocks(producers), blocks(consumers));
        for (at, statement) in statements.iter().enumerate() {
            topmost_blocks(statement, &mut |realize| {
                let Some(item) = state.find(crate::walk::Found::Block(realize)) else { return };
                if all_producers.contains(&item) {
                    producers_found += 1;
                    positions.first = at + 1;
                }
                if all_consumers.contains(&item) {
                    consumers_found += 1;
                    positions.last = positions.last.min(at);
                }
            });
        }
        if positions.first > positions.last {
            let message = format!(
                "statement {} of the loop has a consumer of the block, and statement {} a producer",
                positions.last,
                positions.first - 1
            );
            return Err(ScheduleError::new("InsertionPointNotFoundError", message));
        }
        let (kind, blocks, found) = match required {
            Required::Producers => ("producers", producers, producers_found),
            Required::Consumers => ("consumers", consumers, consumers_found),
        };
        if found < blocks.len() {
            let missing = blocks.len() - found;
            let message =
                format!("{missing} of the {} {kind} of the block are not below the loop", blocks.len());
            let mut error = ScheduleError::new("NotAllRequiredBlocksAreVisitedError", message);
            error.nodes = blocks.iter().filter_map(|block| state.node(*block)).collect();
            return Err(error);
        }
        Ok(positions)
    }

    /// The position that an index of a primitive asks for: -1 is the last one, -2 the first one.
    ///
    /// # Errors
    /// If there is no such position.
    pub(crate) fn at(self, index: i64) -> Result<usize> {
        match (index, usize::try_from(index)) {
            (-1, _) => Ok(self.last),
            (-2, _) => Ok(self.first),
            (_, Ok(at)) if (self.first..=self.last).contains(&at) => Ok(at),
            _ => {
                let (first, last) = (self.first, self.last);
                let message = format!("the index {index} is not -1, -2 or in {first}..={last}");
                Err(ScheduleError::plain(message))
            }
        }
    }
}
