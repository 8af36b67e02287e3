//! Builds of the assembler against its listed defects.

use serde::Serialize;

use crate::defects::{Defect, DefectQuery, DefectTable};
use crate::divergences::{DefectKind, Divergences, EngineVersion};
use crate::engine::ptxas;
use crate::spec::Isa;

/// The table of builds and defects: the wrong code first, what is live in the newest version before the rest, the simplest first.
#[derive(Debug, Serialize)]
pub(super) struct BuildsView {
    /// The versions, newest first.
    versions: Vec<String>,
    rows: Vec<BuildsRow>,
    /// How many defects each version has, by kind: wrong code, crashes.
    counts: Vec<[usize; 2]>,
}

/// A defect.
#[derive(Debug, Serialize)]
struct BuildsRow {
    defect: Defect,
    wrong_code: bool,
    /// The targets and levels, in words; empty for all.
    places: String,
    /// The versions in words; empty for all.
    versions: String,
    /// For each version, true if it has the defect.
    has: Vec<bool>,
}

impl BuildsView {
    pub(super) fn new(divergences: &Divergences, isa: &Isa) -> Self {
        let mut known: Vec<EngineVersion> =
            divergences.versions(ptxas::FAMILY).into_iter().map(|(version, _)| version).collect();
        known.sort();
        known.reverse();
        let table = DefectTable::new(divergences, isa, &DefectQuery::default());
        let mut rows: Vec<BuildsRow> = table
            .defects
            .into_iter()
            .filter_map(|defect| {
                let divergence = divergences.all.iter().find(|of| of.id == defect.id)?;
                Some(BuildsRow {
                    wrong_code: defect.kind == DefectKind::WrongCode,
                    places: defect.places(),
                    versions: divergence.version_words(),
                    has: known.iter().map(|version| divergence.has_version(version)).collect(),
                    defect,
                })
            })
            .collect();
        rows.sort_by_cached_key(|row| {
            let is_live = row.has.first() == Some(&true);
            let lines = row.defect.lines.as_ref().map_or(1, Vec::len);
            (!row.wrong_code, !is_live, lines, row.defect.id.clone())
        });
        let count = |at: usize, wrong_code: bool| {
            rows.iter().filter(|row| row.wrong_code == wrong_code && row.has.get(at) == Some(&true)).count()
        };
        let counts = (0..known.len()).map(|at| [count(at, true), count(at, false)]).collect();
        Self { versions: known.iter().map(EngineVersion::short).collect(), rows, counts }
    }
}
