//! Makes a module smaller in which something goes wrong: statements go, as long as the same goes wrong.

use std::ops::Range;

use crate::kernel_case::KernelCase;
use crate::must::Must as _;
use crate::ptx::{Module, Walk};
use crate::spec::Spec;

/// Says of each of these cases whether it still goes wrong in the same way.
pub(super) type StillWrong<'w> = dyn Fn(&[KernelCase]) -> Vec<bool> + 'w;

/// Candidates that are asked about at once: starting the disassembler takes as long as compiling some of them.
const TOGETHER: usize = 16;

/// A case whose module has as few statements as were found to go wrong in the same way. The text of others is replaced by blanks, so
/// that lines keep their numbers.
pub(super) fn without_statements(spec: &Spec, case: &KernelCase, still: &StillWrong<'_>) -> KernelCase {
    without_parts(case, statements(spec, &case.module), still)
}

/// The case without lines of text that nothing needs: declarations, labels, functions that nobody calls.
pub(super) fn without_lines(case: &KernelCase, still: &StillWrong<'_>) -> KernelCase {
    let module: String = case
        .module
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect();
    let mut at = 0;
    let lines = module.split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        start..at - 1
    });
    let lines: Vec<Range<usize>> = lines.collect();
    let small = without_parts(&KernelCase { module: module.as_str().into(), ..case.clone() }, lines, still);
    let module: String =
        small.module.lines().filter(|line| !line.trim().is_empty()).map(|line| line.to_owned() + "\n").collect();
    KernelCase { module: module.into(), ..small }
}

/// The case without as many of these parts of its module as can go.
fn without_parts(case: &KernelCase, all: Vec<Range<usize>>, still: &StillWrong<'_>) -> KernelCase {
    let without = |kept: &[Range<usize>], gone: &Range<usize>| [&kept[..gone.start], &kept[gone.end..]].concat();
    let of = |kept: &[Range<usize>]| with_parts(case, &all, kept);
    let mut kept = all.clone();
    let mut size = kept.len().div_ceil(2).max(1);
    loop {
        let before = kept.len();
        let mut at = 0;
        while at < kept.len() {
            let starts = (at..kept.len()).step_by(size).take(TOGETHER);
            let parts: Vec<Range<usize>> = starts.map(|start| start..(start + size).min(kept.len())).collect();
            let candidates: Vec<KernelCase> = parts.iter().map(|part| of(&without(&kept, part))).collect();
            let wrong = still(&candidates);
            let gone: Vec<Range<usize>> =
                parts.iter().zip(wrong).filter(|(_, wrong)| *wrong).map(|(part, _)| part.clone()).collect();
            let end = parts.last().map_or(kept.len(), |part| part.end);
            let together = gone.iter().rev().fold(kept.clone(), |kept, part| without(&kept, part));
            match &gone[..] {
                [] => at = end,
                [first, others @ ..] => {
                    // One at a time where they cannot all go.
                    let all_go = others.is_empty() || still(&[of(&together)]) == [true];
                    at =
                        if all_go { end - gone.iter().map(ExactSizeIterator::len).sum::<usize>() } else { first.start };
                    kept = if all_go { together } else { without(&kept, first) };
                }
            }
        }
        match size {
            1 if kept.len() == before => return of(&kept),
            1 => {}
            _ => size = size.div_ceil(2),
        }
    }
}

/// The instructions of the bodies of a module, in order.
pub(super) fn statements(spec: &Spec, text: &str) -> Vec<Range<usize>> {
    let module = Module::read(text, &spec.isa);
    let mut found = Vec::new();
    Walk::instructions(&module, &spec.isa, |_, at, _| found.push(at));
    found
}

/// The case with only these of all parts of its module.
fn with_parts(case: &KernelCase, all: &[Range<usize>], kept: &[Range<usize>]) -> KernelCase {
    let mut text = case.module.as_bytes().to_vec();
    let mut kept = kept.iter().peekable();
    for part in all {
        if kept.next_if_eq(&part).is_none() {
            text[part.clone()].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
    }
    let module = String::from_utf8(text).must("whole statements and lines are replaced by blanks");
    KernelCase { module: module.into(), ..case.clone() }
}
