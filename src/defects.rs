//! The known defects of an assembler, for those who compile with it: which of them a version has, for a target and a level
//! of optimization. They are the listed divergences that are wrong code or kill it.

mod defect;

use schemars::JsonSchema;
use serde::Serialize;

use crate::divergences::{DefectKind, Divergence, Divergences, EngineVersion};
use crate::engine::ptxas;
use crate::engine::sass::Configuration;
use crate::environment::{Environment, Target};
use crate::shipped;
use crate::spec::Isa;

pub use defect::{Defect, DefectReproduction, DefectVersions};
use defect::{DefectPages, machine_name};

/// The family of the engines that execute the machine code of the assembler.
const CODE: &str = "sass";

/// The defects that are asked for.
#[derive(Clone, Debug, Default)]
pub struct DefectQuery {
    /// The version of the assembler; all versions if none.
    pub version: Option<AssemblerVersion>,
    /// The target that it compiles for; any if none.
    pub target: Option<Target>,
    /// The level of optimization; any if none.
    pub level: Option<u8>,
    /// The kind of defect; all if none.
    pub kind: Option<DefectKind>,
}

/// A version of the assembler: `13.2.78`, or `13.2` for any 13.2.*.
#[derive(Clone, Debug)]
pub struct AssemblerVersion {
    text: String,
    engine: EngineVersion,
}

/// The reason why a text is not an [`AssemblerVersion`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version of ptxas; write 13.2.78, or 13.2 for any 13.2.*")]
pub struct AssemblerVersionError(String);

impl std::str::FromStr for AssemblerVersion {
    type Err = AssemblerVersionError;

    fn from_str(text: &str) -> Result<Self, AssemblerVersionError> {
        let error = || AssemblerVersionError(text.to_owned());
        let parts: Vec<&str> = text.split('.').collect();
        let plain = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit()));
        if !plain || !(2..=3).contains(&parts.len()) {
            return Err(error());
        }
        let engine = EngineVersion::parse(&format!("{}@{text}", ptxas::FAMILY)).map_err(|_| error())?;
        Ok(Self { text: text.to_owned(), engine })
    }
}

/// Known defects of the assembler, and how far the list can be trusted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefectTable {
    /// The version that was asked about; null if the defects of all versions are listed.
    pub version: Option<String>,
    /// The target that was asked about; null if any.
    pub target: Option<String>,
    /// The level of optimization that was asked about, 0 to 3; null if any.
    pub level: Option<u8>,
    /// The newest version that the list was checked with: `13.5`.
    pub newest: Option<String>,
    /// The limits of the answer, in words: the version is newer than all that were checked, or the machine code for the target
    /// is not executed. Empty if there are none.
    pub notes: Vec<String>,
    /// The defects, wrong code first.
    pub defects: Vec<Defect>,
}

impl DefectTable {
    /// The listed defects that a query is about.
    pub fn new(divergences: &Divergences, isa: &Isa, query: &DefectQuery) -> Self {
        let versions = KnownVersions::of(divergences);
        let pages = DefectPages::new(&shipped::defect_pages());
        let mut defects: Vec<Defect> = Vec::new();
        for divergence in
            divergences.all.iter().filter(|divergence| [CODE, ptxas::FAMILY].contains(&&*divergence.engine))
        {
            let Some(kind) = divergence.defect_kind().filter(|kind| query.kind.is_none_or(|of| of == *kind)) else {
                continue;
            };
            let has_version = |version: &AssemblerVersion| divergence.has_version(&version.engine);
            let mut defect = Defect::new(divergence, kind);
            if query.version.as_ref().is_none_or(has_version) && defect.concerns(query.target, query.level) {
                defect.page = pages.page(&defect.id);
                let environment = environment(divergences, isa, query, divergence, &defect);
                defect.reproduce = environment.and_then(|of| DefectReproduction::new(divergence, &of));
                defects.push(defect);
            }
        }
        // The order of the files is kept within each kind.
        defects.sort_by_key(|defect| defect.kind);
        let newest = versions.newest();
        let version = query.version.as_ref().map(|version| version.text.clone());
        let target = query.target.map(|target| target.to_string());
        let notes = notes(&versions, query);
        Self { version, target, level: query.level, newest, notes, defects }
    }
}

/// The versions of the assembler that the lists name.
struct KnownVersions {
    /// The versions whose verdicts are known, oldest first.
    judged: Vec<EngineVersion>,
    /// The oldest version whose machine code the list of wrong code names.
    executed: Option<EngineVersion>,
}

impl KnownVersions {
    fn of(divergences: &Divergences) -> Self {
        let of = |family: &str| -> Vec<EngineVersion> {
            let mut versions: Vec<EngineVersion> = divergences.versions(family).into_iter().map(|(of, _)| of).collect();
            versions.sort();
            versions
        };
        Self { judged: of(ptxas::FAMILY), executed: of(CODE).into_iter().next() }
    }

    fn newest(&self) -> Option<String> {
        self.judged.last().map(EngineVersion::short)
    }
}

/// The limits of the answer to a query.
fn notes(versions: &KnownVersions, query: &DefectQuery) -> Vec<String> {
    let mut notes = Vec::new();
    let wrong_code = query.kind != Some(DefectKind::Crash);
    let is_after = |one: &EngineVersion, other: &EngineVersion| {
        let minor = |of: &EngineVersion| EngineVersion::parse(&format!("{}@{}", ptxas::FAMILY, of.short())).ok();
        minor(one).zip(minor(other)).is_some_and(|(one, other)| one > other)
    };
    if let Some(AssemblerVersion { text, engine }) = &query.version {
        let newer = versions.judged.last().filter(|newest| is_after(engine, newest));
        let older = versions.judged.first().filter(|oldest| is_after(oldest, engine));
        let first = versions.executed.as_ref().filter(|first| wrong_code && is_after(first, engine));
        if let Some(newest) = newer {
            notes.push(format!(
                "{text} is newer than {}, the newest version that the list was checked with: it may have other defects, and \
                 those listed may be gone",
                newest.short()
            ));
        } else if let Some(oldest) = older {
            notes.push(format!("{text} is older than {}, the oldest version that was checked", oldest.short()));
        } else if let Some(first) = first {
            notes.push(format!(
                "{text} is older than {}, the first version whose machine code was checked for all instructions: it may have \
                 other wrong code",
                first.short()
            ));
        }
    }
    let executed: Vec<Configuration> = Configuration::all().collect();
    if let Some(target) = query.target.filter(|_| wrong_code)
        && !executed.iter().any(|of| of.target.name == machine_name(target))
    {
        let mut names: Vec<&str> = executed.iter().map(|of| of.target.name).collect();
        names.dedup();
        notes.push(format!(
            "machine code for {target} is not executed: wrong code is only known of {}, or of all targets",
            names.join(", ")
        ));
    }
    if let Some(level) = query.level.filter(|level| wrong_code && !executed.iter().any(|of| of.level() == *level)) {
        notes.push(format!(
            "machine code of -O{level} is not executed regularly: wrong code is only known of -O0 and -O3, or of all levels"
        ));
    }
    notes
}

/// The environment of a module that shows a defect: the newest PTX version that the assembler takes, and a target that has
/// the defect. None if no such target is in that version.
fn environment(
    divergences: &Divergences,
    isa: &Isa,
    query: &DefectQuery,
    divergence: &Divergence,
    defect: &Defect,
) -> Option<Environment> {
    let asked = query.version.as_ref().map(|version| version.engine.clone());
    let ptx = match asked {
        Some(version) => divergences.newest_ptx(&version),
        None => divergences.newest_ptx_of(divergence, ptxas::FAMILY),
    };
    let newest = || divergences.versions(ptxas::FAMILY).into_iter().map(|(_, ptx)| ptx).max();
    let ptx = ptx.or_else(newest)?;
    let default = Configuration::default();
    let others = Configuration::all().map(|of| of.target.name);
    let named = std::iter::once(default.target.name).chain(others).filter_map(|name| name.parse().ok());
    let has = |target: &Target| isa.targets.iter().any(|(of, since)| of == target && *since <= ptx);
    let mut targets = query.target.into_iter().chain(named.filter(|_| query.target.is_none()));
    let target = targets.find(|target| has(target) && defect.concerns(Some(*target), query.level))?;
    Some(Environment { ptx, target, address_size: crate::environment::AddressSize::Bits64 })
}

/// The page about a defect that a divergence lists.
pub(crate) fn page_of(id: &str) -> Option<String> {
    DefectPages::new(&shipped::defect_pages()).page(id)
}

/// The JSON Schema of a table.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(DefectTable).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    const ISA: &str = include_str!("../specs/isa.yaml");

    /// A defect with two ranges of versions between which there is a hole, and one without a range.
    const LIST: &str = r#"
engine: sass
divergences:
  - { id: first, lines: [a], to: "12.4", does: computes, because: Planted., SHOWS }
  - { id: again, lines: [a], from: "13.1", to: "13.2.51", engines: [sass-sm_80, sass], does: crashes, because: Planted., SHOWS }
  - { id: always, lines: [b], engines: [sass-sm_80-O0, sass-O0], does: computes, because: Planted., SHOWS }
"#;

    fn list() -> (Spec, Divergences) {
        let spec =
            Spec::from_texts(("isa.yaml", ISA), &[]).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
        let shows = "shows: { registers: [b32], inputs: [], lines: [], outputs: [0], row: [] }";
        let texts = [("sass.yaml".to_owned(), LIST.replace("SHOWS", shows))];
        let divergences =
            Divergences::from_texts(&texts, &spec).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
        (spec, divergences)
    }

    #[test]
    fn ranges_targets_and_levels_decide_which_defects_a_version_has() {
        let (spec, divergences) = list();
        for (version, target, level, expected) in [
            ("11.8.89", None, None, &["first", "always"][..]),
            ("12.4.131", None, None, &["first", "always"]),
            ("12.9.86", None, None, &["always"]),
            ("13.1.80", None, None, &["always", "again"]),
            ("13.2.51", None, None, &["always", "again"]),
            ("13.2.78", None, None, &["always"]),
            ("13.2", None, None, &["always", "again"]),
            ("13.1.80", Some("sm_90a"), Some(3), &["again"]),
            ("13.1.80", Some("sm_80"), Some(0), &["always"]),
            ("13.1.80", Some("sm_75"), None, &[]),
            ("12.4.131", Some("sm_75"), Some(1), &["first"]),
        ] {
            let target = target.map(|name: &str| name.parse().expect("a target"));
            let version_asked = version.parse().expect("a version");
            let query = DefectQuery { version: Some(version_asked), target, level, kind: None };
            let table = DefectTable::new(&divergences, &spec.isa, &query);
            let ids: Vec<&str> = table.defects.iter().map(|defect| defect.id.as_str()).collect();
            assert_eq!(ids, expected, "{version} {target:?} {level:?}");
        }
    }

    #[test]
    fn versions_have_two_or_three_numbers() {
        for bad in ["", "13", "13.", "13.x", "+13.5", "13.5.37.1", "ptxas@13.5", "13.5.99999999999"] {
            assert!(bad.parse::<AssemblerVersion>().is_err(), "{bad}");
        }
        assert!("13.5.37".parse::<AssemblerVersion>().is_ok());
    }
}
