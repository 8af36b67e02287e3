//! NVIDIA's Python packages: their versions, and the programs in them. Pip downloads them, and knows where from.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::Error;
use crate::child::{self, Allowance, End};

/// The numbers of a version, one to three with dots between them; none of any other text.
pub fn numbers(version: &str) -> Option<Vec<u32>> {
    let number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?;
    let numbers: Option<Vec<u32>> = version.split('.').map(number).collect();
    numbers.filter(|numbers| numbers.len() <= 3)
}

/// The error of a file or directory that cannot be used.
pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { path, source }
}

/// Asks pip to download a requirement such as `nvidia-cuda-nvcc==13.5.37`. Returns whether it did, and its messages.
fn ask(requirement: &str, to: &Path) -> Result<(bool, String), Error> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "--retries", "2", "-q", "-d"]);
    pip.arg(to).arg(requirement);
    run(pip, to)
}

/// Downloads the package, and returns the wheel. `wanted` is a requirement as pip writes it: `==13.5.37`.
pub(super) fn download(package: &str, request: &str, wanted: &str, to: &Path) -> Result<PathBuf, Error> {
    let requirement = format!("{package}{wanted}");
    let (done, said) = ask(&requirement, to)?;
    if !done {
        return Err(pip_error(package, request, requirement, &said));
    }
    let entries = std::fs::read_dir(to).map_err(file(to))?.flatten();
    let wheel = entries.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "whl"));
    wheel.ok_or_else(|| Error::Package { package: package.to_owned(), what: "it has no wheel".to_owned() })
}

/// The versions of a package that this machine can use; none if there are only previews and placeholders.
pub(super) fn versions(package: &str, to: &Path) -> Result<Vec<String>, Error> {
    // Pip names all versions if there is none that fits; its command for that is not in every pip.
    let requirement = format!("{package}==0");
    let (done, said) = ask(&requirement, to)?;
    match listed(&said) {
        Some(versions) if !done => Ok(versions),
        _ => Err(pip_error(package, "0", requirement, &said)),
    }
}

/// The versions that a message of pip lists, without previews and placeholders.
fn listed(said: &str) -> Option<Vec<String>> {
    let (_, rest) = said.split_once("(from versions: ")?;
    let versions = rest.split(')').next().filter(|versions| *versions != "none")?.split(", ");
    Some(versions.filter(|version| numbers(version).is_some()).map(str::to_owned).collect())
}

/// The error that pip's messages mean. Messages that would name hosts are not repeated.
fn pip_error(package: &str, request: &str, requirement: String, said: &str) -> Error {
    if said.contains("No module named pip") {
        return Error::NoPip;
    }
    if let Some(versions) = listed(said).filter(|versions| !versions.is_empty()) {
        return Error::NoVersion { package: package.to_owned(), request: request.to_owned(), versions };
    }
    let unreachable = ["Retrying", "onnection", "NameResolution", "timed out", "ProxyError", "SSLError"];
    if unreachable.iter().any(|word| said.contains(word)) || said.contains("(from versions: none)") {
        return Error::NoNetwork;
    }
    let mut message = String::new();
    let line = said.lines().rev().find(|line| line.starts_with("ERROR")).or(said.lines().next_back());
    for word in line.unwrap_or("it said nothing").split_whitespace().filter(|word| !word.contains("://")) {
        // Writing to a String cannot fail.
        let _ = write!(message, "{}{word}", if message.is_empty() { "" } else { " " });
    }
    Error::Pip { requirement, message }
}

/// Takes one program, `*/bin/ptxas` if the file is to be called so, and nothing else out of a wheel.
pub(super) fn extract(package: &str, wheel: &Path, to: &Path) -> Result<(), Error> {
    const SCRIPT: &str = "\
import os, shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    program = '/bin/' + os.path.basename(sys.argv[2])
    names = [name for name in wheel.namelist() if name.endswith(program)]
    if len(names) != 1:
        sys.exit('%d files in it are called %s' % (len(names), program[1:]))
    with wheel.open(names[0]) as source, open(sys.argv[2], 'wb') as target:
        shutil.copyfileobj(source, target)
os.chmod(sys.argv[2], 0o755)
";
    let mut python = Command::new("python3");
    python.args(["-c", SCRIPT]).arg(wheel).arg(to);
    let (done, said) = run(python, to.parent().unwrap_or(Path::new(".")))?;
    if done {
        return Ok(());
    }
    let what = said.lines().next_back().unwrap_or("it cannot be unpacked").to_owned();
    Err(Error::Package { package: package.to_owned(), what })
}

/// Limits for Python, which are longer than anything it does here takes.
const PATIENCE: Allowance = Allowance { time: Duration::from_secs(900), output: 16 << 20, address_space: None };

fn run(python: Command, directory: &Path) -> Result<(bool, String), Error> {
    let (end, printed) = child::run(python, &directory.join("printed"), &PATIENCE).map_err(Error::NoPython)?;
    match end {
        End::Exited(status) => Ok((status == 0, String::from_utf8_lossy(&printed).into_owned())),
        End::OutOfTime => Err(Error::Slow(PATIENCE.time.as_secs() / 60)),
        End::Interrupted => Err(Error::Stopped("it was interrupted".to_owned())),
        End::Signal(signal) => Err(Error::Stopped(format!("it died of signal {signal}"))),
        End::Flooded | End::OutOfMemory => Err(Error::Stopped("it printed or used too much".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert_eq!(numbers("13.5.37"), Some(vec![13, 5, 37]));
        assert_eq!(numbers("13"), Some(vec![13]));
        for bad in ["", "13.", "x", "13.5.37.1", "+1", "13.*", "13.5; rm", "../x"] {
            assert_eq!(numbers(bad), None, "{bad}");
        }
    }

    #[test]
    fn errors_of_pip_are_distinguished() {
        let error = |said| pip_error("p", "13.9", "p==13.9.*".to_owned(), said).to_string();
        let versions = "ERROR: Could not find a version that satisfies the requirement p==13.9.* (from versions: 0.0.1.dev4, 13.0.48, 13.5.37)\nERROR: No matching";
        assert_eq!(error(versions), "the package `p` has no version 13.9; there are: 13.0.48, 13.5.37");
        assert_eq!(listed(versions), Some(vec!["13.0.48".to_owned(), "13.5.37".to_owned()]));
        assert_eq!(listed("(from versions: 0.0.1.dev4)"), Some(Vec::new()));
        assert_eq!(listed("WARNING: Retrying\nERROR: x (from versions: none)"), None);
        assert!(error("/usr/bin/python3: No module named pip").contains("ensurepip"));
        assert!(error("WARNING: Retrying (Retry(total=0))\nERROR: x (from versions: none)").contains("network"));
        assert_eq!(
            error("ERROR: disk full at https://x/y z\nnote"),
            "pip cannot download `p==13.9.*`: ERROR: disk full at z"
        );
    }
}
