//! The real `ptxas`, in the two versions of `installed.rs`.

use std::os::unix::fs::PermissionsExt as _;

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::protocol::{LineOutcome, Response};
use ptx_conform::engine::ptxas::{Ptxas, serve};
use ptx_conform::engine::{Batch, Depth, Engine as _, LineJudge as _, Outcome, Unable};
use ptx_conform::environment::Environment;
use ptx_conform::ptx::{Context, Scaffold};

use super::{Tested, batch, environment, same};
use crate::installed::tested;

type Test = fn(&Ptxas) -> Tested;

const TESTS: [(&str, Test); 12] = [
    ("a_batch_gives_the_outcomes_of_single_lines", a_batch_gives_the_outcomes_of_single_lines),
    ("batches_together_give_the_outcomes_of_each_alone", batches_together_give_the_outcomes_of_each_alone),
    ("directives_together_give_the_outcomes_of_each_alone", directives_together_give_the_outcomes_of_each_alone),
    ("code_generation_gives_the_outcomes_of_single_lines", code_generation_gives_the_outcomes_of_single_lines),
    ("messages_are_passed_on_unchanged", messages_are_passed_on_unchanged),
    ("valid_lines_cost_one_process", valid_lines_cost_one_process),
    ("syntax_errors_cost_few_processes", syntax_errors_cost_few_processes),
    ("environments_are_known", environments_are_known),
    ("a_broken_module_costs_few_processes", a_broken_module_costs_few_processes),
    ("threads_do_not_interfere", threads_do_not_interfere),
    ("it_speaks_the_protocol", it_speaks_the_protocol),
    ("a_run_whose_program_is_replaced_could_not_judge", a_run_whose_program_is_replaced_could_not_judge),
];

pub(crate) fn trials() -> Vec<Trial> {
    let toolchains = tested();
    if toolchains.is_empty() {
        eprintln!("no `ptxas` here: run `ptx-conform toolchain install 13.5`");
        return TESTS.iter().map(|(name, _)| missing(&format!("real::{name}"))).collect();
    }
    let tests = toolchains.iter().flat_map(|toolchain| TESTS.map(|test| (toolchain.clone(), test)));
    tests
        .map(|(toolchain, (name, test))| {
            let name = format!("real::{}::{name}", toolchain.version);
            Trial::test(name, move || test(&Ptxas::open(&toolchain.path)?))
        })
        .collect()
}

/// A `ptxas` gives its place to an empty file, which accepts everything, while it is asked for the ninth time.
fn a_run_whose_program_is_replaced_could_not_judge(ptxas: &Ptxas) -> Tested {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("ptxas");
    let (real, replacement) =
        (ptxas.path().display(), "printf '#!/bin/sh\\n' > \"$0.new\"; chmod 755 \"$0.new\"; mv \"$0.new\" \"$0\"");
    let script = format!(
        "#!/bin/sh\necho >> \"$0.n\"; [ $(wc -l < \"$0.n\") -ge 9 ] && {{ {replacement}; }}\nexec '{real}' \"$@\"\n"
    );
    std::fs::write(&path, script)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    let run = "run suq --random 1 --no-boundaries --no-execution --no-matrix --no-vocabulary --ptxas ./ptxas";
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ptx-conform"))
        .current_dir(directory.path())
        .args(run.split(' '))
        .env("PTX_CONFORM_ANSWERS", "")
        .output()?;
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    same(&text, output.status.code(), Some(2))?;
    let said = text.contains("could not judge: ") && text.contains("was replaced after it was opened");
    same(&text, said && !text.contains("no longer happens") && text.contains(" 0 new "), true)
}

/// A test that needs a `ptxas` that is not there: skipped, or a failure where one is required.
pub(crate) fn missing(name: &str) -> Trial {
    let required = crate::installed::required();
    let fail = || Err(Failed::from("no `ptxas` here, and PTX_CONFORM_REQUIRE_PTXAS is set"));
    Trial::test(name, fail).with_ignored_flag(!required)
}

/// Lines of all kinds: valid, invalid, syntax errors, undeclared names, and lines that affect their neighbours.
const LINES: &[&str] = &[
    "add.u32 %a, %b, %c;",
    "add.f32 %a, %b, %c;",
    "add..u32 %a, %b, %c;",
    "add.u32 %a, %b, zz;",
    "mov.u32 %a, zz;",
    "mov.u32 %a, %b;",
    "shf.l.wrap.b32 %a, %b, %c, %d;",
    "shf.l.b32 %a, %b, %c, %d;",
    "shf.l.wrap.b32 %a, %b, %c, %d",
    "ld.global.v2.u32 {%a, %b}, [g];",
    "ld.global.v2.u32 {%a, %b, [g];",
    "ld.global.v2.u32 %a, %b}, [g];",
    "ld.global.v2.u32 {%a, %b}, [g",
    "ld.global.ca.u32.v2 %a, [g];",
    "st.global.u32 [g], %a;",
    "st.global.u32 [g + 4], %a; st.global.u32 [g], %b;",
    "st.const.u32 [g], %a;",
    "prmt.b32 %a, %b, %c, %d;",
    "prmt.b32.f4e %a, %b, %c;",
    "bra zz;",
    "L: add.u32 %a, %b, %c;",
    "bra L; L: ret;",
    "ret;",
    "exit",
    ".reg .u32 %x;",
    "mov.u32 %x, 1;",
    "{ .reg .u32 %x; mov.u32 %x, %a; }",
    "{",
    "}",
    "} .entry other() {",
    "} .entry conform_1() {",
    "mov.u32 %a, 0; // remark",
    "mov.u32 %a, 0; /* remark */",
    "mov.u32 %a, 0; /* remark",
    "mov.u32 %a, \"0\";",
    ".pragma \"nounroll\";",
    "# 3 \"elsewhere\"",
    "mov.u32 %a, 0;\nmov.u32 %b, zz;",
    ";",
    "",
    "@%p add.u32 %a, %b, %c;",
    "@%q add.u32 %a, %b, %c;",
    "setp.lt.u32 %p, %a, %b;",
    "selp.u32 %a, %b, %c, %p",
    "wmma.load.a.sync.aligned.row.m16n16k16.global { %a, %b, %c, %d }, [g];",
    "st.v2.local.b32 [0], {0, 0};",
    "nonsense.u32 %a, %b;",
    "cvt.rni.u32.f32 %a, %f;",
    "cvt.u32.f32 %a, %f;",
    "ld.global.u32 %a, [%w];",
    "suld.b.1d.b32.trap %a, [s, {%b}];",
    "suld.b.1d.b32.trap _, [s, {5}];",
    "suld.b.1d.b32 %a, [s, {%b}];",
];

fn scaffold() -> Scaffold {
    Scaffold {
        globals: ".global .surfref s; .global .align 16 .b8 g[64];".to_owned(),
        locals: ".reg .u32 %a, %b, %c, %d; .reg .f32 %f; .reg .pred %p; .reg .v2 .b64 %w;".to_owned(),
        ..Scaffold::default()
    }
}

/// An environment that every version knows.
fn usual() -> Environment {
    environment("7.5", "sm_80", "64")
}

/// Different orders of the same lines.
fn orders(lines: &[&'static str]) -> [Vec<&'static str>; 3] {
    let backward = lines.iter().rev().copied().collect();
    // If 20 and the number of lines have a common divisor, this leaves lines out, which is fine.
    let mixed = (0..2 * lines.len()).map(|index| lines[index * 20 % lines.len()]).collect();
    [lines.to_vec(), backward, mixed]
}

fn outcomes_of_single_lines(ptxas: &Ptxas, depth: Depth, lines: &[&'static str]) -> Tested {
    let judge = |lines: &[&str]| ptxas.judge(&batch(usual(), &scaffold(), lines), depth);
    let alone: Vec<Outcome> = lines.iter().flat_map(|line| judge(&[line])).collect();
    same("some are accepted", alone.contains(&Outcome::Accepted), true)?;
    let outcome = |line: &str| lines.iter().position(|other| *other == line).map(|index| &alone[index]);
    for order in orders(lines) {
        for (line, actual) in order.iter().zip(&judge(&order)) {
            same(line, Some(actual), outcome(line))?;
        }
    }
    Ok(())
}

fn a_batch_gives_the_outcomes_of_single_lines(ptxas: &Ptxas) -> Tested {
    outcomes_of_single_lines(ptxas, Depth::Check, LINES)
}

/// Batches of several PTX versions, targets and address sizes, one of them with a module that is refused.
fn batches_together_give_the_outcomes_of_each_alone(ptxas: &Ptxas) -> Tested {
    let broken = Scaffold { globals: ".global .nonsense x;".to_owned(), ..scaffold() };
    let environments = [("7.5", "sm_80"), ("6.3", "sm_70"), ("7.5", "sm_52"), ("7.0", "sm_80"), ("1.4", "sm_13")];
    for mostly_invalid in [false, true] {
        let mut batches: Vec<Batch<'_>> = Vec::new();
        for (at, (ptx, target)) in environments.into_iter().enumerate() {
            let sizes = if ptx == "1.4" { vec!["32"] } else { vec!["32", "64"] };
            for size in sizes {
                let lines: Vec<&str> = LINES.iter().cycle().skip(11 * at).take(LINES.len()).copied().collect();
                let module = if (at, size) == (2, "64") { &broken } else { &scaffold() };
                batches.push(Batch { mostly_invalid, ..batch(environment(ptx, target, size), module, &lines) });
            }
        }
        // The options of `.target` hold for all later modules of a process.
        for options in ["texmode_independent", "", "texmode_independent"] {
            let globals = ".global .texref t; .global .samplerref s;".to_owned();
            let sampled = Scaffold { globals, options: options.to_owned(), ..scaffold() };
            let plain = Scaffold { globals: ".global .texref t;".to_owned(), ..sampled.clone() };
            let (one, other) = ("tex.1d.v4.u32.f32 {%a, %b, %c, %d}, [t, {%f}];", "nop;");
            let by_sampler = "tex.1d.v4.u32.f32 {%a, %b, %c, %d}, [t, s, {%f}];";
            batches.push(Batch { mostly_invalid, ..batch(usual(), &sampled, &[by_sampler, other]) });
            batches.push(Batch { mostly_invalid, ..batch(usual(), &plain, &[one, other]) });
        }
        let before = ptxas.stats().processes;
        let alone: Vec<Vec<Outcome>> = batches.iter().map(|batch| ptxas.judge(batch, Depth::Check)).collect();
        let between = ptxas.stats().processes;
        let together = ptxas.judge_all(&batches, Depth::Check);
        for ((batch, alone), together) in batches.iter().zip(&alone).zip(&together) {
            for (line, outcomes) in batch.lines.iter().zip(alone.iter().zip(together)) {
                same(&format!("{}: {line}", batch.environment), outcomes.1, outcomes.0)?;
            }
        }
        let (apart, shared) = (between - before, ptxas.stats().processes - between);
        same(&format!("{shared} processes, {apart} apart"), shared < apart, true)?;
    }
    Ok(())
}

/// Directives that would contradict, resolve or repeat each other if their modules were of one program, each with the
/// objects beside it.
const DIRECTIVES: &[(&str, &str)] = &[
    ("", ".global .b32 a;"),
    ("", ".global .b64 a;"),
    ("", ".extern .const .f32 a;"),
    ("", ".visible .global .b32 a = 1;"),
    ("", ".common .global .v2 .f32 a;"),
    ("", ".global .b32 a<4>;"),
    ("", ".global .b32 a<40>;"),
    ("", ".global .b32 a4 = 5;"),
    ("", ".global .b32 a[;"),
    ("", ".global .b31 a;"),
    ("", ".global .b32 %tid;"),
    ("", ".global .b32 a.b;"),
    // One module declares what the other lacks.
    ("", ".global .u64 a = nowhere;"),
    ("", ".global .b32 nowhere;"),
    (".global .b32 g;", ".global .u64 a = g;"),
    (".func f { ret; }", ".visible .global .u64 a = f;"),
    (".func f (.reg .b32 x) { ret; }", ".alias g, f;"),
    ("", ".func f (.reg .b64 x) { ret; }"),
    ("", ".extern .func f;"),
    ("", ".weak .func f { ret; }"),
    ("", ".entry f { ret; }"),
    ("", ".entry f .maxnreg 0 { ret; }"),
    ("", ".visible .entry f .pragma \"nounroll\"; { ret; }"),
    ("", ".pragma \"nounroll\";"),
    ("", ".pragma \"nounroll;"),
    ("", ".file 1 \"a.cu\""),
    // Files are numbered for all modules of a process.
    ("", ".file 1 \"a.cu\", 1, 2"),
    ("", ".section .debug_str { K: .b8 1 }"),
    ("", ".section .debug_info { K: .b8 1, 256 }"),
    ("", "nonsense"),
];

/// Modules with one directive each, some of which are refused, in one process: each with its own outcome and messages.
fn directives_together_give_the_outcomes_of_each_alone(ptxas: &Ptxas) -> Tested {
    let module = |globals: &str| Scaffold {
        globals: globals.to_owned(),
        context: Context::Module,
        alone: true,
        ..Scaffold::default()
    };
    // The options of a header hold for all later modules of a process, in which the variable would be accepted.
    let header = Scaffold { context: Context::Header, ..module("") };
    let of_header = [(header, ".target sm_80, texmode_independent")];
    let sampler = [(module(".global .texref t;"), ".global .samplerref s;")];
    let directives = DIRECTIVES.iter().map(|(globals, line)| (module(globals), *line));
    let lines: Vec<(Scaffold, &str)> = of_header.into_iter().chain(sampler).chain(directives).collect();
    let each = |mostly_invalid| {
        let of = move |(scaffold, line): &(Scaffold, &'static str)| Batch {
            mostly_invalid,
            ..batch(usual(), scaffold, &[line])
        };
        lines.iter().map(of).collect::<Vec<Batch<'_>>>()
    };
    let before = ptxas.stats().processes;
    let alone: Vec<Vec<Outcome>> = each(false).iter().map(|batch| ptxas.judge(batch, Depth::Check)).collect();
    let apart = ptxas.stats().processes - before;
    for mostly_invalid in [false, true] {
        let batches: Vec<Batch<'_>> = (0..3).flat_map(|_| each(mostly_invalid)).collect();
        let before = ptxas.stats().processes;
        let together = ptxas.judge_all(&batches, Depth::Check);
        let shared = ptxas.stats().processes - before;
        for ((batch, alone), together) in batches.iter().zip(alone.iter().cycle()).zip(&together) {
            same(&format!("{} {}", batch.scaffold.globals, batch.lines[0]), together, alone)?;
        }
        same(&format!("{shared} processes, {apart} for a third of the lines apart"), shared < 2 * apart, true)?;
    }
    Ok(())
}

fn code_generation_gives_the_outcomes_of_single_lines(ptxas: &Ptxas) -> Tested {
    let fewer: Vec<&str> = LINES.iter().step_by(4).copied().collect();
    outcomes_of_single_lines(ptxas, Depth::Generate, &fewer)
}

fn messages_are_passed_on_unchanged(ptxas: &Ptxas) -> Tested {
    let lines = ["suld.b.1d.b32 %a, [s, {%b}];", "mov.u32 %a, %b;", "mov.u32 %a, ;"];
    for context in [Context::Entry, Context::Function] {
        let scaffold = Scaffold { context, ..scaffold() };
        let actual = ptxas.judge(&batch(usual(), &scaffold, &lines), Depth::Check);
        let expected = [
            Outcome::Rejected("Clamp modifier required for instruction 'suld.b'".to_owned()),
            Outcome::Accepted,
            Outcome::Rejected("Parsing error near ';': syntax error".to_owned()),
        ];
        same("outcomes", actual, expected.to_vec())?;
    }
    Ok(())
}

fn valid_lines_cost_one_process(ptxas: &Ptxas) -> Tested {
    ptxas.supports(&usual(), Depth::Check)?;
    let before = ptxas.stats();
    let actual = ptxas.judge(&batch(usual(), &scaffold(), &["mov.u32 %a, %b;"; 20_000]), Depth::Check);
    same("accepted", actual.iter().all(|outcome| *outcome == Outcome::Accepted), true)?;
    let after = ptxas.stats();
    same("processes", after.processes - before.processes, 1)?;
    same("lines", after.lines - before.lines, 20_000)
}

fn syntax_errors_cost_few_processes(ptxas: &Ptxas) -> Tested {
    for every in [1, 7, 20, 500] {
        let line = |index| if index % every == every / 2 { "mov..u32 %a;" } else { "mov.u32 %a, %b;" };
        let lines: Vec<&str> = (0..1000).map(line).collect();
        let before = ptxas.stats().processes;
        let actual = ptxas.judge(&batch(usual(), &scaffold(), &lines), Depth::Check);
        for (line, actual) in lines.iter().zip(actual) {
            same(line, actual == Outcome::Accepted, !line.contains(".."))?;
        }
        let processes = ptxas.stats().processes - before;
        if processes > 20 {
            return Err(format!("{processes} processes for a syntax error every {every} lines").into());
        }
    }
    Ok(())
}

fn environments_are_known(ptxas: &Ptxas) -> Tested {
    let supports = |ptx: &str, target: &str| ptxas.supports(&environment(ptx, target, "64"), Depth::Check);
    let newest = ptxas.newest_ptx().to_string();
    same("its newest", supports(&newest, "sm_80"), Ok(()))?;
    same("an old target", supports("1.0", "sm_10"), Ok(()))?;
    let reason = format!("{} knows PTX up to {newest}", ptxas.id());
    same("a newer one", supports("99.0", "sm_80"), Err(Unable::Unsupported(reason)))?;
    for target in ["sm_77", "sm_999", "sm_80a"] {
        same(target, supports(&newest, target).is_err(), true)?;
    }
    // Some versions refuse `-arch compute_90a`; the engine asks them with `sm_90a` instead.
    let exact = environment(&newest, "sm_90a", "64");
    if ptxas.supports(&exact, Depth::Generate).is_ok() {
        same("check as well", ptxas.supports(&exact, Depth::Check), Ok(()))?;
        let actual = ptxas.judge(&batch(exact, &scaffold(), &["mov.u32 %a, %b;", "mov.u32 %a;"]), Depth::Check);
        same("outcomes", actual.iter().map(Outcome::word).collect::<Vec<_>>(), vec!["accepted", "rejected"])?;
    }
    Ok(())
}

fn a_broken_module_costs_few_processes(ptxas: &Ptxas) -> Tested {
    ptxas.supports(&usual(), Depth::Check)?;
    let before = ptxas.stats().processes;
    let scaffold = Scaffold { globals: ".global .nonsense x;".to_owned(), ..scaffold() };
    let actual = ptxas.judge(&batch(usual(), &scaffold, &["mov.u32 %a, %b;"; 300]), Depth::Check);
    same("rejected", actual.iter().all(|outcome| matches!(outcome, Outcome::Rejected(_))), true)?;
    same("few processes", ptxas.stats().processes - before <= 3, true)
}

fn threads_do_not_interfere(ptxas: &Ptxas) -> Tested {
    let judge = |lines: &[&str]| ptxas.judge(&batch(usual(), &scaffold(), lines), Depth::Check);
    let orders = orders(&LINES[..10]);
    let one_by_one: Vec<Vec<Outcome>> = orders.iter().map(|order| judge(order)).collect();
    let at_once: Vec<Option<Vec<Outcome>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = orders.iter().map(|order| scope.spawn(|| judge(order))).collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect()
    });
    for (at_once, one_by_one) in at_once.into_iter().zip(one_by_one) {
        same("outcomes", at_once, Some(one_by_one))?;
    }
    Ok(())
}

/// What it answers over the protocol is what it answers directly.
fn it_speaks_the_protocol(ptxas: &Ptxas) -> Tested {
    let hello = r#"{"hello": {"protocol": 1, "tool": "test"}}"#;
    let asked = serde_json::json!({"judge": {
        "id": 7, "ptx": "7.0", "target": "sm_80", "address_size": 64, "generate": false,
        "declarations": ".reg .b32 %a, %b;", "lines": ["not.b32 %a, %b;", "not.b31 %a, %b;"],
    }});
    let unknown = asked.to_string().replace("7.0", "99.0");
    let mut said = Vec::new();
    serve(ptxas, format!("{hello}\n{asked}\n{unknown}\n").as_bytes(), &mut said).map_err(Failed::from)?;
    let said = String::from_utf8(said)?;
    let answers: Vec<Response> = said.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let [Response::Hello(about), Response::Judged(first), Response::Judged(second)] = answers.as_slice() else {
        return Err(said.into());
    };
    same("name and version", format!("{}@{}", about.name, about.version), ptxas.id().to_string())?;
    let kinds = |outcomes: &[LineOutcome]| {
        let kind = |outcome: &LineOutcome| match outcome {
            LineOutcome::Accepted => "accepted",
            LineOutcome::Rejected(_) => "rejected",
            LineOutcome::Skipped(_) => "skipped",
        };
        outcomes.iter().map(kind).collect::<Vec<_>>()
    };
    same("outcomes", kinds(&first.outcomes), vec!["accepted", "rejected"])?;
    same("in a version that it does not know", kinds(&second.outcomes), vec!["skipped", "skipped"])
}
