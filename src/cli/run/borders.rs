//! Asks where the wrong code and the crashes that a run found happen.

use std::collections::BTreeMap;

use ptx_conform::borders::{BorderBuilds, Borders};
use ptx_conform::case::Stored;
use ptx_conform::causes::Finding;
use ptx_conform::divergences::Does;
use ptx_conform::engine::sass::Configuration;
use ptx_conform::engine::{ptxas, toolchain};
use ptx_conform::plural::counted;
use ptx_conform::report::{ChainFinding, Report};
use ptx_conform::spec::Spec;

/// The most findings that all builds are asked about: each costs a process for each build, target and level.
const MOST: usize = 24;

/// A finding of wrong code or a crash.
enum BorderedFinding<'r> {
    Line(&'r Finding),
    Chain(&'r ChainFinding),
}

/// Asks each installed build about the findings of a report, and adds the answers to it.
pub(super) fn add(spec: &Spec, report: &mut Report) {
    let found = findings(report);
    if found.is_empty() {
        return;
    }
    let left = found.len().saturating_sub(MOST);
    let mut notes = Vec::new();
    if left > 0 {
        notes.push(format!("which builds have {} was not asked: only {MOST} are", counted(left, "more finding")));
    }
    let builds = toolchain::all();
    let mut borders = BTreeMap::new();
    match BorderBuilds::open(&builds) {
        Err(why) => notes.push(format!("which builds have the findings was not asked: {why}")),
        Ok(opened) => {
            for (number, finding) in found.iter().take(MOST).enumerate() {
                let (number, all) = (number + 1, found.len().min(MOST));
                super::super::output::say(&format!(
                    "asking {} about finding {number} of {all}",
                    counted(builds.len(), "build")
                ));
                let (fingerprint, of) = asked(&opened, spec, finding);
                match of.filter(|of| !of.asked.is_empty()) {
                    Some(of) => drop(borders.insert(fingerprint.clone(), of)),
                    None => notes.push(format!("which builds have {fingerprint} could not be asked")),
                }
            }
        }
    }
    report.borders = borders;
    report.notes.extend(notes);
}

/// The findings of wrong code and crashes of assemblers.
fn findings(report: &Report) -> Vec<BorderedFinding<'_>> {
    let is_code = |family: &str| family.parse::<Configuration>().is_ok();
    let of_line = |finding: &&Finding| match finding.does {
        Does::Computes => is_code(&finding.family) && finding.case.row.is_some(),
        Does::Crashes => finding.family == ptxas::FAMILY && finding.case.row.is_none(),
        Does::Accepts | Does::Rejects => false,
    };
    let lines = report.findings.iter().filter(of_line).map(BorderedFinding::Line);
    let chains = report.chain_findings();
    let chains =
        chains.iter().filter(|of| of.engines.iter().any(|engine| is_code(engine.split('@').next().unwrap_or(engine))));
    lines.chain(chains.map(|of| BorderedFinding::Chain(of.finding))).collect()
}

/// Where a finding happens, with its fingerprint; none if it cannot be asked.
fn asked<'r>(builds: &BorderBuilds, spec: &Spec, finding: &BorderedFinding<'r>) -> (&'r String, Option<Borders>) {
    match finding {
        BorderedFinding::Line(of) => {
            let borders = match &of.case.row {
                Some(row) => Some(builds.of_rows(spec, &row.execution)),
                None => of.stored().and_then(|text| Some(builds.of_line(&Stored::parse(&text, spec).ok()?))),
            };
            (&of.fingerprint, borders)
        }
        BorderedFinding::Chain(of) => (&of.fingerprint, of.rows().map(|rows| builds.of_chain(spec, &of.chain, &rows))),
    }
}
