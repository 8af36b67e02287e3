//! Finding `ptxas` and the disassembler `nvdisasm` on this machine, and installing versions of them.
//!
//! NVIDIA's licence for them is proprietary: they are downloaded by and for the user, from NVIDIA's own Python
//! packages into the user's cache, and never redistributed.

mod pip;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use etcetera::BaseStrategy as _;

use super::ptxas;
use crate::child::{self, Allowance, End};
use crate::scratch::OwnedFolder;
pub use pip::numbers;
use pip::{download, extract, file};

/// A `ptxas` that was found or installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Its full version: `13.5.37`.
    pub version: String,
    /// The binary.
    pub path: PathBuf,
}

/// The reason why there is no `ptxas`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No usual place has a `ptxas`.
    #[error(
        "no `ptxas` in PTXAS, PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda*/bin or the cache; \
         run `ptx-conform toolchain install 13.5`"
    )]
    None,
    /// This version is not on this machine.
    #[error("`ptxas` {request} is not on this machine ({there}); run `ptx-conform toolchain install {request}`")]
    NoSuch {
        /// The version asked for.
        request: String,
        /// The versions that there are, in words.
        there: String,
    },
    /// The text is not a version.
    #[error("`{0}` is not a `ptxas` version; use one such as 13.5 or 13.5.37")]
    BadRequest(String),
    /// There are no packages for it.
    #[error("`ptxas` {0} is not published as a package; the oldest package is 11.7")]
    Unpublished(String),
    /// The package has other versions.
    #[error("the package `{package}` has no version {request}; there are: {}", .versions.join(", "))]
    NoVersion {
        /// The package.
        package: String,
        /// The version asked for.
        request: String,
        /// The versions that pip knows.
        versions: Vec<String>,
    },
    /// NVIDIA has no packages for this machine.
    #[error("`ptxas` cannot be installed on {0}; there are packages for Linux on x86_64 and aarch64")]
    Platform(String),
    /// There is no cache directory.
    #[error("the home directory is unknown; set PTX_CONFORM_CACHE to a directory to install to")]
    NoCache,
    /// Python is needed to install.
    #[error("`python3` cannot be started ({0}); it is needed to download NVIDIA's package")]
    NoPython(io::Error),
    /// Pip does not finish.
    #[error("pip did not finish within {0} minutes; check the network, the proxy and pip's settings")]
    Slow(u64),
    /// Python was stopped.
    #[error("`python3` did not finish the installation: {0}")]
    Stopped(String),
    /// Pip is needed to install.
    #[error("`python3` has no pip; install it (`python3 -m ensurepip`, or your system's `python3-pip`)")]
    NoPip,
    /// The package index does not answer.
    #[error("pip cannot reach its package index; check the network, the proxy and pip's settings")]
    NoNetwork,
    /// Pip failed in another way.
    #[error("pip cannot download `{requirement}`: {message}")]
    Pip {
        /// The package and version.
        requirement: String,
        /// The message of pip.
        message: String,
    },
    /// The package is not what it should be.
    #[error("the package `{package}` is not as expected: {what}")]
    Package {
        /// The package.
        package: String,
        /// The fault that was found, in words.
        what: String,
    },
    /// A file or directory cannot be used.
    #[error("`{}`: {source}", .path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A binary that was found or installed does not run.
    #[error(transparent)]
    Ptxas(#[from] ptxas::Error),
}

/// The `ptxas` to use if no version is given: `option`, else the first of PTXAS, PATH, CUDA_HOME,
/// CUDA_PATH, /usr/local/cuda*/bin, and the newest one installed by [`install`].
///
/// # Errors
/// If no `ptxas` is found. Whether `option` and PTXAS are usable is not checked.
pub fn discover(option: Option<&Path>) -> Result<PathBuf, Error> {
    let named = option.map(Path::to_owned).or_else(|| variable("PTXAS"));
    let found = named.or_else(|| on_this_machine().into_iter().next());
    found.or_else(|| installed().into_iter().next().map(|newest| newest.path)).ok_or(Error::None)
}

/// The versions that [`install`] has installed, newest first.
pub fn installed() -> Vec<Installed> {
    let Ok(directory) = directory() else { return Vec::new() };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let toolchains = entries.filter_map(|entry| {
        let path = entry.path().join("ptxas");
        let version = entry.file_name().into_string().ok()?;
        (numbers(&version).is_some() && path.is_file()).then_some(Installed { version, path })
    });
    newest_first(toolchains.collect())
}

/// Every version that was installed or found, newest first.
pub fn all() -> Vec<Installed> {
    let mut toolchains = installed();
    for path in variable("PTXAS").into_iter().chain(on_this_machine()) {
        // One that does not run is left out; a user who names it gets the reason.
        let Ok(version) = ptxas::version_of(&path) else { continue };
        if !toolchains.iter().any(|toolchain| toolchain.version == version) {
            toolchains.push(Installed { version, path });
        }
    }
    newest_first(toolchains)
}

/// The newest `ptxas` that `request` matches: `13.5` matches every 13.5.*, `13.5.37` only itself.
///
/// # Errors
/// If the request is not a version, or matches none; lists the versions that exist.
pub fn find(request: &str) -> Result<Installed, Error> {
    let wanted = numbers(request).ok_or_else(|| Error::BadRequest(request.to_owned()))?;
    let fits = |toolchain: &Installed| numbers(&toolchain.version).is_some_and(|have| have.starts_with(&wanted));
    // An installed version is known without running it.
    if let Some(toolchain) = installed().into_iter().find(fits).filter(|_| wanted.len() == 3) {
        return Ok(toolchain);
    }
    let toolchains = all();
    if let Some(toolchain) = toolchains.iter().find(|toolchain| fits(toolchain)) {
        return Ok(toolchain.clone());
    }
    let versions: Vec<&str> = toolchains.iter().map(|toolchain| toolchain.version.as_str()).collect();
    let there = match versions.as_slice() {
        [] => "there is no `ptxas`".to_owned(),
        versions => format!("there are: {}", versions.join(", ")),
    };
    Err(Error::NoSuch { request: request.to_owned(), there })
}

/// The packages of `ptxas`, each with the first of its major versions; the last is that of all later ones.
const PACKAGES: [(u32, &str); 3] =
    [(11, "nvidia-cuda-nvcc-cu11"), (12, "nvidia-cuda-nvcc-cu12"), (13, "nvidia-cuda-nvcc")];

/// The package that has a major version.
fn package_of(major: u32) -> Option<&'static str> {
    PACKAGES.iter().rev().find(|(first, _)| *first <= major).map(|(_, package)| *package)
}

/// Every version of `ptxas` that is published as a package for this machine, update releases too, newest first.
///
/// # Errors
/// If Python, pip or a network is missing.
pub fn published() -> Result<Vec<String>, Error> {
    let temporary = temporary(&cache_for_packages()?)?;
    let mut versions = Vec::new();
    for (_, package) in PACKAGES {
        let of_package = pip::versions(package, temporary.path())?;
        // A package may have versions that another package is asked for.
        versions.extend(of_package.into_iter().filter(|version| {
            numbers(version).is_some_and(|parts| parts.len() == 3 && package_of(parts[0]) == Some(package))
        }));
    }
    versions.sort_by_cached_key(|version| std::cmp::Reverse(numbers(version)));
    versions.dedup();
    Ok(versions)
}

/// Downloads a version of `ptxas` into the user's cache. `13.5` is the newest 13.5.*, `13` the newest 13.*; a full
/// version that is installed already is not downloaded again.
///
/// NVIDIA's licence is proprietary: the user downloads it for use on this machine.
///
/// # Errors
/// If the version does not exist, or if Python, pip or a network is missing.
pub fn install(request: &str) -> Result<Installed, Error> {
    let wanted = numbers(request).ok_or_else(|| Error::BadRequest(request.to_owned()))?;
    // One that does not run, or that has another version, is replaced.
    let there = installed().into_iter().find(|toolchain| toolchain.version == request);
    if let Some(there) = there.filter(|there| ptxas::version_of(&there.path).is_ok_and(|is| is == request)) {
        return Ok(there);
    }
    let package = package_of(wanted[0]).ok_or_else(|| Error::Unpublished(request.to_owned()))?;
    let directory = cache_for_packages()?;
    let temporary = temporary(&directory)?;
    let any = if wanted.len() < 3 { ".*" } else { "" };
    let wheel = download(package, request, &format!("=={request}{any}"), temporary.path())?;
    let binary = temporary.path().join("ptxas");
    extract(package, &wheel, &binary)?;
    let version = ptxas::version_of(&binary)?;
    let published = wheel.file_name().and_then(|name| name.to_str()?.split('-').nth(1)).unwrap_or_default();
    if version != published {
        let what = format!("the package says {published}, the binary {version}");
        return Err(Error::Package { package: package.to_owned(), what });
    }
    let path = directory.join(&version).join("ptxas");
    put(&binary, &path)?;
    Ok(Installed { version, path })
}

/// The directory of installed versions, made if it is not there.
///
/// # Errors
/// If it cannot be made, or NVIDIA has no packages for this machine.
fn cache_for_packages() -> Result<PathBuf, Error> {
    let platform = (std::env::consts::OS, std::env::consts::ARCH);
    if !matches!(platform, ("linux", "x86_64" | "aarch64")) {
        return Err(Error::Platform(format!("{} on {}", platform.0, platform.1)));
    }
    let directory = directory()?;
    std::fs::create_dir_all(&directory).map_err(file(&directory))?;
    remove_leftovers(&directory);
    Ok(directory)
}

/// A temporary directory in the cache itself, so that moving a file into place is one step.
fn temporary(directory: &Path) -> Result<OwnedFolder, Error> {
    OwnedFolder::new(directory, WORK).map_err(file(directory))
}

/// Moves a file to where it is installed.
fn put(from: &Path, to: &Path) -> Result<(), Error> {
    let place = to.parent().unwrap_or(to);
    std::fs::create_dir_all(place).map_err(file(place))?;
    // The file is on the disk completely before it gets its name.
    std::fs::File::open(from).and_then(|written| written.sync_all()).map_err(file(from))?;
    // If two processes install at once, the second replaces the file with an equal one.
    std::fs::rename(from, to).map_err(file(to))
}

/// Limits for naming a version.
const INTRODUCTION: Allowance = Allowance { time: Duration::from_secs(20), output: 1 << 20, address_space: None };

/// The package of the disassembler; it has releases from 13.2 on.
const DISASSEMBLER: &str = "nvidia-cuda-nvdisasm";

/// Installs NVIDIA's disassembler for the machine code of an installed `ptxas`, next to it: that of the same release,
/// or else the newest, which reads the machine code of older releases as well. One that is there and runs is kept. A
/// release is downloaded and stored once: the files next to several `ptxas` are links to the same.
///
/// # Errors
/// As [`install`].
pub fn install_disassembler(assembler: &Installed) -> Result<PathBuf, Error> {
    let path = assembler.path.with_file_name("nvdisasm");
    let directory = cache_for_packages()?;
    let temporary = temporary(&directory)?;
    if runs(&path, temporary.path()) {
        return Ok(path);
    }
    let stored = match stored_disassembler(&assembler.version, temporary.path()) {
        Err(Error::NoVersion { versions, .. }) if !versions.is_empty() => {
            let newest = versions.iter().max_by_key(|version| numbers(version));
            stored_disassembler(newest.unwrap_or(&assembler.version), temporary.path())?
        }
        stored => stored?,
    };
    let link = temporary.path().join("link");
    // A file system may have no links.
    if std::fs::hard_link(&stored, &link).is_err() {
        std::fs::copy(&stored, &link).map_err(file(&stored))?;
    }
    put(&link, &path)?;
    Ok(path)
}

/// A release of the disassembler in the cache, downloaded if it is not there.
fn stored_disassembler(version: &str, temporary: &Path) -> Result<PathBuf, Error> {
    let stored = directory()?.with_file_name("nvdisasm").join(version).join("nvdisasm");
    if !runs(&stored, temporary) {
        let wheel = download(DISASSEMBLER, version, &format!("=={version}"), temporary)?;
        let binary = temporary.join("nvdisasm");
        extract(DISASSEMBLER, &wheel, &binary)?;
        if !runs(&binary, temporary) {
            let what = "its nvdisasm does not run".to_owned();
            return Err(Error::Package { package: DISASSEMBLER.to_owned(), what });
        }
        put(&binary, &stored)?;
    }
    Ok(stored)
}

/// True if a program names a version, as those of NVIDIA do; not if its file is missing, empty or damaged.
fn runs(program: &Path, temporary: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg("--version");
    let ended = child::run(command, &temporary.join("version"), &INTRODUCTION);
    matches!(ended, Ok((End::Exited(0), said)) if String::from_utf8_lossy(&said).contains(", V"))
}

/// The disassembler next to a `ptxas`, as a toolkit has it and [`install_disassembler`] puts it; else the newest one that
/// was installed next to any.
pub fn disassembler(assembler: &Path) -> Option<PathBuf> {
    let beside = |path: &Path| Some(path.with_file_name("nvdisasm")).filter(|path| path.is_file());
    beside(assembler).or_else(|| installed().iter().find_map(|installed| beside(&installed.path)))
}

/// The folder that keeps what disassemblers printed; `None` if there is no cache directory.
pub fn disassembled() -> Option<PathBuf> {
    Some(directory().ok()?.with_file_name("disassembled"))
}

/// The folder for answers that are kept from run to run: `PTX_CONFORM_ANSWERS`, or a folder of the cache. `None` if there is no
/// cache directory, or the variable is empty.
pub fn answers() -> Option<PathBuf> {
    match std::env::var_os("PTX_CONFORM_ANSWERS") {
        Some(folder) => Some(PathBuf::from(folder)).filter(|folder| !folder.as_os_str().is_empty()),
        None => Some(directory().ok()?.with_file_name("answers")),
    }
}

/// The prefix of an installation's temporary directories.
const WORK: &str = ".install-";
/// Temporary directories older than this are left over, also on a file system without locks: no installation takes this
/// long.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Removes what killed installations left behind on other machines that share the cache, or where there are no locks. All
/// else is removed when the next directory is made.
fn remove_leftovers(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let work = entry.file_name().to_str().is_some_and(|name| name.starts_with(WORK));
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        if work && age.is_some_and(|age| age > ABANDONED) {
            // If it cannot be removed, it does no harm.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// The directory of installed versions, each in its own subdirectory.
fn directory() -> Result<PathBuf, Error> {
    if let Some(cache) = variable("PTX_CONFORM_CACHE") {
        return Ok(cache.join("ptxas"));
    }
    let strategy = etcetera::choose_base_strategy().map_err(|_| Error::NoCache)?;
    Ok(strategy.cache_dir().join("ptx-conform").join("ptxas"))
}

/// Files called `ptxas` in the usual places, in order of preference.
fn on_this_machine() -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = Vec::new();
    if let Some(path) = std::env::var_os("PATH") {
        directories.extend(std::env::split_paths(&path));
    }
    let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable);
    directories.extend(homes.map(|home| home.join("bin")));
    let mut cudas: Vec<(Option<Vec<u32>>, PathBuf)> = std::fs::read_dir("/usr/local")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_prefix("cuda")?.trim_start_matches('-').to_owned();
            Some((numbers(&version), entry.path().join("bin")))
        })
        .collect();
    // `cuda` without a version is a link to the machine's default version.
    cudas.sort_by_key(|(version, _)| (version.is_some(), std::cmp::Reverse(version.clone())));
    directories.extend(cudas.into_iter().map(|(_, bin)| bin));
    directories.into_iter().map(|directory| directory.join("ptxas")).filter(|path| path.is_file()).collect()
}

/// A path in an environment variable that is set to something.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The versions in order, the newest first.
pub fn newest_first(mut toolchains: Vec<Installed>) -> Vec<Installed> {
    toolchains.sort_by_cached_key(|toolchain| std::cmp::Reverse(numbers(&toolchain.version)));
    toolchains
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_comes_first_by_number() {
        let toolchain = |version: &str| Installed { version: version.to_owned(), path: PathBuf::new() };
        let sorted = newest_first(["9.9.9", "13.5.9", "13.5.37"].map(toolchain).to_vec());
        assert_eq!(sorted.iter().map(|t| t.version.as_str()).collect::<Vec<_>>(), ["13.5.37", "13.5.9", "9.9.9"]);
    }
}
