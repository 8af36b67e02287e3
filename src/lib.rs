//! Conformance tests and a differential fuzzer for NVIDIA PTX.
//!
//! ```text
//! specs/*.yaml -> Spec -> Space (x setups) -> Case -+-> judge or model -> expected -+
//!                                                   +-> engine         -> actual ---+-> Mismatch -> Finding -> Report
//!                                           known divergences ----------------------^
//! ```
//!
//! A case is a line to judge, or a line with objects and inputs to execute. What PTX is says the crate `ptx-spec`, what it
//! does `ptx-exec`, what machine code does `ptx-sass`, and who is asked `ptx-engines`. Data flows one way, and so do the
//! imports: a module imports only modules before it in this list. `docs/design.md` explains the design.
//!
//! ```text order
//! files ledger answers shipped releases case divergences defects campaign causes blame borders wrong_code matrix report
//! ```

pub mod answers;
pub mod blame;
pub mod borders;
pub mod campaign;
pub mod case;
pub mod causes;
pub mod defects;
pub mod divergences;
pub mod files;
pub use ptx_engines as engine;
pub use ptx_exec::{hex, interpret, kernel, kernel_case, line_case, model, object, properties, semantics, setup};
pub use ptx_spec::{
    check, directive, environment, explain, export, inline, judge, load, must, plural, ptx, review, space, spec, yaml,
};
pub mod ledger;
pub mod matrix;
pub mod releases;
pub mod report;
pub mod shipped;
pub mod wrong_code;
