//! The kernels of executed cases: every variant in every setup must have one, and the real `ptxas` must generate code
//! for it.
//!
//! Without a `ptxas` (`ptx-conform toolchain install 13.5`) the tests are ignored; with PTX_CONFORM_REQUIRE_PTXAS=1
//! they fail instead.

use std::collections::{BTreeMap, HashSet};
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};
use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::engine::toolchain::Installed;
use ptx_conform::engine::{Depth, Outcome};
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::judge::Reading;
use ptx_conform::kernel::{batches, module};
use ptx_conform::line_case::LineCase;
use ptx_conform::setup;
use ptx_conform::space::{Diagram, Draw, Region, Values, covering, environment_values};
use ptx_conform::spec::{Choice, Form, Instruction};

/// Instructions, and how many of their variants are tested.
struct Group {
    name: &'static str,
    instructions: &'static [&'static str],
    /// Whether every combination of modifiers is tested and assembled, in addition to every pair of choices.
    complete: bool,
    /// Of the lines that cover pairs, one in this many is assembled.
    thin: usize,
    /// How many lines must be assembled at least.
    least: usize,
}

const GROUPS: [Group; 3] = [
    Group { name: "surfaces", instructions: &["suld", "sust", "sured", "suq"], complete: true, thin: 3, least: 2_000 },
    Group { name: "loads", instructions: &["ld"], complete: false, thin: 3, least: 700 },
    Group { name: "sums", instructions: &["add"], complete: true, thin: 1, least: 60 },
];

/// The environment of the tested variants.
struct Taken {
    ptx: &'static str,
    target: &'static str,
    /// One variant in this many is tested.
    thin: usize,
}

/// For the newest `ptxas`, which knows loads of 256 bits.
const NEWEST: Taken = Taken { ptx: "9.0", target: "sm_100", thin: 1 };
/// For a `ptxas` of CUDA 11.
const OLD: Taken = Taken { ptx: "7.8", target: "sm_90", thin: 8 };

pub(crate) fn trials() -> Vec<Trial> {
    let toolchains = crate::installed::tested();
    if toolchains.is_empty() {
        let required = crate::installed::required();
        if !required {
            eprintln!("no `ptxas` here: the kernels are SKIPPED; run `ptx-conform toolchain install 13.5`");
        }
        let missing = || Err(Failed::from("no `ptxas` here, and PTX_CONFORM_REQUIRE_PTXAS is set"));
        return GROUPS.iter().map(|group| Trial::test(group.name, missing).with_ignored_flag(!required)).collect();
    }
    let trials = toolchains.iter().flat_map(|toolchain| GROUPS.iter().map(move |group| (toolchain.clone(), group)));
    trials
        .filter_map(|(toolchain, group)| {
            let engine = EngineVersion::parse(&format!("ptxas@{}", toolchain.version)).ok()?;
            let taken = if engine.short().starts_with("11.") { &OLD } else { &NEWEST };
            let name = format!("{}::{}", toolchain.version, group.name);
            Some(Trial::test(name, move || assemble(&toolchain, &engine, group, taken)))
        })
        .collect()
}

/// A variant in a setup.
struct Made<'a> {
    instruction: &'a Instruction,
    reading: Reading,
    case: LineCase,
}

fn assemble(toolchain: &Installed, engine: &EngineVersion, group: &Group, taken: &Taken) -> Result<(), Failed> {
    let spec = ptx_conform::shipped::spec().map_err(|errors| format!("{errors:?}"))?;
    let divergences = Divergences::load(None, &spec).map_err(|errors| format!("{errors:?}"))?;
    let environment =
        Environment { ptx: taken.ptx.parse()?, target: taken.target.parse()?, address_size: AddressSize::Bits64 };
    let (mut lines, mut kernels, mut wrong) = (HashSet::new(), 0, Vec::new());
    // Lines that are known to end code generation sometimes get a module each.
    let (mut plain, mut suspect) = (Vec::new(), Vec::new());
    for instruction in group.instructions.iter().filter_map(|name| spec.instruction(name)) {
        let executed = setup::executed(&spec, instruction);
        for (at, form) in executed.forms.iter().enumerate() {
            let Some(first) = environment_values(form, &environment) else { continue };
            let diagram = Diagram::within(form, None, &first);
            let region = diagram.all().below(&first);
            let first = if group.complete { modifiers(form, &region) } else { Vec::new() };
            let whole = first.len();
            let rows = first.into_iter().chain(covering(&region, 2));
            for (number, values) in rows.enumerate().step_by(taken.thin) {
                let case = setup::line_case(&spec, form, &[&values])?;
                match module(&[&case]).1.pop() {
                    Some(Ok(_)) => kernels += 1,
                    why => wrong.push(format!("{}\n{}\n  {why:?}", case.declarations, case.line)),
                }
                // Many setups have the same line.
                let new = lines.insert((case.declarations.clone(), case.line.clone()));
                if !new || number >= whole && lines.len() % group.thin != 0 {
                    continue;
                }
                // The choices of the variant come before those of the setup.
                let values = values[..instruction.forms[at].axes.len()].to_vec();
                let reading = Reading { form: at, values, broken: Vec::new(), specials: Default::default() };
                let ends = |did| divergences.sometimes(engine, instruction, &reading, Depth::Generate, did).is_some();
                let to = if ends(Does::Crashes) || ends(Does::Rejects) { &mut suspect } else { &mut plain };
                to.push(Made { instruction, reading, case });
            }
        }
    }
    let cases: Vec<LineCase> = plain.iter().map(|made| made.case.clone()).collect();
    let of_plain = batches(&cases).into_iter().map(|batch| batch.into_iter().map(|at| &plain[at]).collect());
    let (mut assembled, mut modules) = (0, 0);
    let mut excused = BTreeMap::<String, usize>::new();
    for batch in of_plain.chain(suspect.iter().map(|made| vec![made])) {
        let batch: Vec<&Made<'_>> = batch;
        modules += 1;
        let together: Vec<&LineCase> = batch.iter().map(|made| &made.case).collect();
        let of_all = run(toolchain, taken.target, &module(&together).0)?;
        if of_all == Outcome::Accepted {
            assembled += batch.len();
            continue;
        }
        let alone = batch.len() == 1;
        for Made { instruction, reading, case } in batch {
            let (text, _) = module(&[case]);
            let outcome = if alone { of_all.clone() } else { run(toolchain, taken.target, &text)? };
            let listed = |did| {
                let compared = divergences.compare(Some(engine), instruction, reading, Depth::Generate, did);
                // Divergences about local parameters concern lines without a call; kernels have one.
                let applies = compared.as_expected && !case.line.contains("local_parameter");
                compared.divergence.filter(|_| applies)
            };
            match Does::of(&outcome).map(|did| (did, listed(did))) {
                Some((Does::Accepts, _)) => assembled += 1,
                Some((_, Some(id))) => *excused.entry(id.to_owned()).or_default() += 1,
                _ => wrong.push(format!("{text}{outcome:?}")),
            }
        }
    }
    eprintln!(
        "{} on {environment}, {}: {kernels} kernels of {} lines, {assembled} assembled in {modules} modules, \
        divergences {excused:?}",
        toolchain.version,
        group.name,
        lines.len(),
    );
    if let Some(first) = wrong.first() {
        return Err(format!("{} kernels are wrong; the first one:\n{first}", wrong.len()).into());
    }
    if assembled < group.least / taken.thin {
        return Err(format!("only {assembled} lines were assembled").into());
    }
    Ok(())
}

/// A variant for each possible combination of modifiers: without a guard, with operands and setup drawn at random.
fn modifiers(form: &Form, region: &Region<'_>) -> Vec<Values> {
    let last = form.axes.iter().rposition(|axis| axis.choice == Choice::Modifier).unwrap_or_default();
    let mut draw = Draw::named(&form.id, 1);
    let mut variants = Vec::new();
    // After the environment.
    let mut open = vec![(3, region.clone())];
    while let Some((axis, region)) = open.pop() {
        if axis > last {
            variants.extend(draw.variant(&region));
            continue;
        }
        let choices = region.choices();
        let taken = if form.axes[axis].choice == Choice::Modifier { choices.len() } else { 1 };
        // A form that is never executed has none.
        open.extend(choices.iter().take(taken).map(|&choice| (axis + 1, region.below(&[choice]))));
    }
    variants
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
        Some(1..128) => Outcome::Rejected(said),
        _ => Outcome::Crashed(said),
    })
}
