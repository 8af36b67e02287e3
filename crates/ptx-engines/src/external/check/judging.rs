//! Checks of engines that judge.

use super::session::{Session, some_lines, with_more};
use super::words::{Checked, same, wrong};
use crate::protocol::{LineOutcome, Request, Response};

/// Lines in a large batch.
const LARGE: usize = 2048;

/// Without the words: those may differ.
fn verdict(said: &LineOutcome) -> &'static str {
    match said {
        LineOutcome::Accepted => "accepted",
        LineOutcome::Rejected(_) => "rejected",
        LineOutcome::Skipped(_) => "skipped",
    }
}

pub(super) fn nothing_to_judge(session: &mut Session) -> Checked {
    session.judge(Vec::new()).map(drop)
}

pub(super) fn judges(session: &mut Session) -> Checked {
    session.judge(some_lines()).map(drop)
}

pub(super) fn judges_twice(session: &mut Session) -> Checked {
    let first = session.judge(some_lines())?;
    let second = session.judge(some_lines())?;
    let [first, second] = [first, second].map(|said| said.iter().map(verdict).collect::<Vec<&str>>());
    same("four lines twice", &first, &second, "the same outcomes")
}

pub(super) fn judges_alone(session: &mut Session) -> Checked {
    let together = session.judge(some_lines())?;
    for (line, said) in some_lines().into_iter().zip(&together) {
        let alone = session.judge(vec![line.clone()])?;
        let alone: Vec<&str> = alone.iter().map(verdict).collect();
        same(&line, &[verdict(said)], &alone, "the same outcome among others and alone")?;
    }
    Ok(())
}

pub(super) fn nonsense(session: &mut Session) -> Checked {
    for nonsense in ["?!", "no such instruction;", "suq.\u{fc}\u{1f980}.b32 %r1, [s];"] {
        if session.judge(vec![nonsense.to_owned()])? == [LineOutcome::Accepted] {
            return Err(wrong(nonsense.as_bytes(), "accepted", "rejected or skipped"));
        }
    }
    Ok(())
}

pub(super) fn directives(session: &mut Session) -> Checked {
    let directive = ".func f { ret; }";
    if let LineOutcome::Rejected(why) = session.judge_directive(directive)? {
        return Err(wrong(directive.as_bytes(), &format!("rejected: {why}"), "accepted or skipped"));
    }
    for nonsense in ["?!", ".func { ret; }", ".no_such_directive;"] {
        if session.judge_directive(nonsense)? == LineOutcome::Accepted {
            return Err(wrong(nonsense.as_bytes(), "accepted", "rejected or skipped"));
        }
    }
    Ok(())
}

pub(super) fn judges_many(session: &mut Session) -> Checked {
    let few = session.judge(some_lines())?;
    let many = some_lines().into_iter().cycle().take(LARGE).collect();
    let many = session.judge(many)?;
    let differs = many.iter().zip(few.iter().cycle()).position(|(many, few)| verdict(many) != verdict(few));
    match differs {
        None => Ok(()),
        Some(at) => Err(wrong(
            format!("{LARGE} lines").as_bytes(),
            &format!("`{}` for line {at}", verdict(&many[at])),
            "the same outcomes as in a small batch",
        )),
    }
}

pub(super) fn judges_with_more(session: &mut Session) -> Checked {
    let first = session.judge(some_lines())?;
    let (judge, should) = session.lines(some_lines());
    let id = judge.id;
    let send = with_more(&Request::Judge(judge));
    match session.ask(&send, id, should)? {
        Response::Judged(judged) => {
            let [first, second] = [first, judged.outcomes].map(|said| said.iter().map(verdict).collect::<Vec<&str>>());
            same("a request with the field `later`", &first, &second, "the same outcomes as without")
        }
        _ => Err(wrong(&send, "another response", should)),
    }
}
