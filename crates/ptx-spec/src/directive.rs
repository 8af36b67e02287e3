//! Directives and declarations: from their text to the choices of a form, and the rules that they break.
//!
//! The forms of directives have [templates](crate::spec::DirectiveTemplate) in place of slots and operands. One reader follows the
//! templates; what patterns cannot say, measures find out.

mod classes;
mod initial;
mod items;
mod matcher;
mod measured;
mod measures;
mod texts;

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::environment::Environment;
use crate::judge::Reading;
use crate::space::{EnvironmentValues, environment_values};
use crate::spec::{DirectivePlace, Form, Instruction, Spec, SpecialNeeds};
use crate::text::{Declaration, Declarations, Module, ProblemKind, Walk};
use matcher::Matcher;

pub use texts::{DirectiveText, texts_of_module, texts_of_step};

/// A directive read as one of a form.
#[derive(Clone, Debug)]
pub struct DirectiveReading<'s> {
    /// The directive.
    pub directive: &'s Instruction,
    /// The form, the choices, and the rules that they break.
    pub reading: Reading,
    /// The bytes of the file.
    pub at: Range<usize>,
}

impl DirectiveReading<'_> {
    /// The form that it is of.
    pub fn form(&self) -> &Form {
        &self.directive.forms[self.reading.form]
    }
}

/// Something of a directive that is not as PTX wants it, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectiveProblem {
    /// The byte of the file.
    pub at: usize,
    /// The mistake, in words.
    pub message: String,
}

/// Reads a generated directive in its module: as its text says, and not as it was meant.
///
/// # Errors
/// If the module cannot be read, has no such directive, or breaks rules elsewhere; says which.
pub fn read_case(
    spec: &Spec,
    environment: &Environment,
    module: &str,
    directive: &Instruction,
    form: usize,
) -> Result<Reading, String> {
    let read = Module::read(module, &spec.isa);
    let judge = DirectiveJudge::new(spec, environment).ok_or("the environment is not known")?;
    let mut own: Option<Reading> = None;
    let mut others: Vec<String> = Vec::new();
    for found in judge.read_module(&read) {
        let found = found.map_err(|problem| format!("{} (byte {} of its module)", problem.message, problem.at))?;
        if found.directive.name != directive.name || found.reading.form != form {
            others.extend(found.reading.rules(found.directive).map(|rule| rule.id.clone()));
        } else if own.as_ref().is_none_or(Reading::valid) {
            own = Some(found.reading);
        }
    }
    let unread = read.problems.iter().find(|problem| matches!(problem.kind, ProblemKind::Syntax(_)));
    // The reader refuses some of what a rule forbids.
    if let Some(problem) = unread.filter(|_| own.as_ref().is_none_or(Reading::valid)) {
        return Err(format!("its module cannot be read at byte {}", problem.at.start));
    }
    let own = own.ok_or("it is not read as one of its form")?;
    match others.first() {
        Some(rule) if own.valid() => Err(format!("what stands around it breaks {rule}")),
        _ => Ok(own),
    }
}

/// Reads directives of one environment.
#[derive(Clone, Debug)]
pub struct DirectiveJudge<'s> {
    spec: &'s Spec,
    environment: EnvironmentValues,
    /// The directive and its form, by the place and the word that such directives begin with; an empty word if the place
    /// alone tells.
    forms: FxHashMap<(DirectivePlace, &'s str), (&'s Instruction, usize)>,
}

impl<'s> DirectiveJudge<'s> {
    /// A judge for one environment; none if the specification does not know it.
    pub fn new(spec: &'s Spec, environment: &Environment) -> Option<Self> {
        let mut forms = FxHashMap::default();
        for directive in &spec.directives {
            for (at, form) in directive.forms.iter().enumerate() {
                let Some(template) = &form.template else { continue };
                let words = template.begins.iter().map(String::as_str);
                let plain = template.begins.is_empty().then_some("");
                for word in words.chain(plain) {
                    forms.insert((template.place, word), (directive, at));
                }
            }
        }
        let any = spec.directives.first()?.forms.first()?;
        Some(Self { spec, environment: environment_values(any, environment)?, forms })
    }

    /// Reads a directive; none if no form is of its place and begins with its word. A declaration of several names has a reading for each.
    ///
    /// # Errors
    /// If it is not written as its form wants it; says what and where.
    pub fn read(
        &self,
        text: &DirectiveText<'_>,
        scope: &Declarations,
    ) -> Option<Result<Vec<DirectiveReading<'s>>, DirectiveProblem>> {
        let (directive, form) = self.form_of(text.place, text.keyword)?;
        let declaration: Option<&Declaration<'_>> = text.declaration.as_ref();
        let matcher = Matcher::new(self.spec, &directive.forms[form], self.environment, text, declaration, scope);
        Some(matcher.read().map(|found| {
            let reading = |values: Vec<u8>| {
                let broken = directive.forms[form].judged_rules(&values);
                let reading = Reading { form, values, broken, specials: SpecialNeeds::default() };
                DirectiveReading { directive, reading, at: text.at.clone() }
            };
            found.into_iter().map(reading).collect()
        }))
    }

    /// Reads every directive of a module, those of its bodies as well.
    pub fn read_module(&self, module: &Module<'_>) -> Vec<Result<DirectiveReading<'s>, DirectiveProblem>> {
        let mut found = Vec::new();
        let mut read = |text: &DirectiveText<'_>, scope: &Declarations| match self.read(text, scope) {
            None => {}
            Some(Err(problem)) => found.push(Err(problem)),
            Some(Ok(readings)) => found.extend(readings.into_iter().map(Ok)),
        };
        for text in texts_of_module(module) {
            read(&text, &module.scope_at(text.at.start));
        }
        for body in &module.bodies {
            let mut walk = Walk::new(module, &self.spec.isa, body);
            while let Some(step) = walk.next_step() {
                for text in texts_of_step(module.text, &step) {
                    read(&text, walk.declarations());
                }
            }
        }
        found
    }

    /// The directive and its form for a place and a word.
    fn form_of(&self, place: DirectivePlace, keyword: &str) -> Option<(&'s Instruction, usize)> {
        self.forms.get(&(place, keyword)).or_else(|| self.forms.get(&(place, ""))).copied()
    }
}
