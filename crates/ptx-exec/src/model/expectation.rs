//! Expectations: the allowed results of a row, and the check of an answer.

use std::collections::BTreeMap;

use super::{Effect, Inferences, Object, Undefined};
use crate::line_case::{Answer, LineCase, Returned, UndefinedBits};
use crate::object::Variable;

/// The expectation of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// What is allowed.
    pub allowed: Allowed,
    /// The inferences that it depends on.
    pub inferred: Inferences,
}

/// What is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "most are of the large one, and a box for each row costs more")]
pub enum Allowed {
    /// Exactly this ending.
    Only(Ending),
    /// One of these endings.
    OneOf(Box<[Ending]>),
    /// Anything at all.
    Any(Undefined),
}

/// How a line ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "most are of the large one, and a box for each row costs more")]
pub enum Ending {
    /// It ends the kernel.
    Traps,
    /// It returns, with this effect.
    Returns(Effect),
}

/// Whether an answer to a row is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowVerdict {
    /// It is allowed; parts of it may be undefined.
    Agrees(Option<Undefined>),
    /// It is not allowed.
    Differs(Difference),
    /// Any answer would be allowed.
    Undecided(Undefined),
    /// There is no answer; says why.
    Skipped(String),
}

/// How an answer differs from what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// It returned, but must trap.
    Returned,
    /// It trapped, but must not.
    Trapped,
    /// This part of the result is wrong.
    Wrong(ResultPart),
    /// This part of the result is right at best by chance: it depends on what nothing wrote.
    Undefined(ResultPart),
    /// The answer is missing or not valid; says what went wrong.
    Failed(String),
}

/// A part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResultPart {
    /// The register at this position in the outputs.
    Register(usize),
    /// The surface; its first byte that differs.
    Surface(usize),
    /// The variable at this position in the case, and its first byte that differs.
    Variable(usize, usize),
}

impl Expectation {
    pub(super) fn any(why: Undefined) -> Self {
        Self { allowed: Allowed::Any(why), inferred: Inferences::NONE }
    }

    pub(super) fn returned(effect: Effect) -> Self {
        Self { allowed: Allowed::Only(Ending::Returns(effect)), inferred: Inferences::NONE }
    }

    /// One of several endings.
    pub fn one_of(endings: impl IntoIterator<Item = Ending>) -> Self {
        Self { allowed: Allowed::OneOf(endings.into_iter().collect()), inferred: Inferences::NONE }
    }

    pub(super) fn traps() -> Self {
        Self { allowed: Allowed::Only(Ending::Traps), inferred: Inferences::NONE }
    }

    pub(super) fn inferred(mut self, inferred: Inferences) -> Self {
        self.inferred = self.inferred.and(inferred);
        self
    }

    /// Whether the row may end its kernel.
    pub fn may_trap(&self) -> bool {
        match &self.allowed {
            Allowed::Only(ending) => *ending == Ending::Traps,
            Allowed::OneOf(endings) => endings.contains(&Ending::Traps),
            Allowed::Any(why) => !matches!(why, Undefined::AbsentExtent | Undefined::Enumeration),
        }
    }

    /// Checks an answer.
    pub fn check(&self, case: &LineCase, answer: &Answer) -> RowVerdict {
        match answer {
            Answer::Skipped(why) => return RowVerdict::Skipped(why.clone()),
            Answer::Failed(how) => return RowVerdict::Differs(Difference::Failed(how.clone())),
            Answer::Returned(_) | Answer::Trapped(_) => {}
        }
        match &self.allowed {
            Allowed::Any(why) => RowVerdict::Undecided(*why),
            Allowed::Only(ending) => ending.check(case, answer),
            Allowed::OneOf(endings) => {
                let mut verdicts = endings.iter().map(|ending| ending.check(case, answer));
                let first = verdicts.next().unwrap_or(RowVerdict::Agrees(None));
                let agrees = |verdict: &RowVerdict| !matches!(verdict, RowVerdict::Differs(_));
                if agrees(&first) { first } else { verdicts.find(agrees).unwrap_or(first) }
            }
        }
    }

    /// An allowed answer.
    pub fn example(&self, case: &LineCase) -> Answer {
        let ending = match &self.allowed {
            Allowed::Only(ending) => Some(ending),
            Allowed::OneOf(endings) => endings.first(),
            Allowed::Any(_) => None,
        };
        let Some(ending) = ending else {
            return Answer::Returned(Returned { registers: vec![0; case.outputs.len()], ..Returned::default() });
        };
        let Ending::Returns(effect) = ending else { return Answer::Trapped("out of bounds".to_owned()) };
        let surface = case.surface.as_ref().and_then(|surface| effect.applied(Object::Surface, &surface.data));
        let registers = effect.registers().iter().map(|register| register.bits).collect();
        let variable = |(at, variable): (usize, &Variable)| {
            effect.applied(Object::Variable(at), &variable.data).map(|after| (variable.name.clone(), after))
        };
        let variables = if effect.write.is_none() {
            BTreeMap::new()
        } else {
            case.variables.iter().enumerate().filter_map(variable).collect()
        };
        Answer::Returned(Returned { registers, surface, variables, undefined: None })
    }
}

impl Effect {
    /// The first part of a result that must be defined, but is not.
    fn matters(&self, case: &LineCase, undefined: &UndefinedBits) -> Option<ResultPart> {
        let mut registers = self.registers().iter().zip(&undefined.registers);
        if let Some(register) = registers.position(|(expected, undefined)| expected.known & undefined != 0) {
            return Some(ResultPart::Register(register));
        }
        let of = |object: Object, undefined: &[u8]| {
            let known = |at: usize| self.byte(object, at).map_or(u8::MAX, |(_, known)| known);
            undefined.iter().enumerate().position(|(at, bits)| bits & known(at) != 0)
        };
        if let Some(at) = undefined.surface.as_ref().and_then(|bits| of(Object::Surface, bits)) {
            return Some(ResultPart::Surface(at));
        }
        case.variables.iter().enumerate().find_map(|(position, variable)| {
            let at = of(Object::Variable(position), undefined.variables.get(&variable.name)?)?;
            Some(ResultPart::Variable(position, at))
        })
    }
}

impl Ending {
    fn check(&self, case: &LineCase, answer: &Answer) -> RowVerdict {
        let (effect, returned) = match (self, answer) {
            (Self::Traps, Answer::Returned(_)) => return RowVerdict::Differs(Difference::Returned),
            (Self::Traps, _) => return RowVerdict::Agrees(None),
            (Self::Returns(effect), Answer::Returned(returned)) => (effect, returned),
            (Self::Returns(_), _) => return RowVerdict::Differs(Difference::Trapped),
        };
        if returned.registers.len() != effect.registers().len() {
            let counts = (returned.registers.len(), effect.registers().len());
            let words = format!("{} registers were returned, but the line writes {}", counts.0, counts.1);
            return RowVerdict::Differs(Difference::Failed(words));
        }
        if let Some(part) = returned.undefined.as_ref().and_then(|undefined| effect.matters(case, undefined)) {
            return RowVerdict::Differs(Difference::Undefined(part));
        }
        let mut both = effect.registers().iter().zip(&returned.registers);
        if let Some(register) = both.position(|(expected, bits)| !expected.allows(*bits)) {
            return RowVerdict::Differs(Difference::Wrong(ResultPart::Register(register)));
        }
        let before: &[u8] = case.surface.as_ref().map_or(&[], |surface| &surface.data);
        let after = returned.surface.as_deref().unwrap_or(before);
        if after.len() != before.len() {
            let words = format!("a surface of {} bytes was returned with {}", before.len(), after.len());
            return RowVerdict::Differs(Difference::Failed(words));
        }
        if let Some(at) = effect.differs(Object::Surface, before, after) {
            return RowVerdict::Differs(Difference::Wrong(ResultPart::Surface(at)));
        }
        for (position, variable) in case.variables.iter().enumerate() {
            let after = returned.variables.get(&variable.name).unwrap_or(&variable.data);
            if after.len() != variable.data.len() {
                let words =
                    format!("`{}` of {} bytes was returned with {}", variable.name, variable.data.len(), after.len());
                return RowVerdict::Differs(Difference::Failed(words));
            }
            if let Some(at) = effect.differs(Object::Variable(position), &variable.data, after) {
                return RowVerdict::Differs(Difference::Wrong(ResultPart::Variable(position, at)));
            }
        }
        RowVerdict::Agrees(effect.undefined)
    }
}
