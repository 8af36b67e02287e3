//! Kernels: executed cases as PTX modules, with everything that an engine needs to launch them.
//!
//! A module has one entry for each case. A thread of it executes the line once, for one row: it sets the
//! outputs to 0, loads the row's inputs from a record, marks that it begins, executes the line, stores
//! every register that the line writes, and marks that it ended. A mark reaches the host before the thread
//! continues, so that it can be read even if the line ended the kernel.
//!
//! Variables in global and constant memory have their contents as initial values. Each block or thread
//! copies those in shared and local memory; parameters of an entry are parameters of the launch. A line in
//! a function is executed by a function that the entry calls with the parameters, and the result of a call
//! is returned by a function that is called right before the line.
//!
//! Variables that the line may write are copied to the results after it. If they are in global or shared
//! memory, each row is a launch of its own, and starts from their contents again.
//!
//! Fenced and bare modules are for whoever reads them: one thread executes the first row, without what only other rows
//! need.
//!
//! Not executed are lines with a unified variable, a `.surfref` parameter, the address of a parameter that
//! is not one of the entry, a 32-bit register for an address of 64 bits, or an address before the variable
//! that is its base.

mod declared;
mod filled;
mod launch;
mod module;
mod put;
mod record;
mod renamed;
mod row_launch;
mod scopes;
mod thread;

pub use launch::{Bound, Kernel, Observed, Parameter, Place, changed, decode, returned};
pub use module::{bare_module, batches, fenced_module, module};
pub use row_launch::{row_launch, row_result};
