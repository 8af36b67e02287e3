//! From the rules of a file to the combinations that each form forbids.

use rustc_hash::FxHashSet;

use super::check::used_list;
use super::conditions::RuleConditions;
use super::raw::{RawCube, RawNeeds, RawRule, Targets};
use super::relations;
use super::sources::Sources;
use crate::environment::{Target, Version};
use crate::must::Must;
use crate::spec::words::NONE;
use crate::spec::{Choice, Cube, Form, Rule, RuleKind};
use crate::yaml::{Error, OneOrMany};

/// The most combinations that the rules of a form may forbid: a diagram is built of states with a bit for each.
pub(super) const MOST_CUBES: usize = 1024;

/// Compiles the rules of the YAML into every form they apply to.
pub(super) fn add(sources: &Sources<'_>, forms: &mut [Form]) -> Result<(), Vec<Error>> {
    let raw = sources.raw;
    let mut errors = Vec::new();
    let shared: Vec<RawRule> = raw.uses.iter().flat_map(|list| shared(sources, &list.value)).collect();
    let shared = shared.iter().map(|rule| (rule, sources.isa_file));
    let own = raw.rules.iter().map(|rule| (rule, sources.file));
    let mut used = FxHashSet::default();
    for (rule, file) in shared.chain(own) {
        let rows = match rows_of_needs(rule) {
            Ok(rows) => rows,
            Err(why) => {
                errors.push(file.at(&rule.id, why));
                continue;
            }
        };
        match compile_rows(&RuleConditions { sources, file, forms }, &rows, &mut used) {
            Ok(compiled) => {
                for (form, rules) in forms.iter_mut().zip(compiled) {
                    form.rules.extend(rules);
                }
            }
            Err(more) => errors.extend(more),
        }
    }
    used.extend(raw.sets_of_tables.iter().cloned());
    let unused = raw.sets.0.iter().filter(|(name, _)| !used.contains(&name.value));
    errors.extend(unused.map(|(name, _)| sources.file.at(name, format!("no rule uses the set `${}`", name.value))));
    for form in forms.iter() {
        let mut seen = FxHashSet::default();
        for rule in form.rules.iter().filter(|rule| !seen.insert(&rule.id)) {
            let message = format!("there are two rules `{}` in `{}`", rule.id, form.id);
            let help = "slots and operands imply rules of their own: choose another id";
            errors.push(sources.file.at(&raw.instruction, message).help(help));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The rules of a list that instructions share; for `list(b)`, with the axes of `operand` those of `b`.
fn shared(sources: &Sources<'_>, list: &str) -> Vec<RawRule> {
    let (list, operand) = used_list(list);
    let found = sources.raw_isa.rules.0.iter().find(|(name, _)| name.value == list);
    let mut rules = found.must("that the used lists exist is checked before").1.clone();
    let Some(operand) = operand else { return rules };
    for rule in &mut rules {
        rule.id.value = format!("{operand}-{}", rule.id.value);
        let listed = [&mut rule.never, &mut rule.require, &mut rule.undefined].into_iter().flatten();
        let cubes = listed.flat_map(|listed| &mut listed.0).chain([&mut rule.when]);
        let axes =
            cubes.flat_map(|cube| &mut cube.0).map(|(axis, _)| axis).chain(&mut rule.same).chain(&mut rule.table);
        for axis in axes {
            if let Some(choice) = axis.value.strip_prefix("operand.") {
                axis.value = format!("{operand}.{choice}");
            }
        }
    }
    rules
}

/// A rule, or the rules that the rows of a table of needs stand for: one for each version and each target.
fn rows_of_needs(rule: &RawRule) -> Result<Vec<RawRule>, String> {
    let Some(table) = rule.needs.as_ref().filter(|needs| !needs.by.is_empty() || !needs.rows.is_empty()) else {
        return Ok(vec![rule.clone()]);
    };
    let mut rules = Vec::new();
    for row in &table.rows {
        let (cells, needed) = row.split_at_checked(table.by.len()).unwrap_or((&[], &[]));
        let [ptx, target] = needed else {
            return Err(format!("a row must have {} cells, then the PTX version and the target", table.by.len()));
        };
        let mut row = rule.clone();
        row.of_table = true;
        let given = table.by.iter().zip(cells).filter(|(_, cell)| !cell.0.iter().any(|value| value == "any"));
        row.when.0.extend(given.map(|(axis, cell)| (axis.clone(), cell.clone())));
        let present = |cell: &OneOrMany<String>| cell.0.iter().all(|value| value != NONE);
        if present(ptx) {
            let version = ptx
                .0
                .first()
                .and_then(|version| version.parse().ok())
                .ok_or("a PTX version is written as in \"8.6\"")?;
            let mut rule = row.clone();
            rule.id.value = format!("{}-ptx-{version}", rule.id.value);
            rule.needs = Some(RawNeeds { ptx: Some(version), ..RawNeeds::default() });
            rules.push(rule);
        }
        if present(target) {
            let name = target.0.iter().map(|target| target.trim_start_matches('$')).collect::<Vec<_>>().join("-");
            row.id.value = format!("{}-{name}", row.id.value);
            row.needs = Some(RawNeeds { target: Targets(target.0.clone()), ..RawNeeds::default() });
            rules.push(row);
        }
    }
    Ok(rules)
}

/// Rules as those of each form; those with the same id are one.
fn compile_rows(
    conditions: &RuleConditions<'_>,
    rows: &[RawRule],
    used: &mut FxHashSet<String>,
) -> Result<Vec<Vec<Rule>>, Vec<Error>> {
    let mut all: Vec<Vec<Rule>> = vec![Vec::new(); conditions.forms.len()];
    for row in rows {
        for (form, rules) in all.iter_mut().zip(compile(conditions, row, used)?) {
            for rule in rules {
                match form.iter_mut().find(|known| known.id == rule.id) {
                    Some(known) => known.forbids.extend(rule.forbids),
                    None => form.push(rule),
                }
            }
        }
    }
    Ok(all)
}

/// A rule as those of each form.
fn compile(
    conditions: &RuleConditions<'_>,
    rule: &RawRule,
    used: &mut FxHashSet<String>,
) -> Result<Vec<Vec<Rule>>, Vec<Error>> {
    let errors = check(conditions, rule, used);
    if !errors.is_empty() {
        return Err(errors);
    }
    let ids = conditions.sources.raw.forms.iter().map(|form| &form.id.value);
    let applies = |id: &String| rule.forms.as_ref().is_none_or(|forms| forms.iter().any(|form| form.value == *id));
    let compiled: Vec<Vec<Rule>> = ids
        .zip(conditions.forms)
        .map(|(id, form)| if applies(id) { in_form(conditions, rule, form) } else { Vec::new() })
        .collect();
    // A shared list may have rules about axes that this instruction lacks.
    if compiled.iter().all(Vec::is_empty) && !conditions.is_shared() {
        let message = format!("the rule `{}` can never be broken", rule.id.value);
        let help = "its combinations do not occur in any form, or it requires something that always holds";
        return Err(vec![conditions.file.at(&rule.id, message).help(help)]);
    }
    Ok(compiled)
}

/// The mistakes in a rule: in its kind, and in what it refers to.
fn check(conditions: &RuleConditions<'_>, rule: &RawRule, used: &mut FxHashSet<String>) -> Vec<Error> {
    let mut errors = Vec::new();
    let ways = [
        rule.never.is_some(),
        rule.require.is_some(),
        rule.undefined.is_some(),
        rule.needs.is_some(),
        !rule.same.is_empty(),
        !rule.table.is_empty(),
    ];
    if ways.iter().filter(|&&way| way).count() != 1 {
        let message = "a rule must have exactly one of `never`, `require`, `same`, `table`, `undefined` and `needs`";
        errors.push(conditions.file.at(&rule.id, message));
    }
    errors.extend(conditions.check_forms(rule.forms.as_deref()));
    let listed = [&rule.never, &rule.require, &rule.undefined].into_iter().flatten().flat_map(|listed| &listed.0);
    for cube in [&rule.when].into_iter().chain(listed) {
        errors.extend(conditions.check(cube, used));
    }
    errors.extend(relations::check(conditions, rule, used));
    let Sources { isa, isa_file, .. } = conditions.sources;
    if let Some(needs) = &rule.needs {
        used.extend(needs.target.0.iter().filter_map(|target| Some(target.strip_prefix('$')?.to_owned())));
        let versions = needs.ptx.iter().filter(|version| !isa.versions.contains(version)).map(Version::to_string);
        let missing = |what: String| conditions.file.at(&rule.id, format!("`{what}` is not in {}", isa_file.name));
        errors.extend(versions.map(missing));
        match needs.target.resolve(&[&conditions.sources.raw.sets, &conditions.sources.raw_isa.sets]) {
            Err(why) => errors.push(conditions.file.at(&rule.id, why)),
            Ok(targets) => {
                let is_unknown = |target: &&Target| !isa.targets.iter().any(|(known, _)| known == *target);
                errors.extend(targets.iter().filter(is_unknown).map(|target| missing(target.to_string())));
            }
        }
    }
    errors
}

/// A rule as the rules of one form: two if it needs both a PTX version and a target.
fn in_form(conditions: &RuleConditions<'_>, rule: &RawRule, form: &Form) -> Vec<Rule> {
    let Some(when) = form.combination(&conditions.entries(&rule.when)) else { return Vec::new() };
    let make = |suffix: &str, kind: RuleKind, forbids: Vec<Cube>| {
        let forbids: Vec<Cube> = forbids.into_iter().filter(|cube| !cube.is_empty()).collect();
        (!forbids.is_empty()).then(|| Rule {
            id: format!(
                "{}/{}{}",
                conditions.sources.raw.instruction.value,
                rule.id.value,
                if rule.of_table { "" } else { suffix }
            ),
            kind,
            source: rule.source,
            section: rule.section.clone(),
            says: rule.says.clone(),
            forbids,
        })
    };
    let join = |cube: &Cube| Cube::new(when.sets().iter().chain(cube.sets()).copied());
    let never = rule.never.as_ref().map(|never| (RuleKind::Constraint, never));
    let undefined = rule.undefined.as_ref().map(|undefined| (RuleKind::Undefined, undefined));
    if let Some((kind, listed)) = never.or(undefined) {
        let cubes = listed.0.iter().filter_map(|listed| form.combination(&conditions.entries(listed)));
        return make("", kind, cubes.map(|cube| join(&cube)).collect()).into_iter().collect();
    }
    if let Some(require) = &rule.require {
        let forbidden = outside(conditions, &when, &require.0, form);
        return make("", RuleKind::Constraint, forbidden).into_iter().collect();
    }
    if !rule.same.is_empty() || !rule.table.is_empty() {
        let cubes = match rule.table.is_empty() {
            true => relations::differing(rule, form),
            false => relations::unlisted(conditions, rule, form),
        };
        return make("", RuleKind::Constraint, cubes.iter().map(join).collect()).into_iter().collect();
    }
    let Some(needs) = &rule.needs else { return Vec::new() };
    let targets = needs.target.resolve(&[&conditions.sources.raw.sets, &conditions.sources.raw_isa.sets]);
    let targets = targets.must("only rules that were checked are compiled");
    let (too_old, unmet) = (too_old(needs, &when, form), unmet(&targets, &when, form));
    let ptx = too_old.and_then(|(kind, cube)| make("-ptx", kind, vec![cube]));
    let target = unmet.and_then(|(kind, cube)| make("-target", kind, vec![cube]));
    ptx.into_iter().chain(target).collect()
}

/// The PTX versions before the one that is needed.
fn too_old(needs: &RawNeeds, when: &Cube, form: &Form) -> Option<(RuleKind, Cube)> {
    let (since, ptx) = (needs.ptx?, form.axis_of(Choice::Ptx)?);
    let before = form.axes[ptx].select(|value| value.parse().is_ok_and(|version: Version| version < since));
    Some((RuleKind::NeedsPtx(since), when.clone().with(ptx, before)))
}

/// The targets that meet none of those that are needed.
fn unmet(needed: &[Target], when: &Cube, form: &Form) -> Option<(RuleKind, Cube)> {
    let target = form.axis_of(Choice::Target)?;
    let meets = |given: Target| needed.iter().any(|needed| needed.met_by(given));
    let unmet = form.axes[target].select(|value| value.parse().is_ok_and(|given| !meets(given)));
    (!needed.is_empty()).then(|| (RuleKind::NeedsTarget(needed.to_vec()), when.clone().with(target, unmet)))
}

/// The part of `when` outside all required combinations.
fn outside(conditions: &RuleConditions<'_>, when: &Cube, required: &[RawCube], form: &Form) -> Vec<Cube> {
    let mut cubes = vec![when.clone()];
    for required in required {
        let mut next = Vec::new();
        for entry in &conditions.entries(required) {
            match form.axis(&entry.axis) {
                // An axis that the form lacks is `none`: the requirement holds or fails for all.
                None if entry.holds(NONE) => {}
                None => next.extend(cubes.iter().cloned()),
                Some(axis) => {
                    let of = &form.axes[axis];
                    let outside = entry.select(of).complement(of.values.len()).and(&of.claimed);
                    next.extend(cubes.iter().map(|cube| cube.clone().with(axis, outside)));
                }
            }
        }
        cubes = next.into_iter().filter(|cube| !cube.is_empty()).collect();
        if cubes.len() > MOST_CUBES {
            // This is already more than a form can hold, which is reported where all are counted.
            break;
        }
    }
    cubes
}
