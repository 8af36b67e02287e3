//! Lines of no instruction: what is wrong with them, where, and what was probably meant.

use std::fmt;
use std::ops::Range;

use crate::spec::{Instruction, Spec, Verdict};
use crate::text::{Line, range};
use crate::yaml::near;

/// The rule that such a line breaks, where the specification has every instruction of PTX.
pub const UNKNOWN_OPCODE: &str = "isa/unknown-opcode";

/// A line that is of no instruction of the specification; its text says so.
#[derive(Clone, Copy, Debug)]
pub struct NoInstruction<'s, 'l> {
    spec: &'s Spec,
    line: &'l Line<'l>,
    /// The instruction that the line would be of without this modifier, which makes it one of another page.
    elsewhere: Option<(&'s Instruction, &'l str)>,
}

impl Spec {
    /// A line as one of no instruction; `None` if it is of one.
    pub fn no_instruction<'l>(&self, line: &'l Line<'l>) -> Option<NoInstruction<'_, 'l>> {
        let elsewhere = match self.instruction_of(line.opcode, &line.modifiers) {
            None => None,
            Some(instruction) => Some((instruction, instruction.elsewhere_in(&line.modifiers)?)),
        };
        Some(NoInstruction { spec: self, line, elsewhere })
    }
}

impl<'s, 'l> NoInstruction<'s, 'l> {
    /// The verdict on it: invalid by [`UNKNOWN_OPCODE`] where the specification has every instruction.
    pub fn verdict(&self) -> Verdict {
        if self.spec.complete { Verdict::Invalid } else { Verdict::Unknown }
    }

    /// The rule that it breaks, if it is invalid.
    pub fn rule(&self) -> Option<&'static str> {
        (self.verdict() == Verdict::Invalid).then_some(UNKNOWN_OPCODE)
    }

    /// True if the line would be of an instruction without one of its modifiers. Assemblers that take modifiers in any
    /// order may then accept it as one of another page.
    pub fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// The opcode, with the modifier without which it would be of an instruction, or with the first one if the names of
    /// some instructions begin with the opcode.
    pub fn name(&self) -> String {
        let opcode = self.elsewhere.map_or(self.line.opcode, |(instruction, _)| &instruction.name);
        self.modifier().map_or_else(|| opcode.to_owned(), |modifier| format!("{opcode}{modifier}"))
    }

    /// The modifier that is wrong, if it is not the opcode.
    fn modifier(&self) -> Option<&'l str> {
        match self.elsewhere {
            Some((_, modifier)) => Some(modifier),
            None => self.line.modifiers.first().copied().filter(|_| !self.beginning().is_empty()),
        }
    }

    /// The instructions whose names begin with the opcode.
    fn beginning(&self) -> Vec<&'s Instruction> {
        let known = self.spec.by_opcode.get(self.line.opcode).into_iter().flatten();
        known.map(|&at| &self.spec.instructions[at]).collect()
    }

    /// The bytes of what is wrong in the text that the line was read from.
    pub fn at(&self, text: &str) -> Range<usize> {
        let part = self.modifier().unwrap_or(self.line.opcode);
        range(text, part)
    }

    /// The instruction that was probably meant: the one whose name is nearest to the beginning of the line.
    pub fn nearest(&self) -> Option<&'s str> {
        let without = self.elsewhere.map(|(instruction, _)| instruction.name.as_str());
        if let Some(known) = without.and_then(|_| self.spec.instruction(&self.name())) {
            return Some(&known.name);
        }
        let beginning = self.beginning();
        let candidates = if beginning.is_empty() { self.spec.instructions.iter().collect() } else { beginning };
        let others = candidates.into_iter().filter(|candidate| Some(candidate.name.as_str()) != without);
        let distances = others.filter_map(|candidate| {
            let modifiers = self.line.modifiers.iter().take(candidate.prefix.len());
            let written: String = [&self.line.opcode].into_iter().chain(modifiers).copied().collect();
            Some((near(&written, &candidate.name)?, candidate.name.as_str()))
        });
        distances.min().map(|(_, name)| name)
    }

    /// Advice on what to write instead, as far as that can be guessed.
    pub fn help(&self) -> Option<String> {
        if let Some(name) = self.nearest() {
            return Some(format!("did you mean `{name}`?"));
        }
        let mut names: Vec<&str> = self.beginning().iter().map(|known| known.name.as_str()).collect();
        names.sort_unstable();
        let named = self.elsewhere.is_none() && !names.is_empty();
        named.then(|| format!("the instructions that begin with `{}` are {}", self.line.opcode, names.join(", ")))
    }
}

impl fmt::Display for NoInstruction<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.elsewhere, self.spec.complete) {
            (Some((instruction, modifier)), true) => write!(f, "`{}` has no modifier `{modifier}`", instruction.name),
            (Some((instruction, modifier)), false) => f.write_str(&instruction.is_another_with(modifier)),
            (None, true) => write!(f, "`{}` is not an instruction of PTX", self.name()),
            (None, false) => write!(f, "`{}` has no specification", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> Spec {
        let specs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs");
        Spec::load(std::path::Path::new(specs)).expect("a specification")
    }

    /// The message and advice on a line, after the text that they are about.
    fn said(spec: &Spec, text: &str) -> Option<(String, String, Option<String>)> {
        let line = Line::parse(text).expect(text);
        let none = spec.no_instruction(&line)?;
        Some((text[none.at(text)].to_owned(), none.to_string(), none.help()))
    }

    #[test]
    fn a_misspelt_opcode_is_no_instruction_and_the_nearest_one_is_named() {
        let spec = spec();
        for (text, at, says, nearest) in [
            ("mvo.u32 %r1, 1;", "mvo", "`mvo` is not an instruction of PTX", Some("mov")),
            ("RET;", "RET", "`RET` is not an instruction of PTX", Some("ret")),
            (
                "mbarrier.ival.shared.b64 [x];",
                ".ival",
                "`mbarrier.ival` is not an instruction of PTX",
                Some("mbarrier.inval"),
            ),
            (
                "cp.asinc.ca.shared.global [x], [y], 4;",
                ".asinc",
                "`cp.asinc` is not an instruction of PTX",
                Some("cp.async"),
            ),
            ("cp.async.bulk.prefech.L2.global [x], 16;", "", "", None),
            ("st.weak.async.u32 [x], 1;", ".async", "`st` has no modifier `.async`", Some("st.async")),
            (
                "cp.async.mbarrier.noinc.shared.b64 [x];",
                ".mbarrier",
                "`cp.async` has no modifier `.mbarrier`",
                Some("cp.async.mbarrier.arrive"),
            ),
            ("hello;", "hello", "`hello` is not an instruction of PTX", None),
            ("ret;", "", "", None),
        ] {
            let help = nearest.map(|name| format!("did you mean `{name}`?"));
            let expected = (!says.is_empty()).then(|| (at.to_owned(), says.to_owned(), help));
            assert_eq!(said(&spec, text), expected, "{text}");
        }
    }

    #[test]
    fn where_nothing_is_near_the_instructions_of_the_opcode_are_named() {
        let line = Line::parse("wmma.multiply.sync;").expect("a line");
        let spec = spec();
        let none = spec.no_instruction(&line).expect("no instruction");
        let help = "the instructions that begin with `wmma` are wmma.load, wmma.mma, wmma.store";
        assert_eq!(none.help().as_deref(), Some(help));
    }

    #[test]
    fn what_a_part_of_a_specification_lacks_is_unknown() {
        let mut spec = spec();
        let line = Line::parse("mvo.u32 %r1, 1;").expect("a line");
        assert_eq!(spec.no_instruction(&line).map(|none| none.verdict()), Some(Verdict::Invalid));
        spec.complete = false;
        let none = spec.no_instruction(&line).expect("no instruction");
        assert_eq!((none.verdict(), none.to_string()), (Verdict::Unknown, "`mvo` has no specification".to_owned()));
        assert_eq!(none.nearest(), Some("mov"));
    }
}
