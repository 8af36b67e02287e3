//! Scratch.
use ptx_engines::sass::{Configuration, Sass};
use ptx_exec::interpret::Interpreter;
use ptx_kernels::*;
fn main() {
    let spec = ptx_spec::spec::Spec::load("specs".as_ref()).map_err(|e| e[0].render(false)).unwrap();
    let args: Vec<String> = std::env::args().collect();
    let (version, family, n, seed): (_, _, usize, u64) =
        (&args[1], &args[2], args[3].parse().unwrap(), args[4].parse().unwrap());
    let ptx = args[5].parse().unwrap();
    let only: Vec<String> = args[6..].to_vec();
    let configuration: Configuration = family.parse().unwrap();
    let target = configuration.target.name;
    let environment = ptx_spec::environment::Environment {
        ptx,
        target: target.parse().unwrap(),
        address_size: ptx_spec::environment::AddressSize::Bits64,
    };
    let library = Library::new(&spec, environment, &only).unwrap();
    let root = format!("{}/.cache/ptx-conform/ptxas", std::env::var("HOME").unwrap());
    let sass = Sass::open(
        format!("{root}/{version}/ptxas").as_ref(),
        args[1..].first().map(|_| format!("{root}/{version}/nvdisasm")).unwrap().as_ref(),
        None,
        configuration,
    )
    .unwrap();
    let interpreter = Interpreter::new(&spec);
    let t = std::time::Instant::now();
    let mut draw = ChainDraw::new(&library, seed, (2, 4));
    let chains: Vec<Chain> = (0..n).map(|_| draw.next_chain()).collect();
    eprintln!("draw {:?} per chain", t.elapsed() / n as u32);
    let rows: Vec<ChainRows> =
        chains.iter().enumerate().map(|(i, c)| ChainRows::drawn(c, seed * 1000003 + i as u64, 24)).collect();
    let texts: Vec<ChainText> = chains.iter().map(ChainText::from).collect();
    let module: Vec<_> = texts.iter().zip(&rows).collect();
    let t = std::time::Instant::now();
    for part in module.chunks(1024) {
        let kernels = ChainKernels::new(&environment, part);
        let answer = interpreter.execute(&kernels.case);
        if !matches!(answer, ptx_exec::kernel_case::KernelAnswer::Returned(_)) {
            eprintln!("{answer:?}");
        }
    }
    eprintln!("reference {:?} per chain", t.elapsed() / n as u32);
    let comparison = Comparison { interpreter: &interpreter, engine: &sass, environment };
    let t = std::time::Instant::now();
    let parts: Vec<&ChainModule> = module.chunks(1024).collect();
    let answers: Vec<ChainAnswer> = compare(&comparison, &parts).into_iter().flatten().collect();
    eprintln!("compare {:?} per chain", t.elapsed() / n as u32);
    let mut failing = Vec::new();
    let (mut agrees, mut undefined, mut skipped) = (0, 0, std::collections::BTreeMap::<String, u32>::new());
    for ((chain, rows), answer) in chains.iter().zip(&rows).zip(answers) {
        match answer {
            ChainAnswer::Agrees => agrees += 1,
            ChainAnswer::Undefined(why) => {
                undefined += 1;
                if undefined < 5 {
                    eprintln!("undefined: {why}\n{}", chain.text());
                }
            }
            ChainAnswer::Skipped(why) => *skipped.entry(why).or_default() += 1,
            answer => failing.push(Reduced { chain: chain.clone(), rows: rows.clone(), answer }),
        }
    }
    println!("agrees {agrees}, undefined {undefined}, failing {}, skipped {skipped:#?}", failing.len());
    let t = std::time::Instant::now();
    let reduced = reduce(&comparison, &library, failing.into_iter().take(60).collect());
    eprintln!("reduce {:?}", t.elapsed());
    let t = std::time::Instant::now();
    for cause in causes(&comparison, &library, reduced) {
        println!(
            "--- {} {}\n{}{:x?} {:?}",
            cause.chains,
            cause.fingerprint(),
            cause.reduced.chain.text(),
            cause.reduced.rows.rows[0],
            cause.reduced.answer
        );
        for line in &cause.lines {
            for (axis, of) in &line.choices {
                if !of.others.is_empty() || !of.without.is_empty() {
                    println!("   {} {axis}: {} also {:?} not {:?}", line.opcode, of.value, of.others, of.without);
                }
            }
            for of in &line.numbers {
                println!("   {} number {} also {:?} not {:?}", line.opcode, of.value, of.others, of.without);
            }
        }
    }
    eprintln!("causes {:?}", t.elapsed());
}
