//! The engines that the matrix asks.

use std::path::Path;

use ptx_conform::divergences::EngineVersion;

use crate::cli::engines::{Opened, open_named};

/// Which engines to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named<'a> {
    /// No engine.
    Nothing,
    /// Every ptxas found.
    Installed,
    /// The engines with these names.
    These(&'a [String]),
}

impl Named<'_> {
    /// Opens them; oldest first, so that neighbours are neighbours.
    pub(super) fn open(self, specs: Option<&Path>) -> anyhow::Result<Vec<Opened>> {
        let all = ["ptxas@all".to_owned()];
        let names = match self {
            Self::Nothing => &[][..],
            Self::Installed => &all,
            Self::These(names) => names,
        };
        let mut engines = Vec::new();
        for name in names {
            open_named(name, specs, &mut engines)?;
        }
        let judging = engines.iter().all(|opened: &Opened| opened.engine.as_judge().is_some());
        anyhow::ensure!(judging, "an engine for the matrix judges lines, and one of these only executes them");
        engines.sort_by_key(|opened| EngineVersion::of(opened.engine.id()));
        Ok(engines)
    }
}
