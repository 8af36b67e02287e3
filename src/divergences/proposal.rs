//! The YAML that would list a finding as a divergence: the one place that writes the format.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use super::{Condition, Does};
use crate::engine::Depth;
use crate::spec::{Form, Instruction};

/// A divergence to list.
#[derive(Clone, Debug)]
pub struct Proposal<'a> {
    /// The end of the divergence's id, which makes it unique.
    pub suffix: &'a str,
    /// The engine's behavior.
    pub does: Does,
    /// The rules it does not enforce.
    pub rules: &'a [String],
    /// True if it applies to valid lines as well, where there are rules.
    pub valid: bool,
    /// The ids of the forms.
    pub forms: &'a [String],
    /// The instructions that have these forms.
    pub instructions: &'a [&'a Instruction],
    /// The condition.
    pub when: &'a Condition,
    /// The names of the engines that do it, if others of their family may not; empty for all.
    pub engines: &'a [&'a str],
    /// The first version that does it if earlier ones do not, and the last one if later ones do not.
    pub versions: (Option<String>, Option<String>),
    /// The depth at which it shows.
    pub depth: Depth,
    /// True if it does so only with some of these lines.
    pub sometimes: bool,
    /// The evidence for which it is proposed.
    pub because: String,
}

impl Proposal<'_> {
    /// The entries: valid lines and lines that break a rule are listed separately.
    pub fn yaml(&self) -> String {
        let mut text = String::new();
        let valid = self.valid || self.rules.is_empty();
        let halves = [valid.then_some(&[][..]), (!self.rules.is_empty()).then_some(self.rules)];
        for (at, rules) in halves.into_iter().flatten().enumerate() {
            let suffix = if at == 0 { "" } else { "-broken" };
            // Writing to a String cannot fail.
            let _ = self.entry(&format!("{}{suffix}", self.id()), rules, &mut text);
        }
        text
    }

    fn id(&self) -> String {
        let opcode =
            self.forms.first().map_or("", |form| form.rsplit_once('.').map_or(form.as_str(), |(opcode, _)| opcode));
        let rule = self.rules.first().map_or("valid", |rule| rule.rsplit('/').next().unwrap_or(rule));
        match self.does {
            Does::Computes => format!("{opcode}-computes-{}", self.suffix),
            does => format!("{opcode}-{}-{rule}-{}", does.word(), self.suffix),
        }
    }

    fn entry(&self, id: &str, rules: &[String], to: &mut String) -> fmt::Result {
        let names: BTreeSet<&str> = self.instructions.iter().map(|instruction| instruction.name.as_str()).collect();
        let list = |words: &mut dyn Iterator<Item = &str>| words.collect::<Vec<_>>().join(", ");
        writeln!(to, "  - id: {id}")?;
        writeln!(to, "    instructions: [{}]", list(&mut names.iter().copied()))?;
        let listed = |form: &Form| self.forms.contains(&form.id);
        if !self.instructions.iter().all(|instruction| instruction.forms.iter().all(listed)) {
            let short: BTreeSet<&str> =
                self.forms.iter().map(|form| form.rsplit_once('.').map_or(form.as_str(), |(_, id)| id)).collect();
            writeln!(to, "    forms: [{}]", list(&mut short.iter().copied()))?;
        }
        if !self.engines.is_empty() {
            writeln!(to, "    engines: [{}]", list(&mut self.engines.iter().copied()))?;
        }
        let (from, until) = &self.versions;
        from.iter().try_for_each(|from| writeln!(to, "    from: \"{from}\""))?;
        until.iter().try_for_each(|until| writeln!(to, "    to: \"{until}\""))?;
        writeln!(to, "    does: {}", self.does.word())?;
        if !rules.is_empty() {
            writeln!(to, "    rules: [{}]", list(&mut rules.iter().map(String::as_str)))?;
        }
        if !self.when.is_empty() {
            writeln!(to, "    when: {}", self.when)?;
        }
        if self.depth == Depth::Generate {
            writeln!(to, "    depth: generate")?;
        }
        if self.sometimes {
            writeln!(to, "    sometimes: true")?;
        }
        writeln!(to, "    because: Not explained yet ({}).", self.because)
    }
}
