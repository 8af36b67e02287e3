//! How large the specification is: exact numbers of variants.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use rayon::prelude::*;
use serde::Serialize;

use ptx_conform::environment::Environment;
use ptx_conform::space::{Diagram, breakable, environment_values};
use ptx_conform::spec::{Form, Isa};

/// The format of the counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CountFormat {
    /// A row for each family of pages.
    Families,
    /// A row for each form.
    Forms,
    /// All forms as JSON.
    Json,
}

/// The sizes of the spaces of one form.
#[derive(Serialize)]
struct Sizes<'s> {
    form: &'s str,
    #[serde(skip)]
    family: String,
    /// Over all environments.
    valid: u128,
    breaches: u128,
    /// In one.
    valid_here: u128,
    breaches_here: u128,
}

#[derive(Serialize)]
struct Counted<'s> {
    ptx: String,
    target: String,
    address_size: u32,
    forms: Vec<Sizes<'s>>,
}

/// The sizes of several forms together.
#[derive(Default)]
struct SizeTotal {
    instructions: usize,
    forms: usize,
    valid: u128,
    breaches: u128,
    valid_here: u128,
    breaches_here: u128,
}

impl SizeTotal {
    fn of<'f>(sizes: impl IntoIterator<Item = &'f Sizes<'f>>) -> Self {
        let mut total = Self::default();
        let mut last = "";
        for of in sizes {
            let opcode = of.form.rsplit_once('.').map_or(of.form, |(opcode, _)| opcode);
            // The forms of an instruction follow each other.
            total.instructions += usize::from(opcode != last);
            last = opcode;
            total.forms += 1;
            total.valid += of.valid;
            total.breaches += of.breaches;
            total.valid_here += of.valid_here;
            total.breaches_here += of.breaches_here;
        }
        total
    }

    fn numbers(&self) -> String {
        let [valid, breaches] = [self.valid, self.breaches].map(grouped);
        let [valid_here, breaches_here] = [self.valid_here, self.breaches_here].map(grouped);
        format!("{valid:>26} {breaches:>26} {valid_here:>20} {breaches_here:>20}")
    }
}

/// Counts the variants of instructions, of all if none is named.
pub(super) fn count(
    specs: Option<&Path>,
    names: &[String],
    format: CountFormat,
    environment: &super::super::environment::EnvironmentOpts,
) -> anyhow::Result<ExitCode> {
    let spec = super::super::load::load_spec(specs)?;
    let environment = environment.resolve(&spec.isa)?;
    let instructions = super::super::load::instructions(&spec, names)?;
    let forms: Vec<&Form> = instructions.into_iter().flat_map(|instruction| &instruction.forms).collect();
    let sizes: Vec<Sizes<'_>> = forms.par_iter().map(|form| sizes(form, &spec.isa, &environment)).collect();
    let text = match format {
        CountFormat::Json => json(sizes, &environment)?,
        CountFormat::Forms => by_form(&sizes, &environment),
        CountFormat::Families => by_family(&sizes, &environment),
    };
    super::super::output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn json(forms: Vec<Sizes<'_>>, environment: &Environment) -> anyhow::Result<String> {
    let Environment { ptx, target, address_size } = environment;
    let counted =
        Counted { ptx: ptx.to_string(), target: target.to_string(), address_size: address_size.bits(), forms };
    Ok(format!("{}\n", serde_json::to_string_pretty(&counted)?))
}

/// The heads of the columns of numbers.
fn heads() -> String {
    format!("{:>26} {:>26} {:>20} {:>20}", "valid", "breaking one rule", "valid here", "breaking one here")
}

fn by_form(sizes: &[Sizes<'_>], environment: &Environment) -> String {
    let width = sizes.iter().map(|of| of.form.len()).max().unwrap_or(0).max(18);
    let mut text = format!("{:<width$} {}\n", "form", heads());
    for of in sizes {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<width$} {}", of.form, SizeTotal::of([of]).numbers());
    }
    if sizes.len() > 1 {
        let _ = writeln!(text, "{:<width$} {}", "all", SizeTotal::of(sizes).numbers());
    }
    text + &format!("here: {environment}\n")
}

fn by_family(sizes: &[Sizes<'_>], environment: &Environment) -> String {
    let mut families: Vec<&str> = sizes.iter().map(|of| of.family.as_str()).collect();
    families.sort_unstable();
    families.dedup();
    let width = families.iter().map(|family| family.len()).max().unwrap_or(0).max(18);
    let mut text = format!("{:<width$} {:>7} {:>5} {}\n", "family of pages", "opcodes", "forms", heads());
    let mut row = |name: &str, of: &SizeTotal| {
        let _ = writeln!(text, "{name:<width$} {:>7} {:>5} {}", of.instructions, of.forms, of.numbers());
    };
    for family in &families {
        row(family, &SizeTotal::of(sizes.iter().filter(|of| of.family == *family)));
    }
    if families.len() > 1 {
        row("all", &SizeTotal::of(sizes));
    }
    text + &format!("here: {environment}\n")
}

fn sizes<'s>(form: &'s Form, isa: &Isa, environment: &Environment) -> Sizes<'s> {
    let count = |diagram: &Diagram| {
        let here = environment_values(form, environment).map_or(0, |values| diagram.all().below(&values).count());
        (diagram.count(), here)
    };
    let (valid, valid_here) = count(&Diagram::valid(form));
    let rules: Vec<usize> = breakable(form).collect();
    let breaches: Vec<(u128, u128)> = rules.par_iter().map(|&rule| count(&Diagram::breaking(form, rule))).collect();
    Sizes {
        form: &form.id,
        family: isa.page_family(&form.manual),
        valid,
        breaches: breaches.iter().map(|(all, _)| all).sum(),
        valid_here,
        breaches_here: breaches.iter().map(|(_, here)| here).sum(),
    }
}

/// Digits in groups of three.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}
