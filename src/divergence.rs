//! Divergences: where an engine is known not to do what the specification says, and why.
//!
//! They stand in `specs/divergences/*.yaml`; `docs/divergences.md` explains the format.

use std::cell::LazyCell;
use std::path::Path;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Depth, EngineId, Outcome};
use crate::environment::Version;
use crate::judge::Reading;
use crate::shipped;
use crate::spec::condition::{Entry, resolve};
use crate::spec::raw::{At, Combinations, OneOrMany, Ordered};
use crate::spec::{Choice, Cube, Error, Form, Instruction, Spec, nearest, parse};
use crate::state;

/// What an engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Does {
    /// It accepts.
    Accepts,
    /// It rejects.
    Rejects,
    /// It dies, or gives up with an internal error.
    Crashes,
    /// It executes a line otherwise than it must: `when` may name the axes of the state as well.
    Computes,
}

impl Does {
    /// What an outcome amounts to; `None` where the engine did not judge.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Accepted => Some(Self::Accepts),
            // An assembler that gives up on itself has not judged the line.
            Outcome::Rejected(text) if text.contains("Internal compiler error") => Some(Self::Crashes),
            Outcome::Rejected(_) => Some(Self::Rejects),
            Outcome::Crashed(_) | Outcome::TimedOut => Some(Self::Crashes),
            Outcome::Skipped(_) => None,
        }
    }

    /// Its word in the files: `accepts`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepts => "accepts",
            Self::Rejects => "rejects",
            Self::Crashes => "crashes",
            Self::Computes => "computes",
        }
    }
}

/// A file below `specs/divergences/`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawFile {
    /// The family of engines it is about.
    engine: String,
    /// The newest PTX version that each version of the engine takes.
    #[serde(default)]
    newest: Ordered<Version>,
    /// The divergences.
    divergences: Vec<RawDivergence>,
}

/// One known divergence.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawDivergence {
    /// Its name, unique in the specification.
    id: At<String>,
    /// The instructions it is about; all by default.
    #[serde(default)]
    instructions: Vec<At<String>>,
    /// The forms it is about; all by default.
    #[serde(default)]
    forms: Vec<At<String>>,
    /// The first version of the engine that does it, such as `12.1`.
    from: Option<At<String>>,
    /// The last version of the engine that does it.
    to: Option<At<String>>,
    /// What the engine does.
    does: Does,
    /// The rules that it does not enforce, where it accepts or crashes on what is invalid.
    #[serde(default)]
    rules: Vec<At<String>>,
    /// When it does so: a combination, or one of several. Always by default.
    #[serde(default)]
    when: Option<Combinations>,
    /// Whether the engine does so with some of these lines only, for reasons the axes do not show.
    #[serde(default)]
    sometimes: bool,
    /// Whether it takes code generation to see it.
    #[serde(default)]
    depth: RawDepth,
    /// Why that is, in our own words.
    because: String,
    /// The heading of the manual's page that it is about.
    section: Option<String>,
    /// Where more is said of it, such as a bug report.
    link: Option<String>,
    /// The last day on which it is believed, such as `2027-06-30`: after that, a run asks for it to
    /// be looked at again.
    expires: Option<At<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RawDepth {
    #[default]
    Check,
    Generate,
}

/// A version of an engine: `ptxas@13.5` or `ptxas@13.5.37`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EngineVersion {
    /// The family: `ptxas`.
    pub family: String,
    parts: Vec<u32>,
}

impl EngineVersion {
    /// Reads `family@version`.
    ///
    /// # Errors
    /// What is not of that form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let error = || format!("`{text}` is not an engine with its version: write `ptxas@13.5` or `ptxas@13.5.37`");
        let (family, version) = text.split_once('@').ok_or_else(error)?;
        let parts = parts(version).ok_or_else(error)?;
        if family.is_empty() { Err(error()) } else { Ok(Self { family: family.to_owned(), parts }) }
    }

    /// That of an engine.
    pub fn of(id: &EngineId) -> Option<Self> {
        Some(Self { family: id.family().to_owned(), parts: parts(id.version())? })
    }

    /// The first two parts of the version: `13.5`.
    pub fn short(&self) -> String {
        self.parts.iter().take(2).map(u32::to_string).collect::<Vec<_>>().join(".")
    }

    /// Whether it lies between two versions, as far as all are given.
    fn within(&self, from: Option<&Vec<u32>>, to: Option<&Vec<u32>>) -> bool {
        let common = |bound: &Vec<u32>| bound.len().min(self.parts.len());
        from.is_none_or(|from| self.parts[..common(from)] >= from[..common(from)])
            && to.is_none_or(|to| self.parts[..common(to)] <= to[..common(to)])
    }
}

/// A day of the calendar: `2027-06-30`. Days compare as their texts do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(String);

impl std::str::FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('-').collect();
        let number = |part: &str, length: usize| part.parse::<u32>().ok().filter(|_| part.len() == length);
        let day = match parts.as_slice() {
            [year, month, day] => number(year, 4).zip(number(month, 2)).zip(number(day, 2)),
            _ => None,
        };
        let valid = day.is_some_and(|((_, month), day)| (1..=12).contains(&month) && (1..=31).contains(&day));
        if valid { Ok(Self(text.to_owned())) } else { Err(format!("`{text}` is no day: write 2027-06-30")) }
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Date {
    /// The day of a time, in UTC.
    pub fn of(time: std::time::SystemTime) -> Self {
        let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        // Days since 1 March of the year 0, in eras of 400 years: leap days come last in a year.
        let days = since.as_secs() / 86_400 + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
        Self(format!("{:04}-{month:02}-{day:02}", year + era * 400))
    }
}

fn parts(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

/// A known divergence.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Its name.
    pub id: String,
    /// The family of engines.
    pub engine: String,
    /// What the engine does.
    pub does: Does,
    /// The rules that are not enforced, as the ids of the specification have them behind the `/`.
    pub rules: Vec<String>,
    /// Whether it does so with some of these lines only.
    pub sometimes: bool,
    /// How deep the engine must be taken.
    pub depth: Depth,
    /// Why.
    pub because: String,
    /// The heading of the manual's page.
    pub section: Option<String>,
    /// Where more is said of it.
    pub link: Option<String>,
    /// The last day on which it is believed.
    pub expires: Option<Date>,
    from: Option<Vec<u32>>,
    to: Option<Vec<u32>>,
    /// The forms it is about, by id, with the cube in each.
    cubes: Vec<(String, Cube)>,
}

impl Divergence {
    /// The forms it is about, by id, and the combinations in each.
    pub fn cubes(&self) -> &[(String, Cube)] {
        &self.cubes
    }

    /// Whether it is about such a line as a whole: a valid one where it names no rules, otherwise
    /// one all of whose broken rules it names.
    fn concerns(&self, instruction: &Instruction, reading: &Reading) -> bool {
        self.rules.is_empty() == reading.valid() && reading.rules(instruction).all(|rule| self.names(&rule.id))
    }

    /// Whether it is about this version of an engine.
    pub fn applies(&self, engine: &EngineVersion) -> bool {
        self.engine == engine.family && engine.within(self.from.as_ref(), self.to.as_ref())
    }

    /// Whether a rule is among those that are not enforced.
    pub fn names(&self, rule: &str) -> bool {
        let short = rule.rsplit('/').next().unwrap_or(rule);
        self.rules.iter().any(|known| known == short || known == rule)
    }
}

/// What an engine is expected to do with a line, its known divergences applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected<'a> {
    /// What it does.
    pub outcome: Does,
    /// The divergence that decides so, where one does.
    pub divergence: Option<&'a str>,
}

/// What an engine did with a line, beside what was claimed and what is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared<'a> {
    /// What the specification claims.
    pub claimed: Does,
    /// What the engine did.
    pub did: Does,
    /// The divergence that decides what was expected, where one does.
    pub divergence: Option<&'a str>,
    /// Whether the engine did what was expected.
    pub as_expected: bool,
}

/// All known divergences.
#[derive(Clone, Debug, Default)]
pub struct Divergences {
    /// In the order of the files.
    pub all: Vec<Divergence>,
    /// The newest PTX version that a version of a family takes.
    newest: Vec<(String, Vec<u32>, Version)>,
    /// By form, the positions of those about it, with their cubes there.
    by_form: FxHashMap<String, Vec<(usize, Vec<Cube>)>>,
    /// The same of those about what is executed, with their cubes in the executed form.
    executed: FxHashMap<String, Vec<(usize, Vec<Cube>)>>,
}

impl Divergences {
    /// Those of a directory of specifications, or those that this build carries.
    ///
    /// # Errors
    /// All that is wrong with the files, each with file, line and column.
    pub fn load(specs: Option<&Path>, spec: &Spec) -> Result<Self, Vec<Error>> {
        let Some(specs) = specs else { return Self::from_texts(&shipped::folder("divergences"), spec) };
        let folder = specs.join("divergences");
        let mut texts = Vec::new();
        // A specification need not come with divergences.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                let text = std::fs::read_to_string(&path).map_err(|why| {
                    let place = crate::spec::raw::Place::default();
                    vec![Error::new(&path.display().to_string(), "", place, format!("cannot be read: {why}"))]
                })?;
                texts.push((path.display().to_string(), text));
            }
        }
        texts.sort();
        Self::from_texts(&texts, spec)
    }

    /// Reads and checks divergences from texts, each with the file name that errors shall show.
    ///
    /// # Errors
    /// As [`Divergences::load`].
    pub fn from_texts(texts: &[(String, String)], spec: &Spec) -> Result<Self, Vec<Error>> {
        let (mut all, mut newest, mut errors) = (Vec::<Divergence>::new(), Vec::new(), Vec::new());
        let executed = LazyCell::new(|| {
            let mut executed = spec.clone();
            for instruction in &mut executed.instructions {
                *instruction = state::executed(spec, instruction);
            }
            executed
        });
        for (name, text) in texts {
            match parse::<RawFile>(name, text) {
                Err(error) => errors.push(error),
                Ok(file) => {
                    for (version, ptx) in &file.newest.0 {
                        match parts(&version.value) {
                            Some(parts) => newest.push((file.engine.clone(), parts, *ptx)),
                            None => {
                                let message = format!("`{}` is not a version of an engine", version.value);
                                errors.push(Error::new(name, text, version.place, message));
                            }
                        }
                    }
                    for raw in &file.divergences {
                        let known = all.iter().any(|other| other.id == raw.id.value);
                        let spec = if raw.does == Does::Computes { &*executed } else { spec };
                        match compile(&file.engine, raw, spec, name, text) {
                            _ if known => errors.push(Error::new(
                                name,
                                text,
                                raw.id.place,
                                format!("`{}` stands twice", raw.id.value),
                            )),
                            Ok(divergence) => all.push(divergence),
                            Err(more) => errors.extend(more),
                        }
                    }
                }
            }
        }
        if errors.is_empty() { Ok(Self::new(all, newest)) } else { Err(errors) }
    }

    fn new(all: Vec<Divergence>, newest: Vec<(String, Vec<u32>, Version)>) -> Self {
        let mut by_form: FxHashMap<String, Vec<(usize, Vec<Cube>)>> = FxHashMap::default();
        let mut executed = by_form.clone();
        for (at, divergence) in all.iter().enumerate() {
            let forms = if divergence.does == Does::Computes { &mut executed } else { &mut by_form };
            for (form, cube) in &divergence.cubes {
                let of_form = forms.entry(form.clone()).or_default();
                match of_form.last_mut() {
                    Some((last, cubes)) if *last == at => cubes.push(cube.clone()),
                    _ => of_form.push((at, vec![cube.clone()])),
                }
            }
        }
        Self { all, newest, by_form, executed }
    }

    /// The divergences of an engine that list a row of an executed form as coming out otherwise.
    pub fn computes<'d>(
        &'d self,
        engine: Option<&EngineVersion>,
        form: &str,
        values: &[u8],
    ) -> impl Iterator<Item = &'d Divergence> {
        let of_form = engine.and_then(|_| self.executed.get(form)).map_or(&[][..], Vec::as_slice);
        of_form.iter().filter_map(move |(at, cubes)| {
            let divergence = &self.all[*at];
            let applies = engine.is_some_and(|engine| divergence.applies(engine));
            (applies && cubes.iter().any(|cube| cube.contains(values))).then_some(divergence)
        })
    }

    /// What an engine is expected to do with a line that was read so.
    pub fn expect(&self, engine: &EngineVersion, instruction: &Instruction, reading: &Reading) -> Expected<'_> {
        self.expect_at(engine, instruction, reading, Depth::Check)
    }

    /// The divergences of an engine that have this line in their cubes.
    fn applying<'d, 'r>(
        &'d self,
        engine: &'r EngineVersion,
        instruction: &'r Instruction,
        reading: &'r Reading,
        depth: Depth,
    ) -> impl Iterator<Item = &'d Divergence> + use<'d, 'r> {
        let of_form = self.by_form.get(&instruction.forms[reading.form].id).map_or(&[][..], Vec::as_slice);
        of_form.iter().filter_map(move |(at, cubes)| {
            let divergence = &self.all[*at];
            let applies = divergence.depth <= depth
                && divergence.applies(engine)
                && cubes.iter().any(|cube| cube.contains(&reading.values));
            applies.then_some(divergence)
        })
    }

    /// Whether a line is in a PTX version newer than any that the engine takes.
    fn too_new(&self, engine: &EngineVersion, form: &Form, values: &[u8]) -> bool {
        let of_engine = |(family, parts, _): &&(String, Vec<u32>, Version)| {
            *family == engine.family && engine.parts.starts_with(parts)
        };
        let newest = self.newest.iter().find(of_engine).map(|(.., ptx)| *ptx);
        let ptx = form.axis_of(Choice::Ptx).and_then(|axis| form.value(values, axis).parse::<Version>().ok());
        newest.zip(ptx).is_some_and(|(newest, ptx)| ptx > newest)
    }

    /// Compares what an engine did with what the specification claims and the divergences list.
    pub fn compare(
        &self,
        engine: Option<&EngineVersion>,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
        did: Does,
    ) -> Compared<'_> {
        let claimed = if reading.valid() { Does::Accepts } else { Does::Rejects };
        let Some(engine) = engine else {
            return Compared { claimed, did, divergence: None, as_expected: claimed == did };
        };
        let expected = self.expect_at(engine, instruction, reading, depth);
        let as_expected = expected.outcome == did;
        let sometimes = || self.sometimes(engine, instruction, reading, depth, did);
        // A listed fault in what is also listed as refused where it is valid: either may decide.
        let lenient = || {
            let met = self.met_by_rules(engine, instruction, reading, depth);
            let accepted = did == Does::Accepts && !reading.valid() && met.len() == reading.broken.len();
            met.first().copied().filter(|_| accepted)
        };
        match if as_expected { None } else { sometimes().or_else(lenient) } {
            Some(id) => Compared { claimed, did, divergence: Some(id), as_expected: true },
            None => Compared { claimed, did, divergence: expected.divergence, as_expected },
        }
    }

    /// All divergences that what is expected of a line rests on: one for each rule that is not
    /// enforced.
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

    /// For each rule that is broken and known not to be enforced there, the divergence that says so.
    fn met_by_rules<'d>(
        &'d self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
    ) -> Vec<&'d str> {
        let lenient = |rule: &str| {
            let mut applying = self.applying(engine, instruction, reading, depth);
            applying.find(|d| !d.sometimes && d.does == Does::Accepts && d.names(rule)).map(|d| d.id.as_str())
        };
        reading.rules(instruction).filter_map(|rule| lenient(&rule.id)).collect()
    }

    /// The divergence by which an engine sometimes does this with such a line.
    pub fn sometimes(
        &self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
        did: Does,
    ) -> Option<&str> {
        let mut applying = self.applying(engine, instruction, reading, depth);
        let found = applying.find(|d| d.sometimes && d.does == did && d.concerns(instruction, reading))?;
        Some(&found.id)
    }

    /// As [`Divergences::expect`], of an engine that is taken so deep.
    ///
    /// A line with broken rules is expected to be accepted where each of them is known not to be
    /// enforced there.
    pub fn expect_at(
        &self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
    ) -> Expected<'_> {
        if self.too_new(engine, &instruction.forms[reading.form], &reading.values) {
            return Expected { outcome: Does::Rejects, divergence: None };
        }
        let broken = || reading.rules(instruction);
        let of = |does: Does| {
            let always = self.applying(engine, instruction, reading, depth).filter(|divergence| !divergence.sometimes);
            always.filter(move |divergence| divergence.does == does)
        };
        let concerned = |divergence: &&Divergence| divergence.concerns(instruction, reading);
        if let Some(crash) = of(Does::Crashes).find(concerned) {
            return Expected { outcome: Does::Crashes, divergence: Some(&crash.id) };
        }
        let mut lenient = None;
        for rule in broken() {
            match of(Does::Accepts).find(|divergence| divergence.names(&rule.id)) {
                Some(divergence) => lenient = lenient.or(Some(divergence.id.as_str())),
                None => return Expected { outcome: Does::Rejects, divergence: None },
            }
        }
        match of(Does::Rejects).find(|divergence| divergence.rules.is_empty()) {
            Some(strict) => Expected { outcome: Does::Rejects, divergence: Some(&strict.id) },
            None => Expected { outcome: Does::Accepts, divergence: lenient },
        }
    }
}

fn compile(engine: &str, raw: &RawDivergence, spec: &Spec, file: &str, text: &str) -> Result<Divergence, Vec<Error>> {
    let mut errors = Vec::new();
    let mut error = |at: &At<String>, message: String, help: Option<String>| {
        let error = Error::new(file, text, at.place, message);
        errors.push(match help {
            Some(help) => error.help(help),
            None => error,
        });
    };
    let named = |list: &[At<String>], name: &str| list.is_empty() || list.iter().any(|known| known.value == name);
    let about: Vec<&Instruction> = spec.instructions.iter().filter(|i| named(&raw.instructions, &i.name)).collect();
    for name in raw.instructions.iter().filter(|name| spec.instruction(&name.value).is_none()) {
        error(name, format!("there is no instruction `{}`", name.value), None);
    }
    let forms: Vec<&Form> = about
        .iter()
        .flat_map(|instruction| &instruction.forms)
        .filter(|form| named(&raw.forms, form.id.split_once('.').map_or("", |(_, id)| id)))
        .collect();
    let rules: Vec<&str> = forms.iter().flat_map(|form| &form.rules).map(|rule| rule.id.as_str()).collect();
    for rule in &raw.rules {
        let known = |id: &&str| *id == rule.value || id.rsplit('/').next() == Some(&rule.value);
        if !rules.iter().any(known) {
            let near = nearest(&rule.value, rules.iter().map(|id| id.rsplit('/').next().unwrap_or(id)));
            error(
                &rule.clone(),
                format!("no rule `{}` in these forms", rule.value),
                near.map(|near| format!("did you mean `{near}`?")),
            );
        }
    }
    let entry = |(axis, values): &(At<String>, OneOrMany<String>)| {
        let negated = values.0.first().is_some_and(|value| value == "not");
        let values = values.0.iter().skip(usize::from(negated)).cloned().collect();
        Entry { axis: axis.value.clone(), negated, values }
    };
    let always = [Ordered::default()];
    let when = raw.when.as_ref().map_or(&always[..], |when| &when.0);
    for (axis, values) in when.iter().flat_map(|cube| &cube.0) {
        let axes: Vec<_> = forms.iter().flat_map(|form| &form.axes).filter(|of| of.name == axis.value).collect();
        let entry = entry(&(axis.clone(), values.clone()));
        let unknown = entry.values.iter().find(|v| *v != "any" && !axes.iter().any(|axis| axis.values.contains(v)));
        if axes.is_empty() {
            error(axis, format!("there is no axis `{}` in these forms", axis.value), None);
        } else if let Some(value) = unknown {
            error(axis, format!("`{value}` is no value of `{}`", axis.value), None);
        }
    }
    let bound = |at: &Option<At<String>>| at.as_ref().and_then(|at| parts(&at.value));
    for at in [&raw.from, &raw.to].into_iter().flatten().filter(|at| parts(&at.value).is_none()) {
        error(at, format!("`{}` is not a version of an engine", at.value), None);
    }
    for at in raw.expires.iter().filter(|at| at.value.parse::<Date>().is_err()) {
        error(at, format!("`{}` is no day", at.value), Some("write it as 2027-06-30".to_owned()));
    }
    if raw.does == Does::Accepts && raw.rules.is_empty() {
        error(&raw.id, "`does: accepts` names the rules that are not enforced".to_owned(), None);
    }
    if matches!(raw.does, Does::Rejects | Does::Computes) && !raw.rules.is_empty() {
        let does = if raw.does == Does::Rejects { "rejects" } else { "computes" };
        error(&raw.id, format!("`does: {does}` is about valid lines, and names no rules"), None);
    }
    let mut cubes: Vec<(String, Cube)> = Vec::new();
    for cube in when {
        let entries: Vec<Entry> = cube.0.iter().map(entry).collect();
        cubes.extend(forms.iter().filter_map(|form| Some((form.id.clone(), resolve(&entries, form)?))));
    }
    if cubes.is_empty() && errors.is_empty() {
        errors.push(Error::new(file, text, raw.id.place, format!("`{}` matches no variant of any form", raw.id.value)));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Divergence {
        id: raw.id.value.clone(),
        engine: engine.to_owned(),
        does: raw.does,
        rules: raw.rules.iter().map(|rule| rule.value.clone()).collect(),
        sometimes: raw.sometimes,
        depth: if raw.depth == RawDepth::Generate { Depth::Generate } else { Depth::Check },
        because: raw.because.clone(),
        section: raw.section.clone(),
        link: raw.link.clone(),
        expires: raw.expires.as_ref().and_then(|at| at.value.parse().ok()),
        from: bound(&raw.from),
        to: bound(&raw.to),
        cubes,
    })
}

/// The JSON Schema of a file of divergences.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(RawFile).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_798_761_599, "2026-12-31"),
        ] {
            assert_eq!(Date::of(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(), day);
        }
        assert!("2027-6-30".parse::<Date>().is_err() && "2027-13-01".parse::<Date>().is_err());
    }
}
