//! Engines that have the divergences of others, because they are made of the same program.

use std::collections::BTreeSet;

use super::Divergence;
use crate::yaml::{At, Error};

/// An engine that has divergences of others, as its file says.
pub(super) struct AlikeEngine<'a> {
    /// The name of its file, and the text, for errors.
    pub(super) file: (&'a str, &'a str),
    /// The engine.
    pub(super) engine: String,
    /// The families whose divergences it has.
    pub(super) like: Vec<At<String>>,
    /// The ids of those that it does not have.
    pub(super) unlike: Vec<At<String>>,
}

impl AlikeEngine<'_> {
    /// Notes in each divergence that the engine has it, or does not.
    ///
    /// # Errors
    /// Each family without a file, and each id that no divergence has.
    pub(super) fn note(self, all: &mut [Divergence], families: &BTreeSet<String>) -> Result<(), Vec<Error>> {
        let (file, text) = self.file;
        let unknown = |at: &At<String>, what: &str| {
            Error::new(file, text, at.place, format!("there is no {what} `{}`", at.value))
        };
        let no_family = self.like.iter().filter(|at| !families.contains(&at.value));
        let no_divergence = self.unlike.iter().filter(|at| !all.iter().any(|known| known.id == at.value));
        let errors: Vec<Error> = no_family
            .map(|at| unknown(at, "file of an engine"))
            .chain(no_divergence.map(|at| unknown(at, "divergence")))
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        for divergence in all {
            if self.like.iter().any(|of| of.value == divergence.engine) {
                let except = self.unlike.iter().any(|id| id.value == divergence.id);
                let list = if except { &mut divergence.unlike } else { &mut divergence.like };
                list.push(self.engine.clone());
            }
        }
        Ok(())
    }
}
