//! The forms of instructions that have a model, with their mutants.

use std::sync::LazyLock;

use ptx_conform::campaign;
use ptx_conform::case::{self, CostlyRows};
use ptx_conform::environment::Environment;
use ptx_conform::model::{self, RowVerdict};
use ptx_conform::setup;
use ptx_conform::space::{Diagram, Draw, EnvironmentValues, Slice, Values, environment_values};
use ptx_conform::spec::{Cube, Form, Instruction};

use crate::engine::StandIn;
use crate::mutant::{self, Mutant};
use crate::shipped::SPEC;

/// The forms of the model, with the axes of their setups.
pub(crate) static FORMS: LazyLock<Vec<ModelledForm>> = LazyLock::new(|| {
    let modelled = SPEC.instructions.iter().filter(|instruction| model::models(&instruction.name));
    let engine = mutant::engine(&SPEC, "mutant@1", []);
    let newest = campaign::executing_environment(&SPEC, &engine).expect("an environment");
    modelled.flat_map(|instruction| ModelledForm::of(instruction, newest)).collect()
});

/// Rows by which it is decided whether a mutant is equivalent.
pub(crate) const DRAWN: usize = 300;

/// A form that has a model, in the newest environment.
pub(crate) struct ModelledForm {
    pub(crate) instruction: String,
    pub(crate) form: Form,
    domain: Diagram,
    prefix: EnvironmentValues,
    pub(crate) mutants: Vec<Mutant>,
}

impl ModelledForm {
    fn of(instruction: &Instruction, environment: Environment) -> Vec<Self> {
        let executed = setup::executed(&SPEC, instruction);
        let of = |form: Form| {
            let prefix = environment_values(&form, &environment)?;
            let domain = Diagram::within(&form, None, &prefix);
            let mutants = mutant::of_form(&form, &domain);
            Some(Self { instruction: instruction.name.clone(), form, domain, prefix, mutants })
        };
        executed.forms.into_iter().filter_map(of).collect()
    }

    /// True if a row can be in a combination.
    pub(crate) fn occurs(&self, cube: &Cube) -> bool {
        Slice::new(&self.domain.all().below(&self.prefix), cube).count() > 0
    }

    /// Rows of a combination, drawn, that an engine fails.
    pub(crate) fn failing(&self, engine: &StandIn<'_>, cube: &Cube, drawn: usize) -> Vec<Values> {
        let slice = Slice::new(&self.domain.all().below(&self.prefix), cube);
        let (size, mut draw) = (slice.count(), Draw::named("mutants", 0));
        let ranks: Vec<u128> = (0..drawn).filter_map(|_| draw.below(size)).collect();
        let rows: Vec<Values> = ranks.into_iter().filter_map(|rank| slice.unrank(rank)).collect();
        let tried =
            case::execute(&SPEC, engine, &self.form, &rows, &CostlyRows::default()).expect("rows can be executed");
        let fails = |tried: &case::CaseResult| matches!(tried.row, Some(RowVerdict::Differs(_)));
        rows.into_iter().zip(&tried).filter(|(_, tried)| fails(tried)).map(|(row, _)| row).collect()
    }
}
