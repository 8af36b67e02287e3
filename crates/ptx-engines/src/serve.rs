//! The other side of the engine protocol: serves the built-in engines.

use std::io::{self, BufRead, Write};

use super::protocol::{
    Ability, About, ExecuteRequest, Executed, Failure, JudgeRequest, Judged, LaunchAnswers, LaunchRequest, LineOutcome,
    Request, Response,
};
use super::{Batch, Depth, EngineIdError, LineJudge, Outcome};
use ptx_exec::kernel_case::KernelAnswer;
use ptx_exec::line_case::Answer;
use ptx_spec::environment::{AddressSize, Environment};

/// An engine that answers requests.
pub(crate) trait Served {
    /// The reasons why it cannot answer.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Its answer to `hello`.
    ///
    /// # Errors
    /// The reason why it cannot be asked anything.
    fn hello(&mut self) -> Result<About, Self::Error>;

    /// Judges lines.
    ///
    /// # Errors
    /// The reason why it cannot continue.
    fn judge(&mut self, asked: JudgeRequest) -> Result<Judged, Self::Error>;

    /// Executes cases.
    ///
    /// # Errors
    /// The reason why it cannot answer this request.
    fn execute(&mut self, asked: &ExecuteRequest) -> Result<Vec<Vec<Answer>>, Self::Error>;

    /// Executes launches of a module.
    ///
    /// # Errors
    /// The reason why it cannot answer this request.
    fn launch(&mut self, asked: LaunchRequest) -> Result<Vec<KernelAnswer>, Self::Error>;
}

/// The reason why an engine that is served stops before its input ends.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A request cannot be read.
    #[error("stdin: {0}")]
    Input(#[source] io::Error),
    /// A response cannot be written.
    #[error("stdout: {0}")]
    Output(#[source] io::Error),
    /// The other side does not speak the protocol.
    #[error("the first message is not `hello`")]
    Greeting,
    /// The engine has no valid version.
    #[error(transparent)]
    Id(#[from] EngineIdError),
    /// The engine cannot be asked, or cannot go on.
    #[error(transparent)]
    Engine(Box<dyn std::error::Error + Send + Sync>),
}

fn broken(why: impl std::error::Error + Send + Sync + 'static) -> ServeError {
    ServeError::Engine(Box::new(why))
}

/// Answers requests until there are no more.
///
/// # Errors
/// If the engine cannot go on, or the other side does not speak the protocol.
pub(crate) fn serve(mut engine: impl Served, input: impl BufRead, mut output: impl Write) -> Result<(), ServeError> {
    let mut abilities = None;
    for line in input.lines() {
        let line = line.map_err(ServeError::Input)?;
        if line.trim().is_empty() {
            continue;
        }
        let response = match serde_json::from_str(&line) {
            // The other side decides whether the protocol versions fit.
            Ok(Request::Hello(_)) => {
                let about = engine.hello().map_err(broken)?;
                abilities = Some(about.abilities.clone());
                Response::Hello(about)
            }
            _ if abilities.is_none() => return Err(ServeError::Greeting),
            Ok(Request::Judge(asked)) if abilities.iter().flatten().all(|known| *known != Ability::Judge) => {
                Response::Error(Failure { id: asked.id, message: "it judges nothing: ask it to execute".to_owned() })
            }
            Ok(Request::Judge(asked)) => Response::Judged(engine.judge(asked).map_err(broken)?),
            Ok(Request::Execute(asked)) => {
                let id = asked.id;
                match engine.execute(&asked) {
                    Ok(answers) => Response::Executed(Executed { id, answers }),
                    Err(why) => Response::Error(Failure { id, message: why.to_string() }),
                }
            }
            Ok(Request::Launch(asked)) => {
                let id = asked.id;
                match engine.launch(asked) {
                    Ok(answers) => Response::Launched(LaunchAnswers { id, answers }),
                    Err(why) => Response::Error(Failure { id, message: why.to_string() }),
                }
            }
            Err(error) => Response::Error(Failure { id: id(&line), message: error.to_string() }),
        };
        match put(&mut output, &response) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            put => put.map_err(ServeError::Output)?,
        }
    }
    Ok(())
}

/// The outcomes of the lines of a request. A line without a verdict is skipped with the reason.
pub(crate) fn judged(engine: &dyn LineJudge, asked: JudgeRequest) -> Judged {
    let address_size = match asked.address_size {
        32 => AddressSize::Bits32,
        64 => AddressSize::Bits64,
        other => {
            let skipped = LineOutcome::Skipped(format!("addresses have 32 or 64 bits, not {other}"));
            return Judged { id: asked.id, outcomes: vec![skipped; asked.lines.len()] };
        }
    };
    let environment = Environment { ptx: asked.ptx, target: asked.target, address_size };
    let Some(scaffold) = asked.scaffold() else {
        let skipped = LineOutcome::Skipped("its module has no such line".to_owned());
        return Judged { id: asked.id, outcomes: vec![skipped; asked.lines.len()] };
    };
    let lines = asked.lines.iter().map(String::as_str).collect();
    let depth = if asked.generate { Depth::Generate } else { Depth::Check };
    let outcomes = engine.judge(&Batch { environment, scaffold, lines, mostly_invalid: false }, depth);
    let said = |outcome| match outcome {
        Outcome::Accepted => LineOutcome::Accepted,
        Outcome::Rejected(why) => LineOutcome::Rejected(why),
        Outcome::Skipped(why) => LineOutcome::Skipped(why),
        Outcome::Crashed(how) => LineOutcome::Skipped(format!("it crashed: {how}")),
        Outcome::TimedOut => LineOutcome::Skipped("it did not answer in time".to_owned()),
    };
    Judged { id: asked.id, outcomes: outcomes.into_iter().map(said).collect() }
}

fn put(output: &mut impl Write, response: &Response) -> io::Result<()> {
    let mut line = serde_json::to_vec(response)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

/// The id of a request that cannot be read; 0 if it has none.
fn id(line: &str) -> u64 {
    let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    let request = value.as_object().and_then(|object| object.values().next());
    request.and_then(|request| request.get("id")?.as_u64()).unwrap_or(0)
}
