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

#[cfg(test)]
mod tests {
    use super::super::{Divergences, EngineVersion};

    /// Divergences of `odd`, and what the file of `odder` says of them.
    fn of_two(odder: &str) -> Result<Divergences, Vec<String>> {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let entry = |id: &str, engines: &str| {
            format!(
                "  - {{ id: {id}, instructions: [mul24], {engines} to: \"2.0\", does: rejects, because: It is planted. }}\n"
            )
        };
        let odd =
            ["engine: odd\ndivergences:\n", &entry("one", ""), &entry("named", "engines: [odd],"), &entry("kept", "")];
        let odder = format!("engine: odder\n{odder}\ndivergences: []\n");
        let texts = [("odd.yaml".to_owned(), odd.concat()), ("odder.yaml".to_owned(), odder)];
        let words = |errors: Vec<crate::yaml::Error>| errors.iter().map(|error| error.render(false)).collect();
        Divergences::from_texts(&texts, &spec).map_err(words)
    }

    #[test]
    fn an_engine_has_the_divergences_of_those_that_it_is_like() {
        let divergences = of_two("like: [odd]\nunlike: [kept]").expect("the files are sound");
        let of = |engine: &str| -> Vec<&str> {
            let engine = EngineVersion::parse(engine).expect("a version");
            divergences.all.iter().filter(|known| known.applies(&engine)).map(|known| known.id.as_str()).collect()
        };
        assert_eq!(of("odd@2.0"), ["one", "named", "kept"]);
        assert_eq!(of("odder@2.0"), ["one", "named"]);
        assert_eq!(of("odder@3.0"), [""; 0]);
        assert_eq!(of("even@2.0"), [""; 0]);
    }

    #[test]
    fn an_unknown_family_or_divergence_is_an_error() {
        for (odder, says, place) in [
            ("like: [even]", "there is no file of an engine `even`", "odder.yaml:2:"),
            ("like: [odd]\nunlike: [two]", "there is no divergence `two`", "odder.yaml:3:"),
        ] {
            let errors = of_two(odder).expect_err(says);
            assert!(matches!(&errors[..], [one] if one.contains(says) && one.contains(place)), "{errors:?}");
        }
    }
}
