//! `blame` on compiled kernels: with a listed chain of lines near the end it finds these lines, the kernels as they are it does not
//! blame, and with a bug of their own it says that they are undefined, and where.
//!
//! By default some chains are tried; `-- --ignored` tries all that are live in 13.5.

use libtest_mimic::{Failed, Trial};
use ptx_conform::blame::{self, BlameVerdict, BlamedKernel, BorderedCause, Meaning};
use ptx_conform::borders::oldest_module;
use ptx_conform::campaign::Progress;
use ptx_conform::divergences::{Divergence, Divergences, Does, EngineVersion, KnownChain};
use ptx_conform::engine::Engine as _;
use ptx_conform::engine::sass::{Configuration, Sass};
use ptx_conform::engine::toolchain;
use ptx_conform::kernel_case::KernelCase;
use ptx_conform::shipped;
use ptx_conform::spec::Spec;
use ptx_kernels::RegisterKind;

use crate::one_thread::{self, CompiledProgram};

/// The version whose machine code is asked.
pub(crate) const VERSION: &str = "13.5";
/// One in so many chains is tried by default.
const EVERY: usize = 9;
/// One in so many chains is asked on all targets and levels by default.
const BORDERS: usize = 16;
/// The versions that the long test of borders asks.
const BUILDS: [&str; 5] = [VERSION, "13.2", "12.9", "12.4", "11.8"];
/// The most lines of a reduced chain, but for those with loops.
const LINES: usize = 5;
/// Kernels with a bug of their own: what is before the last line, and a part of the reason.
const BUGS: [(&str, &str); 4] = [
    (".reg .b32 %u; .reg .pred %q; setp.eq.u32 %q, %u, 0; @%q st.global.u32 [%zo], %u;", "the guard is undefined"),
    (".reg .b64 %u; ld.global.u32 %zf, [%u];", "the address is undefined"),
    ("ld.global.u32 %zf, [%zo+1];", "is misaligned for 4 bytes"),
    ("ld.global.u32 %zf, [%zo+1048576];", "nothing is at address"),
];

pub(crate) fn trials() -> Vec<Trial> {
    let absent = crate::installed::skipped_without(VERSION);
    vec![
        Trial::test("listed_lines_in_kernels_are_found", || are_found(EVERY)).with_ignored_flag(absent),
        Trial::test("all_listed_lines_in_kernels_are_found", || are_found(1)).with_ignored_flag(true),
        Trial::test("listed_chains_have_the_listed_borders", || have_borders(BORDERS, &[VERSION]))
            .with_ignored_flag(absent),
        Trial::test("all_listed_chains_have_the_listed_borders", || have_borders(1, &BUILDS)).with_ignored_flag(true),
        Trial::test("kernels_that_are_right_are_not_blamed", right_ones).with_ignored_flag(absent),
        Trial::test("kernels_with_a_bug_of_their_own_are_undefined", undefined_ones).with_ignored_flag(absent),
    ]
}

/// The specification, what is listed, and the engine.
pub(crate) struct Asked {
    pub(crate) spec: Spec,
    pub(crate) divergences: Divergences,
    pub(crate) engines: Vec<Sass>,
}

impl Asked {
    pub(crate) fn new() -> Result<Self, Failed> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/specs");
        let spec = shipped::spec().map_err(|errors| errors[0].render(false))?;
        let divergences = Divergences::load(Some(root.as_ref()), &spec).map_err(|errors| errors[0].render(false))?;
        let path = toolchain::find(VERSION)?.path;
        let disassembler = toolchain::disassembler(&path).ok_or("no nvdisasm")?;
        let sass = Sass::open(&path, &disassembler, toolchain::disassembled(), Configuration::default())?;
        Ok(Self { spec, divergences, engines: vec![sass] })
    }

    fn blame(&self, case: &KernelCase) -> Result<BlamedKernel, Failed> {
        Ok(blame::blame(&self.spec, &self.divergences, &self.engines, case, &Progress::default(), &|_| {})?)
    }
}

/// The kernels whose entry ends with its only return.
pub(crate) fn hosts() -> Vec<CompiledProgram> {
    one_thread::all().into_iter().filter(|host| end(&host.case).is_some()).collect()
}

/// The position of the last statement of the entry, if it is its only return.
fn end(case: &KernelCase) -> Option<usize> {
    let text: &str = &case.module;
    let entry = text.find(&format!(".entry {}(", case.launches[0].entry))?;
    let body = &text[entry..];
    let length = body.find("\n}").unwrap_or(body.len());
    let mut returns = body[..length].match_indices("ret;");
    let (at, _) = returns.next()?;
    (returns.next().is_none() && body[at + 4..length].trim().is_empty()).then_some(entry + at)
}

/// The kernel with these lines before its end: `%zo` is the address of its output, `%zi` that of its input.
fn with_lines(case: &KernelCase, lines: &str) -> (KernelCase, std::ops::Range<usize>) {
    let at = end(case).expect("a host ends with its only return");
    let (output, input) = (&case.launches[0].entry, &case.launches[0].entry);
    let block = format!(
        "{{\n.reg .b64 %zi, %zo; .reg .b32 %zf;\nld.param.u64 %zo, [{output}_param_0];\nld.param.u64 %zi, [{input}_param_1];\n\
        cvta.to.global.u64 %zi, %zi;\ncvta.to.global.u64 %zo, %zo;\n{lines}\n}}\n"
    );
    let module = format!("{}{block}{}", &case.module[..at], &case.module[at..]);
    (KernelCase { module: module.into(), ..case.clone() }, at..at + block.len())
}

/// The kernel with a listed chain, whose inputs are behind those of the kernel.
pub(crate) fn with_chain(host: &KernelCase, chain: &KnownChain) -> (KernelCase, std::ops::Range<usize>) {
    let (text, rows) = (chain.shows.chain(), chain.shows.rows().expect("a row"));
    let mut case = host.clone();
    let input = case.buffers.iter_mut().find(|buffer| buffer.name == "in").expect("an input");
    input.data.resize(input.data.len().next_multiple_of(8), 0);
    let base = input.data.len();
    input.data.extend(rows.rows[0].iter().flat_map(|value| value.to_le_bytes()));
    let mut lines = RegisterKind::declarations(text.registers.iter().copied());
    for (number, register) in text.inputs.iter().enumerate() {
        let place = base + 8 * number;
        lines += &match text.registers[*register] {
            RegisterKind::Pred => {
                format!("ld.global.b32 %zf, [%zi+{place}];\nsetp.ne.u32 %x{register}, %zf, 0;\n")
            }
            kind => format!("ld.global.{} %x{register}, [%zi+{place}];\n", kind.name()),
        };
    }
    lines += &text.lines.join("\n");
    for (number, register) in text.outputs.iter().enumerate() {
        let place = 1016 - 8 * number;
        lines += &match text.registers[*register] {
            RegisterKind::Pred => {
                format!("\nselp.u32 %zf, 1, 0, %x{register};\nst.global.b32 [%zo+{place}], %zf;")
            }
            kind => format!("\nst.global.{} [%zo+{place}], %x{register};", kind.name()),
        };
    }
    with_lines(&case, &lines)
}

/// Chains that are wrong wherever they are: of the others, some depend on the registers that are free.
pub(crate) fn chains<'d>(
    asked: &'d Asked,
    version: &'d EngineVersion,
) -> impl Iterator<Item = (&'d Divergence, &'d KnownChain)> {
    let all = asked.divergences.chains(version);
    all.filter(|(known, _)| known.does == Does::Computes && !known.id.starts_with("merged-addends"))
}

fn are_found(every: usize) -> Result<(), Failed> {
    let asked = Asked::new()?;
    let hosts = hosts();
    let version = EngineVersion::of(asked.engines[0].id()).ok_or("a version")?;
    let (mut wrong, mut tried) = (String::new(), 0);
    for (at, (known, chain)) in chains(&asked, &version).enumerate().step_by(every) {
        let host = &hosts[at * 7 % hosts.len()];
        let (case, block) = with_chain(&host.case, chain);
        let found = asked.blame(&case)?;
        tried += 1;
        let is_it =
            |of: &BorderedCause| of.cause.at.iter().all(|line| block.start <= line.start && line.end <= block.end);
        // The lines may be those of another entry as well: one with a loop holds one without.
        let named = |of: &BorderedCause| of.cause.listed.is_some() || of.cause.resembles.is_some();
        let row = &found.rows[0];
        if row.verdict != BlameVerdict::Wrong || !found.causes.iter().any(|of| is_it(of) && named(of)) {
            let causes: Vec<&Vec<String>> = found.causes.iter().map(|of| &of.cause.lines).collect();
            wrong += &format!("{} in {}: {} {}: {causes:?}\n", known.id, host.name, row.verdict.word(), row.why);
        }
    }
    if wrong.is_empty() && tried > 0 { Ok(()) } else { Err(format!("of {tried}:\n{wrong}").into()) }
}

/// Blames the module of each listed chain: it is wrong on the builds, targets and levels that are listed, on others only if another
/// entry lists some of its lines there, and is reduced to few lines.
fn have_borders(every: usize, versions: &[&str]) -> Result<(), Failed> {
    let Asked { spec, divergences, .. } = Asked::new()?;
    let mut engines = Vec::new();
    for version in versions {
        // A night may ask fewer versions.
        let Ok(toolchain::Installed { path, .. }) = toolchain::find(version) else {
            println!("not asked: ptxas {version} is not installed");
            continue;
        };
        let disassembler = toolchain::disassembler(&path).ok_or("no nvdisasm")?;
        for configuration in Configuration::all() {
            engines.push(Sass::open(&path, &disassembler, toolchain::disassembled(), configuration)?);
        }
    }
    let asked = Asked { spec, divergences, engines };
    let (mut wrong, mut told) = (String::new(), 0);
    let listed = asked.divergences.all.iter().filter_map(|known| Some((known, known.chain.as_ref()?)));
    for (known, chain) in listed.step_by(every) {
        let rows = chain.shows.rows()?;
        let (case, _) = oldest_module(&asked.spec, chain.shows.chain(), &rows).ok_or("no module")?;
        let found = asked.blame(&case)?;
        for row in &found.rows {
            let version = EngineVersion::parse(&row.engine)?;
            let expected = known.applies(&version);
            let mut others = asked.divergences.chains(&version);
            let of_another = !expected && others.any(|(_, of)| !of.ends_in(&chain.shows.chain().lines).is_empty());
            let shows = match row.verdict {
                BlameVerdict::Wrong | BlameVerdict::Crashes => true,
                BlameVerdict::Right => false,
                BlameVerdict::Refused => continue,
                BlameVerdict::Undefined | BlameVerdict::CannotTell => !expected,
            };
            told += 1;
            if shows != expected && !of_another {
                wrong += &format!("{} on {}: {} {}\n", known.id, row.engine, row.verdict.word(), row.why);
            }
        }
        let has_loop = known.id.ends_with("of-loops");
        for cause in found.causes.iter().filter(|of| !has_loop && of.cause.listed.is_some()) {
            if cause.cause.lines.len() > LINES {
                wrong += &format!("{}: {:?} are not reduced\n", known.id, cause.cause.lines);
            }
        }
    }
    if wrong.is_empty() && told > 0 { Ok(()) } else { Err(format!("{told} told:\n{wrong}").into()) }
}

fn right_ones() -> Result<(), Failed> {
    let asked = Asked::new()?;
    for host in hosts().iter().step_by(9) {
        let found = asked.blame(&host.case)?;
        if found.rows[0].verdict != BlameVerdict::Right || !found.causes.is_empty() {
            return Err(format!("{}: {} {}", host.name, found.rows[0].verdict.word(), found.rows[0].why).into());
        }
    }
    Ok(())
}

fn undefined_ones() -> Result<(), Failed> {
    let asked = Asked::new()?;
    for (host, (lines, why)) in hosts().iter().step_by(5).zip(BUGS.iter().cycle()).take(12) {
        let (case, block) = with_lines(&host.case, lines);
        let found = asked.blame(&case)?;
        let line = 1 + case.module[..block.start].matches('\n').count();
        let said = match &found.meaning {
            Meaning::Undefined(said) | Meaning::Traps(said) => said.as_str(),
            _ => "",
        };
        let number = said.strip_prefix("line ").and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
        let blamed = found.rows.iter().any(|row| row.verdict == BlameVerdict::Wrong);
        if !said.contains(why) || number.is_none_or(|number| number < line) || blamed {
            return Err(format!("{} with `{lines}`: {said:?}, expected {why:?} after line {line}", host.name).into());
        }
    }
    Ok(())
}
