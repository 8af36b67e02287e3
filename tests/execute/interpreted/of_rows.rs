//! The rows of a run as chains of one line, which the interpreter of whole modules executes.

use std::sync::Mutex;

use ptx_conform::campaign::{self, Options, Progress, RunDepth, Subject};
use ptx_conform::divergences::Divergences;
use ptx_conform::line_case::{Answer, LineCase};
use ptx_conform::ptx::{Declarations, Line};
use ptx_conform::semantics;
use ptx_kernels::{Chain, ChainRows, Library, Template};

use super::alone::alone;
use crate::engine::StandIn;
use crate::shipped::SPEC;

/// The lines of the rows of a run of depth `choices`, of instructions that only compute, each with its rows.
pub(super) fn lines(library: &Library<'static>) -> Vec<(Chain, ChainRows)> {
    let cases: Mutex<Vec<LineCase>> = Mutex::default();
    let engine = StandIn::new("listening@1").executing(|case| {
        cases.lock().expect("no panic before").push(case.clone());
        vec![Answer::Skipped("it only listens".to_owned()); case.rows.len()]
    });
    let instructions = semantics::opcodes().map(str::to_owned).collect();
    let options = Options { instructions, chains: Some(0), ..Options::at(RunDepth::Choices) };
    let subjects = [Subject::executing(&engine, *SPEC.isa.versions.last().expect("versions"))];
    campaign::run(&SPEC, &Divergences::default(), &subjects, &options, &Progress::default());
    let cases = std::mem::take(&mut *cases.lock().expect("no panic before"));
    cases.iter().filter_map(|case| as_chain(library, case)).collect()
}

/// A case as a chain of one line; none if its operands are more than scalar registers of up to 64 bits and numbers.
fn as_chain(library: &Library<'_>, case: &LineCase) -> Option<(Chain, ChainRows)> {
    let declarations = Declarations::parse(&case.declarations, &SPEC.isa).ok()?;
    let (instruction, reading) = library.valid(&case.line, &declarations)?;
    let form = &instruction.forms[reading.form];
    Line::parse(&case.line).ok()?;
    let chain = alone(&Template::new(&SPEC.isa, form, &reading.values)?, false)?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let names: Vec<&str> = case
        .line
        .match_indices('%')
        .map(|(at, _)| {
            let rest = &case.line[at + 1..];
            &case.line[at..=at + rest.find(|c| !is_name(c)).unwrap_or(rest.len())]
        })
        .collect();
    // Each operand is an input, in the order of the text: a register that is only written holds 0 before.
    let inputs: Vec<Option<usize>> = names.iter().map(|name| case.input(name)).collect();
    if inputs.len() != chain.inputs.len() {
        return None;
    }
    let row = |row: &[u128]| -> Option<Vec<u64>> {
        inputs.iter().map(|at| at.map_or(Some(0), |at| u64::try_from(row[at]).ok())).collect()
    };
    Some((chain, ChainRows { rows: case.rows.iter().map(row).collect::<Option<_>>()? }))
}
