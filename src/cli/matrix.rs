//! `ptx-conform matrix`: from which PTX version and target on instructions and modifiers are available.

use std::path::Path;
use std::process::ExitCode;

use ptx_conform::matrix::Survey;

/// Show from which PTX version and target on instructions and modifiers are available
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// Opcodes.
    queries: Vec<String>,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let instructions = super::load::instructions(&spec, &self.queries)?;
        let survey = Survey::by_manual(&spec, &instructions);
        for feature in &survey.matrix().features {
            super::output::print(&format!("{:<40} {}   [{}] {}\n", feature.name, feature.manual, feature.lines.len(), feature.because.iter().map(|r| r.rule.as_str()).collect::<Vec<_>>().join(" ")))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
