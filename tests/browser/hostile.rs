//! Texts of engines that try to act on the page: all are shown, none does anything.

use ptx_conform::engine::Outcome;
use ptx_conform::report::{AbsentReport, Report};
use ptx_conform::spec::Spec;
use serde_json::Value;

use crate::engine::StandIn;
use crate::reports::{self, Written};
use crate::tab::Tab;
use crate::{BrowserTest, Tested, World, looks, nothing_of};

pub(crate) const TESTS: &[BrowserTest] =
    &[("hostile_texts_are_shown_and_do_nothing", shown), ("hostile_texts_overflow_nothing", overflows)];

/// What an engine says to whoever reads its messages.
const HOSTILE: &str = "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 1\">\" onfocus=\"window.hacked = 1\" \
    autofocus ' </code></pre></title> javascript:window.hacked=1 {{ 7 * 7 }} &lt;b&gt; \u{202e}txet\u{2066}\u{7}\u{0}\u{9b}\u{200f}end";
/// Parts of it as a page shows them.
const SHOWN: [&str; 7] = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror=\"window.hacked = 1\">\" onfocus=\"window.hacked = 1\"",
    "</code></pre></title>",
    "javascript:window.hacked=1 {{ 7 * 7 }} &lt;b&gt;",
    "\\u{202e}txet\\u{2066}",
    "\\u{7}\\u{0}\\u{9b}",
    "\\u{200f}end",
];
/// The fields of a report that hold texts that someone else wrote, or that are made of them.
const TEXTS: [&str; 24] = [
    "actual",
    "because",
    "code",
    "command",
    "date",
    "difference",
    "expected",
    "gave_up",
    "inputs",
    "internal_errors",
    "limits",
    "line",
    "link",
    "lost",
    "message",
    "module",
    "not_analysed",
    "not_reproduced",
    "says",
    "setup",
    "title",
    "why",
    "words",
    "yaml",
];

/// A report of two instructions by an engine with hostile messages, with hostile text at the end of every other text.
pub(crate) fn report(spec: &Spec) -> Written {
    let long = format!("{HOSTILE} {}", "long".repeat(1 << 18));
    let judge = StandIn::new("hostile@1.0").judging(spec, move |line, _, right| match right {
        Outcome::Accepted if line.contains(".b16") => Outcome::Rejected(HOSTILE.to_owned()),
        Outcome::Accepted if line.contains(".b64") => Outcome::Rejected(long.clone()),
        Outcome::Accepted if line.contains(".b8") => Outcome::Crashed(HOSTILE.to_owned()),
        Outcome::Accepted if line.contains(".a1d") => Outcome::Skipped(HOSTILE.to_owned()),
        right => right,
    });
    let engines = [judge.shown_by(HOSTILE), reports::executor(spec, "runs@1.0", "suld", reports::CLAMPS)];
    let mut report = reports::report(spec, &Default::default(), &engines, &reports::options(&["suld", "suq"]));
    report.absent.push(AbsentReport { engine: HOSTILE.to_owned(), why: String::new() });
    report.lost.push(String::new());
    report.not_reproduced.push(String::new());
    report.internal_errors.push(String::new());
    report.date = Some(String::new());
    let mut value = serde_json::to_value(&report).expect("a report is data");
    spoil(&mut value, false);
    let report: Report = serde_json::from_value(value).expect("texts are still texts");
    Written::new(report, spec, None)
}

/// Adds hostile text to every text of these fields.
fn spoil(value: &mut Value, is_text: bool) {
    match value {
        Value::String(text) if is_text => text.push_str(HOSTILE),
        Value::Array(values) => values.iter_mut().for_each(|value| spoil(value, is_text)),
        Value::Object(fields) => {
            for (name, value) in fields {
                spoil(value, TEXTS.contains(&name.as_str()));
            }
        }
        _ => {}
    }
}

fn shown(world: &World) -> Tested {
    let (tab, hostile) = (world.tab()?, world.hostile());
    let mut wrong = Vec::new();
    let mut complete = 0;
    for page in hostile.kinds() {
        tab.open(hostile.folder(), &page)?;
        unharmed(&tab, &page, &mut wrong)?;
        let text: String = tab.evaluate("shownTexts()")?;
        let missing: Vec<&str> = SHOWN.into_iter().filter(|part| !text.contains(part)).collect();
        if missing.is_empty() {
            complete += 1;
        } else if missing.len() < SHOWN.len() {
            wrong.push(format!("{page} does not show {missing:?}"));
        }
        // The results of a search have such texts as well.
        tab.press(&["/"])?;
        tab.enter("finding")?;
        tab.until("document.querySelector('#results a')")?;
        unharmed(&tab, &page, &mut wrong)?;
    }
    if complete < 4 {
        wrong.push(format!("only {complete} kinds of pages show hostile texts"));
    }
    nothing_of(wrong)
}

/// Notes if a text did something.
fn unharmed(tab: &Tab<'_>, page: &str, wrong: &mut Vec<String>) -> Tested {
    if tab.evaluate("'hacked' in window")? {
        wrong.push(format!("{page} ran a script of a text"));
    }
    if tab.evaluate("document.querySelector('[onerror], [onfocus], [autofocus], main script, main img') !== null")? {
        wrong.push(format!("{page} has elements of a text"));
    }
    wrong.extend(tab.problems().into_iter().map(|problem| format!("{page}: {problem}")));
    Ok(())
}

fn overflows(world: &World) -> Tested {
    looks::overflows_of(&world.tab()?, world.hostile())
}
