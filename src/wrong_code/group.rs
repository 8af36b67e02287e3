//! Suspects of files for one version and target: they share modules, and equal ones are compiled once.

use ptx_kernels::{Chain, ChainAnswer, ChainComparison, ChainRows, ChainText, RegisterKind, compare, compare_alone};
use rustc_hash::FxHashMap;

use super::narrow::{FailingSuspect, narrowed};
use super::suspects::{SuspectFile, SuspectPlace, rows};
use super::words::{NamedLines, values};
use super::{LEVEL, ListedWrong, SearchBuild, SearchPlace, SearchedFile, WrongCodeSearch, WrongLines};
use crate::engine::Engine as _;
use crate::engine::sass::{Configuration, Sass};
use crate::engine::toolchain;

/// The suspects of some files.
pub(super) struct SuspectGroup<'f> {
    place: SearchPlace,
    /// Each with the number of its file.
    all: Vec<SuspectPlace<'f>>,
}

/// Suspects with the same chain.
struct EqualSuspects<'f> {
    places: Vec<SuspectPlace<'f>>,
    rows: ChainRows,
}

impl<'f> SuspectGroup<'f> {
    pub(super) fn new(place: SearchPlace) -> Self {
        Self { place, all: Vec::new() }
    }

    /// Adds the suspects of the file with this number.
    pub(super) fn add(&mut self, file: usize, of: &'f SuspectFile) {
        for body in &of.bodies {
            self.all.extend(body.suspects.iter().map(|suspect| SuspectPlace { file, body, suspect }));
        }
    }

    /// Notes that none of them is executed.
    pub(super) fn leave(&self, why: &str, found: &mut [SearchedFile]) {
        self.all.iter().for_each(|of| found[of.file].leave(why));
    }

    /// Executes them all.
    pub(super) fn ask(&self, search: &WrongCodeSearch<'_>, build: &SearchBuild, found: &mut [SearchedFile]) {
        let configuration = Configuration::new(self.place.machine, LEVEL);
        let opened = Sass::open(&build.assembler.path, &build.disassembler, toolchain::disassembled(), configuration);
        let engine = match opened {
            Ok(engine) => engine,
            Err(why) => return self.leave(&why.to_string(), found),
        };
        let interpreter = &search.interpreter;
        let comparison = ChainComparison { interpreter, engine: &engine, environment: self.place.environment };
        if let Some(why) = unable(&comparison) {
            return self.leave(&why, found);
        }
        let equal = self.equal();
        let texts: Vec<ChainText> = equal.iter().map(|of| ChainText::from(of.chain())).collect();
        let chains: Vec<(&ChainText, &ChainRows)> = texts.iter().zip(equal.iter().map(|of| &of.rows)).collect();
        let answers = compare(&comparison, &chains);
        let mut failing: Vec<FailingSuspect<'_>> = Vec::new();
        let mut places: Vec<&[SuspectPlace<'_>]> = Vec::new();
        for (of, answer) in equal.iter().zip(answers) {
            if matches!(answer, ChainAnswer::Agrees | ChainAnswer::Differs(_)) {
                of.places.iter().for_each(|place| found[place.file].tried += 1);
            }
            match answer {
                ChainAnswer::Agrees => {}
                ChainAnswer::Differs(_) | ChainAnswer::Failed(_) => {
                    failing.push(FailingSuspect::new(of.places[0], of.rows.clone(), answer));
                    places.push(&of.places);
                }
                ChainAnswer::Skipped(why) | ChainAnswer::Undefined(why) => {
                    of.places.iter().for_each(|place| found[place.file].leave(&why));
                }
            }
        }
        let narrowed = narrowed(&comparison, failing);
        let mut named = NamedLines::new(search, &comparison, &engine);
        for (of, places) in narrowed.iter().zip(places) {
            let listed = named.listed(of);
            let dies = match &of.answer {
                // A refusal, or a death of something that is not listed, is no wrong code.
                ChainAnswer::Failed(why) if listed.is_none() => {
                    places.iter().for_each(|place| found[place.file].leave(why));
                    continue;
                }
                ChainAnswer::Failed(_) => listed.as_ref().is_some_and(|of| of.is_crash),
                _ => false,
            };
            for place in places {
                let wrong = place.wrong(of, &engine, dies, listed.as_ref().map(|of| of.listed.clone()));
                found[place.file].found.push(wrong);
            }
        }
    }

    /// The suspects, equal ones together, in the order of their first.
    fn equal(&self) -> Vec<EqualSuspects<'f>> {
        let mut known: FxHashMap<&Chain, usize> = FxHashMap::default();
        let mut found: Vec<EqualSuspects<'f>> = Vec::new();
        for &place in &self.all {
            let next = found.len();
            let at = *known.entry(&place.suspect.slice.chain).or_insert(next);
            match found.get_mut(at) {
                Some(same) => same.places.push(place),
                None => found.push(EqualSuspects {
                    places: vec![place],
                    rows: rows(&place.suspect.slice.chain, &place.suspect.values),
                }),
            }
        }
        found
    }
}

impl SuspectPlace<'_> {
    /// The lines of the file that are those of a narrowed suspect with the same chain.
    fn wrong(&self, of: &FailingSuspect<'_>, engine: &Sass, dies: bool, listed: Option<ListedWrong>) -> WrongLines {
        let lines: Vec<usize> = of.kept.iter().filter_map(|at| self.suspect.slice.lines.get(*at).copied()).collect();
        let names = self.body.flow.slice(&lines).map(|slice| slice.names).unwrap_or_default();
        WrongLines {
            at: self.body.at(&lines),
            command: format!("ptxas {}", engine.configuration().options().join(" ")),
            version: engine.id().version().to_owned(),
            dies,
            values: values(of, &names),
            listed,
        }
    }
}

impl EqualSuspects<'_> {
    fn chain(&self) -> &Chain {
        &self.places[0].suspect.slice.chain
    }
}

impl SearchedFile {
    fn leave(&mut self, why: &str) {
        *self.untried.entry(why.to_owned()).or_default() += 1;
    }
}

/// The reason why an engine executes nothing: it may refuse the version or the target.
fn unable(comparison: &ChainComparison<'_>) -> Option<String> {
    let chain =
        ChainText { registers: vec![RegisterKind::of(32)], inputs: vec![0], lines: Vec::new(), outputs: vec![0] };
    let rows = ChainRows { rows: vec![vec![1]] };
    match compare_alone(comparison, &[(&chain, &rows)]).pop() {
        Some(ChainAnswer::Agrees) => None,
        Some(ChainAnswer::Skipped(why) | ChainAnswer::Undefined(why) | ChainAnswer::Failed(why)) => Some(why),
        Some(ChainAnswer::Differs(_)) | None => Some("it copies a value wrong".to_owned()),
    }
}
