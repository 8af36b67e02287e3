//! NVIDIA's machine code (SASS): cubins, their instructions as NVIDIA's disassembler prints them, and an
//! interpreter that tracks which bits are undefined.
//!
//! Nothing here starts a process: whoever uses the crate compiles PTX and disassembles words.
//!
//! A module imports only modules before it in this list; `tests/house.rs` checks that.
//!
//! ```text order
//! soft cubin instruction position registers scoreboard surface machine target image opcode run
//! ```

pub mod cubin;
pub mod image;
pub mod instruction;
pub mod machine;
pub mod opcode;
pub mod position;
mod registers;
pub mod run;
pub mod scoreboard;
mod soft;
pub mod surface;
pub mod target;
