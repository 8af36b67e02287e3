//! The tables of docs/tables.md are what the program prints today, by the manual and as ptxas 13.5 has it. `BLESS=1`
//! updates them.
//!
//! Without that version they are ignored; with PTX_CONFORM_REQUIRE_PTXAS=1 they fail instead.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libtest_mimic::{Failed, Trial};
use ptx_conform::campaign::{Progress, Subject};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::{Engine as _, toolchain};
use ptx_conform::matrix::{MatrixQuery, Survey};
use ptx_conform::spec::Spec;

/// What stands before the arguments of a table's command.
const COMMAND: &str = "<!-- ptx-conform ";
const VERSION: &str = "13.5";

pub(crate) fn trials() -> Vec<Trial> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tables.md");
    let text = std::fs::read_to_string(&page).expect("docs/tables.md");
    if std::env::var_os("BLESS").is_some() {
        return vec![Trial::test("the_page_is_written", move || Ok(std::fs::write(&page, updated(&text))?))];
    }
    let ignored = crate::installed::skipped_without(VERSION);
    let by_day = |number: usize| number.is_multiple_of(BY_DAY);
    let numbered = tables(&text).into_iter().enumerate().filter(|(number, _)| by_day(*number));
    let mut trials: Vec<Trial> = numbered.map(|(_, table)| trial(&page, table, ignored)).collect();
    let others = Trial::test("other_tables_are_what_is_printed", move || {
        let mut others = tables(&text).into_iter().enumerate().filter(|(number, _)| !by_day(*number));
        others.try_for_each(|(_, table)| compare(&page, table.command, table.text))
    });
    trials.push(others.with_ignored_flag(true));
    trials
}

/// One of this many tables is made by day, and the others by the nightly: all take half a minute of processor time.
const BY_DAY: usize = 3;

/// A table of the page.
struct Table<'t> {
    /// The arguments of the command that prints it.
    command: &'t str,
    text: &'t str,
}

/// The tables of the page: each begins after the line with its command, and ends before an empty line.
fn tables(page: &str) -> Vec<Table<'_>> {
    let found = page.split(COMMAND).skip(1).map(|rest| {
        let (command, rest) = rest.split_once(" -->\n").expect("the command ends");
        let empty = rest.starts_with('\n');
        let end = if empty { 0 } else { rest.find("\n\n").map_or(rest.len(), |end| end + 1) };
        Table { command, text: &rest[..end] }
    });
    found.collect()
}

fn trial(page: &Path, table: Table<'_>, ignored: bool) -> Trial {
    let (command, text, page) = (table.command.to_owned(), table.text.to_owned(), PathBuf::from(page));
    Trial::test(command.clone(), move || compare(&page, &command, &text)).with_ignored_flag(ignored)
}

fn compare(page: &Path, command: &str, text: &str) -> Result<(), Failed> {
    let printed = printed(command);
    if printed == text {
        return Ok(());
    }
    let page = page.display();
    Err(Failed::from(format!("BLESS=1 updates {page}, where the table is\n{text}\nand is now\n{printed}")))
}

/// What the tables share: asking in one process spares each the specification and the assembler's targets.
struct Asked {
    spec: Spec,
    divergences: Divergences,
    ptxas: Ptxas,
}

static ASKED: LazyLock<Asked> = LazyLock::new(|| {
    let spec = ptx_conform::shipped::spec().expect("the specification is sound");
    let divergences = Divergences::load(None, &spec).expect("the list of known divergences is sound");
    let installed = toolchain::find(VERSION).expect("that ptxas is installed");
    Asked { spec, divergences, ptxas: Ptxas::open(&installed.path).expect("it opens") }
});

/// The table that a command prints: `matrix QUERY --by SLOT,SLOT`.
fn printed(command: &str) -> String {
    let Asked { spec, divergences, ptxas } = &*ASKED;
    let words: Vec<&str> = command.split_whitespace().collect();
    let ["matrix", query, "--by", slots] = words[..] else { panic!("`{command}` is not `matrix QUERY --by SLOTS`") };
    let query = MatrixQuery::read(spec, query).unwrap_or_else(|why| panic!("{command}: {why}"));
    let slots: Vec<String> = slots.split(',').map(str::to_owned).collect();
    let mut survey = Survey::by_slots(spec, &query, &slots).unwrap_or_else(|why| panic!("{command}: {why}"));
    let subject = Subject::judging(ptxas, ptxas.newest_ptx());
    survey.observe(divergences, &subject, &Progress::default()).unwrap_or_else(|why| panic!("{command}: {why}"));
    let losses = ptxas.losses();
    assert!(losses.is_empty(), "{command}: {losses:?}");
    survey.into_matrix().markdown(&slots)
}

fn updated(page: &str) -> String {
    let mut text = page.to_owned();
    for table in tables(page) {
        let place = format!("{COMMAND}{} -->\n", table.command);
        text = text.replace(&format!("{place}{}", table.text), &format!("{place}{}", printed(table.command)));
    }
    text
}
