//! The registers and objects of a row, expected and actual, byte by byte.

use crate::case::CaseResult;
use crate::causes::finding::ComparedObject;
use crate::line_case::{Answer, LineCase, Returned, SURFACE};
use crate::model::{Allowed, Effect, Ending, Object};

/// The registers and objects that a line writes or an engine changed; empty unless both return.
pub(crate) fn objects(program: &LineCase, result: &CaseResult) -> Vec<ComparedObject> {
    let (Some(expectation), Some(Answer::Returned(actual))) = (result.expectation(), result.answer()) else {
        return Vec::new();
    };
    let (Allowed::Only(Ending::Returns(effect)), Answer::Returned(expected)) =
        (&expectation.allowed, expectation.example(program))
    else {
        return Vec::new();
    };
    let mut objects = registers(program, effect, actual);
    if let Some(surface) = &program.surface
        && (expected.surface.is_some() || actual.surface.is_some())
    {
        let [expected, actual] = [&expected, actual].map(|of| of.surface.as_deref().unwrap_or(&surface.data));
        objects.push(memory(SURFACE, effect, Object::Surface, expected, actual));
    }
    for (at, variable) in program.variables.iter().enumerate() {
        let [expected, actual] = [&expected, actual].map(|of| of.variables.get(&variable.name));
        if expected.is_some() || actual.is_some() {
            let [expected, actual] = [expected, actual].map(|of| of.unwrap_or(&variable.data).as_slice());
            objects.push(memory(&variable.name, effect, Object::Variable(at), expected, actual));
        }
    }
    objects
}

fn registers(program: &LineCase, effect: &Effect, actual: &Returned) -> Vec<ComparedObject> {
    let both = effect.registers().iter().zip(&actual.registers);
    let register = |(output, (expected, actual)): (&crate::line_case::Output, (&crate::model::ExpectedBits, &u128))| {
        let bytes = usize::from(output.bits).div_ceil(8).clamp(1, 16);
        let of = |number: u128| number.to_be_bytes()[16 - bytes..].to_vec();
        // A register is as wide as its type: bits above do not exist.
        let mask = if output.bits >= 128 { u128::MAX } else { (1 << output.bits) - 1 };
        compared(&output.register, true, &of(expected.bits & mask), &of(actual & mask), &of(expected.known | !mask))
    };
    program.outputs.iter().zip(both).map(register).collect()
}

fn memory(name: &str, effect: &Effect, object: Object, expected: &[u8], actual: &[u8]) -> ComparedObject {
    let writes = || effect.written().filter(|write| write.object == object);
    let known = |at: usize| writes().find_map(|write| write.byte(at)).map_or(u8::MAX, |(_, known)| known);
    let known: Vec<u8> = (0..expected.len()).map(known).collect();
    compared(name, false, expected, actual, &known)
}

fn compared(name: &str, number: bool, expected: &[u8], actual: &[u8], known: &[u8]) -> ComparedObject {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let wrong = |at: &usize| {
        let other = actual.get(*at).copied();
        other.is_none_or(|other| (other ^ expected[*at]) & known[*at] != 0)
    };
    ComparedObject {
        name: name.to_owned(),
        number,
        expected: hex(expected),
        actual: hex(actual),
        wrong: (0..expected.len()).filter(wrong).collect(),
        undefined: (0..expected.len()).filter(|&at| known[at] != u8::MAX).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_bits_are_never_wrong() {
        let object = compared("%r1", true, &[0x12, 0x30, 0x00], &[0x13, 0x3f, 0x77], &[0xff, 0xf0, 0x00]);
        assert_eq!((object.expected.as_str(), object.actual.as_str()), ("123000", "133f77"));
        assert_eq!((object.wrong, object.undefined), (vec![0], vec![1, 2]));
    }

    #[test]
    fn a_missing_byte_is_wrong() {
        assert_eq!(compared("buffer", false, &[1, 2], &[1], &[0xff, 0xff]).wrong, [1]);
    }
}
