//! Execution without machine code: mutants of the model, recordings, and GPUs that are stood in for.

#[path = "../planted/cases.rs"]
mod cases;
#[path = "../planted/engine.rs"]
mod engine;
mod executions;
mod gpu;
#[path = "../planted/mutant.rs"]
mod mutant;
mod mutants;
mod recordings;
#[path = "../planted/shipped.rs"]
mod shipped;
