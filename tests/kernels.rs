//! Kernels of executed cases, taken through code generation by the real `ptxas`: every module that
//! is written must be one.
//!
//! Without a `ptxas` (`ptx-conform toolchain install 13.5`) they are ignored; with
//! PTX_CONFORM_REQUIRE_PTXAS=1 they fail instead.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_conform::divergence::{Divergences, Does, EngineVersion};
use ptx_conform::engine::toolchain::{self, Installed};
use ptx_conform::engine::{Depth, Outcome};
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::execution::{
    Component, Execution, Format, Geometry, Holds, Input, Output, Rows, Space, Surface, Variable,
};
use ptx_conform::judge::Reading;
use ptx_conform::kernel::{batches, module};
use ptx_conform::ptx::{Argument, Declarations, Item, Line, Printer, Symbol, scaffold};
use ptx_conform::space::{Diagram, Region, Values, covering, environment_values};
use ptx_conform::spec::{Choice, Form, Instruction, Pattern, Role, Spec};

/// Instructions in an environment, and how many of their variants at least are cases.
struct Group {
    name: &'static str,
    instructions: &'static [&'static str],
    /// PTX version and target for a `ptxas` that takes them.
    environments: &'static [(&'static str, &'static str)],
    /// Whether every combination of modifiers is taken, and not only every pair.
    complete: bool,
    /// Whether only accesses of 256 bits are taken.
    wide: bool,
    least: usize,
}

const GROUPS: [Group; 3] = [
    Group {
        name: "surfaces",
        instructions: &["suld", "sust", "sured", "suq"],
        environments: &[("9.0", "sm_90"), ("7.8", "sm_90")],
        complete: true,
        wide: false,
        least: 1_500,
    },
    Group {
        name: "loads",
        instructions: &["ld"],
        environments: &[("9.0", "sm_90"), ("7.8", "sm_90")],
        complete: false,
        wide: false,
        least: 500,
    },
    Group {
        name: "wide_loads",
        instructions: &["ld"],
        environments: &[("9.0", "sm_100")],
        complete: false,
        wide: true,
        least: 500,
    },
];

/// Why a valid variant is not executed; whatever else is the reason fails the tests.
const REASONS: [&str; 7] = [
    "the address lies before",
    "is unified",
    "no driver binds the parameter",
    "an immediate is no cache policy",
    "has no address in `.param`",
    "has 32 bits, an address of",
    "no variable has an address there",
];

fn main() {
    libtest_mimic::run(&Arguments::from_args(), trials()).exit();
}

fn trials() -> Vec<Trial> {
    let toolchains = newest_of_each_major();
    if toolchains.is_empty() {
        let required = std::env::var_os("PTX_CONFORM_REQUIRE_PTXAS").is_some_and(|value| value == "1");
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
            let newest = if engine.short().starts_with("11.") { "7.8" } else { "9.0" };
            let environment = group.environments.iter().find(|(ptx, _)| *ptx == newest)?;
            let name = format!("{}::{}", toolchain.version, group.name);
            Some(Trial::test(name, move || assemble(&toolchain, &engine, group, *environment)))
        })
        .collect()
}

fn newest_of_each_major() -> Vec<Installed> {
    let major = |toolchain: &Installed| toolchain.version.split('.').next().map(str::to_owned);
    let mut toolchains = toolchain::all();
    toolchains.dedup_by_key(|toolchain| major(toolchain));
    toolchains
}

/// A valid variant as a case.
struct Made<'a> {
    instruction: &'a Instruction,
    reading: Reading,
}

#[derive(Default)]
struct Cases<'a> {
    made: Vec<Made<'a>>,
    cases: Vec<Execution>,
}

fn assemble(
    toolchain: &Installed,
    engine: &EngineVersion,
    group: &Group,
    (ptx, target): (&str, &str),
) -> Result<(), Failed> {
    let spec = Spec::shipped().map_err(|errors| format!("{errors:?}"))?;
    let divergences = Divergences::load(None, &spec).map_err(|errors| format!("{errors:?}"))?;
    let environment = Environment { ptx: ptx.parse()?, target: target.parse()?, address_size: AddressSize::Bits64 };
    let mut left_out = BTreeMap::<String, usize>::new();
    // Those that are known to end code generation at times are taken apart from the others.
    let (mut plain, mut suspect) = <(Cases<'_>, Cases<'_>)>::default();
    for instruction in group.instructions.iter().filter_map(|name| spec.instruction(name)) {
        for (form, of) in instruction.forms.iter().enumerate() {
            let Some(first) = environment_values(of, &environment) else { continue };
            let diagram = Diagram::within(of, None, &first);
            let region = diagram.all().below(&first);
            let mut rows = covering(&region, 2);
            if group.complete {
                modifiers(of, &region, &mut rows);
            }
            rows.sort_unstable();
            rows.dedup();
            for values in rows.into_iter().filter(|values| !group.wide || wide(of, values)) {
                let Some(case) = execution(&spec, of, &values, &environment)? else {
                    *left_out.entry(REASONS[6].to_owned()).or_default() += 1;
                    continue;
                };
                let made = Made { instruction, reading: Reading { form, values, broken: Vec::new() } };
                let ends =
                    |did| divergences.sometimes(engine, instruction, &made.reading, Depth::Generate, did).is_some();
                let to = if ends(Does::Crashes) || ends(Does::Rejects) { &mut suspect } else { &mut plain };
                to.made.push(made);
                to.cases.push(case);
            }
        }
    }
    let (mut assembled, mut modules, mut wrong) = (0, 0, Vec::new());
    let mut excused = BTreeMap::<String, usize>::new();
    let all =
        [&plain, &suspect].into_iter().flat_map(|of| batches(&of.cases).into_iter().map(move |batch| (of, batch)));
    for (Cases { made, cases }, batch) in all {
        let together: Vec<&Execution> = batch.iter().map(|&at| &cases[at]).collect();
        let (text, kernels) = module(&together);
        let mut good = Vec::new();
        for (&at, kernel) in batch.iter().zip(kernels) {
            match kernel {
                Ok(_) => good.push(at),
                Err(why) => match REASONS.iter().find(|reason| why.contains(**reason)) {
                    Some(reason) => *left_out.entry((*reason).to_owned()).or_default() += 1,
                    None => wrong.push(format!("{}\n{}\n  {why}", cases[at].declarations, cases[at].line)),
                },
            }
        }
        if good.is_empty() {
            continue;
        }
        modules += 1;
        if run(toolchain, target, &text)? == Outcome::Accepted {
            assembled += good.len();
            continue;
        }
        for at in good {
            let (text, _) = module(&[&cases[at]]);
            let outcome = run(toolchain, target, &text)?;
            let Made { instruction, reading } = &made[at];
            let listed = |did| {
                let compared = divergences.compare(Some(engine), instruction, reading, Depth::Generate, did);
                // Those about a local parameter are about one without a call.
                let applies = compared.as_expected && !cases[at].line.contains("local_parameter");
                compared.divergence.filter(|_| applies)
            };
            match Does::of(&outcome).map(|did| (did, listed(did))) {
                Some((Does::Accepts, _)) => assembled += 1,
                Some((_, Some(id))) => *excused.entry(id.to_owned()).or_default() += 1,
                _ => wrong.push(format!("{text}{outcome:?}")),
            }
        }
    }
    let left: usize = left_out.values().sum();
    eprintln!(
        "{} on {environment}, {}: {assembled} of {} kernels in {modules} modules are assembled, divergences \
        {excused:?}, {left} not executed: {left_out:?}",
        toolchain.version,
        group.name,
        plain.cases.len() + suspect.cases.len(),
    );
    if let Some(first) = wrong.first() {
        return Err(format!("{} are wrong; the first one:\n{first}", wrong.len()).into());
    }
    if assembled < group.least {
        return Err(format!("only {assembled} kernels").into());
    }
    Ok(())
}

/// A variant for each combination of modifiers that there is: without a guard, with one of the operands
/// that go with it.
fn modifiers(form: &Form, region: &Region<'_>, to: &mut Vec<Values>) {
    let last = form.axes.iter().rposition(|axis| axis.choice == Choice::Modifier).unwrap_or_default();
    let mut open = vec![(3, region.clone())];
    while let Some((axis, region)) = open.pop() {
        if axis > last {
            // Another one for each, so that all kinds of operands occur.
            to.extend(region.unrank(u128::try_from(to.len()).unwrap_or(0) * 7 % region.count()));
            continue;
        }
        let choices = region.choices();
        let taken = if form.axes[axis].choice == Choice::Modifier { choices.len() } else { 1 };
        open.extend(choices[..taken].iter().map(|&choice| (axis + 1, region.below(&[choice]))));
    }
}

/// Whether a load is of 256 bits.
fn wide(form: &Form, values: &[u8]) -> bool {
    let value = |name: &str| form.axis(name).map_or("", |axis| form.value(values, axis));
    value("vec") == ".v8" || value("vec") == ".v4" && value("type").ends_with("64")
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

/// The case of a variant: one row of zeros, 128 bytes in each variable. `None` where a register would
/// hold an address that nothing has.
fn execution(spec: &Spec, form: &Form, values: &[u8], environment: &Environment) -> Result<Option<Execution>, Failed> {
    let value = |name: &str| form.axis(name).map_or("none", |axis| form.value(values, axis));
    let printer = Printer::new(form);
    let (mut items, mut text) = (Vec::new(), String::new());
    printer.line(values, &mut text, |item| items.push(item));
    let line = Line::parse(&text)?;
    let base = match (value("ss"), value("context")) {
        ("none" | ".global", _) => "global",
        (".const", _) => "const",
        (".local", _) => "local",
        (".param::func", _) | (".param", "function") => "function-parameter",
        (".param" | ".param::entry", _) => "entry-parameter",
        _ => "shared",
    };
    let held = line_address(&line);
    let of = format!("{}_0", base.replace('-', "_"));
    if held && form.operands.iter().any(|operand| operand.role == Role::Address) {
        if base == "entry-parameter" && value("context") == "function" {
            return Ok(None);
        }
        items.push(Item::Variable(base));
    }
    let mut variables: Vec<Variable> = Vec::new();
    for item in &items {
        let Item::Variable(base) = item else { continue };
        let name = format!("{}_0", base.replace('-', "_"));
        let space = match *base {
            "global" | "unified" => Space::Global,
            "const" => Space::Const,
            "shared" => Space::Shared,
            "local" => Space::Local,
            _ => Space::Param,
        };
        if variables.iter().all(|variable| variable.name != name) {
            variables.push(Variable { name, space, data: (0..128).collect() });
        }
    }
    let declarations = scaffold(items, printer.context(values)).declarations();
    let declared = Declarations::parse(&declarations, &spec.isa)?;
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    let mut register = |name: &str, role: Role| {
        let Some(Symbol::Register(Some(at), lanes)) = declared.symbol(name) else { return };
        let bits = spec.isa.types[at].bits;
        let components = ["x", "y", "z", "w"].iter().take(usize::from(lanes)).map(|lane| format!("{name}.{lane}"));
        let names: Vec<String> = if lanes > 1 { components.collect() } else { vec![name.to_owned()] };
        for register in names {
            let holds = match role {
                Role::Destination => {
                    outputs.push(Output { register, bits });
                    continue;
                }
                Role::Surface => Holds::Surface,
                Role::Address => Holds::Address { of: of.clone(), generic: value("ss") == "none" },
                _ => Holds::Bits,
            };
            inputs.push(Input { register, bits, holds });
        }
    };
    if let Some((_, guard)) = line.guard {
        register(guard, Role::Source);
    }
    for (part, operand) in form.pattern.iter().zip(&line.operands) {
        match (part, &operand.argument) {
            (Pattern::Operand(at), argument) => named(argument, &mut |name| register(name, form.operands[*at].role)),
            (Pattern::Bracket(operands), Argument::Bracket(arguments)) => {
                for (at, argument) in operands.iter().zip(arguments) {
                    named(argument, &mut |name| register(name, form.operands[*at].role));
                }
            }
            _ => return Err(format!("{text} has no brackets").into()),
        }
    }
    let mut rows = Rows::new(inputs.len());
    rows.push(&[]);
    Ok(Some(Execution {
        ptx: environment.ptx,
        target: environment.target,
        declarations,
        surface: line.opcode.starts_with('s').then(|| surface(value("geom"))),
        line: text,
        variables,
        inputs,
        outputs,
        rows,
        alone: Vec::new(),
    }))
}

/// Whether the address of a line is in a register.
fn line_address(line: &Line<'_>) -> bool {
    let mut found = false;
    for operand in &line.operands {
        if let Argument::Bracket(arguments) = &operand.argument {
            arguments.iter().for_each(|argument| named(argument, &mut |name| found |= name.starts_with('%')));
        }
    }
    found
}

fn named(argument: &Argument<'_>, found: &mut dyn FnMut(&str)) {
    match argument {
        Argument::Name(name) | Argument::Sum(name, _, _) => found(name),
        Argument::Tuple(elements) => elements.iter().for_each(|element| named(element, found)),
        _ => {}
    }
}

/// A small surface of a geometry.
fn surface(geometry: &str) -> Surface {
    let geometry = Geometry::ALL.into_iter().find(|known| geometry.strip_prefix('.') == Some(known.name()));
    let geometry = geometry.unwrap_or(Geometry::D1);
    let extent = |present: bool| if present { 2 } else { 0 };
    let mut surface = Surface {
        geometry,
        format: Format { component: Component::Unsigned(32), channels: 1 },
        width: 2,
        height: extent(geometry.dimensions() >= 2),
        depth: extent(geometry.dimensions() >= 3),
        layers: extent(geometry.layered()),
        data: Vec::new(),
    };
    surface.data = vec![0; surface.size()];
    surface
}
