//! The kernels of executed cases: each choice of an executed instruction, those of its setup included, and some of the pairs
//! of choices must have one, and the real `ptxas` must generate code for each choice. The deepest run, which is nightly, generates code for all
//! that it executes.
//!
//! Without a `ptxas` (`ptx-conform toolchain install 13.5`) the tests are ignored; with PTX_CONFORM_REQUIRE_PTXAS=1
//! they fail instead.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};
use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::engine::toolchain::Installed;
use ptx_conform::engine::{Depth, Outcome};
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::judge::Reading;
use ptx_conform::kernel::{batches, module};
use ptx_conform::line_case::LineCase;
use ptx_conform::model;
use ptx_conform::semantics;
use ptx_conform::setup;
use ptx_conform::space::{Diagram, Values, covering, environment_values};
use ptx_conform::spec::Instruction;

/// The environment of the tested variants.
struct Taken {
    ptx: &'static str,
    target: &'static str,
    /// Of the pairs of choices, one in this many has its kernel written.
    written: usize,
    /// Of the kernels that are written, one in this many is assembled, besides those of each choice.
    assembled: usize,
}

/// For the newest `ptxas`, which knows loads of 256 bits.
const NEWEST: Taken = Taken { ptx: "9.0", target: "sm_100", written: 4, assembled: 24 };
/// For a `ptxas` of CUDA 11.
const OLD: Taken = Taken { ptx: "7.8", target: "sm_90", written: 8, assembled: 24 };

pub(crate) fn trials() -> Vec<Trial> {
    let toolchains = crate::installed::tested();
    if toolchains.is_empty() {
        let required = crate::installed::required();
        if !required {
            eprintln!("no `ptxas` here: the kernels are SKIPPED; run `ptx-conform toolchain install 13.5`");
        }
        let missing = || Err(Failed::from("no `ptxas` here, and PTX_CONFORM_REQUIRE_PTXAS is set"));
        return by_day()
            .0
            .into_iter()
            .map(|opcode| Trial::test(opcode, missing).with_ignored_flag(!required))
            .collect();
    }
    let (some, others) = by_day();
    let pairs = |opcodes: Vec<&'static str>| -> Vec<(Installed, &'static str)> {
        toolchains.iter().flat_map(|toolchain| opcodes.iter().map(|opcode| (toolchain.clone(), *opcode))).collect()
    };
    let of_one = |(toolchain, opcode): (Installed, &'static str)| {
        Trial::test(format!("{}::{opcode}", toolchain.version), move || assemble(&toolchain, opcode))
    };
    let others = pairs(others);
    let of_others = Trial::test("other_kernels_are_assembled", move || {
        others.iter().try_for_each(|(toolchain, opcode)| assemble(toolchain, opcode))
    });
    pairs(some).into_iter().map(of_one).chain([of_others.with_ignored_flag(true)]).collect()
}

/// Of the instructions that only compute, one in this many is tried by day, and the others by the nightly.
const BY_DAY: usize = 8;

/// The opcodes that are tried by day, and the others.
fn by_day() -> (Vec<&'static str>, Vec<&'static str>) {
    let (computing, mut some): (Vec<&str>, Vec<&str>) =
        model::opcodes().partition(|opcode| semantics::opcodes().any(|known| known == *opcode));
    let mut others = Vec::new();
    for (at, opcode) in computing.into_iter().enumerate() {
        let to = if at.is_multiple_of(BY_DAY) { &mut some } else { &mut others };
        to.push(opcode);
    }
    (some, others)
}

/// A variant in a setup.
struct Made<'a> {
    instruction: &'a Instruction,
    reading: Reading,
    /// Its choices, with those of the setup.
    values: Values,
    case: LineCase,
}

/// A choice of a form: the form, the axis and its value, by their positions.
type FormChoice = (usize, usize, u8);

fn assemble(toolchain: &Installed, opcode: &str) -> Result<(), Failed> {
    let engine = &EngineVersion::parse(&format!("ptxas@{}", toolchain.version))?;
    let taken = if engine.short().starts_with("11.") { &OLD } else { &NEWEST };
    let spec = ptx_conform::shipped::spec().map_err(|errors| format!("{errors:?}"))?;
    let divergences = Divergences::load(None, &spec).map_err(|errors| format!("{errors:?}"))?;
    let environment =
        Environment { ptx: taken.ptx.parse()?, target: taken.target.parse()?, address_size: AddressSize::Bits64 };
    let machine_code = EngineVersion::parse(&format!("sass-{}@{}", taken.target, toolchain.version))?;
    let (mut lines, mut kernels, mut wrong) = (HashSet::new(), 0, Vec::new());
    // Lines that are known to end code generation sometimes get a module each.
    let (mut plain, mut suspect) = (Vec::new(), Vec::new());
    let mut open: BTreeSet<FormChoice> = BTreeSet::new();
    let instruction = spec.instruction(opcode).ok_or("the model executes an instruction without a specification")?;
    for (at, form) in setup::executed(&spec, instruction).forms.iter().enumerate() {
        let Some(first) = environment_values(form, &environment) else { continue };
        let diagram = Diagram::within(form, None, &first);
        let region = diagram.all().below(&first);
        // The choices of the variant come before those of the setup.
        let of_line = instruction.forms[at].axes.len();
        let (each, pairs) = (covering(&region, 1), covering(&region, 2));
        let choices = |values: &Values| -> Vec<FormChoice> {
            values.iter().enumerate().take(of_line).map(|(axis, &value)| (at, axis, value)).collect()
        };
        open.extend(each.iter().flat_map(choices));
        let pairs = pairs.into_iter().step_by(taken.written).enumerate();
        let pairs = pairs.map(|(number, values)| (values, number % taken.assembled == 0));
        for (values, assembled) in each.into_iter().map(|values| (values, true)).chain(pairs) {
            let case = setup::line_case(&spec, form, &[&values])?;
            match module(&[&case]).1.pop() {
                Some(Ok(_)) => kernels += 1,
                why => wrong.push(format!("{}\n{}\n  {why:?}", case.declarations, case.line)),
            }
            // Many setups have the same line.
            if !assembled || !lines.insert((case.declarations.clone(), case.line.clone())) {
                continue;
            }
            choices(&values).iter().for_each(|choice| {
                open.remove(choice);
            });
            let of_line = values[..of_line].to_vec();
            let reading = Reading { form: at, values: of_line, broken: Vec::new(), specials: Default::default() };
            let ends = |did| divergences.sometimes(engine, instruction, &reading, Depth::Generate, did).is_some();
            let to = if ends(Does::Crashes) || ends(Does::Rejects) { &mut suspect } else { &mut plain };
            to.push(Made { instruction, reading, values, case });
        }
    }
    let cases: Vec<LineCase> = plain.iter().map(|made| made.case.clone()).collect();
    let of_plain = batches(&cases).into_iter().map(|batch| batch.into_iter().map(|at| &plain[at]).collect());
    let (mut assembled, mut modules) = (0, 0);
    let mut excused = BTreeMap::<String, usize>::new();
    // A batch that is refused is asked about again in halves.
    let mut waiting: Vec<Vec<&Made<'_>>> = of_plain.chain(suspect.iter().map(|made| vec![made])).collect();
    while let Some(mut batch) = waiting.pop() {
        modules += 1;
        let together: Vec<&LineCase> = batch.iter().map(|made| &made.case).collect();
        let text = module(&together).0;
        let outcome = run(toolchain, taken.target, &text)?;
        if outcome == Outcome::Accepted {
            assembled += batch.len();
            continue;
        }
        if batch.len() > 1 {
            let rest = batch.split_off(batch.len() / 2);
            waiting.extend([batch, rest]);
            continue;
        }
        for Made { instruction, reading, values, case } in batch {
            let listed = |did| {
                let compared = divergences.compare(Some(engine), instruction, reading, Depth::Generate, did);
                // Divergences about local parameters concern lines without a call; kernels have one.
                let applies = compared.as_expected && !case.line.contains("local_parameter");
                compared.divergence.filter(|_| applies)
            };
            // Some lines die only as they stand in a kernel.
            let form = &instruction.forms[reading.form].id;
            let in_kernel = || divergences.computes(Some(&machine_code), form, values).next().map(|of| of.id.as_str());
            match Does::of(&outcome).and_then(|did| listed(did).or_else(in_kernel)) {
                Some(id) => *excused.entry(id.to_owned()).or_default() += 1,
                None => wrong.push(format!("{text}{outcome:?}")),
            }
        }
    }
    eprintln!(
        "{} on {environment}, {opcode}: {kernels} kernels, of {} lines {assembled} assembled in {modules} modules, \
        divergences {excused:?}",
        toolchain.version,
        lines.len(),
    );
    if let Some(first) = wrong.first() {
        return Err(format!("{} kernels are wrong; the first one:\n{first}", wrong.len()).into());
    }
    // Of what the version does not have, and of lines that are no rows, there is no kernel.
    if kernels == 0 && open.is_empty() {
        return Ok(());
    }
    if assembled == 0 || !open.is_empty() {
        return Err(format!("{assembled} lines were assembled, and none with the choices {open:?}").into());
    }
    Ok(())
}

fn run(toolchain: &Installed, target: &str, text: &str) -> Result<Outcome, Failed> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("kernels.ptx");
    std::fs::write(&file, text)?;
    let mut ptxas = Command::new(&toolchain.path);
    ptxas.arg("-arch").arg(target).arg(&file).arg("-o").arg(directory.path().join("kernels.cubin"));
    let output = ptxas.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Ok(match output.status.code() {
        Some(0) => Outcome::Accepted,
        // Syntax errors end it with 255.
        Some(_) => Outcome::Rejected(said),
        None => Outcome::Crashed(said),
    })
}
