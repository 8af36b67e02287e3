//! The conditions of rules: dangling names, and sets expanded.

use rustc_hash::FxHashSet;

use super::file::File;
use super::raw::RawCube;
use super::sources::Sources;
use crate::must::Must;
use crate::role::setup::SETUP;
use crate::spec::words::NONE;
use crate::spec::{Axis, Entry, Form};
use crate::yaml::{At, Error, OneOrMany, Ordered, nearest};

/// The conditions of one rule, and the forms that they are about.
pub(super) struct RuleConditions<'a> {
    pub(super) sources: &'a Sources<'a>,
    /// The file of the rule.
    pub(super) file: &'a File<'a>,
    pub(super) forms: &'a [Form],
}

impl RuleConditions<'_> {
    /// True if the rule is one that instructions share.
    pub(super) fn is_shared(&self) -> bool {
        self.file.name == self.sources.isa_file.name
    }

    /// Errors for unknown forms in a rule.
    pub(super) fn check_forms(&self, forms: Option<&[At<String>]>) -> Vec<Error> {
        let ids: Vec<&str> = self.sources.raw.forms.iter().map(|form| form.id.value.as_str()).collect();
        let unknown = forms.into_iter().flatten().filter(|form| !ids.contains(&form.value.as_str()));
        unknown
            .map(|form| {
                let error = self.file.at(form, format!("there is no form `{}`", form.value));
                match nearest(&form.value, ids.iter().copied()) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                }
            })
            .collect()
    }

    /// Errors for unknown names in a condition that may also name choices of the setup.
    pub(super) fn check_setup(&self, cube: &RawCube) -> Vec<Error> {
        let mut used = FxHashSet::default();
        let mut errors = Vec::new();
        for (name, values) in &cube.0 {
            let words = SETUP.iter().find(|(known, _)| *known == name.value);
            let Some((_, words)) = words else {
                errors.extend(self.check(&Ordered(vec![(name.clone(), values.clone())]), &mut used));
                continue;
            };
            match self.expand(&name.value, values, &mut used) {
                Err(why) => errors.push(self.file.at(name, why)),
                Ok((_, plain)) => {
                    let unknown = plain.iter().filter(|value| !words.is_empty() && !words.contains(&value.as_str()));
                    for value in unknown.filter(|value| *value != "any") {
                        let error = self.file.at(name, format!("`{value}` is not a value of `{}`", name.value));
                        errors.push(error.help(format!("its values are {}", words.join(" "))));
                    }
                }
            }
        }
        errors
    }

    /// Errors for unknown names in a condition.
    pub(super) fn check(&self, cube: &RawCube, used: &mut FxHashSet<String>) -> Vec<Error> {
        cube.0.iter().flat_map(|(name, values)| self.check_entry(name, values, used)).collect()
    }

    fn check_entry(&self, name: &At<String>, values: &OneOrMany<String>, used: &mut FxHashSet<String>) -> Vec<Error> {
        // A shared list may have rules about axes and values that this instruction lacks.
        let shared = self.is_shared();
        let axes: Vec<&Axis> = self.forms.iter().flat_map(|form| &form.axes).filter(|a| a.name == name.value).collect();
        if axes.is_empty() && !shared {
            return vec![self.no_axis(name)];
        }
        match self.expand(&name.value, values, used) {
            Err(why) => vec![self.file.at(name, why)],
            Ok(_) if shared => Vec::new(),
            Ok((_, plain)) => {
                // In a form without the axis the value is `none`.
                let everywhere = self.forms.iter().all(|form| form.axis(&name.value).is_some());
                let unknown = |value: &&String| {
                    *value != "any"
                        && (everywhere || *value != NONE)
                        && !axes.iter().any(|axis| axis.values.contains(value))
                };
                plain.iter().filter(unknown).map(|value| self.no_value(name, value, &axes)).collect()
            }
        }
    }

    /// The error that no form has an axis.
    fn no_axis(&self, name: &At<String>) -> Error {
        let known = self.forms.iter().flat_map(|form| &form.axes).map(|axis| axis.name.as_str());
        let error = self.file.at(name, format!("there is no axis `{}`", name.value));
        match nearest(&name.value, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    }

    /// The error that none of the axes of this name has a value.
    fn no_value(&self, name: &At<String>, value: &str, axes: &[&Axis]) -> Error {
        let known = axes.iter().flat_map(|axis| &axis.values).map(String::as_str);
        let error = self.file.at(name, format!("`{value}` is not a value of `{}`", name.value));
        if let Some(near) = nearest(value, known.clone()) {
            return error.help(format!("did you mean `{near}`?"));
        }
        let mut listed: Vec<&str> = known.collect();
        listed.dedup();
        error.help(format!("its values are {}", listed.join(" ")))
    }

    /// The values of a condition with its sets expanded, and whether they are excluded.
    fn expand(
        &self,
        axis: &str,
        values: &OneOrMany<String>,
        used: &mut FxHashSet<String>,
    ) -> Result<(bool, Vec<String>), String> {
        let mut values = values.0.as_slice();
        let negated = values.first().is_some_and(|value| value == "not");
        if negated {
            values = &values[1..];
        }
        let mut plain = Vec::new();
        for value in values {
            let Some(set) = value.strip_prefix('$') else {
                match self.sources.isa.range(axis, value) {
                    Some(range) => plain.extend(range),
                    None => plain.push(value.clone()),
                }
                continue;
            };
            let sets = self.sources.raw.sets.0.iter().chain(&self.sources.raw_isa.sets.0);
            let Some((_, members)) = sets.clone().find(|(name, _)| name.value == set) else {
                let known: Vec<&str> = sets.map(|(name, _)| name.value.as_str()).collect();
                return Err(match nearest(set, known.iter().copied()) {
                    Some(near) => format!("there is no set `${set}`; did you mean `${near}`?"),
                    None => format!("there is no set `${set}`; the sets are {}", known.join(", ")),
                });
            };
            used.insert(set.to_owned());
            plain.extend(members.iter().map(|member| member.value.clone()));
        }
        if plain.is_empty() { Err("a condition must list at least one value".to_owned()) } else { Ok((negated, plain)) }
    }

    /// The entries of a condition that [`RuleConditions::check`] found sound.
    pub(super) fn entries(&self, cube: &RawCube) -> Vec<Entry> {
        let entry = |(name, values): &(At<String>, OneOrMany<String>)| {
            let expanded = self.expand(&name.value, values, &mut FxHashSet::default());
            let (negated, values) = expanded.must("only conditions that were checked are compiled");
            Entry { axis: name.value.clone(), negated, values }
        };
        cube.0.iter().map(entry).collect()
    }
}
