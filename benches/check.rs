//! Lines checked per second in a file of a million lines: `cargo bench --bench check`.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ptx_conform::check::Checker;
use ptx_conform::spec::Spec;

/// Lines of the file.
const LINES: usize = 1_000_000;
/// Lines of one round of a body.
const ROUND: usize = 20;

/// A file like those of compilers, with this many entries.
fn file(entries: usize) -> String {
    let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n".to_owned();
    let rounds = LINES / ROUND / entries;
    for entry in 0..entries {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            ".visible .entry k{entry}(.param .u64 k{entry}_param_0, .param .u32 k{entry}_param_1) {{\n\
             .reg .pred %p<100>; .reg .b32 %r<1000>; .reg .f32 %f<1000>; .reg .b64 %rd<1000>;\n"
        );
        (0..rounds).for_each(|at| round(&mut text, entry, at));
        text.push_str("ret;\n}\n");
    }
    text
}

/// Twenty lines.
fn round(text: &mut String, entry: usize, at: usize) {
    let (r, f) = (at % 900, at % 990);
    let _ = write!(
        text,
        "$L__BB{entry}_{at}:\n\t.loc\t1 {at} 5\n\tld.param.u64 \t%rd1, [k{entry}_param_0];\n\
         \tld.global.nc.v4.f32 \t{{%f{f}, %f{}, %f{}, %f{}}}, [%rd{r}+16];\n\
         \tmul.wide.s32 \t%rd{r}, %r{r}, 4;\n\tadd.s64 \t%rd{}, %rd1, %rd{r};\n\
         \tld.global.L1::no_allocate.u32 \t%r{r}, [%rd{r}];\n\tadd.s32 \t%r{}, %r{r}, -1;\n\
         \tst.shared.f32 \t[%r{r}+128], %f{f};\n\tfma.rn.f32 \t%f{f}, %f1, %f2, %f{f};\n\
         \tatom.global.add.u32 \t%r{r}, [%rd{r}], 1;\n\tsetp.lt.s32 \t%p{}, %r{r}, 128;\n\
         \t{{ // callseq {at}, 0\n\t.param .b64 param0;\n\tst.param.b64 \t[param0+0], %rd{r};\n\
         \t}} // callseq {at}\n\t@%p1 bra \t$L__BB{entry}_{at};\n\tmov.u32 \t%r1, %tid.x;\n\
         \tst.global.v2.u32 \t[%rd{r}], {{%r1, %r{r}}};\n\n",
        f + 1,
        f + 2,
        f + 3,
        r + 1,
        r + 1,
        at % 100,
    );
}

fn checking(c: &mut Criterion) {
    let spec: Spec = ptx_conform::shipped::spec().unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let checker = Checker { spec: &spec, limit: 100, remark: None, tolerated: None, sample: false };
    let mut group = c.benchmark_group("check");
    group.sample_size(10);
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for entries in [1, 1_000] {
        let text = file(entries);
        let checked = checker.check(&text);
        assert_eq!((checked.counts.errors, checked.counts.unjudged), (0, 0), "{:?}", checked.diagnostics);
        group.throughput(Throughput::Elements(text.lines().count().try_into().expect("a number")));
        group.bench_function(format!("lines of {entries} entries on one core"), |b| {
            b.iter(|| one_core.install(|| black_box(checker.check(&text))));
        });
        group.bench_function(format!("lines of {entries} entries"), |b| b.iter(|| black_box(checker.check(&text))));
    }
    group.finish();
}

criterion_group!(benches, checking);
criterion_main!(benches);
