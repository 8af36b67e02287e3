//! The pages by keyboard: search, focus, and the link that skips the header.

use crate::tab::Tab;
use crate::{BrowserTest, Tested, World, nothing_of};

pub(crate) const TESTS: &[BrowserTest] = &[
    ("search_leads_to_the_place", search_leads),
    ("search_by_arrow_keys", arrows),
    ("search_says_when_nothing_is_found", nothing_found),
    ("tab_reaches_everything_and_shows_where_it_is", focus),
    ("the_header_can_be_skipped", skip),
];

/// What is searched on each page, what the first result is called, and where Enter leads.
const SEARCHES: &[(&str, &str, &str)] = &[
    ("ld .L2::evict_last", "ld.L2::evict_last", "instructions/ld.html#feature-"),
    ("suld", "suld", "instructions/suld.html"),
    ("clamp-required", "suld/clamp-required", "instructions/suld.html#rule-clamp-required"),
    ("sured-add-is-rejected", "sured-add-is-rejected", "known.html#sured-add-is-rejected"),
];

/// Searches with the keyboard only, and waits for results.
pub(crate) fn search(tab: &Tab<'_>, text: &str) -> Tested {
    tab.press(&["/"])?;
    tab.until("document.activeElement.getAttribute('role') === 'combobox'")?;
    tab.enter(text)?;
    tab.until("document.querySelector('#results [aria-selected=true]')")
}

/// Presses Enter and waits for the page that the selected result leads to.
pub(crate) fn follow(tab: &Tab<'_>) -> Tested {
    let address: String = tab.evaluate("document.querySelector('#results [aria-selected=true]').href")?;
    tab.press(&["Enter"])?;
    tab.until(&format!("location.href === {address:?} && document.readyState === 'complete'"))
}

fn search_leads(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    let mut wrong = Vec::new();
    // From a page at the top and from one in a folder, where addresses are relative to another place.
    for page in ["index.html", "instructions/ld.html"] {
        for &(text, first, target) in SEARCHES {
            tab.open(all.folder(), page)?;
            search(&tab, text)?;
            let found: String =
                tab.evaluate("document.querySelector('#results [aria-selected=true] code').textContent")?;
            if found != first {
                wrong.push(format!("{page}: the first result for `{text}` is `{found}` instead of `{first}`"));
                continue;
            }
            follow(&tab)?;
            let address: String = tab.evaluate("location.href")?;
            if !address.contains(target) {
                wrong.push(format!("{page}: `{text}` leads to {address}"));
            }
            if address.contains('#') {
                tab.until("document.querySelector(':target')")?;
                if !tab.evaluate::<bool>("isInView(document.querySelector(':target'))")? {
                    wrong.push(format!("{page}: `{text}` leads to {address}, and its place is not in view"));
                }
            }
        }
    }
    nothing_of(wrong)
}

fn arrows(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    tab.open(all.folder(), "index.html")?;
    search(&tab, "suld")?;
    let selected = || {
        tab.evaluate::<Vec<usize>>(
        "[...document.querySelectorAll('#results [role=option]')].flatMap((option, at) => option.ariaSelected === 'true' ? [at] : [])",
    )
    };
    let count: usize = tab.evaluate("document.querySelectorAll('#results [role=option]').length")?;
    let mut wrong = Vec::new();
    for (keys, expected) in [
        (&[][..], 0),
        (&["ArrowDown"], 1),
        (&["ArrowDown", "ArrowDown"], 3),
        (&["ArrowUp"], 2),
        (&["ArrowUp", "ArrowUp", "ArrowUp"], count - 1),
        (&["ArrowDown"], 0),
    ] {
        tab.press(keys)?;
        let found = selected()?;
        if found != [expected] {
            wrong.push(format!("after {keys:?}, {found:?} is selected instead of {expected}"));
        }
    }
    // The focus stays in the field, so a screen reader has to be told what is selected.
    let told = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant') ?? '')?.ariaSelected === 'true'";
    if !tab.evaluate::<bool>(told)? {
        wrong.push("the field does not say which result is selected: aria-activedescendant".to_owned());
    }
    tab.press(&["Escape"])?;
    if !tab.evaluate::<bool>("document.getElementById('results').hidden")? {
        wrong.push("Escape does not close the results".to_owned());
    }
    nothing_of(wrong)
}

fn nothing_found(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    tab.open(all.folder(), "index.html")?;
    tab.press(&["/"])?;
    tab.enter("no such words anywhere")?;
    tab.until("/nothing/i.test(document.getElementById('results').innerText)")
}

fn focus(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    let mut wrong = Vec::new();
    let kinds = all.kinds();
    // Large pages have the same parts, many times.
    for page in kinds.iter().filter(|page| *page != "instructions/ld.html") {
        tab.open(all.folder(), page)?;
        let count: usize = tab.evaluate("tabbable().length")?;
        tab.evaluate::<bool>("(window.all = tabbable(), window.reached = new Set(), true)")?;
        let presses = count.min(MOST);
        for _ in 0..presses {
            tab.press(&["Tab"])?;
            let seen: Option<String> = tab.evaluate(
                "(reached.add(document.activeElement), hasVisibleFocus(document.activeElement) && isInView(document.activeElement) ? null : where(document.activeElement))",
            )?;
            wrong.extend(seen.map(|seen| format!("{page}: the focus cannot be seen at {seen}")));
        }
        let missed: Vec<String> = tab.evaluate(&format!(
            "firstFew(all.slice(0, {presses}).filter((element) => !reached.has(element)).map(where))"
        ))?;
        wrong.extend(missed.into_iter().map(|missed| format!("{page}: Tab does not reach {missed}")));
    }
    nothing_of(wrong)
}

/// Tab is pressed so often on a page at most.
const MOST: usize = 60;

fn skip(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    for page in all.kinds() {
        tab.open(all.folder(), &page)?;
        tab.press(&["Tab"])?;
        tab.until("document.activeElement.matches('a[href=\"#main\"]') && isInView(document.activeElement)")?;
        tab.press(&["Enter"])?;
        tab.until("location.hash === '#main'")?;
        tab.press(&["Tab"])?;
        tab.until("document.activeElement.closest('main')")?;
    }
    Ok(())
}
