//! Reads `specs/divergences/*.yaml`, and checks it against the specification.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

use super::alike::AlikeEngine;
use super::chain::{KnownChain, ShownChain};
use super::version::{VersionRange, VersionRanges, parts};
use super::{Date, DefectKind, Divergence, Divergences, Does, ListedCube, NewestPtx, names, of_family};
use crate::engine::Depth;
use crate::environment::Version;
use crate::load::raw::Combinations;
use crate::load::{fingerprint, has_wrong_ending, read_text, wrong_ending};
use crate::setup;
use crate::shipped;
use crate::spec::{Entry, Form, Instruction, Spec};
use crate::yaml::{At, Error, FilePosition, OneOrMany, Ordered, nearest, parse};

/// A file below `specs/divergences/`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawFile {
    /// The family of engines.
    engine: String,
    /// The newest PTX version that each version of the engine accepts.
    #[serde(default)]
    newest: Ordered<Version>,
    /// Other families whose divergences the engine has too, at the same versions: it is made of the same program. Where
    /// those name engines, it is the family's own.
    #[serde(default)]
    like: Vec<At<String>>,
    /// The ids of those that it does not have.
    #[serde(default)]
    unlike: Vec<At<String>>,
    /// The divergences.
    divergences: Vec<RawDivergence>,
}

/// One known divergence.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawDivergence {
    /// Its name, unique in the specification.
    id: At<String>,
    /// The instructions it applies to; all by default.
    #[serde(default)]
    instructions: Vec<At<String>>,
    /// The instructions it does not apply to.
    #[serde(default)]
    except: Vec<At<String>>,
    /// The forms it applies to; all by default.
    #[serde(default)]
    forms: Vec<At<String>>,
    /// Which of the file's engines do it, such as `sass-sm_80`; by default the one of the file's name, and all whose
    /// name continues it after a `-`.
    #[serde(default)]
    engines: Vec<At<String>>,
    /// The first version of the engine that does it, such as `12.1`.
    from: Option<At<String>>,
    /// The last version of the engine that does it.
    to: Option<At<String>>,
    /// Instead of `from` and `to`, the ranges of versions that do it if there are holes between them, the oldest first:
    /// `12.4 to 12.8.61`, `12.9`, `from 13.1.115`.
    #[serde(default)]
    versions: Vec<At<String>>,
    /// The engine's behavior.
    does: Does,
    /// The kind of defect, if it is not what `does` says: what executes has no right result where the assembler dies.
    defect: Option<DefectKind>,
    /// For `accepts`, the rules that it does not enforce; for `crashes` on invalid lines, the rules that
    /// they break.
    #[serde(default)]
    rules: Vec<At<String>>,
    /// The condition: a combination, or a list of combinations. Always by default.
    #[serde(default)]
    when: Option<Combinations>,
    /// True if the engine does so only with some of these lines, for reasons that no axis shows.
    #[serde(default)]
    sometimes: bool,
    /// True if several lines of these instructions do it together, and none of them alone.
    #[serde(default)]
    together: bool,
    /// The depth at which it shows: `generate` if code must be generated to see it.
    #[serde(default)]
    depth: RawDepth,
    /// The lines of a chain, one after the other: a pattern of opcode and modifiers for each, such as `@set.*.{s16,u16}`.
    #[serde(default)]
    lines: Vec<At<String>>,
    /// A chain of such lines that shows it.
    shows: Option<ShownChain>,
    /// The reason, in our own words.
    because: String,
    /// The heading on the manual's page.
    section: Option<String>,
    /// A link to more information, such as a bug report.
    link: Option<String>,
    /// The last day on which it applies without being checked again, such as `2027-06-30`.
    expires: Option<At<String>>,
}

impl RawDivergence {
    /// True if it is about rows of single lines, so that `when` may name the axes of setups.
    fn is_of_rows(&self) -> bool {
        self.does == Does::Computes && self.lines.is_empty() && self.shows.is_none()
    }

    /// True if it is about an instruction of this name.
    fn is_about(&self, name: &str) -> bool {
        let has = |list: &[At<String>]| list.iter().any(|known| known.value == name);
        (self.instructions.is_empty() || has(&self.instructions)) && !has(&self.except)
    }
}

/// A combination as in its file: `{ type: [.f16, .bf16], rnd: .rz }`.
fn in_words(combination: &Ordered<OneOrMany<String>>) -> String {
    let entry = |(axis, values): &(At<String>, OneOrMany<String>)| match values.0.as_slice() {
        [one] => format!("{}: {one}", axis.value),
        several => format!("{}: [{}]", axis.value, several.join(", ")),
    };
    format!("{{ {} }}", combination.0.iter().map(entry).collect::<Vec<_>>().join(", "))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RawDepth {
    #[default]
    Check,
    Generate,
}

impl Divergences {
    /// The divergences of a specification's directory, or the built-in ones.
    ///
    /// # Errors
    /// Every error in the files, each with file, line and column.
    pub fn load(specs: Option<&Path>, spec: &Spec) -> Result<Self, Vec<Error>> {
        let Some(specs) = specs else { return Self::from_texts(&shipped::folder("divergences"), spec) };
        let folder = specs.join("divergences");
        let mut texts = Vec::new();
        let unread = |path: &Path, why: std::io::Error| {
            let place = FilePosition::default();
            vec![Error::new(&path.display().to_string(), "", place, format!("cannot be read: {why}"))]
        };
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries.collect::<Result<Vec<_>, _>>().map_err(|why| unread(&folder, why))?,
            // A specification may have no divergences.
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(why) => return Err(unread(&folder, why)),
        };
        for entry in entries {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                let text = read_text(&path).map_err(|why| unread(&path, why))?;
                texts.push((path.display().to_string(), text));
            } else if has_wrong_ending(&path) {
                return Err(vec![wrong_ending(&path)]);
            }
        }
        texts.sort();
        Self::from_texts(&texts, spec)
    }

    /// Reads and checks divergences from texts, each with the file name to show in errors.
    ///
    /// # Errors
    /// As [`Divergences::load`].
    pub fn from_texts(texts: &[(String, String)], spec: &Spec) -> Result<Self, Vec<Error>> {
        let (mut all, mut newest, mut errors) = (Vec::<Divergence>::new(), Vec::new(), Vec::new());
        let mut families = BTreeSet::new();
        let mut alike = Vec::new();
        for (name, text) in texts {
            let file = match parse::<RawFile>(name, text) {
                Ok(file) => file,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            families.insert(file.engine.clone());
            alike.push(AlikeEngine {
                file: (name, text),
                engine: file.engine.clone(),
                like: file.like.clone(),
                unlike: file.unlike.clone(),
            });
            for (version, ptx) in &file.newest.0 {
                match parts(&version.value) {
                    Some(parts) => newest.push(NewestPtx { family: file.engine.clone(), version: parts, ptx: *ptx }),
                    None => {
                        let message = format!("`{}` is not a version of an engine", version.value);
                        errors.push(Error::new(name, text, version.place, message));
                    }
                }
            }
            // Nothing can be said about instructions whose own files have errors.
            let left_out = |name: &At<String>| spec.left_out.contains(&name.value);
            let of_sound_files =
                |raw: &&RawDivergence| raw.instructions.is_empty() || !raw.instructions.iter().all(left_out);
            let executed = with_rows(spec, &file.divergences);
            let compiled =
                file.divergences.par_iter().filter(of_sound_files).map(|raw| {
                    (raw, DivergenceCompiler::new(&file.engine, raw, spec, &executed, name, text).compile())
                });
            for (raw, compiled) in compiled.collect::<Vec<_>>() {
                let known = all.iter().any(|other| other.id == raw.id.value);
                match compiled {
                    _ if known => errors.push(Error::new(
                        name,
                        text,
                        raw.id.place,
                        format!("there is another divergence `{}`", raw.id.value),
                    )),
                    Ok(divergence) => all.push(divergence),
                    Err(more) => errors.extend(more),
                }
            }
        }
        errors.extend(alike.into_iter().filter_map(|engine| engine.note(&mut all, &families).err()).flatten());
        let hash = || fingerprint(texts.iter().map(|(_, text)| text.as_str()));
        let fingerprint = if texts.is_empty() { String::new() } else { hash() };
        if errors.is_empty() { Ok(Self::new(all, families, fingerprint, newest)) } else { Err(errors) }
    }
}

/// The instructions that divergences of single rows are about, with the axes that their conditions name.
fn with_rows(spec: &Spec, divergences: &[RawDivergence]) -> Vec<Instruction> {
    let of_rows: Vec<&RawDivergence> = divergences.iter().filter(|raw| raw.is_of_rows()).collect();
    let about = |instruction: &&Instruction| of_rows.iter().any(|raw| raw.is_about(&instruction.name));
    spec.instructions.par_iter().filter(about).map(setup::with_axes).collect()
}

/// Checks one divergence, and resolves its condition in each form.
struct DivergenceCompiler<'a> {
    engine: &'a str,
    raw: &'a RawDivergence,
    file: &'a str,
    text: &'a str,
    /// The instructions and the forms that it applies to.
    instructions: Vec<&'a Instruction>,
    forms: Vec<&'a Form>,
    spec: &'a Spec,
    errors: Vec<Error>,
}

impl<'a> DivergenceCompiler<'a> {
    /// `executed` are the instructions that divergences of rows are about, with the axes of their setups.
    fn new(
        engine: &'a str,
        raw: &'a RawDivergence,
        spec: &'a Spec,
        executed: &'a [Instruction],
        file: &'a str,
        text: &'a str,
    ) -> Self {
        let named = |list: &[At<String>], name: &str| list.is_empty() || list.iter().any(|known| known.value == name);
        let judged = if raw.is_of_rows() { executed } else { &spec.instructions };
        // A divergence of all instructions says nothing of directives.
        let all = judged.iter().chain(spec.directives.iter().filter(|_| !raw.instructions.is_empty()));
        let instructions: Vec<&Instruction> = all.filter(|of| raw.is_about(&of.name)).collect();
        let forms = instructions
            .iter()
            .flat_map(|instruction| &instruction.forms)
            .filter(|form| named(&raw.forms, form.id.rsplit_once('.').map_or("", |(_, id)| id)))
            .collect();
        Self { engine, raw, file, text, instructions, forms, spec, errors: Vec::new() }
    }

    fn compile(mut self) -> Result<Divergence, Vec<Error>> {
        self.check_names();
        let raw = self.raw;
        let chain = self.chain();
        let combinations: Vec<Vec<Entry>> = match &raw.when {
            Some(when) => when.0.iter().map(|cube| self.entries(&cube.0)).collect(),
            None => vec![Vec::new()],
        };
        self.check_date();
        let versions = self.versions();
        self.check_rules_fit();
        let named = |id: &str| raw.rules.iter().any(|rule| names(&rule.value, id));
        let mut cubes: Vec<ListedCube> = Vec::new();
        // A chain is about lines together, and says nothing of each.
        let combinations = if chain.is_some() { Vec::new() } else { combinations };
        for entries in &combinations {
            let cube = |form: &&Form| Some(ListedCube::new(form, form.combination(entries)?, named));
            cubes.extend(self.forms.iter().filter_map(cube));
        }
        if cubes.is_empty() && chain.is_none() && self.errors.is_empty() {
            self.error(&self.raw.id, format!("`{}` matches no variant of any form", self.raw.id.value), None);
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        Ok(Divergence {
            id: raw.id.value.clone(),
            engine: self.engine.to_owned(),
            engines: raw.engines.iter().map(|name| name.value.clone()).collect(),
            like: Vec::new(),
            unlike: Vec::new(),
            instructions: raw.instructions.iter().map(|name| name.value.clone()).collect(),
            except: raw.except.iter().map(|name| name.value.clone()).collect(),
            does: raw.does,
            defect: raw.defect,
            rules: raw.rules.iter().map(|rule| rule.value.clone()).collect(),
            sometimes: raw.sometimes,
            together: raw.together,
            depth: if raw.depth == RawDepth::Generate { Depth::Generate } else { Depth::Check },
            because: raw.because.clone(),
            section: raw.section.clone(),
            link: raw.link.clone(),
            expires: raw.expires.as_ref().and_then(|at| at.value.parse().ok()),
            when: raw.when.iter().flat_map(|all| &all.0).map(in_words).collect(),
            chain,
            versions,
            cubes,
        })
    }

    /// The chain that it is about.
    fn chain(&mut self) -> Option<KnownChain> {
        let raw = self.raw;
        if raw.lines.is_empty() && raw.shows.is_none() {
            return None;
        }
        let single = !raw.instructions.is_empty() || raw.when.is_some() || !raw.forms.is_empty() || raw.together;
        let lines = raw.lines.iter().map(|line| line.value.clone()).collect();
        let chain = match (&raw.shows, raw.does) {
            _ if single => {
                Err("`lines` and `shows` go without `instructions`, `forms`, `when` and `together`".to_owned())
            }
            (Some(shows), Does::Computes | Does::Crashes) if !raw.lines.is_empty() => {
                KnownChain::new(lines, shows.clone())
            }
            _ => Err("a chain has `lines`, `shows`, and `does: computes` or `does: crashes`".to_owned()),
        };
        chain.map_err(|message| self.error(&raw.id, message, None)).ok()
    }

    fn error(&mut self, at: &At<String>, message: String, help: Option<String>) {
        let error = Error::new(self.file, self.text, at.place, message);
        self.errors.push(match help {
            Some(help) => error.help(help),
            None => error,
        });
    }

    /// Checks that the specification has these instructions and rules.
    fn check_names(&mut self) {
        let name = self.engine;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || !name.chars().all(plain) {
            let message = format!("`{name}` is not the name of an engine: write letters, digits, `-`, `_` and `.`");
            self.error(&self.raw.id, message, None);
        }
        for at in self.raw.engines.iter().filter(|at| !of_family(&at.value, self.engine)) {
            self.error(
                at,
                format!("`{}` is not an engine of this file: its name starts with `{name}`", at.value),
                None,
            );
        }
        let known = |name: &str| self.spec.named(name).is_some() || self.spec.left_out.iter().any(|of| of == name);
        let named = self.raw.instructions.iter().chain(&self.raw.except);
        let unknown: Vec<&At<String>> = named.filter(|name| !known(&name.value)).collect();
        for name in unknown {
            self.error(name, format!("there is no specification of `{}`", name.value), None);
        }
        let rules = || self.forms.iter().flat_map(|form| &form.rules).map(|rule| rule.id.as_str());
        let is_unknown = |rule: &&At<String>| !rules().any(|id| names(&rule.value, id));
        let unknown = self.raw.rules.iter().filter(is_unknown).map(|rule| {
            let near = nearest(&rule.value, rules().map(|id| id.rsplit('/').next().unwrap_or(id)));
            (rule, near.map(|near| format!("did you mean `{near}`?")))
        });
        for (rule, help) in unknown.collect::<Vec<_>>() {
            self.error(rule, format!("no rule `{}` in these forms", rule.value), help);
        }
    }

    /// The entries of a combination, with their sets expanded; each names an axis of these forms and values
    /// of it.
    fn entries(&mut self, cube: &'a [(At<String>, OneOrMany<String>)]) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (axis, values) in cube {
            let negated = values.0.first().is_some_and(|value| value == "not");
            let mut plain: Vec<String> = Vec::new();
            for value in values.0.iter().skip(usize::from(negated)) {
                match value.strip_prefix('$') {
                    None => match self.spec.isa.range(&axis.value, value) {
                        Some(range) => plain.extend(range),
                        None => plain.push(value.clone()),
                    },
                    Some(set) => match self.set(set) {
                        Some(members) => plain.extend(members),
                        None => {
                            self.error(axis, format!("there is no set `${set}` in these instructions"), None);
                        }
                    },
                }
            }
            let axes: Vec<_> =
                self.forms.iter().flat_map(|form| &form.axes).filter(|of| of.name == axis.value).collect();
            let from_set = values.0.iter().any(|value| value.starts_with('$'));
            let unknown =
                plain.iter().find(|v| *v != "any" && !from_set && !axes.iter().any(|axis| axis.values.contains(v)));
            let unknown = unknown.cloned();
            if axes.is_empty() {
                self.error(axis, format!("there is no axis `{}` in these forms", axis.value), None);
            } else if let Some(value) = unknown {
                self.error(axis, format!("`{value}` is not a value of `{}`", axis.value), None);
            }
            entries.push(Entry { axis: axis.value.clone(), negated, values: plain });
        }
        entries
    }

    /// The members of a set of one of the instructions or of `isa.yaml`.
    fn set(&self, name: &str) -> Option<Vec<String>> {
        self.instructions.iter().find_map(|instruction| instruction.sets.get(name).cloned())
    }

    /// The versions that do it.
    fn versions(&mut self) -> VersionRanges {
        let raw = self.raw;
        let text = |at: &'a At<String>| at.value.as_str();
        let given: Vec<&str> = raw.versions.iter().map(text).collect();
        let bounds = [raw.from.as_ref(), raw.to.as_ref()];
        let ranges = match given.is_empty() {
            true => VersionRange::new(bounds[0].map(text), bounds[1].map(text)).map(VersionRanges::one),
            false if bounds.iter().any(Option::is_some) => Err("`versions` goes without `from` and `to`".to_owned()),
            false => VersionRanges::parse(&given),
        };
        let place = raw.versions.first().or(bounds[1]).or(bounds[0]).unwrap_or(&raw.id);
        ranges.map_err(|message| self.error(place, message, None)).unwrap_or_default()
    }

    /// Checks the date on which it expires.
    fn check_date(&mut self) {
        for at in self.raw.expires.iter().filter(|at| at.value.parse::<Date>().is_err()) {
            self.error(at, format!("`{}` is not a date", at.value), Some("write it as 2027-06-30".to_owned()));
        }
    }

    /// Checks that only divergences for invalid lines list rules.
    fn check_rules_fit(&mut self) {
        let raw = self.raw;
        if raw.does == Does::Accepts && raw.rules.is_empty() {
            self.error(&raw.id, "`does: accepts` must list the rules that are not enforced".to_owned(), None);
        }
        if matches!(raw.does, Does::Rejects | Does::Computes) && !raw.rules.is_empty() {
            let message = format!("`does: {}` is for valid lines, and must not list rules", raw.does.word());
            self.error(&raw.id, message, None);
        }
        if raw.defect.is_some() && !matches!(raw.does, Does::Crashes | Does::Computes) {
            let message = "`defect` goes with `does: crashes` or `does: computes`";
            self.error(&raw.id, message.to_owned(), None);
        }
        let of_opcodes = raw.rules.is_empty() && raw.when.is_none() && !raw.instructions.is_empty();
        if raw.together && !(raw.does == Does::Crashes && of_opcodes) {
            let message = "`together` goes with `does: crashes` and `instructions`, and without `rules` and `when`";
            self.error(&raw.id, message.to_owned(), None);
        }
    }
}

/// The JSON Schema of a file of divergences.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(RawFile).to_value()
}
