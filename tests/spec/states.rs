//! The setups that variants are executed in.

use std::collections::BTreeMap;

use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::model::{self, Allowed};
use ptx_conform::setup;
use ptx_conform::space::{Diagram, Draw, environment_values};

use crate::shipped::SPEC;

#[test]
fn the_model_reads_every_setup_that_is_drawn() {
    let environment = Environment {
        ptx: "9.0".parse().expect("a version"),
        target: "sm_100".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    };
    for instruction in SPEC.instructions.iter().filter(|instruction| model::models(&instruction.name)) {
        let executed = setup::executed(&SPEC, instruction);
        for form in &executed.forms {
            let start = std::time::Instant::now();
            let values = environment_values(form, &environment).expect("a known environment");
            let diagram = Diagram::within(form, None, &values);
            let region = diagram.all().below(&values);
            if region.count() == 0 {
                println!("{} is never executed", form.id);
                continue;
            }
            let mut draw = Draw::named(&form.id, 1);
            let mut undefined: BTreeMap<&str, usize> = BTreeMap::new();
            let built = start.elapsed();
            for _ in 0..1000 {
                let values = draw.variant(&region).expect("a setup");
                let program = setup::line_case(&SPEC, form, &[&values]).expect("a program");
                let prepared =
                    model::prepare(&SPEC, &program).unwrap_or_else(|why| panic!("{}: {why}\n{program:?}", form.id));
                match prepared.expect(program.rows.row(0)).allowed {
                    Allowed::Any(why) => *undefined.entry(why.id()).or_default() += 1,
                    Allowed::Only(model::Ending::Traps) => *undefined.entry("traps").or_default() += 1,
                    _ => *undefined.entry("defined").or_default() += 1,
                }
            }
            println!(
                "{} {} nodes {} {:?} {:?} {undefined:?}",
                form.id,
                region.count(),
                diagram.nodes(),
                built,
                start.elapsed()
            );
        }
    }
}
