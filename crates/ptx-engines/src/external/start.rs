//! Starts an engine's process and lets it introduce itself.

use super::message::{hello, ping, response};
use super::process::{EngineFault, Process, excerpt};
use super::{EngineLimits, Error};
use crate::EngineId;
use crate::no_code::UNANSWERED;
use crate::protocol::{About, PROTOCOL, Response};
use crate::words::shown;

/// The words of a command line, split like a shell.
pub(super) fn words(command: &str) -> Result<Vec<String>, Error> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    words.ok_or_else(|| Error::Command(command.to_owned()))
}

/// A command line as an argument of the shell.
pub(super) fn quoted(command: &str) -> String {
    let engine = format!("exec:{command}");
    // Only a text with a zero byte cannot be quoted, and no command line has one.
    shlex::try_quote(&engine).map(std::borrow::Cow::into_owned).unwrap_or(engine.clone())
}

/// The reason why a process cannot be used as an engine.
pub(super) enum Unusable {
    /// It did not start.
    Start(String),
    /// It did not introduce itself.
    Hello(String),
}

/// Starts an engine and asks for `hello`.
pub(super) fn start(words: &[String], limits: &EngineLimits) -> Result<(Process, About, EngineId), Unusable> {
    let mut process = Process::start(words, limits.memory).map_err(|error| Unusable::Start(error.to_string()))?;
    let why = |fault: EngineFault, of: &str| match fault {
        EngineFault::Broke(why) => format!("{of}: {why}"),
        EngineFault::Hung => format!("{of}: {UNANSWERED}"),
    };
    let said = process.exchange(&hello(), 1, limits.start, limits.response);
    let said = said.map_err(|fault| Unusable::Hello(why(fault, "asked for `hello`")))?;
    let (about, id) = introduced(&said.concat()).map_err(Unusable::Hello)?;
    let said = process.exchange(&ping(0), 1, limits.request, limits.response);
    let said = said.map_err(|fault| Unusable::Hello(why(fault, "asked to execute nothing")))?;
    match response(&said.concat()).map_err(Unusable::Hello)?.id() {
        Some(0) => Ok((process, about, id)),
        _ => Err(Unusable::Hello("asked with id 0 to execute nothing, it did not answer with that id".to_owned())),
    }
}

/// Reads a hello.
pub(super) fn introduced(line: &[u8]) -> Result<(About, EngineId), String> {
    let about = match response(line)? {
        Response::Hello(about) => about,
        _ => return Err(format!("it answered `hello` with {}", excerpt(line))),
    };
    if about.protocol != PROTOCOL {
        return Err(format!("it speaks version {} of the protocol; this is version {PROTOCOL}", about.protocol));
    }
    let mut about = about;
    let texts = std::mem::take(&mut about.details).into_iter();
    about.details = texts.map(|(key, value)| (shown(key), shown(value))).collect();
    let id = EngineId::new(&about.name, &about.version).map_err(|why| why.to_string())?;
    if !about.version.contains('.') {
        return Err(format!(
            "its version is `{}`; write two or more numbers with dots between them, such as 1.0",
            about.version
        ));
    }
    Ok((about, id))
}
