//! `ptx-conform explain`: everything that the specification says about one line.

mod assume;
mod point;

use std::fmt::Write as _;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anyhow::Context as _;

use ptx_conform::environment::Environment;
use ptx_conform::judge::{Judge, Reading, needs};
use ptx_conform::ptx::{Declarations, Line, SyntaxError, print_variant};
use ptx_conform::space::{Values, environment, twin};
use ptx_conform::spec::{Choice, Form, Instruction, Rule, RuleKind, Source, Spec, UNREAD};

/// Explain one line: its verdict, broken rules, the manual's section, and what it needs
///
/// Exit codes: 0 valid, 1 invalid, 2 unknown instruction or not a statement.
///
/// Example: ptx-conform explain 'suld.b.1d.v4.b64.trap {%rd1, %rd2, %rd3, %rd4}, [surf, {%r1}];'
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// The line, including its `;`.
    line: String,
    #[command(flatten)]
    environment: super::environment::EnvironmentOpts,
    /// PTX text between a module's directives and the line [default: guessed from the names].
    #[arg(long, value_name = "TEXT")]
    declarations: Option<String>,
}

/// A line, and everything known about it.
struct ExplainedLine<'a> {
    text: &'a str,
    line: &'a Line<'a>,
    judge: &'a Judge<'a>,
    declarations: &'a Declarations,
    environment: Environment,
    instruction: &'a Instruction,
    form: &'a Form,
    reading: &'a Reading,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let environment = self.environment.resolve(&spec.isa)?;
        let judge = Judge::new(&spec, &environment)?;
        let line = match Line::parse(&self.line) {
            Ok(line) => line,
            Err(error) => return unreadable(&spec, &self.line, &error),
        };
        let Some(instruction) = spec.instruction_of(line.opcode, &line.modifiers) else {
            let known: Vec<&str> = spec.instructions.iter().map(|i| i.name.as_str()).collect();
            super::output::print(&format!(
                "unknown: `{}` has no specification; the instructions are {}\n",
                line.opcode,
                known.join(", ")
            ))?;
            return Ok(ExitCode::from(2));
        };
        let (text, assumed) = match self.declarations {
            Some(text) => (text, false),
            None => (assume::declarations(&spec.isa, instruction, &line, &environment), true),
        };
        let declarations = Declarations::parse(&text, &spec.isa).context("--declarations")?;
        let reading = judge.read_as(instruction, &line, &declarations);
        let case = ExplainedLine {
            text: &self.line,
            line: &line,
            judge: &judge,
            declarations: &declarations,
            environment,
            instruction,
            form: &instruction.forms[reading.form],
            reading: &reading,
        };
        let mut output = case.diagnostics();
        output += &case.summary(&spec, if assumed && !text.is_empty() { Some(&text) } else { None });
        if assumed && !text.is_empty() && !reading.valid() {
            output += "         declare the names with --declarations if this is wrong\n";
        }
        super::output::print(&output)?;
        Ok(if reading.valid() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

/// The output for text that is not a statement.
fn unreadable(spec: &Spec, text: &str, error: &SyntaxError) -> anyhow::Result<ExitCode> {
    let known = Line::opcode_of(text).and_then(|opcode| spec.instruction(opcode)).is_some();
    let title = Level::ERROR.primary_title(error.message).id(super::judge::SYNTAX);
    let length = text[error.at..].chars().next().map_or(0, char::len_utf8);
    let annotation = AnnotationKind::Primary.span(error.at..error.at + length);
    let group = title
        .element(Snippet::source(text).annotation(annotation))
        .element(Level::HELP.message("write one statement that ends in `;`, such as `ld.global.u32 %r1, [%rd1];`"));
    super::output::print(&format!("{}\n", render(group)))?;
    Ok(ExitCode::from(if known { 1 } else { 2 }))
}

fn render(group: Group<'_>) -> String {
    let renderer = if super::output::color(&io::stdout()) { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

impl ExplainedLine<'_> {
    /// Every broken rule, with the parts of the line that break it.
    fn diagnostics(&self) -> String {
        let mut text = String::new();
        for &broken in &self.reading.broken {
            let rule = &self.form.rules[broken];
            let annotations = point::parts(self.text, self.line, self.form, &self.reading.values, rule)
                .into_iter()
                .map(|(span, label)| AnnotationKind::Primary.span(span).label(label));
            let title = Level::ERROR.primary_title(rule.says.as_str()).id(rule.id.as_str());
            let mut group = title.element(Snippet::source(self.text).annotations(annotations));
            let needs = matches!(rule.kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
            if needs {
                group = group.element(Level::NOTE.message(format!("it {}; judged in {}", rule.kind, self.environment)));
            }
            group = group.element(Level::NOTE.message(self.source(rule)));
            // A line that is too new for this environment is right elsewhere and needs no change.
            if let Some(better) = self.instead(broken).filter(|_| !needs) {
                group = group.element(Level::HELP.message(better));
            }
            let _ = writeln!(text, "{}\n", render(group));
        }
        text
    }

    /// Where a rule comes from.
    fn source(&self, rule: &Rule) -> String {
        match (rule.source, &rule.section) {
            (Source::Manual, Some(section)) => {
                format!("the manual, under `{section}`: {}", self.form.page())
            }
            (Source::Manual, None) => {
                format!("the manual, syntax of `{}`: {}", self.form.id, self.form.page())
            }
            (Source::Observed, _) => {
                "observed: the manual is silent; every implementation examined does this".to_owned()
            }
        }
    }

    /// A valid line that differs in one choice.
    fn instead(&self, broken: usize) -> Option<String> {
        let values = &self.reading.values;
        if values.contains(&UNREAD) {
            return None;
        }
        let twin = twin(self.form, values, broken, |_| true)?;
        let changed = (0..twin.len()).find(|&axis| twin[axis] != values[axis])?;
        let axis = &self.form.axes[changed];
        match axis.choice {
            Choice::AddressSize | Choice::Target | Choice::Ptx => {
                Some(format!("it is valid in {}", environment(self.form, &twin)?))
            }
            Choice::Modifier | Choice::Writing => {
                let better = self.rewritten(&twin)?;
                Some(format!("this is valid: `{better}`"))
            }
            _ => {
                let (better, _) = print_variant(self.form, &twin);
                Some(format!("this is valid, with {} {}: `{better}`", axis.name, self.form.value(&twin, changed)))
            }
        }
    }

    /// The line with the modifiers of these values, if it is valid.
    fn rewritten(&self, values: &Values) -> Option<String> {
        let modifiers = self.form.slots.iter().map(|slot| self.form.value(values, slot.axis));
        let modifiers: String = modifiers.filter(|value| *value != "none").collect();
        let head: Range<usize> = point::head(self.text, self.line);
        let better = format!("{}{}{modifiers}{}", &self.text[..head.start], self.line.opcode, &self.text[head.end..]);
        let line = Line::parse(&better).ok()?;
        let valid = self.judge.read_as(self.instruction, &line, self.declarations).valid();
        valid.then(|| line.to_string())
    }

    fn summary(&self, spec: &Spec, assumed: Option<&str>) -> String {
        let broken = self.reading.broken.len();
        let mut text = match self.reading.valid() {
            true => format!("valid: {}\n", self.line),
            false => format!("invalid: it breaks {}\n", super::output::counted(broken, "rule")),
        };
        let mut row = |name: &str, what: &str| {
            let _ = writeln!(text, "{name:>8} {what}");
        };
        row("form", &format!("{}: {}", self.form.id, self.form.syntax));
        if let Some(needs) = needs(&spec.isa, self.form, self.reading) {
            row("needs", &format!("PTX {}, {}", needs.ptx, needs.target));
        }
        for rule in self.form.undefined(&self.reading.values) {
            row("undefined", &format!("by {}: {}", self.form.rules[rule].id, self.form.rules[rule].says));
        }
        row("judged", &format!("in {}", self.environment));
        row("manual", &self.form.page());
        if let Some(assumed) = assumed {
            row("assumed", assumed);
        }
        text
    }
}
