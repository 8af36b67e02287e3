//! Asks an engine about the lines of features, and compares.
use std::collections::{BTreeMap, BTreeSet};

use super::features::Surveyed;
use super::format::{AskedEngine, Observation};
use super::pairs::Grid;
use crate::campaign::{Progress, Subject};
use crate::case::InternalError;
use crate::divergences::Divergences;
use crate::engine::LineJudge;
use crate::spec::Spec;

pub(super) struct EngineAsker<'a> { spec: &'a Spec, divergences: &'a Divergences, subject: &'a Subject<'a>, judge: &'a dyn LineJudge, grid: &'a Grid, progress: &'a Progress }
impl<'a> EngineAsker<'a> {
    pub(super) fn new(spec: &'a Spec, divergences: &'a Divergences, subject: &'a Subject<'a>, judge: &'a dyn LineJudge, grid: &'a Grid, progress: &'a Progress) -> Self { Self { spec, divergences, subject, judge, grid, progress } }
    pub(super) fn ask(&self, surveyed: &[Surveyed<'_>]) -> Result<(AskedEngine, Vec<Observation>), InternalError> { todo!() }
}
