//! Executed rows, as the search for causes sees them: what they are executed from, their effects and inputs, and how
//! they are said in words.

pub(super) mod compared;
pub(super) mod effect;
pub(super) mod executed;
pub(super) mod inputs;
pub(super) mod row_words;
pub(super) mod shown_row;
