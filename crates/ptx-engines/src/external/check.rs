//! The conformance test of the protocol, for authors of engines: each check is a demand of
//! `docs/protocol.md` that the engine meets or not.

mod executing;
mod judging;
mod launching;
mod session;
mod words;

use std::time::Duration;

use serde_json::json;

use super::message::{hello, line, ping, response};
use super::process::{Process, excerpt};
use super::start::{introduced, words};
use super::{EngineLimits, Error};
use crate::protocol::{Ability, About, Request, Response};
use crate::words::shown;
use ptx_spec::must::Must as _;

use executing::{executes, executes_alone, executes_twice, executes_with_more};
use judging::{
    directives, judges, judges_alone, judges_many, judges_twice, judges_with_more, nonsense, nothing_to_judge,
};
use launching::{launches, launches_alone, launches_with_more, some_launches};
use session::{Session, some_lines};
use words::{Checked, wrong};

/// A demand on an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// In a few words.
    pub name: &'static str,
    /// The outcome.
    pub found: CheckOutcome,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// It does.
    Ok,
    /// It cannot be asked, and why.
    Skipped(String),
    /// It failed: what was sent, what the engine answered, what was expected.
    Wrong(String),
}

impl CheckOutcome {
    /// The outcome of a check; what the engine wrote is shown as text.
    fn of(found: Checked) -> Self {
        found.map_or_else(|why| Self::Wrong(shown(why)), |()| Self::Ok)
    }
}

/// How long an engine is watched for unsolicited output.
const QUIET: Duration = Duration::from_millis(200);
/// How long it may take to end.
const END: Duration = Duration::from_secs(5);
/// Checks the engine that a command line starts.
///
/// # Errors
/// If it cannot be started.
pub fn check(command: &str, limits: EngineLimits) -> Result<Vec<Check>, Error> {
    let words = words(command)?;
    let start = |error: std::io::Error| Error::Start { command: command.to_owned(), why: error.to_string() };
    let mut process = Process::start(&words, limits.memory).map_err(start)?;
    let mut checks = Vec::new();
    let mut add = |name, found: Result<(), String>| {
        let found = CheckOutcome::of(found);
        let passed = found == CheckOutcome::Ok;
        checks.push(Check { name, found });
        passed
    };
    let early = process.unasked(QUIET);
    let silent = if early.is_empty() { Ok(()) } else { Err(wrong(b"nothing", &excerpt(&early), "nothing")) };
    if !add("writes nothing before it is asked", silent) {
        return Ok(checks);
    }
    let said = process.exchange(&hello(), 1, limits.start, limits.response).map(|said| said.concat());
    let said = said.map_err(|fault| wrong(&hello(), &fault.words(), "one line with `hello`"));
    let about = said.and_then(|said| match response(&said) {
        Ok(Response::Hello(about)) => Ok(about),
        Ok(_) => Err(wrong(&hello(), &excerpt(&said), "`hello`")),
        Err(why) => Err(wrong(&hello(), &why, "`hello`")),
    });
    let about = match about {
        Ok(about) => about,
        Err(why) => {
            add("answers `hello` with `hello`", Err(why));
            return Ok(checks);
        }
    };
    add("answers `hello` with `hello`", Ok(()));
    // The message that a run would show.
    let known = serde_json::to_vec(&Response::Hello(about.clone())).must("a hello was read from JSON");
    let introduced = introduced(&known).map(drop);
    add(
        "speaks this version of the protocol, with a valid name and version",
        introduced.map_err(|why| {
            wrong(&hello(), &why, "protocol 1, a name of letters, digits, `-` and `_`, a version such as 1.0")
        }),
    );
    add("has abilities", abilities(&about));
    let mut session = Session { words, limits, about, process: Some(process), id: 0 };
    for &(name, needs, what) in CHECKS {
        let can = needs.is_empty() || needs.iter().any(|need| session.about.abilities.contains(need));
        let found = match can {
            true => CheckOutcome::of(what(&mut session)),
            false => CheckOutcome::Skipped(format!("it does not have the ability {}", named(needs))),
        };
        if matches!(found, CheckOutcome::Wrong(_)) {
            // The next check starts with a fresh process.
            session.process = None;
        }
        checks.push(Check { name, found });
    }
    Ok(checks)
}

fn named(abilities: &[Ability]) -> String {
    let names = abilities.iter().map(|ability| serde_json::to_string(ability).must("an ability is a word"));
    names.collect::<Vec<String>>().join(" or ").replace('"', "`")
}

fn abilities(about: &About) -> Result<(), String> {
    let has = |ability| about.abilities.contains(&ability);
    if about.abilities.is_empty() {
        return Err(wrong(&hello(), "no abilities", "`judge`, `cases`, `kernels` or `modules`"));
    }
    for (word, ability) in [("generate", Ability::Generate), ("directives", Ability::Directives)] {
        if has(ability) && !has(Ability::Judge) {
            return Err(wrong(&hello(), &format!("`{word}` without `judge`"), "both, or `judge` alone"));
        }
    }
    Ok(())
}

const EXECUTES: &[Ability] = &[Ability::Cases, Ability::Kernels];
const LAUNCHES: &[Ability] = &[Ability::Modules];

/// A name, the abilities of which the engine needs one (empty: every engine is checked), and the check.
type CheckEntry = (&'static str, &'static [Ability], fn(&mut Session) -> Checked);

const CHECKS: &[CheckEntry] = &[
    ("answers a request to execute nothing", &[], nothing_to_execute),
    ("answers a request to judge nothing with no outcomes", &[Ability::Judge], nothing_to_judge),
    ("answers an unknown request with `error`, and keeps running", &[], unknown_request),
    ("answers a request beyond its abilities with `error`, and keeps running", &[], unable),
    ("judges every line that it was given, with the id of the request", &[Ability::Judge], judges),
    ("judges the same way twice", &[Ability::Judge], judges_twice),
    ("judges a line alone as it does among others", &[Ability::Judge], judges_alone),
    ("accepts no line that is not PTX", &[Ability::Judge], nonsense),
    ("judges directives, and accepts none that is not PTX", &[Ability::Directives], directives),
    ("judges a large batch", &[Ability::Judge], judges_many),
    ("ignores unknown fields when judging", &[Ability::Judge], judges_with_more),
    ("executes, with one answer for each row and values that fit", EXECUTES, executes),
    ("executes the same way twice", EXECUTES, executes_twice),
    ("executes a row alone as it does among others", EXECUTES, executes_alone),
    ("ignores unknown fields when executing", EXECUTES, executes_with_more),
    ("launches, with one answer for each case and buffers that fit", LAUNCHES, launches),
    ("launches a case alone as it does among others", LAUNCHES, launches_alone),
    ("ignores unknown fields when launching", LAUNCHES, launches_with_more),
    ("answers two requests sent together, in order", &[], in_order),
    ("writes nothing that it was not asked for", &[], quiet),
    ("exits when its input ends", &[], ends),
];

fn nothing_to_execute(session: &mut Session) -> Checked {
    let id = session.id();
    let send = ping(id);
    match session.ask(&send, id, "`executed` with no answers, or `error`")? {
        Response::Executed(executed) if executed.answers.is_empty() => Ok(()),
        Response::Error(_) => Ok(()),
        _ => Err(wrong(&send, "another response", "`executed` with no answers, or `error`")),
    }
}

fn expect_error(session: &mut Session, send: &[u8], id: u64) -> Checked {
    match session.ask(send, id, "`error` with the id and a message")? {
        Response::Error(_) => {}
        _ => return Err(wrong(send, "another response", "`error` with the id and a message")),
    }
    nothing_to_execute(session)
}

fn unknown_request(session: &mut Session) -> Checked {
    let id = session.id();
    let send = format!("{}\n", json!({"unheard_of": {"id": id}}));
    expect_error(session, send.as_bytes(), id)
}

fn unable(session: &mut Session) -> Checked {
    if !session.about.abilities.contains(&Ability::Judge) {
        let (judge, _) = session.lines(some_lines());
        let id = judge.id;
        return expect_error(session, &line(&Request::Judge(judge)), id);
    }
    if !EXECUTES.iter().any(|ability| session.about.abilities.contains(ability)) {
        let cases = session.cases()?;
        let execute = session.request(&cases);
        let id = execute.id;
        return expect_error(session, &line(&Request::Execute(execute)), id);
    }
    if !session.about.abilities.contains(&Ability::Modules) {
        let (send, id) = some_launches(session);
        return expect_error(session, &send, id);
    }
    Ok(())
}

fn in_order(session: &mut Session) -> Checked {
    let ids = [session.id(), session.id()];
    let send = ids.map(ping).concat();
    let responses = session.say(&send, 2, "two responses")?;
    let came: Vec<Option<u64>> = responses.iter().map(Response::id).collect();
    if came == ids.map(Some) { Ok(()) } else { Err(wrong(&send, &format!("ids {came:?}"), &format!("ids {ids:?}"))) }
}

fn quiet(session: &mut Session) -> Checked {
    let more = session.process()?.unasked(QUIET);
    if more.is_empty() { Ok(()) } else { Err(wrong(b"nothing", &excerpt(&more), "nothing")) }
}

fn ends(session: &mut Session) -> Checked {
    if session.process()?.close(END) {
        session.process = None;
        return Ok(());
    }
    let time = END.as_secs();
    Err(format!(
        "sent: the end of its input; got: nothing, it was still running after {time} s; expected: the process exits"
    ))
}
