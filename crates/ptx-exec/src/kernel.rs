//! Kernels: executed cases as PTX modules, with all that an engine must know to launch them.
//!
//! A module has one entry for each case. A thread of it executes the line once, for one row: it sets
//! the outputs to 0, loads the row's inputs from a record, marks that it begins, executes the line,
//! stores every register that the line writes, and marks that it ended. A mark reaches the host before
//! what follows it begins, so that it can be read where the line ended the kernel.
//!
//! Variables in global and constant memory have their contents as initial values. Of those in shared
//! and local memory each block or thread makes a copy; parameters of an entry are parameters of the
//! launch. A line in a function is executed by a function that the entry calls with the parameters,
//! and what a call returned is returned by one that is called right before the line.
//!
//! Variables that the line may write are copied to the results after it. Where they are in global or shared
//! memory, each row is launched by itself, and starts from their contents again.
//!
//! Not executed are lines with a unified variable, a `.surfref` parameter, the address of a parameter that is not
//! one of the entry, a 32-bit register for an address of 64 bits, or an address before the variable that it starts
//! from.

mod declared;
mod filled;
mod launch;
mod module;
mod put;
mod record;
mod scopes;
mod thread;

pub use launch::{Bound, Kernel, Observed, Parameter, Place, changed, decode};
pub use module::{batches, module};
