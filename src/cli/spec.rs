//! `ptx-conform spec`: checks, shows and counts the specification.

mod count;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use rayon::prelude::*;

use count::CountFormat;
use ptx_conform::review;
use ptx_conform::space::lint::{Isolation, isolation};
use ptx_conform::space::{Diagram, breakable};
use ptx_conform::spec::{Axis, Choice, Form, Instruction, RuleKind, Source, Spec};

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
    /// matrix.json, which `matrix --format json` prints.
    Matrix,
}

impl SchemaName {
    fn schema(self) -> serde_json::Value {
        match self {
            Self::Instruction => ptx_conform::load::schema(),
            Self::Isa => ptx_conform::load::isa_schema(),
            Self::Divergences => ptx_conform::divergences::schema(),
            Self::Vocabulary => ptx_conform::load::vocabulary_schema(),
            Self::Report => ptx_conform::report::schema(),
            Self::History => ptx_conform::report::history_schema(),
            Self::Matrix => ptx_conform::matrix::schema(),
        }
    }
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        match self.command {
            SpecCommand::Lint { instructions, all } => lint(specs, &instructions, all),
            SpecCommand::Show { opcode: None } => overview(specs),
            SpecCommand::Show { opcode: Some(opcode) } => {
                let spec = super::load::load_spec(specs)?;
                for instruction in super::load::instructions(&spec, &[opcode])? {
                    super::output::print(&shown(instruction))?;
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
            SpecCommand::Schema { of } => {
                super::output::print(&format!("{:#}\n", of.schema()))?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// Describes a form without valid variants, and the rules that cause that: removing any one of them would
/// leave valid variants.
fn contradiction(form: &Form) -> String {
    let opcode = form.id.split('.').next().unwrap_or_default();
    let in_the_way = (0..form.rules.len()).filter(|&rule| Diagram::breaking(form, rule).count() > 0);
    let rules: Vec<String> =
        in_the_way.map(|rule| format!("\n  `{}`: {}", form.rules[rule].id, form.rules[rule].says)).collect();
    let which = match rules.as_slice() {
        [] => "help: at least three rules together leave no valid variant; remove some to see which".to_owned(),
        rules => format!("help: removing any one of these rules would leave valid variants:{}", rules.concat()),
    };
    let (id, syntax) = (&form.id, &form.syntax);
    format!(
        "error: {opcode}.yaml: the rules of `{id}` contradict each other: no variant of `{syntax}` is valid\n{which}\n"
    )
}

/// The mistakes in the examples of an instruction and in how its variants are read, as messages.
fn mistakes(spec: &Spec, instruction: &Instruction) -> Vec<String> {
    // Rules that contradict each other are reported by themselves: all else would follow from that.
    if instruction.forms.iter().any(|form| Diagram::valid(form).count() == 0) {
        return Vec::new();
    }
    let found = review::examples(spec, instruction).into_iter().chain(review::misread(spec, instruction));
    found.map(|mistake| format!("error: {}.yaml: {mistake}\n", instruction.name)).collect()
}

fn lint(specs: Option<&Path>, names: &[String], all: bool) -> anyhow::Result<ExitCode> {
    let spec = match names {
        [] => super::load::load_whole_spec(specs)?,
        _ => super::load::load_spec(specs)?,
    };
    if names.is_empty() {
        super::load::load_divergences(specs, &spec)?;
    }
    let instructions = super::load::instructions(&spec, names)?;
    let forms: Vec<&Form> = instructions.iter().flat_map(|instruction| &instruction.forms).collect();
    let mut errors = 0;
    let mut text = String::new();
    let mut rules = 0;
    for mistake in instructions.par_iter().flat_map(|instruction| mistakes(&spec, instruction)).collect::<Vec<_>>() {
        super::output::say(&mistake);
        errors += 1;
    }
    for form in &forms {
        if Diagram::valid(form).count() == 0 {
            super::output::say(&contradiction(form));
            errors += 1;
            continue;
        }
        for (rule, isolation) in isolation(form) {
            rules += 1;
            let rule = &form.rules[rule];
            match isolation {
                Isolation::Alone(_) => {}
                // Faults of writing that would be lines of another form, or of other operands, are not made.
                Isolation::Subsumed(along) if along.is_empty() && form.is_of_writing(rule) => {}
                Isolation::Subsumed(along) if along.is_empty() => {
                    super::output::say(&format!(
                        "error: nothing can break `{}` in `{}`: {}\nhelp: remove the rule, or restrict it with `forms`\n",
                        rule.id, form.id, rule.says
                    ));
                    errors += 1;
                }
                // Writing to a String cannot fail.
                Isolation::Subsumed(along) if all => {
                    let _ = writeln!(text, "{}: {} cannot be broken without {}", form.id, rule.id, along.join(", "));
                }
                Isolation::Subsumed(_) => {}
            }
        }
    }
    super::output::print(&text)?;
    if errors > 0 {
        bail!("{} in the specification", super::output::counted(errors, "error"));
    }
    let counts = [(instructions.len(), "instruction"), (forms.len(), "form"), (rules, "rule")];
    let counts: Vec<String> = counts.iter().map(|(count, what)| super::output::counted(*count, what)).collect();
    super::output::print(&format!("{}: no errors\n", counts.join(", ")))?;
    Ok(ExitCode::SUCCESS)
}

fn overview(specs: Option<&Path>) -> anyhow::Result<ExitCode> {
    let spec = super::load::load_spec(specs)?;
    let mut text = format!("{:<8} {:<5} {:>5} {:>5}  summary\n", "opcode", "read", "forms", "rules");
    for instruction in &spec.instructions {
        let mut rules: Vec<&str> = instruction
            .forms
            .iter()
            .flat_map(|form| breakable(form).map(|rule| form.rules[rule].id.as_str()))
            .collect();
        rules.sort_unstable();
        rules.dedup();
        let (name, read, forms) = (&instruction.name, instruction.read.to_string(), instruction.forms.len());
        let _ = writeln!(text, "{name:<8} {read:<5} {forms:>5} {:>5}  {}", rules.len(), instruction.summary);
    }
    if let (Some(first), Some(last), Some((oldest, _)), Some((newest, _))) =
        (spec.isa.versions.first(), spec.isa.versions.last(), spec.isa.targets.first(), spec.isa.targets.last())
    {
        let (versions, targets) = (spec.isa.versions.len(), spec.isa.targets.len());
        let _ =
            writeln!(text, "\n{versions} PTX versions ({first} to {last}), {targets} targets ({oldest} to {newest})");
    }
    super::output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn shown(instruction: &Instruction) -> String {
    let mut text = format!(
        "{}: {}\n{} (read in edition {})\n",
        instruction.name,
        instruction.summary,
        instruction.page(),
        instruction.read
    );
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for form in &instruction.forms {
        let _ = writeln!(text, "\n{}\n  {}", form.id, form.syntax);
        if form.manual != instruction.manual {
            let _ = writeln!(text, "  {}", form.page());
        }
        for axis in form.axes.iter().filter(|axis| told(axis)) {
            let _ = writeln!(text, "  {:<28} {}", axis.name, values(axis, true));
            let probes = values(axis, false);
            if !probes.is_empty() {
                let _ = writeln!(text, "  {:<28} {probes}", "  probed with");
            }
        }
    }
    text.push_str("\nrules\n");
    for form in &instruction.forms {
        for rule in form.rules.iter().filter(|rule| rule.kind != RuleKind::Canonical) {
            // Rules implied by a slot can differ from form to form.
            if seen.contains(&(&rule.id, &rule.says)) {
                continue;
            }
            seen.push((&rule.id, &rule.says));
            let in_forms: Vec<&str> = instruction
                .forms
                .iter()
                .filter(|form| form.rules.iter().any(|other| other.id == rule.id && other.says == rule.says))
                .map(|form| form.id.as_str())
                .collect();
            let _ = writeln!(text, "  {}: {}", rule.id, rule.says);
            let mut about = vec![match rule.source {
                Source::Manual => "manual".to_owned(),
                Source::Observed => "observed".to_owned(),
            }];
            about.extend(rule.section.clone());
            if !matches!(rule.kind, RuleKind::Constraint) {
                about.push(rule.kind.to_string());
            }
            if in_forms.len() < instruction.forms.len() {
                about.push(format!("in {}", in_forms.join(", ")));
            }
            let _ = writeln!(text, "      {}", about.join("; "));
        }
    }
    if !instruction.notes.is_empty() {
        text.push_str("\nnotes\n");
    }
    for note in &instruction.notes {
        let _ = writeln!(text, "  {}: {}\n      {}", note.section, note.says, note.because);
    }
    text
}

/// Whether an axis belongs to the instruction; those of the environment are the same for all.
fn told(axis: &Axis) -> bool {
    !matches!(axis.choice, Choice::AddressSize | Choice::Target | Choice::Ptx)
}

fn values(axis: &Axis, claimed: bool) -> String {
    let names: Vec<&str> = (0..=u8::MAX)
        .zip(&axis.values)
        .filter(|(at, _)| axis.claimed.contains(*at) == claimed)
        .map(|(_, name)| name.as_str())
        .collect();
    names.join(if axis.choice == Choice::Writing { ", " } else { " " })
}
