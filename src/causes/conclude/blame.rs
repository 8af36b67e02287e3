//! The suspect of a finding, by the votes of the engines and by the manual.

use crate::causes::finding::Vote;
use crate::causes::finding::{Blame, Suspect};
use crate::divergences::Does;
use crate::spec::Source;

/// The facts that decide the suspect of a finding.
pub(crate) struct FindingFacts<'a> {
    pub(crate) does: Does,
    pub(crate) contradicts: Option<&'a str>,
    /// The sources of the broken rules; none if valid lines fail.
    pub(crate) sources: Vec<Source>,
    pub(crate) votes: Vec<&'a Vote>,
    /// For rows: the inferences that every failed result depends on.
    pub(crate) inferred: &'a [String],
}

impl FindingFacts<'_> {
    /// Names the suspect.
    pub(crate) fn blame(&self) -> Blame {
        let blame = |suspect, because: &str| Blame { suspect, because: because.to_owned() };
        if let Some(id) = self.contradicts {
            let because = format!("`{id}` is listed, but no longer happens");
            return Blame { suspect: Suspect::Divergences, because };
        }
        if self.does == Does::Crashes {
            return blame(Suspect::Engine, "an engine must not die, whatever the line is");
        }
        let shows = self.votes.iter().filter(|vote| ***vote == Vote::Shows).count();
        let does_not = self.votes.iter().filter(|vote| ***vote == Vote::DoesNot).count();
        if self.does == Does::Computes {
            return self.of_rows(shows, does_not);
        }
        let stated = self.sources.iter().all(|source| *source == Source::Manual);
        match (self.does, shows, does_not) {
            (Does::Accepts, ..) if stated && does_not > 0 => {
                blame(Suspect::Engine, "the manual states the rule, and other engines enforce it")
            }
            (Does::Accepts, ..) if stated => {
                blame(Suspect::Engine, "the manual states the rule, and the engine does not enforce it")
            }
            (Does::Accepts, _, 0) => {
                blame(Suspect::Specification, "the rule was only observed, and no engine asked enforces it")
            }
            (Does::Accepts, ..) => blame(Suspect::Manual, "the manual does not state the rule, and the engines differ"),
            (_, shows, does_not) if does_not >= shows => {
                blame(Suspect::Engine, "the line is claimed valid, and other engines accept it")
            }
            (_, 1, 0) => blame(Suspect::Engine, "the line is claimed valid, and no other engine was asked"),
            (_, _, 0) => blame(Suspect::Specification, "the line is claimed valid, and no engine asked accepts it"),
            _ => blame(Suspect::Manual, "the line is claimed valid, and most engines reject it"),
        }
    }

    /// The model is suspected only if everything that fails depends on inferences, or if no engine agrees
    /// with it.
    fn of_rows(&self, shows: usize, does_not: usize) -> Blame {
        let inferred = self.inferred.join(", ");
        let (suspect, because) = match (self.inferred.is_empty(), shows, does_not) {
            (true, _, 1..) => {
                (Suspect::Engine, "the manual defines the result, and other engines return it".to_owned())
            }
            (true, 2.., 0) => (Suspect::Model, "none of the engines asked agrees with the model".to_owned()),
            (true, ..) => (Suspect::Engine, "the manual defines the result".to_owned()),
            (false, _, 1..) => {
                (Suspect::Manual, format!("the result is inferred ({inferred}), and the engines differ"))
            }
            (false, ..) => (Suspect::Model, format!("the result is inferred ({inferred})")),
        };
        Blame { suspect, because }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suspect(does: Does, sources: &[Source], votes: &[Vote]) -> Suspect {
        FindingFacts {
            does,
            contradicts: None,
            sources: sources.to_vec(),
            votes: votes.iter().collect(),
            inferred: &[],
        }
        .blame()
        .suspect
    }

    #[test]
    fn an_inference_may_be_the_models_fault() {
        let inferred = ["unorm".to_owned()];
        let suspect = |votes: &[Vote]| {
            let votes = votes.iter().collect();
            let facts = FindingFacts {
                does: Does::Computes,
                contradicts: None,
                sources: Vec::new(),
                votes,
                inferred: &inferred,
            };
            facts.blame().suspect
        };
        assert_eq!(suspect(&[Vote::Shows]), Suspect::Model);
        assert_eq!(suspect(&[Vote::Shows, Vote::DoesNot]), Suspect::Manual);
    }

    #[test]
    fn votes_and_the_manual_name_the_suspect() {
        use Vote::{DoesNot, Shows};
        let manual = &[Source::Manual][..];
        let observed = &[Source::Observed][..];
        for (does, sources, votes, expected) in [
            (Does::Crashes, manual, &[Shows][..], Suspect::Engine),
            (Does::Accepts, manual, &[Shows], Suspect::Engine),
            (Does::Accepts, manual, &[Shows, DoesNot], Suspect::Engine),
            (Does::Accepts, observed, &[Shows, Shows], Suspect::Specification),
            (Does::Accepts, observed, &[Shows, DoesNot], Suspect::Manual),
            (Does::Rejects, &[], &[Shows, DoesNot], Suspect::Engine),
            (Does::Rejects, &[], &[Shows, Shows], Suspect::Specification),
            (Does::Rejects, &[], &[Shows, Shows, DoesNot], Suspect::Manual),
            (Does::Computes, &[], &[Shows], Suspect::Engine),
            (Does::Computes, &[], &[Shows, Shows], Suspect::Model),
            (Does::Computes, &[], &[Shows, Shows, DoesNot], Suspect::Engine),
        ] {
            assert_eq!(suspect(does, sources, votes), expected, "{does:?} {sources:?} {votes:?}");
        }
    }
}
