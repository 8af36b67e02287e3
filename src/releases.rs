//! The releases of CUDA: which PTX version, driver and targets each has. The manual states versions and drivers; what an
//! assembler takes and generates code for is observed, and compared with every one that is asked.

mod load;
mod observe;
mod print;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::toolchain::numbers;
use crate::environment::{Target, Version};
use crate::spec::Isa;

pub use load::data_schema;
pub use observe::{ReleaseBuild, Unobserved};

/// The releases of CUDA, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseTable {
    /// The version of this format: 1.
    pub version: u32,
    /// The program and its version.
    pub tool: String,
    /// The releases, oldest first.
    pub releases: Vec<CudaRelease>,
}

/// A release of CUDA, or of a driver alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CudaRelease {
    /// The release: `12.8`; none of a driver that brought a PTX version by itself.
    pub cuda: Option<String>,
    /// Its newest PTX version.
    pub ptx: Version,
    /// Where the PTX version is from.
    pub ptx_by: ReleaseSource,
    /// The branch of the driver that came with it, which is the oldest that takes its PTX version: 570. None if the manual
    /// does not say.
    pub driver: Option<u32>,
    /// The targets that its PTX version brought, if it is the first release with that.
    pub new_targets: Vec<Target>,
    /// Its assemblers that are known, oldest first.
    pub builds: Vec<ReleaseBuild>,
    /// Targets for which its newest assembler generates code, and that of the release before does not.
    pub code_added: Vec<Target>,
    /// Targets for which the assembler of the release before generates code, and its own does not.
    pub code_removed: Vec<Target>,
}

/// Where a figure is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReleaseSource {
    /// The manual states it.
    Manual,
    /// The assembler does it, and the manual that was read has nothing about the release.
    Observed,
}

impl ReleaseTable {
    /// The table without targets: what is documented, and what builds do.
    fn new(documented: Vec<CudaRelease>, builds: Vec<ReleaseBuild>, isa: &Isa) -> Self {
        let tool = format!("ptx-conform {}", env!("CARGO_PKG_VERSION"));
        let mut table = Self { version: 1, tool, releases: documented };
        builds.into_iter().for_each(|build| table.add(build));
        table.compare_neighbours(isa);
        table
    }

    /// Adds what an assembler was observed to do here. One that is listed is compared with the list, and its differences
    /// are kept; any other is a further row.
    pub fn observe(&mut self, observed: ReleaseBuild, isa: &Isa) {
        let known = self.releases.iter_mut().flat_map(|release| &mut release.builds);
        match known.into_iter().find(|build| build.ptxas == observed.ptxas) {
            Some(listed) => listed.compare(&observed),
            None => self.add(ReleaseBuild { unlisted: true, ..observed }),
        }
        self.compare_neighbours(isa);
    }

    /// The differences, in words, between assemblers that were asked and what is listed of them.
    pub fn differences(&self) -> impl Iterator<Item = &str> {
        self.builds().flat_map(|build| &build.differs).map(String::as_str)
    }

    /// All assemblers, oldest first.
    pub fn builds(&self) -> impl Iterator<Item = &ReleaseBuild> {
        self.releases.iter().flat_map(|release| &release.builds)
    }

    fn add(&mut self, build: ReleaseBuild) {
        let cuda = build.release();
        let at = self.releases.iter().position(|release| release.cuda.as_deref() == Some(cuda.as_str()));
        let at = at.unwrap_or_else(|| {
            let later = |release: &CudaRelease| {
                release.cuda.as_ref().is_some_and(|known| numbers(known) > numbers(&cuda)) || release.ptx > build.ptx
            };
            let at = self.releases.iter().position(later).unwrap_or(self.releases.len());
            self.releases.insert(at, CudaRelease::new(Some(cuda), build.ptx, ReleaseSource::Observed, None));
            at
        });
        let builds = &mut self.releases[at].builds;
        builds.push(build);
        builds.sort_by_cached_key(|build| numbers(&build.ptxas));
    }

    /// Finds what each release has and the one before has not.
    fn compare_neighbours(&mut self, isa: &Isa) {
        let mut before: Option<Version> = None;
        let mut code: Option<Vec<Target>> = None;
        for release in &mut self.releases {
            let is_new = |since: Version| since <= release.ptx && before.is_none_or(|before| since > before);
            release.new_targets =
                isa.targets.iter().filter(|(_, since)| is_new(*since)).map(|(target, _)| *target).collect();
            before = Some(release.ptx);
            let Some(newest) = release.builds.last() else { continue };
            if let Some(code) = &code {
                let without = |of: &[Target], others: &[Target]| -> Vec<Target> {
                    of.iter().filter(|target| !others.contains(target)).copied().collect()
                };
                release.code_added = without(&newest.code, code);
                release.code_removed = without(code, &newest.code);
            }
            code = Some(newest.code.clone());
        }
    }
}

impl CudaRelease {
    fn new(cuda: Option<String>, ptx: Version, ptx_by: ReleaseSource, driver: Option<u32>) -> Self {
        let (builds, code_added, code_removed, new_targets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { cuda, ptx, ptx_by, driver, new_targets, builds, code_added, code_removed }
    }
}

/// The JSON Schema of a table of releases.
pub fn schema() -> serde_json::Value {
    serde_json::Value::from(schemars::schema_for!(ReleaseTable))
}
