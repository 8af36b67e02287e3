//! Reads the specification and the known divergences that a command goes by.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::output::{color, say, say_painted};
use ptx_conform::divergences::{Divergences, EngineVersion};
use ptx_conform::plural::counted;
use ptx_conform::releases::ReleaseTable;
use ptx_conform::shipped;
use ptx_conform::spec::{Instruction, Isa, Spec};
use ptx_conform::yaml::{Error, nearest};

/// Where to look for the name of an instruction.
pub(crate) const LISTED: &str = "`ptx-conform spec show` lists the instructions";

/// The directory of the specification; `None` for the built-in one.
fn directory(specs: Option<&Path>) -> Option<PathBuf> {
    match specs {
        Some(specs) => Some(specs.to_owned()),
        None => {
            let here = Path::new("specs");
            here.join("isa.yaml").is_file().then(|| here.to_owned())
        }
    }
}

/// Reads the specification. Prints every error with the line it is about. A file with errors leaves out its own
/// instruction only.
pub(crate) fn load_spec(specs: Option<&Path>) -> anyhow::Result<Spec> {
    let loaded = match directory(specs) {
        Some(directory) => Spec::load_sound_part(&directory),
        None => shipped::spec().map(|spec| (spec, Vec::new())),
    };
    let (spec, errors) = sound(loaded, "specification")?;
    show(&errors);
    if !errors.is_empty() {
        say(&format!(
            "warning: {} in the specification: without {}\n",
            counted(errors.len(), "error"),
            spec.left_out.join(", ")
        ));
    }
    Ok(spec)
}

/// Reads only what the specification shares between instructions, in a fraction of the time of [`load_spec`].
pub(crate) fn load_isa(specs: Option<&Path>) -> anyhow::Result<Isa> {
    let loaded = match directory(specs) {
        Some(directory) => Isa::load(&directory),
        None => shipped::isa(),
    };
    sound(loaded, "specification")
}

/// The option that allows lines of no instruction.
#[derive(Debug, clap::Args)]
pub(crate) struct UnknownOpts {
    /// Take instructions that PTX does not have for ones that are only unknown, as of an extension of PTX. By default they
    /// are errors. With --specs, they are if its isa.yaml says that it is `complete`.
    #[arg(long)]
    allow_unknown: bool,
}

impl UnknownOpts {
    /// As [`load_spec`], but not complete if unknown instructions are allowed.
    pub(crate) fn load_spec(&self, specs: Option<&Path>) -> anyhow::Result<Spec> {
        let mut spec = load_spec(specs)?;
        spec.complete &= !self.allow_unknown;
        Ok(spec)
    }
}

/// As [`load_spec`], but every error in any file is one.
pub(crate) fn load_whole_spec(specs: Option<&Path>) -> anyhow::Result<Spec> {
    let spec = match directory(specs) {
        Some(directory) => Spec::load(&directory),
        None => shipped::spec(),
    };
    sound(spec, "specification")
}

/// Reads the known divergences of a specification, in the way of [`load_spec`].
pub(crate) fn load_divergences(specs: Option<&Path>, spec: &Spec) -> anyhow::Result<Divergences> {
    sound(Divergences::load(directory(specs).as_deref(), spec), "list of known divergences")
}

/// Reads the releases of CUDA.
pub(crate) fn load_releases(specs: Option<&Path>, isa: &Isa) -> anyhow::Result<ReleaseTable> {
    sound(ReleaseTable::load(directory(specs).as_deref(), isa), "table of releases")
}

/// Reads the releases of CUDA, if the specification has any.
pub(crate) fn load_listed_releases(specs: Option<&Path>, isa: &Isa) -> anyhow::Result<Option<ReleaseTable>> {
    match ReleaseTable::is_in(directory(specs).as_deref()) {
        true => load_releases(specs, isa).map(Some),
        false => Ok(None),
    }
}

/// A version of an engine by its name, if its divergences are listed. It need not be installed.
pub(crate) fn listed_engine(name: &str, divergences: &Divergences) -> anyhow::Result<EngineVersion> {
    let engine = EngineVersion::parse(name)?;
    if !divergences.families().any(|family| family == engine.family) {
        let listed: Vec<String> = divergences.families().map(|family| format!("`{family}`")).collect();
        let there = match listed.is_empty() {
            true => "the specification has none".to_owned(),
            false => format!("there is one for {}", listed.join(" and ")),
        };
        bail!("there is no list of divergences for the engine `{}`; {there}", engine.family);
    }
    Ok(engine)
}

fn sound<T>(loaded: Result<T, Vec<Error>>, what: &str) -> anyhow::Result<T> {
    match loaded {
        Ok(loaded) => Ok(loaded),
        Err(errors) => {
            show(&errors);
            bail!("{} in the {what}", counted(errors.len(), "error"))
        }
    }
}

fn show(errors: &[Error]) {
    for error in errors {
        say_painted(&format!("{}\n", error.render(color(&io::stderr()))));
    }
}

/// The instructions and directives with these names, in this order; all of them if the list is empty.
pub(crate) fn instructions<'s>(spec: &'s Spec, names: &[String]) -> anyhow::Result<Vec<&'s Instruction>> {
    if names.is_empty() {
        return Ok(spec.all().collect());
    }
    let find = |name: &String| match spec.named(name) {
        Some(instruction) => Ok(instruction),
        None if spec.left_out.contains(name) => bail!("the specification of `{name}` has errors"),
        None => match nearest(name, spec.all().map(|known| known.name.as_str())) {
            Some(near) => bail!("`{name}` has no specification; did you mean `{near}`?"),
            None => bail!("`{name}` has no specification; {LISTED}"),
        },
    };
    names.iter().map(find).collect()
}
