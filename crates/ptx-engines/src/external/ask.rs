//! A batch is asked about, request by request, until each of its items has an answer.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::protocol::Response;

use super::External;
use super::process::{Fault, Process};

/// Items to be asked about, and their answers.
pub(super) trait Work {
    /// What is answered in the end.
    type Answers;
    /// `line` or `row`
    const ITEM: &'static str;
    /// The requests to begin with, of at most so many items each, in order.
    fn requests(&self, most: usize) -> Vec<Range<usize>>;
    /// The line to send; none where nothing is left to ask about these items.
    fn send(&mut self, id: u64, items: &Range<usize>) -> Option<Vec<u8>>;
    /// Where to part items that the engine says it cannot answer; none where it cannot answer any of
    /// them.
    fn part(&self, items: &Range<usize>) -> Option<usize>;
    /// Takes the answers to what was sent last.
    fn take(&mut self, response: Response) -> Result<(), String>;
    /// An item failed alone.
    fn blame(&mut self, item: usize, fault: &Fault);
    /// Items are not asked about, and why.
    fn skip(&mut self, items: Range<usize>, why: &str);
    fn answers(self) -> Self::Answers;
}

/// What came of a request.
enum Came {
    Answers,
    /// The engine says that it cannot answer it.
    Refused(String),
    Fault(Fault),
}

/// How much went wrong with one batch.
#[derive(Default)]
struct Losses {
    faults: u32,
    refusals: u32,
    blamed: usize,
    time: Duration,
    /// The first fault of several items together: how many, and what happened.
    together: Option<(usize, String)>,
}

/// The one in the middle.
pub(super) fn middle(items: &Range<usize>) -> usize {
    items.start + items.len() / 2
}

pub(super) fn ask<W: Work>(engine: &External, mut work: W) -> W::Answers {
    let limits = &engine.limits;
    let mut requests = work.requests(limits.items.max(1));
    requests.reverse();
    let mut losses = Losses::default();
    let mut process: Option<(Process, bool)> = None;
    let mut given_up: Option<String> = None;
    while let Some(items) = requests.pop() {
        if let Some(why) = &given_up {
            work.skip(items, why);
            continue;
        }
        let id = engine.id();
        let Some(line) = work.send(id, &items) else { continue };
        let (mut asked, new) = match process.take().map_or_else(|| engine.process(), Ok) {
            Ok(asked) => asked,
            Err(why) => {
                given_up = Some(why);
                requests.push(items);
                continue;
            }
        };
        let started = Instant::now();
        let parts = |items: Range<usize>, at: usize| [at..items.end, items.start..at];
        match request(engine, &mut asked, id, line, items.len(), &mut work) {
            Came::Answers => process = Some((asked, false)),
            Came::Refused(why) => {
                process = Some((asked, false));
                losses.refusals += 1;
                match work.part(&items).filter(|_| losses.refusals <= limits.faults) {
                    Some(at) => requests.extend(parts(items, at)),
                    None => work.skip(items, &format!("{}: {why}", engine.id)),
                }
            }
            Came::Fault(fault) => {
                drop(asked);
                losses.faults += 1;
                losses.time += started.elapsed();
                if items.len() > 1 {
                    losses.together.get_or_insert_with(|| (items.len(), fault.words()));
                    let middle = middle(&items);
                    requests.extend(parts(items, middle));
                } else if new {
                    losses.blamed += 1;
                    work.blame(items.start, &fault);
                } else {
                    // It may have been something before: once more, in a process that did nothing else.
                    match engine.fresh() {
                        Ok(fresh) => process = Some((fresh, true)),
                        Err(why) => given_up = Some(why),
                    }
                    requests.push(items);
                }
                if losses.faults >= limits.faults || losses.time > limits.patience {
                    let words = fault.words();
                    given_up.get_or_insert_with(|| {
                        let times = losses.faults;
                        format!(
                            "{} was given up after it failed {times} times on one batch, the last time: {words}",
                            engine.id
                        )
                    });
                }
            }
        }
    }
    if let Some((process, _)) = process {
        engine.release(process);
    }
    if let (0, Some((items, why)), None) = (losses.blamed, losses.together, given_up) {
        let what = W::ITEM;
        engine.note(format!("{} failed on {items} {what}s together, and on none of them alone: {why}", engine.id));
    }
    work.answers()
}

/// One request, and a request for nothing behind it: once that is answered, nothing that the engine
/// says or does can be due to the first.
fn request(
    engine: &External,
    process: &mut Process,
    id: u64,
    mut line: Vec<u8>,
    items: usize,
    work: &mut impl Work,
) -> Came {
    let limits = &engine.limits;
    let after = engine.id();
    line.extend(super::ping(after));
    let time = limits.request.saturating_add(limits.per_item.saturating_mul(u32::try_from(items).unwrap_or(u32::MAX)));
    let said = match process.exchange(&line, 2, time, limits.response) {
        Ok(said) => said,
        Err(fault) => return Came::Fault(fault),
    };
    let mut responses = Vec::with_capacity(2);
    for (said, id) in said.iter().zip([id, after]) {
        match super::response(said) {
            Err(why) => return Came::Fault(process.broke(&why)),
            Ok(response) if response.id() != Some(id) => {
                let other = response.id().map_or("a hello".to_owned(), |id| format!("a response to {id}"));
                // Numbers of requests differ from run to run: they come on a line of their own.
                return Came::Fault(
                    process.broke(&format!("it answered another request\nasked for {id}, got {other}")),
                );
            }
            Ok(response) => responses.push(response),
        }
    }
    match responses.into_iter().next() {
        Some(Response::Error(failure)) => Came::Refused(failure.message),
        Some(response) => match work.take(response) {
            Ok(()) => Came::Answers,
            Err(why) => Came::Fault(process.broke(&why)),
        },
        None => Came::Fault(process.broke("it did not answer")),
    }
}
