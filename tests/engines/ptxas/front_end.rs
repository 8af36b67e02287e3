//! The modules of docs/defects/front-end-*.md do with the real `ptxas` what the pages say.
//!
//! The two versions of [`tested`] are asked about every module. Others that are installed are asked about those of
//! which a page says that they are the first or the last version.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::toolchain::{self, Installed};

use super::{Tested, real};
use crate::defect_pages::{Claim, Module, Section, Version, sections};
use crate::installed::tested;

/// How often a version is asked that does something in some runs only: about half of them.
const RUNS: usize = 40;

pub(crate) fn trials() -> Vec<Trial> {
    let always: Vec<String> = tested().into_iter().map(|toolchain| toolchain.version).collect();
    if always.is_empty() {
        return vec![real::missing("front_end")];
    }
    let sections = Arc::new(sections());
    let trial = |toolchain: Installed| {
        let (sections, all) = (Arc::clone(&sections), always.contains(&toolchain.version));
        let name = format!("front_end::{}", toolchain.version);
        Trial::test(name, move || defects_show(&toolchain, &sections, all))
    };
    toolchain::all().into_iter().map(trial).collect()
}

fn defects_show(toolchain: &Installed, sections: &[Section], all: bool) -> Tested {
    let own = Version::of(&toolchain.version).ok_or("a version")?;
    let folder = tempfile::tempdir()?;
    let mut wrong = Vec::new();
    for section in sections {
        for module in &section.modules {
            let asked = module.claims.iter().filter(|claim| all || claim.versions.contains(&own));
            for claim in asked {
                if let Some(why) = differs(toolchain, own, module, claim, folder.path())? {
                    wrong.push(format!("{}: {} [{}]: {why}", section.page, section.title, section.entries.join(", ")));
                }
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failed::from(wrong.join("\n"))) }
}

/// How a version differs from what the page says of it.
fn differs(
    toolchain: &Installed,
    own: Version,
    module: &Module,
    claim: &Claim,
    folder: &Path,
) -> std::io::Result<Option<String>> {
    let listed = (claim.versions[0]..=claim.versions[1]).contains(&own);
    let mut said = String::new();
    for _ in 0..if listed && claim.sometimes { RUNS } else { 1 } {
        let output = assemble(&toolchain.path, module, claim, folder)?;
        said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let signal = output.status.signal().map(|signal| format!("signal {signal}"));
        let shows = if claim.does.starts_with("signal ") {
            signal.as_ref() == Some(&claim.does)
        } else {
            said.contains(&claim.does)
        };
        if shows {
            // 12.0 dies of every PTX version that it does not know.
            let shown = listed || said.contains("Unsupported .version");
            return Ok((!shown).then(|| format!("-arch {} shows: {said}", claim.arch)));
        }
    }
    Ok(listed.then(|| format!("-arch {} is mended: {said}", claim.arch)))
}

fn assemble(ptxas: &Path, module: &Module, claim: &Claim, folder: &Path) -> std::io::Result<Output> {
    let mut command = Command::new(ptxas);
    command.args(["-arch", &claim.arch]);
    for (number, text) in std::iter::once(&module.text).chain(&module.more).enumerate() {
        let file = folder.join(format!("{number}.ptx"));
        std::fs::write(&file, text)?;
        command.arg(file);
    }
    command.args(["-o", "/dev/null"]).output()
}
