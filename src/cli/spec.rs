//! `ptx-conform spec`: checks, shows and counts the specification.

mod count;
mod lint;
mod show;

use std::path::Path;
use std::process::ExitCode;

use count::CountFormat;

/// Check, show and count the specification.
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: SpecCommand,
}

#[derive(Debug, clap::Subcommand)]
enum SpecCommand {
    /// Check every file, and search the spaces for contradictory and useless rules.
    ///
    /// Errors are: a file that cannot be read, an example with another verdict than stated, variants of one form
    /// that are read as another, rules that leave no valid variant, and rules that nothing can break. With
    /// `--all`, rules that cannot be broken alone are listed with the rules that are always broken too.
    ///
    /// Example: ptx-conform spec lint suld --specs specs
    Lint {
        /// Opcodes [default: all].
        #[arg(value_name = "OPCODE")]
        instructions: Vec<String>,
        /// List rules that cannot be broken alone, too.
        #[arg(long)]
        all: bool,
    },
    /// Show the forms, axes, rules and notes of an instruction, or an overview of all.
    ///
    /// Example: ptx-conform spec show suld
    Show {
        /// Opcode [default: an overview of all].
        opcode: Option<String>,
    },
    /// Count the variants exactly.
    ///
    /// Example: ptx-conform spec count suld --json
    Count {
        /// Opcodes [default: all].
        #[arg(value_name = "OPCODE")]
        instructions: Vec<String>,
        /// One row for each form, and not for each family of pages; always so with opcodes.
        #[arg(long)]
        forms: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        environment: super::environment::EnvironmentOpts,
    },
    /// Print the specification as JSON, resolved: for programs that make tables, assemblers or highlighters of it.
    ///
    /// Every form with all of its axes, their values and probes, its operands, and the combinations that each rule
    /// forbids, by the names of `spec show`. Its JSON Schema is `spec schema export`; examples/modifiers.py reads it.
    ///
    /// Example: ptx-conform spec export cp.async > cp.async.json
    Export {
        /// Opcodes and directives [default: all].
        #[arg(value_name = "OPCODE")]
        instructions: Vec<String>,
    },
    /// Print the JSON Schema of a file.
    ///
    /// Example: ptx-conform spec schema report > specs/schema/report.json
    Schema {
        /// The file.
        #[arg(value_enum, default_value_t = SchemaName::Instruction)]
        of: SchemaName,
    },
}

/// The files that have a schema; it is `specs/schema/NAME.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum SchemaName {
    /// `specs/<opcode>.yaml`.
    Instruction,
    /// `specs/directives/<name>.yaml`.
    Directive,
    /// isa.yaml.
    Isa,
    /// `specs/divergences/*.yaml`.
    Divergences,
    /// vocabulary.yaml.
    Vocabulary,
    /// report.json.
    Report,
    /// A line of history.jsonl.
    History,
    /// The specification that `spec export` prints.
    Export,
    /// matrix.json, which `matrix --format json` prints.
    Matrix,
    /// `specs/toolchains/cuda.yaml`.
    Toolchains,
    /// The table that `matrix --toolchains --format json` prints.
    Releases,
    /// The features that `matrix --target --against --format json` prints.
    Contrast,
    /// The table that `defects --format json` prints.
    Defects,
    /// The answer that `blame --format json` prints.
    Blame,
    /// A file for `blame --launch`.
    Launch,
}

impl SchemaName {
    fn schema(self) -> serde_json::Value {
        match self {
            Self::Instruction => ptx_conform::load::schema(),
            Self::Directive => ptx_conform::load::directive_schema(),
            Self::Isa => ptx_conform::load::isa_schema(),
            Self::Divergences => ptx_conform::divergences::schema(),
            Self::Vocabulary => ptx_conform::load::vocabulary_schema(),
            Self::Report => ptx_conform::report::schema(),
            Self::History => ptx_conform::report::history_schema(),
            Self::Export => ptx_conform::export::schema(),
            Self::Matrix => ptx_conform::matrix::schema(),
            Self::Toolchains => ptx_conform::releases::data_schema(),
            Self::Releases => ptx_conform::releases::schema(),
            Self::Contrast => ptx_conform::matrix::contrast_schema(),
            Self::Defects => ptx_conform::defects::schema(),
            Self::Blame => ptx_conform::blame::schema(),
            Self::Launch => ptx_conform::blame::launch_schema(),
        }
    }
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        match self.command {
            SpecCommand::Lint { instructions, all } => lint::lint(specs, &instructions, all),
            SpecCommand::Show { opcode: None } => show::overview(specs),
            SpecCommand::Show { opcode: Some(opcode) } => {
                let spec = super::load::load_spec(specs)?;
                for instruction in super::load::instructions(&spec, &[opcode])? {
                    super::output::print(&show::shown(instruction))?;
                }
                Ok(ExitCode::SUCCESS)
            }
            SpecCommand::Count { instructions, forms, json, environment } => {
                let form = match (json, forms || !instructions.is_empty()) {
                    (true, _) => CountFormat::Json,
                    (false, true) => CountFormat::Forms,
                    (false, false) => CountFormat::Families,
                };
                count::count(specs, &instructions, form, &environment)
            }
            SpecCommand::Export { instructions } => {
                let spec = super::load::load_whole_spec(specs)?;
                let exported = spec.export(&super::load::instructions(&spec, &instructions)?);
                super::output::print_json(&format!("{}\n", serde_json::to_string(&exported)?))?;
                Ok(ExitCode::SUCCESS)
            }
            SpecCommand::Schema { of } => {
                super::output::print_json(&format!("{:#}\n", of.schema()))?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}
