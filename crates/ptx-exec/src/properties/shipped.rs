//! The specification of this repository with the spaces of its forms: what properties draw from.

use std::path::Path;
use std::sync::OnceLock;

use arbitrary::Unstructured;

use ptx_spec::space::{Diagram, Values, breakable, draw_variant};
use ptx_spec::spec::{Form, Instruction, Spec};

/// The built-in specification with its spaces, each made when it is first used.
pub struct Shipped {
    /// The specification.
    pub spec: Spec,
    /// The valid space of every form.
    pub(super) valid: Vec<DrawnSpace>,
    /// The variants that break one rule and no other, for every rule that can be broken.
    pub(super) breaches: Vec<DrawnSpace>,
    /// Each instruction with its setups.
    pub(super) executed: Vec<ExecutedSpaces>,
}

/// The specification of this repository, for whose tests and fuzzing the properties are.
const SPECS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs");

/// `isa.yaml`, and every instruction with its name.
pub(super) fn shipped_texts() -> (String, Vec<(String, String)>) {
    let read = |name: &str| std::fs::read_to_string(Path::new(SPECS).join(name)).expect("the specification is there");
    let folder = std::fs::read_dir(SPECS).expect("the specification is there");
    let names = folder.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
    let mut files: Vec<(String, String)> = names
        .filter(|name| name.ends_with(".yaml") && name != "isa.yaml")
        .map(|name| {
            let text = read(&name);
            (name, text)
        })
        .collect();
    files.sort();
    (read("isa.yaml"), files)
}

/// A space of variants of one form.
pub(super) struct DrawnSpace {
    instruction: usize,
    pub(super) form: usize,
    /// The rule broken, if any.
    pub(super) rule: Option<usize>,
    diagram: OnceLock<Diagram>,
}

impl DrawnSpace {
    fn new(instruction: usize, form: usize, rule: Option<usize>) -> Self {
        Self { instruction, form, rule, diagram: OnceLock::new() }
    }

    /// A random variant; none if the space is empty, as for a rule that cannot be broken alone.
    fn draw(&self, form: &Form, u: &mut Unstructured<'_>) -> arbitrary::Result<Option<Values>> {
        let diagram = self.diagram.get_or_init(|| match self.rule {
            None => Diagram::valid(form),
            Some(rule) => Diagram::breaking(form, rule),
        });
        if diagram.count() == 0 {
            return Ok(None);
        }
        draw_variant(u, &diagram.all()).map(Some)
    }
}

impl Shipped {
    /// The instance of this process.
    pub fn get() -> &'static Self {
        static SHIPPED: OnceLock<Shipped> = OnceLock::new();
        SHIPPED.get_or_init(Self::new)
    }

    fn new() -> Self {
        let spec =
            Spec::load(Path::new(SPECS)).unwrap_or_else(|errors| panic!("the specification is sound: {errors:?}"));
        let mut valid = Vec::new();
        let mut breaches = Vec::new();
        for (at, instruction) in spec.instructions.iter().enumerate() {
            for (number, form) in instruction.forms.iter().enumerate() {
                valid.push(DrawnSpace::new(at, number, None));
                breaches.extend(breakable(form).map(|rule| DrawnSpace::new(at, number, Some(rule))));
            }
        }
        let executed = spec.instructions.iter().map(ExecutedSpaces::of).collect();
        Self { spec, valid, breaches, executed }
    }

    /// A variant drawn from one of the spaces, with its instruction.
    pub(super) fn draw<'s>(
        &'s self,
        spaces: &'s [DrawnSpace],
        u: &mut Unstructured<'_>,
    ) -> arbitrary::Result<Option<(&'s Instruction, &'s DrawnSpace, Values)>> {
        // The instruction is drawn first: most rules belong to the largest one, whose spaces take longest.
        let at = u.choose_index(self.spec.instructions.len())?;
        let instruction = &self.spec.instructions[at];
        let of_it: Vec<&DrawnSpace> = spaces.iter().filter(|space| space.instruction == at).collect();
        let space = *u.choose(&of_it)?;
        let values = space.draw(&instruction.forms[space.form], u)?;
        Ok(values.map(|values| (instruction, space, values)))
    }
}

/// An instruction with its setups, and the spaces of its forms, each made when it is first drawn from.
#[derive(Default)]
pub(super) struct ExecutedSpaces {
    pub(super) instruction: OnceLock<Instruction>,
    pub(super) forms: Vec<OnceLock<Diagram>>,
}

impl ExecutedSpaces {
    fn of(instruction: &Instruction) -> Self {
        let forms = instruction.forms.iter().map(|_| OnceLock::new()).collect();
        Self { instruction: OnceLock::new(), forms }
    }
}
