//! The pages of a report: as files, and in a headless Chromium.
//!
//! Without a browser the tests in it are ignored; with PTX_CONFORM_REQUIRE_BROWSER=1 they fail instead. Chromium is
//! found by its usual names, or by PTX_CONFORM_CHROMIUM. PTX_CONFORM_SCREENSHOTS=DIR writes a picture of each kind of
//! page there.

mod chromium;
#[path = "../planted/engine.rs"]
mod engine;
mod files;
mod hostile;
mod keyboard;
mod looks;
#[path = "../planted/mutant.rs"]
mod mutant;
mod questions;
mod reports;
mod screenshots;
#[path = "../planted/shipped.rs"]
mod shipped;
mod tab;
mod tables;

use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_conform::spec::Spec;

use chromium::Chromium;
use reports::Written;
use tab::Tab;

/// What a test returns.
type Tested = Result<(), Failed>;

fn main() {
    let world = Arc::new(World::default());
    let mut trials = files::trials(&world);
    let tests = [looks::TESTS, keyboard::TESTS, tables::TESTS, hostile::TESTS, questions::TESTS, screenshots::TESTS];
    trials.extend(in_browser(&world, &tests.concat()));
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    // The browser ends, and the reports are removed.
    drop(world);
    conclusion.exit();
}

/// A test in the browser, and its name.
type BrowserTest = (&'static str, fn(&World) -> Tested);

/// The trials of tests in the browser: ignored without one, or failures where one is required.
fn in_browser(world: &Arc<World>, tests: &[BrowserTest]) -> Vec<Trial> {
    let is_here = chromium::find().is_some();
    let required = std::env::var_os("PTX_CONFORM_REQUIRE_BROWSER").is_some_and(|value| value == "1");
    if !is_here {
        eprintln!("no browser here: install chromium, or set PTX_CONFORM_CHROMIUM");
    }
    let trial = |&(name, test): &BrowserTest| {
        let world = Arc::clone(world);
        let without_pictures = name == screenshots::NAME && screenshots::folder().is_none();
        Trial::test(name, move || test(&world)).with_ignored_flag(without_pictures || (!is_here && !required))
    };
    tests.iter().map(trial).collect()
}

/// What tests share: each is made once, by the first test that needs it.
#[derive(Default)]
struct World {
    all: OnceLock<Written>,
    hostile: OnceLock<Written>,
    browser: OnceLock<Result<Chromium, String>>,
}

impl World {
    fn spec(&self) -> &Spec {
        &shipped::SPEC
    }

    /// The report of every instruction.
    fn all(&self) -> &Written {
        self.all.get_or_init(|| reports::all(self.spec()))
    }

    /// The report with hostile texts.
    fn hostile(&self) -> &Written {
        self.hostile.get_or_init(|| hostile::report(self.spec()))
    }

    /// A new tab of the browser.
    fn tab(&self) -> Result<Tab<'_>, Failed> {
        let start = || {
            let path = chromium::find().ok_or("no browser here, and PTX_CONFORM_REQUIRE_BROWSER is set")?;
            Chromium::start(&path).map_err(|error| error.message().unwrap_or("the browser does not start").to_owned())
        };
        match self.browser.get_or_init(start) {
            Ok(browser) => Tab::new(browser),
            Err(why) => Err(why.as_str().into()),
        }
    }
}

/// Fails if anything is wrong.
fn nothing_of(wrong: Vec<String>) -> Tested {
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} problems:\n{}", wrong.len(), wrong.join("\n")).into()) }
}
