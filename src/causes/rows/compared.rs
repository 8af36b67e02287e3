//! The registers and objects of a row, expected and actual, byte by byte.

use crate::case::CaseResult;
use crate::causes::finding::ComparedObject;
use crate::line_case::{Answer, LineCase, Output, Returned, SURFACE};
use crate::model::{Allowed, Effect, Ending, ExpectedValue, Object};

/// The registers and objects that a line writes or an engine changed; empty unless both return.
pub(crate) fn objects(program: &LineCase, result: &CaseResult) -> Vec<ComparedObject> {
    let (Some(expectation), Some(Answer::Returned(actual))) = (result.expectation(), result.answer()) else {
        return Vec::new();
    };
    // What has another size has no bytes to compare, and says so itself.
    if program.check(actual).is_err() {
        return Vec::new();
    }
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
    let register = |(output, (expected, actual)): (&Output, (&ExpectedValue, &u128))| {
        // A register is as wide as its type: bytes above do not exist.
        let bytes = usize::from(output.bits).div_ceil(8).clamp(1, 16);
        let of = |number: u128| number.to_be_bytes()[16 - bytes..].to_vec();
        let (wrong, fixed) = (expected.wrong(*actual), expected.fixed());
        compared(&output.register, true, [&of(expected.example()), &of(*actual)], [&of(wrong), &of(fixed)])
    };
    program.outputs.iter().zip(both).map(register).collect()
}

fn memory(name: &str, effect: &Effect, object: Object, expected: &[u8], actual: &[u8]) -> ComparedObject {
    // What the line does not write must stay as it is.
    let mut fixed = vec![u8::MAX; expected.len()];
    let mut wrong: Vec<u8> = expected.iter().zip(actual).map(|(expected, actual)| expected ^ actual).collect();
    for write in effect.written_to(object) {
        let of_value = [write.value.fixed(), write.value.wrong(write.number(actual))].map(u128::to_le_bytes);
        fixed[write.bytes()].copy_from_slice(&of_value[0][..write.count]);
        wrong[write.bytes()].copy_from_slice(&of_value[1][..write.count]);
    }
    compared(name, false, [expected, actual], [&wrong, &fixed])
}

/// An object by its bytes: those expected and actual, and their bits that are wrong and that are the same in all allowed
/// values.
fn compared(name: &str, number: bool, [expected, actual]: [&[u8]; 2], [wrong, fixed]: [&[u8]; 2]) -> ComparedObject {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    ComparedObject {
        name: name.to_owned(),
        number,
        expected: hex(expected),
        actual: hex(actual),
        wrong: (0..wrong.len()).filter(|&at| wrong[at] != 0).collect(),
        // An infinity in the place of a NaN is wrong in bits that may be anything in a NaN.
        undefined: (0..fixed.len()).filter(|&at| fixed[at] != u8::MAX && wrong[at] == 0).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_bits_are_never_wrong() {
        let bits = [[0x01, 0x00, 0x00], [0xff, 0xf0, 0x00]];
        let object = compared("%r1", true, [&[0x12, 0x30, 0x00], &[0x13, 0x3f, 0x77]], [&bits[0], &bits[1]]);
        assert_eq!((object.expected.as_str(), object.actual.as_str()), ("123000", "133f77"));
        assert_eq!((object.wrong, object.undefined), (vec![0], vec![1, 2]));
    }
}
