//! Chains of lines that an engine is known to compile wrong.

use ptx_kernels::{ChainRows, ChainText};
use schemars::JsonSchema;
use serde::Deserialize;

/// The lines of a chain as a divergence lists them.
#[derive(Clone, Debug)]
pub struct KnownChain {
    /// The pattern of each line, as in its file.
    pub lines: Vec<String>,
    /// The alternatives of each pattern.
    patterns: Vec<LinePattern>,
    /// A chain that shows it.
    pub shows: ShownChain,
}

/// A line of a chain that a divergence may list.
#[derive(Clone, Copy, Debug)]
pub struct ChainLine<'l> {
    /// Its text.
    pub text: &'l str,
    /// True if it only fills the memory of the chain before the others, or observes it after them.
    pub is_frame: bool,
}

/// A chain with a row that shows a divergence.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ShownChain {
    /// The chain.
    #[serde(flatten)]
    chain: ChainText,
    /// The values of its inputs, as hexadecimal digits.
    row: Vec<String>,
}

/// The pattern of a line: an opcode with modifiers, and whether it needs a guard; with a space in it, of the operands as well.
#[derive(Clone, Debug)]
struct LinePattern {
    guarded: bool,
    whole: bool,
    alternatives: Vec<glob::Pattern>,
    /// The same of the operation alone.
    operations: Vec<glob::Pattern>,
}

impl KnownChain {
    /// A chain of lines with these patterns: `set.*.{s16,u16}`, `@set.*` if only a line with a guard is meant, `setp.* _*` if its
    /// operands matter.
    ///
    /// # Errors
    /// The mistake, in words.
    pub(super) fn new(lines: Vec<String>, shows: ShownChain) -> Result<Self, String> {
        let patterns = lines.iter().map(|line| LinePattern::new(line)).collect::<Result<_, String>>()?;
        shows.chain.error().map_or(Ok(()), Err)?;
        shows.rows()?;
        Ok(Self { lines, patterns, shows })
    }

    /// True if these lines, without registers and numbers, are such a chain, perhaps with lines around them that fill and observe
    /// its memory.
    pub fn matches(&self, lines: &[ChainLine<'_>]) -> bool {
        fn rest(patterns: &[LinePattern], lines: &[ChainLine<'_>]) -> bool {
            let Some((line, others)) = lines.split_first() else { return patterns.is_empty() };
            let is_next =
                |(next, after): (&LinePattern, &[LinePattern])| next.matches(line.text) && rest(after, others);
            patterns.split_first().is_some_and(is_next) || line.is_frame && rest(patterns, others)
        }
        rest(&self.patterns, lines)
    }

    /// True if a line can have this position in such a chain.
    pub fn has_at(&self, position: usize, line: &str) -> bool {
        self.patterns.get(position).is_some_and(|pattern| pattern.matches(line))
    }

    /// True if a line of this operation, opcode and modifiers, may end such a chain.
    pub fn may_end_with(&self, operation: &str) -> bool {
        self.patterns.last().is_some_and(|pattern| pattern.may_match(operation))
    }

    /// The positions of the lines that end such a chain among these lines, between which others may stand.
    pub fn ends_in(&self, lines: &[String]) -> Vec<usize> {
        let Some((last, before)) = self.patterns.split_last() else { return Vec::new() };
        let mut found = Vec::new();
        let mut open = before.iter();
        let mut next = open.next();
        for (at, line) in lines.iter().enumerate() {
            match next {
                Some(pattern) if pattern.matches(line) => next = open.next(),
                None if last.matches(line) => found.push(at),
                _ => {}
            }
        }
        found
    }
}

impl ShownChain {
    /// The chain.
    pub fn chain(&self) -> &ChainText {
        &self.chain
    }

    /// The row that shows it.
    ///
    /// # Errors
    /// If it does not have a number for each input.
    pub fn rows(&self) -> Result<ChainRows, String> {
        let value = |digits: &String| {
            u64::from_str_radix(digits, 16)
                .map_err(|_| format!("`{digits}` is not a hexadecimal number of up to 64 bits"))
        };
        let row: Vec<u64> = self.row.iter().map(value).collect::<Result<_, String>>()?;
        match (row.len(), self.chain.inputs.len()) {
            (values, inputs) if values == inputs => Ok(ChainRows { rows: vec![row] }),
            (values, inputs) => Err(format!("the row has {values} values, but the chain has {inputs} inputs")),
        }
    }
}

impl LinePattern {
    fn new(text: &str) -> Result<Self, String> {
        let (guarded, operation) = text.strip_prefix('@').map_or((false, text), |rest| (true, rest));
        let pattern =
            |text: String| glob::Pattern::new(&text).map_err(|why| format!("`{text}` is not a pattern: {why}"));
        let texts = expanded(operation)?;
        let of_operation = |text: &String| pattern(text.split(' ').next().unwrap_or_default().to_owned());
        let operations = texts.iter().map(of_operation).collect::<Result<_, String>>()?;
        let alternatives = texts.into_iter().map(pattern).collect::<Result<_, String>>()?;
        Ok(Self { guarded, whole: operation.contains(' '), alternatives, operations })
    }

    /// True if it matches some line of an operation.
    fn may_match(&self, operation: &str) -> bool {
        self.operations.iter().any(|pattern| pattern.matches(operation))
    }

    fn matches(&self, line: &str) -> bool {
        let (guarded, operation) = match line.strip_prefix('@') {
            Some(rest) => (true, rest.split_once(' ').map_or(rest, |(_, operation)| operation)),
            None => (false, line),
        };
        let operation = match self.whole {
            true => operation,
            false => operation.split_whitespace().next().unwrap_or_default().trim_end_matches(';'),
        };
        (guarded || !self.guarded) && self.alternatives.iter().any(|pattern| pattern.matches(operation))
    }
}

/// The texts that a text with alternatives in braces stands for: `{a,b}.c` for `a.c` and `b.c`.
fn expanded(text: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = text.split_once('{') else { return Ok(vec![text.to_owned()]) };
    let (inside, after) = rest.split_once('}').ok_or_else(|| format!("a brace is not closed in `{text}`"))?;
    let ends = expanded(after)?;
    let starts = inside.split(',').map(|one| format!("{before}{one}"));
    Ok(starts.flat_map(|start| ends.iter().map(move |end| format!("{start}{end}"))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_may_be_filled_before_listed_lines_and_observed_after_them() {
        let patterns = ["*.f32*", "st.*.u16"].map(|line| LinePattern::new(line).expect("a pattern")).into();
        let shows = serde_json::json!({ "registers": [], "inputs": [], "lines": [], "outputs": [], "row": [] });
        let shows = serde_json::from_value(shows).expect("a chain");
        let known = KnownChain { lines: Vec::new(), patterns, shows };
        for (lines, expected) in [
            (&["mov.f32 %x0, %x1;", "st.local.u16 [m], %x0;"][..], true),
            (
                &[
                    "st.local.v2.b64 [m], {%x2, %x2};",
                    "ld.local.f32 %x0, [m];",
                    "st.local.u16 [m], %x0;",
                    "ld.local.b16 %x1, [m];",
                ],
                true,
            ),
            (&["mov.f32 %x0, %x1;", "add.u32 %x0, %x0, 1;", "st.local.u16 [m], %x0;"], false),
            (&["mov.f32 %x0, %x1;", "st.local.b16 [m], %x0;"], false),
            (&["mov.f32 %x0, %x1;", "st.local.u8 [m], %x1;", "st.local.u16 [m], %x0;"], false),
        ] {
            let is_frame = |text: &str| text.starts_with("st.local.v2.b64") || text.starts_with("ld.local.b16");
            let lines: Vec<ChainLine<'_>> =
                lines.iter().map(|text| ChainLine { text, is_frame: is_frame(text) }).collect();
            assert_eq!(known.matches(&lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn patterns_are_of_opcodes_modifiers_and_guards() {
        for (pattern, line, expected) in [
            ("set.*.{s16,u16}", "set.eq.s32.u16 %x2, %x1, %x1;", true),
            ("set.*.{s16,u16}", "@!%x0 set.eq.s32.s16 %x2, %x1, %x1;", true),
            ("@set.*.{s16,u16}", "set.eq.s32.u16 %x2, %x1, %x1;", false),
            ("set.*.{s16,u16}", "set.eq.s32.u32 %x2, %x1, %x1;", false),
            ("{min,max}.{s32,u32}", "max.u32 %x2, %x1, 3;", true),
            ("min", "min.s32 %x2, %x1, 3;", false),
            ("@setp.* _*", "@%x0 setp.eq.b32 _|%x1, %x2, %x3;", true),
            ("@setp.* _*", "@%x0 setp.eq.b32 %x1|_, %x2, %x3;", false),
        ] {
            let of = LinePattern::new(pattern).expect("a pattern");
            assert_eq!(of.matches(line), expected, "{pattern}: {line}");
        }
        assert!(LinePattern::new("{a").is_err());
    }
}
