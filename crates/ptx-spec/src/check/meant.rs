//! The declared name that is meant by one that is not declared.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::judge::Judge;
use crate::spec::Isa;
use crate::text::{Declarations, Lexer, Line, TokenKind, range};
use crate::yaml::near;

/// How many names are said to be equally near; of more than these, none is.
const MOST: usize = 3;

/// An instruction with a name that is not declared.
pub(super) struct LineWithName<'l, 'a, 's> {
    pub(super) file: &'a str,
    /// Its bytes in the file.
    pub(super) at: Range<usize>,
    pub(super) line: &'l Line<'a>,
    pub(super) declarations: &'l Declarations,
    pub(super) judge: &'l Judge<'s>,
    pub(super) isa: &'l Isa,
    /// True if no other name in it is undeclared.
    pub(super) is_only: bool,
}

impl LineWithName<'_, '_, '_> {
    /// Advice on a name: the declared one that is at most one letter away, and with which the line has fewer faults.
    pub(super) fn advice(&self, name: &str) -> Option<String> {
        if let Some((prefix, count)) = self.declarations.smaller_family(name) {
            let members = match count {
                0 => "none".to_owned(),
                1 => format!("only `{prefix}0`"),
                _ => format!("`{prefix}0` to `{prefix}{}`", count - 1),
            };
            return Some(format!("`{prefix}<{count}>` declares {members}"));
        }
        let before = self.judge.read(self.line, self.declarations)?.1.broken.len();
        let mut fitting: Vec<(String, Option<String>)> = Vec::new();
        for candidate in self.nearest(name) {
            let text = self.with(name, &candidate);
            let Ok(line) = Line::parse(&text) else { continue };
            let Some((_, reading)) = self.judge.read(&line, self.declarations) else { continue };
            if reading.valid() || reading.broken.len() < before {
                let valid = (reading.valid() && self.is_only).then(|| line.to_string());
                fitting.push((candidate, valid));
            }
        }
        match fitting.as_slice() {
            [] => None,
            [(meant, Some(line))] => Some(format!("did you mean `{meant}`? This is valid: `{line}`")),
            [(meant, None)] => Some(format!("did you mean `{meant}`?")),
            several if several.len() <= MOST => {
                let names: Vec<String> = several.iter().map(|(name, _)| format!("`{name}`")).collect();
                Some(format!("did you mean {}?", names.join(" or ")))
            }
            _ => None,
        }
    }

    /// The names nearest to one: those that differ in case, or else in one letter or digit.
    fn nearest(&self, name: &str) -> Vec<String> {
        let mut all: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let specials = self.isa.specials.keys().map(|special| special.as_str().into());
        for candidate in self.declarations.similar(name).chain(specials) {
            // Of names with one letter, each is one letter away from all others.
            let most = usize::from(name.trim_start_matches(['%', '$', '_']).len() > 1);
            let Some(distance) = near(name, &candidate).filter(|&distance| distance <= most) else { continue };
            let known = self.declarations.symbol(&candidate).is_some() || self.isa.special(&candidate).is_some();
            let found = all.entry(distance).or_default();
            if known && !found.iter().any(|other| *other == candidate) {
                found.push(candidate.into_owned());
            }
        }
        let mut nearest = all.into_values().find(|found| !found.is_empty()).unwrap_or_default();
        nearest.sort_unstable();
        nearest
    }

    /// The text of the line with another name in place of one.
    fn with(&self, name: &str, other: &str) -> String {
        let text = &self.file[self.at.clone()];
        let (mut changed, mut end) = (String::new(), 0);
        for token in Lexer::new(text).filter(|token| token.kind == TokenKind::Word && token.text == name) {
            let at = range(text, token.text);
            changed.push_str(&text[end..at.start]);
            changed.push_str(other);
            end = at.end;
        }
        changed.push_str(&text[end..]);
        changed
    }
}
