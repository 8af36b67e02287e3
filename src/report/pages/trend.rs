//! Trends over the runs of a history: small line charts.

use serde::Serialize;

use crate::report::history::HistoryLine;

/// A chart of one number over the last runs.
#[derive(Debug, Serialize)]
pub(super) struct Trend {
    name: &'static str,
    first: u64,
    last: u64,
    most: u64,
    runs: usize,
    /// The corners of the line, as SVG writes them, in a box of [`WIDTH`] by [`HEIGHT`].
    corners: String,
    points: Vec<TrendPoint>,
}

/// A run in a chart.
#[derive(Debug, Serialize)]
struct TrendPoint {
    x: f64,
    y: f64,
    title: String,
}

/// Runs that a chart shows.
const RUNS: usize = 60;
/// The size of a chart.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 60.0;
/// The room around the line, for its points.
const MARGIN: f64 = 4.0;

type Measure = fn(&HistoryLine) -> u64;

const MEASURES: [(&str, Measure); 4] = [
    ("new findings", |run| count(run.findings.len())),
    ("known mismatches", |run| run.engines.iter().map(|engine| engine.listed).sum()),
    ("lines judged", |run| run.engines.iter().map(|engine| engine.lines).sum()),
    ("rows executed", |run| run.engines.iter().map(|engine| engine.rows).sum()),
];

fn count(of: usize) -> u64 {
    of as u64
}

/// The charts of the runs like the last one; none if it is the only one.
pub(super) fn trends(history: &[HistoryLine]) -> Vec<Trend> {
    let Some(last) = history.last() else { return Vec::new() };
    let like: Vec<&HistoryLine> = history.iter().filter(|run| run.is_like(last)).collect();
    let shown = &like[like.len().saturating_sub(RUNS)..];
    if shown.len() < 2 {
        return Vec::new();
    }
    MEASURES.iter().map(|(name, measure)| Trend::new(name, *measure, shown)).collect()
}

impl Trend {
    fn new(name: &'static str, measure: Measure, runs: &[&HistoryLine]) -> Self {
        let values: Vec<u64> = runs.iter().map(|run| measure(run)).collect();
        let most = values.iter().copied().max().unwrap_or_default();
        let steps = f64::from(u32::try_from(runs.len() - 1).unwrap_or(u32::MAX));
        let place = |(at, value): (usize, &u64)| {
            let across = f64::from(u32::try_from(at).unwrap_or_default()) / steps;
            // Only for drawing: a chart cannot show the digits that are lost.
            #[expect(clippy::cast_precision_loss, reason = "a chart has some hundred points")]
            let up = *value as f64 / most.max(1) as f64;
            (MARGIN + across * (WIDTH - 2.0 * MARGIN), HEIGHT - MARGIN - up * (HEIGHT - 2.0 * MARGIN))
        };
        let places: Vec<(f64, f64)> = values.iter().enumerate().map(place).collect();
        let corners: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let title = |(run, value): (&&HistoryLine, &u64)| {
            let date = run.date.as_deref().unwrap_or("no date");
            format!("{date}: {value}, {}", run.verdict.words())
        };
        let titles = runs.iter().zip(&values).map(title);
        let points = places.iter().zip(titles).map(|(&(x, y), title)| TrendPoint { x, y, title });
        Self {
            name,
            first: values.first().copied().unwrap_or_default(),
            last: values.last().copied().unwrap_or_default(),
            most,
            runs: runs.len(),
            corners: corners.join(" "),
            points: points.collect(),
        }
    }
}
