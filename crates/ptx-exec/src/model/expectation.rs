//! Expectations: the allowed results of a row, and the check of an answer.

use std::collections::BTreeMap;

use super::{Effect, Inferences, Object, Undefined};
use crate::line_case::{Answer, LineCase, Returned, UndefinedBits};
use crate::object::{Surface, Variable};
use crate::value::ExpectedValue;

/// The expectation of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The allowed endings.
    pub allowed: Allowed,
    /// The inferences that it depends on.
    pub inferred: Inferences,
}

/// The allowed endings.
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

/// True if an answer to a row is allowed.
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
    #[inline]
    pub(super) fn any(why: Undefined) -> Self {
        Self { allowed: Allowed::Any(why), inferred: Inferences::NONE }
    }

    #[inline]
    pub(super) fn returned(effect: Effect) -> Self {
        Self { allowed: Allowed::Only(Ending::Returns(effect)), inferred: Inferences::NONE }
    }

    /// One of several endings, of which there is at least one.
    pub fn one_of(endings: impl IntoIterator<Item = Ending>) -> Self {
        let endings: Box<[Ending]> = endings.into_iter().collect();
        assert!(!endings.is_empty(), "a row without an ending would agree with any answer");
        Self { allowed: Allowed::OneOf(endings), inferred: Inferences::NONE }
    }

    pub(super) fn traps() -> Self {
        Self { allowed: Allowed::Only(Ending::Traps), inferred: Inferences::NONE }
    }

    #[inline]
    pub(super) fn inferred(mut self, inferred: Inferences) -> Self {
        self.inferred = self.inferred.and(inferred);
        self
    }

    /// True if the row may end its kernel.
    #[inline]
    pub fn may_trap(&self) -> bool {
        match &self.allowed {
            Allowed::Only(ending) => *ending == Ending::Traps,
            Allowed::OneOf(endings) => endings.contains(&Ending::Traps),
            Allowed::Any(why) => !matches!(why, Undefined::AbsentExtent | Undefined::Enumeration),
        }
    }

    /// True if it is right to return with this value in the only output, and to change nothing else.
    #[inline]
    pub fn allows(&self, output: u128) -> bool {
        match &self.allowed {
            Allowed::Only(Ending::Returns(effect)) => {
                matches!(effect.registers(), [only] if only.wrong(output) == 0) && effect.written().is_empty()
            }
            _ => false,
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
                let verdicts = || endings.iter().map(|ending| ending.check(case, answer));
                let differs = |verdict: &RowVerdict| matches!(verdict, RowVerdict::Differs(_));
                let agrees = verdicts().find(|verdict| !differs(verdict));
                agrees.or_else(|| verdicts().next()).expect("`one_of` refuses to be empty")
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
        let registers = effect.registers().iter().map(ExpectedValue::example).collect();
        let variable = |(at, variable): (usize, &Variable)| {
            effect.applied(Object::Variable(at), &variable.data).map(|after| (variable.name.clone(), after))
        };
        let variables = if effect.written().is_empty() {
            BTreeMap::new()
        } else {
            case.variables.iter().enumerate().filter_map(variable).collect()
        };
        Answer::Returned(Returned { registers, surface, variables, undefined: None })
    }
}

impl Effect {
    /// The first part of a result that must be defined, but is not.
    fn needs_undefined(&self, case: &LineCase, returned: &Returned, undefined: &UndefinedBits) -> Option<ResultPart> {
        let needed = |((expected, actual), undefined): ((&ExpectedValue, &u128), &u128)| {
            expected.needed(*actual, *undefined) != 0
        };
        // Objects that did not change may be left out of an answer.
        let mut registers = self.registers().iter().zip(&returned.registers).zip(&undefined.registers);
        if let Some(register) = registers.position(needed) {
            return Some(ResultPart::Register(register));
        }
        if let (Some(before), Some(bits)) = (&case.surface, &undefined.surface) {
            let after = returned.surface.as_ref().unwrap_or(&before.data);
            if let Some(at) = self.needs(Object::Surface, after, bits) {
                return Some(ResultPart::Surface(at));
            }
        }
        case.variables.iter().enumerate().find_map(|(position, variable)| {
            let after = returned.variables.get(&variable.name).unwrap_or(&variable.data);
            let at = self.needs(Object::Variable(position), after, undefined.variables.get(&variable.name)?)?;
            Some(ResultPart::Variable(position, at))
        })
    }

    /// The first part of a result that is wrong.
    fn wrong(&self, case: &LineCase, returned: &Returned) -> Option<ResultPart> {
        let mut both = self.registers().iter().zip(&returned.registers);
        if let Some(register) = both.position(|(expected, actual)| expected.wrong(*actual) != 0) {
            return Some(ResultPart::Register(register));
        }
        if let Some(Surface { data: before, .. }) = &case.surface {
            // Objects that did not change may be left out of an answer.
            let after = returned.surface.as_ref().unwrap_or(before);
            if let Some(at) = self.differs(Object::Surface, before, after) {
                return Some(ResultPart::Surface(at));
            }
        }
        case.variables.iter().enumerate().find_map(|(position, variable)| {
            let after = returned.variables.get(&variable.name).unwrap_or(&variable.data);
            let at = self.differs(Object::Variable(position), &variable.data, after)?;
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
        // Sizes first: what follows pairs up parts of both results.
        if let Err(why) = case.check(returned) {
            return RowVerdict::Differs(Difference::Failed(why));
        }
        let undefined = returned.undefined.as_ref();
        if let Some(part) = undefined.and_then(|undefined| effect.needs_undefined(case, returned, undefined)) {
            return RowVerdict::Differs(Difference::Undefined(part));
        }
        match effect.wrong(case, returned) {
            Some(part) => RowVerdict::Differs(Difference::Wrong(part)),
            None => RowVerdict::Agrees(effect.undefined),
        }
    }
}
