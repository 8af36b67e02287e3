//! Execution without machine code: mutants of the model, recordings, and GPUs that are stood in for.

#[path = "../planted/cases.rs"]
mod cases;
#[path = "../planted/engine.rs"]
mod engine;
mod executions;
mod float_mistakes;
mod gpu;
mod interpreted;
mod modelled_form;
#[path = "../planted/mutant.rs"]
mod mutant;
mod mutants;
mod noticed;
mod recordings;
#[path = "../planted/shipped.rs"]
mod shipped;
mod whole_domains;
