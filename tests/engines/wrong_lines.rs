//! The search for wrong code in files, which `check` makes: in compiled kernels it finds each listed chain of lines that was put in,
//! and nothing in the kernels as they are.

use libtest_mimic::{Failed, Trial};
use ptx_conform::divergences::EngineVersion;
use ptx_conform::engine::Engine as _;
use ptx_conform::plural::counted;
use ptx_conform::wrong_code::WrongCodeSearch;

use crate::blame::{Asked, VERSION, chains, hosts, with_chain};
use crate::transcript;

/// The warnings that are true in the kernels of the corpus: a position and a length that are loaded from memory can be more than
/// 255.
const TRUE: [(&str, &[usize]); 1] = [("bits.sm_61.cuda11.8.ptx", &[185, 189])];

pub(crate) fn trials() -> Vec<Trial> {
    let absent = crate::installed::skipped_without(VERSION);
    vec![
        Trial::test("listed_lines_are_found_without_executing_kernels", are_found).with_ignored_flag(absent),
        Trial::test("wrong_lines_are_shown", are_shown).with_ignored_flag(absent),
        Trial::test("kernels_have_no_wrong_code_but_the_true_one", no_others).with_ignored_flag(absent),
    ]
}

/// Chains that are wrong if a register of their kernel happens to hold something else than 0.
const BY_CHANCE: [&str; 1] = ["upper-halves-of-guarded-functions"];

/// Each chain is found at its lines in a kernel, but for those that are wrong only in a loop, or by chance.
fn are_found() -> Result<(), Failed> {
    let asked = Asked::new()?;
    let (hosts, version) = (hosts(), EngineVersion::of(asked.engines[0].id()).ok_or("a version")?);
    let mut all = Vec::new();
    for (at, (known, chain)) in chains(&asked, &version).enumerate() {
        if !known.id.ends_with("-of-loops") && !BY_CHANCE.contains(&known.id.as_str()) {
            let host = &hosts[at * 5 % hosts.len()];
            let (case, block) = with_chain(&host.case, chain);
            // Not all listed lines are in older targets. The text keeps its length.
            all.push((known, host, case.module.replacen(".target sm_70", ".target sm_90", 1), block));
        }
    }
    let texts: Vec<&str> = all.iter().map(|(_, _, text, _)| text.as_str()).collect();
    let mut wrong = String::new();
    let searched = WrongCodeSearch::new(&asked.spec, &asked.divergences, VERSION).of(&texts);
    for ((known, host, _, block), of) in all.iter().zip(searched) {
        let inside = of.found.iter().filter(|of| of.at.iter().all(|at| block.start <= at.start && at.end <= block.end));
        let named: Vec<&str> = inside.filter_map(|of| Some(of.listed.as_ref()?.id.as_str())).collect();
        if named.is_empty() || of.found.len() > named.len() || !of.untried.is_empty() {
            let (found, tried) = (of.found.len(), counted(of.tried, "place"));
            wrong += &format!("{} in {}: {tried}, {found} found, {named:?}, {:?}\n", known.id, host.name, of.untried);
        }
    }
    if wrong.is_empty() && !all.is_empty() { Ok(()) } else { Err(format!("of {}:\n{wrong}", all.len()).into()) }
}

/// Each `tests/check/installed/*.txt` is a transcript that needs the version.
fn are_shown() -> Result<(), Failed> {
    transcript::replay_all(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check/installed").as_ref());
    Ok(())
}

fn no_others() -> Result<(), Failed> {
    let asked = Asked::new()?;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/ptx");
    let mut texts: Vec<(String, String)> =
        hosts().iter().map(|host| (host.name.clone(), host.case.module.to_string())).collect();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a name")?.to_owned();
        texts.push((name, std::fs::read_to_string(&path)?));
    }
    let of: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let searched = WrongCodeSearch::new(&asked.spec, &asked.divergences, VERSION).of(&of);
    let mut wrong = String::new();
    for ((name, text), of) in texts.iter().zip(searched) {
        let line = |at: usize| 1 + text[..at].matches('\n').count();
        let found: Vec<usize> = of.found.iter().filter_map(|of| Some(line(of.at.last()?.start))).collect();
        let expected = TRUE.iter().find(|(known, _)| known == name).map_or(&[][..], |(_, lines)| lines);
        if found != expected {
            wrong += &format!("{name}: {found:?} instead of {expected:?}\n");
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}
