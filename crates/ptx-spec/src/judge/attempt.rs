//! A line read as a line of one form.

use std::cmp::Reverse;

use super::assign;
use super::operands::{self, Read};
use crate::must::Must;
use crate::space::{EnvironmentValues, Values};
use crate::spec::{Cubes, Form, Isa, RuleKind, SpecialNeeds, TextFault, Writing};
use crate::text::{Context, Declarations, Line};

/// How many further broken rules operands that do not fit the form count for.
const MISMATCHED: usize = 2;

/// A line with all that it is read against, whatever the form is.
pub(super) struct LineInContext<'l> {
    pub(super) isa: &'l Isa,
    pub(super) environment: EnvironmentValues,
    pub(super) line: &'l Line<'l>,
    /// Its modifiers, by their positions among those of the instruction.
    pub(super) modifiers: &'l [Option<usize>],
    /// The order of modifiers that these do not show, because words that belong together are apart.
    pub(super) apart: Option<Writing>,
    pub(super) declarations: &'l Declarations,
}

impl LineInContext<'_> {
    /// True if there is white space or a comment between the opcode and a modifier that is part of it.
    fn has_blank_in_opcode(&self, form: &Form) -> bool {
        let mut end = self.line.opcode.as_bytes().as_ptr_range().end.addr();
        self.line.modifiers.iter().enumerate().any(|(at, modifier)| {
            let apart = modifier.as_ptr().addr() != end;
            end = modifier.as_bytes().as_ptr_range().end.addr();
            apart && self.isa.is_joined(form.opcode(), modifier, at)
        })
    }
}

/// A reading in the making.
#[derive(Default)]
pub(super) struct Attempt {
    pub(super) form: usize,
    pub(super) values: Values,
    pub(super) broken: Vec<usize>,
    /// How many of them are broken in every environment; of several, those that speak of another form count twice.
    pub(super) anywhere: usize,
    /// How well the modifiers fit the form.
    matched: usize,
    /// True if the operands do not fit the form, and are unread.
    mismatched: bool,
    pub(super) specials: SpecialNeeds,
}

impl Attempt {
    /// Reads a line as one of a form, and returns whether the reading is better than the best so far; if
    /// not, the attempt is left unfinished.
    pub(super) fn read(&mut self, line: &LineInContext<'_>, form: &Form, best: Option<&Self>) -> bool {
        self.start(line, form);
        self.mismatched = false;
        let mut assigned = assign::assign(form, line.modifiers, &mut self.values);
        if let Some(apart) = &line.apart {
            assigned.faults.push(TextFault::Order);
            if let (0, Some(writing)) = (self.values[form.writing()], form.writing_of(apart)) {
                self.values[form.writing()] = u8::try_from(writing).must("an axis has at most 255 values");
            }
        }
        self.matched = assigned.matched;
        let faults = || assigned.faults.iter().filter_map(|&fault| form.fault(fault));
        let of_modifiers = form.judged(&self.values);
        if best.is_some() {
            // Rules that the modifiers alone break are broken whatever the operands are.
            self.broken.clear();
            form.rules_of(&form.operandless(&of_modifiers), &mut self.broken);
            self.broken.extend(faults());
            self.sort_broken();
            if !self.is_better(form, best) {
                return false;
            }
        }
        if line.has_blank_in_opcode(form) {
            assigned.faults.push(TextFault::Blank);
        }
        let faults = || assigned.faults.iter().filter_map(|&fault| form.fault(fault));
        let read = operands::read(line.isa, form, line.line, line.declarations, &mut self.values);
        self.mismatched = read.mismatched;
        self.broken.clear();
        self.operands(form, &of_modifiers, &read);
        self.broken.extend(faults());
        self.sort_broken();
        self.is_better(form, best)
    }

    /// Reads operands that do not fit the form as those of a faulty writing: their values are a guess that no rule
    /// depends on.
    pub(super) fn guess_operands(&mut self, line: &LineInContext<'_>, form: &Form) {
        if self.mismatched {
            operands::read_faulty(line.isa, form, line.line, line.declarations, &mut self.values);
        }
    }

    /// Begins with what a form has of the environment, the guard and the context.
    fn start(&mut self, line: &LineInContext<'_>, form: &Form) {
        let values = &mut self.values;
        values.clear();
        values.extend_from_slice(form.blank());
        line.environment.give_to(values);
        if let Some(guard) = form.guard() {
            values[guard] = match line.line.guard {
                None => 0,
                Some((negated, _)) => 1 + u8::from(negated),
            };
        }
        if let Some(context) = form.context() {
            values[context] = u8::from(line.declarations.context == Context::Function);
        }
        if let Some(mode) = form.mode() {
            let options = line.declarations.options.split(',').map(str::trim);
            // Options that the form does not ask about are the first value: none.
            values[mode] = options.filter_map(|option| form.axes[mode].position(option)).next().unwrap_or(0);
        }
    }

    /// Adds the rules that the operands break, beside what the modifiers are inside of.
    fn operands(&mut self, form: &Form, of_modifiers: &Cubes, read: &Read) {
        let Self { values, broken, .. } = self;
        let cubes = match read.mismatched {
            true => form.operandless(of_modifiers),
            false => form.judged_operands(of_modifiers, values),
        };
        form.rules_of(&cubes, broken);
        // Elements of several types: each must suit.
        for (axis, value) in &read.found.more {
            let kept = std::mem::replace(&mut values[*axis], *value);
            form.rules_of(&form.judged_operands(of_modifiers, values), broken);
            values[*axis] = kept;
        }
        self.lanes(form, of_modifiers, &read.found.lanes);
        let Self { values, broken, .. } = self;
        if read.mismatched {
            broken.extend(form.fault(TextFault::Operands));
        }
        if let Some(writing) = read.foreign_suffix {
            if values[form.writing()] == 0 {
                values[form.writing()] = u8::try_from(writing).must("an axis has at most 255 values");
            }
            broken.extend(form.fault(TextFault::Suffix));
        }
        broken.extend(read.found.faults.iter().filter_map(|&fault| form.fault(fault)));
        self.specials = read.found.specials;
    }

    /// Adds the faults of the lanes that break rules which the other lanes of their vector do not break.
    fn lanes(&mut self, form: &Form, of_modifiers: &Cubes, lanes: &[(usize, u8, TextFault)]) {
        let Self { values, broken, .. } = self;
        let mut rules = Vec::new();
        for &(axis, value, fault) in lanes {
            let kept = std::mem::replace(&mut values[axis], value);
            rules.clear();
            form.rules_of(&form.judged_operands(of_modifiers, values), &mut rules);
            values[axis] = kept;
            if rules.iter().any(|rule| !broken.contains(rule)) {
                broken.extend(form.fault(fault));
            }
        }
    }

    /// Sorts the broken rules, and leaves each once.
    fn sort_broken(&mut self) {
        if !self.broken.is_sorted_by(|a, b| a < b) {
            self.broken.sort_unstable();
            self.broken.dedup();
        }
    }

    /// True if the attempt explains the line better than another: see [`Judge::read_as`](super::Judge::read_as).
    fn is_better(&mut self, form: &Form, best: Option<&Self>) -> bool {
        let of_environment =
            |rule: &&usize| matches!(form.rules[**rule].kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
        let of_line: Vec<&str> =
            self.broken.iter().filter(|rule| !of_environment(rule)).map(|&rule| form.rules[rule].id.as_str()).collect();
        self.anywhere = match of_line.as_slice() {
            several @ [_, _, ..] => several.iter().map(|id| 1 + usize::from(is_foreign(id))).sum(),
            few => few.len(),
        };
        // Operands that do not fit say more of another form than two that are of the wrong type.
        if self.mismatched {
            self.anywhere += MISMATCHED;
        }
        let rank = |attempt: &Self| {
            (attempt.anywhere, attempt.broken.len(), Reverse(attempt.matched), attempt.mismatched, attempt.form)
        };
        best.is_none_or(|best| rank(self) < rank(best))
    }
}

/// True if a rule is broken by a modifier that the form does not have, or lacks, or by an operand of another shape: together
/// with others it tells that a line of another form was meant.
fn is_foreign(rule: &str) -> bool {
    ["-required", "/unknown-modifier", "-shape"].iter().any(|end| rule.ends_with(end))
}
