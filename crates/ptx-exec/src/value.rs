//! Values: bits of which some may be undefined, memory that holds them, and what is expected of a value. The reference
//! and the interpreter of machine code share how values are held, and nothing that computes with floats.

mod bits;
mod bytes;
mod expected;
mod float_format;
mod float_value;
mod integer;
mod memory;
mod rounding_mode;

pub use bits::Bits;
pub(crate) use bytes::read;
pub use expected::ExpectedValue;
pub use float_format::FloatFormat;
pub use float_value::{ExactNumber, FloatValue};
pub use integer::{low, sign_extend};
pub use memory::{Fault, Memory, MemoryRegion, read_bits};
pub use rounding_mode::RoundingMode;
