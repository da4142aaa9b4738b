use crate::error::{Result, ScheduleError};
use crate::state::{Item, State};
pub(super) fn inline(_: &mut State, _: Item) -> Result<()> {
    Err(ScheduleError::plain("x"))
}
