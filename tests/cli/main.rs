//! The command line: transcripts, checks of files, reports after a run, and failures of all around it.

mod answers;
mod check;
mod commands;
mod defects;
mod faults;
mod ledger;
mod raw;
mod reliability;
mod report;
#[path = "../planted/series.rs"]
mod series;
#[path = "../transcript/mod.rs"]
mod transcript;

use std::path::Path;
use std::sync::LazyLock;

/// A directory with the specification of `suq` alone: a command reads it in no time.
fn specs_of_suq() -> &'static str {
    static SPECS: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
        let directory = tempfile::tempdir().expect("a directory");
        let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
        for name in ["isa.yaml", "suq.yaml"] {
            std::fs::copy(all.join(name), directory.path().join(name)).expect("a copy");
        }
        directory
    });
    SPECS.path().to_str().expect("a path in UTF-8")
}
