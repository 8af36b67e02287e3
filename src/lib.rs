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
//! [`case`], [`divergences`], [`campaign`], [`causes`], [`report`]. `docs/design.md` says more.

pub mod campaign;
pub mod case;
pub mod causes;
pub mod divergences;
pub use ptx_engines as engine;
pub use ptx_exec::{execution, kernel, model, properties, state};
pub use ptx_spec::{environment, judge, ptx, space, spec};
pub mod report;
pub mod shipped;
