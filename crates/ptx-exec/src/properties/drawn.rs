//! Properties of lines and specifications that are drawn from bytes.

use arbitrary::Unstructured;

use super::lines::{check_line, check_variant};
use super::shipped::{Shipped, shipped_texts};
use ptx_spec::environment::{AddressSize, Environment};
use ptx_spec::ptx::print_variant;
use ptx_spec::space::{Values, environment};
use ptx_spec::spec::Spec;

/// A variant drawn as valid is judged valid, and its text is read back as the same choices.
pub fn valid_is_judged_valid(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let shipped = Shipped::get();
    if let Some((instruction, space, values)) = shipped.draw(&shipped.valid, u)? {
        check_variant(&shipped.spec, instruction, space.form, &values, None);
    }
    Ok(())
}

/// A variant drawn to break a rule is judged to break that rule and no other.
pub fn breach_is_judged_invalid(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let shipped = Shipped::get();
    if let Some((instruction, space, values)) = shipped.draw(&shipped.breaches, u)? {
        let rule = space.rule.map(|rule| &instruction.forms[space.form].rules[rule]);
        check_variant(&shipped.spec, instruction, space.form, &values, rule);
    }
    Ok(())
}

/// A variant whose text is changed in a few places is judged without an internal error, and alike with any
/// spacing; if it is valid, so is the variant that it is read as.
pub fn mutant_is_judged_stably(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let shipped = Shipped::get();
    let Some((instruction, space, values)) = shipped.draw(&shipped.valid, u)? else { return Ok(()) };
    let form = &instruction.forms[space.form];
    let (line, declarations) = print_variant(form, &values);
    let mut bytes = line.into_bytes();
    for _ in 0..u.int_in_range(1..=3)? {
        mutate(&mut bytes, u)?;
    }
    let line = String::from_utf8_lossy(&bytes);
    let environment = environment(form, &values);
    check_line(&shipped.spec, &environment, &line, &declarations);
    Ok(())
}

/// Any text is either rejected as a line, or read and judged like its other spellings. The text up to the
/// first NUL is the line; the rest is the declarations.
pub fn any_line_is_judged_stably(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let spec = &Shipped::get().spec;
    let ptx = *u.choose(&spec.isa.versions)?;
    let (target, _) = *u.choose(&spec.isa.targets)?;
    let address_size = if u.arbitrary()? { AddressSize::Bits32 } else { AddressSize::Bits64 };
    let text = String::from_utf8_lossy(u.bytes(u.len())?).into_owned();
    let (line, declarations) = text.split_once('\0').unwrap_or((&text, DECLARED));
    check_line(spec, &Environment { ptx, target, address_size }, line, declarations);
    Ok(())
}

/// Declarations for lines drawn from bytes.
const DECLARED: &str = ".global .b8 g[64]; .global .surfref s; .shared .b8 h[64]; .entry k(.param .b8 p[64]) { \
    .reg .b32 r, a<9>; .reg .b64 q, b<9>; .reg .v4 .b32 v; .reg .pred c;";

/// The loader handles any text as an instruction's file: it accepts it or says what is wrong, and whatever
/// it accepts can be used for judging. The text is made of bytes, or of a shipped file with a few words
/// changed, moved and repeated.
pub fn loader_survives(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (isa, files) = shipped_texts();
    let isa = isa.as_str();
    let text = if u.ratio(1, 4)? {
        String::from_utf8_lossy(u.bytes(u.len())?).into_owned()
    } else {
        // When the bytes run out they are zeros, which choose the shortest file.
        let mut by_length: Vec<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
        by_length.sort_by_key(|text| text.len());
        let text = *u.choose(&by_length)?;
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ',', '.', '{', '}', '[', ']']).collect();
        for _ in 0..u.int_in_range(1..=6)? {
            let (to, from) = (u.choose_index(words.len())?, u.choose_index(words.len())?);
            match u.int_in_range(0..=3)? {
                0 => words[to] = words[from],
                1 => words.insert(to, words[from]),
                2 => words.swap(to, from),
                _ => drop(words.remove(to)),
            }
        }
        words.concat()
    };
    // The file must be named after the opcode.
    let named = text.lines().find_map(|line| line.strip_prefix("instruction:"));
    let opcode = named.and_then(|name| name.split_whitespace().next()).unwrap_or("any");
    match Spec::from_texts(("isa.yaml", isa), &[(format!("{opcode}.yaml"), text.clone())]) {
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal says why");
            for error in errors {
                assert!(!error.render(false).is_empty() && !error.to_string().is_empty());
            }
        }
        Ok(spec) => {
            let newest = Environment {
                ptx: *spec.isa.versions.last().expect("isa.yaml has versions"),
                target: spec.isa.targets.last().expect("isa.yaml has targets").0,
                address_size: AddressSize::Bits64,
            };
            for form in spec.instructions.iter().flat_map(|instruction| &instruction.forms) {
                let simplest: Values = form.axes.iter().map(|_| 0).collect();
                let (line, declarations) = print_variant(form, &simplest);
                check_line(&spec, &newest, &line, &declarations);
            }
        }
    }
    Ok(())
}

/// Changes a text in one place: a byte, or a piece of it that is removed or repeated elsewhere.
pub(super) fn mutate(bytes: &mut Vec<u8>, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    const TELLING: &[u8] = b"@!%._+-0x1fdv,;:{}[]()| \t/*\x80";
    let at = u.int_in_range(0..=bytes.len().saturating_sub(1))?;
    match u.int_in_range(0..=3)? {
        0 if at < bytes.len() => bytes[at] = *u.choose(TELLING)?,
        1 => bytes.insert(at, *u.choose(TELLING)?),
        2 => {
            let end = bytes.len().min(at + u.int_in_range(1..=8)?);
            drop(bytes.drain(at..end));
        }
        _ => {
            let end = bytes.len().min(at + u.int_in_range(1..=8)?);
            let piece = bytes[at..end].to_vec();
            let to = u.int_in_range(0..=bytes.len())?;
            drop(bytes.splice(to..to, piece));
        }
    }
    Ok(())
}
