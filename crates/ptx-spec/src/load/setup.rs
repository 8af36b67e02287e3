//! Compiles what the lines of each form may write, and what is never executed.

use super::conditions::RuleConditions;
use super::sources::Sources;
use crate::role::RoleName;
use crate::spec::{Entry, Form, SetupRule};
use crate::yaml::Error;

/// Adds both to every form.
pub(super) fn add(sources: &Sources<'_>, forms: &mut [Form]) -> Result<(), Vec<Error>> {
    let raw = sources.raw;
    let mut errors = Vec::new();
    for operand in &raw.writes {
        let of = raw.operands.0.iter().find(|(name, _)| name.value == operand.value).map(|(_, of)| of.role);
        if !of.is_some_and(|role| matches!(role, RoleName::Object | RoleName::Address)) {
            let message = format!("`{}` is not an operand with the role `object` or `address`", operand.value);
            errors.push(sources.file.at(operand, message));
        }
    }
    let mut compiled: Vec<Vec<SetupRule>> = vec![Vec::new(); forms.len()];
    for rule in &raw.setup {
        let conditions = RuleConditions { sources, file: sources.file, forms };
        let mut wrong = conditions.check_forms(rule.forms.as_deref());
        wrong.extend(rule.never.0.iter().flat_map(|cube| conditions.check_setup(cube)));
        if !wrong.is_empty() {
            errors.extend(wrong);
            continue;
        }
        let never: Vec<Vec<Entry>> = rule.never.0.iter().map(|cube| conditions.entries(cube)).collect();
        for (id, rules) in raw.forms.iter().map(|form| &form.id.value).zip(&mut compiled) {
            if rule.forms.as_ref().is_none_or(|forms| forms.iter().any(|form| form.value == *id)) {
                rules.push(SetupRule { never: never.clone(), because: rule.because.clone() });
            }
        }
    }
    for (form, rules) in forms.iter_mut().zip(compiled) {
        let written = |name: &str| raw.writes.iter().any(|operand| operand.value == name);
        form.writes = (0..form.operands.len()).filter(|&at| written(&form.operands[at].name)).collect();
        form.setup = rules;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
