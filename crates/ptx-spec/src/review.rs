//! The mistakes in a specification that the loader cannot see: examples with another verdict than stated, and
//! variants that are read as something else than they were made as.

use std::collections::BTreeSet;
use std::fmt;

use crate::directive::read_case;
use crate::environment::{AddressSize, Environment};
use crate::judge::{Judge, Reading};
use crate::must::Must;
use crate::print::{Printer, print_variant, scaffold_of};
use crate::space::{Diagram, EnvironmentValues, breakable, covering, environment};
use crate::spec::{Example, Form, Instruction, Spec, Verdict};
use crate::text::{Declarations, Line};

/// How many variants of a form are tried, and how many of those that break a rule.
const MOST_VALID: usize = 400;
const MOST_BREACHES: usize = 12;

/// An author's mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// An example or a variant that cannot be read: the line, and why.
    Unreadable(String, String),
    /// An example with another verdict than stated.
    Example {
        /// The line.
        line: String,
        /// The verdict and the broken rules that the file states.
        stated: (Verdict, Vec<String>),
        /// The verdict of the judge, with the rules broken.
        found: (Verdict, Vec<String>),
    },
    /// A variant of a form that is read as one of another.
    AnotherForm {
        /// The line, and the environment that it is meant for.
        line: (String, Environment),
        /// The form that it was made from, and the one that it is read as.
        forms: [String; 2],
    },
    /// A variant that is read with other choices, or that breaks other rules.
    AnotherMeaning {
        /// The line, and the environment that it is meant for.
        line: (String, Environment),
        /// The form.
        form: String,
        /// The meaning that was meant, and the one that is read.
        meanings: [String; 2],
    },
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = |(verdict, rules): &(Verdict, Vec<String>)| match verdict {
            Verdict::Valid => "valid".to_owned(),
            Verdict::Unknown => "unknown".to_owned(),
            Verdict::Invalid => format!("invalid, by {}", rules.join(", ")),
        };
        match self {
            Self::Unreadable(line, why) => write!(f, "`{line}` cannot be read: {why}"),
            Self::Example { line, stated, found } => {
                write!(f, "the example `{line}` is {}, and not {}", verdict(found), verdict(stated))
            }
            Self::AnotherForm { line: (line, environment), forms: [meant, read] } => write!(
                f,
                "`{line}` ({environment}) is a variant of `{meant}`, and is read as one of `{read}`: \
                 let the two differ in a modifier, or in what their operands accept"
            ),
            Self::AnotherMeaning { line: (line, environment), form, meanings: [meant, read] } => {
                write!(f, "`{line}` ({environment}) of `{form}` was made with {meant}, and is read with {read}")
            }
        }
    }
}

/// Tells if a line that was made as a variant of a form, to break this rule or none, is read as meant: as one of this form
/// that breaks these rules. Where it is unclear which operands an invalid line has, or of which form it is, it may break
/// others; it must not be valid.
pub fn is_as_meant(form: &Form, same_form: bool, meant: Option<&str>, broken: &[&str]) -> bool {
    let unclear = !same_form || form.has_unclear_operands();
    broken.iter().copied().eq(meant) || unclear && meant.is_some() && !broken.is_empty()
}

/// The mistakes in an instruction's examples.
pub fn examples(spec: &Spec, instruction: &Instruction) -> Vec<Mistake> {
    instruction.examples.iter().filter_map(|example| wrong_example(spec, example)).collect()
}

/// The environment that an example is judged in; none if the specification has no versions or targets.
fn environment_of(spec: &Spec, example: &Example) -> Option<Environment> {
    let (newest, _) = spec.isa.targets.last()?;
    let target = example.target.unwrap_or(*newest);
    Some(Environment { ptx: *spec.isa.versions.last()?, target, address_size: AddressSize::Bits64 })
}

fn wrong_example(spec: &Spec, example: &Example) -> Option<Mistake> {
    let unreadable = |why: String| Some(Mistake::Unreadable(example.line.clone(), why));
    let judge = match Judge::new(spec, &environment_of(spec, example)?) {
        Ok(judge) => judge,
        Err(why) => return unreadable(why.to_string()),
    };
    let declarations = match Declarations::parse(&example.declarations, &spec.isa) {
        Ok(declarations) => declarations,
        Err(why) => return unreadable(why.to_string()),
    };
    let line = match Line::parse(&example.line) {
        Ok(line) => line,
        Err(why) => return unreadable(why.to_string()),
    };
    let found = match judge.read(&line, &declarations) {
        None => {
            let none = spec.no_instruction(&line).must("a line that is not read is of no instruction");
            (none.verdict(), none.rule().map(str::to_owned).into_iter().collect())
        }
        Some((instruction, reading)) => {
            let rules: Vec<String> = reading.rules(instruction).map(|rule| rule.id.clone()).collect();
            (if reading.valid() { Verdict::Valid } else { Verdict::Invalid }, rules)
        }
    };
    let stated = (example.spec, example.rules.clone());
    let sorted = |rules: &[String]| rules.iter().cloned().collect::<BTreeSet<_>>();
    (found.0 != stated.0 || sorted(&found.1) != sorted(&stated.1)).then(|| Mistake::Example {
        line: example.line.clone(),
        stated,
        found,
    })
}

/// The first mistake of each kind in how the variants of an instruction are read, in the newest environment in which a
/// form has any.
pub fn misread(spec: &Spec, instruction: &Instruction) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for (at, form) in instruction.forms.iter().enumerate() {
        let Some(prefix) = newest(form) else { continue };
        let review = FormReview { spec, instruction, at, form };
        let valid = Diagram::within(form, None, &prefix);
        let variants = covering(&valid.all().below(&prefix), 2);
        mistakes.extend(variants.iter().take(MOST_VALID).find_map(|values| review.misread(values, None)));
        for rule in breakable(form) {
            let breaches = Diagram::within(form, Some(rule), &prefix);
            let variants = covering(&breaches.all().below(&prefix), 1);
            mistakes.extend(variants.iter().take(MOST_BREACHES).find_map(|values| review.misread(values, Some(rule))));
        }
    }
    mistakes
}

/// The newest environment in which a form has valid variants.
fn newest(form: &Form) -> Option<EnvironmentValues> {
    Some(EnvironmentValues::of(&Diagram::valid(form).unrank(0)?))
}

/// A form whose variants are read.
struct FormReview<'a> {
    spec: &'a Spec,
    instruction: &'a Instruction,
    at: usize,
    form: &'a Form,
}

impl FormReview<'_> {
    /// The mistake in how a variant is read, which breaks this rule or none.
    fn misread(&self, values: &[u8], rule: Option<usize>) -> Option<Mistake> {
        let (form, environment) = (self.form, environment(self.form, values));
        if form.template.is_some() {
            return self.misread_directive(values, rule);
        }
        let judge = Judge::new(self.spec, &environment).must("a variant's environment is in the specification");
        let (text, declarations) = print_variant(form, values);
        let line = (text.clone(), environment);
        let unreadable = |why: String| Some(Mistake::Unreadable(text.clone(), why));
        let declarations = match Declarations::parse(&declarations, &self.spec.isa) {
            Ok(declarations) => declarations,
            Err(why) => return unreadable(format!("{why} ({declarations})")),
        };
        let parsed = match Line::parse(&text) {
            Ok(parsed) => parsed,
            Err(why) => return unreadable(why.to_string()),
        };
        let Some((read_as, reading)) = judge.read(&parsed, &declarations) else {
            return unreadable("it is a line of no instruction, by its opcode and `elsewhere`".to_owned());
        };
        if read_as.name != self.instruction.name || reading.form != self.at && rule.is_none() {
            let forms = [form.id.clone(), read_as.forms[reading.form].id.clone()];
            return Some(Mistake::AnotherForm { line, forms });
        }
        self.differing((values, rule), (read_as, &reading), line)
    }

    /// The same of a directive, which is read in its module.
    fn misread_directive(&self, values: &[u8], rule: Option<usize>) -> Option<Mistake> {
        let (form, environment) = (self.form, environment(self.form, values));
        let mut text = String::new();
        Printer::new(form).line(values, &mut text, |_| {});
        let (module, _) = scaffold_of(form, values, []).module(&environment, "k", &[&text]);
        match read_case(self.spec, &environment, &module, self.instruction, self.at) {
            Err(why) => Some(Mistake::Unreadable(text, why)),
            Ok(reading) => self.differing((values, rule), (self.instruction, &reading), (text, environment)),
        }
    }

    /// The way in which the reading of a variant differs from what was meant.
    fn differing(
        &self,
        (values, rule): (&[u8], Option<usize>),
        (read_as, reading): (&Instruction, &Reading),
        line: (String, Environment),
    ) -> Option<Mistake> {
        let form = self.form;
        let rules: Vec<&str> = reading.rules(read_as).map(|rule| rule.id.as_str()).collect();
        let meant: Vec<&str> = rule.iter().map(|&rule| form.rules[rule].id.as_str()).collect();
        let broken = |rules: &[&str]| if rules.is_empty() { "no broken rule".to_owned() } else { rules.join(", ") };
        if !is_as_meant(form, reading.form == self.at, meant.first().copied(), &rules) {
            let meanings = [broken(&meant), format!("{} as {}", broken(&rules), read_as.forms[reading.form].id)];
            return Some(Mistake::AnotherMeaning { line, form: form.id.clone(), meanings });
        }
        let differing =
            (0..form.variant_axes()).find(|&axis| rule.is_none() && reading.values[axis] != values[axis])?;
        let meaning = |values: &[u8]| format!("{}: {}", form.axes[differing].name, form.value(values, differing));
        let meanings = [meaning(values), meaning(&reading.values)];
        Some(Mistake::AnotherMeaning { line, form: form.id.clone(), meanings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A modifier that the file itself gives away: the variants that have it are lines of no instruction.
    #[test]
    fn variants_that_are_read_as_no_instruction_are_mistakes() {
        let isa = include_str!("../../../tests/specs/small/isa.yaml");
        let fetch =
            include_str!("../../../tests/specs/small/fetch.yaml").replace("forms:\n", "elsewhere: [.near]\nforms:\n");
        let spec = Spec::from_texts(("isa.yaml", isa), &[("fetch.yaml".to_owned(), fetch)]);
        let spec = spec.unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
        let [Mistake::Unreadable(line, _), ..] = &misread(&spec, &spec.instructions[0])[..] else {
            panic!("no mistake")
        };
        assert!(line.contains(".near"), "{line}");
    }
}
