//! Chains: a few lines of PTX whose results feed the next. They are drawn from the spaces of single lines, thousands share a
//! module, and what an engine computes is compared with the reference interpreter; a chain that differs is reduced to the fewest
//! and simplest lines that still do.
//!
//! A module imports only modules before it in this list; `tests/house.rs` checks that.
//!
//! ```text order
//! register_kind memory chain chain_text template library constants draw inputs slice_draft slice flow kernel compare reduce cause search
//! ```

mod cause;
mod chain;
mod chain_text;
mod compare;
mod constants;
mod draw;
mod flow;
mod inputs;
mod kernel;
mod library;
mod memory;
mod reduce;
mod register_kind;
mod search;
mod slice;
mod slice_draft;
mod template;

pub use cause::{CauseChoice, CauseLine, ChainCause};
pub use chain::{Chain, ChainInstruction, ChainOperand, ChainStatement, Piece, SlotKind};
pub use chain_text::ChainText;
pub use compare::{ChainAnswer, ChainComparison, ChainDifference, compare, compare_alone, compare_apart};
pub use draw::ChainDraw;
pub use flow::{BodyFlow, FlowSlice};
pub use inputs::ChainRows;
pub use kernel::{ChainEntry, ChainKernels};
pub use library::{Library, NoLibrary, TemplatePool};
pub use memory::ChainMemory;
pub use reduce::{Reduced, without_instructions};
pub use register_kind::RegisterKind;
pub use search::{ChainSearch, search};
pub use slice::{ModuleSlice, slices};
pub use template::{Template, TemplateKind};
