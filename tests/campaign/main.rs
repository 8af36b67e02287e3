//! Campaigns against judges whose faults are known, and the support matrix.

#[path = "../planted/engine.rs"]
mod engine;
mod findings;
mod matrix;
mod releases;
#[path = "../planted/shipped.rs"]
mod shipped;
mod stand_ins;
#[allow(dead_code, reason = "each program uses a part of it")]
#[path = "../transcript/mod.rs"]
mod transcript;
