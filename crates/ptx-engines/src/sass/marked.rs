//! The machine code of a whole module, with what was made of some of its lines.

use ptx_sass::cubin::Cubin;

use super::Sass;
use crate::engine::ListedInstruction;

/// The option with which the assembler says what each instruction was made of. The code stays the same.
const LINES: &str = "-lineinfo";

/// The machine code of an entry; what was made of these lines of the text, counted from 1, is marked. None if there is none, or if it is
/// another one when the assembler says what it is made of.
pub(super) fn code(sass: &Sass, text: &str, entry: &str, lines: &[usize]) -> Option<Vec<ListedInstruction>> {
    let options = sass.configuration.options();
    let plain: Vec<&str> = options.iter().map(String::as_str).collect();
    let compiled = |options: &[&str]| sass.assembler.compile(text, options, true).ok();
    let (code, with_lines) = (compiled(&plain)?, compiled(&[&plain[..], &[LINES]].concat())?);
    let words = |code: &[u8]| -> Option<Vec<(usize, Vec<u128>)>> {
        let cubin = Cubin::parse(code).ok()?;
        Some(cubin.code().collect())
    };
    let same =
        words(&code)?.into_iter().map(|(_, words)| words).eq(words(&with_lines)?.into_iter().map(|(_, words)| words));
    let printed = sass.disassembler.print_lines(&with_lines).ok().filter(|_| same)?;
    let found = marked(&printed, entry, lines);
    (!found.is_empty()).then_some(found)
}

/// The instructions of an entry in what `nvdisasm -c -gp` prints.
fn marked(printed: &str, entry: &str, lines: &[usize]) -> Vec<ListedInstruction> {
    let label = format!(".text.{entry}:");
    let of_entry = printed.lines().map(str::trim).skip_while(|line| *line != label).skip(1);
    let mut marked = false;
    let mut found: Vec<ListedInstruction> = Vec::new();
    for line in of_entry.take_while(|line| !line.starts_with("//-")) {
        if line.starts_with("//##") {
            let number = line.split("line ").nth(1).map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
            marked = number.flatten().and_then(|number| number.parse().ok()).is_some_and(|at| lines.contains(&at));
        } else if let Some((address, rest)) = line.strip_prefix("/*").and_then(|line| line.split_once("*/")) {
            let text = rest.split("/*").next().unwrap_or_default().trim().trim_end_matches(';').trim();
            let operation = text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default().to_owned();
            found.push(ListedInstruction { text: format!("{address}  {text}"), operation, marked });
        }
    }
    // Padding, and the branch to itself before it.
    let used =
        found.iter().rposition(|line| line.operation != "NOP" && line.operation != "BRA").map_or(0, |last| last + 1);
    found.truncate(used);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = r#"
//--------------------- .text.k                   --------------------------
k:
.text.k:
	//## File ".nv_debug_ptx_txt", line 4
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;
	//## File ".nv_debug_ptx_txt", line 12 inlined at "x.ptx", line 3
        /*0050*/                   ISETP.LE.AND P0, PT, R0, RZ, PT ;
        /*0060*/               @P0 IADD3 R2, -R0, RZ, RZ ;
	//## File ".nv_debug_ptx_txt", line 14
        /*0080*/                   EXIT ;
.L_x_0:
        /*0090*/                   BRA `(.L_x_0);
        /*00a0*/                   NOP;
//--------------------- .text.other
.text.other:
        /*0000*/                   NOP;
"#;

    #[test]
    fn instructions_are_marked_by_the_lines_they_were_made_of() {
        let found = marked(PRINTED, "k", &[12]);
        let texts: Vec<(&str, bool)> = found.iter().map(|line| (line.text.as_str(), line.marked)).collect();
        let expected = [
            ("0000  IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]", false),
            ("0050  ISETP.LE.AND P0, PT, R0, RZ, PT", true),
            ("0060  @P0 IADD3 R2, -R0, RZ, RZ", true),
            ("0080  EXIT", false),
        ];
        assert_eq!(texts, expected);
        assert!(marked(PRINTED, "absent", &[12]).is_empty());
    }
}
