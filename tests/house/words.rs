//! Generic code contains no word of `specs/*.yaml` (opcodes, modifiers, spaces, geometries, names of operands). Such
//! words may appear only in `model/`, `semantics/`, `interpret/`, `role/`, `object/` and `directive/`, which define their meaning, and in
//! `kernel/`, which writes PTX. Otherwise code for all instructions would collect special cases for single ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ptx_conform::model;
use ptx_conform::spec::{Choice, Spec};

/// The directories that may contain such words.
const HOMES: [&str; 7] = ["/model/", "/semantics/", "/interpret/", "/role/", "/object/", "/kernel/", "/directive/"];

/// Words that are English, or single letters, as well: these count as words of PTX only with their dots.
const ORDINARY: [&str; 18] = [
    "a", "b", "g", "r", "row", "col", "any", "all", "not", "base", "index", "number", "offset", "infinite", "alias",
    "wide", "count", "data",
];

/// A file, the words that it may contain, and why.
type Exception = (&'static str, &'static [&'static str], &'static str);

/// Other files that may contain some words. Words that are gone must be removed from the list, so that it only shrinks.
const EXCEPTIONS: &[Exception] = &[
    (
        "crates/ptx-spec/src/check/module_names.rs",
        &[".alias", ".const", ".weak"],
        "what declarations say of one another",
    ),
    ("crates/ptx-spec/src/print/directive.rs", &[".v2", ".v4", ".v8"], "how many values a vector is initialized by"),
    (
        "crates/ptx-spec/src/text/declaration.rs",
        &[".const", ".global", ".local", ".param", ".shared", ".v2", ".v4", ".v8", ".weak"],
        "the syntax of declarations",
    ),
    (
        "crates/ptx-spec/src/text/declarations.rs",
        &[".const", ".global", ".local", ".param", ".samplerref", ".shared", ".surfref", ".texref"],
        "the syntax of declarations",
    ),
    (
        "crates/ptx-kernels/src/chain.rs",
        &[".lt", ".uni", ".v2", "add", "bra", "ld", "mov", "setp", "st"],
        "the text of branches, loops, and accesses to all of a memory",
    ),
    (
        "crates/ptx-kernels/src/memory.rs",
        &[".global", ".local", ".shared"],
        "the variables of chains, and the space for which they stand",
    ),
    ("crates/ptx-kernels/src/register_kind.rs", &["pred"], "the types of registers"),
    (
        "crates/ptx-kernels/src/kernel.rs",
        &[".global", ".ne", ".param", ".wide", "add", "cvta", "ld", "mad", "mov", "selp", "setp", "st"],
        "the kernel around chains",
    ),
    (
        "crates/ptx-exec/src/value/float_format.rs",
        &[".e2m1", ".e2m3", ".e3m2", ".ue8m0"],
        "the names of formats, as types of packed floats begin",
    ),
    (
        "crates/ptx-spec/src/export/accuracy.rs",
        &[".normal", ".subnormal"],
        "classes of numbers, which `testp` names as well",
    ),
    (
        "crates/ptx-spec/src/load/accuracy.rs",
        &[".normal", ".subnormal"],
        "classes of numbers, which `testp` names as well",
    ),
    ("crates/ptx-spec/src/load/vocabulary.rs", &[".v2"], "an example in a message"),
    ("crates/ptx-sass/src/cubin.rs", &[".shared"], "a section of a cubin"),
    ("crates/ptx-sass/src/image.rs", &[".global"], "a section of a cubin"),
    (
        "crates/ptx-exec/src/properties/files.rs",
        &[".add", ".eq", ".global", ".param", ".v4", "add", "atom", "ld", "mov", "setp", "st"],
        "pieces of random files",
    ),
    (
        "crates/ptx-exec/src/properties/drawn.rs",
        &[".global", ".param", ".shared", ".surfref", ".v4"],
        "pieces of random declarations",
    ),
    (
        "crates/ptx-engines/src/external/check/session.rs",
        &[".1d", ".b", ".global", ".surfref", ".width", ".zero", "ld", "suld", "suq", "sust"],
        "the lines that an engine is checked with",
    ),
    ("crates/ptx-engines/src/external/check/judging.rs", &["suq"], "the line that an engine is checked with"),
    (
        "crates/ptx-engines/src/external/check/launching.rs",
        &[".add", ".global", ".param", ".wide", "add", "cvta", "ld", "mov", "mul", "st"],
        "the module that an engine is checked with",
    ),
    ("src/causes/rows/inputs.rs", &[".zero"], "the number 0 among the inputs of a row"),
    ("crates/ptx-exec/src/setup/contents.rs", &[".zero"], "the number 0 among the inputs of a row"),
    ("crates/ptx-exec/src/setup/floats.rs", &[".zero"], "the number 0 among the inputs of a row"),
    ("src/cli/engines.rs", &[".gpu"], "the name of an engine"),
    ("crates/ptx-engines/src/gpu/about.rs", &[".gpu"], "the name of an engine"),
    ("crates/ptx-engines/src/gpu/crew.rs", &[".gpu"], "the name of an engine"),
    (
        "crates/ptx-engines/src/ptxas/mode.rs",
        &[".local", ".v2", "cvt", "st"],
        "a line that marks a position in a module, and one that begins it",
    ),
    (
        "crates/ptx-engines/src/ptxas/sharing.rs",
        &[".trap", "bra", "exit", "ret", "trap"],
        "statements that end a block",
    ),
    ("crates/ptx-spec/src/inline/asm_statement.rs", &[".rn"], "a constraint for a register or a number"),
    ("crates/ptx-spec/src/inline/calls.rs", &[".const"], "an operand of Rust"),
    ("crates/ptx-spec/src/inline/language.rs", &[".inc"], "a suffix of files"),
    ("crates/ptx-spec/src/text/statement.rs", &[".alias"], "directives"),
    ("crates/ptx-spec/src/text/header.rs", &[".alias"], "directives"),
    ("crates/ptx-spec/src/judge/assign.rs", &[".col", ".row"], "modifiers whose literals have no probes"),
    (
        "crates/ptx-spec/src/spec/form.rs",
        &["dp2a", "mad", "mad24", "madc", "mul", "mul24", "setmaxnreg", "tcgen05"],
        "opcodes of which a modifier is a part",
    ),
    ("crates/ptx-spec/src/spec/template.rs", &[".b", ".zero"], "parts of patterns"),
    ("src/case/stored.rs", &["ret"], "the end of a stored case"),
    ("src/cli.rs", &[".global", ".v4"], "examples in the help"),
    ("src/cli/engine.rs", &[".gpu"], "the name of an engine"),
    ("src/cli/explain.rs", &[".global", "ld"], "examples in the help"),
    (
        "src/cli/explain/assume.rs",
        &[
            ".b",
            ".const",
            ".global",
            ".local",
            ".param",
            ".param::func",
            ".samplerref",
            ".shared",
            ".surfref",
            ".texref",
            ".v4",
        ],
        "the declarations that are assumed for a line without any",
    ),
    ("src/matrix/query.rs", &["add"], "an example in a message"),
];

/// The words of a specification: opcodes and operands as they are, modifiers with their dots. Types are left out,
/// because all instructions share them.
struct Words {
    plain: BTreeSet<String>,
    modifiers: BTreeSet<String>,
}

impl Words {
    fn of(spec: &Spec) -> Self {
        let (mut plain, mut modifiers) = (BTreeSet::new(), BTreeSet::new());
        for instruction in &spec.instructions {
            plain.insert(instruction.name.clone());
            for form in &instruction.forms {
                // Operands of one letter are too short to recognise.
                let names = form.operands.iter().map(|operand| &operand.name);
                plain.extend(names.filter(|name| name.len() > 1).cloned());
                for axis in form.slots.iter().map(|slot| &form.axes[slot.axis]) {
                    assert_eq!(axis.choice, Choice::Modifier);
                    let claimed = axis.claimed.iter().map(|value| &axis.values[usize::from(value)]);
                    let literal = |value: &&String| **value == format!(".{}", axis.name);
                    let word = |value: &&String| spec.isa.instruction_type(value).is_none() && !literal(value);
                    modifiers.extend(claimed.filter(|value| value.starts_with('.')).filter(word).cloned());
                }
            }
        }
        Self { plain, modifiers }
    }

    /// The words that a text contains: as the whole text, as a dotted part, or as an opcode before a dot.
    fn within(&self, text: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        if !ORDINARY.contains(&text) {
            found.extend(self.plain.get(text).cloned());
            found.extend(self.modifiers.get(&format!(".{text}")).cloned());
        }
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        for (at, _) in text.match_indices('.') {
            let end = text[at + 1..].find(|c| !part(c)).map_or(text.len(), |end| at + 1 + end);
            found.extend(self.modifiers.get(text[at..end].trim_end_matches(':')).cloned());
            let start = text[..at].rfind(|c: char| !c.is_ascii_lowercase()).map_or(0, |before| before + 1);
            let begins = text[..start].chars().next_back().is_none_or(|c| c.is_whitespace() || c == '`' || c == ';');
            let opcode = &text[start..at];
            found.extend(self.plain.get(opcode).filter(|_| begins && !ORDINARY.contains(&opcode)).cloned());
        }
        found
    }
}

/// The string literals of Rust code, up to its unit tests.
fn literals(code: &str) -> Vec<String> {
    let mut literals = Vec::new();
    let code: Vec<char> = code.split("#[cfg(test)]").next().unwrap_or_default().chars().collect();
    let at = |position: usize| code.get(position).copied().unwrap_or('\0');
    let mut position = 0;
    while position < code.len() {
        match (at(position), at(position + 1)) {
            ('/', '/') => {
                while position < code.len() && at(position) != '\n' {
                    position += 1;
                }
            }
            ('\'', '\\') => position += 3 + (position + 3..code.len()).take_while(|&next| at(next) != '\'').count() + 1,
            ('\'', _) if at(position + 2) == '\'' => position += 3,
            ('"', _) => {
                let mut literal = String::new();
                position += 1;
                while position < code.len() && at(position) != '"' {
                    let escaped = at(position) == '\\';
                    literal.push(if escaped { ' ' } else { at(position) });
                    position += 1 + usize::from(escaped);
                }
                literals.push(literal);
                position += 1;
            }
            _ => position += 1,
        }
    }
    literals
}

/// The words in each file of code below a directory, by its path from the root.
fn scan(root: &Path, directory: &Path, words: &Words, found: &mut BTreeMap<String, BTreeSet<String>>) {
    for entry in std::fs::read_dir(directory).expect("a directory of code") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            scan(root, &path, words, found);
            continue;
        }
        let name = path.strip_prefix(root).expect("a file below the root").display().to_string();
        if !name.ends_with(".rs") || HOMES.iter().any(|home| name.contains(home)) || name.ends_with("/src/role.rs") {
            continue;
        }
        let code = std::fs::read_to_string(&path).expect("a text");
        let within: BTreeSet<String> = literals(&code).iter().flat_map(|literal| words.within(literal)).collect();
        if !within.is_empty() {
            found.insert(name, within);
        }
    }
}

#[test]
fn generic_code_contains_no_word_of_the_specification() {
    let spec = ptx_conform::shipped::spec().expect("the specification is sound");
    let words = Words::of(&spec);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeMap::new();
    scan(root, &root.join("src"), &words, &mut found);
    for entry in std::fs::read_dir(root.join("crates")).expect("the crates") {
        scan(root, &entry.expect("an entry").path().join("src"), &words, &mut found);
    }
    let mut wrong = Vec::new();
    // The tables of the model have each opcode with its function.
    let tables = ["crates/ptx-exec/src/model.rs", "crates/ptx-exec/src/semantics.rs"];
    let in_files: BTreeSet<String> = tables.iter().filter_map(|table| found.remove(*table)).flatten().collect();
    let in_tables: BTreeSet<String> = model::opcodes().flat_map(|opcode| words.within(opcode)).collect();
    assert_eq!(in_files, in_tables, "the files with the tables of the model have other words");
    for (file, within) in &found {
        let allowed = EXCEPTIONS.iter().find(|(known, ..)| known == file).map_or(&[][..], |(_, words, _)| words);
        let more: Vec<&String> = within.iter().filter(|word| !allowed.contains(&word.as_str())).collect();
        if !more.is_empty() {
            wrong.push(format!("{file} contains {more:?}: move that to specs/, or into a role"));
        }
    }
    for (file, allowed, _) in EXCEPTIONS {
        let within = found.remove(*file).unwrap_or_default();
        let gone: Vec<&&str> = allowed.iter().filter(|word| !within.contains(**word)).collect();
        if !gone.is_empty() {
            wrong.push(format!("{file} no longer contains {gone:?}: remove them from the list"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The search finds words in string literals, and only there.
#[test]
fn words_in_code_are_found() {
    let spec = ptx_conform::shipped::spec().expect("the specification is sound");
    let words = Words::of(&spec);
    let code = "// \"suld\"\nlet c = '\"'; if opcode == \"suld\" { put(\"ld.global.u32 %r, [\"); } // \"sust\"\n\
        #[cfg(test)] mod tests { \"sured\" }";
    let found: BTreeSet<String> = literals(code).iter().flat_map(|literal| words.within(literal)).collect();
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), [".global", "ld", "suld"]);
    assert_eq!(words.within("cache-policy").len(), 1);
    assert_eq!(words.within("1d").len(), 1);
    assert_eq!(words.within("a word about building.").len(), 0);
}
