//! `spec lint`: the mistakes in the specification that the loader cannot see.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use rayon::prelude::*;

use ptx_conform::plural::counted;
use ptx_conform::review;
use ptx_conform::space::Diagram;
use ptx_conform::space::lint::{Isolation, isolation};
use ptx_conform::spec::{Form, Instruction, Spec};

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

/// Prints the mistakes, and what was looked at.
pub(super) fn lint(specs: Option<&Path>, names: &[String], all: bool) -> anyhow::Result<ExitCode> {
    let spec = match names {
        [] => crate::cli::load::load_whole_spec(specs)?,
        _ => crate::cli::load::load_spec(specs)?,
    };
    if names.is_empty() {
        crate::cli::load::load_divergences(specs, &spec)?;
    }
    let instructions = crate::cli::load::instructions(&spec, names)?;
    let forms: Vec<&Form> = instructions.iter().flat_map(|instruction| &instruction.forms).collect();
    let mut errors = 0;
    let mut text = String::new();
    let mut rules = 0;
    for mistake in instructions.par_iter().flat_map(|instruction| mistakes(&spec, instruction)).collect::<Vec<_>>() {
        crate::cli::output::say(&mistake);
        errors += 1;
    }
    for form in &forms {
        if Diagram::valid(form).count() == 0 {
            crate::cli::output::say(&contradiction(form));
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
                    crate::cli::output::say(&format!(
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
    crate::cli::output::print(&text)?;
    if errors > 0 {
        bail!("{} in the specification", counted(errors, "error"));
    }
    let counts = [(instructions.len(), "instruction"), (forms.len(), "form"), (rules, "rule")];
    let counts: Vec<String> = counts.iter().map(|(count, what)| counted(*count, what)).collect();
    crate::cli::output::print(&format!("{}: no errors\n", counts.join(", ")))?;
    Ok(ExitCode::SUCCESS)
}
