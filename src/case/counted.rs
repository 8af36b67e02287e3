//! What an engine gives, counted: one outcome for each line, one answer for each row.
//!
//! If there are fewer, any line could be the one without, and every result after it would be that of another line. So such
//! a mistake of an engine ends the question, whoever asks.

use super::InternalError;
use crate::engine::{Batch, CaseExecutor, Depth, LineJudge, Outcome};
use crate::line_case::{Answer, LineCase};

/// The outcomes of the lines of a batch, in order.
///
/// # Errors
/// If the engine gives another number of them.
pub fn outcomes(engine: &dyn LineJudge, batch: &Batch<'_>, depth: Depth) -> Result<Vec<Outcome>, InternalError> {
    counted(engine, batch, engine.judge(batch, depth))
}

/// The outcomes of the lines of each batch, in order.
///
/// # Errors
/// If the engine gives another number of them.
pub fn outcomes_of_all(
    engine: &dyn LineJudge,
    batches: &[Batch<'_>],
    depth: Depth,
) -> Result<Vec<Vec<Outcome>>, InternalError> {
    let all = engine.judge_all(batches, depth);
    if all.len() != batches.len() {
        let (id, given, asked) = (engine.id(), all.len(), batches.len());
        return Err(InternalError(format!("{id} gave outcomes for {given} of {asked} batches")));
    }
    batches.iter().zip(all).map(|(batch, outcomes)| counted(engine, batch, outcomes)).collect()
}

fn counted(engine: &dyn LineJudge, batch: &Batch<'_>, outcomes: Vec<Outcome>) -> Result<Vec<Outcome>, InternalError> {
    if outcomes.len() != batch.lines.len() {
        let (id, given, asked) = (engine.id(), outcomes.len(), batch.lines.len());
        return Err(InternalError(format!("{id} gave {given} outcomes for {asked} lines")));
    }
    Ok(outcomes)
}

/// For each case, in order, the answers to its rows.
///
/// # Errors
/// If the engine gives another number of them.
pub fn answers(engine: &dyn CaseExecutor, cases: &[LineCase]) -> Result<Vec<Vec<Answer>>, InternalError> {
    let answers = engine.execute(cases);
    let (given, asked): (Vec<usize>, Vec<usize>) =
        (answers.iter().map(Vec::len).collect(), cases.iter().map(|case| case.rows.len()).collect());
    if given != asked {
        let (id, given, asked) = (engine.id(), given.iter().sum::<usize>(), asked.iter().sum::<usize>());
        return Err(InternalError(format!("{id} gave {given} answers for {asked} rows of {} cases", cases.len())));
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, EngineId};
    use crate::environment::{AddressSize, Environment};
    use crate::line_case::Rows;
    use crate::ptx::Scaffold;

    /// Loses the first line of each batch, and the last row of each case.
    struct Forgetful(EngineId);

    impl Engine for Forgetful {
        fn id(&self) -> &EngineId {
            &self.0
        }
    }

    impl LineJudge for Forgetful {
        fn judge(&self, batch: &Batch<'_>, _: Depth) -> Vec<Outcome> {
            batch.lines.iter().skip(1).map(|_| Outcome::Accepted).collect()
        }
    }

    impl CaseExecutor for Forgetful {
        fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>> {
            let rows = |case: &LineCase| case.rows.iter().skip(1).map(|_| Answer::Trapped(String::new())).collect();
            cases.iter().map(rows).collect()
        }
    }

    #[test]
    fn a_missing_outcome_or_answer_is_not_that_of_the_next_line_or_row() {
        let forgetful = Forgetful("forgetful@1.0".parse().expect("an id"));
        let environment = Environment {
            ptx: "9.0".parse().expect("a version"),
            target: "sm_90".parse().expect("a target"),
            address_size: AddressSize::Bits64,
        };
        let lines = vec!["bar.sync 0;", "bar.sync 1;"];
        let batch = Batch { environment, scaffold: Scaffold::default(), lines, mostly_invalid: false };
        let given = outcomes(&forgetful, &batch, Depth::Check).expect_err("one is missing");
        assert_eq!(given.0, "forgetful@1.0 gave 1 outcomes for 2 lines");
        let mut rows = Rows::new(0);
        rows.push(&[]);
        let case = LineCase {
            ptx: environment.ptx,
            target: environment.target,
            declarations: String::new(),
            line: "bar.sync 0;".to_owned(),
            surface: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            writes: None,
            rows,
            own_launches: Vec::new(),
            variables: Vec::new(),
        };
        let given = answers(&forgetful, &[case]).expect_err("one is missing");
        assert_eq!(given.0, "forgetful@1.0 gave 0 answers for 1 rows of 1 cases");
    }
}
