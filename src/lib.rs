//! Conformance tests and a differential fuzzer for NVIDIA PTX.
//!
//! ```text
//! specs/*.yaml -> Spec -> Space -> variants -> PTX text -+-> Judge   -> verdict -+
//!                                                        +-> Engines -> outcome -+-> compare -> Report
//!                                        known divergences ----------------------^
//! ```
//!
//! Data flows one way, and so do the imports: a module uses those before it in this list.
//! [`environment`], [`spec`], [`space`], [`ptx`], [`judge`], [`execution`], [`state`], [`model`], [`kernel`], [`properties`], [`engine`],
//! [`case`], [`divergence`], [`run`], [`finding`], [`report`]. `docs/design.md` says more.

pub mod case;
pub mod divergence;
pub mod engine;
pub mod environment;
pub mod execution;
pub mod finding;
pub mod judge;
pub mod kernel;
pub mod model;
pub mod properties;
pub mod ptx;
pub mod report;
pub mod run;
pub mod space;
pub mod spec;
pub mod state;
