//! What PTX is: instructions, their forms and rules, read from YAML, and the judge of lines.
pub mod environment;
pub mod judge;
pub mod print;
pub mod ptx;
pub mod role;
pub mod space;
pub mod spec;
