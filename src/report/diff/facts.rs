//! A report as facts.

use super::super::data::Report;
use super::super::engines::EngineReport;
use super::super::groups::GroupReport;
use super::{Fact, Facts};
use crate::divergences::Does;
use crate::plural::counted;

/// A section: its name, the words for what appears and vanishes in it, and how it is read.
type SectionReader = (&'static str, [&'static str; 2], fn(&Report) -> Facts);

const NEW_GONE: [&str; 2] = ["new", "gone"];
const TESTED: [&str; 2] = ["now tested", "no longer tested"];

/// The most important first.
pub(super) const SECTIONS: [SectionReader; 17] = [
    ("verdict", NEW_GONE, verdict),
    ("findings", NEW_GONE, findings),
    ("engines", ["now asked", "no longer asked"], engines),
    ("not judged", NEW_GONE, not_judged),
    ("rules broken alone", TESTED, rules),
    ("forms", TESTED, forms),
    ("executed rows", TESTED, rows),
    ("findings of chains", NEW_GONE, chain_findings),
    ("mismatch groups", NEW_GONE, new_groups),
    ("known mismatch groups", NEW_GONE, known_groups),
    ("known divergences", ["happen now", "no longer happen"], divergences),
    ("divergences that need attention", NEW_GONE, stale),
    ("examples of the manual", NEW_GONE, examples),
    ("skipped", NEW_GONE, skipped),
    ("undefined results", NEW_GONE, undefined),
    ("beyond the budget", NEW_GONE, left_out),
    ("code of modifiers", NEW_GONE, modifiers),
];

fn facts(of: impl Iterator<Item = (String, String, String)>) -> Facts {
    of.map(|(what, state, numbers)| (what, Fact { state, numbers })).collect()
}

/// The options of the run as facts.
pub(super) fn setting(report: &Report) -> Facts {
    let options = &report.options;
    let or = |value: &Option<String>, usual: &str| value.clone().unwrap_or_else(|| usual.to_owned());
    let instructions = if options.instructions.is_empty() { "all".to_owned() } else { options.instructions.join(" ") };
    let all = [
        ("specification", report.specification.clone()),
        ("divergences", report.divergence_files.clone()),
        ("version of ptx-conform", report.tool.clone()),
        ("seed", options.seed.to_string()),
        ("instructions", instructions),
        ("environment", or(&options.environment, "the newest, and the boundaries")),
        ("options", options.words()),
    ];
    facts(all.into_iter().map(|(what, state)| (what.to_owned(), state, String::new())))
}

fn chain_findings(report: &Report) -> Facts {
    let all = report.chains.iter().flat_map(|of| of.findings.iter().map(move |finding| (&of.engine, finding)));
    facts(all.map(|(engine, finding)| {
        (
            format!("{engine}: {} {}", finding.fingerprint, finding.title),
            String::new(),
            counted(finding.chains, "chain"),
        )
    }))
}

fn verdict(report: &Report) -> Facts {
    facts([("verdict".to_owned(), report.verdict.words().to_owned(), String::new())].into_iter())
}

fn findings(report: &Report) -> Facts {
    facts(report.findings.iter().map(|finding| {
        let what = format!("{} {}", finding.fingerprint, finding.title);
        let votes: Vec<String> =
            finding.engines.iter().map(|(engine, vote)| format!("{engine} {}", vote.words())).collect();
        (what, votes.join(", "), counted(finding.mismatches, "mismatch"))
    }))
}

fn engines(report: &Report) -> Facts {
    let roles = |engine: &EngineReport| match (engine.judges, &engine.environment) {
        (true, None) => "judges".to_owned(),
        (true, Some(environment)) => format!("judges, executes ({environment})"),
        (false, Some(environment)) => format!("executes ({environment})"),
        (false, None) => String::new(),
    };
    facts(report.engines.iter().map(|engine| {
        let [rows, ..] = engine.row_counts();
        let words = engine.words.as_ref().map_or(0, |words| words.lines);
        let [lines, words] = [engine.cases, words].map(|count| counted(count, "line"));
        let numbers = format!("{lines}, {}, {words} with words", counted(rows, "row"));
        (engine.name.clone(), roles(engine), numbers)
    }))
}

fn not_judged(report: &Report) -> Facts {
    let plain = |what: &'static str, lines: &Vec<String>| {
        lines.iter().map(move |line| (format!("{what}: {line}"), String::new(), String::new())).collect::<Vec<_>>()
    };
    let gave_up = report.engines.iter().filter_map(|engine| {
        Some((format!("abandoned: {}: {}", engine.name, engine.gave_up.as_ref()?), String::new(), String::new()))
    });
    let absent =
        report.absent.iter().map(|absent| (format!("not asked: {}", absent.engine), absent.why.clone(), String::new()));
    let all = [
        plain("internal error", &report.internal_errors),
        plain("could not judge", &report.lost),
        plain("not reproduced", &report.not_reproduced),
    ];
    facts(all.into_iter().flatten().chain(gave_up).chain(absent))
}

fn rules(report: &Report) -> Facts {
    facts(report.rules.iter().flat_map(|rule| {
        let asked = rule.tested.iter().filter(|(_, [cases, _])| *cases > 0);
        asked.map(move |(engine, [cases, rejected])| {
            (format!("{} {} {engine}", rule.form, rule.id), String::new(), format!("{rejected} of {cases} rejected"))
        })
    }))
}

fn forms(report: &Report) -> Facts {
    facts(report.forms.iter().flat_map(|form| {
        form.tested.iter().flat_map(move |tested| {
            let part = |what: &str, [cases, agreed]: [u64; 2], of: &str, did: &str| {
                let numbers = format!("{agreed} of {cases} {did}, {of} exist");
                (cases > 0).then(|| (format!("{} {what} {}", form.form, tested.engine), String::new(), numbers))
            };
            let valid = part("valid lines", tested.valid_judged, &tested.valid, "accepted");
            valid.into_iter().chain(part("breaches", tested.breaches_judged, &tested.breaches, "rejected"))
        })
    }))
}

fn rows(report: &Report) -> Facts {
    facts(report.engines.iter().flat_map(|engine| {
        let compared = engine.rows.iter().filter(|rows| rows.passed + rows.failed > 0);
        compared.map(move |rows| {
            let numbers = format!("{} of {} passed, {} failed", rows.passed, rows.rows, rows.failed);
            (format!("{} {}", rows.form, engine.name), String::new(), numbers)
        })
    }))
}

fn group(group: &GroupReport) -> (String, String, String) {
    let mut what = match group.rules.as_slice() {
        _ if group.does == Does::Computes => format!("{}: rows", group.form),
        [] => format!("{}: valid lines", group.form),
        rules => format!("{}: {}", group.form, rules.join(", ")),
    };
    what.push_str(&format!(" {}", group.does.outcome()));
    let depth = if group.code_generation { "in code generation" } else { "" };
    let listed = group.divergence.as_ref().or(group.contradicts.as_ref()).map(|id| format!("({id})"));
    let parts = [depth, listed.as_deref().unwrap_or_default(), &group.message];
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        what.push_str(&format!(" {part}"));
    }
    let engines: Vec<&str> = group.counts.keys().map(String::as_str).collect();
    let counts: Vec<String> = group.counts.values().map(u64::to_string).collect();
    (what, engines.join(", "), counts.join(", "))
}

fn new_groups(report: &Report) -> Facts {
    facts(report.groups.iter().filter(|known| known.divergence.is_none()).map(group))
}

fn known_groups(report: &Report) -> Facts {
    facts(report.groups.iter().filter(|known| known.divergence.is_some()).map(group))
}

fn divergences(report: &Report) -> Facts {
    facts(report.divergences.iter().flat_map(|known| {
        let happens = known.counts.iter().filter(|(_, [did, _])| *did > 0);
        happens.map(move |(engine, [did, did_not])| {
            (format!("{} {engine}", known.id), String::new(), format!("{}, not in {did_not}", counted(*did, "case")))
        })
    }))
}

fn stale(report: &Report) -> Facts {
    facts(report.divergences.iter().flat_map(|known| {
        known
            .stale
            .iter()
            .map(move |(engine, problem)| (format!("{} {engine}", known.id), problem.words().to_owned(), String::new()))
    }))
}

fn examples(report: &Report) -> Facts {
    facts(report.examples.iter().flat_map(|example| {
        example.engines.iter().map(move |(engine, answer)| {
            let listed = answer.divergences.join(", ");
            let listed = if listed.is_empty() { listed } else { format!(" ({listed})") };
            (
                format!("{}: {} {engine}", example.instruction, example.line.trim()),
                format!("{}{listed}", answer.did),
                String::new(),
            )
        })
    }))
}

fn skipped(report: &Report) -> Facts {
    facts(report.engines.iter().flat_map(|engine| {
        let of = |what: &'static str, reasons: &std::collections::BTreeMap<String, u64>| {
            let named = reasons
                .iter()
                .map(|(why, count)| (format!("{} {what}: {why}", engine.name), String::new(), count.to_string()));
            named.collect::<Vec<_>>()
        };
        of("lines", &engine.skipped).into_iter().chain(of("rows", &engine.skipped_rows))
    }))
}

fn undefined(report: &Report) -> Facts {
    facts(report.engines.iter().flat_map(|engine| {
        engine.undefined.iter().map(move |why| {
            (format!("{} {}", engine.name, why.id), String::new(), format!("{} run, {} not run", why.run, why.not_run))
        })
    }))
}

fn left_out(report: &Report) -> Facts {
    facts(report.engines.iter().flat_map(|engine| {
        let of = engine.left_out.iter();
        of.map(move |(instruction, count)| (format!("{} {instruction}", engine.name), String::new(), count.to_string()))
    }))
}

fn modifiers(report: &Report) -> Facts {
    facts(report.modifiers.iter().flat_map(|modifier| {
        modifier.engines.iter().map(move |(engine, code)| {
            let changes = format!("+ {} - {}", code.added.join(" "), code.removed.join(" "));
            let what =
                format!("{} {} {} against {} {engine}", modifier.form, modifier.slot, modifier.line, modifier.other);
            (what, changes, String::new())
        })
    }))
}
