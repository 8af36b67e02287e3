//! `ptx-conform matrix`: from which PTX version and target on instructions and modifiers are available.

use std::path::Path;
use std::process::ExitCode;

use ptx_conform::matrix::Survey;

/// Show from which PTX version and target on instructions and modifiers are available
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// Opcodes.
    queries: Vec<String>,
    #[command(flatten)]
    engines: super::engines::EngineOpts,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let instructions = super::load::instructions(&spec, &self.queries)?;
        let mut survey = Survey::by_manual(&spec, &instructions);
        let divergences = super::load::load_divergences(specs, &spec)?;
        let engines = self.engines.open(specs)?;
        for subject in super::engines::subjects(&engines, &spec.isa) {
            let start = std::time::Instant::now();
            survey.observe(&divergences, &subject, &Default::default())?;
            eprintln!("{:?} {:?}", survey.matrix().engines.last(), start.elapsed());
        }
        for feature in &survey.matrix().features {
            super::output::print(&format!("{:<40} {}   [{}] {}\n", feature.name, feature.manual, feature.lines.len(), feature.because.iter().map(|r| r.rule.as_str()).collect::<Vec<_>>().join(" ")))?;
            for o in &feature.observed { super::output::print(&format!("      {} {:?} {} also {:?} not {:?} {:?} {:?} {}\n", o.engine, o.verdict, o.accepts, o.also, o.not, o.undecided, o.divergences, o.unlisted))?; }
        }
        Ok(ExitCode::SUCCESS)
    }
}
