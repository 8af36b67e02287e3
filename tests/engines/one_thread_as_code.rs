//! Kernels of one thread, as compilers write them, executed as machine code: every ptxas, target and level must compute what
//! the host does.
//!
//! By default two versions, two targets and two levels share the modules among them; `-- --ignored` executes all modules on
//! all engines, which takes long, and on a GPU. If the environment variable `ENGINE` is set, only those whose names contain it are asked:
//! `ENGINE=sass-sm_75-O0@13.5`. Without a `ptxas` and its `nvdisasm` the tests are ignored; with PTX_CONFORM_REQUIRE_PTXAS=1
//! they fail instead.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::external::{EngineLimits, External};
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::sass::{Configuration, Sass};
use ptx_conform::engine::toolchain::{self, Installed};
use ptx_conform::engine::{Depth, Engine as _, KernelExecutor, LineJudge as _};
use ptx_conform::environment::{AddressSize, Environment, Target, Version};
use ptx_conform::kernel_case::{KernelAnswer, KernelCase};
use rayon::prelude::*;

use crate::one_thread::{self, CompiledProgram};

/// Engines that share the modules by day.
const BY_DAY: [&str; 4] = ["sass", "sass-O0", "sass-sm_75", "sass-sm_75-O0"];
/// Targets and levels of the whole matrix, as far as a version has them.
const TARGETS: [&str; 7] = ["-sm_75", "-sm_80", "-sm_86", "-sm_89", "", "-sm_100", "-sm_120"];
const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", ""];

/// Machine code that is not executed: a part of the reason that the engine gives, and why it is unknown.
const LIMITS: [(&str, &str); 0] = [];
/// Modules that a ptxas compiles wrong: the module, the engine, and the page that says how.
const WRONG_CODE: [(&str, &str, &str); 5] = [
    ("numbers/nvrtc_12.4.ptx", "sass-sm_120-O1@13.0.88", "sums-with-uniform-pointers"),
    ("numbers/nvrtc_12.4.ptx", "sass-sm_120-O2@13.0.88", "sums-with-uniform-pointers"),
    ("numbers/nvrtc_12.4.ptx", "sass-sm_120@13.0.88", "sums-with-uniform-pointers"),
    ("numbers/clang_22_O2.ptx", "sass-sm_120-O1@13.0.88", "sums-with-uniform-pointers"),
    ("numbers/clang_22_O2.ptx", "sass-sm_120-O1@12.9.86", "sums-with-uniform-pointers"),
];

pub(crate) fn trials() -> Vec<Trial> {
    let required = crate::installed::required();
    let tested = crate::installed::tested();
    let absent = tested.is_empty() && crate::installed::skipped_without("13.5");
    vec![
        Trial::test("some_kernels_of_one_thread_are_machine_code", move || by_day(&tested))
            .with_ignored_flag(absent && !required),
        Trial::test("all_kernels_of_one_thread_are_machine_code", all).with_ignored_flag(true),
        Trial::test("kernels_of_one_thread_on_a_gpu", on_a_gpu).with_ignored_flag(true),
    ]
}

/// Each engine executes some modules, and all of them together all.
fn by_day(installed: &[Installed]) -> Result<(), Failed> {
    let engines: Vec<(&Installed, &str)> =
        BY_DAY.iter().flat_map(|name| installed.iter().map(move |installed| (installed, *name))).collect();
    if engines.is_empty() {
        return Err("no `ptxas` here, and PTX_CONFORM_REQUIRE_PTXAS is set".into());
    }
    let count = engines.len();
    let executed = engines.par_iter().enumerate().map(|(part, (installed, name))| {
        let programs = one_thread::all().into_iter().skip(part).step_by(count).collect();
        Executed::of(installed, name, programs)
    });
    let executed: Result<Vec<Executed>, Failed> = executed.collect();
    Executed::sum(executed?).checked(false)
}

/// Each engine executes all modules.
fn all() -> Result<(), Failed> {
    let wanted = std::env::var("ENGINE").unwrap_or_default();
    let names: Vec<String> =
        TARGETS.iter().flat_map(|target| LEVELS.map(|level| format!("sass{target}{level}"))).collect();
    let mut engines = Vec::new();
    for installed in toolchain::installed() {
        for name in &names {
            if format!("{name}@{}", installed.version).contains(&wanted) && has_target(&installed, name)? {
                engines.push((installed.clone(), name));
            }
        }
    }
    if engines.is_empty() {
        return Err(format!("no installed engine has `{wanted}` in its name").into());
    }
    let executed: Result<Vec<Executed>, Failed> =
        engines.par_iter().map(|(installed, name)| Executed::of(installed, name, one_thread::all())).collect();
    Executed::sum(executed?).checked(wanted.is_empty())
}

/// The GPU executes all modules, those with floats as well: those that its driver compiles, and those that each installed ptxas does.
fn on_a_gpu() -> Result<(), Failed> {
    let wanted = std::env::var("ENGINE").unwrap_or_default();
    let serve = |more: &[&str]| {
        let words = [&[env!("CARGO_BIN_EXE_ptx-conform"), "engine", "serve", "gpu"], more].concat();
        let minutes = |minutes: u64| std::time::Duration::from_secs(60 * minutes);
        let limits = EngineLimits { request: minutes(10), ..EngineLimits::default() };
        External::with_limits(&shlex::try_join(words)?, limits).map_err(Failed::from)
    };
    let mut engines = vec![serve(&[])?];
    for installed in toolchain::installed() {
        engines.push(serve(&["--ptxas", installed.path.to_str().ok_or("a path that is not text")?])?);
    }
    engines.retain(|engine| engine.id().as_str().contains(&wanted));
    let executed = engines.par_iter().map(|engine| {
        let about = engine.about();
        let target = about.targets.iter().max_by_key(|target| target.sm).ok_or("no target")?;
        let programs = [one_thread::all(), one_thread::with_floats()].concat();
        Executed::on(engine, *target, *about.ptx.iter().max().ok_or("no PTX version")?, programs)
    });
    Executed::sum(executed.collect::<Result<Vec<Executed>, Failed>>()?).checked(false)
}

/// True if a version assembles for the target of an engine.
fn has_target(installed: &Installed, name: &str) -> Result<bool, Failed> {
    let assembler = Ptxas::open(&installed.path)?;
    let target: Target = name.parse::<Configuration>()?.target.name.parse()?;
    let environment = Environment { ptx: assembler.newest_ptx(), target, address_size: AddressSize::Bits64 };
    Ok(assembler.supports(&environment, Depth::Generate).is_ok())
}

/// What engines did with modules.
#[derive(Default)]
struct Executed {
    engines: usize,
    /// Modules that computed what the host does.
    agreed: usize,
    /// The modules that were asked about with an older `.version`, because the version of ptxas is older.
    older: usize,
    /// Modules that are for a newer target.
    newer: usize,
    /// Modules that a row of [`LIMITS`] is about, by its number.
    limited: BTreeMap<usize, usize>,
    /// Modules that a row of [`WRONG_CODE`] is about, by its number.
    known: BTreeSet<usize>,
    wrong: BTreeSet<String>,
}

impl Executed {
    fn of(installed: &Installed, name: &str, programs: Vec<CompiledProgram>) -> Result<Self, Failed> {
        let disassembler = toolchain::disassembler(&installed.path).ok_or("no nvdisasm")?;
        let configuration: Configuration = name.parse()?;
        let engine = Sass::open(&installed.path, &disassembler, None, configuration)?;
        Self::on(&engine, configuration.target.name.parse()?, engine.newest_ptx(), programs)
    }

    /// What an engine does that executes code for this target, and takes PTX up to this version.
    fn on(
        engine: &impl KernelExecutor,
        target: Target,
        newest: Version,
        programs: Vec<CompiledProgram>,
    ) -> Result<Self, Failed> {
        let mut done = Self { engines: 1, ..Self::default() };
        let mut asked = Vec::new();
        for mut program in programs {
            let header = |word: &str| program.case.module.lines().find_map(|line| line.strip_prefix(word));
            let (Some(ptx), Some(of)) = (header(".version "), header(".target ")) else {
                return Err(format!("{}: no header", program.name).into());
            };
            if of.trim().parse::<Target>()?.sm > target.sm {
                done.newer += 1;
                continue;
            }
            if ptx.trim().parse::<Version>()? > newest {
                let [own, older] = [ptx, &newest.to_string()].map(|version| format!(".version {version}"));
                program.case.module = program.case.module.replacen(&own, &older, 1).into();
                done.older += 1;
            }
            asked.push(program);
        }
        // A module with two cases is rarely compiled twice; the other one must have the same answer.
        let cases: Vec<KernelCase> = asked.iter().flat_map(|of| [of.case.clone(), of.case.clone()]).collect();
        let answers = engine.execute_kernels(&cases);
        for (program, answers) in asked.iter().zip(answers.chunks(2)) {
            done.add(engine.id().as_str(), program, answers);
        }
        Ok(done)
    }

    /// The answers to a program that was executed twice.
    fn add(&mut self, engine: &str, program: &CompiledProgram, answers: &[KernelAnswer]) {
        let name = format!("{} on {engine}", program.name);
        let [answer, again] = answers else {
            self.wrong.insert(format!("{name}: {} answers", answers.len()));
            return;
        };
        let known = WRONG_CODE.iter().position(|(of, on, _)| (*of, *on) == (program.name.as_str(), engine));
        let limit = |why: &str| LIMITS.iter().position(|(part, _)| why.contains(part));
        match answer {
            answer if answer != again => drop(self.wrong.insert(format!("{name}: another answer the second time"))),
            KernelAnswer::Skipped(why) if limit(why).is_some() => {
                limit(why).into_iter().for_each(|row| *self.limited.entry(row).or_default() += 1);
            }
            answer => match (program.wrong(answer), known) {
                (None, None) => self.agreed += 1,
                (None, Some(_)) => drop(self.wrong.insert(format!("{name}: it is right now; remove its row"))),
                (Some(_), Some(row)) => drop(self.known.insert(row)),
                (Some(why), None) => drop(self.wrong.insert(format!("{name}: {why}"))),
            },
        }
    }

    fn sum(all: Vec<Self>) -> Self {
        let mut sum = Self::default();
        for one in all {
            sum.engines += one.engines;
            sum.agreed += one.agreed;
            sum.older += one.older;
            sum.newer += one.newer;
            one.limited.into_iter().for_each(|(row, count)| *sum.limited.entry(row).or_default() += count);
            sum.known.extend(one.known);
            sum.wrong.extend(one.wrong);
        }
        sum
    }

    /// Says what was done. `whole`: all engines, so that each limit must have happened.
    fn checked(self, whole: bool) -> Result<(), Failed> {
        let Self { engines, agreed, older, newer, limited, known, wrong } = self;
        eprintln!(
            "kernels of one thread: {engines} engines; {agreed} modules agree with the host, {older} of all with an older \
             `.version`; {newer} were not asked about: their `.target` is newer"
        );
        for (row, count) in &limited {
            let (part, why) = LIMITS[*row];
            eprintln!("  {count} skipped: {part}: {why}");
        }
        for (module, engine, page) in known.iter().map(|row| WRONG_CODE[*row]) {
            eprintln!("  {module} is wrong on {engine}: docs/defects/{page}.md");
        }
        if let Some(first) = wrong.first() {
            let listed: Vec<&str> = wrong.iter().map(String::as_str).collect();
            return Err(format!("{} are wrong, {first} the first:\n{}", wrong.len(), listed.join("\n")).into());
        }
        let gone: Vec<&str> = LIMITS
            .iter()
            .enumerate()
            .filter(|(row, _)| !limited.contains_key(row))
            .map(|(_, (part, _))| *part)
            .collect();
        if whole && !gone.is_empty() {
            return Err(format!("these limits no longer happen: {}", gone.join(", ")).into());
        }
        if agreed == 0 { Err("no module was executed".into()) } else { Ok(()) }
    }
}
