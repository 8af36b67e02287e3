use ptx_conform::*;
fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let strategy = args.remove(0);
    let versions = args.remove(0);
    let spec = spec::Spec::shipped().map_err(|e| e.iter().map(|e| e.render(false)).collect::<Vec<_>>().join("\n")).unwrap_or_else(|e| panic!("{e}"));
    let div = divergence::Divergences::load(Some(std::path::Path::new("specs")), &spec).map_err(|e| e.iter().map(|e| e.render(false)).collect::<Vec<_>>().join("\n")).unwrap_or_else(|e| panic!("{e}"));
    let engines: Vec<_> = versions.split(',').map(|v| engine::ptxas::Ptxas::open(std::path::Path::new(&format!("/tmp/w/tc/{v}/ptxas"))).unwrap()).collect();
    let subjects: Vec<_> = engines.iter().map(|e| run::Subject { engine: e, newest: e.newest_ptx() }).collect();
    let mut options = run::Options { instructions: args, ..Default::default() };
    match strategy.as_str() { "pairs" => {}, "triples" => options.strategy = run::Strategy::Triples, _ => { options.strategy = run::Strategy::Complete; options.random = 1_000_000 } }
    let t = std::time::Instant::now();
    let results = run::run(&spec, &div, &subjects, &options, &Default::default());
    eprintln!("{:?}", t.elapsed());
    for e in &engines { eprintln!("{} {:?}", e.path().display(), e.stats()); }
    let report = report::Report::new(&spec, &div, &options, &results);
    std::fs::create_dir_all("/tmp/w/rep").unwrap();
    report.write(std::path::Path::new("/tmp/w/rep")).unwrap();
    println!("{}", report.text());
    eprintln!("{:?}", t.elapsed());
}
