//! Lines judged per second, and the cost of spaces.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use ptx_conform::environment::Environment;
use ptx_conform::judge::Judge;
use ptx_conform::ptx::{Declarations, Line, print_variant};
use ptx_conform::space::{Diagram, Draw, covering, environment};
use ptx_conform::spec::{Form, Instruction, Spec};

/// Lines judged in one measurement.
const LINES: usize = 1_000;

fn shipped() -> Spec {
    ptx_conform::shipped::spec().unwrap_or_else(|errors| panic!("{}", errors[0].render(false)))
}

/// The first form of an instruction.
fn form<'s>(spec: &'s Spec, opcode: &str) -> &'s Form {
    &spec.instruction(opcode).expect("a covered opcode").forms[0]
}

/// An environment, and a line with its declarations.
type Case = (Environment, (String, String));

/// Lines of an instruction, the same number for each form.
fn cases(instruction: &Instruction) -> Vec<Case> {
    let mut draw = Draw::new(0);
    let mut cases = Vec::new();
    for form in &instruction.forms {
        let space = Diagram::valid(form);
        for _ in 0..LINES / 10 {
            let values = draw.below(space.count()).and_then(|rank| space.unrank(rank)).expect("a variant");
            cases.push((environment(form, &values), print_variant(form, &values)));
        }
    }
    cases
}

fn judge_all(spec: &Spec, cases: &[Case]) {
    for (environment, (line, declarations)) in cases {
        let judge = Judge::new(spec, environment).expect("a known environment");
        let declarations = Declarations::parse(declarations, &spec.isa).expect("declarations");
        black_box(judge.read(&Line::parse(line).expect("a line"), &declarations));
    }
}

fn judging(c: &mut Criterion) {
    let spec = shipped();
    let mut group = c.benchmark_group("judge");
    let count = |cases: &[Case]| Throughput::Elements(cases.len().try_into().expect("a small number"));
    for instruction in &spec.instructions {
        let cases = cases(instruction);
        group.throughput(count(&cases));
        group.bench_function(&instruction.name, |b| b.iter(|| judge_all(&spec, &cases)));
    }
    let cases: Vec<Case> = spec.instructions.iter().flat_map(cases).collect();
    group.throughput(count(&cases));
    group.bench_function("lines with declarations", |b| b.iter(|| judge_all(&spec, &cases)));
    let parsed: Vec<_> = cases
        .iter()
        .map(|(environment, (line, declarations))| {
            let judge = Judge::new(&spec, environment).expect("a known environment");
            let declarations = Declarations::parse(declarations, &spec.isa).expect("declarations");
            (judge, Line::parse(line).expect("a line"), declarations)
        })
        .collect();
    group.bench_function("lines that are parsed", |b| {
        b.iter(|| {
            parsed.iter().for_each(|(judge, line, declarations)| drop(black_box(judge.read(line, declarations))))
        });
    });
    group.finish();
}

fn spaces(c: &mut Criterion) {
    let spec = shipped();
    let mut group = c.benchmark_group("space");
    group.sample_size(10);
    let ld = form(&spec, "ld");
    group.bench_function("valid variants of ld", |b| b.iter(|| Diagram::valid(black_box(ld))));
    let space = Diagram::valid(ld);
    let mut draw = Draw::new(0);
    group.bench_function("unrank", |b| {
        let rank = || draw.below(space.count()).expect("a space");
        b.iter_batched(rank, |rank| space.unrank(rank), BatchSize::SmallInput);
    });
    let suld = form(&spec, "suld");
    let space = Diagram::valid(suld);
    let newest = space.all().below(&[0, 0, 0]);
    group.bench_function("covering pairs of suld in one environment", |b| b.iter(|| covering(black_box(&newest), 2)));
    group.finish();
}

criterion_group!(benches, judging, spaces);
criterion_main!(benches);
