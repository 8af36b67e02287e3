//! How each kind of page looks: on narrow and wide windows, in light and dark, on paper, and without scripts.

use crate::reports::Written;
use crate::tab::Tab;
use crate::{BrowserTest, Tested, World, files, nothing_of};

pub(crate) const TESTS: &[BrowserTest] = &[
    ("pages_open_without_a_network_and_without_complaints", opens),
    ("the_longest_words_fit_a_narrow_window", longest_words_fit),
    ("nothing_overflows", overflows),
    ("every_text_has_enough_contrast", contrasts),
    ("nothing_overflows_on_paper", paper),
    ("a_screen_reader_finds_its_way", accessible),
    ("everything_is_there_without_scripts", without_scripts),
];

/// The widths of windows in CSS pixels: a phone, a tablet, a desk.
pub(crate) const WIDTHS: [u32; 3] = [360, 768, 1600];
/// The width of A4 between margins of a centimeter, in CSS pixels.
const PAPER: u32 = 718;

/// What a measurement of `measures.js` says about each kind of page, with the page before it.
fn measured(tab: &Tab<'_>, written: &Written, measures: &[(&str, &dyn Fn() -> Tested, &str)]) -> Tested {
    let mut wrong = Vec::new();
    for page in written.kinds() {
        tab.open(written.folder(), &page)?;
        for (name, prepare, measure) in measures {
            prepare()?;
            let found: Vec<String> = tab.evaluate(measure)?;
            wrong.extend(found.into_iter().map(|found| format!("{page}, {name}: {found}")));
        }
    }
    nothing_of(wrong)
}

fn opens(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    let mut wrong = Vec::new();
    for page in all.kinds() {
        tab.open(all.folder(), &page)?;
        // Now the entries of the search load as well.
        tab.press(&["/"])?;
        tab.until("window.ptxSearch")?;
        wrong.extend(tab.problems().into_iter().map(|problem| format!("{page}: {problem}")));
    }
    nothing_of(wrong)
}

/// Hundreds of pages differ in their words only, so those with the longest words of each kind of element are measured.
fn longest_words_fit(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    tab.size(360, 800)?;
    let mut wrong = Vec::new();
    let pages = files::with_the_longest_words(all);
    for page in pages {
        tab.open(all.folder(), &page)?;
        let width: u32 = tab.evaluate("document.scrollingElement.scrollWidth")?;
        if width > 360 {
            wrong.push(format!("{page} is {width} wide"));
        }
        wrong.extend(tab.problems().into_iter().map(|problem| format!("{page}: {problem}")));
    }
    nothing_of(wrong)
}

pub(crate) fn overflows_of(tab: &Tab<'_>, written: &Written) -> Tested {
    let [narrow, middle, wide] = WIDTHS.map(|width| move || tab.size(width, 900));
    measured(
        tab,
        written,
        &[
            ("360 wide", &narrow, "overflows(false)"),
            ("768 wide", &middle, "overflows(false)"),
            ("1600 wide", &wide, "overflows(false)"),
        ],
    )
}

fn overflows(world: &World) -> Tested {
    overflows_of(&world.tab()?, world.all())
}

fn contrasts(world: &World) -> Tested {
    let tab = &world.tab()?;
    let [light, dark] = ["light", "dark"].map(|scheme| move || tab.media(scheme, "screen"));
    measured(tab, world.all(), &[("light", &light, "contrasts()"), ("dark", &dark, "contrasts()")])
}

fn paper(world: &World) -> Tested {
    let tab = &world.tab()?;
    tab.media("light", "print")?;
    tab.size(PAPER, 1000)?;
    measured(tab, world.all(), &[("on paper", &|| Ok(()), "overflows(true)")])
}

fn accessible(world: &World) -> Tested {
    let tab = &world.tab()?;
    // A title of an address inside the page has no place of its own: the widest window shows everything.
    measured(tab, world.all(), &[("with scripts", &|| Ok(()), "inaccessible()")])
}

fn without_scripts(world: &World) -> Tested {
    let (with, without, all) = (world.tab()?, world.tab()?, world.all());
    without.without_scripts()?;
    let mut wrong = Vec::new();
    for page in all.kinds() {
        with.open(all.folder(), &page)?;
        without.open(all.folder(), &page)?;
        let text = "textWithoutControls()";
        let (expected, actual): (String, String) = (with.evaluate(text)?, without.evaluate(text)?);
        if expected != actual {
            let at = expected.chars().zip(actual.chars()).take_while(|(a, b)| a == b).count();
            let from = |text: &str| text.chars().skip(at.saturating_sub(20)).take(60).collect::<String>();
            wrong.push(format!("{page}: `{}` is `{}` without scripts", from(&expected), from(&actual)));
        }
        let useless: Vec<String> = without.evaluate("uselessWithoutScripts()")?;
        wrong.extend(useless.into_iter().map(|useless| format!("{page}: {useless}")));
    }
    nothing_of(wrong)
}
