use ptx_conform::*;
use std::time::Instant;
fn main() {
    let spec = spec::Spec::shipped().unwrap();
    let ld = spec.instruction("ld").unwrap();
    for form in &ld.forms {
        let t = Instant::now(); let d = space::Diagram::valid(form); eprintln!("{} cubes? valid {:?} nodes {} count {}", form.id, t.elapsed(), d.nodes(), d.count());
        let env = [form.axes[0].position("64").unwrap(), form.axes[1].position("sm_121").unwrap(), form.axes[2].position("9.5").unwrap()];
        let t = Instant::now(); let h = space::Diagram::within(form, None, &env); eprintln!("   home {:?} nodes {} count {}", t.elapsed(), h.nodes(), h.count());
        let t = Instant::now(); let c = space::covering(&h.all(), 1); eprintln!("   covering1 {:?} rows {}", t.elapsed(), c.len());
        let t = Instant::now(); let c = space::covering(&h.all(), 2); eprintln!("   covering2 {:?} rows {}", t.elapsed(), c.len());
        let mut worst = (std::time::Duration::ZERO, String::new(), 0);
        let t0 = Instant::now();
        for rule in space::breakable(form) { let t = Instant::now(); let d = space::Diagram::breaking(form, rule); if t.elapsed() > worst.0 { worst = (t.elapsed(), form.rules[rule].id.clone(), d.nodes()); } }
        eprintln!("   all breaking {:?} worst {:?}", t0.elapsed(), worst);
        let t0 = Instant::now(); let mut worst = (std::time::Duration::ZERO, String::new(), 0); let mut rows=0;
        for rule in space::breakable(form) { let d = space::Diagram::within(form, Some(rule), &env); let t = Instant::now(); let c = space::covering(&d.all(), 2); rows += c.len(); if t.elapsed() > worst.0 { worst = (t.elapsed(), form.rules[rule].id.clone(), c.len()); } }
        eprintln!("   home breaches covering {:?} rows {} worst {:?}", t0.elapsed(), rows, worst);
    }
}
