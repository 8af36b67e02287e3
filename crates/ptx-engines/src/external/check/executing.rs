//! Checks of engines that execute.

use super::session::{Session, with_more};
use super::words::{Checked, same};
use crate::protocol::Request;
use ptx_exec::line_case::{Answer, LineCase, Rows};
use ptx_spec::must::Must as _;

pub(super) fn executes(session: &mut Session) -> Checked {
    let cases = session.cases()?;
    session.execute(&cases).map(drop)
}

/// An answer without its words.
fn came(answer: &Answer) -> String {
    match answer {
        Answer::Returned(returned) => serde_json::to_string(returned).must("an answer was read from JSON"),
        Answer::Trapped(_) => "trapped".to_owned(),
        Answer::Skipped(_) => "skipped".to_owned(),
        Answer::Failed(_) => "failed".to_owned(),
    }
}

fn same_answers(cases: &[LineCase], first: &[Vec<Answer>], second: &[Vec<Answer>], should: &str) -> Checked {
    for (case, (first, second)) in cases.iter().zip(first.iter().zip(second)) {
        for (row, (first, second)) in first.iter().zip(second).enumerate() {
            let what = format!("`{}`, row {row}", case.line);
            same(&what, &[&came(first)], &[&came(second)], should)?;
        }
    }
    Ok(())
}

pub(super) fn executes_twice(session: &mut Session) -> Checked {
    let cases = session.cases()?;
    let first = session.execute(&cases)?;
    let second = session.execute(&cases)?;
    same_answers(&cases, &first, &second, "the same answer")
}

pub(super) fn executes_alone(session: &mut Session) -> Checked {
    let cases = session.cases()?;
    let together = session.execute(&cases)?;
    for (case, answers) in cases.iter().zip(&together) {
        for (row, answer) in case.rows.iter().zip(answers) {
            let mut rows = Rows::new(row.len());
            rows.push(row);
            let alone = [case.with_rows(rows, Vec::new())];
            let answered = session.execute(&alone)?;
            same_answers(&alone, &[vec![answer.clone()]], &answered, "the same answer among others and alone")?;
        }
    }
    Ok(())
}

pub(super) fn executes_with_more(session: &mut Session) -> Checked {
    let cases = session.cases()?;
    let first = session.execute(&cases)?;
    let execute = session.request(&cases);
    let id = execute.id;
    let second = session.executed(&with_more(&Request::Execute(execute)), id, &cases)?;
    same_answers(&cases, &first, &second, "the same answer as without the field `later`")
}
