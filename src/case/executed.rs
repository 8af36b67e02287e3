//! Cases that are executed: what an engine makes of their rows, held against the model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::engine::Engine;
use crate::execution::{Answer, Execution, Rows};
use crate::model::{self, Expectation, Undefined, Verdict};
use crate::space::Values;
use crate::spec::{Form, Spec};
use crate::state::{self, NoState};

/// A row that was executed, or not, and why.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What must come of it.
    pub expectation: Expectation,
    /// What came of it; none where it was not asked about.
    pub answer: Option<Answer>,
    /// Whether that is allowed.
    pub verdict: Verdict,
}

/// Executions that go to an engine together.
const TOGETHER: usize = 64;

/// Executes rows: one result for each, in order. Those that have all but the choices of a row in
/// common are of one execution.
///
/// Rows of which anything may come, the end of their kernel as well, are not asked about. Where
/// `traps` is given, so many rows that must trap are, and no more.
///
/// # Errors
/// Where a text of ours cannot be read.
pub fn execute(
    spec: &Spec,
    engine: &dyn Engine,
    form: &Form,
    rows: &[Values],
    traps: Option<&AtomicU64>,
) -> Result<Vec<Tried>, NoState> {
    let mut groups: BTreeMap<Values, Vec<usize>> = BTreeMap::new();
    for (at, values) in rows.iter().enumerate() {
        groups.entry(state::common(form, values)).or_default().push(at);
    }
    let groups: Vec<Vec<usize>> = groups.into_values().collect();
    let tried: Result<Vec<Vec<(usize, Tried)>>, NoState> =
        groups.par_chunks(TOGETHER).map(|groups| together(spec, engine, form, rows, groups, traps)).collect();
    let mut tried: Vec<(usize, Tried)> = tried?.into_iter().flatten().collect();
    tried.sort_by_key(|(at, _)| *at);
    Ok(tried.into_iter().map(|(_, tried)| tried).collect())
}

fn together(
    spec: &Spec,
    engine: &dyn Engine,
    form: &Form,
    rows: &[Values],
    groups: &[Vec<usize>],
    traps: Option<&AtomicU64>,
) -> Result<Vec<(usize, Tried)>, NoState> {
    let mut tried = Vec::new();
    let mut asked: Vec<(Execution, Vec<(usize, Expectation)>)> = Vec::new();
    for group in groups {
        let of: Vec<&[u8]> = group.iter().map(|&at| rows[at].as_slice()).collect();
        let mut execution = state::execution(spec, form, &of)?;
        let expectations = expect(spec, &execution)?;
        let mut kept = Rows::new(execution.rows.width());
        let mut of_kept = Vec::new();
        for ((&at, expectation), row) in group.iter().zip(expectations).zip(execution.rows.iter()) {
            let not = match expectation.allowed {
                model::Allowed::Any(why) if expectation.may_trap() => Some(Verdict::Undecided(why)),
                _ if expectation.may_trap() && !allowed(traps) => {
                    Some(Verdict::Skipped("it must trap, and enough others were seen to".to_owned()))
                }
                _ => None,
            };
            if let Some(verdict) = not {
                tried.push((at, Tried { expectation, answer: None, verdict }));
                continue;
            }
            if expectation.may_trap() {
                execution.alone.push(kept.len());
            }
            kept.push(row);
            of_kept.push((at, expectation));
        }
        execution.rows = kept;
        if !of_kept.is_empty() {
            asked.push((execution, of_kept));
        }
    }
    let executions: Vec<Execution> = asked.iter().map(|(execution, _)| execution.clone()).collect();
    let mut answers = engine.execute(&executions).into_iter();
    for (execution, rows) in asked {
        let mut answers = answers.next().unwrap_or_default().into_iter();
        for (at, expectation) in rows {
            let answer = answers.next().unwrap_or_else(|| Answer::Failed("there is no answer".to_owned()));
            let verdict = expectation.check(&execution, &answer);
            tried.push((at, Tried { expectation, answer: Some(answer), verdict }));
        }
    }
    Ok(tried)
}

/// What must come of each row.
fn expect(spec: &Spec, execution: &Execution) -> Result<Vec<Expectation>, NoState> {
    let prepared = model::prepare(spec, execution).map_err(|why| NoState::of(execution, &why))?;
    Ok(prepared.all(&execution.rows).collect())
}

/// Takes one off what is allowed; without a limit all is.
fn allowed(limit: Option<&AtomicU64>) -> bool {
    let less = |left: u64| left.checked_sub(1);
    limit.is_none_or(|limit| limit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok())
}

/// What an executed case is known by: a hash of what it is, whatever made it.
pub fn execution_id(execution: &Execution) -> String {
    let text = serde_json::to_string(execution).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

impl Tried {
    /// Why some or all of it may be anything.
    pub fn undefined(&self) -> Option<Undefined> {
        match &self.verdict {
            Verdict::Undecided(why) => Some(*why),
            Verdict::Agrees(why) => *why,
            _ => None,
        }
    }
}
