//! Batches as requests, and responses as answers.

use std::ops::Range;

use crate::no_code::UNANSWERED;
use crate::protocol::{Ability, ExecuteRequest, JudgeRequest, LineOutcome, Request, Response, SentCase, SentModule};
use crate::{Batch, CaseExecutor as _, Depth, Outcome};
use ptx_exec::kernel;
use ptx_exec::line_case::{Answer, LineCase, Rows};
use ptx_spec::environment::AddressSize;

use super::External;
use super::batch::{Work, middle};
use super::message::line;
use super::process::EngineFault;
use crate::words::shown;

impl EngineFault {
    /// In words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Broke(why) => why.clone(),
            Self::Hung => UNANSWERED.to_owned(),
        }
    }
}

/// Parts of a range, of at most `most` items each.
fn pieces(range: Range<usize>, most: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(most).map(move |start| start..end.min(start + most))
}

/// Lines to judge.
pub(super) struct LineWork<'a> {
    batch: &'a Batch<'a>,
    depth: Depth,
    declarations: String,
    asked: Range<usize>,
    outcomes: Vec<Option<Outcome>>,
}

impl<'a> LineWork<'a> {
    pub(super) fn new(batch: &'a Batch<'a>, depth: Depth) -> Self {
        let outcomes = vec![None; batch.lines.len()];
        Self { batch, depth, declarations: batch.scaffold.declarations(), asked: 0..0, outcomes }
    }
}

impl Work for LineWork<'_> {
    type Answers = Vec<Outcome>;
    const ITEM: &'static str = "line";

    fn requests(&self, most: usize) -> Vec<Range<usize>> {
        let most = if self.batch.scaffold.context.outside() { 1 } else { most };
        pieces(0..self.outcomes.len(), most).collect()
    }

    fn send(&mut self, id: u64, items: &Range<usize>) -> Option<Vec<u8>> {
        self.asked = items.clone();
        let Batch { environment, scaffold, lines, .. } = self.batch;
        let module = scaffold.context.outside().then(|| scaffold.module(environment, "k", &lines[items.clone()]));
        Some(line(&Request::Judge(JudgeRequest {
            id,
            ptx: environment.ptx,
            target: environment.target,
            address_size: match environment.address_size {
                AddressSize::Bits32 => 32,
                AddressSize::Bits64 => 64,
            },
            generate: self.depth == Depth::Generate,
            declarations: self.declarations.clone(),
            lines: lines[items.clone()].iter().map(|&line| line.to_owned()).collect(),
            module: module.map(|(text, line)| SentModule { text, line }),
        })))
    }

    fn part(&self, items: &Range<usize>) -> Option<usize> {
        (items.len() > 1).then(|| middle(items))
    }

    fn take(&mut self, response: Response) -> Result<(), String> {
        let Response::Judged(judged) = response else {
            return Err("it answered a request to judge with something else".to_owned());
        };
        let (given, asked) = (judged.outcomes.len(), self.asked.len());
        if given != asked {
            return Err(format!("it answered with a wrong number of outcomes\n{given} for {asked} lines"));
        }
        for (outcome, said) in self.outcomes[self.asked.clone()].iter_mut().zip(judged.outcomes) {
            *outcome = Some(match said {
                LineOutcome::Accepted => Outcome::Accepted,
                LineOutcome::Rejected(why) => Outcome::Rejected(shown(why)),
                LineOutcome::Skipped(why) => Outcome::Skipped(shown(why)),
            });
        }
        Ok(())
    }

    fn blame(&mut self, item: usize, fault: &EngineFault) {
        self.outcomes[item] = Some(match fault {
            EngineFault::Hung => Outcome::TimedOut,
            EngineFault::Broke(why) => Outcome::Crashed(why.clone()),
        });
    }

    fn skip(&mut self, items: Range<usize>, why: &str) -> usize {
        let count = items.len();
        self.outcomes[items].fill(Some(Outcome::Skipped(why.to_owned())));
        count
    }

    fn answers(self) -> Vec<Outcome> {
        let missing = || Outcome::Skipped("it was not asked about".to_owned());
        self.outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(missing)).collect()
    }
}

/// Rows to execute.
pub(super) struct RowWork<'a> {
    engine: &'a External,
    cases: &'a [LineCase],
    /// The case of each item, and which of its rows it is.
    items: Vec<(usize, usize)>,
    /// The last request: its cases, and the items of their rows.
    sent: Vec<(usize, Vec<usize>)>,
    answers: Vec<Option<Answer>>,
}

impl<'a> RowWork<'a> {
    pub(super) fn new(engine: &'a External, cases: &'a [LineCase]) -> Self {
        let rows = |(at, case): (usize, &LineCase)| (0..case.rows.len()).map(move |row| (at, row));
        let items: Vec<(usize, usize)> = cases.iter().enumerate().flat_map(rows).collect();
        let mut answers = vec![None; items.len()];
        for (answer, &(case, _)) in answers.iter_mut().zip(&items) {
            *answer = engine.executes(&cases[case].environment()).err().map(|why| Answer::Skipped(why.to_string()));
        }
        Self { engine, cases, items, sent: Vec::new(), answers }
    }

    /// The cases of these items, with only these rows.
    fn parts(&self, items: &Range<usize>) -> Vec<(usize, Vec<usize>, LineCase)> {
        let open = items.clone().filter(|&item| self.answers[item].is_none());
        let mut parts: Vec<(usize, Vec<usize>, LineCase)> = Vec::new();
        for item in open {
            let (case, row) = self.items[item];
            let of = &self.cases[case];
            if parts.last().is_none_or(|(last, ..)| *last != case) {
                parts.push((case, Vec::new(), of.with_rows(Rows::new(of.rows.width()), Vec::new())));
            }
            let Some((_, rows, part)) = parts.last_mut() else { continue };
            if of.own_launches.binary_search(&row).is_ok() {
                part.own_launches.push(rows.len());
            }
            part.rows.push(of.rows.row(row));
            rows.push(item);
        }
        parts
    }
}

impl Work for RowWork<'_> {
    type Answers = Vec<Vec<Answer>>;
    const ITEM: &'static str = "row";

    fn requests(&self, most: usize) -> Vec<Range<usize>> {
        pieces(0..self.items.len(), most).collect()
    }

    fn send(&mut self, id: u64, items: &Range<usize>) -> Option<Vec<u8>> {
        let mut parts = self.parts(items);
        let (mut module, mut kernels) = (None, vec![None; parts.len()]);
        if self.engine.can(Ability::Kernels) {
            let cases: Vec<&LineCase> = parts.iter().map(|(.., part)| part).collect();
            let (text, made) = kernel::module(&cases);
            module = Some(text);
            for ((kernel, made), (_, rows, _)) in kernels.iter_mut().zip(made).zip(&parts) {
                match made {
                    Ok(made) => *kernel = Some(made),
                    Err(_) if self.engine.can(Ability::Cases) => {}
                    Err(why) => rows.iter().for_each(|&item| self.answers[item] = Some(Answer::Skipped(why.clone()))),
                }
            }
        }
        if !self.engine.can(Ability::Cases) {
            let mut with = kernels.iter().map(Option::is_some);
            parts.retain(|_| with.next().unwrap_or(false));
            kernels.retain(Option::is_some);
        }
        self.sent.clear();
        let mut cases = Vec::with_capacity(parts.len());
        for ((at, rows, case), kernel) in parts.into_iter().zip(kernels) {
            self.sent.push((at, rows));
            cases.push(SentCase { case, kernel });
        }
        (!cases.is_empty()).then(|| line(&Request::Execute(ExecuteRequest { id, module, cases })))
    }

    /// A rejected module is rejected for all rows, so the request is split between cases.
    fn part(&self, items: &Range<usize>) -> Option<usize> {
        if self.engine.can(Ability::Cases) {
            return (items.len() > 1).then(|| middle(items));
        }
        let (case, _) = self.items.get(middle(items))?;
        let ends = [self.items.partition_point(|(of, _)| of < case), self.items.partition_point(|(of, _)| of <= case)];
        ends.into_iter().find(|end| items.start < *end && *end < items.end)
    }

    fn take(&mut self, response: Response) -> Result<(), String> {
        let Response::Executed(executed) = response else {
            return Err("it answered a request to execute with something else".to_owned());
        };
        let count = |lengths: &mut dyn Iterator<Item = usize>| lengths.collect::<Vec<usize>>();
        let asked = count(&mut self.sent.iter().map(|(_, rows)| rows.len()));
        let given = count(&mut executed.answers.iter().map(Vec::len));
        if asked != given {
            return Err("it answered with a wrong number of rows".to_owned());
        }
        for ((case, rows), answers) in self.sent.iter().zip(executed.answers) {
            for (&item, answer) in rows.iter().zip(answers) {
                let (health, limits) = (&self.engine.health, &self.engine.limits);
                self.answers[item] = Some(match answer {
                    Answer::Returned(returned) => match self.cases[*case].check(&returned) {
                        Ok(()) => {
                            health.valid();
                            Answer::Returned(returned)
                        }
                        Err(why) => {
                            health.invalid(&why, limits.invalid);
                            Answer::Failed(why)
                        }
                    },
                    Answer::Trapped(why) => Answer::Trapped(shown(why)),
                    Answer::Skipped(why) => Answer::Skipped(shown(why)),
                    Answer::Failed(why) => Answer::Failed(shown(why)),
                });
            }
        }
        Ok(())
    }

    fn blame(&mut self, item: usize, fault: &EngineFault) {
        self.answers[item] = Some(Answer::Failed(fault.words()));
    }

    fn skip(&mut self, items: Range<usize>, why: &str) -> usize {
        let mut open = 0;
        for answer in self.answers[items].iter_mut().filter(|answer| answer.is_none()) {
            *answer = Some(Answer::Skipped(why.to_owned()));
            open += 1;
        }
        open
    }

    fn answers(self) -> Vec<Vec<Answer>> {
        let mut answers: Vec<Vec<Answer>> = self.cases.iter().map(|case| Vec::with_capacity(case.rows.len())).collect();
        for ((case, _), answer) in self.items.into_iter().zip(self.answers) {
            answers[case].push(answer.unwrap_or_else(|| Answer::Skipped("it was not asked about".to_owned())));
        }
        answers
    }
}
