//! `ptx-conform explain`: everything that the specification says about one line.

mod assume;
mod pasted;
mod several;

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anyhow::Context as _;

use super::load::{LISTED, UnknownOpts};
use ptx_conform::environment::Environment;
use ptx_conform::explain::ExplainedLine;
use ptx_conform::judge::{Judge, NoInstruction, Reading, UNKNOWN_OPCODE, UnknownEnvironment, needs, needs_in_words};
use ptx_conform::must::Must;
use ptx_conform::plural::counted;
use ptx_conform::ptx::{Declarations, Line, SyntaxError};
use ptx_conform::spec::{Spec, Verdict};

/// Explain one line: its verdict, broken rules, the manual's section, and what it needs
///
/// A text of several statements is explained as well: blocks, labels, declarations, directives, a whole module. So is
/// inline assembly: a whole `asm` statement, or its text with `%0` or `$0`, quotes and escapes.
///
/// Without --target, the line is judged for the newest plain target, or for an architecture or family target such as sm_90a
/// on which it breaks fewer rules.
///
/// Exit codes: 0 valid, 1 invalid, 2 unknown (where unknown instructions are allowed), not judged or not a statement.
///
/// Example: ptx-conform explain 'suld.b.1d.v4.b64.trap {%rd1, %rd2, %rd3, %rd4}, [surf, {%r1}];'
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// The line, including its `;`; or several statements; or inline assembly.
    line: String,
    #[command(flatten)]
    environment: super::environment::EnvironmentOpts,
    #[command(flatten)]
    unknown: UnknownOpts,
    /// PTX text between a module's directives and the line [default: guessed from the names].
    #[arg(long, value_name = "TEXT")]
    declarations: Option<String>,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = self.unknown.load_spec(specs)?;
        let given = self.environment.resolve(&spec.isa)?;
        let declared = self.declarations.as_deref();
        let wrong = |pasted: &pasted::PastedText| several::wrong_statements(&spec, pasted, given, declared);
        let pasted = pasted::read(&self.line, &given, wrong)?;
        let pasted = pasted.unwrap_or_else(|| pasted::PastedText::plain(&self.line));
        let text = pasted.text.as_str();
        let line = match Line::parse(text) {
            Ok(line) => line,
            Err(error) if error.surplus() || several::is_several(text) => {
                let (names_target, names_environment) = (self.environment.names_target(), self.environment.given());
                let declarations = self.declarations;
                return several::TextQuestion {
                    spec: &spec,
                    text,
                    environment: given,
                    names_target,
                    names_environment,
                    declarations,
                    pasted: &pasted,
                }
                .answer();
            }
            Err(error) => return unreadable(&spec, text, &error),
        };
        if let Some(none) = spec.no_instruction(&line) {
            return without_instruction(text, &none);
        }
        self.single(&spec, given, &line, &pasted)
    }

    /// Explains one line.
    fn single(
        &self,
        spec: &Spec,
        given: Environment,
        line: &Line<'_>,
        pasted: &pasted::PastedText,
    ) -> anyhow::Result<ExitCode> {
        let instruction =
            spec.instruction_of(line.opcode, &line.modifiers).must("a line is of an instruction or of none");
        let others = match &self.declarations {
            Some(text) => text.clone(),
            None => assume::declarations(&spec.isa, &[(line, instruction)], &pasted.names(), &given),
        };
        let assumed = Some(others.as_str()).filter(|others| self.declarations.is_none() && !others.is_empty());
        let text = pasted.declared(&others);
        let declarations = Declarations::parse(&text, &spec.isa).context("--declarations")?;
        let read = |judge: &Judge<'_>| judge.read_as(instruction, line, &declarations);
        let mut judged = JudgedIn::new(spec, given, read)?;
        if !self.environment.names_target() {
            judged = judged.or_where_it_breaks_less(spec, read)?;
        }
        let JudgedIn { environment, judge, reading } = judged;
        let case = ExplainedLine {
            text: &pasted.text,
            line,
            judge: &judge,
            declarations: &declarations,
            environment,
            instruction,
            reading: &reading,
        };
        let mut output = diagnostics(&case);
        output += &summary(&case, spec, assumed, pasted.says.as_deref());
        if (assumed.is_some() || pasted.is_chosen) && !reading.valid() {
            output += "         declare the names with --declarations if this is wrong\n";
        }
        super::output::print_painted(&output)?;
        Ok(if reading.valid() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

/// How a line is read in an environment.
struct JudgedIn<'s> {
    environment: Environment,
    judge: Judge<'s>,
    reading: Reading,
}

impl<'s> JudgedIn<'s> {
    fn new(
        spec: &'s Spec,
        environment: Environment,
        read: impl Fn(&Judge<'s>) -> Reading,
    ) -> Result<Self, UnknownEnvironment> {
        let judge = Judge::new(spec, &environment)?;
        let reading = read(&judge);
        Ok(Self { environment, judge, reading })
    }

    /// The same for the newest architecture or family target, such as `sm_90a`, if the line breaks fewer rules there: what
    /// only such targets have is not wrong because plain ones lack it.
    fn or_where_it_breaks_less(
        self,
        spec: &'s Spec,
        read: impl Fn(&Judge<'s>) -> Reading,
    ) -> Result<Self, UnknownEnvironment> {
        let given = self.environment;
        let mut best = self;
        for target in spec.isa.suffixed_targets(given.ptx) {
            if best.reading.valid() {
                break;
            }
            let other = Self::new(spec, Environment { target, ..given }, &read)?;
            if other.reading.broken.len() < best.reading.broken.len() {
                best = other;
            }
        }
        Ok(best)
    }
}

/// The output for a line of no instruction.
fn without_instruction(text: &str, none: &NoInstruction<'_, '_>) -> anyhow::Result<ExitCode> {
    let help = none.help().unwrap_or_else(|| LISTED.to_owned());
    if none.verdict() == Verdict::Unknown {
        super::output::print(&format!("unknown: {none}; {help}\n"))?;
        return Ok(ExitCode::from(2));
    }
    let title = Level::ERROR.primary_title(none.to_string()).id(UNKNOWN_OPCODE);
    let annotation = AnnotationKind::Primary.span(none.at(text));
    let group = title.element(Snippet::source(text).annotation(annotation)).element(Level::HELP.message(help));
    super::output::print_painted(&format!("{}\n\ninvalid: {none}\n", render(group)))?;
    Ok(ExitCode::from(1))
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
    super::output::print_painted(&format!("{}\n", render(group)))?;
    Ok(ExitCode::from(if known { 1 } else { 2 }))
}

fn render(group: Group<'_>) -> String {
    let renderer = if super::output::color(&io::stdout()) { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// Every broken rule, with the parts of the line that break it.
fn diagnostics(case: &ExplainedLine<'_>) -> String {
    let mut text = String::new();
    for &broken in &case.reading.broken {
        let rule = &case.form().rules[broken];
        let parts = case.parts(broken).into_iter();
        let annotations = parts.map(|(span, label)| AnnotationKind::Primary.span(span).label(label));
        let title = Level::ERROR.primary_title(rule.says.as_str()).id(rule.id.as_str());
        let mut group = title.element(Snippet::source(case.text).annotations(annotations));
        if let Some(needs) = case.needs(rule) {
            group = group.element(Level::NOTE.message(needs));
        }
        let notes = case.syntax(rule).into_iter().chain([case.source(rule)]);
        group = group.elements(notes.map(|note| Level::NOTE.message(note)));
        if let Some(better) = case.instead(broken) {
            group = group.element(Level::HELP.message(better));
        }
        let _ = writeln!(text, "{}\n", render(group));
    }
    text
}

fn summary(case: &ExplainedLine<'_>, spec: &Spec, assumed: Option<&str>, pasted: Option<&str>) -> String {
    let (form, reading) = (case.form(), case.reading);
    let mut text = match reading.valid() {
        true => format!("valid: {}\n", case.line),
        false => format!("invalid: it breaks {}\n", counted(reading.broken.len(), "rule")),
    };
    let mut row = |name: &str, what: &str| {
        let _ = writeln!(text, "{name:>8} {what}");
    };
    row("form", &format!("{}: {}", form.id, form.syntax));
    let needs = needs(&spec.isa, form, reading);
    if !needs.is_empty() {
        row("needs", &needs_in_words(&needs));
    }
    for rule in form.undefined(&reading.values) {
        row("undefined", &format!("by {}: {}", form.rules[rule].id, form.rules[rule].says));
    }
    row("judged", &format!("in {}", case.environment));
    row("manual", &form.page());
    if let Some(pasted) = pasted {
        row("inline", pasted);
    }
    if let Some(assumed) = assumed {
        row("assumed", assumed);
    }
    text
}
