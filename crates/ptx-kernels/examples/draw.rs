use ptx_kernels::*;
fn main() {
    let spec = ptx_spec::spec::Spec::load("specs".as_ref()).map_err(|e| e[0].render(false)).unwrap();
    let environment = ptx_spec::environment::Environment { ptx: "8.0".parse().unwrap(), target: "sm_90".parse().unwrap(), address_size: ptx_spec::environment::AddressSize::Bits64 };
    let t = std::time::Instant::now();
    let library = Library::new(&spec, environment, &[]).unwrap();
    eprintln!("library {:?}", t.elapsed());
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let t = std::time::Instant::now();
    let mut draw = ChainDraw::new(&library, 1, (2, 4));
    let chains: Vec<Chain> = (0..n).map(|_| draw.next_chain()).collect();
    eprintln!("draw {:?} per chain", t.elapsed() / n as u32);
    let t = std::time::Instant::now();
    let rows: Vec<ChainRows> = chains.iter().enumerate().map(|(i, c)| ChainRows::drawn(c, i as u64, 24)).collect();
    let module: Vec<_> = chains.iter().zip(&rows).collect();
    let kernels = ChainKernels::new(&environment, &module);
    eprintln!("kernel {:?} per chain", t.elapsed() / n as u32);
    println!("{}", kernels.case.module);
}
