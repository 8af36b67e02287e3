//! A conversation with the engine under test, and the questions that it is asked.

use serde_json::{Value, json};

use super::super::EngineLimits;
use super::super::message::{line, response};
use super::super::process::{EngineFault, Process};
use super::super::start::{Unusable, start};
use super::words::wrong;
use crate::protocol::{
    Ability, About, ExecuteRequest, JudgeRequest, Judged, LineOutcome, Request, Response, SentCase, SentModule,
};
use ptx_exec::kernel;
use ptx_exec::line_case::{Answer, LineCase};
use ptx_spec::environment::{Suffix, Target, Version};
use ptx_spec::must::Must as _;

/// A conversation with the engine.
pub(super) struct Session {
    pub(super) words: Vec<String>,
    pub(super) limits: EngineLimits,
    pub(super) about: About,
    pub(super) process: Option<Process>,
    pub(super) id: u64,
}

impl Session {
    pub(super) fn process(&mut self) -> Result<&mut Process, String> {
        let process = match self.process.take() {
            Some(process) => process,
            None => match start(&self.words, &self.limits) {
                Ok((process, ..)) => process,
                Err(Unusable::Start(why) | Unusable::Hello(why)) => {
                    return Err(format!("it does not start a second time: {}", why.replace('\n', "; ")));
                }
            },
        };
        Ok(self.process.insert(process))
    }

    pub(super) fn id(&mut self) -> u64 {
        self.id += 1;
        self.id
    }

    /// Sends requests, and reads as many responses.
    pub(super) fn say(&mut self, send: &[u8], lines: usize, should: &str) -> Result<Vec<Response>, String> {
        let (time, longest) = (self.limits.request, self.limits.response);
        let said = self.process()?.exchange(send, lines, time, longest);
        let said = said.map_err(|fault: EngineFault| wrong(send, &fault.words(), should))?;
        said.iter().map(|said| response(said).map_err(|why| wrong(send, &why, should))).collect()
    }

    /// Sends one request, and reads the response that has its id.
    pub(super) fn ask(&mut self, send: &[u8], id: u64, should: &str) -> Result<Response, String> {
        let response = self.say(send, 1, should)?.into_iter().next().ok_or("nothing came")?;
        if response.id() == Some(id) {
            return Ok(response);
        }
        let came = response.id().map_or("no id".to_owned(), |id| format!("id {id}"));
        Err(wrong(send, &came, &format!("id {id}")))
    }

    /// An environment that the engine accepts.
    pub(super) fn environment(&self) -> (Version, Target) {
        let ptx = self.about.ptx.iter().max().copied().unwrap_or(Version { major: 7, minor: 0 });
        // Rows need instructions that the first targets lack.
        let plain = |target: &&Target| target.suffix == Suffix::Plain;
        let target = self.about.targets.iter().filter(plain).max().or(self.about.targets.iter().max()).copied();
        (ptx, target.unwrap_or(Target { sm: 50, suffix: Suffix::Plain }))
    }

    pub(super) fn lines(&mut self, lines: Vec<String>) -> (JudgeRequest, &'static str) {
        let (ptx, target) = self.environment();
        let declarations = DECLARATIONS.to_owned();
        let (id, address_size, generate) = (self.id(), 64, false);
        let request = JudgeRequest { id, ptx, target, address_size, generate, declarations, lines, module: None };
        (request, "`judged`, with as many outcomes as lines")
    }

    pub(super) fn judge(&mut self, lines: Vec<String>) -> Result<Vec<LineOutcome>, String> {
        let (judge, should) = self.lines(lines);
        self.outcomes(judge, should)
    }

    /// The outcome of a directive in a module of its own.
    pub(super) fn judge_directive(&mut self, directive: &str) -> Result<LineOutcome, String> {
        let (mut judge, should) = self.lines(vec![directive.to_owned()]);
        let header = format!(".version {}\n.target {}\n.address_size 64\n", judge.ptx, judge.target);
        judge.module = Some(SentModule { text: format!("{header}{directive}\n"), line: 4 });
        judge.declarations.clear();
        self.outcomes(judge, should).map(|mut outcomes| outcomes.remove(0))
    }

    fn outcomes(&mut self, judge: JudgeRequest, should: &str) -> Result<Vec<LineOutcome>, String> {
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

    pub(super) fn cases(&mut self) -> Result<Vec<LineCase>, String> {
        let (ptx, target) = self.environment();
        let read = |mut case: Value| {
            case["ptx"] = json!(ptx.to_string());
            case["target"] = json!(target.to_string());
            serde_json::from_value(case).map_err(|error| error.to_string())
        };
        samples().into_iter().map(read).collect()
    }

    pub(super) fn executed(&mut self, send: &[u8], id: u64, cases: &[LineCase]) -> Result<Vec<Vec<Answer>>, String> {
        let should = "`executed`, with a list for each case that has one answer for each row";
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
                            "one value for each output, with no more bits than it has, and a surface of the same size or none",
                        )
                    };
                    case.check(returned).map_err(at)?;
                }
            }
        }
        Ok(answers)
    }

    pub(super) fn request(&mut self, cases: &[LineCase]) -> ExecuteRequest {
        let (mut module, mut kernels) = (None, vec![None; cases.len()]);
        if self.about.abilities.contains(&Ability::Kernels) {
            let (text, made) = kernel::module(&cases.iter().collect::<Vec<_>>());
            module = Some(text);
            kernels = made.into_iter().map(Result::ok).collect();
        }
        let cases = cases.iter().cloned().zip(kernels).map(|(case, kernel)| SentCase { case, kernel }).collect();
        ExecuteRequest { id: self.id(), module, cases }
    }

    pub(super) fn execute(&mut self, cases: &[LineCase]) -> Result<Vec<Vec<Answer>>, String> {
        let execute = self.request(cases);
        let id = execute.id;
        self.executed(&line(&Request::Execute(execute)), id, cases)
    }
}

const DECLARATIONS: &str =
    ".global .surfref s; .global .align 8 .b8 g[16]; .entry k() { .reg .b32 %r<9>; .reg .b64 %rd<9>;";

/// Simple cases, except for the environment. They share their variables, like the kernels of a module.
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

/// Lines, only some of which are PTX.
pub(super) fn some_lines() -> Vec<String> {
    [
        "ld.global.u32 %r1, [%rd1];",
        "suq.width.b32 %r1, [s];",
        "suq.nonsense.b32 %r1, [s];",
        "ld.global.u32 %r2, [%rd2+8];",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// A request with fields that later versions may have.
pub(super) fn with_more(request: &Request) -> Vec<u8> {
    let mut value = serde_json::to_value(request).must("the keys of all maps of a request are text");
    for body in value.as_object_mut().into_iter().flat_map(|object| object.values_mut()) {
        body["later"] = json!({"unheard": ["of"]});
    }
    format!("{value}\n").into_bytes()
}
