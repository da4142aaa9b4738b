//! `schedule --dot`: pictures of schedules.

use std::path::Path;

use serde_json::Value;
use tvmscript::schedule::Schedule as TirSchedule;
use tvmscript::te::Schedule;
use tvmscript::te::script::{FileError as ScheduleError, schedule_of_file};
use tvmscript::te::tedd::{Model, Picture};

use super::Answer;
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Source};
use crate::schedule_args::{PictureFormat, Pictured, ScheduleArgs};
use crate::settings::Settings;
use crate::svg;
use crate::timings::Timings;

/// The schedule of tensor expressions that a file makes, if it makes any.
pub(super) fn te_schedule(
    path: &Path,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<Option<(Schedule, Source)>> {
    let source = input::read(path, settings, timings).map_err(|failure| FileError::new(failure, None))?;
    match te_schedule_of(&source, settings, timings) {
        Ok(schedule) => Ok(schedule.map(|schedule| (schedule, source))),
        Err(failure) => Err(FileError::new(failure, Some(source))),
    }
}

/// The schedule of tensor expressions that a text makes, if it makes any.
pub(super) fn te_schedule_of(
    source: &Source,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Option<Schedule>, FileErrorKind> {
    let select = settings.selected().first().map(String::as_str);
    let options = settings.parse_options(&source.name);
    let schedule = timings.time("schedule", || {
        schedule_of_file(&source.name, &source.text, settings.registry(), options, select)
    });
    match schedule {
        Ok(schedule) => Ok(Some(schedule)),
        Err(ScheduleError::NoSchedule) => Ok(None),
        Err(ScheduleError::Script(errors)) => Err(FileErrorKind::Script { errors }),
        Err(error) => Err(FileErrorKind::Schedule(error.to_string())),
    }
}

/// The picture of a schedule of tensor expressions.
pub(super) fn of_te(
    picture: Pictured,
    schedule: &Schedule,
    source: Source,
    args: &ScheduleArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<String> {
    let model = |schedule: &Schedule| match args.normalize {
        true => {
            let normal = schedule.normalize().map_err(|error| error.to_string())?;
            Ok(Model::of_te(&normal, settings.registry()))
        }
        false => Ok(Model::of_te(schedule, settings.registry())),
    };
    let count = schedule.record().len();
    let record = |number: usize| match schedule.record().get(number) {
        Some(record) => model(&record.schedule),
        None => Err(no_record(number, count)),
    };
    timings
        .time("dot", || draw(picture, args, record, || model(schedule)))
        .map_err(|message| FileError::new(FileErrorKind::Schedule(message), Some(source)))
}

/// The picture of a schedule of TIR. Record N is the schedule after N primitives that change the module.
pub(super) fn of_tir(
    picture: Pictured,
    plain: &TirSchedule,
    schedule: &TirSchedule,
    args: &ScheduleArgs,
    settings: &Settings<'_>,
) -> Result<String, String> {
    let trace = schedule.trace().json(schedule);
    let records = schedule.schedule_record();
    let record = |number: usize| {
        let record = records.get(number).ok_or_else(|| no_record(number, records.len()))?;
        let end = record.instruction.map_or(0, |last| last + 1);
        let mut part = plain.clone();
        let items = |at: usize| trace.get(at).and_then(Value::as_array).into_iter().flatten();
        let first: Vec<Value> = items(0).take(end).cloned().collect();
        let is_before =
            |decision: &&Value| decision.get(0).and_then(Value::as_u64).is_some_and(|at| at < end as u64);
        let decisions: Vec<Value> = items(1).filter(is_before).cloned().collect();
        part.apply_json(&Value::from(vec![first, decisions])).map_err(|error| error.to_string())?;
        Ok(Model::of_tir(&part, settings.registry()))
    };
    draw(picture, args, record, || Ok(Model::of_tir(schedule, settings.registry())))
}

fn no_record(number: usize, count: usize) -> String {
    format!("there is no record {number}; the schedule has records 0 to {}", count.saturating_sub(1))
}

/// The picture of the last schedule, of a record, or of two.
pub(super) fn draw(
    picture: Pictured,
    args: &ScheduleArgs,
    record: impl Fn(usize) -> Result<Model, String>,
    last: impl FnOnce() -> Result<Model, String>,
) -> Result<String, String> {
    let picture = match picture {
        Pictured::ScheduleTree => Picture::ScheduleTree,
        Pictured::ItervarRelationship => Picture::IterVarRelationship,
        Pictured::Dataflow => Picture::Dataflow,
    };
    if let Some((former, latter)) = args.compare {
        let (former, latter) = (record(former)?, record(latter)?);
        return match args.picture_format {
            PictureFormat::Dot => Ok(picture.compare(&former, &latter)),
            PictureFormat::Svg => svg::of_stages(&picture.graph_of_two(&former, &latter)),
        };
    }
    let model = match args.pictured_record()? {
        Some(number) => record(number)?,
        None => last()?,
    };
    match args.picture_format {
        PictureFormat::Dot => Ok(picture.dot(&model)),
        PictureFormat::Svg => svg::of_stages(&picture.graph(&model)),
    }
}
