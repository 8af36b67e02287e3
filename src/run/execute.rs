//! The executing part of a run: variants in their states, executed row by row and held against the
//! model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Options, Progress};
use crate::case::{self, Tried};
use crate::engine::Engine;
use crate::environment::{AddressSize, Environment, Suffix};
use crate::model::{self, Undefined, Verdict};
use crate::space::{Diagram, Draw, Values, covering, environment_values};
use crate::spec::{Form, Instruction, Spec};
use crate::state::{self, NoState};

/// What an executing engine did.
#[derive(Clone, Debug)]
pub struct ExecutedResult {
    /// The engine's name.
    pub name: String,
    /// Where its cases were executed.
    pub environment: Environment,
    /// By form, in the order of the specification.
    pub forms: Vec<ExecutedForm>,
    /// Rows of which some or all may be anything, by the reason: how many were asked about, and how
    /// many were not.
    pub undefined: BTreeMap<Undefined, [u64; 2]>,
    /// Rows that rest on something inferred, by its name: how many agreed and how many differed.
    pub inferred: BTreeMap<&'static str, [u64; 2]>,
    /// Rows that were not executed, by the reason.
    pub skipped: BTreeMap<String, u64>,
}

/// What became of the rows of one form.
#[derive(Clone, Debug)]
pub struct ExecutedForm {
    /// The form.
    pub id: String,
    /// Its opcode.
    pub instruction: String,
    /// The position of the form in the instruction.
    pub form: usize,
    /// How many variants in how many states there are.
    pub space: u128,
    /// Rows that were tried.
    pub rows: u64,
    /// Those that came out as they must.
    pub agreed: u64,
    /// Those that did not.
    pub differed: u64,
    /// Some of those that did not.
    pub sample: Vec<Values>,
    /// The rows that had been tried when the first one did not.
    pub first: Option<u64>,
}

/// Rows that differ which are kept of a form.
const KEPT: usize = 2000;
/// Cases of a form that are executed before what they say is looked at.
const WAVE: usize = 256;
/// Rows of a form that must trap, for an engine to which each costs a process.
const TRAPS: u64 = 24;

/// The newest environment in which an engine executes: 64 bits, and of one number the plain target.
pub(crate) fn environment(spec: &Spec, engine: &dyn Engine) -> Result<Environment, String> {
    let mut why = format!("{} takes no PTX version and target of the specification", engine.name());
    let plain = spec.isa.targets.iter().rev().filter(|(target, _)| target.suffix == Suffix::Plain);
    for (target, since) in plain {
        for ptx in spec.isa.versions.iter().rev().filter(|ptx| *ptx >= since) {
            let environment = Environment { ptx: *ptx, target: *target, address_size: AddressSize::Bits64 };
            match engine.executes(&environment) {
                Ok(()) => return Ok(environment),
                Err(reason) => why = reason,
            }
        }
    }
    Err(why)
}

/// Executes.
///
/// # Errors
/// Where a text of ours cannot be read.
pub(super) fn execute(
    spec: &Spec,
    engine: &dyn Engine,
    environment: Environment,
    instructions: &[&Instruction],
    options: &Options,
    progress: &Progress,
) -> Result<ExecutedResult, NoState> {
    let mut result = ExecutedResult {
        name: engine.name().to_owned(),
        environment,
        forms: Vec::new(),
        undefined: BTreeMap::new(),
        inferred: BTreeMap::new(),
        skipped: BTreeMap::new(),
    };
    for instruction in instructions.iter().filter(|instruction| model::models(&instruction.name)) {
        let executed = state::executed(spec, instruction);
        for (at, form) in executed.forms.iter().enumerate() {
            let Some(first) = environment_values(form, &environment) else { continue };
            let diagram = Diagram::within(form, None, &first);
            let region = diagram.all().below(&first);
            let mut of_form = ExecutedForm {
                id: form.id.clone(),
                instruction: instruction.name.clone(),
                form: at,
                space: region.count(),
                rows: 0,
                agreed: 0,
                differed: 0,
                sample: Vec::new(),
                first: None,
            };
            let traps = engine.traps_cost().then(|| AtomicU64::new(TRAPS));
            let mut draw = Draw::named(&format!("executed {}", form.id), options.seed);
            // Covering arrays have every pair, and are uniform once they do: as many drawn cases are not.
            let covering = shuffled(covering(&region, 2), &mut draw);
            let cases: Vec<Values> =
                covering.into_iter().flat_map(|case| [draw.variant(&region).unwrap_or_default(), case]).collect();
            for wave in cases.chunks(WAVE) {
                if progress.stop.load(Ordering::Relaxed) {
                    break;
                }
                progress.planned.fetch_add(1, Ordering::Relaxed);
                let rows = with_more_rows(form, &diagram, wave, options.rows, &mut draw);
                let tried = case::execute(spec, engine, form, &rows, traps.as_ref())?;
                for (values, tried) in rows.iter().zip(&tried) {
                    result.tell(&mut of_form, values, tried);
                }
                progress.done.fetch_add(1, Ordering::Relaxed);
                progress.cases.fetch_add(rows.len() as u64, Ordering::Relaxed);
            }
            result.forms.push(of_form);
        }
    }
    Ok(result)
}

/// In an order that does not begin with everything at its first value.
fn shuffled(mut cases: Vec<Values>, draw: &mut Draw) -> Vec<Values> {
    for at in (1..cases.len()).rev() {
        let other = draw.below(at as u128 + 1).and_then(|other| usize::try_from(other).ok());
        cases.swap(at, other.unwrap_or(at));
    }
    cases
}

/// Each case with rows that have the rest of it in common; the rows of a case stand together.
fn with_more_rows(form: &Form, diagram: &Diagram, cases: &[Values], rows: usize, draw: &mut Draw) -> Vec<Values> {
    let first_of_row = state::first_of_row(form);
    let mut all = Vec::with_capacity(cases.len() * rows);
    for case in cases {
        all.push(case.clone());
        let region = diagram.all().below(&case[..first_of_row]);
        for _ in 1..rows {
            let Some(mut row) = draw.variant(&region) else { break };
            state::share_contents(form, case, &mut row);
            all.push(row);
        }
    }
    all
}

impl ExecutedResult {
    fn tell(&mut self, form: &mut ExecutedForm, values: &Values, tried: &Tried) {
        form.rows += 1;
        if let Some(why) = tried.undefined() {
            self.undefined.entry(why).or_default()[usize::from(tried.answer.is_none())] += 1;
        }
        let differs = match &tried.verdict {
            Verdict::Agrees(_) => false,
            Verdict::Differs(_) => true,
            Verdict::Undecided(_) => return,
            Verdict::Skipped(why) => {
                *self.skipped.entry(why.clone()).or_default() += 1;
                return;
            }
        };
        for inference in tried.expectation.inferred.iter() {
            self.inferred.entry(inference.id).or_default()[usize::from(differs)] += 1;
        }
        if differs {
            form.differed += 1;
            form.first = form.first.or(Some(form.rows));
            if form.sample.len() < KEPT {
                form.sample.push(values.clone());
            }
        } else {
            form.agreed += 1;
        }
    }

    /// Rows that came out as they must, or did not.
    pub fn judged(&self) -> u64 {
        self.forms.iter().map(|form| form.agreed + form.differed).sum()
    }

    /// Rows that did not come out as they must.
    pub fn differed(&self) -> u64 {
        self.forms.iter().map(|form| form.differed).sum()
    }
}
