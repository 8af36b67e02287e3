//! `ptx-conform check`: each `tests/check/*.txt` is a transcript, replayed in `tests/check`; and files of any shape.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ptx_conform::check::Checker;
use ptx_conform::properties::{self, Shipped};

use crate::series::holds;
use crate::transcript;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

#[test]
fn files_are_diagnosed_as_expected() {
    transcript::replay_all(&directory());
}

/// Each `tests/inline/*.txt` is a transcript, replayed in `tests/inline`, whose sources have each kind of inline assembly.
#[test]
fn inline_assembly_is_diagnosed_as_expected() {
    transcript::replay_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inline"));
}

/// The block of docs/check.md is what is printed, up to the summary. `BLESS=1` updates it.
#[test]
fn the_example_of_the_documentation_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = root.join("docs/check.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let (before, rest) = text.split_once("<!-- check -->\n```text\n").expect("the block");
    let (block, after) = rest.split_once("```").expect("its end");
    let output = transcript::run(root, &transcript::arguments("check examples/check.ptx"), Vec::new());
    let printed = String::from_utf8(output.stdout).expect("text");
    let diagnostics = printed.split("checked ").next().expect("a part").trim_end();
    if std::env::var_os("BLESS").is_some() {
        let new = format!("{before}<!-- check -->\n```text\n{diagnostics}\n```{after}");
        std::fs::write(&page, new).expect("the page is written");
    } else {
        assert_eq!(block.trim_end(), diagnostics, "BLESS=1 updates docs/check.md");
    }
}

#[test]
fn any_file_is_checked() {
    holds(properties::any_file_is_checked, 2_000);
}

/// The checker reads all of a file, and says the same whatever the limit is.
#[test]
fn a_limit_hides_nothing() {
    let spec = &Shipped::get().spec;
    let text = std::fs::read_to_string(directory().join("syntax.ptx")).expect("a text");
    let checked = |limit| Checker { spec, limit, remark: None, tolerated: None, sample: false }.check(&text);
    let (none, few, all) = (checked(0), checked(3), checked(usize::MAX));
    assert_eq!(none.counts, all.counts);
    assert_eq!((none.diagnostics.len(), few.diagnostics.len()), (0, 3));
    assert_eq!(few.unkept(), all.counts.errors + all.counts.warnings - 3);
    let first = |file: &ptx_conform::check::CheckedFile<'_>| format!("{:?}", file.diagnostics[..3].to_vec());
    assert_eq!(first(&few), first(&all));
}

/// A file of a million lines takes seconds, whatever its shape.
#[test]
fn large_files_are_read() {
    let spec = &Shipped::get().spec;
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let one: String = "ld.global.u32 %r1, [%rd1];\n".repeat(200_000);
    let one = format!("{head}.entry k() {{ .reg .b32 %r<9>; .reg .b64 %rd<9>;\n{one}}}\n");
    let mut many = head.to_owned();
    for at in 0..20_000 {
        // Writing to a String cannot fail.
        let _ = writeln!(many, ".entry k{at}() {{ .reg .b32 r{at}; L{at}: bra L{at}; }}");
    }
    let names: String = (0..100_000).map(|at| format!(".reg .b32 r{at}; add.u32 r{at}, r{}, 1;\n", at / 2)).collect();
    let names = format!("{head}.entry k() {{ {names}}}");
    let unclosed = format!("{head}.entry k() {{ {}", "foo (\n".repeat(20_000));
    let deep = format!("{head}.entry k() {{ {}ret;{} }}", "{\n".repeat(100_000), "}\n".repeat(100_000));
    for (text, instructions) in [(one, 200_000), (many, 20_000), (names, 100_000), (unclosed, 0), (deep, 1)] {
        let checker = Checker { spec, limit: 10, remark: None, tolerated: None, sample: false };
        assert_eq!(checker.check(&text).counts.instructions, instructions, "{}", &text[..80]);
    }
}
