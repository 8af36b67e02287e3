//! Computations of lines that were read before: many modules have the same lines.

use std::sync::{Arc, PoisonError, RwLock};

use ptx_spec::ptx::Line;
use ptx_spec::spec::{Form, Isa};
use rustc_hash::FxHashMap;

use crate::semantics::{Computation, Unmodelled, computation};

/// A form and the choices of a line, with the suffixes of its operands, for which a choice can stand.
type LineChoices = (String, Vec<u8>, Vec<String>);

/// The computation of a line; none of an instruction that does more than compute.
type Known = Option<Result<Arc<Computation>, Unmodelled>>;

/// The computations that were made so far.
#[derive(Default)]
pub(super) struct Computations {
    known: RwLock<FxHashMap<LineChoices, Known>>,
}

/// The most lines that are kept.
const KEPT: usize = 1 << 16;

impl Computations {
    /// The computation of a line of this form.
    pub(super) fn get(&self, isa: &Isa, form: &Form, values: &[u8], line: &Line<'_>) -> Known {
        let suffix = |text: &str| text.rfind('.').map(|at| text[at..].trim().to_owned()).unwrap_or_default();
        let suffixes = match form.suffixes.is_empty() {
            true => Vec::new(),
            false => line.operands.iter().map(|operand| suffix(operand.text)).collect(),
        };
        let key = (form.id.clone(), values.to_vec(), suffixes);
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let made = computation(isa, form, values, Some(line)).map(|made| made.map(Arc::new));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < KEPT {
            known.insert(key, made.clone());
        }
        made
    }
}
