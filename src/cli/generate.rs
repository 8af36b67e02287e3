//! `ptx-conform generate`: prints variants.

mod parts;
mod printed;
mod variants;

use std::io::{self, BufWriter};
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use printed::PrintedCases;

/// Print variants, one per line or as a module
///
/// Variants are ordered by instruction, form and rule. The output depends only on the specification and
/// the options.
///
/// Examples:
///   ptx-conform generate suld --ptx 7.0 --target sm_80
///   ptx-conform generate ld --rule weak-target --target sm_60 --format module --count 1
///   ptx-conform generate --what all --strategy random --seed 7 --count 1000 --format jsonl
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Opts {
    /// Opcodes [default: all].
    #[arg(value_name = "OPCODE")]
    instructions: Vec<String>,
    /// Print only this form, given by its id: `weak` or `ld.weak`.
    #[arg(long, value_name = "FORM")]
    form: Option<String>,
    /// Which variants to print; a breach breaks one rule and no other.
    #[arg(long, value_enum, default_value = "valid")]
    what: GenerateWhat,
    /// Print only breaches of this rule, given by its id: `clamp-required` or `suld/clamp-required`.
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    #[command(flatten)]
    environment: super::environment::EnvironmentOpts,
    /// How many of them: all, enough to cover all pairs or triples of choices, or random ones.
    #[arg(long, value_enum, default_value = "pairs")]
    strategy: GenerateStrategy,
    /// Maximum number of variants [default: unlimited; 100 for `--strategy random`].
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Seed of `--strategy random`.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of variants to skip first; takes no time with `--strategy all`.
    #[arg(long, value_name = "RANK", default_value_t = 0)]
    from: u128,
    /// One line for each variant (with the rule it breaks in a comment), one module with all of them, or
    /// input for `judge`.
    #[arg(long, value_enum, default_value = "text")]
    format: OutputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum GenerateWhat {
    Valid,
    Breaches,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum GenerateStrategy {
    All,
    Pairs,
    Triples,
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum OutputFormat {
    Text,
    Module,
    Jsonl,
}

/// The most lines that a module may have without --count.
const MODULE: u128 = 1_000_000;

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let environment = self.environment.resolve(&spec.isa)?;
        let parts = self.parts(&spec, &environment)?;
        let total: u128 = parts.iter().map(|part| part.region().count()).sum();
        if parts.iter().all(|part| part.diagram.count() == 0) {
            bail!(
                "no variant breaks only this rule, in any environment; `ptx-conform spec lint` lists the rules that are always broken with it"
            );
        }
        if total == 0 {
            bail!(
                "no such variant exists in {environment}; choose another environment with --ptx, --target and --address-size"
            );
        }
        let all = self.strategy == GenerateStrategy::All && self.count.is_none();
        if self.format == OutputFormat::Module && all && total > MODULE {
            bail!("the module would have {total} lines; limit it with --count");
        }
        let mut printed = PrintedCases::new(environment, self.format, BufWriter::new(io::stdout().lock()));
        let written = self.variants(&parts, total, |part, values| printed.variant(part, &values));
        super::output::until_closed(written.and_then(|()| printed.finish()))
    }
}
