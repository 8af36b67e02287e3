//! Identifies a binary: whether it is `ptxas`, its version, and the targets that it supports.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::answer::death;
use super::binary::Binary;
use super::{Arch, FAMILY, ProcessLimits, Ptxas, diagnostics};
use crate::EngineId;
use crate::child::End;
use crate::health::Health;
use crate::words::acts;
use ptx_spec::environment::{Target, Version};

/// The reason why a file cannot be used as `ptxas`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such file.
    #[error("`{}` does not exist; name a `ptxas` binary, or run `ptx-conform toolchain install`", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be started.
    #[error("`{}` cannot be started: {source}", .path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program does not answer like `ptxas`.
    #[error("`{}` is not `ptxas`: asked for {asked}, it {answer}", .path.display())]
    NotPtxas {
        /// The file.
        path: PathBuf,
        /// The option that it was asked for: `--version`.
        asked: &'static str,
        /// The behaviour of the file instead of an answer.
        answer: String,
    },
}

/// The time limit for questions about the binary itself.
const INTRODUCTION: Duration = Duration::from_secs(20);

/// The full version of the `ptxas` at `path`, such as `13.5.37`; quicker than [`Ptxas::open`].
///
/// # Errors
/// As [`Ptxas::open`].
pub fn version_of(path: &Path) -> Result<String, Error> {
    introduced(path, ProcessLimits::default()).map(|(_, id)| id.version().to_owned())
}

/// Opens a binary with a shorter time limit, and asks for its version.
fn introduced(path: &Path, limits: ProcessLimits) -> Result<(Binary, EngineId), Error> {
    let start = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
        _ => Error::Start { path: path.to_owned(), source },
    };
    // Children run in another directory.
    let path = path.canonicalize().map_err(start)?;
    let limits = ProcessLimits { time: limits.time.min(INTRODUCTION), ..limits };
    let binary = Binary::new(path, limits).map_err(start)?;
    let id = binary.introduction("its version", &["--version"], version)?;
    Ok((binary, id))
}

impl Binary {
    /// Asks one question. The directory has a module with an unsupported version as `0.ptx`.
    fn introduction<T>(
        &self,
        asked: &'static str,
        arguments: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Error> {
        let start = |source| Error::Start { path: self.path().to_owned(), source };
        let directory = self.directory().map_err(start)?;
        std::fs::write(directory.path().join("0.ptx"), ".version 99.0\n.target sm_90\n").map_err(start)?;
        let (end, printed) = self.run(directory.path(), arguments, 0).map_err(start)?;
        let printed = String::from_utf8_lossy(&printed);
        read(&printed).ok_or_else(|| {
            let answer = match end {
                End::OutOfTime => format!("did not answer within {} s", self.limits.time.as_secs()),
                End::Flooded => format!("printed more than {} bytes", self.limits.output),
                End::Signal(signal) => format!("died of signal {signal}"),
                End::OutOfMemory => "ran out of memory".to_owned(),
                End::Interrupted => "was interrupted".to_owned(),
                End::Exited(status) => format!("ended with status {status} and said `{}`", excerpt(&printed)),
            };
            Error::NotPtxas { path: self.path().to_owned(), asked, answer }
        })
    }
}

impl Ptxas {
    /// Opens the assembler at `path` with other limits.
    ///
    /// # Errors
    /// As [`Ptxas::open`].
    pub fn with_limits(path: &Path, limits: ProcessLimits) -> Result<Self, Error> {
        let (mut binary, id) = introduced(path, limits)?;
        let listed = binary.introduction("its `-arch` values", &["--help"], listed)?;
        let newest = binary.introduction("its newest PTX version", &["0.ptx", "-o", "/dev/null"], newest)?;
        binary.limits = limits;
        Ok(Self {
            binary,
            id,
            newest,
            listed,
            archs: Mutex::default(),
            health: Health::default(),
            code_health: Health::default(),
            joint_deaths: Mutex::default(),
        })
    }

    /// Tries an empty module for `target` with this `-arch`: the error is the first message.
    ///
    /// # Errors
    /// If the assembler fails to answer twice.
    pub(super) fn try_arch(&self, target: Target, arch: &Arch) -> io::Result<Result<(), String>> {
        self.try_once(target, arch).or_else(|_| self.try_once(target, arch))
    }

    fn try_once(&self, target: Target, arch: &Arch) -> io::Result<Result<(), String>> {
        let directory = self.binary.directory()?;
        let text = format!(".version {}\n.target {target}\n.address_size 64\n.entry k() {{ ret; }}\n", self.newest);
        std::fs::write(directory.path().join("0.ptx"), text)?;
        let arguments = ["-arch", &arch.value, "0.ptx", "-o", "/dev/null"];
        let (end, printed) = self.binary.run(directory.path(), &arguments, 1)?;
        if let Some(how) = death(&self.binary.limits, end) {
            return Err(io::Error::other(how));
        }
        Ok(match diagnostics::errors(&printed).into_iter().next() {
            Some(message) => Err(message.text),
            None if end == End::Exited(0) => Ok(()),
            None => Err(format!("with `-arch {}` it ended with no message and {end:?}", arch.value)),
        })
    }
}

/// `ptxas@13.5.37` from `Cuda compilation tools, release 13.5, V13.5.37`.
fn version(printed: &str) -> Option<EngineId> {
    if !printed.contains("ptxas") {
        return None;
    }
    let (_, rest) = printed.split_once(", V")?;
    let version = rest.split_whitespace().next()?;
    EngineId::new(FAMILY, version).ok().filter(|_| version.contains('.'))
}

/// The quoted values of `--gpu-name`, which are the only ones of their kind in the help.
fn listed(printed: &str) -> Option<Vec<String>> {
    let quoted = printed.split('\'').skip(1).step_by(2);
    let archs = quoted.filter(|value| value.starts_with("compute_") || value.starts_with("sm_"));
    let archs: Vec<String> = archs.map(str::to_owned).collect();
    (!archs.is_empty()).then_some(archs)
}

/// `9.5` from `Unsupported .version 99.0; current version is '9.5'`.
fn newest(printed: &str) -> Option<Version> {
    let (_, rest) = printed.split_once("current version is '")?;
    rest.split('\'').next()?.parse().ok()
}

/// The beginning of the first line.
fn excerpt(printed: &str) -> String {
    let line = printed.lines().next().unwrap_or_default();
    line.chars().filter(|&c| !acts(c)).take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_version_of_ptxas_is_read() {
        let printed =
            "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.5, V13.5.37\nBuild x";
        assert_eq!(version(printed).as_ref().map(EngineId::as_str), Some("ptxas@13.5.37"));
        for bad in ["", "ptxas", "ptxas, V", "ptxas, V13", "ptxas, V13.x", "nvcc release 13.5, V13.5.37"] {
            assert_eq!(version(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_help_lists_archs() {
        let printed = "  Allowed values: 'compute_90','lto_90',\n 'sm_90a'.\n Default value:  'sm_75'.";
        assert_eq!(listed(printed), Some(["compute_90", "sm_90a", "sm_75"].map(str::to_owned).to_vec()));
        assert_eq!(listed("usage: it's simple"), None);
    }
}
