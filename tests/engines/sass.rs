//! The engine that interprets the machine code of a real `ptxas`.
//!
//! Without a `ptxas` and its `nvdisasm` (`ptx-conform toolchain install 13.5`) the tests are ignored; with
//! PTX_CONFORM_REQUIRE_PTXAS=1 they fail instead.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::cases::{self, Expected};
use libtest_mimic::{Failed, Trial};
use ptx_conform::campaign::{self, DomainWalk, Progress, WalkedLine};
use ptx_conform::divergences::{Divergences, EngineVersion};
use ptx_conform::engine::sass::{Configuration, Sass};
use ptx_conform::engine::{CaseExecutor as _, CodeLister as _, Listing, toolchain};
use ptx_conform::environment::{AddressSize, Environment, Suffix};
use ptx_conform::judge::Judge;
use ptx_conform::line_case::{Answer, Holds, Input, LineCase, Output, Returned, Rows, UndefinedBits};
use ptx_conform::model::{Allowed, Ending};
use ptx_conform::ptx::{Declarations, Line};
use ptx_conform::space::{Diagram, Draw, environment_values};
use ptx_conform::spec::{Instruction, Spec};
use ptx_conform::{model, setup};

const VERSION: &str = "13.5";

/// A test.
type Check = fn() -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let tests: [(&str, Check); 10] = [
        ("machine_code_does_what_was_computed_by_hand", machine_code_does_what_was_computed_by_hand),
        ("exact_results_do_not_depend_on_seeds", exact_results_do_not_depend_on_seeds),
        ("no_form_has_machine_code_that_is_unknown", no_form_has_machine_code_that_is_unknown),
        ("sums_are_what_the_model_expects", sums_are_what_the_model_expects),
        ("a_row_returns_what_the_machine_code_computes", a_row_returns_what_the_machine_code_computes),
        ("the_function_of_a_line_is_what_its_rows_return", the_function_of_a_line_is_what_its_rows_return),
        ("domains_of_16_bits_agree", || domains_agree(&["abs", "cnot", "ex2", "popc", "tanh"])),
        ("a_result_that_nothing_wrote_fails", a_result_that_nothing_wrote_fails),
        ("the_smallest_module_has_the_same_answer", the_smallest_module_has_the_same_answer),
        ("machine_code_that_differs_the_second_time_fails", machine_code_that_differs_the_second_time_fails),
    ];
    let required = crate::installed::required();
    let ignored = opened().is_err() && !required;
    let all = Trial::test("all_domains_of_16_bits_agree", || domains_agree(&[])).with_ignored_flag(true);
    tests.map(|(name, test)| Trial::test(name, test).with_ignored_flag(ignored)).into_iter().chain([all]).collect()
}

fn opened() -> Result<Sass, Failed> {
    let assembler = toolchain::find(VERSION)?.path;
    let disassembler = toolchain::disassembler(&assembler).ok_or("no nvdisasm")?;
    Ok(Sass::open(&assembler, &disassembler, None, Configuration::default())?)
}

/// A program with one row.
fn program(line: &str, inputs: &[(&str, u128)]) -> Result<LineCase, Failed> {
    let mut rows = Rows::new(inputs.len());
    rows.push(&inputs.iter().map(|(_, value)| *value).collect::<Vec<_>>());
    let input = |(register, _): &(&str, u128)| Input { register: (*register).to_owned(), bits: 32, holds: Holds::Bits };
    Ok(LineCase {
        ptx: "9.0".parse()?,
        target: "sm_90".parse()?,
        declarations: ".shared .align 4 .b8 s[4]; .entry k() { .reg .b32 %r<4>;".to_owned(),
        line: line.to_owned(),
        surface: None,
        variables: Vec::new(),
        inputs: inputs.iter().map(input).collect(),
        outputs: vec![Output { register: "%r0".to_owned(), bits: 32 }],
        writes: Some(Vec::new()),
        rows,
        own_launches: Vec::new(),
    })
}

/// `run --exhaustive` asks for it instead of rows.
fn the_function_of_a_line_is_what_its_rows_return() -> Result<(), Failed> {
    const INPUTS: [u64; 8] = [0, 1, 0x0080_0000, 0x3f80_0000, 0x4049_0fdb, 0x7f80_0001, 0x8000_0001, 0xffff_ffff];
    let engine = opened()?;
    for line in ["rcp.rn.f32 %r0, %r1;", "sqrt.rm.ftz.f32 %r0, %r1;", "popc.b32 %r0, %r1;"] {
        let mut case = program(line, &[("%r1", 0)])?;
        case.rows = Rows::new(1);
        INPUTS.iter().for_each(|input| case.rows.push(&[u128::from(*input)]));
        let mut outputs = Vec::new();
        assert!(engine.function(&case, &mut |function| outputs = INPUTS.map(function).into()));
        let returned =
            |output: &Option<u64>| output.map(|value| Answer::Returned(Returned::registers(&[value.into()])));
        let outputs: Vec<Option<Answer>> = outputs.iter().map(returned).collect();
        let answers = engine.execute(std::slice::from_ref(&case)).concat();
        assert_eq!(outputs, answers.into_iter().map(Some).collect::<Vec<_>>(), "{line}");
    }
    let two = program("add.u32 %r0, %r1, %r2;", &[("%r1", 1), ("%r2", 2)])?;
    assert!(!engine.function(&two, &mut |_| panic!("it has two inputs")));
    Ok(())
}

/// Every input of the lines of some opcodes, or of all, with one source of up to 16 bits.
fn domains_agree(opcodes: &[&str]) -> Result<(), Failed> {
    let (spec, engine) = (ptx_conform::shipped::spec().map_err(|errors| errors[0].render(false))?, opened()?);
    let divergences = Divergences::load(None, &spec).map_err(|errors| errors[0].render(false))?;
    let named = |of: &&Instruction| opcodes.is_empty() || opcodes.contains(&of.name.as_str());
    let instructions: Vec<&Instruction> = spec.instructions.iter().filter(named).collect();
    let environment = campaign::executing_environment(&spec, &engine)?;
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("exhaustive.jsonl");
    let walk = DomainWalk {
        spec: &spec,
        divergences: &divergences,
        instructions: &instructions,
        only: None,
        most_bits: 16,
        file: &file,
    };
    let walked = walk.run(&[(&engine, environment)], &Progress::default())?;
    assert!(walked.len() >= 7, "{walked:#?}");
    let agrees = |line: &&WalkedLine| {
        line.counts.inputs == line.domain && (line.counts.failed == 0 || line.counts.listed.is_some())
    };
    let others: Vec<&WalkedLine> = walked.iter().filter(|line| !agrees(line)).collect();
    assert!(others.is_empty(), "{others:#?}");
    println!("{} lines agree with each input", walked.len());
    Ok(())
}

fn a_row_returns_what_the_machine_code_computes() -> Result<(), Failed> {
    let inputs = [("%r1", 0xffff_fffe), ("%r2", 3)];
    let programs = [
        program("add.u32 %r0, %r1, %r2;", &inputs)?,
        program("add.sat.s32 %r0, %r1, %r2;", &[("%r1", 0x7fff_ffff), ("%r2", 3)])?,
        program("mov.u32 %r0, %smid;", &inputs)?,
    ];
    let answers = opened()?.execute(&programs).concat();
    let returned = |value| Answer::Returned(Returned::registers(&[value]));
    assert_eq!(answers[..2], [returned(1), returned(0x7fff_ffff)]);
    assert!(matches!(&answers[2], Answer::Skipped(why) if why.contains("SR_VIRTUALSMID")), "{:?}", answers[2]);
    Ok(())
}

fn a_result_that_nothing_wrote_fails() -> Result<(), Failed> {
    let unwritten = program("ld.shared.u32 %r0, [s];", &[])?;
    let answers = opened()?.execute(&[unwritten]).concat();
    let undefined = UndefinedBits { registers: vec![0xffff_ffff], ..UndefinedBits::default() };
    let [Answer::Returned(Returned { undefined: Some(of_result), .. })] = &answers[..] else {
        return Err(format!("{answers:?}").into());
    };
    assert_eq!(**of_result, undefined);
    Ok(())
}

/// A ptxas that does not optimize every other module.
const MOODY: &str = r#"#!/bin/sh
case "$*" in
*-o*) ;;
*) exec "PTXAS" "$@" ;;
esac
mkdir "$0.once" 2>/dev/null && exec "PTXAS" "$@"
rmdir "$0.once"
exec "PTXAS" $(echo "$@" | sed s/-O3/-O0/)
"#;

fn machine_code_that_differs_the_second_time_fails() -> Result<(), Failed> {
    let assembler = toolchain::find(VERSION)?.path;
    let disassembler = toolchain::disassembler(&assembler).ok_or("no nvdisasm")?;
    let folder = tempfile::tempdir()?;
    let moody = folder.path().join("ptxas");
    std::fs::write(&moody, MOODY.replace("PTXAS", &assembler.display().to_string()))?;
    std::fs::set_permissions(&moody, std::fs::Permissions::from_mode(0o755))?;
    let engine = Sass::open(&moody, &disassembler, None, Configuration::default())?;
    let answers = engine.execute(&[program("add.u32 %r0, %r1, %r2;", &[("%r1", 1), ("%r2", 3)])?]).concat();
    assert!(matches!(&answers[..], [Answer::Failed(why)] if why.contains("same text again")), "{answers:?}");
    Ok(())
}

/// The line for which `ptxas` 13.5 has an internal compiler error: a component of a vector is the destination.
const CRASHES: &str = "ld.shared::cta.u32 %v.y, [sh+4];";

fn the_smallest_module_has_the_same_answer() -> Result<(), Failed> {
    let engine = opened()?;
    let smallest = |case: &LineCase| engine.smallest(case).ok_or("no listing");
    let lines = |listing: &Listing| listing.ptx.iter().map(|line| line.text.clone()).collect::<Vec<_>>().join("\n");
    let marked = |listing: &Listing| -> Vec<String> {
        let code = listing.code.iter().filter(|line| line.marked);
        code.map(|line| line.operation.clone()).take_while(|operation| operation != "EXIT").collect()
    };

    let bare = smallest(&program("add.u32 %r0, %r1, %r2;", &[("%r1", 1), ("%r2", 3)])?)?;
    assert!(["membar", "marks", "zero"].iter().all(|part| !lines(&bare).contains(part)), "{}", lines(&bare));
    assert!(bare.command.contains("nvdisasm") && marked(&bare).iter().any(|of| of == "IADD3"), "{:?}", bare.code);

    // The result is 0 only if the output was set to 0 before.
    let mut guarded = program("@%p add.u32 %r0, %r1, %r1;", &[("%r1", 7), ("%p", 0)])?;
    guarded.declarations = ".entry k() { .reg .b32 %r<2>; .reg .pred %p;".to_owned();
    guarded.inputs[1].bits = 1;
    let fenced = smallest(&guarded)?;
    assert!(lines(&fenced).contains("membar.gl") && !lines(&fenced).contains("marks"), "{}", lines(&fenced));

    let mut crashing = program(CRASHES, &[])?;
    crashing.declarations = ".shared .align 4 .b8 sh[8]; .entry k() { .reg .v2 .b32 %v;".to_owned();
    crashing.outputs = vec![Output { register: "%v.y".to_owned(), bits: 32 }];
    let crashing = smallest(&crashing)?;
    assert!(crashing.code.is_empty() && !crashing.command.contains("nvdisasm"), "{}", crashing.command);
    assert!(!lines(&crashing).contains("marks"), "{}", lines(&crashing));
    Ok(())
}

/// True if a divergence lists lines with the choices of this one: `ptxas` may compute something else.
fn is_listed(spec: &Spec, known: &Divergences, case: &LineCase) -> Result<bool, Failed> {
    let environment = case.environment();
    let declarations = Declarations::parse(&case.declarations, &spec.isa)?;
    let line = Line::parse(&case.line)?;
    let read = Judge::new(spec, &environment)?.read(&line, &declarations);
    let Some((instruction, reading)) = read else { return Ok(false) };
    // What a setup adds is at its first value: no entry about a line that only computes names it.
    let form = &setup::executed(spec, instruction).forms[reading.form];
    let mut values = reading.values;
    values.resize(form.axes.len(), 0);
    let version = EngineVersion::parse(&format!("sass@{VERSION}"))?;
    let refuses = known.refuses(Some(&version), &form.id, &values).next().is_some();
    Ok(refuses || known.computes(Some(&version), &form.id, &values).next().is_some())
}

/// The cases of `corpus/executed/` whose instructions a run executes, compiled for sm_90. Those with choices for which wrong
/// code is listed may differ, and some must: otherwise nothing shows that they are compared.
fn machine_code_does_what_was_computed_by_hand() -> Result<(), Failed> {
    let spec = ptx_conform::shipped::spec().map_err(|errors| errors[0].render(false))?;
    let newest = opened()?.newest_ptx();
    let known = Divergences::load(None, &spec).map_err(|errors| errors[0].render(false))?;
    let (mut programs, mut expected) = (Vec::new(), Vec::new());
    for mut case in cases::all(&spec).map_err(|why| why.to_string())? {
        let target = case.program.target;
        if target.suffix != Suffix::Plain || target.sm > 90 || !model::models(&case.instruction) {
            continue;
        }
        (case.program.ptx, case.program.target) = (newest, "sm_90".parse()?);
        expected.push((case.name, case.expected));
        programs.push(case.program);
    }
    let (mut wrong, mut skipped, mut checked, mut differing) = (Vec::new(), Vec::new(), 0, 0);
    for ((program, (name, expected)), answers) in programs.iter().zip(expected).zip(opened()?.execute(&programs)) {
        for (at, (expected, answer)) in expected.iter().zip(&answers).enumerate() {
            match answer {
                _ if matches!(expected, Expected::Undefined(_)) => {}
                Answer::Skipped(why) if why.contains("is unified") => {}
                Answer::Skipped(why) => skipped.push(format!("{name}: {why}")),
                // What is beside variables of local memory is not modelled: it is undefined.
                Answer::Returned(returned) if matches!(expected, Expected::Traps) && returned.undefined.is_some() => {}
                Answer::Failed(why) if program.line == CRASHES && why.contains("C7907") => {}
                answer => match expected.check(answer, program) {
                    Ok(()) => checked += 1,
                    Err(_) if is_listed(&spec, &known, program)? => differing += 1,
                    Err(why) => wrong.push(format!("row {at} of `{}`: {why}", program.line)),
                },
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert_eq!(skipped, [""; 0]);
    assert!(checked > 4_000 && differing > 0, "{checked} rows agree, {differing} differ as listed");
    Ok(())
}

/// Quotients, remainders, reciprocals and roots begin with an approximation of the special-function unit, of which only an error
/// bound is known. One unit in the last place more or less must change no result that the manual defines exactly, and does
/// change some of the others. Powers of two are
/// not moved: `ptxas` relies on those of the unit, as for divisors whose significand is all ones, which no step of its kind
/// corrects.
fn exact_results_do_not_depend_on_seeds() -> Result<(), Failed> {
    const SEEDED: [&str; 4] = ["div", "rcp", "rem", "sqrt"];
    let (spec, engine) = (ptx_conform::shipped::spec().map_err(|errors| errors[0].render(false))?, opened()?);
    let mut programs = Vec::new();
    for mut case in cases::all(&spec).map_err(|why| why.to_string())? {
        let target = case.program.target;
        if SEEDED.contains(&case.instruction.as_str()) && target.suffix == Suffix::Plain && target.sm <= 90 {
            (case.program.ptx, case.program.target) = (engine.newest_ptx(), "sm_90".parse()?);
            programs.push(case.program);
        }
    }
    let compiled = engine.compile(&programs);
    let loaded = engine.disassemble(&compiled)?;
    let usual: Vec<_> = loaded.execute().collect();
    let (mut exact, mut differing, mut wrong) = (0, 0, Vec::new());
    for units in [-1, 1] {
        for ((program, usual), moved) in programs.iter().zip(&usual).zip(loaded.execute_with_moved_seeds(units)) {
            let prepared = model::prepare(&spec, program)?;
            let rows = prepared.all(&program.rows).zip(&usual.answers).zip(&moved.answers);
            for (at, ((expectation, usual), moved)) in rows.enumerate() {
                let Allowed::Only(Ending::Returns(effect)) = &expectation.allowed else { continue };
                let row: Vec<u128> = program.rows.iter().nth(at).into_iter().flatten().copied().collect();
                let ones = |(input, bits): (&Input, &u128)| {
                    let fraction = if input.bits == 32 { (1 << 23) - 1 } else { (1 << 52) - 1 };
                    bits & fraction == fraction
                };
                let is_exact = effect.registers().iter().all(|value| value.only().is_some())
                    && !program.inputs.iter().zip(&row).any(ones);
                exact += usize::from(is_exact);
                differing += usize::from(!is_exact && usual != moved);
                if is_exact && usual != moved {
                    wrong.push(format!("row {at} of `{}`, moved by {units}: {usual:?}, {moved:?}", program.line));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(exact > 500 && differing > 0, "{exact} results are exact, {differing} others differ");
    Ok(())
}

/// Lines of each form that the model executes, in the newest PTX and the default target: a row that is skipped was never
/// compared.
fn no_form_has_machine_code_that_is_unknown() -> Result<(), Failed> {
    const LINES: usize = 8;
    let (engine, spec) = (opened()?, ptx_conform::shipped::spec().map_err(|errors| errors[0].render(false))?);
    let environment =
        Environment { ptx: engine.newest_ptx(), target: "sm_90".parse()?, address_size: AddressSize::Bits64 };
    let mut programs = Vec::new();
    for instruction in spec.instructions.iter().filter(|instruction| model::models(&instruction.name)) {
        for form in &setup::executed(&spec, instruction).forms {
            let values = environment_values(form, &environment).ok_or("an unknown environment")?;
            let diagram = Diagram::within(form, None, &values);
            let mut draw = Draw::named(&form.id, 0);
            for _ in 0..LINES {
                // Some forms have no setups yet.
                let Some(row) = draw.variant(&diagram.all().below(&values)) else { break };
                programs.push(setup::line_case(&spec, form, &[&row])?);
            }
        }
    }
    let (mut skipped, mut returned) = (Vec::new(), 0);
    for (program, answers) in programs.iter().zip(engine.execute(&programs)) {
        let prepared = model::prepare(&spec, program)?;
        for (expectation, answer) in prepared.all(&program.rows).zip(&answers) {
            match answer {
                // The interpreter need not know what the manual leaves open.
                _ if matches!(expectation.allowed, Allowed::Any(_)) => {}
                Answer::Skipped(why) if !why.contains("is unified") => {
                    skipped.push(format!("`{}`: {why}", program.line))
                }
                Answer::Returned(_) => returned += 1,
                _ => {}
            }
        }
    }
    assert_eq!(skipped, [""; 0]);
    assert!(returned > programs.len() / 2, "{returned} of {} rows returned", programs.len());
    assert!(programs.iter().any(|program| program.line.contains("::readonly")), "the newest form of ld is among them");
    Ok(())
}

fn sums_are_what_the_model_expects() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let output = Command::new(env!("CARGO_BIN_EXE_ptx-conform"))
        .args(["run", "add", "--depth", "pairs", "--engine", &format!("sass@{VERSION}"), "--random", "0", "--reports"])
        .arg(folder.path())
        .env("PTX_CONFORM_ANSWERS", "")
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let line = text.lines().find(|line| line.contains(" rows tried")).ok_or("no rows were tried")?;
    assert!(line.ends_with(", 0 failed") && !text.contains("skipped"), "{text}");
    let passed = line.split_once("; ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u64>().ok());
    assert!(passed.is_some_and(|passed| passed > 1_000), "{line}");
    Ok(())
}
