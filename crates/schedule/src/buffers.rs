//! Buffers of blocks as arguments: `("read", 0)`, a number or a name.

use tvmscript_ir_core::{Array, Ref, Str};
use tvmscript_tir::{Block, Buffer, BufferRegion};

use crate::argument::Argument;
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive};
use crate::schedule::Schedule;

/// The kind of an access of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Access {
    #[default]
    Read,
    Write,
}

impl Access {
    /// The word for it in traces.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
        }
    }

    /// The regions of a block.
    pub(crate) fn regions(self, block: &Block) -> &Array<Ref<BufferRegion>> {
        match self {
            Access::Read => &block.reads,
            Access::Write => &block.writes,
        }
    }

    /// The region with a number.
    ///
    /// # Errors
    /// `BufferIndexOutOfRangeError`.
    pub(crate) fn region(self, block: &Ref<Block>, index: i64) -> Result<&Ref<BufferRegion>> {
        let regions = self.regions(block);
        usize::try_from(index).ok().and_then(|index| regions.get(index)).ok_or_else(|| {
            let message = format!(
                "the block `{}` has {} regions that it {}s, and none with the number {index}",
                block.name_hint.as_str(),
                regions.len(),
                self.name()
            );
            ScheduleError::new("BufferIndexOutOfRangeError", message).at(block.clone())
        })
    }

    /// The buffer with a number.
    ///
    /// # Errors
    /// `BufferIndexOutOfRangeError`.
    pub(crate) fn buffer(self, block: &Ref<Block>, index: i64) -> Result<Ref<Buffer>> {
        self.region(block, index).map(|region| region.buffer.clone())
    }
}

/// A buffer as an argument.
pub(crate) fn argument(kind: Access, index: i64) -> Argument {
    Argument::List(vec![Argument::Str(Str::from(kind.name())), Argument::Int(index)])
}

/// The kind and the number of a buffer.
///
/// # Errors
/// If it is something else.
pub(crate) fn parts(argument: &Argument) -> Result<(Access, i64)> {
    let [kind, index] = argument.list()? else {
        return Err(ScheduleError::plain("expected a buffer as `(\"read\", 0)`"));
    };
    Ok((access(kind)?, index.int()?))
}

/// The kind of an access, by its word.
///
/// # Errors
/// If it is something else.
pub(crate) fn access(argument: &Argument) -> Result<Access> {
    match argument.str()?.as_str() {
        "read" => Ok(Access::Read),
        "write" => Ok(Access::Write),
        other => {
            let message = format!("expected `\"read\"` or `\"write\"`, found `\"{other}\"`");
            Err(ScheduleError::plain(message))
        }
    }
}

/// Finds the buffers that arguments give by name, or by number alone.
pub(crate) fn resolve(schedule: &Schedule, primitive: &Primitive, arguments: &mut [Argument]) -> Result<()> {
    let Some((block, rest)) = arguments.split_first_mut() else { return Ok(()) };
    for (parameter, argument) in primitive.parameters.iter().skip(1).zip(rest) {
        if parameter.place != Place::Buffer {
            continue;
        }
        *argument = match &*argument {
            Argument::Int(index) => self::argument(Access::Read, *index),
            Argument::Str(name) => {
                let block = schedule.state().block_of(schedule.item(block)?)?;
                named(block, name)?
            }
            given => {
                parts(given)?;
                continue;
            }
        };
    }
    Ok(())
}

/// The only buffer of a block with a name.
fn named(block: &Ref<Block>, name: &Str) -> Result<Argument> {
    let mut found: Vec<(Ref<Buffer>, Argument)> = Vec::new();
    for kind in [Access::Read, Access::Write] {
        for (index, region) in (0..).zip(kind.regions(block).iter()) {
            let is_new = !found.iter().any(|(buffer, _)| buffer.ptr_eq(&region.buffer));
            if is_new && region.buffer.name.text() == name.as_str() {
                found.push((region.buffer.clone(), argument(kind, index)));
            }
        }
    }
    let count = found.len();
    match (found.pop(), count) {
        (Some((_, argument)), 1) => Ok(argument),
        _ => {
            let block = block.name_hint.as_str();
            let message = format!("expected one buffer `{name}` in the block `{block}`, found {count}");
            Err(ScheduleError::plain(message))
        }
    }
}
