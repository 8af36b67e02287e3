//! The modules of docs/defects/front-end.md do with the real `ptxas` what the page says.

use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::toolchain::Installed;

use crate::installed::tested;
use crate::{Tested, real};

const PAGE: &str = include_str!("../../docs/defects/front-end.md");

/// A module of the page, and what it says of it.
struct Defect {
    title: String,
    arch: String,
    /// The first version that does it, and the last one.
    versions: [Version; 2],
    /// `signal 11`, or a part of the message.
    does: String,
    module: String,
}

/// Major and minor version.
type Version = (u32, u32);

pub(crate) fn trials() -> Vec<Trial> {
    let toolchains = tested();
    if toolchains.is_empty() {
        return vec![real::missing("front_end")];
    }
    let trial = |toolchain: Installed| {
        Trial::test(format!("front_end::{}", toolchain.version), move || defects_show(&toolchain))
    };
    toolchains.into_iter().map(trial).collect()
}

/// The modules of the page: each after a line such as `` `ptxas -arch sm_90 x.ptx`, 11.8 to 13.1: signal 11 ``.
fn defects() -> Vec<Defect> {
    let mut defects = Vec::new();
    for section in PAGE.split("\n## ").skip(1) {
        let read = || {
            let command = section.lines().find(|line| line.starts_with("`ptxas "))?;
            let (arch, rest) = command.strip_prefix("`ptxas -arch ")?.split_once(' ')?;
            let (versions, does) = rest.split_once("`, ")?.1.split_once(": ")?;
            let (first, last) = versions.split_once(" to ")?;
            let module = section.split_once("```ptx\n")?.1.split_once("```")?.0;
            Some(Defect {
                title: section.lines().next()?.to_owned(),
                arch: arch.to_owned(),
                versions: [version(first)?, version(last)?],
                does: does.to_owned(),
                module: module.to_owned(),
            })
        };
        defects.push(read().unwrap_or_else(|| panic!("a section has another form: {section}")));
    }
    defects
}

fn version(text: &str) -> Option<Version> {
    let mut parts = text.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

fn defects_show(toolchain: &Installed) -> Tested {
    let own = version(&toolchain.version.to_string()).ok_or("a version")?;
    let folder = tempfile::tempdir()?;
    let mut wrong = Vec::new();
    for defect in defects() {
        let output = assemble(&toolchain.path, &defect, folder.path())?;
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let killed = std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(11);
        let shows = if defect.does == "signal 11" { killed } else { said.contains(&defect.does) };
        let listed = (defect.versions[0]..=defect.versions[1]).contains(&own);
        // Versions outside may not know the target or the PTX version.
        if shows != listed {
            wrong.push(format!("{}: {}: {said}", defect.title, if listed { "is mended" } else { "shows" }));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failed::from(wrong.join("\n"))) }
}

fn assemble(ptxas: &Path, defect: &Defect, folder: &Path) -> std::io::Result<Output> {
    let module = folder.join("x.ptx");
    std::fs::write(&module, &defect.module)?;
    Command::new(ptxas).args(["-arch", &defect.arch]).arg(&module).args(["-o", "/dev/null"]).output()
}
