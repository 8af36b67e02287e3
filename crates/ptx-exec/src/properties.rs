//! Properties that hold for every input. `cargo test`, `cargo fuzz` and `--seed` drive the same functions:
//! each takes bytes, and panics if the property does not hold.

mod answers;
mod drawn;
mod execution;
mod files;
mod lines;
mod shipped;

pub use drawn::{
    any_line_is_judged_stably, breach_is_judged_invalid, loader_survives, mutant_is_judged_stably,
    valid_is_judged_valid,
};
pub use execution::execution_is_sound;
pub use files::any_file_is_checked;
pub use lines::{check_every_variant, check_line, check_variant};
pub use shipped::Shipped;
