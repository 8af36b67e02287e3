//! Shell scripts that replace `ptxas` and crash, hang, flood and lie.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use ptx_conform::engine::ptxas::{Error, ProcessLimits, Ptxas};
use ptx_conform::engine::{Batch, Depth, Engine as _, LineJudge as _, Outcome};
use ptx_conform::environment::Environment;
use ptx_conform::ptx::Scaffold;
use tempfile::TempDir;

use super::{Tested, batch, environment, same, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("fake::errors_belong_to_their_lines", errors_belong_to_their_lines),
        trial("fake::crashes_belong_to_their_lines", crashes_belong_to_their_lines),
        trial("fake::one_deadly_line_is_found_by_halving", one_deadly_line_is_found_by_halving),
        trial("fake::a_rejected_line_can_crash", a_rejected_line_can_crash),
        trial("fake::a_crash_at_the_end_is_found", a_crash_at_the_end_is_found),
        trial("fake::hangs_are_killed", hangs_are_killed),
        trial("fake::hangs_of_lines_together_cost_no_answers", hangs_of_lines_together_cost_no_answers),
        trial("fake::deaths_of_lines_together_are_reduced_to_them", deaths_of_lines_together_are_reduced_to_them),
        trial(
            "fake::a_death_of_lines_together_that_is_not_repeated_is_noted",
            a_death_of_lines_together_that_is_not_repeated_is_noted,
        ),
        trial("fake::floods_are_stopped", floods_are_stopped),
        trial("fake::errors_without_a_line_are_found", errors_without_a_line_are_found),
        trial("fake::errors_in_macros_are_found", errors_in_macros_are_found),
        trial("fake::a_limit_of_a_module_is_not_a_fault_of_a_line", a_limit_of_a_module_is_not_a_fault_of_a_line),
        trial("fake::a_status_without_a_message_rejects", a_status_without_a_message_rejects),
        trial("fake::memory_can_run_out", memory_can_run_out),
        trial("fake::faults_of_code_generation_are_found", faults_of_code_generation_are_found),
        trial("fake::any_mixture_is_attributed_to_its_lines", any_mixture_is_attributed_to_its_lines),
        trial("fake::a_broken_scaffold_costs_few_processes", a_broken_scaffold_costs_few_processes),
        trial("fake::syntax_errors_cost_few_processes", syntax_errors_cost_few_processes),
        trial("fake::batches_share_processes", batches_share_processes),
        trial("fake::deaths_of_batches_together_are_not_lost", deaths_of_batches_together_are_not_lost),
        trial("fake::no_files_are_left", no_files_are_left),
        trial("fake::a_missing_program_skips_lines", a_missing_program_skips_lines),
        trial("fake::a_replaced_program_skips_lines", a_replaced_program_skips_lines),
        trial(
            "fake::a_program_replaced_while_it_is_asked_skips_lines",
            a_program_replaced_while_it_is_asked_skips_lines,
        ),
        trial("fake::a_program_that_always_hangs_is_abandoned", a_program_that_always_hangs_is_abandoned),
        trial("fake::a_program_that_always_dies_is_abandoned", a_program_that_always_dies_is_abandoned),
        trial(
            "fake::a_program_that_is_killed_now_and_then_is_unstable",
            a_program_that_is_killed_now_and_then_is_unstable,
        ),
        trial("fake::a_crash_that_happens_only_once_is_a_crash", a_crash_that_happens_only_once_is_a_crash),
        trial("fake::a_program_that_is_not_ptxas_is_refused", a_program_that_is_not_ptxas_is_refused),
    ]
}

/// A script that identifies itself as `ptxas 13.5.99` and obeys the words in the lines.
///
/// `oops` is an error, `bad` a syntax error, `boom` a crash, `doom` an error and a crash, `late` a crash at the end of
/// the pass, `whole` an error without a line, `macro` a fatal error in a macro, `quiet` a status without a message,
/// `hungry` a lack of memory, `hand` and `glove` a crash of a process that has both, and `twin` an error if a module has
/// two of them. `hang` hangs, as does a process that has `drum` and `stick`, and `flood` prints without end. A word with `gen-` before it has its effect only when code is generated.
const SCRIPT: &str = r#"#!/bin/sh
case "$1" in
--version) echo "ptxas: NVIDIA (R) Ptx optimizing assembler"; echo "release 13.5, V13.5.99"; exit 0;;
--help) echo "'compute_75','compute_90','sm_75','sm_90'"; exit 0;;
0.ptx) echo "ptxas 0.ptx, line 1; fatal   : Unsupported .version 99.0; current version is '9.5'"; exit 255;;
esac
pwd >> "$0.log"
gen=0; case "$2" in sm_*) gen=1;; esac
shift 2
files=; for a; do case "$a" in *.ptx) files="$files $a";; esac; done
awk -v gen=$gen '
function say(kind, text) { printf "ptxas %s, line %d; %-8s: %s\n", FILENAME, FNR, kind, text; if (kind != "warning") code = 255 }
FNR == 1 { skip = 0; twins = 0 }
skip { next }
{ if (!gen) gsub(/gen-[a-z]*/, ""); else if (!/gen-/) $0 = "" }
/local/ { say("warning", "Vector Type not specified properly") }
/oops/ { say("error", "Oops in line " FNR - FNR); say("error", "Oops again") }
/bad/ { say("fatal", "Parsing error near bad"); skip = 1; next }
/macro/ { printf "ptxas <builtin>, line 7; fatal   : Parsing error in a macro\n"; code = 255; skip = 1; next }
/doom/ { say("error", "Doomed"); exit code = 99 }
/late/ { late = 1 }
/hand/ { hand = 1 }
/glove/ { glove = 1 }
hand && glove { exit code = 99 }
/boom/ { exit code = 99 }
/hang/ { exit code = 98 }
/drum/ { drum = 1 }
/stick/ { stick = 1 }
drum && stick { exit code = 98 }
/flood/ { exit code = 97 }
/whole/ { print "ptxas fatal   : The whole is bad"; code = 255 }
/hungry/ { print "ptxas fatal   : Memory allocation failure"; exit code = 255 }
/quiet/ { exit code = 3 }
/twin/ { if (twins++ == 1) { print "ptxas fatal   : Too many twins"; code = 255 } }
END { exit (late && code != 99) ? 99 : code }
' $files >&2
code=$?
[ $code = 255 ] && echo "ptxas fatal   : Ptx assembly aborted due to errors" >&2
case $code in
99) kill -SEGV $$;;
98) exec sleep 600;;
97) exec yes ptxas;;
esac
exit $code
"#;

/// A directory with a script in it.
struct Fake {
    directory: TempDir,
}

impl Fake {
    fn new(script: &str) -> Self {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("ptxas");
        fs::write(&path, script).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script that may be run");
        Self { directory }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("ptxas")
    }

    fn open(&self) -> Result<Ptxas, Error> {
        Ptxas::with_limits(&self.path(), limits())
    }
}

/// Limits that are short enough for a test.
fn limits() -> ProcessLimits {
    ProcessLimits { time: Duration::from_secs(1), output: 1 << 20, ..ProcessLimits::default() }
}

fn anywhere() -> Environment {
    environment("9.0", "sm_90", "64")
}

/// Asks the script about lines at a depth; returns the outcomes.
fn judge(lines: &[&str], depth: Depth) -> Result<Vec<Outcome>, Error> {
    Ok(Fake::new(SCRIPT).open()?.judge(&batch(anywhere(), &Scaffold::default(), lines), depth))
}

/// Checks that every line gets its outcome, with `plain` harmless lines around each.
fn expect(wanted: &[(&str, Outcome)], plain: usize, depth: Depth) -> Tested {
    let mut lines = vec!["nop;"; plain];
    let mut expected = vec![Outcome::Accepted; plain];
    for (line, outcome) in wanted {
        lines.push(line);
        expected.push(outcome.clone());
        lines.extend(vec!["nop;"; plain]);
        expected.extend(vec![Outcome::Accepted; plain]);
    }
    let actual = judge(&lines, depth)?;
    for (line, (actual, expected)) in lines.iter().zip(actual.into_iter().zip(expected)) {
        same(line, actual, expected)?;
    }
    Ok(())
}

fn rejected(text: &str) -> Outcome {
    Outcome::Rejected(text.to_owned())
}

fn crashed() -> Outcome {
    Outcome::Crashed("signal 11".to_owned())
}

fn oops() -> Outcome {
    rejected("Oops in line 0\nOops again")
}

fn bad() -> Outcome {
    rejected("Parsing error near bad")
}

fn errors_belong_to_their_lines() -> Tested {
    let lines =
        [("oops;", oops()), ("bad;", bad()), ("oops;", oops()), ("bad;", bad()), ("bad;", bad()), ("oops", oops())];
    expect(&lines, 0, Depth::Check)?;
    expect(&lines, 9, Depth::Check)?;
    expect(&[], 3, Depth::Check)
}

fn crashes_belong_to_their_lines() -> Tested {
    let lines = [("boom;", crashed()), ("oops;", oops()), ("bad;", bad()), ("boom;", crashed()), ("boom", crashed())];
    expect(&lines, 0, Depth::Check)?;
    expect(&lines, 40, Depth::Check)
}

/// The search takes a process for each halving. Beside it there are: the first that dies, one for the scaffold without
/// lines, one for the line alone and one that confirms its death, and one for the other lines.
fn one_deadly_line_is_found_by_halving() -> Tested {
    let fake = Fake::new(SCRIPT);
    let ptxas = fake.open()?;
    for (depth, deadly) in [(Depth::Check, "boom;"), (Depth::Generate, "gen-boom;"), (Depth::Check, "boom")] {
        ptxas.supports(&anywhere(), depth)?;
        for many in [2_usize, 16, 100] {
            for at in [0, 1, many / 2, many - 1] {
                // Code is generated for lines in the order of their texts.
                let mut lines: Vec<String> =
                    (0..many).map(|line| format!("gen-{}{line:04};", if line < at { "a" } else { "x" })).collect();
                lines[at] = deadly.to_owned();
                let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
                let before = ptxas.stats().processes;
                let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &lines), depth);
                let mut expected = vec![Outcome::Accepted; many];
                expected[at] = crashed();
                same(&format!("{depth:?} {at} of {many}"), actual, expected)?;
                // Code is generated for what a process without code generation has accepted.
                let checked = u64::from(depth == Depth::Generate);
                let processes = ptxas.stats().processes - before - checked;
                let most = u64::from(many.ilog2()) + u64::from(!many.is_power_of_two()) + 5;
                if processes > most {
                    return Err(format!("{depth:?}, {at} of {many}: {processes} processes, {most} expected").into());
                }
            }
        }
    }
    Ok(())
}

fn a_rejected_line_can_crash() -> Tested {
    expect(&[("oops;", oops()), ("doom;", crashed()), ("oops;", oops()), ("doom;", crashed())], 5, Depth::Check)
}

fn a_crash_at_the_end_is_found() -> Tested {
    expect(&[("oops;", oops()), ("late;", crashed()), ("bad;", bad())], 7, Depth::Check)
}

fn hangs_are_killed() -> Tested {
    let started = Instant::now();
    expect(&[("oops;", oops()), ("hang;", Outcome::TimedOut), ("bad;", bad())], 20, Depth::Check)?;
    // It hangs three times (all lines, all with marks, the line alone), and not once for each line.
    same("seconds below eight", started.elapsed().as_secs() < 8, true)
}

/// The search asks in less time than the first process had. If it did not, it would cost more than the patience: four
/// times three seconds.
fn hangs_of_lines_together_cost_no_answers() -> Tested {
    let time = Duration::from_secs(3);
    let fake = Fake::new(SCRIPT);
    let ptxas = Ptxas::with_limits(&fake.path(), ProcessLimits { time, patience: time * 3, ..limits() })?;
    // Code is generated for lines in the order of their texts.
    let lines = [&["gen-drum;", "gen-stick;"][..], &["gen-t;"; 18]].concat();
    let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &lines), Depth::Generate);
    same("outcomes", actual, vec![Outcome::Accepted; lines.len()])?;
    same("losses", ptxas.losses().len(), 0)?;
    let notes = ptxas.notes();
    same(&format!("{notes:?}"), notes.len() == 1 && notes[0].contains("out of time) on 2 lines together"), true)
}

fn deaths_of_lines_together_are_reduced_to_them() -> Tested {
    let cases: [(Depth, &str, &[&[&str]]); 3] = [
        (Depth::Check, "compute_90 0.ptx", &[&["hand;", "glove;"]]),
        // Not complete in themselves: each has a module.
        (Depth::Check, "compute_90 0.ptx 1.ptx", &[&["hand"], &["glove"]]),
        // Code is generated for lines in the order of their texts.
        (Depth::Generate, "sm_90 0.ptx", &[&["gen-glove;", "gen-hand;"]]),
    ];
    for (depth, files, modules) in cases {
        for before in [0, 60, 600] {
            let mut lines = vec!["nop;"; before];
            lines.extend(modules.concat());
            lines.extend(["oops;", "bad;", "nop;"]);
            let fake = Fake::new(SCRIPT);
            let ptxas = fake.open()?;
            let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &lines), depth);
            same("each alone", &actual[before..before + 2], &[Outcome::Accepted, Outcome::Accepted])?;
            let deaths = ptxas.joint_deaths();
            same("one death", deaths.len(), 1)?;
            let found: Vec<&[String]> = deaths[0].modules.iter().map(|module| &module.lines[..]).collect();
            same("lines", format!("{found:?}"), format!("{modules:?}"))?;
            same("how", deaths[0].how.as_str(), "signal 11")?;
            same("command", deaths[0].command.clone(), format!("ptxas -arch {files} -o /dev/null"))?;
            let ours = deaths[0].modules.iter().any(|module| module.text.contains("conform_absorber"));
            same("our own statements", ours, false)?;
            same("notes", ptxas.notes(), Vec::new())?;
        }
    }
    Ok(())
}

/// A process that dies of a signal once, whatever its lines, is a note and no finding.
fn a_death_of_lines_together_that_is_not_repeated_is_noted() -> Tested {
    let fake = Fake::new(&introduced(
        "[ -e \"$0.died\" ] && exit 0\n[ -e \"$0.asked\" ] && touch \"$0.died\" && kill -SEGV $$\ntouch \"$0.asked\"",
    ));
    let ptxas = fake.open()?;
    ptxas.judge(&batch(anywhere(), &Scaffold::default(), &["nop;", "nop;", "nop;"]), Depth::Check);
    same("deaths", ptxas.joint_deaths(), Vec::new())?;
    let notes = ptxas.notes();
    same(&format!("{notes:?}"), notes.len() == 1 && notes[0].contains("3 lines together"), true)?;
    same("says so", notes[0].contains("and not when asked again"), true)
}

fn floods_are_stopped() -> Tested {
    let flooded = Outcome::Crashed("more than 1 MiB of messages".to_owned());
    expect(&[("oops;", oops()), ("flood;", flooded)], 3, Depth::Check)
}

fn errors_without_a_line_are_found() -> Tested {
    let whole = || rejected("The whole is bad");
    expect(&[("whole;", whole()), ("oops;", oops()), ("whole;", whole()), ("bad;", bad())], 6, Depth::Check)
}

fn errors_in_macros_are_found() -> Tested {
    let text = || rejected("Parsing error in a macro");
    let lines = [("macro;", text()), ("oops;", oops()), ("macro;", text()), ("bad;", bad()), ("macro", text())];
    expect(&lines, 0, Depth::Check)?;
    expect(&lines, 30, Depth::Check)?;
    // Many of them, with a crash in between.
    let mut lines = vec![("macro;", text()); 100];
    lines.insert(70, ("boom;", crashed()));
    expect(&lines, 1, Depth::Check)?;
    expect(&lines, 20, Depth::Check)
}

fn a_limit_of_a_module_is_not_a_fault_of_a_line() -> Tested {
    let lines = [("twin;", Outcome::Accepted), ("oops;", oops()), ("twin;", Outcome::Accepted)];
    expect(&lines, 2, Depth::Check)
}

fn a_status_without_a_message_rejects() -> Tested {
    expect(&[("quiet;", rejected("status 3 without a message")), ("oops;", oops())], 4, Depth::Check)
}

fn memory_can_run_out() -> Tested {
    let hungry = Outcome::Crashed("out of memory: it may use 8192 MiB".to_owned());
    expect(&[("oops;", oops()), ("hungry;", hungry), ("bad;", bad())], 9, Depth::Check)
}

fn faults_of_code_generation_are_found() -> Tested {
    let lines = [
        ("gen-boom;", crashed()),
        ("oops; gen-boom;", oops()),
        ("gen-oops;", oops()),
        ("gen-whole;", rejected("The whole is bad")),
        ("gen-whole", rejected("The whole is bad")),
        ("ret; gen-boom;", crashed()),
        ("bad;", bad()),
    ];
    expect(&lines, 60, Depth::Generate)?;
    let accepted = lines.map(|(line, _)| if line.contains("gen") && !line.contains("oops;") { line } else { "nop;" });
    same("only checked", judge(&accepted, Depth::Check)?, vec![Outcome::Accepted; accepted.len()])
}

fn any_mixture_is_attributed_to_its_lines() -> Tested {
    let kinds = [
        ("nop;", Outcome::Accepted),
        ("nop", Outcome::Accepted),
        ("oops;", oops()),
        ("oops", oops()),
        ("bad;", bad()),
        ("bad", bad()),
        ("boom;", crashed()),
        ("doom;", crashed()),
        ("late;", crashed()),
        ("whole;", rejected("The whole is bad")),
        ("macro;", rejected("Parsing error in a macro")),
        ("quiet;", rejected("status 3 without a message")),
        ("hungry;", Outcome::Crashed("out of memory: it may use 8192 MiB".to_owned())),
    ];
    // Knuth's multiplier. The high bits are random enough.
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 40).map(|high| high % below)
    };
    for harmless in [0, 5, 50] {
        for _ in 0..4 {
            let kind = |number: usize| kinds[number.saturating_sub(harmless)].clone();
            let picked: Result<Vec<usize>, _> = (0..30).map(|_| random(kinds.len() + harmless)).collect();
            let mixture: Vec<(&str, Outcome)> = picked?.into_iter().map(kind).collect();
            expect(&mixture, 0, Depth::Check)?;
        }
    }
    Ok(())
}

fn a_broken_scaffold_costs_few_processes() -> Tested {
    let fake = Fake::new(SCRIPT);
    let ptxas = fake.open()?;
    for (globals, outcome) in [("oops", oops()), ("whole", rejected("The whole is bad")), ("boom", crashed())] {
        let scaffold = Scaffold { globals: globals.to_owned(), ..Scaffold::default() };
        let lines = [["nop;"; 50], ["nop"; 50]].concat();
        let before = ptxas.stats().processes;
        let actual = ptxas.judge(&batch(anywhere(), &scaffold, &lines), Depth::Check);
        same(globals, actual, vec![outcome; 100])?;
        same("few processes", ptxas.stats().processes - before < 6, true)?;
    }
    Ok(())
}

fn syntax_errors_cost_few_processes() -> Tested {
    let fake = Fake::new(SCRIPT);
    let ptxas = fake.open()?;
    for every in [1, 2, 20] {
        let lines: Vec<&str> = (0..1000).map(|i| if i % every == 0 { "bad;" } else { "nop;" }).collect();
        let before = ptxas.stats().processes;
        let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &lines), Depth::Check);
        let expected = |line: &&str| if *line == "bad;" { bad() } else { Outcome::Accepted };
        same("outcomes", actual, lines.iter().map(expected).collect())?;
        let processes = ptxas.stats().processes - before;
        if processes > 20 {
            return Err(format!("{processes} processes for a syntax error every {every} lines").into());
        }
    }
    Ok(())
}

/// Asks about lines, each a batch in an environment of its own; returns the outcomes, and how many processes it took.
fn judge_apart(ptxas: &Ptxas, lines: &[&str], mostly_invalid: bool) -> (Vec<Outcome>, u64) {
    let of_line = |(at, line)| Batch {
        mostly_invalid,
        ..batch(environment(["9.0", "8.0"][at % 2], "sm_90", "64"), &Scaffold::default(), &[line])
    };
    let batches: Vec<Batch<'_>> = lines.iter().copied().enumerate().map(of_line).collect();
    let before = ptxas.stats().processes;
    let outcomes = ptxas.judge_all(&batches, Depth::Check).into_iter().flatten().collect();
    (outcomes, ptxas.stats().processes - before)
}

/// Batches share processes, whatever happens to their lines.
fn batches_share_processes() -> Tested {
    let fake = Fake::new(SCRIPT);
    let ptxas = fake.open()?;
    let good = vec!["nop;"; 100];
    // One more finds out the target.
    same("processes", judge_apart(&ptxas, &good, false), (vec![Outcome::Accepted; 100], 2))?;
    same("processes", judge_apart(&ptxas, &good[..9], true), (vec![Outcome::Accepted; 9], 1))?;
    let refused = [bad(), oops(), Outcome::Accepted].iter().cycle().take(99).cloned().collect();
    let (outcomes, processes) = judge_apart(&ptxas, &["bad;", "oops;", "nop;"].repeat(33), true);
    same("outcomes", outcomes, refused)?;
    same("few processes", processes < 4, true)?;
    let mut lines = good;
    let mut expected = vec![Outcome::Accepted; 100];
    for (at, line, outcome) in
        [(3, "oops;", oops()), (40, "bad;", bad()), (41, "open", Outcome::Accepted), (77, "boom;", crashed())]
    {
        (lines[at], expected[at]) = (line, outcome);
    }
    let (outcomes, processes) = judge_apart(&ptxas, &lines, false);
    same("outcomes", outcomes, expected)?;
    same("few processes", processes < 25, true)?;
    same("deaths together", ptxas.joint_deaths(), Vec::new())
}

/// A process dies of two batches, and of neither alone.
fn deaths_of_batches_together_are_not_lost() -> Tested {
    let fake = Fake::new(SCRIPT);
    let ptxas = fake.open()?;
    let (outcomes, _) = judge_apart(&ptxas, &["nop;", "hand;", "nop;", "glove;"], false);
    same("outcomes", outcomes, vec![Outcome::Accepted; 4])?;
    let deaths = ptxas.joint_deaths();
    let lines: Vec<Vec<&[String]>> =
        deaths.iter().map(|death| death.modules.iter().map(|module| &module.lines[..]).collect()).collect();
    same("lines", lines, vec![vec![&["hand;".to_owned()][..], &["glove;".to_owned()]]])
}

fn no_files_are_left() -> Tested {
    let fake = Fake::new(SCRIPT);
    let lines = ["oops;", "boom;", "hang;", "nop;"];
    fake.open()?.judge(&batch(anywhere(), &Scaffold::default(), &lines), Depth::Check);
    let log = fs::read_to_string(fake.directory.path().join("ptxas.log"))?;
    let left: Vec<&str> = log.lines().filter(|directory| Path::new(directory).exists()).collect();
    same("directories were used", log.lines().count() > 1, true)?;
    same("directories left", left, Vec::new())
}

fn a_missing_program_skips_lines() -> Tested {
    let fake = Fake::new(SCRIPT);
    let ptxas = fake.open()?;
    ptxas.supports(&anywhere(), Depth::Check)?;
    fs::remove_file(fake.path())?;
    let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &["nop;", "oops"]), Depth::Check);
    same("skipped", actual.iter().all(|outcome| matches!(outcome, Outcome::Skipped(_))), true)?;
    same("lost", ptxas.losses().values().sum::<u64>(), 2)
}

/// What takes the place of a program accepts everything, as an empty file does; it is not the version that was opened.
fn a_replaced_program_skips_lines() -> Tested {
    for new in ["", "#!/bin/sh\nexit 0\n", &SCRIPT.replace("13.5.99", "13.5.98")] {
        let fake = Fake::new(SCRIPT);
        let ptxas = fake.open()?;
        ptxas.supports(&anywhere(), Depth::Check)?;
        fs::write(fake.path(), new)?;
        let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &["nop;", "oops"]), Depth::Check);
        let replaced = |outcome: &Outcome| matches!(outcome, Outcome::Skipped(why) if why.contains("was replaced"));
        same(&format!("{actual:?}"), actual.iter().all(replaced), true)?;
        same("lost", ptxas.losses().values().sum::<u64>(), 2)?;
    }
    Ok(())
}

/// The script gives its place to one that accepts everything, while it is asked for the third time.
fn a_program_replaced_while_it_is_asked_skips_lines() -> Tested {
    let replace = "echo >> \"$0.n\"; if [ $(wc -l < \"$0.n\") = 3 ]; then \
        printf '#!/bin/sh\\n' > \"$0.new\"; chmod 755 \"$0.new\"; mv \"$0.new\" \"$0\"; fi\npwd >>";
    let fake = Fake::new(&SCRIPT.replacen("pwd >>", replace, 1));
    let ptxas = fake.open()?;
    for lines in [["nop;", "oops"]; 3] {
        let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &lines), Depth::Check);
        same(&format!("{actual:?}"), matches!(actual[1], Outcome::Rejected(_) | Outcome::Skipped(_)), true)?;
    }
    same("lost", ptxas.losses().values().sum::<u64>() >= 4, true)
}

/// A script that identifies itself, and runs these commands for modules.
fn introduced(modules: &str) -> String {
    let (introduction, _) = SCRIPT.split_once("pwd >>").unwrap_or_default();
    format!("{introduction}{modules}\n")
}

fn a_program_that_always_hangs_is_abandoned() -> Tested {
    // It answers the question about its target, and hangs from then on.
    let fake = Fake::new(&introduced("[ -e \"$0.asked\" ] && exec sleep 600\ntouch \"$0.asked\""));
    let ptxas = fake.open()?;
    let started = Instant::now();
    for _ in 0..3 {
        let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &["nop;"; 40]), Depth::Check);
        same("skipped", actual.iter().all(|outcome| matches!(outcome, Outcome::Skipped(_))), true)?;
    }
    same("lost", ptxas.losses().values().sum::<u64>(), 120)?;
    same("seconds below eight", started.elapsed().as_secs() < 8, true)
}

fn a_program_that_always_dies_is_abandoned() -> Tested {
    // It answers the question about its target, and dies from then on.
    let fake = Fake::new(&introduced("[ -e \"$0.asked\" ] && kill -SEGV $$\ntouch \"$0.asked\""));
    let ptxas = fake.open()?;
    for _ in 0..40 {
        ptxas.judge(&batch(anywhere(), &Scaffold::default(), &["nop;"; 40]), Depth::Check);
    }
    let losses = ptxas.losses();
    same(&format!("{losses:?}"), losses.keys().any(|why| why.contains("it no longer answers")), true)?;
    same("many are lost", losses.values().sum::<u64>() > 800, true)?;
    same("few processes", ptxas.stats().processes < 40, true)
}

fn a_program_that_is_killed_now_and_then_is_unstable() -> Tested {
    let fake = every_other_time("KILL");
    let ptxas = fake.open()?;
    let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &["nop;"]), Depth::Check);
    let Outcome::Skipped(why) = &actual[0] else { return Err(format!("{actual:?}").into()) };
    same(why, why.contains("is unstable: it died (signal 9)"), true)?;
    same("lost", ptxas.losses().values().sum::<u64>(), 1)?;
    // A process with two lines dies, a process with one of them does not.
    let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &["nop;", "nop;"]), Depth::Check);
    let died = ptxas.notes().len() + ptxas.losses().len();
    same("noticed", actual.len() == 2 && died >= 1, true)
}

fn a_crash_that_happens_only_once_is_a_crash() -> Tested {
    let fake = every_other_time("SEGV");
    let ptxas = fake.open()?;
    let actual = ptxas.judge(&batch(anywhere(), &Scaffold::default(), &["nop;"]), Depth::Check);
    same("crashed", &actual[..], &[Outcome::Crashed("signal 11, but not every time".to_owned())])?;
    same("lost", ptxas.losses().len(), 0)
}

/// A script that dies of a signal at every second call.
fn every_other_time(signal: &str) -> Fake {
    Fake::new(&introduced(&format!(
        "n=$(cat \"$0.n\" 2>/dev/null || echo 0); echo $((n + 1)) > \"$0.n\"\n[ $((n % 2)) = 1 ] && kill -{signal} $$\nexit 0"
    )))
}

fn a_program_that_is_not_ptxas_is_refused() -> Tested {
    let refused = |path: &Path| match Ptxas::with_limits(path, limits()) {
        Ok(_) => "opened".to_owned(),
        Err(error) => error.to_string(),
    };
    let missing = refused(Path::new("/nowhere/ptxas"));
    same(&missing, missing.starts_with("`/nowhere/ptxas` does not exist"), true)?;
    let directory = refused(&std::env::temp_dir());
    same(&directory, directory.contains("cannot be started: it is a directory"), true)?;
    let fake = Fake::new(SCRIPT);
    fs::set_permissions(fake.path(), fs::Permissions::from_mode(0o644))?;
    let data = refused(&fake.path());
    same(&data, data.contains("cannot be started"), true)?;
    for (script, answer) in [
        ("#!/bin/sh\necho \"$@\"\n", "ended with status 0 and said `--version`"),
        ("#!/bin/sh\nexit 7\n", "ended with status 7 and said ``"),
        ("#!/bin/sh\nexec sleep 600\n", "did not answer within 1 s"),
        ("#!/bin/sh\nkill -ABRT $$\n", "died of signal 6"),
        ("#!/bin/sh\nexec yes\n", "printed more than 1048576 bytes"),
    ] {
        let error = refused(&Fake::new(script).path());
        same(&error, error.contains("is not `ptxas`: asked for its version, it ") && error.contains(answer), true)?;
    }
    Ok(())
}
