//! Reads `specs/toolchains/cuda.yaml`.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CudaRelease, ReleaseBuild, ReleaseSource, ReleaseTable};
use crate::engine::toolchain::numbers;
use crate::environment::{Target, Version};
use crate::load::read_text;
use crate::shipped;
use crate::spec::Isa;
use crate::yaml::{At, Error, FilePosition, parse};

/// The folder of the file, and its name.
const FOLDER: &str = "toolchains";
const FILE: &str = "cuda.yaml";

/// The releases of CUDA and builds of ptxas.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ptx-conform releases of CUDA")]
struct RawReleases {
    /// The releases in the manual's table, oldest first.
    releases: Vec<RawRelease>,
    /// The builds of ptxas as they were observed, oldest first.
    builds: Vec<RawBuild>,
}

/// A release, as the manual has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawRelease {
    /// The release: `12.8`; none of a driver alone.
    cuda: Option<At<String>>,
    /// Its newest PTX version.
    ptx: At<Version>,
    /// The branch of its driver.
    driver: Option<u32>,
}

/// A build of ptxas, as it was observed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawBuild {
    /// Its full version: `13.5.37`.
    ptxas: At<String>,
    /// The newest PTX version that it takes.
    ptx: At<Version>,
    /// The targets that it generates code for, in the order of `isa.yaml`.
    code: Vec<At<Target>>,
    /// The targets of its PTX version that it refuses as `.target`.
    #[serde(default)]
    refuses: Vec<At<Target>>,
    /// True if it generates code for modules that say `.address_size 32`.
    #[serde(default, rename = "code-32-bit")]
    code_32_bit: bool,
}

impl ReleaseTable {
    /// True if a specification has a table; the built-in one has.
    pub fn is_in(specs: Option<&Path>) -> bool {
        specs.is_none_or(|specs| specs.join(FOLDER).join(FILE).exists())
    }

    /// Reads the table of a specification; the built-in one without a directory.
    ///
    /// # Errors
    /// Every mistake in the file, or that there is none.
    pub fn load(specs: Option<&Path>, isa: &Isa) -> Result<Self, Vec<Error>> {
        let Some(specs) = specs else {
            let mut texts = shipped::folder(FOLDER).into_iter();
            let (name, text) = texts.find(|(name, _)| name.ends_with(FILE)).unwrap_or_default();
            return Self::from_text(&name, &text, isa);
        };
        let path = specs.join(FOLDER).join(FILE);
        let name = path.display().to_string();
        let text = read_text(&path)
            .map_err(|why| vec![Error::new(&name, "", FilePosition::default(), format!("cannot be read: {why}"))])?;
        Self::from_text(&name, &text, isa)
    }

    fn from_text(name: &str, text: &str, isa: &Isa) -> Result<Self, Vec<Error>> {
        let raw: RawReleases = parse(name, text).map_err(|error| vec![error])?;
        let errors: Vec<Error> =
            raw.mistakes(isa).into_iter().map(|(place, why)| Error::new(name, text, place, why)).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let release = |of: RawRelease| {
            let cuda = of.cuda.map(|cuda| cuda.value);
            CudaRelease::new(cuda, of.ptx.value, ReleaseSource::Manual, of.driver)
        };
        let build = |of: RawBuild| {
            let values = |of: Vec<At<Target>>| of.into_iter().map(|target| target.value).collect();
            let new = ReleaseBuild::new(of.ptxas.value, of.ptx.value, values(of.code), values(of.refuses));
            ReleaseBuild { code_32_bit: of.code_32_bit, ..new }
        };
        let releases = raw.releases.into_iter().map(release).collect();
        Ok(Self::new(releases, raw.builds.into_iter().map(build).collect(), isa))
    }
}

impl RawReleases {
    /// The mistakes in the file, with their places.
    fn mistakes(&self, isa: &Isa) -> Vec<(FilePosition, String)> {
        let mut wrong = Vec::new();
        let ptx = self.releases.iter().map(|of| &of.ptx).chain(self.builds.iter().map(|of| &of.ptx));
        for version in ptx.filter(|version| !isa.versions.contains(&version.value)) {
            wrong.push((version.place, format!("PTX {} is not in isa.yaml", version.value)));
        }
        let targets = self.builds.iter().flat_map(|build| build.code.iter().chain(&build.refuses));
        for target in targets.filter(|target| !isa.targets.iter().any(|(known, _)| *known == target.value)) {
            wrong.push((target.place, format!("{} is not in isa.yaml", target.value)));
        }
        let cuda: Vec<&At<String>> = self.releases.iter().filter_map(|release| release.cuda.as_ref()).collect();
        wrong.extend(out_of_order(&cuda, 2, "a release of CUDA such as 12.8"));
        let builds: Vec<&At<String>> = self.builds.iter().map(|build| &build.ptxas).collect();
        wrong.extend(out_of_order(&builds, 3, "a build of ptxas such as 13.5.37"));
        wrong
    }
}

/// The versions that are none of so many parts, or not later than those before them.
fn out_of_order(versions: &[&At<String>], parts: usize, is: &str) -> Vec<(FilePosition, String)> {
    let mut wrong = Vec::new();
    let mut last: Option<Vec<u32>> = None;
    for version in versions {
        let (place, text) = (version.place, &version.value);
        match numbers(text).filter(|numbers| numbers.len() == parts) {
            None => wrong.push((place, format!("`{text}` is not {is}"))),
            Some(numbers) if last.as_ref().is_some_and(|last| *last >= numbers) => {
                wrong.push((place, format!("`{text}` is not later than the one before")));
            }
            Some(numbers) => last = Some(numbers),
        }
    }
    wrong
}

/// The JSON Schema of the file.
pub fn data_schema() -> serde_json::Value {
    serde_json::Value::from(schemars::schema_for!(RawReleases))
}
