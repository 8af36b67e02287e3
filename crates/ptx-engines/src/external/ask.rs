//! Asks about a batch, request by request, until each of its items has an answer.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::protocol::Response;

use super::batch::{Work, middle};
use super::guilty::{PartedRequests, key};
use super::process::{EngineFault, Process};
use super::{External, message};
use crate::child::interrupted;
use crate::words::visible;

/// Failures of several items together without a cause among them, after which an engine is abandoned.
const UNEXPLAINED: u32 = 16;

/// The result of a request.
enum RequestEnd {
    Answers,
    /// The engine answered with an error.
    Refused(String),
    Fault(EngineFault),
}

/// How much went wrong with one batch.
#[derive(Default)]
struct Trouble {
    faults: u32,
    refusals: u32,
    blamed: usize,
    /// True if it hung: the search for the cause then uses shorter time limits.
    hung: bool,
    /// The first fault of several items together: how many, and what happened.
    together: Option<(usize, String)>,
}

/// Asks until each item has an answer, or the engine is abandoned.
pub(super) fn ask<W: Work>(engine: &External, mut work: W) -> W::Answers {
    let requests = work.requests(engine.limits.items.max(1));
    let PartedRequests { mut requests, known } = engine.guilt.part(&mut work, requests);
    requests.reverse();
    let mut asking =
        Asking { engine, work, requests, known, trouble: Trouble::default(), process: None, given_up: None };
    while let Some(items) = asking.requests.pop() {
        asking.step(items);
    }
    asking.finish()
}

/// A batch that is asked about.
struct Asking<'a, W> {
    engine: &'a External,
    work: W,
    /// The requests that are left, the next one last.
    requests: Vec<Range<usize>>,
    /// How many of them are of one item that is known to fail; they are asked last.
    known: usize,
    trouble: Trouble,
    /// The process that was asked last, and whether it did nothing else so far.
    process: Option<(Process, bool)>,
    /// The reason why the rest of the batch is skipped.
    given_up: Option<String>,
}

impl<W: Work> Asking<'_, W> {
    fn step(&mut self, items: Range<usize>) {
        let engine = self.engine;
        let given_up = || engine.health.given_up().map(|why| format!("{} was abandoned: {why}", engine.id));
        if let Some(why) = self.given_up.clone().or_else(given_up) {
            return self.lose(items, &why);
        }
        let key = if self.requests.len() < self.known { key(&mut self.work, items.start) } else { None };
        let id = engine.id();
        let Some(line) = self.work.send(id, &items) else { return };
        let (mut asked, new) = match self.next_process() {
            Ok(asked) => asked,
            Err(why) => {
                // The next step counts these items as lost, like all that are left.
                self.given_up = Some(why);
                return self.requests.push(items);
            }
        };
        let started = Instant::now();
        let time = self.time(items.len(), new);
        match request(engine, &mut asked, (id, &line), time, &mut self.work) {
            RequestEnd::Answers => {
                engine.health.answered(started.elapsed());
                engine.guilt.answered(id, &line, time);
                if let Some(key) = key {
                    engine.guilt.cleared(&key);
                }
                self.keep(asked);
            }
            RequestEnd::Refused(why) => {
                engine.health.answered(started.elapsed());
                self.keep(asked);
                self.refused(items, &why);
            }
            RequestEnd::Fault(_) if interrupted() => {
                let why = format!("{} was interrupted", engine.id);
                self.lose(items, &why);
                self.given_up = Some(why);
            }
            RequestEnd::Fault(fault) => {
                drop(asked);
                self.fault(&fault, started.elapsed());
                self.failed(items, &fault, new);
            }
        }
    }

    /// The process for the next request, and whether it did nothing else so far. An item that is known to fail has one of
    /// its own at once.
    fn next_process(&mut self) -> Result<(Process, bool), String> {
        if self.requests.len() < self.known {
            return self.engine.fresh().map(|process| (process, true));
        }
        self.process.take().map_or_else(|| self.engine.process(), Ok)
    }

    /// Keeps a process for the next request, unless there is one.
    fn keep(&mut self, process: Process) {
        self.process.get_or_insert((process, false));
    }

    /// Counts a failure. Many in a row may be due to what is asked: only an engine that also fails on what it answered
    /// before is abandoned for them.
    fn fault(&mut self, fault: &EngineFault, time: Duration) {
        let (engine, limits) = (self.engine, &self.engine.limits);
        if *fault == EngineFault::Hung {
            engine.health.hung(time, limits.patience);
        }
        let words = fault.words();
        let in_a_row = engine.health.failed_again(&words, limits.failures_in_all);
        if in_a_row >= limits.failures && engine.health.given_up().is_none() {
            match answers_again(engine) {
                true => engine.health.recovered(),
                false => engine.health.give_up(&format!("it failed {in_a_row} times in a row, the last time: {words}")),
            }
        }
    }

    /// How long a request may take. A line or row is blamed only after the whole time.
    fn time(&self, items: usize, new: bool) -> Duration {
        let limits = &self.engine.limits;
        // More items than a u32 counts have all the time that there is.
        let items_time =
            limits.per_item.saturating_mul(u32::try_from(items).unwrap_or(u32::MAX).saturating_mul(self.work.weight()));
        let whole = limits.request.saturating_add(items_time);
        let searching = self.trouble.hung && !(items == 1 && new);
        if searching { self.engine.health.search_time(whole) } else { whole }
    }

    fn part(&mut self, items: Range<usize>, at: usize) {
        // The last request is the next one: the first part comes first.
        self.requests.extend([at..items.end, items.start..at]);
    }

    /// The engine says that it cannot answer a request.
    fn refused(&mut self, items: Range<usize>, why: &str) {
        let part = self.work.part(&items);
        // Each time that a case is found to be refused alone, the search for the next one begins.
        self.trouble.refusals = if part.is_some() { self.trouble.refusals + 1 } else { 0 };
        match part.filter(|_| self.trouble.refusals <= self.engine.limits.faults) {
            Some(at) => self.part(items, at),
            None => self.lose(items, &format!("{}: {}", self.engine.id, visible(why))),
        }
    }

    fn failed(&mut self, items: Range<usize>, fault: &EngineFault, new: bool) {
        let (engine, trouble) = (self.engine, &mut self.trouble);
        trouble.faults += 1;
        trouble.hung |= *fault == EngineFault::Hung;
        if trouble.faults >= engine.limits.faults {
            let times = trouble.faults;
            let words = fault.words();
            self.given_up.get_or_insert_with(|| {
                format!("{} was abandoned on one batch after {times} failures, the last one: {words}", engine.id)
            });
        }
        if items.len() > 1 {
            trouble.together.get_or_insert_with(|| (items.len(), fault.words()));
            let middle = middle(&items);
            self.part(items, middle);
        } else if new {
            trouble.blamed += 1;
            let new = engine.guilt.found(&mut self.work, items.start, fault);
            if *fault == EngineFault::Hung {
                engine.health.hung_alone(new, engine.limits.hangs);
            }
            self.work.blame(items.start, fault);
        } else {
            // An earlier request may be the cause, so it is asked once more in a fresh process.
            match engine.fresh() {
                Ok(fresh) => self.process = Some((fresh, true)),
                Err(why) => self.given_up = Some(why),
            }
            self.requests.push(items);
        }
    }

    /// Counts items that have no answer because the engine failed.
    fn lose(&mut self, items: Range<usize>, why: &str) {
        let lost = self.work.skip(items, why);
        self.engine.health.lost(why.lines().next().unwrap_or_default(), lost);
    }

    fn finish(self) -> W::Answers {
        let engine = self.engine;
        if let Some((process, _)) = self.process {
            engine.release(process);
        }
        if let (0, Some((items, why)), None) = (self.trouble.blamed, self.trouble.together, self.given_up) {
            let what = W::ITEM;
            let note = format!("{} failed on {items} {what}s together, but on none of them alone: {why}", engine.id);
            engine.health.unexplained(note, UNEXPLAINED);
        }
        self.work.answers()
    }
}

/// Asks about items. Stores the answers.
fn request(
    engine: &External,
    process: &mut Process,
    (id, line): (u64, &[u8]),
    time: Duration,
    work: &mut impl Work,
) -> RequestEnd {
    match exchange(engine, process, (id, line), time) {
        Ok(Response::Error(failure)) => RequestEnd::Refused(failure.message),
        Ok(response) => match work.take(response) {
            Ok(()) => RequestEnd::Answers,
            Err(why) => RequestEnd::Fault(process.broke(&why)),
        },
        Err(fault) => RequestEnd::Fault(fault),
    }
}

/// True if a new process answers what an earlier one answered.
fn answers_again(engine: &External) -> bool {
    let Some(control) = engine.guilt.control() else { return false };
    let Ok(mut process) = engine.fresh() else { return false };
    let answer = exchange(engine, &mut process, (control.id, &control.line), control.time);
    matches!(answer, Ok(response) if !matches!(response, Response::Error(_)))
}

/// Sends a request, and then a request for nothing: once that is answered, later output cannot belong to
/// the first.
fn exchange(
    engine: &External,
    process: &mut Process,
    (id, line): (u64, &[u8]),
    time: Duration,
) -> Result<Response, EngineFault> {
    let after = engine.id();
    let lines = [line, &message::ping(after)].concat();
    let said = process.exchange(&lines, 2, time, engine.limits.response)?;
    let mut responses = Vec::with_capacity(2);
    for (said, id) in said.iter().zip([id, after]) {
        match message::response(said) {
            Err(why) => return Err(process.broke(&why)),
            Ok(response) if response.id() != Some(id) => {
                let other = response.id().map_or("a hello".to_owned(), |id| format!("a response to {id}"));
                // Ids of requests differ from run to run, so they go on a separate line.
                return Err(process.broke(&format!("it answered another request\nasked for {id}, got {other}")));
            }
            Ok(response) => responses.push(response),
        }
    }
    responses.into_iter().next().ok_or_else(|| process.broke("it did not answer"))
}
