//! The examples in the documentation work.

use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::judge::Judge;
use ptx_conform::ptx::{Declarations, Line};
use ptx_conform::releases::ReleaseTable;
use ptx_conform::space::{Diagram, lint};
use ptx_conform::spec::Spec;

/// The fenced blocks of a Markdown text in this language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("```{language}\n");
    text.split(opening.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_example_of_an_instruction_is_read_and_judges_lines() {
    let page = include_str!("../../docs/specification.md");
    let [.., example] = blocks(page, "yaml")[..] else { panic!("the page has a YAML block") };
    assert_eq!(example, include_str!("../../specs/brev.yaml"));
    let files = [("brev.yaml".to_owned(), example.to_owned())];
    let spec = Spec::from_texts(("isa.yaml", include_str!("../../specs/isa.yaml")), &files)
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let [instruction] = &spec.instructions[..] else { panic!("one file, one instruction") };
    let [form] = &instruction.forms[..] else { panic!("it has one form") };
    assert!(Diagram::valid(form).count() > 1_000, "the form has too few variants");
    for (rule, isolation) in lint::isolation(form) {
        let dead = isolation == lint::Isolation::Subsumed(Vec::new());
        assert!(!dead, "nothing can break {}", form.rules[rule].id);
    }
    let environment = Environment {
        ptx: "9.0".parse().expect("a version"),
        target: "sm_90".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    };
    let judge = Judge::new(&spec, &environment).expect("a known environment");
    let declarations = Declarations::parse(".reg .b32 d, a; .reg .b64 w;", &spec.isa).expect("declarations");
    for (line, rules) in [
        ("brev.b32 d, a;", &[][..]),
        ("brev.b32 d, 5;", &[]),
        ("brev.b32 w, 5;", &["brev/d-register"]),
        ("brev.b64 d, w;", &["brev/d-register"]),
        ("brev.u32 d, a;", &["brev/type-value"]),
        ("brev d, a;", &["brev/type-required"]),
    ] {
        let parsed = Line::parse(line).expect("a line");
        let (_, reading) = judge.read(&parsed, &declarations).expect("a line of brev");
        let broken: Vec<&str> = reading.rules(instruction).map(|rule| rule.id.as_str()).collect();
        assert_eq!(broken, rules, "{line}");
    }
}

/// The file that docs/pages.md shows as an example is the one of the specification.
#[test]
fn the_last_page_added_is_shown_as_it_is() {
    let page = include_str!("../../docs/pages.md");
    let (_, rest) = page.split_once("<!-- movmatrix -->\n").expect("the place");
    let [shown] = blocks(rest, "yaml")[..] else { panic!("there is one YAML block behind it") };
    assert_eq!(shown, include_str!("../../specs/movmatrix.yaml"));
}

/// The releases of CUDA in docs/matrix.md are what the command above them prints.
#[test]
fn the_releases_are_what_is_printed() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/matrix.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let isa = ptx_conform::shipped::isa().expect("it is sound");
    let table = ReleaseTable::load(None, &isa).expect("it is sound").markdown();
    let (before, rest) =
        page.split_once("<!-- ptx-conform matrix --toolchains --no-engine --format markdown -->\n").expect("the place");
    let (shown, after) = rest.split_once("<!-- end -->\n").expect("its end");
    if std::env::var_os("BLESS").is_some() {
        let command = "<!-- ptx-conform matrix --toolchains --no-engine --format markdown -->";
        std::fs::write(&path, format!("{before}{command}\n{table}<!-- end -->\n{after}")).expect("it is written");
    } else {
        assert!(shown == table, "BLESS=1 updates {}", path.display());
    }
}
