//! The conformance test of the protocol, for authors of engines: each check is something that
//! `docs/protocol.md` says of an engine, and that this one does or does not do.

use std::time::Duration;

use serde_json::{Value, json};

use crate::protocol::{Ability, About, Case, Execute, Judge, Judged, Request, Response, Said};
use ptx_exec::execution::{Answer, Execution, Rows};
use ptx_exec::kernel;
use ptx_spec::environment::{Suffix, Target, Version};

use super::process::quoted;
use super::{Error, Fault, Limits, Process, excerpt, hello, line, response};

/// Something that an engine is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// In a few words.
    pub name: &'static str,
    /// Whether it does.
    pub found: Found,
}

/// Whether an engine does as it is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It does.
    Ok,
    /// It cannot be asked, and why.
    Skipped(String),
    /// It does not: what was sent, what came, what should be.
    Wrong(String),
}

/// How long an engine is watched for what it was not asked for.
const QUIET: Duration = Duration::from_millis(200);
/// How long it may take to end.
const END: Duration = Duration::from_secs(5);
/// How much of what was sent is shown.
const SENT: usize = 400;
/// Lines in a large batch.
const LARGE: usize = 2048;

/// Checks the engine that a command line starts.
///
/// # Errors
/// Where it cannot be started.
pub fn check(command: &str, limits: Limits) -> Result<Vec<Check>, Error> {
    let words = super::words(command)?;
    let start = |error: std::io::Error| Error::Start { command: command.to_owned(), why: error.to_string() };
    let mut process = Process::start(&words).map_err(start)?;
    let mut checks = Vec::new();
    let mut add = |name, found: Result<(), String>| {
        let found = found.map_or_else(Found::Wrong, |()| Found::Ok);
        let passed = found == Found::Ok;
        checks.push(Check { name, found });
        passed
    };
    let early = process.unasked(QUIET);
    let silent = if early.is_empty() { Ok(()) } else { Err(wrong(b"nothing", &excerpt(&early), "nothing")) };
    if !add("says nothing before it is asked", silent) {
        return Ok(checks);
    }
    let said = process.exchange(&hello(), 1, limits.start, limits.response).map(|said| said.concat());
    let said = said.map_err(|fault| wrong(&hello(), &fault.words(), "one line with a hello"));
    let about = said.and_then(|said| match response(&said) {
        Ok(Response::Hello(about)) => Ok(about),
        Ok(_) => Err(wrong(&hello(), &excerpt(&said), "a hello")),
        Err(why) => Err(wrong(&hello(), &why, "a hello")),
    });
    let about = match about {
        Ok(about) => about,
        Err(why) => {
            add("answers a hello with a hello", Err(why));
            return Ok(checks);
        }
    };
    add("answers a hello with a hello", Ok(()));
    // The same words that a run refuses it with.
    let known = serde_json::to_vec(&Response::Hello(about.clone())).unwrap_or_default();
    let introduced = super::introduced(&known).map(drop);
    add(
        "speaks this version of the protocol, and has a name and a version",
        introduced.map_err(|why| {
            wrong(&hello(), &why, "protocol 1, a name of letters, digits, `-` and `_`, a version such as 1.0")
        }),
    );
    add("has abilities", abilities(&about));
    let mut session = Session { words, limits, about, process: Some(process), id: 0 };
    for &(name, needs, what) in CHECKS {
        let can = needs.is_empty() || needs.iter().any(|need| session.about.abilities.contains(need));
        let found = match can {
            true => what(&mut session).map_or_else(Found::Wrong, |()| Found::Ok),
            false => Found::Skipped(format!("none of its abilities is {}", named(needs))),
        };
        if matches!(found, Found::Wrong(_)) {
            // The next check begins with a process that nothing went wrong in.
            session.process = None;
        }
        checks.push(Check { name, found });
    }
    Ok(checks)
}

fn named(abilities: &[Ability]) -> String {
    let names = abilities.iter().map(|ability| serde_json::to_string(ability).unwrap_or_default());
    names.collect::<Vec<String>>().join(" or ").replace('"', "`")
}

/// What is wrong, in the words of a check.
fn wrong(sent: &[u8], came: &str, should: &str) -> String {
    let (sent, came) = (quoted(sent, SENT), came.replace('\n', "; "));
    format!("sent {sent}; came: {came}; should be: {should}")
}

fn abilities(about: &About) -> Result<(), String> {
    let has = |ability| about.abilities.contains(&ability);
    if about.abilities.is_empty() {
        return Err(wrong(&hello(), "no abilities", "`judge`, `cases` or `kernels` among them"));
    }
    if has(Ability::Generate) && !has(Ability::Judge) {
        return Err(wrong(&hello(), "`generate` without `judge`", "both, or `judge` alone"));
    }
    Ok(())
}

const EXECUTES: &[Ability] = &[Ability::Cases, Ability::Kernels];

type Checked = Result<(), String>;

/// A name, abilities of which the engine needs one (none: any engine is asked), and what is done.
type Asked = (&'static str, &'static [Ability], fn(&mut Session) -> Checked);

const CHECKS: &[Asked] = &[
    ("answers a request to execute nothing", &[], nothing_to_execute),
    ("answers a request to judge nothing with no outcomes", &[Ability::Judge], nothing_to_judge),
    ("answers a request that it does not know with `error`, and lives", &[], unknown_request),
    ("answers a request that it is not able to do with `error`, and lives", &[], unable),
    ("judges as many lines as it was given, under their id", &[Ability::Judge], judges),
    ("judges the same way twice", &[Ability::Judge], judges_twice),
    ("judges a line alone as it does among others", &[Ability::Judge], judges_alone),
    ("accepts no line that is no PTX", &[Ability::Judge], nonsense),
    ("judges a large batch", &[Ability::Judge], judges_many),
    ("judges with fields that it does not know", &[Ability::Judge], judges_with_more),
    ("executes: one answer for each row, values that fit", EXECUTES, executes),
    ("executes the same way twice", EXECUTES, executes_twice),
    ("executes a row alone as it does among others", EXECUTES, executes_alone),
    ("executes with fields that it does not know", EXECUTES, executes_with_more),
    ("answers two requests that come together in their order", &[], in_order),
    ("says nothing that it was not asked for", &[], quiet),
    ("ends when its input ends", &[], ends),
];

/// A conversation with the engine.
struct Session {
    words: Vec<String>,
    limits: Limits,
    about: About,
    process: Option<Process>,
    id: u64,
}

impl Session {
    fn process(&mut self) -> Result<&mut Process, String> {
        let process = match self.process.take() {
            Some(process) => process,
            None => match super::start(&self.words, &self.limits) {
                Ok((process, ..)) => process,
                Err(super::Unusable::Start(why) | super::Unusable::Hello(why)) => {
                    return Err(format!("it does not start again: {}", why.replace('\n', "; ")));
                }
            },
        };
        Ok(self.process.insert(process))
    }

    fn id(&mut self) -> u64 {
        self.id += 1;
        self.id
    }

    /// Sends lines, and reads as many.
    fn say(&mut self, send: &[u8], lines: usize, should: &str) -> Result<Vec<Response>, String> {
        let (time, longest) = (self.limits.request, self.limits.response);
        let said = self.process()?.exchange(send, lines, time, longest);
        let said = said.map_err(|fault: Fault| wrong(send, &fault.words(), should))?;
        said.iter().map(|said| response(said).map_err(|why| wrong(send, &why, should))).collect()
    }

    /// Sends one request, and reads the response that has its id.
    fn ask(&mut self, send: &[u8], id: u64, should: &str) -> Result<Response, String> {
        let response = self.say(send, 1, should)?.into_iter().next().ok_or("nothing came")?;
        if response.id() == Some(id) {
            return Ok(response);
        }
        let came = response.id().map_or("no id".to_owned(), |id| format!("id {id}"));
        Err(wrong(send, &came, &format!("id {id}")))
    }

    /// An environment that the engine takes.
    fn environment(&self) -> (Version, Target) {
        let ptx = self.about.ptx.iter().max().copied().unwrap_or(Version { major: 7, minor: 0 });
        let target = self.about.targets.first().copied();
        (ptx, target.unwrap_or(Target { sm: 50, suffix: Suffix::Plain }))
    }

    fn lines(&mut self, lines: Vec<String>) -> (Judge, &'static str) {
        let (ptx, target) = self.environment();
        let declarations = DECLARATIONS.to_owned();
        let request = Judge { id: self.id(), ptx, target, address_size: 64, generate: false, declarations, lines };
        (request, "`judged`, with as many outcomes as lines")
    }

    fn judge(&mut self, lines: Vec<String>) -> Result<Vec<Said>, String> {
        let (judge, should) = self.lines(lines);
        let (id, count) = (judge.id, judge.lines.len());
        let send = line(&Request::Judge(judge));
        match self.ask(&send, id, should)? {
            Response::Judged(Judged { outcomes, .. }) if outcomes.len() == count => Ok(outcomes),
            Response::Judged(judged) => {
                Err(wrong(&send, &format!("{} outcomes", judged.outcomes.len()), &format!("{count} outcomes")))
            }
            Response::Error(failure) => Err(wrong(&send, &format!("an error: {}", failure.message), should)),
            _ => Err(wrong(&send, "another kind of response", should)),
        }
    }

    fn cases(&mut self) -> Result<Vec<Execution>, String> {
        let (ptx, target) = self.environment();
        let read = |mut case: Value| {
            case["ptx"] = json!(ptx.to_string());
            case["target"] = json!(target.to_string());
            serde_json::from_value(case).map_err(|error| error.to_string())
        };
        samples().into_iter().map(read).collect()
    }

    fn executed(&mut self, send: &[u8], id: u64, cases: &[Execution]) -> Result<Vec<Vec<Answer>>, String> {
        let should = "`executed`, for each case a list with an answer for each of its rows";
        let answers = match self.ask(send, id, should)? {
            Response::Executed(executed) => executed.answers,
            Response::Error(failure) => return Err(wrong(send, &format!("an error: {}", failure.message), should)),
            _ => return Err(wrong(send, "another kind of response", should)),
        };
        let given: Vec<usize> = answers.iter().map(Vec::len).collect();
        let asked: Vec<usize> = cases.iter().map(|case| case.rows.len()).collect();
        if given != asked {
            return Err(wrong(send, &format!("answers for {given:?} rows"), &format!("for {asked:?} rows")));
        }
        for (case, answers) in cases.iter().zip(&answers) {
            for (row, answer) in answers.iter().enumerate() {
                if let Answer::Returned(returned) = answer {
                    let at = |why: String| {
                        wrong(
                            format!("`{}`, row {row}", case.line).as_bytes(),
                            &why,
                            "a value for each output, of its bits, and a surface of the same size or none",
                        )
                    };
                    case.check(returned).map_err(at)?;
                }
            }
        }
        Ok(answers)
    }

    fn request(&mut self, cases: &[Execution]) -> Execute {
        let (mut module, mut kernels) = (None, vec![None; cases.len()]);
        if self.about.abilities.contains(&Ability::Kernels) {
            let (text, made) = kernel::module(&cases.iter().collect::<Vec<_>>());
            module = Some(text);
            kernels = made.into_iter().map(Result::ok).collect();
        }
        let cases = cases.iter().cloned().zip(kernels).map(|(case, kernel)| Case { case, kernel }).collect();
        Execute { id: self.id(), module, cases }
    }

    fn execute(&mut self, cases: &[Execution]) -> Result<Vec<Vec<Answer>>, String> {
        let execute = self.request(cases);
        let id = execute.id;
        self.executed(&line(&Request::Execute(execute)), id, cases)
    }
}

const DECLARATIONS: &str =
    ".global .surfref s; .global .align 8 .b8 g[16]; .entry k() { .reg .b32 %r<9>; .reg .b64 %rd<9>;";

/// Cases of the simple kind, but for the environment. They have their variables in common, as the
/// kernels of a module do.
fn samples() -> Vec<Value> {
    let surface = json!({"geometry": "1d", "format": "u32", "width": 2, "data": "0001020304050607"});
    let variables = json!([{"name": "g", "space": "global", "data": "000102030405060708090a0b0c0d0e0f"}]);
    let register = |name: &str| json!({"register": name, "bits": 32, "holds": "bits"});
    vec![
        json!({
            "declarations": DECLARATIONS, "line": "ld.global.u32 %r1, [%rd1+4];",
            "variables": variables,
            "inputs": [{"register": "%rd1", "bits": 64, "holds": "address", "of": "g", "generic": false}],
            "outputs": [{"register": "%r1", "bits": 32}],
            "rows": [["0"], ["4"], ["8"]],
        }),
        json!({
            "declarations": DECLARATIONS, "line": "suld.b.1d.b32.zero %r1, [s, {%r2}];", "surface": surface,
            "variables": variables, "inputs": [register("%r2")], "outputs": [{"register": "%r1", "bits": 32}],
            "rows": [["0"], ["4"], ["8"], ["ffffffff"]],
        }),
        json!({
            "declarations": DECLARATIONS, "line": "sust.b.1d.b32.zero [s, {%r2}], %r3;", "surface": surface,
            "variables": variables, "inputs": [register("%r2"), register("%r3")], "outputs": [],
            "rows": [["0", "ffffffff"], ["8", "ffffffff"]],
        }),
    ]
}

/// Lines of which some are PTX.
fn some_lines() -> Vec<String> {
    [
        "ld.global.u32 %r1, [%rd1];",
        "suq.width.b32 %r1, [s];",
        "suq.nonsense.b32 %r1, [s];",
        "ld.global.u32 %r2, [%rd2+8];",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Without the words: those may differ.
fn verdict(said: &Said) -> &'static str {
    match said {
        Said::Accepted => "accepted",
        Said::Rejected(_) => "rejected",
        Said::Skipped(_) => "skipped",
    }
}

fn nothing_to_execute(session: &mut Session) -> Checked {
    let id = session.id();
    let send = super::ping(id);
    match session.ask(&send, id, "`executed` with no answers, or `error`")? {
        Response::Executed(executed) if executed.answers.is_empty() => Ok(()),
        Response::Error(_) => Ok(()),
        _ => Err(wrong(&send, "another response", "`executed` with no answers, or `error`")),
    }
}

fn nothing_to_judge(session: &mut Session) -> Checked {
    session.judge(Vec::new()).map(drop)
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
    Ok(())
}

fn judges(session: &mut Session) -> Checked {
    session.judge(some_lines()).map(drop)
}

fn same(what: &str, first: &[&str], second: &[&str], should: &str) -> Checked {
    if first == second {
        return Ok(());
    }
    Err(wrong(what.as_bytes(), &format!("{first:?}, then {second:?}"), should))
}

fn judges_twice(session: &mut Session) -> Checked {
    let first = session.judge(some_lines())?;
    let second = session.judge(some_lines())?;
    let [first, second] = [first, second].map(|said| said.iter().map(verdict).collect::<Vec<&str>>());
    same("four lines twice", &first, &second, "the same outcomes")
}

fn judges_alone(session: &mut Session) -> Checked {
    let together = session.judge(some_lines())?;
    for (line, said) in some_lines().into_iter().zip(&together) {
        let alone = session.judge(vec![line.clone()])?;
        let alone: Vec<&str> = alone.iter().map(verdict).collect();
        same(&line, &[verdict(said)], &alone, "the same outcome among others and alone")?;
    }
    Ok(())
}

fn nonsense(session: &mut Session) -> Checked {
    for nonsense in ["?!", "", "no such instruction;", "suq.\u{fc}\u{1f980}.b32 %r1, [s];"] {
        if session.judge(vec![nonsense.to_owned()])? == [Said::Accepted] {
            return Err(wrong(nonsense.as_bytes(), "accepted", "rejected or skipped"));
        }
    }
    Ok(())
}

fn judges_many(session: &mut Session) -> Checked {
    let few = session.judge(some_lines())?;
    let many = some_lines().into_iter().cycle().take(LARGE).collect();
    let many = session.judge(many)?;
    let differs = many.iter().zip(few.iter().cycle()).position(|(many, few)| verdict(many) != verdict(few));
    match differs {
        None => Ok(()),
        Some(at) => Err(wrong(
            format!("{LARGE} lines").as_bytes(),
            &format!("`{}` for line {at}", verdict(&many[at])),
            "the same outcomes as in a small batch",
        )),
    }
}

/// A request with fields that later versions may have.
fn with_more(request: &Request) -> Vec<u8> {
    let mut value = serde_json::to_value(request).unwrap_or_default();
    for body in value.as_object_mut().into_iter().flat_map(|object| object.values_mut()) {
        body["later"] = json!({"unheard": ["of"]});
    }
    format!("{value}\n").into_bytes()
}

fn judges_with_more(session: &mut Session) -> Checked {
    let first = session.judge(some_lines())?;
    let (judge, should) = session.lines(some_lines());
    let id = judge.id;
    let send = with_more(&Request::Judge(judge));
    match session.ask(&send, id, should)? {
        Response::Judged(judged) => {
            let [first, second] = [first, judged.outcomes].map(|said| said.iter().map(verdict).collect::<Vec<&str>>());
            same("a request with the field `later`", &first, &second, "the same outcomes as without")
        }
        _ => Err(wrong(&send, "another response", should)),
    }
}

fn executes(session: &mut Session) -> Checked {
    let cases = session.cases()?;
    session.execute(&cases).map(drop)
}

/// An answer without its words.
fn came(answer: &Answer) -> String {
    match answer {
        Answer::Returned(returned) => serde_json::to_string(returned).unwrap_or_default(),
        Answer::Trapped(_) => "trapped".to_owned(),
        Answer::Skipped(_) => "skipped".to_owned(),
        Answer::Failed(_) => "failed".to_owned(),
    }
}

fn same_answers(cases: &[Execution], first: &[Vec<Answer>], second: &[Vec<Answer>], should: &str) -> Checked {
    for (case, (first, second)) in cases.iter().zip(first.iter().zip(second)) {
        for (row, (first, second)) in first.iter().zip(second).enumerate() {
            let what = format!("`{}`, row {row}", case.line);
            same(&what, &[&came(first)], &[&came(second)], should)?;
        }
    }
    Ok(())
}

fn executes_twice(session: &mut Session) -> Checked {
    let cases = session.cases()?;
    let first = session.execute(&cases)?;
    let second = session.execute(&cases)?;
    same_answers(&cases, &first, &second, "the same answer")
}

fn executes_alone(session: &mut Session) -> Checked {
    let cases = session.cases()?;
    let together = session.execute(&cases)?;
    for (case, answers) in cases.iter().zip(&together) {
        for (row, answer) in case.rows.iter().zip(answers) {
            let mut rows = Rows::new(row.len());
            rows.push(row);
            let alone = [case.with_rows(rows, Vec::new())];
            let answered = session.execute(&alone)?;
            same_answers(&alone, &[vec![answer.clone()]], &answered, "the same answer among others and alone")?;
        }
    }
    Ok(())
}

fn executes_with_more(session: &mut Session) -> Checked {
    let cases = session.cases()?;
    let first = session.execute(&cases)?;
    let execute = session.request(&cases);
    let id = execute.id;
    let second = session.executed(&with_more(&Request::Execute(execute)), id, &cases)?;
    same_answers(&cases, &first, &second, "the same answer as without the field `later`")
}

fn in_order(session: &mut Session) -> Checked {
    let ids = [session.id(), session.id()];
    let send = ids.map(super::ping).concat();
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
        "sent: the end of its input; came: nothing, it still ran after {time} s; should be: the end of the process"
    ))
}
