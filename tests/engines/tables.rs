//! The tables of docs/tables.md are what the program prints today, by the manual and as ptxas 13.5 has it. `BLESS=1`
//! updates them.
//!
//! Without that version they are ignored; with PTX_CONFORM_REQUIRE_PTXAS=1 they fail instead.

use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use crate::transcript;

/// What stands before the arguments of a table's command.
const COMMAND: &str = "<!-- ptx-conform ";
const ENGINE: &str = "ptxas@13.5";

pub(crate) fn trials() -> Vec<Trial> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tables.md");
    let text = std::fs::read_to_string(&page).expect("docs/tables.md");
    if std::env::var_os("BLESS").is_some() {
        return vec![Trial::test("the_page_is_written", move || Ok(std::fs::write(&page, updated(&text))?))];
    }
    let ignored = crate::installed::skipped_without("13.5");
    tables(&text).into_iter().map(|table| trial(&page, table, ignored)).collect()
}

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
    Trial::test(command.clone(), move || {
        let printed = printed(&command);
        if printed == text {
            return Ok(());
        }
        let page = page.display();
        Err(Failed::from(format!("BLESS=1 updates {page}, where the table is\n{text}\nand is now\n{printed}")))
    })
    .with_ignored_flag(ignored)
}

fn printed(command: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments = transcript::arguments(&format!("{command} --engine {ENGINE} --format markdown"));
    let output = transcript::run(root, &arguments, Vec::new());
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command}: {complaint}");
    String::from_utf8(output.stdout).expect("text")
}

fn updated(page: &str) -> String {
    let mut text = page.to_owned();
    for table in tables(page) {
        let place = format!("{COMMAND}{} -->\n", table.command);
        text = text.replace(&format!("{place}{}", table.text), &format!("{place}{}", printed(table.command)));
    }
    text
}
