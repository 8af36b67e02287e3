//! Rows per second of the reference model on one core, and operations per second of its exact floats: `cargo bench --bench model`.

use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::line_case::LineCase;
use ptx_conform::model;
use ptx_conform::setup;
use ptx_conform::space::{Diagram, Draw, environment_values};
use ptx_conform::spec::Spec;
use ptx_exec::value::{FloatFormat, RoundingMode};

/// The number of programs for each form.
const PROGRAMS: usize = 50;
/// The number of rows of each program.
const ROWS: usize = 64;

fn programs(spec: &Spec, opcode: &str) -> Vec<LineCase> {
    let environment = Environment {
        ptx: "9.0".parse().expect("a version"),
        target: "sm_100".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    };
    let executed = setup::executed(spec, spec.instruction(opcode).expect("an instruction"));
    let mut programs = Vec::new();
    for form in &executed.forms {
        let values = environment_values(form, &environment).expect("a known environment");
        let diagram = Diagram::within(form, None, &values);
        let mut draw = Draw::named(&form.id, 0);
        for _ in 0..PROGRAMS {
            // Some forms are never executed.
            let Some(first) = draw.variant(&diagram.all().below(&values)) else { break };
            let region = diagram.all().below(&first[..setup::first_of_row(form)]);
            let rows: Vec<Vec<u8>> = (0..ROWS)
                .map(|_| {
                    let mut row = draw.variant(&region).expect("a row");
                    setup::share_contents(form, &first, &mut row);
                    row
                })
                .collect();
            let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
            programs.push(setup::line_case(spec, form, &rows).expect("a program"));
        }
    }
    programs
}

fn model(criterion: &mut Criterion) {
    let spec = ptx_conform::shipped::spec().expect("the specification is sound");
    let mut group = criterion.benchmark_group("model");
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600)).sample_size(20);
    let opcodes = spec.instructions.iter().map(|instruction| instruction.name.as_str());
    let mut mix: Vec<LineCase> = Vec::new();
    for opcode in opcodes.filter(|opcode| model::models(opcode)) {
        let programs = programs(&spec, opcode);
        // A line that reads the carry is not executed alone.
        if programs.is_empty() {
            continue;
        }
        mix.extend(programs.iter().cloned());
        measure(&mut group, &spec, opcode, &programs);
    }
    measure(&mut group, &spec, "mix", &mix);
    group.finish();
}

fn measure(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    spec: &Spec,
    name: &str,
    programs: &[LineCase],
) {
    group.throughput(Throughput::Elements(programs.iter().map(|program| program.rows.len() as u64).sum()));
    let prepared: Vec<_> = programs
        .iter()
        .map(|program| (program, model::prepare(spec, program).expect("a case that the model reads")))
        .collect();
    let expect = |sum: &mut usize| {
        for (program, prepared) in &prepared {
            for expectation in prepared.all(&program.rows) {
                *sum += usize::from(expectation.may_trap());
            }
        }
    };
    group.bench_function(name, |bencher| {
        bencher.iter_batched(
            || 0,
            |mut sum| {
                expect(&mut sum);
                sum
            },
            BatchSize::SmallInput,
        );
    });
}

/// Fused multiply-adds of numbers of a format, all but a few of which are neither zeros nor subnormal.
fn core(criterion: &mut Criterion) {
    const COUNT: usize = 1 << 12;
    let mut group = criterion.benchmark_group("core");
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600)).sample_size(20);
    for (name, format) in [("fma f16", FloatFormat::F16), ("fma f32", FloatFormat::F32), ("fma f64", FloatFormat::F64)]
    {
        let mut draw = Draw::named(name, 0);
        let numbers: Vec<u128> =
            (0..COUNT + 2).map(|_| draw.below(1 << format.bits()).expect("a number below more than none")).collect();
        group.throughput(Throughput::Elements(COUNT as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                numbers.windows(3).fold(0_u128, |sum, bits| {
                    let [a, b, c] = [0, 1, 2].map(|at| format.value(bits[at]));
                    let mode = RoundingMode::NearestEven;
                    sum ^ format.rounded(a.times(b).plus(c, mode), mode)
                })
            });
        });
    }
    group.finish();
}

criterion_group!(benches, core, model);
criterion_main!(benches);
