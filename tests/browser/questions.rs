//! Questions of readers: each is answered from the index in at most two clicks or one search.

use ptx_conform::causes::Finding;
use ptx_conform::divergences::Does;
use ptx_conform::report::Report;

use crate::keyboard::{follow, search};
use crate::tab::Tab;
use crate::{BrowserTest, Tested, World, nothing_of, reports};

pub(crate) const TESTS: &[BrowserTest] = &[("readers_find_answers", answers)];

/// A question, the steps from the index, and what the reader sees then.
struct Question {
    asks: &'static str,
    steps: Vec<Step>,
    /// Texts that answer it: all are on the page, and visible.
    answer: Vec<String>,
    /// What shows the answer, for answers that are not only text.
    place: &'static str,
}

enum Step {
    /// Clicks the first link with this text.
    Click(String),
    /// Searches and follows the first result.
    Search(&'static str),
}

fn question(asks: &'static str, steps: Vec<Step>, answer: &[&str]) -> Question {
    let answer = answer.iter().map(|&text| text.to_owned()).collect();
    Question { asks, steps, answer, place: "main" }
}

fn questions(report: &Report) -> Vec<Question> {
    use Step::{Click, Search};
    let finding = |wanted: &dyn Fn(&Finding) -> bool| report.findings.iter().find(|of| wanted(of)).expect("a finding");
    let crash = finding(&|of| of.does == Does::Crashes);
    let rejected = finding(&|of| of.does == Does::Rejects);
    let surface = finding(&|of| of.case.row.as_ref().is_some_and(|row| row.execution.surface.is_some()));
    let rule = report.rules.iter().find(|rule| rule.id == "suld/clamp-required").expect("a rule");
    let coverage = report.forms.iter().find(|form| form.form.starts_with("ld.")).expect("a form of ld");
    let tested = &coverage.tested[0];
    let open = |of: &Finding| vec![Click(of.fingerprint.clone())];
    vec![
        Question {
            place: ":target",
            ..question(
                "since when is `.L2::evict_last` on `ld`?",
                vec![Search("ld .L2::evict_last")],
                &["ld.L2::evict_last", "PTX 8.8, sm_100"],
            )
        },
        question("what is new?", vec![], &[&crash.title, &rejected.title, &surface.title]),
        question("how do I see this crash again?", open(crash), &[reports::COMMAND, "the module"]),
        question("which rule is least tested?", vec![], &["The least tested rules", "lines that broke only it"]),
        Question {
            place: ":target",
            ..question(
                "what does this rule say, and where does the manual say it?",
                vec![Search("suld/clamp-required")],
                &[&rule.says, rule.section.as_deref().unwrap_or("syntax")],
            )
        },
        question("which engines were not asked?", vec![], &["gpu@13.0 was not asked", reports::ABSENT]),
        Question {
            place: ":target",
            ..question(
                "what is known about this divergence?",
                vec![Search("sured-add-is-rejected")],
                &["The assembler of this test was made to do it.", "planted 1.0", "rejects"],
            )
        },
        Question { place: "mark.wrong", ..question("which bytes are wrong in this result?", open(surface), &[]) },
        question("which versions show this finding?", open(rejected), &["planted 1.0 to 2.0", "planted 3.0"]),
        question(
            "how much of `ld` was tested?",
            vec![Click("ld".to_owned()), Click("Coverage".to_owned())],
            &[&coverage.form, &grouped(&tested.valid_tested), &grouped(&tested.valid)],
        ),
    ]
}

/// `1,234,567`
fn grouped(digits: &str) -> String {
    let bytes: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8_lossy(&bytes.join(&b',')).into_owned()
}

fn answers(world: &World) -> Tested {
    let (tab, all) = (world.tab()?, world.all());
    let mut wrong = Vec::new();
    for question in questions(&all.report) {
        let clicks = question.steps.iter().filter(|step| matches!(step, Step::Click(_))).count();
        let searches = question.steps.len() - clicks;
        if clicks > 2 || searches > 1 || (clicks > 0 && searches > 0) {
            wrong.push(format!("{}: too many steps", question.asks));
        }
        if let Err(why) = answered(&tab, all, &question) {
            wrong.push(format!("{}: {}", question.asks, why.message().unwrap_or_default()));
        }
    }
    nothing_of(wrong)
}

fn answered(tab: &Tab<'_>, all: &reports::Written, question: &Question) -> Tested {
    tab.open(all.folder(), "index.html")?;
    for step in &question.steps {
        match step {
            Step::Click(text) => {
                let link = format!(
                    "[...document.querySelectorAll('a')].find((link) => isShown(link) && link.textContent.trim() === {text:?})"
                );
                let address: Option<String> = tab.evaluate(&format!("{link}?.href ?? null"))?;
                let address = address.ok_or_else(|| format!("there is no link `{text}`"))?;
                tab.evaluate::<bool>(&format!("({link}.click(), true)"))?;
                tab.until(&format!("location.href === {address:?} && document.readyState === 'complete'"))?;
            }
            Step::Search(text) => {
                search(tab, text)?;
                follow(tab)?;
            }
        }
    }
    let place = question.place;
    let text: Option<String> = tab.evaluate(&format!(
        "[...document.querySelectorAll({place:?})].find(isShown)?.innerText.replace(/\\s+/g, ' ') ?? null"
    ))?;
    let text = text.ok_or_else(|| format!("nothing is at {place}"))?;
    let missing: Vec<&String> = question.answer.iter().filter(|answer| !text.contains(answer.as_str())).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("the page does not show {missing:?}").into()) }
}
