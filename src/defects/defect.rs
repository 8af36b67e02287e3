//! A known defect: which versions, targets and levels have it, where it is described, and a module that shows it.

use std::collections::BTreeMap;

use ptx_kernels::ChainKernels;
use schemars::JsonSchema;
use serde::Serialize;

use crate::divergences::{DefectKind, Divergence, VersionRange};
use crate::engine::sass::{Configuration, MachineTarget};
use crate::environment::{Environment, Target};

/// A known defect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Defect {
    /// The name of its entry in `specs/divergences/`, which stays the same.
    pub id: String,
    /// The kind.
    pub kind: DefectKind,
    /// The lines that have it one after the other, as patterns of opcode and modifiers (`@` before one that needs a guard); null
    /// if single lines have it.
    pub lines: Option<Vec<String>>,
    /// The instructions that have it; null if `lines` say so, or if all have it.
    pub instructions: Option<Vec<String>>,
    /// The instructions that do not have it, if `instructions` is null.
    pub except: Vec<String>,
    /// The combinations of an instruction's choices that have it; all if empty.
    pub when: Vec<String>,
    /// The rules that the lines break; of valid lines none.
    pub rules: Vec<String>,
    /// True if only some of these lines have it.
    pub sometimes: bool,
    /// True if several such lines in a file have it, and none of them alone.
    pub together: bool,
    /// The first version that has it, as in the entry: `13.2` is every 13.2.*. Null if all before `to`.
    pub from: Option<String>,
    /// The last version that has it; null if the newest does.
    pub to: Option<String>,
    /// The ranges of versions that have it, the oldest first; all versions if empty. Of more than one, the versions between them
    /// do not have it.
    pub versions: Vec<DefectVersions>,
    /// The targets that have it; null if no target is known not to.
    pub targets: Option<Vec<String>>,
    /// The levels of optimization that have it; null if no level is known not to.
    pub levels: Option<Vec<u8>>,
    /// The options of ptxas with which it happens, if it is not each of `targets` with each of `levels`.
    pub configurations: Option<Vec<String>>,
    /// The reason, or what happens, in words.
    pub because: String,
    /// The page that describes it.
    pub page: Option<String>,
    /// A link to more information.
    pub link: Option<String>,
    /// A module that shows it; only of lines one after the other.
    pub reproduce: Option<DefectReproduction>,
    /// Targets and options of those that have it; none if all do.
    #[serde(skip)]
    engines: Option<Vec<Configuration>>,
}

/// A range of versions that have a defect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefectVersions {
    /// The first one: `13.2` is every 13.2.*. Null if all before `to`.
    pub from: Option<String>,
    /// The last one; null if the newest is.
    pub to: Option<String>,
}

impl DefectVersions {
    fn new(range: &VersionRange) -> Self {
        let [from, to] = range.bounds();
        Self { from, to }
    }
}

/// A module that shows a defect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefectReproduction {
    /// The text: an entry with two pointers. It reads its inputs from the first, 8 bytes each, and writes its results to the second.
    pub module: String,
    /// The inputs that show it, as hexadecimal digits.
    pub inputs: Vec<String>,
}

impl DefectReproduction {
    /// The module of a divergence that is about lines one after the other.
    pub(super) fn new(divergence: &Divergence, environment: &Environment) -> Option<Self> {
        let shows = &divergence.chain.as_ref()?.shows;
        let rows = shows.rows().ok()?;
        let inputs = rows.rows.iter().flatten().map(|value| format!("{value:x}")).collect();
        let kernels = ChainKernels::new(environment, &[&[(shows.chain(), &rows)]]);
        Some(Self { module: kernels.cases.first()?.module.to_string(), inputs })
    }
}

impl Defect {
    /// The defect that a divergence lists, without page and module.
    pub(super) fn new(divergence: &Divergence, kind: DefectKind) -> Self {
        let versions: Vec<DefectVersions> = divergence.version_ranges().iter().map(DefectVersions::new).collect();
        let (from, to) =
            (versions.first().and_then(|of| of.from.clone()), versions.last().and_then(|of| of.to.clone()));
        let given = |list: &Vec<String>| Some(list.clone()).filter(|list| !list.is_empty());
        // An engine of another kind says nothing of targets: then no target is known not to have it.
        let parsed = divergence.engines.iter().map(|name| name.parse()).collect::<Result<Vec<Configuration>, _>>();
        let engines = parsed.ok().filter(|engines| !engines.is_empty());
        let (targets, levels) = engines.as_deref().map(targets_and_levels).unzip();
        let is_product = |of: &Vec<Configuration>| {
            let size = |list: Option<usize>| list.unwrap_or_default();
            let all = size(targets.as_ref().map(Vec::len)) * size(levels.as_ref().map(Vec::len));
            of.len() == all && !of.iter().any(|of| of.limits_registers())
        };
        let options = |of: &Vec<Configuration>| of.iter().map(|of| of.options().join(" ")).collect();
        Self {
            id: divergence.id.clone(),
            kind,
            lines: divergence.chain.as_ref().map(|chain| chain.lines.clone()),
            instructions: given(&divergence.instructions),
            except: divergence.except.clone(),
            when: divergence.when.clone(),
            rules: divergence.rules.clone(),
            sometimes: divergence.sometimes,
            together: divergence.together,
            from,
            to,
            versions,
            configurations: engines.as_ref().filter(|of| !is_product(of)).map(options),
            targets,
            levels,
            because: divergence.because.trim().to_owned(),
            page: None,
            link: divergence.link.clone(),
            reproduce: None,
            engines,
        }
    }

    /// The targets and levels that have it, in words; empty for all.
    pub fn places(&self) -> String {
        if let Some(configurations) = &self.configurations {
            return configurations.join("; ");
        }
        let levels = self.levels.iter().flatten().map(|level| format!("-O{level}")).collect::<Vec<_>>().join(" ");
        let all = |targets: &&Vec<String>| targets.len() == MachineTarget::ALL.len();
        let targets = match &self.targets {
            Some(targets) if all(&targets) => "all targets".to_owned(),
            Some(targets) => targets.join(" "),
            None => String::new(),
        };
        [targets, levels].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" at ")
    }

    /// True if code for a target and a level may have it. `sm_90a` counts as `sm_90`: it is the same machine.
    pub fn concerns(&self, target: Option<Target>, level: Option<u8>) -> bool {
        let is_one = |of: &Configuration| {
            target.is_none_or(|target| of.target.name == machine_name(target))
                && level.is_none_or(|level| of.level() == level)
        };
        self.engines.as_ref().is_none_or(|engines| engines.iter().any(is_one))
    }
}

/// The target without its suffix, by which the targets of machine code are named.
pub(super) fn machine_name(target: Target) -> String {
    format!("sm_{}", target.sm)
}

/// The targets and the levels of optimization of some configurations, each once.
fn targets_and_levels(engines: &[Configuration]) -> (Vec<String>, Vec<u8>) {
    let mut targets: Vec<String> = Vec::new();
    for engine in engines {
        if !targets.iter().any(|known| known == engine.target.name) {
            targets.push(engine.target.name.to_owned());
        }
    }
    let mut levels: Vec<u8> = engines.iter().map(|engine| engine.level()).collect();
    levels.sort_unstable();
    levels.dedup();
    (targets, levels)
}

/// The pages that describe defects, by the ids of divergences.
pub(super) struct DefectPages(BTreeMap<String, String>);

impl DefectPages {
    /// Of pages with their paths. A page of its own goes before others, which name ids in brackets.
    pub(super) fn new(pages: &[(String, &str)]) -> Self {
        let mut of_ids = BTreeMap::new();
        for (path, _) in pages {
            let name = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md"));
            of_ids.extend(name.map(|name| (name.to_owned(), path.clone())));
        }
        for (path, text) in pages {
            let brackets = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
            for name in brackets.flat_map(|(names, _)| names.split(',')) {
                of_ids.entry(name.trim().to_owned()).or_insert_with(|| path.clone());
            }
        }
        Self(of_ids)
    }

    /// The page about a divergence.
    pub(super) fn page(&self, id: &str) -> Option<String> {
        self.0.get(id).cloned()
    }
}
