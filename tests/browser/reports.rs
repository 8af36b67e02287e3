//! The reports that the tests look at, written to disk: one of every instruction with findings of each kind, and one
//! whose texts are hostile.

use std::path::Path;

use ptx_conform::campaign::{Generate, Options, Progress, RunDepth, Subject, run};
use ptx_conform::causes::{Finding, find};
use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::engine::{Engine as _, ListedInstruction, ListedLine, Listing};
use ptx_conform::judge::Reading;
use ptx_conform::matrix::{Matrix, Survey};
use ptx_conform::releases::ReleaseTable;
use ptx_conform::report::{AbsentReport, CodeChanges, HistoryLine, ModifierReport, PageSources, Report, ReportFolder};
use ptx_conform::spec::{Instruction, Spec};
use tempfile::TempDir;

use crate::engine::{StandIn, outcome};
use crate::mutant::{self, Mistake, Mutant};

/// Defects of judges: the versions of the engine that have it, whether the run knows it, and the entry.
const DEFECTS: [(&[&str], bool, &str); 6] = [
    (&["1.0", "1.5", "2.0"], false, "id: a-type, instructions: [suld], does: rejects, when: { dtype: .b16 }"),
    (
        &["1.0", "1.5", "2.0", "3.0"],
        false,
        "id: dies, instructions: [sust], forms: [p], does: crashes, when: { vec: .v4 }",
    ),
    (&["3.0"], false, "id: no-clamp, instructions: [suld], does: accepts, rules: [clamp-required]"),
    (&["1.0"], true, "id: sured-add-is-rejected, instructions: [sured], does: rejects, when: { op: .add }"),
    (&["1.0", "3.0"], true, "id: ld-relaxed-is-rejected, instructions: [ld], does: rejects, when: { sem: .relaxed }"),
    (&[], true, "id: suq-width-was-rejected, instructions: [suq], does: rejects, when: { query: .width }"),
];

/// The versions of the engine that judges.
const VERSIONS: [&str; 4] = ["1.0", "1.5", "2.0", "3.0"];

/// The command that shows what the engine that judges does.
pub(crate) const COMMAND: &str = "planted --check x.ptx";

/// Why an engine was not asked.
pub(crate) const ABSENT: &str = "its driver is too old: install 580.65 or later";

/// A report and the folder that it is written to.
pub(crate) struct Written {
    pub(crate) report: Report,
    folder: TempDir,
}

impl Written {
    pub(crate) fn new(report: Report, spec: &Spec, matrix: Option<&Matrix>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Two earlier runs with other counts, so that there are trends.
        let run = HistoryLine::new(&report, "latest");
        let mut earlier = HistoryLine { date: Some("2026-11-21".to_owned()), ..run.clone() };
        earlier.findings.truncate(1);
        let listed = Divergences::load(None, spec).expect("the listed divergences are sound");
        let releases = ReleaseTable::load(None, &spec.isa).expect("the table of releases is sound");
        let history = &[earlier.clone(), earlier, run];
        let sources = PageSources { spec, divergences: &listed, history, matrix, releases: Some(&releases) };
        let mut place = ReportFolder::lock(folder.path()).expect("a folder");
        report.write(&sources, &mut place, Vec::new()).expect("the report can be written");
        Self { report, folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// All pages, as addresses in the folder, in order.
    pub(crate) fn pages(&self) -> Vec<String> {
        let mut pages = Vec::new();
        let mut open = vec![String::new()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(self.folder().join(&folder)).expect("a folder") {
                let entry = entry.expect("an entry");
                let name = entry.file_name().into_string().expect("a name in UTF-8");
                if entry.path().is_dir() {
                    open.push(format!("{folder}{name}/"));
                } else if name.ends_with(".html") {
                    pages.push(format!("{folder}{name}"));
                }
            }
        }
        pages.sort();
        pages
    }

    /// A page of each kind: every page that is one of its kind, an instruction with many forms and a small one, findings
    /// of a line, of registers and of a surface, and the first page of any other folder.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let pages = self.pages();
        let size = |page: &String| std::fs::metadata(self.folder().join(page)).map_or(0, |file| file.len());
        let mut kinds: Vec<String> = pages.iter().filter(|page| !page.contains('/')).cloned().collect();
        let instructions = || pages.iter().filter(|page| page.starts_with("instructions/"));
        kinds.extend(instructions().max_by_key(|page| size(page)).cloned());
        kinds.extend(instructions().min_by_key(|page| size(page)).cloned());
        let closed = |page: &&String| {
            std::fs::read_to_string(self.folder().join(page)).is_ok_and(|text| text.contains("<details><summary>"))
        };
        kinds.extend(instructions().find(closed).cloned());
        let row = |finding: &Finding| finding.case.row.as_ref().map(|row| row.execution.surface.is_some());
        for kind in [None, Some(false), Some(true)] {
            let finding = self.report.findings.iter().find(|finding| row(finding) == kind);
            kinds.extend(finding.map(finding_page));
        }
        let folder = |page: &String| page.split_once('/').map(|(folder, _)| folder.to_owned());
        for page in &pages {
            if !kinds.iter().any(|known| known == page || (page.contains('/') && folder(known) == folder(page))) {
                kinds.push(page.clone());
            }
        }
        kinds
    }
}

/// The page of a finding.
pub(crate) fn finding_page(finding: &Finding) -> String {
    format!("findings/{}.html", finding.fingerprint)
}

fn divergences(spec: &Spec, family: &str, entries: &[String]) -> Divergences {
    let entries: String = entries.iter().map(|entry| format!("  - {entry}\n")).collect();
    let entries = if entries.is_empty() { " []\n".to_owned() } else { format!("\n{entries}") };
    let text = format!("engine: {family}\ndivergences:{entries}");
    Divergences::from_texts(&[(format!("{family}.yaml"), text.clone())], spec)
        .unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render(false)))
}

fn entry(text: &str) -> String {
    format!("{{ {text}, because: \"The assembler of this test was made to do it.\" }}")
}

/// A version of the engine that judges, with its defects.
fn judge<'s>(spec: &'s Spec, version: &str) -> StandIn<'s> {
    let of_version = DEFECTS.iter().filter(|(versions, ..)| versions.contains(&version));
    let entries: Vec<String> = of_version.map(|(_, _, text)| entry(text)).collect();
    let defects = divergences(spec, "planted", &entries);
    let name = format!("planted@{version}");
    let own = EngineVersion::parse(&name).expect("an engine");
    let does = move |_: &str, read: Option<(&Instruction, &Reading)>, _| {
        let Some((instruction, reading)) = read else { return outcome(Does::Rejects, "unreadable") };
        match defects.expect(&own, instruction, reading).outcome {
            Does::Rejects if reading.valid() => outcome(Does::Rejects, "Illegal modifier for instruction"),
            does => outcome(does, "Arguments mismatch for instruction"),
        }
    };
    StandIn::new(&name).judging(spec, does).shown_by(COMMAND)
}

/// What a run of these instructions does; of all if there are none. Small, as the pages are what is tested.
pub(crate) fn options(instructions: &[&str]) -> Options {
    Options {
        instructions: instructions.iter().map(|&name| name.to_owned()).collect(),
        boundaries: false,
        generate: Generate::Nothing,
        modifiers: false,
        ..Options::at(RunDepth::Choices)
    }
}

pub(crate) fn report(spec: &Spec, known: &Divergences, engines: &[StandIn<'_>], options: &Options) -> Report {
    let newest = *spec.isa.versions.last().expect("versions");
    let mut subjects = Vec::new();
    for engine in engines {
        subjects.push(Subject { judge: engine.as_judge(), executor: engine.as_executor(), newest });
    }
    let progress = Progress::default();
    let mut results = run(spec, known, &subjects, options, &progress);
    let findings = find(spec, known, &subjects, &results, &progress).expect("our own texts can be read");
    Report::new(spec, known, options, &mut results, findings)
}

/// A mistake of an engine that executes: where it is made, and the choice that it takes instead.
pub(crate) type ExecutionDefect = (&'static [(&'static str, &'static str)], (&'static str, &'static str));
pub(crate) const CLAMPS: ExecutionDefect = (&[("geom", ".2d"), ("clamp", ".clamp")], ("clamp", ".zero"));
const ZERO_EXTENDS: ExecutionDefect = (&[("type", ".s8")], ("type", ".u8"));

/// An engine that executes, with a mistake in all forms of an instruction.
pub(crate) fn executor<'s>(spec: &'s Spec, name: &str, opcode: &str, defect: ExecutionDefect) -> StandIn<'s> {
    let (when, (axis, value)) = defect;
    mutant::engine(spec, name, Mutant::named(spec, opcode, when, Mistake::As(axis, value)))
}

/// The report of every instruction, by several versions of an engine that judges, and by engines that execute.
pub(crate) fn all(spec: &Spec) -> Written {
    let known: Vec<String> = DEFECTS.iter().filter(|(_, known, _)| *known).map(|(.., text)| entry(text)).collect();
    let known = divergences(spec, "planted", &known);
    let mut engines: Vec<StandIn<'_>> = VERSIONS.iter().map(|version| judge(spec, version)).collect();
    engines.push(executor(spec, "runs@1.0", "suld", CLAMPS));
    engines.push(executor(spec, "runs@2.0", "ld", ZERO_EXTENDS));
    let mut report = report(spec, &known, &engines, &options(&[]));
    for finding in &mut report.findings {
        if let Some(row) = &mut finding.case.row {
            row.listing = Some(listing(&row.execution.declarations, &finding.case.line));
        }
    }
    report.modifiers = modifiers();
    report.absent.push(AbsentReport { engine: "gpu@13.0".to_owned(), why: ABSENT.to_owned() });
    let mut survey = Survey::by_manual(spec, &spec.instructions.iter().collect::<Vec<_>>());
    let newest = *spec.isa.versions.last().expect("versions");
    let first = engines[0].as_judge().expect("it judges");
    survey.observe(&known, &Subject::judging(first, newest), &Progress::default()).expect("lines can be read");
    Written::new(report, spec, Some(&survey.into_matrix()))
}

/// What an engine that shows its machine code makes of a line. The stand-in has none.
fn listing(declarations: &str, line: &str) -> Listing {
    let ptx = declarations.split_inclusive(';').map(str::trim).chain([line]);
    let operation = "SULD.D.BA.2D.STRONG.SM.TRAP".to_owned();
    let code = (0..80).map(|at| ListedInstruction {
        text: format!("/*{:04x}*/ @!P0 {operation} R{at}, [R4], UR6, desc[UR4][R2.64+0x{at:x}] ;", at * 16),
        operation: operation.clone(),
        marked: at == 40,
    });
    Listing {
        ptx: ptx.map(|text| ListedLine { text: text.to_owned(), marked: text == line }).collect(),
        code: code.collect(),
        command: "ptxas -arch sm_120 x.ptx -o x.cubin && cuobjdump -sass x.cubin".to_owned(),
    }
}

/// What two modifiers become in machine code, with a change and without one.
fn modifiers() -> Vec<ModifierReport> {
    let changes =
        |added: &[&str]| CodeChanges { added: added.iter().map(|&of| of.to_owned()).collect(), removed: vec![] };
    let modifier = |modifier: &str, changes: CodeChanges| ModifierReport {
        form: "ld.weak".to_owned(),
        slot: "cop".to_owned(),
        modifier: modifier.to_owned(),
        line: format!("ld.global{modifier}.b32 %r1, [%rd1];"),
        other: "ld.global.b32 %r1, [%rd1];".to_owned(),
        engines: VERSIONS.iter().map(|version| (format!("planted@{version}"), changes.clone())).collect(),
    };
    vec![modifier(".cs", changes(&["LDG.E.EF"])), modifier(".ca", changes(&[]))]
}
