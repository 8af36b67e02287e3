//! The specification: its files, its spaces, the model of what is executed, and PTX of others that it must know.

mod bad_specs;
mod directives;
mod exported;
mod modules;
mod properties;
mod real_ptx;
#[path = "../planted/series.rs"]
mod series;
#[path = "../planted/shipped.rs"]
mod shipped;
mod specs;
mod states;
mod views;
