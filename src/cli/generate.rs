//! `ptx-conform generate`: prints variants.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use rayon::prelude::*;
use serde::Serialize;

use ptx_conform::environment::{AddressSize, Environment, Target, Version};
use ptx_conform::ptx::{Context, Item, Printer, Scaffold, Setting, scaffold};
use ptx_conform::space::{Diagram, Draw, EnvironmentValues, Region, Values, breakable, covering, environment_values};
use ptx_conform::spec::{Form, Instruction, Spec};

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
/// The number of random variants by default.
const DRAWN: usize = 100;
/// Covering arrays that are made together.
const AT_ONCE: usize = 16;

/// A set of variants: the valid ones of a form, or those that break one rule.
struct SpacePart<'s> {
    form: &'s Form,
    rule: Option<usize>,
    environment: EnvironmentValues,
    diagram: Diagram,
}

impl SpacePart<'_> {
    fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.environment)
    }

    fn breaks(&self) -> Option<&str> {
        self.rule.map(|rule| self.form.rules[rule].id.as_str())
    }
}

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
        let out = BufWriter::new(io::stdout().lock());
        let mut printed =
            PrintedCases { environment, format: self.format, out, entry: Body::default(), function: Body::default() };
        let written = self.variants(&parts, total, |part, values| printed.variant(part, &values));
        super::output::until_closed(written.and_then(|()| printed.finish()))
    }

    /// The parts to print, in order.
    fn parts<'s>(&self, spec: &'s Spec, environment: &Environment) -> anyhow::Result<Vec<SpacePart<'s>>> {
        let instructions = super::load::instructions(spec, &self.instructions)?;
        let named = |instruction: &Instruction, form: &Form| {
            let short = |name: &String| {
                *name == form.id || form.id.strip_prefix(&format!("{}.", instruction.name)) == Some(name)
            };
            self.form.as_ref().is_none_or(short)
        };
        let forms: Vec<&Form> = instructions
            .iter()
            .flat_map(|instruction| instruction.forms.iter().filter(|form| named(instruction, form)))
            .collect();
        if forms.is_empty() {
            let known: Vec<&str> = instructions.iter().flat_map(|i| &i.forms).map(|form| form.id.as_str()).collect();
            bail!(
                "there is no form `{}`; the forms are {}",
                self.form.as_deref().unwrap_or_default(),
                known.join(", ")
            );
        }
        let mut chosen: Vec<(&Form, Option<usize>)> = Vec::new();
        for form in &forms {
            if self.rule.is_none() && self.what != GenerateWhat::Breaches {
                chosen.push((form, None));
            }
            if self.rule.is_some() || self.what != GenerateWhat::Valid {
                let wanted = |id: &str| {
                    self.rule.as_deref().is_none_or(|rule| rule == id || id.rsplit('/').next() == Some(rule))
                };
                chosen.extend(
                    breakable(form).filter(|&rule| wanted(&form.rules[rule].id)).map(|rule| (*form, Some(rule))),
                );
            }
        }
        if let (Some(rule), true) = (&self.rule, chosen.is_empty()) {
            bail!("there is no rule `{rule}` that a variant can break; `ptx-conform spec show OPCODE` lists them");
        }
        let part = |(form, rule): (&'s Form, Option<usize>)| {
            let environment = environment_values(form, environment)?;
            let diagram = match rule {
                Some(rule) => Diagram::breaking(form, rule),
                None => Diagram::valid(form),
            };
            Some(SpacePart { form, rule, environment, diagram })
        };
        Ok(chosen.into_par_iter().filter_map(part).collect())
    }

    /// The maximum number of variants.
    fn wanted(&self) -> usize {
        self.count.unwrap_or(if self.strategy == GenerateStrategy::Random { DRAWN } else { usize::MAX })
    }

    /// Gives each variant to `print`.
    fn variants<'p>(
        &self,
        parts: &'p [SpacePart<'p>],
        total: u128,
        mut print: impl FnMut(&'p SpacePart<'p>, Values) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.strategy {
            GenerateStrategy::All => self.all(parts, &mut print),
            GenerateStrategy::Pairs => self.covering(parts, 2, &mut print),
            GenerateStrategy::Triples => self.covering(parts, 3, &mut print),
            GenerateStrategy::Random => self.random(parts, total, &mut print),
        }
    }

    fn all<'p>(&self, parts: &'p [SpacePart<'p>], print: &mut Print<'_, 'p>) -> io::Result<()> {
        let (mut left, mut skip) = (self.wanted(), self.from);
        for part in parts {
            let region = part.region();
            if let Some(after) = skip.checked_sub(region.count()) {
                skip = after;
                continue;
            }
            for values in region.iter_from(skip).take(left) {
                print(part, values)?;
                left -= 1;
            }
            skip = 0;
        }
        Ok(())
    }

    fn covering<'p>(&self, parts: &'p [SpacePart<'p>], strength: usize, print: &mut Print<'_, 'p>) -> io::Result<()> {
        let (mut left, mut skip) = (self.wanted(), self.from);
        for parts in parts.chunks(AT_ONCE) {
            let cover = |part: &SpacePart<'_>| match part.region() {
                region if region.count() > 0 => covering(&region, strength),
                _ => Vec::new(),
            };
            let rows: Vec<Vec<Values>> = parts.par_iter().map(cover).collect();
            let rows =
                parts.iter().zip(rows).flat_map(|(part, rows)| rows.into_iter().map(move |values| (part, values)));
            for (part, values) in rows {
                if skip > 0 {
                    skip -= 1;
                } else if left > 0 {
                    print(part, values)?;
                    left -= 1;
                }
            }
            if left == 0 {
                break;
            }
        }
        Ok(())
    }

    fn random<'p>(&self, parts: &'p [SpacePart<'p>], total: u128, print: &mut Print<'_, 'p>) -> io::Result<()> {
        let (mut left, mut skip) = (self.wanted(), self.from);
        let mut draw = Draw::new(self.seed);
        while let Some(mut rank) = draw.below(total).filter(|_| left > 0) {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            for part in parts {
                let region = part.region();
                if let Some(after) = rank.checked_sub(region.count()) {
                    rank = after;
                    continue;
                }
                if let Some(values) = region.unrank(rank) {
                    print(part, values)?;
                }
                break;
            }
            left -= 1;
        }
        Ok(())
    }
}

/// The printer of each variant.
type Print<'a, 'p> = dyn FnMut(&'p SpacePart<'p>, Values) -> io::Result<()> + 'a;

/// The lines of one function, and what they use.
#[derive(Default)]
struct Body<'s> {
    lines: Vec<String>,
    items: Vec<Item<'s>>,
}

/// A line as `judge` reads it.
#[derive(Serialize)]
struct GeneratedRequest<'a> {
    line: &'a str,
    ptx: Version,
    target: Target,
    address_size: u32,
    declarations: &'a str,
    /// The rule that it should break. `judge` ignores this.
    #[serde(skip_serializing_if = "Option::is_none")]
    breaks: Option<&'a str>,
}

struct PrintedCases<'s, W: Write> {
    environment: Environment,
    format: OutputFormat,
    out: W,
    entry: Body<'s>,
    function: Body<'s>,
}

impl<'s, W: Write> PrintedCases<'s, W> {
    fn variant(&mut self, part: &'s SpacePart<'_>, values: &[u8]) -> io::Result<()> {
        let printer = Printer::new(part.form);
        let mut line = String::new();
        let mut items = Vec::new();
        printer.line(values, &mut line, |item| items.push(item));
        let setting = printer.setting(values);
        if self.format == OutputFormat::Jsonl {
            let Environment { ptx, target, address_size } = self.environment;
            let declarations = scaffold(items, setting).declarations();
            let request = GeneratedRequest {
                line: &line,
                ptx,
                target,
                address_size: address_size.bits(),
                declarations: &declarations,
                breaks: part.breaks(),
            };
            serde_json::to_writer(&mut self.out, &request)?;
            return self.out.write_all(b"\n");
        }
        if let Some(rule) = part.breaks() {
            line.push_str(" // breaks ");
            line.push_str(rule);
        }
        if self.format == OutputFormat::Text {
            return writeln!(self.out, "{line}");
        }
        let body = if setting.context == Context::Entry { &mut self.entry } else { &mut self.function };
        body.lines.push(line);
        for item in items {
            if !body.items.contains(&item) {
                body.items.push(item);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        if self.format == OutputFormat::Module {
            let module = self.module();
            self.out.write_all(module.as_bytes())?;
        }
        self.out.flush()
    }

    /// One module: an entry, a function, or both.
    fn module(&self) -> String {
        let (entry, function) = (&self.entry, &self.function);
        // Variables of the module are declared once, before both.
        let all = scaffold(entry.items.iter().chain(&function.items).copied(), Setting::default());
        let text = |body: &Body<'_>, context, name: &str, globals: &str| {
            let own = scaffold(body.items.iter().copied(), Setting { context, ..Setting::default() });
            let lines: Vec<&str> = body.lines.iter().map(String::as_str).collect();
            Scaffold { globals: globals.to_owned(), ..own }.module(&self.environment, name, &lines).0
        };
        match (entry.lines.is_empty(), function.lines.is_empty()) {
            (_, true) => text(entry, Context::Entry, "k", &all.globals),
            (true, false) => text(function, Context::Function, "f", &all.globals),
            (false, false) => {
                let directives = if self.environment.ptx >= AddressSize::SINCE { 3 } else { 2 };
                let behind = text(function, Context::Function, "f", "");
                let behind: String = behind.split_inclusive('\n').skip(directives).collect();
                text(entry, Context::Entry, "k", &all.globals) + &behind
            }
        }
    }
}
