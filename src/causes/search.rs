//! The searches: from what fails and what passes to conditions.
//!
//! They propose questions and are told the answers, so they know nothing of engines, groups or findings.

pub(super) mod cubes;
pub(super) mod exact;
pub(super) mod extent;
pub(super) mod generalise;
