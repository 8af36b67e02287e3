//! Tables that can be filtered and sorted, and parts that are closed.

use std::collections::BTreeSet;

use crate::reports::Written;
use crate::tab::Tab;
use crate::{BrowserTest, Tested, World, nothing_of};

pub(crate) const TESTS: &[BrowserTest] = &[
    ("filters_filter_and_the_address_keeps_them", filters),
    ("columns_sort_both_ways", sorting),
    ("a_fragment_opens_what_it_is_in", fragments),
    ("a_fragment_shows_a_row_that_is_filtered_out", filtered_out),
];

/// The pages that have something, of each kind.
fn pages_with(tab: &Tab<'_>, written: &Written, selector: &str) -> Result<Vec<String>, libtest_mimic::Failed> {
    let mut pages = Vec::new();
    for page in written.kinds() {
        tab.open(written.folder(), &page)?;
        if tab.evaluate(&format!("document.querySelector({selector:?}) !== null"))? {
            pages.push(page);
        }
    }
    if pages.is_empty() { Err(format!("no page has {selector}").into()) } else { Ok(pages) }
}

/// The rows of the filter's table as lists of those shown and those hidden.
const ROWS: &str = "(() => {
  const input = document.querySelector('.filter input');
  const rows = [...input.closest('.filter').nextElementSibling.querySelector('table').tBodies[0].rows];
  const texts = (shown) => rows.filter((row) => isShown(row) === shown).map((row) => row.textContent.toLowerCase());
  return [texts(true), texts(false)];
})()";

fn filters(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    let mut wrong = Vec::new();
    for page in pages_with(&tab, all, ".filter input")? {
        tab.open(all.folder(), &page)?;
        // Two words of the last row, in the wrong order and in capitals.
        let words: Vec<String> = tab.evaluate(&format!("{ROWS}[0].at(-1).match(/[a-z0-9]{{3,}}/g).slice(0, 2)"))?;
        let text = words.iter().rev().map(|word| word.to_uppercase()).collect::<Vec<_>>().join(" ");
        tab.evaluate::<bool>("(document.querySelector('.filter input').focus(), true)")?;
        tab.enter(&text)?;
        for time in ["typed", "loaded again"] {
            let [shown, hidden]: [Vec<String>; 2] = tab.evaluate(ROWS)?;
            let has_all = |row: &String| words.iter().all(|word| row.contains(word.as_str()));
            if shown.is_empty() || hidden.is_empty() {
                wrong.push(format!("{page}, {time}: `{text}` shows {} rows, hides {}", shown.len(), hidden.len()));
            }
            if !shown.iter().all(has_all) || hidden.iter().any(has_all) {
                wrong.push(format!("{page}, {time}: `{text}` shows other rows than those with both words"));
            }
            let count: String = tab.evaluate("document.querySelector('.filter output').textContent")?;
            if !count.starts_with(&shown.len().to_string()) {
                wrong.push(format!("{page}, {time}: `{count}` are said to be shown, and {} are", shown.len()));
            }
            tab.reload()?;
        }
        tab.evaluate::<bool>("(document.querySelector('.filter input').select(), true)")?;
        tab.press(&["Backspace"])?;
        let [_, hidden]: [Vec<String>; 2] = tab.evaluate(ROWS)?;
        if !hidden.is_empty() || tab.evaluate::<bool>("location.search !== ''")? {
            wrong.push(format!("{page}: an empty filter still hides rows, or is still in the address"));
        }
    }
    nothing_of(wrong)
}

/// The texts of a column of a table, as they are shown.
fn column(tab: &Tab<'_>, table: usize, column: usize) -> Result<Vec<String>, libtest_mimic::Failed> {
    tab.evaluate(&format!(
        "[...document.querySelectorAll('table.sortable')[{table}].tBodies[0].rows].map((row) => row.cells[{column}]?.textContent.trim() ?? '')"
    ))
}

/// Whether texts are in the order of a column: of numbers, or of words with the numbers in them.
fn ordered(tab: &Tab<'_>, texts: &[String], is_number: bool) -> Result<bool, libtest_mimic::Failed> {
    if is_number {
        let numbers: Vec<f64> = texts.iter().map(|text| text.replace(',', "").parse().unwrap_or(0.0)).collect();
        return Ok(numbers.is_sorted());
    }
    // The order of words is that of the language, which only the browser knows.
    let texts = serde_json::to_string(texts)?;
    tab.evaluate(&format!(
        "{texts}.every((text, at, all) => at === 0 || all[at - 1].localeCompare(text, 'en', {{ numeric: true }}) <= 0)"
    ))
}

/// Tables with the same headings are made and sorted by the same code, so the first of them is sorted.
fn sorting(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for page in pages_with(&tab, all, "table.sortable thead button")? {
        tab.open(all.folder(), &page)?;
        let headings: Vec<(String, Vec<bool>)> = tab.evaluate(
            "[...document.querySelectorAll('table.sortable')].map((table) => [table.tHead.textContent, [...table.tHead.rows[0].cells].map((cell) => cell.classList.contains('n'))])",
        )?;
        for (table, (heading, columns)) in headings.iter().enumerate() {
            if !seen.insert(heading.clone()) {
                continue;
            }
            for (at, &is_number) in columns.iter().enumerate() {
                let mut before = column(&tab, table, at)?;
                for press in 0..2 {
                    tab.evaluate::<bool>(&format!(
                        "(document.querySelectorAll('table.sortable')[{table}].tHead.rows[0].cells[{at}].querySelector('button').focus(), true)"
                    ))?;
                    tab.press(&["Enter"])?;
                    let mut found = column(&tab, table, at)?;
                    // Numbers begin with the largest, words with the first.
                    let (up, said) =
                        if (press == 0) == is_number { (false, "descending") } else { (true, "ascending") };
                    let sort: Option<String> = tab.evaluate("document.activeElement.closest('th').ariaSort")?;
                    let all = found.clone();
                    if !up {
                        found.reverse();
                    }
                    if !ordered(&tab, &found, is_number)? || sort.as_deref() != Some(said) {
                        wrong.push(format!("{page}, table {table}, column {at}: not {said}, or {sort:?} is said"));
                    }
                    let mut after = all;
                    before.sort();
                    after.sort();
                    if before != after {
                        wrong.push(format!("{page}, table {table}, column {at}: sorting changes the rows"));
                    }
                }
            }
        }
    }
    nothing_of(wrong)
}

fn fragments(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    for page in pages_with(&tab, all, "details:not([open]) *:not(summary):not(summary *)")? {
        tab.open(all.folder(), &page)?;
        tab.evaluate::<bool>(
            "(document.querySelector('details:not([open]) > :not(summary)').id = 'inside', location.hash = '#inside', true)",
        )?;
        tab.until("isShown(document.getElementById('inside')) && isInView(document.getElementById('inside'))")?;
    }
    Ok(())
}

fn filtered_out(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    tab.open(all.folder(), "instructions/ld.html?rules=nothing-has-these-words#rule-ss-value")?;
    tab.until("document.querySelector(':target') && isShown(document.querySelector(':target'))")?;
    tab.until("isInView(document.querySelector(':target'))")
}
