//! Primitives that choose values, and change nothing.
//!
//! The decision of an earlier run is kept where it fits; otherwise a value is drawn from the schedule's seed.

use tvmscript_prim::ops;

use crate::argument::{Argument, RvValue};
use crate::error::{Result, ScheduleError};
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::random::prime_powers;
use crate::schedule::Schedule;

/// Maximum number of factors of a tile.
const MAX_PARTS: i64 = 1024;
/// Draws until one meets a condition; then the trivial tile is taken. A draw meets it with a probability of at least one in
/// some hundreds.
const MAX_DRAWS: usize = 1 << 14;

pub(in crate::primitive) static SAMPLE_CATEGORICAL: Primitive = Primitive {
    kind: "SampleCategorical",
    name: "sample_categorical",
    doc: "One of several integers, with given probabilities.",
    parameters: &[
        parameter("candidates", Place::Attribute),
        parameter("probs", Place::Attribute),
        with_default("decision", Place::Decision, Default::None),
    ],
    is_pure: true,
    results: Results::One,
    apply: |schedule, args| {
        let [candidates, weights, decision] = args else {
            return Err(ScheduleError::plain("expected candidates, their probabilities and a decision"));
        };
        let candidates = integers(candidates)?;
        let weights: Vec<f64> = weights.list()?.iter().map(Argument::float).collect::<Result<_>>()?;
        if candidates.len() != weights.len() {
            let message = format!(
                "expected as many probabilities as candidates, found {} and {}",
                weights.len(),
                candidates.len()
            );
            return Err(ScheduleError::plain(message));
        }
        let chosen = match decision {
            Argument::None => schedule.random().weighted(&weights),
            given => usize::try_from(given.int()?).ok(),
        };
        let Some((at, value)) = chosen.and_then(|at| Some((at, candidates.get(at)?))) else {
            return Err(ScheduleError::plain("the decision is not the position of a candidate"));
        };
        schedule.decide(Argument::Int(i64::try_from(at).unwrap_or(i64::MAX)));
        Ok(vec![RvValue::Int(*value)])
    },
};

pub(in crate::primitive) static SAMPLE_PERFECT_TILE: Primitive = Primitive {
    kind: "SamplePerfectTile",
    name: "sample_perfect_tile",
    doc: "Factors that multiply to the extent of a loop, the last one not above a maximum.",
    parameters: &[
        parameter("loop", Place::Input),
        parameter("n", Place::Attribute),
        with_default("max_innermost_factor", Place::Attribute, Default::Int(16)),
        with_default("decision", Place::Decision, Default::None),
    ],
    is_pure: true,
    results: Results::List,
    apply: |schedule, args| {
        let [target, count, max, decision] = args else {
            return Err(ScheduleError::plain("expected four arguments"));
        };
        let (extent, count) = (extent(schedule, target)?, part_count(count)?);
        let max = max.int()?;
        if max < 1 && max != -1 {
            let message = format!("expected a positive `max_innermost_factor`, or -1 for none, found {max}");
            return Err(ScheduleError::plain(message));
        }
        let fits = |tile: &[i64]| max == -1 || tile.last().is_none_or(|last| *last <= max);
        let tile = match (extent, decision) {
            (None, _) => inferred(count),
            (Some(extent), Argument::None) => drawn(schedule, extent, count, fits),
            (Some(extent), decision) => perfect(extent, integers(decision)?),
        };
        let value = |part: &i64| if *part == -1 { RvValue::Absent } else { RvValue::Int(*part) };
        let values = tile.iter().map(value).collect();
        decide(schedule, tile);
        Ok(values)
    },
};

pub(in crate::primitive) static SAMPLE_PARTITIONED_TILE: Primitive = Primitive {
    kind: "SamplePartitionedTile",
    name: "sample_partitioned_tile",
    doc: "Factors that multiply to the extent of a loop, those of the inner part to a multiple of a number.",
    parameters: &[
        parameter("loop", Place::Input),
        parameter("n", Place::Attribute),
        with_default("partition_pos", Place::Attribute, Default::Int(0)),
        with_default("innerpart_factor", Place::Attribute, Default::Int(1)),
        with_default("decision", Place::Decision, Default::None),
    ],
    is_pure: true,
    results: Results::List,
    apply: |schedule, args| {
        let [target, count, position, factor, decision] = args else {
            return Err(ScheduleError::plain("expected five arguments"));
        };
        let (extent, count) = (extent(schedule, target)?, part_count(count)?);
        let position = usize::try_from(position.int()?).ok().filter(|position| *position < count);
        let Some(position) = position else {
            return Err(ScheduleError::plain(
                "expected a `partition_pos` from 0 up to the number of factors",
            ));
        };
        let factor = factor.int()?;
        if factor < 1 {
            return Err(ScheduleError::plain(format!(
                "expected a positive `innerpart_factor`, found {factor}"
            )));
        }
        let fits = |tile: &[i64]| {
            tile.iter().skip(position).fold(1i64, |product, part| product.saturating_mul(*part)) % factor == 0
        };
        let trivial = |extent: i64| {
            let mut tile = vec![1; count];
            for (at, part) in [(0, extent / factor), (position, factor)] {
                if let Some(place) = tile.get_mut(at) {
                    *place = part;
                }
            }
            tile
        };
        let tile = match (extent.filter(|extent| extent % factor == 0), decision) {
            (None, _) => inferred(count),
            (Some(extent), Argument::None) => {
                let tile = drawn(schedule, extent, count, fits);
                if fits(&tile) { tile } else { trivial(extent) }
            }
            (Some(extent), decision) => {
                let tile = integers(decision)?;
                if fits(&tile) { perfect(extent, tile) } else { trivial(extent) }
            }
        };
        let values = tile.iter().map(|part| RvValue::Int(*part)).collect();
        decide(schedule, tile);
        Ok(values)
    },
};

fn integers(list: &Argument) -> Result<Vec<i64>> {
    list.list()?.iter().map(Argument::int).collect()
}

/// The number of factors.
fn part_count(count: &Argument) -> Result<usize> {
    let count = count.int()?;
    let valid = Some(count).filter(|count| (2..=MAX_PARTS).contains(count)).map(usize::try_from);
    match valid {
        Some(Ok(count)) => Ok(count),
        _ => Err(ScheduleError::plain(format!("expected from 2 to {MAX_PARTS} factors, found {count}"))),
    }
}

/// The extent of a loop, if it is a positive constant.
fn extent(schedule: &Schedule, target: &Argument) -> Result<Option<i64>> {
    let found = schedule.state().loop_of(schedule.loop_item(target)?)?;
    Ok(ops::int_value(&found.extent).filter(|extent| *extent > 0))
}

/// The tile of a loop whose extent cannot be divided: the first factor is inferred.
fn inferred(count: usize) -> Vec<i64> {
    let mut tile = vec![1; count];
    if let Some(first) = tile.first_mut() {
        *first = -1;
    }
    tile
}

/// A random tile that meets a condition, or the trivial one if there is none in sight.
fn drawn(schedule: &mut Schedule, extent: i64, count: usize, fits: impl Fn(&[i64]) -> bool) -> Vec<i64> {
    let powers = prime_powers(extent);
    let random = schedule.random();
    for _ in 0..MAX_DRAWS {
        let tile = random.factors(&powers, count);
        if fits(&tile) {
            return tile;
        }
    }
    perfect(extent, vec![1; count])
}

/// Makes the factors multiply to the extent, from the innermost one: one that does not divide the rest becomes the rest.
fn perfect(extent: i64, mut tile: Vec<i64>) -> Vec<i64> {
    let mut rest = extent;
    if let Some((first, inner)) = tile.split_first_mut() {
        for part in inner.iter_mut().rev() {
            if rest.checked_rem(*part) != Some(0) {
                *part = rest;
            }
            rest = rest.checked_div(*part).unwrap_or(1);
        }
        *first = rest;
    }
    tile
}

fn decide(schedule: &mut Schedule, tile: Vec<i64>) {
    schedule.decide(Argument::List(tile.into_iter().map(Argument::Int).collect()));
}
