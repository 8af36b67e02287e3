//! The lines of a recording's file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Depth, Outcome};
use ptx_exec::hex;
use ptx_exec::line_case::{Answer, LineCase, Returned, UndefinedBits};
use ptx_spec::environment::{AddressSize, Environment, Target, Version};
use ptx_spec::must::Must as _;

/// The environment and declarations of judged lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedModule {
    pub(super) ptx: Version,
    pub(super) target: Target,
    pub(super) address_size: u32,
    pub(super) generate: bool,
    pub(super) declarations: String,
}

impl RecordedModule {
    pub(super) fn new(environment: &Environment, depth: Depth, declarations: String) -> Self {
        Self {
            ptx: environment.ptx,
            target: environment.target,
            address_size: bits(environment.address_size),
            generate: depth == Depth::Generate,
            declarations,
        }
    }

    pub(super) fn is_in(&self, environment: &Environment, depth: Depth) -> bool {
        let of = |other: &Environment| (other.ptx, other.target, bits(other.address_size));
        (self.ptx, self.target, self.address_size) == of(environment) && self.generate == (depth == Depth::Generate)
    }
}

fn bits(size: AddressSize) -> u32 {
    match size {
        AddressSize::Bits32 => 32,
        AddressSize::Bits64 => 64,
    }
}

/// The line before the rows of a case, or before judged lines.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Heading {
    Case(Box<LineCase>),
    Judged(RecordedModule),
}

/// A row and its answer.
#[derive(Serialize, Deserialize)]
pub(super) struct RowEntry(#[serde(with = "hex::all")] pub(super) Vec<u128>, pub(super) StoredAnswer);

/// The answer to a row; only registers if nothing else changed.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum StoredAnswer {
    Registers(#[serde(with = "hex::all")] Vec<u128>),
    MoreThanRegisters(MoreThanRegisters),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MoreThanRegisters {
    /// The registers, and the changed parts of the surface.
    Changed {
        #[serde(with = "hex::all")]
        registers: Vec<u128>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        surface: Vec<Change>,
        /// The changed parts of variables, by name.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        variables: BTreeMap<String, Vec<Change>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        undefined: Option<Box<UndefinedBits>>,
    },
    Trapped(String),
    Skipped(String),
    Failed(String),
}

/// Bytes of the surface from this position on.
#[derive(Serialize, Deserialize)]
pub(super) struct Change(usize, #[serde(with = "hex")] Vec<u8>);

/// A line and its outcome.
#[derive(Serialize, Deserialize)]
pub(super) struct LineEntry(pub(super) String, pub(super) StoredOutcome);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StoredOutcome {
    Accepted,
    Rejected(String),
    Skipped(String),
    Crashed(String),
    TimedOut,
}

impl From<Outcome> for StoredOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Accepted => Self::Accepted,
            Outcome::Rejected(why) => Self::Rejected(why),
            Outcome::Skipped(why) => Self::Skipped(why),
            Outcome::Crashed(how) => Self::Crashed(how),
            Outcome::TimedOut => Self::TimedOut,
        }
    }
}

impl From<StoredOutcome> for Outcome {
    fn from(did: StoredOutcome) -> Self {
        match did {
            StoredOutcome::Accepted => Self::Accepted,
            StoredOutcome::Rejected(why) => Self::Rejected(why),
            StoredOutcome::Skipped(why) => Self::Skipped(why),
            StoredOutcome::Crashed(how) => Self::Crashed(how),
            StoredOutcome::TimedOut => Self::TimedOut,
        }
    }
}

/// The ranges in which two byte sequences of the same length differ.
fn changes(before: &[u8], after: &[u8]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for (at, (old, new)) in before.iter().zip(after).enumerate() {
        if old == new {
            continue;
        }
        match changes.last_mut().filter(|change| change.0 + change.1.len() == at) {
            Some(change) => change.1.push(*new),
            None => changes.push(Change(at, vec![*new])),
        }
    }
    changes
}

/// The bytes with the changes applied; none if a change is out of range.
fn changed(before: &[u8], changes: &[Change]) -> Option<Vec<u8>> {
    let mut after = before.to_vec();
    for Change(at, bytes) in changes {
        after.get_mut(*at..at.checked_add(bytes.len())?)?.copy_from_slice(bytes);
    }
    Some(after)
}

impl StoredAnswer {
    pub(super) fn of(case: &LineCase, answer: &Answer) -> Self {
        Self::MoreThanRegisters(match answer {
            Answer::Trapped(why) => MoreThanRegisters::Trapped(why.clone()),
            Answer::Skipped(why) => MoreThanRegisters::Skipped(why.clone()),
            Answer::Failed(why) => MoreThanRegisters::Failed(why.clone()),
            Answer::Returned(returned) if *returned == Returned::registers(&returned.registers) => {
                return Self::Registers(returned.registers.clone());
            }
            Answer::Returned(Returned { registers, surface, variables, undefined }) => {
                // A surface or a variable that is not returned is as it was.
                let of_surface = case.surface.as_ref().zip(surface.as_ref());
                let of_variable = |(name, after): (&String, &Vec<u8>)| {
                    let before = case.variable(name).must("an answer has only variables of its case");
                    (name.clone(), changes(&before.data, after))
                };
                MoreThanRegisters::Changed {
                    registers: registers.clone(),
                    surface: of_surface.map(|(before, after)| changes(&before.data, after)).unwrap_or_default(),
                    variables: variables.iter().map(of_variable).collect(),
                    undefined: undefined.clone(),
                }
            }
        })
    }

    pub(super) fn answer(self, case: &LineCase) -> Result<Answer, String> {
        let returned = match self {
            Self::Registers(registers) => Returned::registers(&registers),
            Self::MoreThanRegisters(MoreThanRegisters::Changed { registers, surface, variables, undefined }) => {
                let before = case.surface.as_ref().map(|surface| &surface.data);
                let after = |changes: &[Change]| {
                    let before = before.ok_or("a surface is changed, but the case has none")?;
                    changed(before, changes).ok_or("a change is beyond the end of the surface")
                };
                let surface = if surface.is_empty() { None } else { Some(after(&surface)?) };
                let variable = |(name, changes): (String, Vec<Change>)| {
                    let before = case.variable(&name).ok_or_else(|| format!("the case has no variable `{name}`"))?;
                    let after = changed(&before.data, &changes);
                    after
                        .map(|after| (name.clone(), after))
                        .ok_or_else(|| format!("a change is beyond the end of `{name}`"))
                };
                let variables = variables.into_iter().map(variable).collect::<Result<_, String>>()?;
                Returned { registers, surface, variables, undefined }
            }
            Self::MoreThanRegisters(MoreThanRegisters::Trapped(why)) => return Ok(Answer::Trapped(why)),
            Self::MoreThanRegisters(MoreThanRegisters::Skipped(why)) => return Ok(Answer::Skipped(why)),
            Self::MoreThanRegisters(MoreThanRegisters::Failed(why)) => return Ok(Answer::Failed(why)),
        };
        case.check(&returned)?;
        Ok(Answer::Returned(returned))
    }
}
