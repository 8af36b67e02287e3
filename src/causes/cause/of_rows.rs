//! Causes of failing rows: at which points they fail, regardless of the numbers.
//!
//! A point is a variant with its setup and positions; a row is a point with numbers. A point fails if a row
//! with any of several numbers fails there, because most faults show only with some numbers. A row that
//! passes where the line must do nothing tells nothing about a fault in what the line does, and vice versa.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Cause, CauseRows, RowCause, resolve};
use crate::campaign::Mismatch;
use crate::case::{CaseResult, CostlyRows, InternalError};
use crate::causes::inquiry::Inquiry;
use crate::causes::open_group::{OpenGroup, Vanished};
use crate::causes::rows::effect::ExpectedEffect;
use crate::causes::rows::executed::ExecutedInstruction;
use crate::causes::rows::inputs::{self, TriedRow};
use crate::causes::rows::shown_row::ShownRow;
use crate::causes::search::exact::Seen;
use crate::causes::search::generalise::{Combination, Generalise, Hint, PointSeen};
use crate::model::RowVerdict;
use crate::must::Must as _;
use crate::setup;
use crate::space::{Diagram, Draw, EnvironmentValues, Region, Slice, Values, distance};
use crate::spec::{Cube, Form, ValueSet};

/// How many numbers each point is tried with, besides those of rows that failed.
const NUMBERS: usize = 10;
/// How many numbers of rows that failed are tried.
const FAILED_NUMBERS: usize = 6;
/// The most rows of a form that must trap, if each costs a process.
const TRAPS: u64 = 100;
/// How many points drawn from a combination are enough evidence.
const ENOUGH: usize = 20;
/// How many rows are run again, each alone, before the search.
const ALONE: usize = 6;

/// The results at a point.
#[derive(Default)]
struct PointResult {
    /// The first row that failed.
    fails: Option<(Values, Box<CaseResult>)>,
    /// The expected effects of rows that passed.
    passes: BTreeSet<ExpectedEffect>,
    rows: Vec<TriedRow>,
}

impl PointResult {
    /// The evidence of the point about a fault in rows with this effect.
    fn seen(&self, effect: Option<ExpectedEffect>) -> PointSeen {
        match effect {
            _ if self.fails.is_some() => PointSeen::Fails,
            _ if self.passes.is_empty() => PointSeen::Unknown,
            None => PointSeen::Passes,
            Some(effect) if self.passes.contains(&effect) => PointSeen::Passes,
            // A line that does nothing under some choices is no evidence that the other choices matter.
            Some(ExpectedEffect::Something) => PointSeen::Unknown,
            Some(_) => PointSeen::Elsewhere,
        }
    }

    fn effect(&self) -> Option<ExpectedEffect> {
        let (_, result) = self.fails.as_ref()?;
        result.expectation().map(ExpectedEffect::of)
    }
}

/// The causes of a group of rows of the engine at a position; those `known` of other forms may be causes of it too.
pub(crate) fn causes<'s>(
    inquiry: &Inquiry<'_>,
    engine: usize,
    group: &mut OpenGroup<'s>,
    known: &[&Cause<'_>],
) -> Result<Vec<Cause<'s>>, InternalError> {
    let Some(executed) = group.executed else { return Ok(Vec::new()) };
    if group.open.is_empty() {
        return Ok(Vec::new());
    }
    let mut open: Vec<Values> = group.open.clone();
    open.sort_by_key(|values| (distance(values), values.clone()));
    let rows_form = &executed.rows.forms[group.form];
    let vanished = not_reproduced(inquiry, rows_form, &group.mismatch, &open)?;
    if inquiry.stopped() {
        group.stopped = true;
        return Ok(Vec::new());
    }
    if vanished.is_some() {
        group.vanished = vanished;
        return Ok(Vec::new());
    }
    // A guard hides a fault in half of the rows, so it is left out if it is not needed.
    let unguarded = |values: &Values| values[EnvironmentValues::AXES] == 0;
    let has_unguarded = open.iter().any(unguarded);
    if has_unguarded {
        open.retain(unguarded);
    }
    let prefix = open[0][..EnvironmentValues::AXES + usize::from(has_unguarded)].to_vec();
    let mut search = PointSearch::new(inquiry, executed, group, &open);
    let form = search.points();
    let hint = |cause: &&Cause<'_>| {
        Some(Hint { cube: resolve(form, &cause.named())?, asked: cause.asked, failed: cause.failed })
    };
    let hints: Vec<Hint> = known.iter().filter_map(hint).collect();
    let causes = match search.causes(engine, group, &open, &hints, prefix) {
        Err(SearchEnd::Stopped) => {
            group.stopped = true;
            return Ok(Vec::new());
        }
        Err(SearchEnd::Internal(error)) => return Err(error),
        Ok(causes) => causes,
    };
    if causes.is_empty() && group.vanished.is_none() {
        group.vanished = Some(Vanished::Unexplained);
    }
    Ok(causes)
}

/// The reason why nothing can be found: the rows that failed pass when each is run alone.
fn not_reproduced(
    inquiry: &Inquiry<'_>,
    form: &Form,
    mismatch: &Mismatch,
    open: &[Values],
) -> Result<Option<Vanished>, InternalError> {
    let costly = inquiry.costly(TRAPS);
    let (mut failed, mut asked) = (0, 0);
    // Some simple ones, and some others.
    let step = open.len().div_ceil(ALONE).max(1);
    for row in open.iter().step_by(step) {
        let results = inquiry.execute(form, std::slice::from_ref(row), &costly)?;
        asked += 1;
        failed += usize::from(results.iter().any(|result| is_failure(result, mismatch)));
    }
    Ok((failed == 0 && asked > 0).then_some(Vanished::PassesAlone))
}

/// True if a row fails in the way of the mismatch.
fn is_failure(result: &CaseResult, mismatch: &Mismatch) -> bool {
    result.difference().is_some() && result.message() == mismatch.message
}

/// The reason why a search ends before it has found everything.
enum SearchEnd {
    /// The run was stopped: what the search has so far is not what it would have found.
    Stopped,
    Internal(InternalError),
}

impl From<InternalError> for SearchEnd {
    fn from(error: InternalError) -> Self {
        Self::Internal(error)
    }
}

/// Asks about points of one form.
struct PointSearch<'a, 's> {
    inquiry: &'a Inquiry<'a>,
    executed: &'s ExecutedInstruction,
    form: usize,
    mismatch: Mismatch,
    numbers: Arc<Vec<Values>>,
    costly: CostlyRows,
    asked: BTreeMap<Values, PointResult>,
}

impl<'a, 's> PointSearch<'a, 's> {
    fn new(
        inquiry: &'a Inquiry<'a>,
        executed: &'s ExecutedInstruction,
        group: &OpenGroup<'s>,
        open: &[Values],
    ) -> Self {
        let costly = inquiry.costly(TRAPS);
        let form = &executed.rows.forms[group.form];
        let numbers = Arc::new(numbers(form, executed.point_axes(group.form), open));
        let mismatch = group.mismatch.clone();
        Self { inquiry, executed, form: group.form, mismatch, numbers, costly, asked: BTreeMap::new() }
    }

    fn points(&self) -> &'s Form {
        &self.executed.points.forms[self.form]
    }

    fn causes(
        &mut self,
        engine: usize,
        group: &OpenGroup<'s>,
        open: &[Values],
        hints: &[Hint],
        prefix: Values,
    ) -> Result<Vec<Cause<'s>>, SearchEnd> {
        let point_axes = self.executed.point_axes(self.form);
        let mut fails: Vec<Values> = open.iter().map(|values| values[..point_axes].to_vec()).collect();
        fails.sort();
        fails.dedup();
        let domain = Arc::new(Diagram::within(self.points(), None, &EnvironmentValues::of(&prefix)));
        let draw = Draw::named(&format!("executed {}", self.points().id), 0);
        let mut generalise = Generalise { diagram: &domain, prefix: prefix.clone(), form: self.points(), draw };
        let combinations = generalise.explain(&fails, hints, &mut |points: &[Values], seed: Option<&Values>| {
            self.ask(points)?;
            if self.inquiry.stopped() {
                return Err(SearchEnd::Stopped);
            }
            let effect = seed.and_then(|seed| self.asked.get(seed)?.effect());
            let seen = |point: &Values| self.asked.get(point).map_or(PointSeen::Unknown, |result| result.seen(effect));
            Ok(points.iter().map(seen).collect())
        })?;
        let mut causes = Vec::new();
        for combination in &combinations {
            let region = domain.all().below(&prefix);
            if let Some((found, rows)) = self.found(&region, combination)? {
                let space = (Arc::clone(&domain), prefix.clone());
                causes.push(Cause::of_rows(engine, group, space, found, rows));
            }
        }
        Ok(causes)
    }

    /// Asks about the points that were not tried yet.
    fn ask(&mut self, points: &[Values]) -> Result<(), InternalError> {
        let new: BTreeSet<&Values> = points.iter().filter(|point| !self.asked.contains_key(*point)).collect();
        let new: Vec<Values> = new.into_iter().cloned().collect();
        let form = &self.executed.rows.forms[self.form];
        let results = ask_points(self.inquiry, form, &self.mismatch, &self.numbers, &new, &self.costly)?;
        self.asked.extend(new.into_iter().zip(results));
        Ok(())
    }

    fn found(
        &self,
        region: &Region<'_>,
        combination: &Combination,
    ) -> Result<Option<(RowCause, CauseRows<'s>)>, InternalError> {
        let shown = combination.simplest.as_ref().and_then(|simplest| self.asked.get(simplest));
        let Some(shown) = shown else { return Ok(None) };
        let (Some((values, result)), Some(effect)) = (&shown.fails, shown.effect()) else { return Ok(None) };
        let form = &self.executed.rows.forms[self.form];
        let program = setup::line_case(self.inquiry.spec, form, &[values])?;
        let inside: Vec<(&Values, &PointResult)> =
            self.asked.iter().filter(|(point, _)| combination.cube.contains(point)).collect();
        let mut fails: Vec<Values> =
            inside.iter().filter(|(_, seen)| seen.fails.is_some()).map(|(point, _)| (*point).clone()).collect();
        fails.sort_by_key(|values| (distance(values), values.clone()));
        let (asked, failed) = evidence(combination, &inside, effect);
        let rows: Vec<&TriedRow> =
            inside.iter().flat_map(|(_, seen)| &seen.rows).filter(|row| row.failed || row.effect == effect).collect();
        let inputs = inputs::of(self.inquiry.spec, form, self.executed.point_axes(self.form), &rows)?;
        let found = RowCause {
            considered: self.considered(region, combination),
            cube: combination.cube.clone(),
            fails,
            asked,
            failed,
            size: combination.size,
        };
        let rows = CauseRows {
            executed: self.executed,
            form: self.form,
            numbers: Arc::clone(&self.numbers),
            inferred: inferred(&inside),
            shown: ShownRow { values: values.clone(), program, result: (**result).clone() },
            inputs: inputs.words,
            numbers_when: inputs.when,
        };
        Ok(Some((found, rows)))
    }

    /// For each axis, the values that are possible within the rest of the combination and were tried.
    fn considered(&self, region: &Region<'_>, combination: &Combination) -> Vec<ValueSet> {
        let cube = &combination.cube;
        let mut considered = region.together(usize::MAX, 0);
        for (axis, _) in cube.sets() {
            let others = Cube::new(cube.sets().iter().copied().filter(|(other, _)| other != axis));
            let count = self.points().axes[*axis].values.len();
            considered[*axis] = ValueSet::of(count, |value| {
                let one = ValueSet::of(count, |at| at == value);
                Slice::new(region, &others.clone().with(*axis, one)).count() > 0
            });
        }
        considered.iter().zip(&combination.unknown).map(|(set, unknown)| set.without(unknown)).collect()
    }
}

/// The points drawn tell how much of a combination fails; if an engine skips most of them, all points tried
/// must do.
fn evidence(combination: &Combination, inside: &[(&Values, &PointResult)], effect: ExpectedEffect) -> (usize, usize) {
    if combination.asked >= ENOUGH {
        return (combination.asked, combination.failed);
    }
    let seen = || inside.iter().map(|(_, result)| result.seen(Some(effect)));
    let failed = seen().filter(|seen| *seen == PointSeen::Fails).count();
    (failed + seen().filter(|seen| *seen == PointSeen::Passes).count(), failed)
}

/// The inferences that every failed row depends on; none if some depend on no inference.
fn inferred(inside: &[(&Values, &PointResult)]) -> Vec<String> {
    let names = |result: &CaseResult| -> BTreeSet<String> {
        let inferred = result.expectation().map(|expectation| expectation.inferred);
        inferred.into_iter().flat_map(|inferred| inferred.iter()).map(|inference| inference.id.to_owned()).collect()
    };
    let of_rows = || inside.iter().filter_map(|(_, seen)| seen.fails.as_ref()).map(|(_, result)| names(result));
    if of_rows().any(|names| names.is_empty()) {
        return Vec::new();
    }
    of_rows().flatten().collect::<BTreeSet<String>>().into_iter().collect()
}

/// The numbers of the simplest rows that failed, and some more.
fn numbers(form: &Form, point_axes: usize, open: &[Values]) -> Vec<Values> {
    let mut numbers: Vec<Values> = vec![vec![0; form.axes.len() - point_axes]];
    let mut draw = Draw::named("numbers", 0);
    for _ in 0..NUMBERS {
        let below = |axis: usize, draw: &mut Draw| {
            let drawn = draw.below(form.axes[axis].values.len() as u128);
            drawn.and_then(|drawn| u8::try_from(drawn).ok()).must("an axis has between 1 and 256 values")
        };
        numbers.push((point_axes..form.axes.len()).map(|axis| below(axis, &mut draw)).collect());
    }
    for values in open {
        let of_row = values[point_axes..].to_vec();
        if numbers.len() < 1 + NUMBERS + FAILED_NUMBERS && !numbers.contains(&of_row) {
            numbers.push(of_row);
        }
    }
    numbers
}

/// The result at each point.
fn ask_points(
    inquiry: &Inquiry<'_>,
    form: &Form,
    mismatch: &Mismatch,
    numbers: &[Values],
    points: &[Values],
    costly: &CostlyRows,
) -> Result<Vec<PointResult>, InternalError> {
    let listed =
        |values: &Values| inquiry.divergences.computes(inquiry.version.as_ref(), &form.id, values).next().is_some();
    let mut rows: Vec<Values> = Vec::new();
    let mut of: Vec<usize> = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let with = numbers.iter().map(|numbers| [point.as_slice(), numbers].concat());
        let possible = with.filter(|values| form.broken(values).is_empty() && !listed(values));
        rows.extend(possible);
        of.resize(rows.len(), at);
    }
    let results = inquiry.execute(form, &rows, costly)?;
    let mut seen: Vec<PointResult> = points.iter().map(|_| PointResult::default()).collect();
    for ((values, result), at) in rows.into_iter().zip(results).zip(of) {
        let Some(effect) = result.expectation().map(ExpectedEffect::of) else { continue };
        let failed = is_failure(&result, mismatch);
        if !failed && !matches!(result.row, Some(RowVerdict::Agrees(_))) {
            continue;
        }
        let point = &mut seen[at];
        point.rows.push(TriedRow { values: values.clone(), failed, effect });
        if !failed {
            point.passes.insert(effect);
        } else if point.fails.is_none() {
            point.fails = Some((values, Box::new(result)));
        }
    }
    Ok(seen)
}

/// The result at a point of a cause in any environment.
pub(crate) fn see(
    inquiry: &Inquiry<'_>,
    rows: &CauseRows<'_>,
    mismatch: &Mismatch,
    point: &Values,
) -> Result<Seen, InternalError> {
    let form = &rows.executed.rows.forms[rows.form];
    let costly = inquiry.costly(TRAPS);
    let seen = ask_points(inquiry, form, mismatch, &rows.numbers, std::slice::from_ref(point), &costly)?;
    Ok(match seen.first() {
        Some(result) if result.fails.is_some() => Seen::Fails,
        Some(result) if !result.passes.is_empty() => Seen::Passes,
        _ => Seen::Masked,
    })
}
