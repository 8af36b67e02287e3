//! Execution without machine code: the second executor and its bugs, mutants of the model, recordings, and GPUs that are stood in for.

#[path = "../planted/cases.rs"]
mod cases;
#[path = "../planted/engine.rs"]
mod engine;
mod executions;
#[path = "../planted/executor.rs"]
mod executor;
mod gpu;
#[path = "../planted/mutant.rs"]
mod mutant;
mod mutants;
mod recordings;
mod second_executor;
