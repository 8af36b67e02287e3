//! The states that variants are executed in.

use std::collections::BTreeMap;

use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::model::{self, Allowed};
use ptx_conform::setup;
use ptx_conform::space::{Diagram, Draw, environment_values};

#[test]
fn every_state_drawn_is_one_that_the_model_reads() {
    let spec = ptx_conform::shipped::spec().expect("the specification is sound");
    let environment = Environment {
        ptx: "9.0".parse().expect("a version"),
        target: "sm_100".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    };
    for instruction in &spec.instructions {
        let executed = setup::executed(&spec, instruction);
        for form in &executed.forms {
            let start = std::time::Instant::now();
            let values = environment_values(form, &environment).expect("a known environment");
            let diagram = Diagram::within(form, None, &values);
            let region = diagram.all().below(&values);
            let mut draw = Draw::named(&form.id, 1);
            let mut undefined: BTreeMap<&str, usize> = BTreeMap::new();
            let built = start.elapsed();
            for _ in 0..3000 {
                let values = draw.variant(&region).expect("a setup");
                let execution = setup::program(&spec, form, &[&values]).expect("an execution");
                let prepared =
                    model::prepare(&spec, &execution).unwrap_or_else(|why| panic!("{}: {why}\n{execution:?}", form.id));
                match prepared.expect(execution.rows.row(0)).allowed {
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
