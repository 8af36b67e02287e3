//! Answers requests one by one.

use std::collections::hash_map::Entry;
use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::answer::{Predicted, TextJudge};
use super::remembered::RememberedDeclarations;
use super::request::JudgeRequestLine;
use ptx_conform::environment::Environment;
use ptx_conform::judge::Judge;
use ptx_conform::spec::Spec;

#[derive(Serialize)]
struct RefusedRequest<'a> {
    error: &'a str,
}

/// Answers requests, and remembers what they have in common.
pub(super) struct Answerer<'s> {
    spec: &'s Spec,
    engine: Option<Predicted>,
    judges: FxHashMap<Environment, Judge<'s>>,
    declarations: RememberedDeclarations,
}

impl<'s> Answerer<'s> {
    pub(super) fn new(spec: &'s Spec, engine: Option<Predicted>) -> Self {
        Self { spec, engine, judges: FxHashMap::default(), declarations: RememberedDeclarations::new() }
    }

    /// Answers a line of the input with a verdict, or with the reason why there is none; `Err` says why the line was not
    /// even kept.
    pub(super) fn answer(&mut self, line: Result<&[u8], String>, out: &mut impl Write) -> io::Result<()> {
        match line {
            Ok(line) => self.judge(line, out)?,
            Err(why) => refuse(&why, out)?,
        }
        out.write_all(b"\n")
    }

    fn judge(&mut self, line: &[u8], out: &mut impl Write) -> io::Result<()> {
        let request = JudgeRequestLine::parse(line);
        let environment = request.as_ref().map_err(Clone::clone).and_then(JudgeRequestLine::environment);
        let (request, environment) = match (request, environment) {
            (Ok(request), Ok(environment)) => (request, environment),
            (Err(why), _) | (_, Err(why)) => return refuse(&why, out),
        };
        let judge = match self.judges.entry(environment) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => match Judge::new(self.spec, &environment) {
                Ok(judge) => place.insert(judge),
                Err(why) => return refuse(&why.to_string(), out),
            },
        };
        let declarations = match self.declarations.read(&request.declarations.0, &self.spec.isa) {
            Ok(declarations) => declarations,
            Err(why) => return refuse(&why, out),
        };
        let judge = TextJudge { spec: self.spec, judge, engine: self.engine.as_ref() };
        match judge.answer(&request.line.0, declarations) {
            Ok(answer) => Ok(serde_json::to_writer(out, &answer)?),
            Err(why) => refuse(&why, out),
        }
    }
}

fn refuse(error: &str, out: &mut impl Write) -> io::Result<()> {
    Ok(serde_json::to_writer(out, &RefusedRequest { error })?)
}
