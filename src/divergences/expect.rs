//! The expected behavior of an engine, given its known divergences.

use super::{Divergence, Divergences, Does, EngineVersion, ListedCube, NewestPtx};
use crate::engine::Depth;
use crate::environment::Version;
use crate::judge::Reading;
use crate::space::environment;
use crate::spec::{Form, Instruction};

/// The expected behavior of an engine on a line, given its known divergences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedOutcome<'a> {
    /// The behavior.
    pub outcome: Does,
    /// The divergence that decides this, if there is one.
    pub divergence: Option<&'a str>,
}

/// The behavior of an engine on a line, compared with the specification and the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// The behavior that the specification claims.
    pub claimed: Does,
    /// The behavior of the engine.
    pub did: Does,
    /// The divergence that decides what was expected, if there is one.
    pub divergence: Option<&'a str>,
    /// True if the engine did what was expected.
    pub as_expected: bool,
}

/// A divergence whose cubes contain a line.
struct Applying<'d, 'r> {
    divergence: &'d Divergence,
    /// Its combinations in the form of the line.
    cubes: &'d [ListedCube],
    reading: &'r Reading,
}

impl Applying<'_, '_> {
    /// True if it lists a rule, by its position in the form, as not enforced for this line.
    fn lists(&self, rule: usize) -> bool {
        self.cubes.iter().any(|listed| listed.rules.contains(&rule) && listed.cube.contains(&self.reading.values))
    }

    /// True if it applies to the line as a whole: to a valid line if it lists no rules, and otherwise to one that breaks
    /// only listed rules.
    fn concerns(&self) -> bool {
        let broken = &self.reading.broken;
        self.divergence.rules.is_empty() == self.reading.valid() && broken.iter().all(|&rule| self.lists(rule))
    }
}

impl Divergences {
    /// The divergences of an engine that list a row of an executed form as wrong.
    pub fn computes<'d>(
        &'d self,
        engine: Option<&EngineVersion>,
        form: &str,
        values: &[u8],
    ) -> impl Iterator<Item = &'d Divergence> {
        self.listing(self.executed.get(form), engine, |listed| listed.cube.contains(values))
    }

    /// The divergences of an engine that list a line without faults as one that it does not take, by the choices of its form:
    /// such a line is not executed.
    pub fn refuses<'d>(
        &'d self,
        engine: Option<&EngineVersion>,
        form: &str,
        choices: &[u8],
    ) -> impl Iterator<Item = &'d Divergence> {
        let without_faults = |of: &&Divergence| of.rules.is_empty() && matches!(of.does, Does::Rejects | Does::Crashes);
        self.listing(self.judged.get(form), engine, |listed| listed.cube.contains(choices)).filter(without_faults)
    }

    /// The divergences of an engine that list a line as computed wrong, by the choices of its form: with some rows at least.
    pub fn computes_line<'d>(
        &'d self,
        engine: Option<&EngineVersion>,
        form: &str,
        choices: &'d [u8],
    ) -> impl Iterator<Item = &'d Divergence> {
        // The axes of setups follow those of the line.
        self.listing(self.executed.get(form), engine, |listed| {
            let mut sets = listed.cube.sets().iter();
            sets.all(|(axis, set)| choices.get(*axis).is_none_or(|choice| set.contains(*choice)))
        })
    }

    /// The divergences of an engine, among those of a form, of which some cube is one of these.
    fn listing<'d>(
        &'d self,
        of_form: Option<&'d Vec<(usize, Vec<ListedCube>)>>,
        engine: Option<&EngineVersion>,
        is_one: impl Fn(&ListedCube) -> bool,
    ) -> impl Iterator<Item = &'d Divergence> {
        of_form.into_iter().flatten().filter_map(move |(at, cubes)| {
            let divergence = &self.all[*at];
            let applies = engine.is_some_and(|engine| divergence.applies(engine));
            (applies && cubes.iter().any(&is_one)).then_some(divergence)
        })
    }

    /// The probable behavior of an engine on a variant, before its text is judged; `rule` is the one that it is meant
    /// to break. What kills it sometimes counts as well. Decides how it is asked about, never what is expected of it.
    pub(crate) fn foresee(
        &self,
        engine: Option<&EngineVersion>,
        form: &str,
        values: &[u8],
        rule: Option<usize>,
        depth: Depth,
    ) -> ExpectedOutcome<'_> {
        let applying = |does: Does, rule: Option<usize>| {
            let concerns = |divergence: &Divergence| {
                divergence.does == does
                    && (!divergence.sometimes || does == Does::Crashes)
                    && divergence.depth <= depth
                    && engine.is_some_and(|engine| divergence.applies(engine))
                    && rule.is_some() != divergence.rules.is_empty()
            };
            let of_form = self.judged.get(form).map_or(&[][..], Vec::as_slice);
            let mut listed = of_form.iter().filter(|(at, _)| concerns(&self.all[*at]));
            let about = |listed: &ListedCube| {
                rule.is_none_or(|rule| listed.rules.contains(&rule)) && listed.cube.contains(values)
            };
            let found = listed.find(|(_, cubes)| cubes.iter().any(about));
            found.map(|(at, _)| ExpectedOutcome { outcome: does, divergence: Some(&self.all[*at].id) })
        };
        let claimed = if rule.is_none() { Does::Accepts } else { Does::Rejects };
        let other = if rule.is_none() { Does::Rejects } else { Does::Accepts };
        let differs = applying(other, rule);
        let as_valid = || differs.filter(|_| rule.is_some()).and_then(|_| applying(Does::Crashes, None));
        applying(Does::Crashes, rule)
            .or_else(as_valid)
            .or(differs)
            .unwrap_or(ExpectedOutcome { outcome: claimed, divergence: None })
    }

    /// The expected behavior of an engine on a line, given its reading.
    pub fn expect(&self, engine: &EngineVersion, instruction: &Instruction, reading: &Reading) -> ExpectedOutcome<'_> {
        self.expect_at(engine, instruction, reading, Depth::Check)
    }

    /// The divergences of an engine whose cubes contain this line.
    fn applying<'d, 'r>(
        &'d self,
        engine: &'r EngineVersion,
        instruction: &'r Instruction,
        reading: &'r Reading,
        depth: Depth,
    ) -> impl Iterator<Item = Applying<'d, 'r>> + use<'d, 'r> {
        let of_form = self.judged.get(&instruction.forms[reading.form].id).map_or(&[][..], Vec::as_slice);
        of_form.iter().filter_map(move |(at, cubes)| {
            let divergence = &self.all[*at];
            let applies = divergence.depth <= depth
                && divergence.applies(engine)
                && cubes.iter().any(|listed| listed.cube.contains(&reading.values));
            applies.then_some(Applying { divergence, cubes, reading })
        })
    }

    /// The newest PTX version that an engine accepts, if that is known.
    pub fn newest_ptx(&self, engine: &EngineVersion) -> Option<Version> {
        let of_engine = |known: &&NewestPtx| known.family == engine.family && engine.parts.starts_with(&known.version);
        self.newest.iter().find(of_engine).map(|known| known.ptx)
    }

    /// The newest PTX version that the newest version of a family with a divergence accepts, if that is known.
    pub(crate) fn newest_ptx_of(&self, divergence: &Divergence, family: &str) -> Option<Version> {
        let known = self.versions(family).into_iter();
        known.filter(|(version, _)| divergence.has_version(version)).map(|(_, ptx)| ptx).max()
    }

    /// The versions of a family of engines that are known, each with the newest PTX version that it accepts.
    pub fn versions(&self, family: &str) -> Vec<(EngineVersion, Version)> {
        let of_family = self.newest.iter().filter(|known| known.family == family);
        let engine = |known: &NewestPtx| EngineVersion { family: family.to_owned(), parts: known.version.clone() };
        of_family.map(|known| (engine(known), known.ptx)).collect()
    }

    /// The families of engines that have a list, if only an empty one, in alphabetical order.
    pub fn families(&self) -> impl Iterator<Item = &str> {
        self.families.iter().map(String::as_str)
    }

    /// True if the PTX version of a line is newer than any that the engine accepts.
    pub(super) fn too_new(&self, engine: &EngineVersion, form: &Form, values: &[u8]) -> bool {
        self.newest_ptx(engine).is_some_and(|newest| environment(form, values).ptx > newest)
    }

    /// Compares what an engine did with what the specification claims and the divergences list.
    pub fn compare(
        &self,
        engine: Option<&EngineVersion>,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
        did: Does,
    ) -> Comparison<'_> {
        let claimed = if reading.valid() { Does::Accepts } else { Does::Rejects };
        let Some(engine) = engine else {
            return Comparison { claimed, did, divergence: None, as_expected: claimed == did };
        };
        let expected = self.expect_at(engine, instruction, reading, depth);
        let as_expected = expected.outcome == did;
        if !as_expected && did == claimed && reading.undefined(instruction).next().is_some() {
            // Its faults are not enforced, but what it would mean is undefined.
            return Comparison { claimed, did, divergence: None, as_expected: true };
        }
        let sometimes = || self.sometimes(engine, instruction, reading, depth, did);
        // The line has listed faults, and is listed as rejected or crashing for a line without faults: either may decide.
        let lenient = || {
            let met = self.all_met(engine, instruction, reading, depth);
            let either = did == Does::Accepts || expected.outcome == Does::Crashes;
            met.and_then(|met| met.first().copied()).filter(|_| either)
        };
        match if as_expected { None } else { sometimes().or_else(lenient) } {
            Some(id) => Comparison { claimed, did, divergence: Some(id), as_expected: true },
            None => Comparison { claimed, did, divergence: expected.divergence, as_expected },
        }
    }

    /// The divergences that determine the expected outcome: one per broken rule that the engine does
    /// not enforce.
    pub fn met<'d>(
        &'d self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
    ) -> Vec<&'d str> {
        let expected = self.expect_at(engine, instruction, reading, depth);
        if expected.outcome != Does::Accepts || reading.broken.len() < 2 {
            return expected.divergence.into_iter().collect();
        }
        self.met_by_rules(engine, instruction, reading, depth)
    }

    /// The divergences that decided what was expected of a line that was compared so.
    pub fn deciding<'d>(
        &'d self,
        engine: Option<&EngineVersion>,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
        compared: &Comparison<'d>,
    ) -> Vec<&'d str> {
        let of_rules = engine.filter(|_| reading.broken.len() > 1 && compared.divergence.is_some());
        let met = of_rules.map(|engine| self.met(engine, instruction, reading, depth));
        // What an engine does only sometimes decides without the rules one by one.
        met.filter(|met| !met.is_empty()).unwrap_or_else(|| compared.divergence.into_iter().collect())
    }

    /// For each broken rule that is listed as not enforced there, the divergence that lists it.
    fn met_by_rules<'d>(
        &'d self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
    ) -> Vec<&'d str> {
        let lenient = |rule: usize| {
            let mut applying = self.applying(engine, instruction, reading, depth);
            let found =
                applying.find(|of| !of.divergence.sometimes && of.divergence.does == Does::Accepts && of.lists(rule));
            found.map(|of| of.divergence.id.as_str())
        };
        reading.broken.iter().filter_map(|&rule| lenient(rule)).collect()
    }

    /// The divergences that list each of a line's faults as not enforced, if it has any and all of them are listed.
    fn all_met<'d>(
        &'d self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
    ) -> Option<Vec<&'d str>> {
        let met = self.met_by_rules(engine, instruction, reading, depth);
        (!reading.valid() && met.len() == reading.broken.len()).then_some(met)
    }

    /// The divergence that says that an engine sometimes does this with such a line.
    pub fn sometimes(
        &self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
        did: Does,
    ) -> Option<&str> {
        let mut applying = self.applying(engine, instruction, reading, depth);
        // What happens to lines without faults happens to those whose faults are not enforced, too.
        let as_valid = did != Does::Accepts && self.all_met(engine, instruction, reading, depth).is_some();
        let concerns = |of: &Applying<'_, '_>| of.concerns() || (as_valid && of.divergence.rules.is_empty());
        let found = applying.find(|of| of.divergence.sometimes && of.divergence.does == did && concerns(of))?;
        Some(&found.divergence.id)
    }

    /// As [`Divergences::expect`], at a given depth.
    ///
    /// A line with broken rules is treated as a line without faults if each of them is listed as not enforced there.
    pub fn expect_at(
        &self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
    ) -> ExpectedOutcome<'_> {
        if self.too_new(engine, &instruction.forms[reading.form], &reading.values) {
            return ExpectedOutcome { outcome: Does::Rejects, divergence: None };
        }
        let of = |does: Does| {
            let always = self.applying(engine, instruction, reading, depth).filter(|of| !of.divergence.sometimes);
            always.filter(move |of| of.divergence.does == does)
        };
        if let Some(crash) = of(Does::Crashes).find(Applying::concerns) {
            return ExpectedOutcome { outcome: Does::Crashes, divergence: Some(&crash.divergence.id) };
        }
        let mut lenient = None;
        for &rule in &reading.broken {
            match of(Does::Accepts).find(|of| of.lists(rule)) {
                Some(of) => lenient = lenient.or(Some(of.divergence.id.as_str())),
                None => return ExpectedOutcome { outcome: Does::Rejects, divergence: None },
            }
        }
        let without_faults = |does: Does| of(does).map(|of| of.divergence).find(|listed| listed.rules.is_empty());
        match without_faults(Does::Crashes).or_else(|| without_faults(Does::Rejects)) {
            Some(listed) => ExpectedOutcome { outcome: listed.does, divergence: Some(&listed.id) },
            None => ExpectedOutcome { outcome: Does::Accepts, divergence: lenient },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{AddressSize, Environment};
    use crate::judge::Judge;
    use crate::ptx::{Declarations, Line};

    /// An engine that takes `.b16` for two operands takes nothing else for either.
    #[test]
    fn a_combination_excuses_only_the_rules_of_the_operands_that_it_names() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let list = "engine: odd\ndivergences:\n  - id: narrow\n    instructions: [mul24]\n    does: accepts\n    \
            rules: [d-type, a-type]\n    when: [{ d.type: .b16 }, { a.type: .b16 }]\n    because: It is planted.\n";
        let divergences = Divergences::from_texts(&[("odd.yaml".to_owned(), list.to_owned())], &spec)
            .unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
        let odd = EngineVersion::parse("odd@1.0").expect("a version");
        let environment = Environment {
            ptx: "9.0".parse().expect("a version"),
            target: "sm_90".parse().expect("a target"),
            address_size: AddressSize::Bits64,
        };
        let judge = Judge::new(&spec, &environment).expect("a known environment");
        let registers = ".reg .b32 %r<9>; .reg .b16 %h<9>; .reg .f64 %d<9>;";
        let registers = Declarations::parse(registers, &spec.isa).expect("declarations");
        for (line, expected) in [
            ("mul24.lo.u32 %r1, %r2, %r3;", Does::Accepts),
            ("mul24.lo.u32 %h1, %r2, %r3;", Does::Accepts),
            ("mul24.lo.u32 %h1, %h2, %r3;", Does::Accepts),
            ("mul24.lo.u32 %d1, %r2, %r3;", Does::Rejects),
            ("mul24.lo.u32 %h1, %d2, %r3;", Does::Rejects),
            ("mul24.lo.u32 %d1, %h2, %r3;", Does::Rejects),
            ("mul24.lo.u32 %h1, %r2, %h3;", Does::Rejects),
        ] {
            let parsed = Line::parse(line).expect("a line");
            let (instruction, reading) = judge.read(&parsed, &registers).expect("a known opcode");
            assert_eq!(divergences.expect(&odd, instruction, &reading).outcome, expected, "{line}");
        }
    }
}
