//! Cases as PTX and as machine code, with what is executed for their lines.

use ptx_exec::program::Program;
use ptx_sass::opcode;

use super::launch::Traced;
use super::{LoadedCode, PrintedCode, PrintedWord, Sass};
use crate::engine::{ListedInstruction, ListedLine, Listing};

/// The listing of each case that has machine code.
///
/// # Errors
/// If the disassembler fails.
pub(super) fn listings(sass: &Sass, cases: &[Program]) -> Result<Vec<Option<Listing>>, String> {
    let compiled = sass.compile(cases);
    let printed = sass.print(&compiled)?;
    let loaded = sass.load(&compiled, &printed);
    let listing = |(case, place): (&Program, &Option<(usize, usize)>)| {
        let (module, number) = (*place)?;
        let code = instructions(&loaded.code[module], &printed[module], number, case)?;
        Some(Listing { ptx: ListedLine::module(case), code, command: sass.command() })
    };
    Ok(cases.iter().zip(&loaded.places).map(listing).collect())
}

/// The instructions of a case, by its number in its module.
fn instructions(
    code: &LoadedCode<'_>,
    printed: &PrintedCode,
    number: usize,
    case: &Program,
) -> Option<Vec<ListedInstruction>> {
    let launch = code.launch(number, case).ok()?;
    let words = printed.get(&launch.entry.section)?;
    let listed = |((at, word), traced): ((usize, &PrintedWord), Traced)| ListedInstruction {
        text: text(at, word),
        operation: word.opcode.clone() + if traced.used_policy { " with a cache policy" } else { "" },
        marked: traced.of_line,
    };
    Some(words.iter().enumerate().zip(launch.trace()).map(listed).collect())
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
