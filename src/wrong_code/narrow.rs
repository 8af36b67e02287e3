//! The fewest of the lines of a suspect that are still compiled wrong.

use ptx_kernels::{ChainAnswer, ChainComparison, ChainRows, ChainText, FlowSlice, compare, compare_alone};

use super::suspects::{SuspectPlace, rows};

/// A suspect that is compiled wrong.
pub(super) struct FailingSuspect<'f> {
    place: SuspectPlace<'f>,
    pub(super) slice: FlowSlice,
    pub(super) rows: ChainRows,
    pub(super) answer: ChainAnswer,
    /// Its lines, by their positions among those of the suspect.
    pub(super) kept: Vec<usize>,
    /// True if no fewer lines are to be tried.
    done: bool,
}

/// A part of a suspect that is tried: its positions, and its chain with rows.
type TriedPart = (Vec<usize>, FlowSlice, ChainRows);

/// The most suspects that are narrowed: of more, all lines are shown.
const NARROWED: usize = 256;

impl<'f> FailingSuspect<'f> {
    pub(super) fn new(place: SuspectPlace<'f>, rows: ChainRows, answer: ChainAnswer) -> Self {
        let slice = place.suspect.slice.clone();
        let kept = (0..slice.lines.len()).collect();
        Self { place, slice, rows, answer, kept, done: false }
    }

    /// The parts of this many lines of which each but the last feeds another.
    fn parts(&self, size: usize) -> Vec<TriedPart> {
        let lines = &self.place.suspect.slice.lines;
        let flow = &self.place.body.flow;
        let feeds = |part: &[usize], at: usize| {
            part.iter().any(|other| *other > at && flow.before(lines[*other]).contains(&lines[at]))
        };
        let mut found = Vec::new();
        for mask in 1_u32..1 << lines.len().min(12) {
            let part: Vec<usize> = (0..lines.len()).filter(|at| mask >> at & 1 == 1).collect();
            let is_whole = part.len() == size && part[..size - 1].iter().all(|at| feeds(&part, *at));
            if !is_whole {
                continue;
            }
            let of_part: Vec<usize> = part.iter().map(|at| lines[*at]).collect();
            if let Some(slice) = flow.slice(&of_part) {
                let rows = rows(&slice.chain, &self.place.suspect.values);
                found.push((part, slice, rows));
            }
        }
        found
    }
}

/// The same suspects with as few lines as still fail in the same way.
pub(super) fn narrowed<'f>(of: &ChainComparison<'_>, mut failing: Vec<FailingSuspect<'f>>) -> Vec<FailingSuspect<'f>> {
    failing.iter_mut().skip(NARROWED).for_each(|of| of.done = true);
    let longest = failing.iter().map(|of| of.kept.len()).max().unwrap_or_default();
    for size in 1..longest {
        let tried: Vec<Vec<TriedPart>> = failing
            .iter()
            .map(|of| if of.done || of.kept.len() <= size { Vec::new() } else { of.parts(size) })
            .collect();
        let texts: Vec<ChainText> = tried.iter().flatten().map(|(_, slice, _)| ChainText::from(&slice.chain)).collect();
        let all: Vec<(&ChainText, &ChainRows)> =
            texts.iter().zip(tried.iter().flatten().map(|(.., rows)| rows)).collect();
        // What kills an assembler would kill it for the others as well.
        let deadly = failing.iter().any(|of| matches!(of.answer, ChainAnswer::Failed(_)));
        let mut answers = if deadly { compare_alone(of, &all) } else { compare(of, &all) }.into_iter();
        for (of, tried) in failing.iter_mut().zip(tried) {
            // All are taken, so that the next suspect gets its own.
            let answers: Vec<ChainAnswer> = answers.by_ref().take(tried.len()).collect();
            let mut same = tried.into_iter().zip(answers).filter(|(_, now)| is_same(&of.answer, now));
            if let Some(((kept, slice, rows), answer)) = same.next() {
                of.done = true;
                (of.kept, of.slice, of.rows, of.answer) = (kept, slice, rows, answer);
            }
        }
    }
    failing
}

/// True if a part fails as the whole did.
fn is_same(whole: &ChainAnswer, part: &ChainAnswer) -> bool {
    match (whole, part) {
        (ChainAnswer::Differs(_), ChainAnswer::Differs(_)) => true,
        (ChainAnswer::Failed(whole), ChainAnswer::Failed(part)) => whole == part,
        _ => false,
    }
}
