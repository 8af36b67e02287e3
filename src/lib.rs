//! Conformance tests and a differential fuzzer for NVIDIA PTX.

pub mod divergence;
pub mod engine;
pub mod environment;
pub mod judge;
pub mod properties;
pub mod ptx;
pub mod report;
pub mod run;
pub mod space;
pub mod spec;
