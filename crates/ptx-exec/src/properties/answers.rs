//! The model's answers are allowed, and what differs from them in a known bit is not.

use arbitrary::Unstructured;

use crate::line_case::{Answer, LineCase, Returned};
use crate::model::{Allowed, Difference, Effect, Ending, Expectation, Object, ResultPart, RowVerdict};

/// The model's answer to a row is possible and passes. Another ending fails, and so does an answer that
/// differs in a defined bit.
pub(super) fn check_answer(
    program: &LineCase,
    expectation: &Expectation,
    answer: &Answer,
    u: &mut Unstructured<'_>,
) -> arbitrary::Result<()> {
    let own = expectation.check(program, answer);
    let right = match expectation.allowed {
        Allowed::Any(why) => own == RowVerdict::Undecided(why),
        _ => matches!(own, RowVerdict::Agrees(_)),
    };
    assert!(right, "{own:?}: `{}` {expectation:?} {answer:?}", program.line);
    match &expectation.allowed {
        Allowed::Only(Ending::Traps) => {
            let nothing = Returned { registers: vec![0; program.outputs.len()], ..Returned::default() };
            let verdict = expectation.check(program, &Answer::Returned(nothing));
            assert_eq!(verdict, RowVerdict::Differs(Difference::Returned));
        }
        Allowed::Only(Ending::Returns(_)) => {
            let verdict = expectation.check(program, &Answer::Trapped(String::new()));
            assert_eq!(verdict, RowVerdict::Differs(Difference::Trapped));
        }
        _ => {}
    }
    let Answer::Returned(returned) = answer else { return Ok(()) };
    assert_eq!(program.check(returned), Ok(()), "`{}` {returned:?}", program.line);
    let checked = CheckedAnswer { program, expectation, returned };
    checked.registers(u)?;
    checked.surface(u)?;
    checked.variables(u)
}

/// An answer that is right, to be changed in one bit.
struct CheckedAnswer<'a> {
    program: &'a LineCase,
    expectation: &'a Expectation,
    returned: &'a Returned,
}

impl CheckedAnswer<'_> {
    /// The effect, if only one ending is allowed.
    fn effect(&self) -> Option<&Effect> {
        match &self.expectation.allowed {
            Allowed::Only(Ending::Returns(effect)) => Some(effect),
            _ => None,
        }
    }

    /// An answer that differs in one bit fails if that is not allowed.
    fn assert_other(&self, known: bool, difference: Difference, other: Returned) {
        let line = &self.program.line;
        let verdict = self.expectation.check(self.program, &Answer::Returned(other));
        if known {
            assert_eq!(verdict, RowVerdict::Differs(difference), "`{line}`");
        } else {
            assert!(matches!(verdict, RowVerdict::Agrees(_)), "`{line}` {difference:?} {verdict:?}");
        }
    }

    fn registers(&self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        let program = self.program;
        let mut more = self.returned.clone();
        more.registers.push(0);
        assert!(program.check(&more).is_err(), "a register that the line does not write");
        if program.outputs.is_empty() {
            return Ok(());
        }
        let register = u.choose_index(program.outputs.len())?;
        let bits = u32::from(program.outputs[register].bits);
        let mut wide = self.returned.clone();
        wide.registers[register] |= 1_u128.checked_shl(bits).unwrap_or_default();
        assert!(bits == 128 || program.check(&wide).is_err(), "a bit that the register does not have");
        let bit = 1 << u.int_in_range(0..=bits - 1)?;
        let mut other = self.returned.clone();
        other.registers[register] ^= bit;
        if let Some(effect) = self.effect() {
            let wrong = effect.registers()[register].wrong(other.registers[register]) != 0;
            self.assert_other(wrong, Difference::Wrong(ResultPart::Register(register)), other);
        }
        Ok(())
    }

    fn surface(&self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        let surface = self.program.surface.as_ref().map(|surface| &surface.data);
        let Some(before) = surface.filter(|data| !data.is_empty()) else { return Ok(()) };
        let mut other = self.returned.clone();
        let mut after = other.surface.take().unwrap_or_else(|| before.clone());
        let (byte, bit) = (u.choose_index(after.len())?, u.int_in_range(0..=7)?);
        after[byte] ^= 1 << bit;
        other.surface = Some(after.clone());
        if let Some(effect) = self.effect() {
            let wrong = first_wrong(effect, Object::Surface, byte, &after);
            let difference = Difference::Wrong(ResultPart::Surface(wrong.unwrap_or(byte)));
            self.assert_other(wrong.is_some(), difference, other.clone());
        }
        other.surface.iter_mut().for_each(|surface| surface.push(0));
        assert!(self.program.check(&other).is_err(), "a surface of another size");
        Ok(())
    }

    fn variables(&self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        if self.program.variables.is_empty() {
            return Ok(());
        }
        let position = u.choose_index(self.program.variables.len())?;
        let variable = &self.program.variables[position];
        let mut other = self.returned.clone();
        let after = other.variables.entry(variable.name.clone()).or_insert_with(|| variable.data.clone());
        let (byte, bit) = (u.choose_index(after.len())?, u.int_in_range(0..=7)?);
        after[byte] ^= 1 << bit;
        if let Some(effect) = self.effect() {
            let wrong = first_wrong(effect, Object::Variable(position), byte, after);
            let difference = Difference::Wrong(ResultPart::Variable(position, wrong.unwrap_or(byte)));
            self.assert_other(wrong.is_some(), difference, other.clone());
        }
        other.variables.values_mut().for_each(|bytes| bytes.push(0));
        assert!(self.program.check(&other).is_err(), "a variable of another size");
        Ok(())
    }
}

/// The first wrong byte of an object of which one byte was changed. Without the last bit of its fraction, a NaN is an
/// infinity, and wrong from its first byte on.
fn first_wrong(effect: &Effect, object: Object, changed: usize, after: &[u8]) -> Option<usize> {
    let mut over = effect.written_to(object).filter(|write| write.bytes().contains(&changed));
    let Some(write) = over.next() else { return Some(changed) };
    let wrong = write.value.wrong(write.number(after));
    (wrong != 0).then(|| write.at + wrong.trailing_zeros() as usize / 8)
}
