//! The spaces of a form: the valid variants, and the breaches of each rule.

use std::sync::Arc;

use rayon::prelude::*;

use crate::space::{Diagram, breakable};
use crate::spec::{Form, RuleKind};

/// The spaces of a form.
#[derive(Clone, Debug, Default)]
pub(super) struct Spaces {
    pub(super) valid: Option<Arc<Diagram>>,
    pub(super) breaches: Vec<(usize, Arc<Diagram>)>,
}

impl Spaces {
    /// The valid variants, and those that break one rule, in this environment.
    pub(super) fn at(form: &Form, environment: &[u8]) -> Self {
        let rules: Vec<usize> = breakable(form).collect();
        let within = |rule: Option<usize>| Arc::new(Diagram::within(form, rule, environment));
        let (valid, breaches) =
            rayon::join(|| within(None), || rules.par_iter().map(|&rule| (rule, within(Some(rule)))).collect());
        Self { valid: Some(valid), breaches }
    }

    /// The valid variants, and those that break one rule on a version or target, in all environments.
    pub(super) fn of_needs(form: &Form) -> Self {
        let need = |&rule: &usize| matches!(form.rules[rule].kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
        let rules: Vec<usize> = breakable(form).filter(need).collect();
        let breaches = rules.par_iter().map(|&rule| (rule, Arc::new(Diagram::breaking(form, rule)))).collect();
        Self { valid: Some(Arc::new(Diagram::valid(form))), breaches }
    }
}
