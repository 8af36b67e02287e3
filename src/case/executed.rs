//! Cases that are executed: what an engine makes of their rows, held against the model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::engine::CaseExecutor;
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

/// How many rows may be asked about that can end their kernel, in all.
#[derive(Debug, Default)]
pub struct Costly {
    /// Those that must trap; any number where there is none.
    pub traps: Option<AtomicU64>,
    /// Those of which anything may come.
    pub undefined: AtomicU64,
}

/// An execution to ask about, and which rows of those given it has.
#[derive(Debug)]
pub struct Asking {
    /// The execution.
    pub execution: Execution,
    /// For each of its rows, the position among those given, and what must come of it.
    pub rows: Vec<(usize, Expectation)>,
}

/// Executes rows: one result for each, in order. Those that have all but the choices of a row in
/// common are of one execution.
///
/// # Errors
/// Where a text of ours cannot be read.
pub fn execute(
    spec: &Spec,
    engine: &dyn CaseExecutor,
    form: &Form,
    rows: &[Values],
    costly: &Costly,
) -> Result<Vec<Tried>, NoState> {
    let tried: Result<Vec<Vec<(usize, Tried)>>, NoState> = groups(form, rows)
        .par_chunks(TOGETHER)
        .map(|groups| {
            let (asked, mut tried) = asking(spec, form, rows, groups, costly)?;
            let (executions, asked): (Vec<Execution>, Vec<_>) =
                asked.into_iter().map(|asking| (asking.execution, asking.rows)).unzip();
            let mut answers = engine.execute(&executions).into_iter();
            for (execution, rows) in executions.iter().zip(asked) {
                let mut answers = answers.next().unwrap_or_default().into_iter();
                for (at, expectation) in rows {
                    let answer = answers.next().unwrap_or_else(|| Answer::Failed("there is no answer".to_owned()));
                    let verdict = expectation.check(execution, &answer);
                    tried.push((at, Tried { expectation, answer: Some(answer), verdict }));
                }
            }
            Ok(tried)
        })
        .collect();
    let mut tried: Vec<(usize, Tried)> = tried?.into_iter().flatten().collect();
    tried.sort_by_key(|(at, _)| *at);
    Ok(tried.into_iter().map(|(_, tried)| tried).collect())
}

/// The executions of rows, without those of which too many would be costly.
///
/// # Errors
/// Where a text of ours cannot be read.
pub fn executions(spec: &Spec, form: &Form, rows: &[Values], costly: &Costly) -> Result<Vec<Asking>, NoState> {
    asking(spec, form, rows, &groups(form, rows), costly).map(|(asking, _)| asking)
}

/// The positions of rows that can be of one execution.
fn groups(form: &Form, rows: &[Values]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Values, Vec<usize>> = BTreeMap::new();
    for (at, values) in rows.iter().enumerate() {
        groups.entry(state::common(form, values)).or_default().push(at);
    }
    groups.into_values().collect()
}

/// Rows that are not asked about, and why.
type Left = Vec<(usize, Tried)>;

fn asking(
    spec: &Spec,
    form: &Form,
    rows: &[Values],
    groups: &[Vec<usize>],
    costly: &Costly,
) -> Result<(Vec<Asking>, Left), NoState> {
    let mut left = Vec::new();
    let mut asked: Vec<Asking> = Vec::new();
    for group in groups {
        let of: Vec<&[u8]> = group.iter().map(|&at| rows[at].as_slice()).collect();
        let mut execution = state::execution(spec, form, &of)?;
        let expectations = expect(spec, &execution)?;
        let mut kept = Rows::new(execution.rows.width());
        let mut of_kept = Vec::new();
        for ((&at, expectation), row) in group.iter().zip(expectations).zip(execution.rows.iter()) {
            if let Some(verdict) = costly.refuse(&expectation) {
                left.push((at, Tried { expectation, answer: None, verdict }));
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
            asked.push(Asking { execution, rows: of_kept });
        }
    }
    Ok((asked, left))
}

impl Costly {
    /// Why a row is not asked about.
    fn refuse(&self, expectation: &Expectation) -> Option<Verdict> {
        let less = |left: u64| left.checked_sub(1);
        let take = |of: &AtomicU64| of.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        match expectation.allowed {
            _ if !expectation.may_trap() => None,
            model::Allowed::Any(why) => (!take(&self.undefined)).then_some(Verdict::Undecided(why)),
            _ if self.traps.as_ref().is_none_or(take) => None,
            _ => Some(Verdict::Skipped("it must trap, and enough others were asked about".to_owned())),
        }
    }
}

/// What must come of each row.
fn expect(spec: &Spec, execution: &Execution) -> Result<Vec<Expectation>, NoState> {
    let prepared = model::prepare(spec, execution).map_err(|why| NoState::of(execution, &why))?;
    Ok(prepared.all(&execution.rows).collect())
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
