//! Cases as PTX and as machine code, with what is executed for their lines.

use ptx_exec::kernel;
use ptx_exec::line_case::{Answer, LineCase, Rows};
use ptx_sass::opcode;

use super::launch::Traced;
use super::{CompiledCases, DisassemblerError, LoadedCode, ModuleText, PrintedCode, PrintedWord, Sass};
use crate::engine::{ListedInstruction, ListedLine, Listing};

/// The listing of each compiled case that has machine code.
///
/// # Errors
/// If the disassembler fails.
pub(super) fn listings(sass: &Sass, compiled: &CompiledCases<'_>) -> Result<Vec<Option<Listing>>, DisassemblerError> {
    let printed = sass.print(compiled)?;
    let loaded = sass.load(compiled, &printed);
    let listing = |(case, place): (&LineCase, &Option<(usize, usize)>)| {
        let (module, number) = (*place)?;
        let code = instructions(&loaded.code[module], &printed[module], number, case)?;
        Some(self::listing(sass, case, compiled.write, code))
    };
    Ok(compiled.cases.iter().zip(&loaded.places).map(listing).collect())
}

/// The listing of the smallest module in which the first row of a case has the same answer.
///
/// # Errors
/// If the disassembler fails.
pub(super) fn smallest(sass: &Sass, case: &LineCase) -> Result<Option<Listing>, DisassemblerError> {
    let Some(row) = case.rows.iter().next() else { return Ok(None) };
    let mut rows = Rows::new(case.rows.width());
    rows.push(row);
    let case = LineCase { rows, ..case.clone() };
    let cases = std::slice::from_ref(&case);
    let writes: [ModuleText; 3] = [kernel::bare_module, kernel::fenced_module, kernel::module];
    let compiled = writes.map(|write| sass.compile_as(cases, write));
    let [.., whole] = &compiled;
    // All at once: each start of the disassembler takes long.
    sass.disassembler.print(&compiled.iter().flat_map(CompiledCases::words).collect::<Vec<u128>>())?;
    let mut answers = Vec::new();
    for compiled in &compiled {
        let loaded = sass.disassemble(compiled)?;
        answers.push(loaded.execute().next().and_then(|executed| executed.answers.into_iter().next()));
    }
    let is_same = |answer: &Option<Answer>| match (answer, &answers[2]) {
        // The address may be another one.
        (Some(Answer::Trapped(_)), Some(Answer::Trapped(_))) => true,
        (answer, whole) => answer == whole,
    };
    let smallest = compiled.iter().zip(&answers).find(|(_, answer)| is_same(answer)).map_or(whole, |(found, _)| found);
    let found = listings(sass, smallest)?.pop().flatten();
    Ok(Some(found.unwrap_or_else(|| listing(sass, &case, smallest.write, Vec::new()))))
}

/// A listing with this machine code.
fn listing(sass: &Sass, case: &LineCase, write: ModuleText, code: Vec<ListedInstruction>) -> Listing {
    let (module, _) = write(&[case]);
    let mut command = format!("ptxas {} x.ptx -o x.cubin", sass.configuration.options().join(" "));
    if !code.is_empty() {
        command.push_str(" && nvdisasm -c x.cubin");
    }
    Listing { ptx: ListedLine::of_module(&module, &case.line), code, command }
}

/// The instructions of a case, by its number in its module.
fn instructions(
    code: &LoadedCode<'_>,
    printed: &PrintedCode,
    number: usize,
    case: &LineCase,
) -> Option<Vec<ListedInstruction>> {
    let launch = code.launch(number, case).ok()?;
    let words = printed.get(&launch.entry.section)?;
    let listed = |((at, word), traced): ((usize, &PrintedWord), Traced)| ListedInstruction {
        text: text(at, word),
        operation: word.opcode.clone() + if traced.used_policy { " with a cache policy" } else { "" },
        marked: traced.of_line,
    };
    let mut code: Vec<ListedInstruction> = words.iter().enumerate().zip(launch.trace()).map(listed).collect();
    // Padding.
    code.truncate(code.iter().rposition(|line| line.operation != "NOP").map_or(0, |last| last + 1));
    Some(code)
}

/// An instruction at a position of its section.
fn text(at: usize, word: &PrintedWord) -> String {
    let PrintedWord { predicate, opcode, operands, .. } = word;
    let own = opcode::address(at);
    let target = operands.rsplit_once("0x").filter(|_| opcode::has_target(opcode));
    let target = target.and_then(|(before, digits)| Some((before, u64::from_str_radix(digits, 16).ok()?)));
    let operands = match target {
        Some((before, target)) => format!("{before}0x{:x}", target.wrapping_sub(word.at).wrapping_add(own)),
        None => operands.replace(',', ", "),
    };
    let guard = if predicate.is_empty() { String::new() } else { format!("{predicate} ") };
    format!("{own:04x}  {guard}{opcode} {operands}").trim_end().to_owned()
}
