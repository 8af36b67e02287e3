//! The words about wrong lines: the divergence that lists them, and the values with which they are wrong.

use ptx_kernels::{Chain, ChainAnswer, ChainComparison, Library, Reduced, search};
use rustc_hash::FxHashMap;

use super::narrow::FailingSuspect;
use super::{ListedWrong, WrongCodeSearch};
use crate::campaign::KnownOfEngine;
use crate::defects::page_of;
use crate::divergences::{DefectKind, EngineVersion};
use crate::engine::Engine as _;
use crate::engine::sass::Sass;

/// The names of wrong lines: each chain is searched for once.
pub(super) struct NamedLines<'n> {
    search: &'n WrongCodeSearch<'n>,
    comparison: &'n ChainComparison<'n>,
    known: KnownOfEngine<'n>,
    /// Made when it is needed first; none if there is none.
    library: Option<Option<Library<'n>>>,
    ids: FxHashMap<Chain, Option<String>>,
}

/// A divergence that lists wrong lines, as the kind that it is.
pub(super) struct NamedWrong {
    pub(super) listed: ListedWrong,
    pub(super) is_crash: bool,
}

impl<'n> NamedLines<'n> {
    pub(super) fn new(search: &'n WrongCodeSearch<'n>, comparison: &'n ChainComparison<'n>, engine: &Sass) -> Self {
        let known = KnownOfEngine { divergences: search.divergences, version: EngineVersion::of(engine.id()) };
        Self { search, comparison, known, library: None, ids: FxHashMap::default() }
    }

    /// The divergence that lists the lines, as they are or made simpler.
    pub(super) fn listed(&mut self, of: &FailingSuspect<'_>) -> Option<NamedWrong> {
        let id = match self.ids.get(&of.slice.chain) {
            Some(known) => known.clone(),
            None => {
                let id = self.id(of);
                self.ids.insert(of.slice.chain.clone(), id.clone());
                id
            }
        }?;
        let known = self.search.divergences.all.iter().find(|known| known.id == id)?;
        let listed = ListedWrong { id, because: known.because.clone(), page: page_of(&known.id) };
        Some(NamedWrong { listed, is_crash: known.defect_kind() == Some(DefectKind::Crash) })
    }

    fn id(&mut self, of: &FailingSuspect<'_>) -> Option<String> {
        let (spec, environment) = (self.search.spec, self.comparison.environment);
        let library = self.library.get_or_insert_with(|| Library::new(spec, environment, &[]).ok()).as_ref()?;
        let reduced = Reduced { chain: of.slice.chain.clone(), rows: of.rows.clone(), answer: of.answer.clone() };
        if let Some(id) = self.known.lists(library, &reduced) {
            return Some(id);
        }
        let found = search(self.comparison, library, vec![reduced], |now| self.known.lists(library, now).is_some());
        self.known.lists(library, found.known.first()?)
    }
}

/// The values with which lines are wrong, in words, by the names of their registers in the file.
pub(super) fn values(of: &FailingSuspect<'_>, names: &[String]) -> String {
    let name = |register: usize| names.get(register).map_or("a register", String::as_str);
    let chain = &of.slice.chain;
    let row = match &of.answer {
        ChainAnswer::Differs(difference) => difference.row,
        _ => 0,
    };
    let row = of.rows.rows.get(row).map(Vec::as_slice).unwrap_or_default();
    let named = chain.inputs.iter().zip(row).filter(|(input, _)| !name(**input).is_empty());
    let inputs: Vec<String> = named.map(|(input, value)| format!("{} = 0x{value:x}", name(*input))).collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!("with {}: ", inputs.join(", ")) };
    match &of.answer {
        ChainAnswer::Differs(of) => {
            let output = chain.outputs.get(of.output).copied().unwrap_or_default();
            format!("{inputs}{} becomes 0x{:x}, and must be 0x{:x}", name(output), of.actual, of.expected)
        }
        ChainAnswer::Failed(how) => how.clone(),
        _ => inputs,
    }
}
