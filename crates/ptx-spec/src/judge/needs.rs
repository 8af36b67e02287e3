//! The smallest environments in which the choices of a line can be valid.

use std::fmt;

use super::Reading;
use crate::environment::{Suffix, Target, Version};
use crate::space::EnvironmentValues;
use crate::spec::{Cube, Form, Isa, RuleKind, UNREAD, ValueSet};

/// A PTX version and target in which a line can be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Needs {
    /// The PTX version.
    pub ptx: Version,
    /// The target.
    pub target: Target,
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX {} and {}", self.ptx, self.target)
    }
}

/// The smallest environments in a sentence: `PTX 8.7 and sm_120a, or PTX 8.8 and sm_100f`.
pub fn needs_in_words(needs: &[Needs]) -> String {
    /// More of them are not read.
    const MOST: usize = 4;
    let words: Vec<String> = needs.iter().take(MOST).map(Needs::to_string).collect();
    let others = if needs.len() > MOST { ", or others" } else { "" };
    format!("{}{others}", words.join(", or "))
}

/// The smallest PTX versions and targets in which a reading's choices can be valid, that nearest to its own target first: one that
/// this meets, or else the one with the nearest number. None of them is smaller than another in both. What else is wrong
/// with the line does not count. Empty if it is right nowhere.
pub fn needs(isa: &Isa, form: &Form, reading: &Reading) -> Vec<Needs> {
    let limits = EnvironmentLimits::of(form, reading);
    // The axes of the environment begin with the newest.
    let targets = || (0..=u8::MAX).zip(isa.targets.iter().rev());
    let smallest = |(at, &(target, since)): (u8, &(Target, Version))| {
        let possible = limits.versions(isa, at, target, since);
        let mut newest_first = (0..=u8::MAX).zip(isa.versions.iter().rev()).filter(|(at, _)| possible.contains(*at));
        Some(Needs { ptx: *newest_first.next_back()?.1, target })
    };
    let all: Vec<Needs> = targets().filter_map(smallest).collect();
    let own = reading.values[EnvironmentValues::TARGET];
    let near = targets().find(|(at, _)| *at == own).map_or(Target { sm: 0, suffix: Suffix::Plain }, |(_, of)| of.0);
    let is_smaller = |one: &Needs, other: &Needs| {
        one.target != other.target && one.target.met_by(other.target) && one.ptx <= other.ptx
    };
    let mut found: Vec<Needs> =
        all.iter().copied().filter(|of| !all.iter().any(|other| is_smaller(other, of))).collect();
    found.sort_by_key(|of| (!of.target.met_by(near), of.target.sm.abs_diff(near.sm), of.ptx, of.target));
    found
}

/// Which versions and targets the choices of a line are not valid in.
struct EnvironmentLimits<'f> {
    /// The combinations that hold for the choices of the line, whatever its version and target are.
    forbidden: Vec<&'f Cube>,
    /// The versions and targets that its declarations and special registers need.
    least: Vec<(Option<Version>, Option<Target>)>,
}

impl<'f> EnvironmentLimits<'f> {
    fn of(form: &'f Form, reading: &Reading) -> Self {
        let values = &reading.values;
        let is_judged = |kind: &RuleKind| !matches!(kind, RuleKind::Canonical | RuleKind::Undefined);
        let concerned = |cube: &&Cube| {
            let (own, others): (Vec<_>, Vec<_>) = cube.sets().iter().partition(|(axis, _)| is_of_version(*axis));
            let holds = |(axis, set): &&(usize, ValueSet)| values[*axis] != UNREAD && set.contains(values[*axis]);
            !own.is_empty() && others.iter().all(holds)
        };
        // What holds for every line is not of this one: which versions a target and an address size have.
        let of_line = form.rules.iter().filter(|rule| is_judged(&rule.kind) && !rule.id.starts_with("isa/"));
        let cubes = of_line.flat_map(|rule| &rule.forbids);
        let specials = (reading.specials.ptx, reading.specials.target);
        let least = form.declared_needs(values).chain([specials]).collect();
        Self { forbidden: cubes.filter(concerned).collect(), least }
    }

    /// The versions in which the choices can be valid for a target, by their positions on the axis.
    fn versions(&self, isa: &Isa, at: u8, target: Target, since: Version) -> ValueSet {
        let least = self.least.iter().filter_map(|(ptx, _)| *ptx).max().map_or(since, |ptx| ptx.max(since));
        let is_met = self.least.iter().filter_map(|(_, target)| *target).all(|needed| needed.met_by(target));
        let count = isa.versions.len();
        let mut left = ValueSet::of(count, |version| is_met && isa.versions[count - 1 - version] >= least);
        for cube in &self.forbidden {
            let set_of = |of: usize| cube.sets().iter().find(|(axis, _)| *axis == of).map(|(_, set)| set);
            if set_of(EnvironmentValues::TARGET).is_none_or(|set| set.contains(at)) {
                let versions = set_of(EnvironmentValues::PTX);
                left = versions.map_or_else(ValueSet::default, |versions| left.without(versions));
            }
        }
        left
    }
}

/// True for the axes of the version and the target.
fn is_of_version(axis: usize) -> bool {
    [EnvironmentValues::TARGET, EnvironmentValues::PTX].contains(&axis)
}

#[cfg(test)]
mod tests {
    use crate::environment::{Environment, Target};
    use crate::judge::{Judge, needs, needs_in_words};
    use crate::spec::Spec;
    use crate::text::{Declarations, Line};

    #[test]
    fn the_smallest_environments_exist_and_the_nearest_comes_first() {
        let spec = Spec::load("../../specs".as_ref()).expect("the specification");
        let declarations = ".reg .b8 %b<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<2>; .reg .b64 %rd<9>;";
        let declarations = Declarations::parse(declarations, &spec.isa).expect("declarations");
        for (target, line, needed) in [
            ("sm_120", "add.u32 %r1, %r2, %r3;", "PTX 1.0 and sm_10"),
            ("sm_30", "shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "PTX 4.0 and sm_32, or PTX 3.1 and sm_35"),
            ("sm_90", "shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "PTX 3.1 and sm_35, or PTX 4.0 and sm_32"),
            (
                "sm_120",
                "cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2;",
                "PTX 8.7 and sm_120a, or PTX 8.8 and sm_120f, or ",
            ),
            (
                "sm_100",
                "cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2;",
                "PTX 8.6 and sm_100a, or PTX 8.8 and sm_100f, or ",
            ),
        ] {
            let target: Target = target.parse().expect("a target");
            let ptx = *spec.isa.versions.last().expect("a version");
            let environment = Environment { ptx, target, address_size: crate::environment::AddressSize::Bits64 };
            let judge = Judge::new(&spec, &environment).expect("a known environment");
            let line = Line::parse(line).expect("a line");
            let (instruction, reading) = judge.read(&line, &declarations).expect("a known instruction");
            let found = needs_in_words(&needs(&spec.isa, &instruction.forms[reading.form], &reading));
            assert!(found.starts_with(needed), "{line} for {target}: {found}");
        }
    }
}
