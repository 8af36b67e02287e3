//! The environment that a file says it is made for: `.version`, `.target` and `.address_size`.

use std::ops::Range;
use std::str::FromStr;

use super::Checker;
use super::diagnostic::{Diagnostic, DiagnosticSeverity, OBSERVED};
use crate::directive::DirectiveJudge;
use crate::environment::{AddressSize, Environment, ParseError, Target, Version};
use crate::judge::Judge;
use crate::must::Must;
use crate::spec::Isa;
use crate::text::{Module, ModuleDirective};

/// The version, target and address size that a file says it is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// Its first `.version`, if it can be read.
    pub ptx: Option<Version>,
    /// Its first `.target`, if it can be read.
    pub target: Option<Target>,
    /// Its `.address_size`; 32 without one.
    pub address_size: AddressSize,
    /// True if it has one.
    pub states_address_size: bool,
}

/// An environment, and who judges in it.
pub(super) struct JudgedEnvironment<'s> {
    pub(super) environment: Environment,
    pub(super) judge: Judge<'s>,
    /// The judge of directives; none if the specification has none.
    pub(super) directives: Option<DirectiveJudge<'s>>,
}

/// The environments of a module, of which it can have several: each `.target` begins another.
pub(super) struct ModuleEnvironments<'s> {
    pub(super) header: FileHeader,
    /// The positions of the directives `.target`, with what is judged after each; none if it is not known.
    judges: Vec<(usize, Option<JudgedEnvironment<'s>>)>,
    pub(super) diagnostics: Vec<Diagnostic<'static>>,
}

/// The name of a target in `.target`, without its number.
const TARGETS: [&str; 2] = ["sm_", "compute_"];

impl<'s> ModuleEnvironments<'s> {
    pub(super) fn new(checker: &Checker<'s>, module: &Module<'_>) -> Self {
        let spec = checker.spec;
        let early: &[(Target, Version)] = if checker.tolerated.is_some() { &spec.isa.early } else { &[] };
        let mut reader = HeaderReader { isa: &spec.isa, early, diagnostics: Vec::new() };
        let ptx = reader.version(module);
        let address_size = reader.address_size(module, ptx);
        let targets = reader.targets(module, ptx);
        let states_address_size = !module.address_sizes.is_empty();
        let judge = |target: Option<Target>| {
            let target = target?;
            // A version that is too old for the rest of the header is said once, and not of each line.
            let of_target = spec.isa.targets.iter().find(|(known, _)| *known == target).map(|(_, since)| *since);
            let of_size = states_address_size.then_some(AddressSize::SINCE);
            let needed = of_target.into_iter().chain(of_size).filter(|since| spec.isa.versions.contains(since));
            let ptx = needed.fold(ptx?, Version::max);
            let environment = Environment { ptx, target, address_size };
            let (judge, directives) = (Judge::new(spec, &environment).ok()?, DirectiveJudge::new(spec, &environment));
            Some(JudgedEnvironment { environment, judge, directives })
        };
        let target = targets.first().and_then(|(_, target)| *target);
        let header = FileHeader { ptx, target, address_size, states_address_size };
        let judges = targets.into_iter().map(|(at, target)| (at, judge(target))).collect();
        Self { header, judges, diagnostics: reader.diagnostics }
    }

    /// True if every part of the module has an environment that the specification knows.
    pub(super) fn known(&self) -> bool {
        !self.judges.is_empty() && self.judges.iter().all(|(_, judge)| judge.is_some())
    }

    /// The environment at a position of the module.
    pub(super) fn of(&self, at: usize) -> Option<&JudgedEnvironment<'s>> {
        let before = self.judges.iter().rfind(|(start, _)| *start < at);
        before.or(self.judges.first()).and_then(|(_, judge)| judge.as_ref())
    }
}

/// The note on a target that is taken before its version.
const TAKEN: &str = "every known ptxas accepts it";

struct HeaderReader<'i> {
    isa: &'i Isa,
    /// The targets that are only warned about before the version that brought them, and from which one on.
    early: &'i [(Target, Version)],
    diagnostics: Vec<Diagnostic<'static>>,
}

const VERSION: &str = "ptx-module-directives-version";
const TARGET: &str = "ptx-module-directives-target";
const ADDRESS_SIZE: &str = "ptx-module-directives-address-size";

impl HeaderReader<'_> {
    fn error(&mut self, rule: &str, at: Range<usize>, message: impl Into<String>, page: &'static str) {
        self.diagnostics.push(Diagnostic::new(DiagnosticSeverity::Error, rule, at, message).with_page(page));
    }

    fn version(&mut self, module: &Module<'_>) -> Option<Version> {
        let rule = "isa/version";
        let first = module.contents.into_iter().chain(module.targets.first().map(|target| target.at)).min();
        let Some(directive) = module.versions.first() else {
            let at = first.unwrap_or(module.text.len());
            self.error(rule, at..at, "a module begins with `.version`, and there is none", VERSION);
            return None;
        };
        if first.is_some_and(|first| first < directive.at) {
            self.error(rule, span(directive), "`.version` must be the first statement of a module", VERSION);
        }
        for again in &module.versions[1..] {
            self.error(rule, span(again), "a module has only one `.version`", VERSION);
        }
        let gap = directive.text[".version".len()..].strip_suffix(directive.argument).unwrap_or_default();
        if !gap.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
            self.error(rule, span(directive), "the number of `.version` stands in its line, after a blank", VERSION);
        }
        let version = self.parsed(rule, directive, directive.argument, VERSION)?;
        if !self.isa.versions.contains(&version) {
            let newest = self.isa.versions.last().must("a specification without versions is not loaded");
            let message = format!("PTX {version} is not known: the newest version that is known is {newest}");
            self.error(rule, span(directive), message, VERSION);
        }
        Some(version)
    }

    /// The argument of a directive.
    fn parsed<T: FromStr<Err = ParseError>>(
        &mut self,
        rule: &str,
        directive: &ModuleDirective<'_>,
        argument: &str,
        page: &'static str,
    ) -> Option<T> {
        match argument.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                self.error(rule, span(directive), error.to_string(), page);
                None
            }
        }
    }

    fn address_size(&mut self, module: &Module<'_>, ptx: Option<Version>) -> AddressSize {
        let rule = "isa/address-size";
        let Some(directive) = module.address_sizes.first() else { return AddressSize::Bits32 };
        for again in &module.address_sizes[1..] {
            self.error(rule, span(again), "a module has only one `.address_size`", ADDRESS_SIZE);
        }
        let size = self.parsed(rule, directive, directive.argument, ADDRESS_SIZE).unwrap_or(AddressSize::Bits32);
        let late = module.contents.is_some_and(|contents| contents < directive.at);
        if late || module.targets.first().is_some_and(|target| directive.at < target.at) {
            self.error(rule, span(directive), "`.address_size` must follow `.target`", ADDRESS_SIZE);
        }
        if ptx.is_some_and(|ptx| ptx < AddressSize::SINCE) {
            let message = format!("`.address_size` needs PTX {}", AddressSize::SINCE);
            self.error("isa/address-size-since", span(directive), message, ADDRESS_SIZE);
        }
        size
    }

    fn targets(&mut self, module: &Module<'_>, ptx: Option<Version>) -> Vec<(usize, Option<Target>)> {
        let rule = "isa/target";
        let Some(first) = module.targets.first() else {
            let at = module.contents.unwrap_or(module.text.len());
            self.error(rule, at..at, "`.version` is followed by `.target`, and there is none", TARGET);
            return Vec::new();
        };
        if module.contents.is_some_and(|contents| contents < first.at) {
            self.error(rule, span(first), "`.target` must follow `.version`", TARGET);
        }
        let size =
            module.address_sizes.first().map_or(usize::MAX, |size| size.at).min(module.contents.unwrap_or(usize::MAX));
        for again in &module.targets[1..] {
            let inside = module.bodies.iter().any(|body| body.range.contains(&again.at));
            if again.at > size && !inside {
                let diagnostic = Diagnostic::new(
                    DiagnosticSeverity::Error,
                    rule,
                    span(again),
                    "a further `.target` follows the first, or stands in a body",
                );
                self.diagnostics.push(diagnostic.with_note(OBSERVED));
            }
        }
        module.targets.iter().map(|directive| (directive.at, self.target(directive, ptx))).collect()
    }

    fn target(&mut self, directive: &ModuleDirective<'_>, ptx: Option<Version>) -> Option<Target> {
        let rule = "isa/target";
        let words = directive.argument.split(',').map(str::trim);
        let named = words.filter_map(|word| TARGETS.iter().find_map(|prefix| word.strip_prefix(prefix)));
        let numbers: Vec<&str> = named.collect();
        if numbers.is_empty() {
            let message = "`.target` names a target such as sm_90 or sm_90a";
            self.error(rule, span(directive), message, TARGET);
        }
        // A module for several targets has what the newest has.
        let parse = |number: &&str| self.parsed::<Target>(rule, directive, &format!("sm_{number}"), TARGET);
        let target = numbers.iter().filter_map(parse).max()?;
        match self.isa.targets.iter().find(|(known, _)| *known == target) {
            None => self.error(rule, span(directive), format!("the target {target} is not known"), TARGET),
            Some((_, since)) if ptx.is_some_and(|ptx| ptx < *since) => {
                let message = format!("a target needs the PTX version that introduced it: {target} needs PTX {since}");
                let taken = self.early.iter().any(|(early, from)| *early == target && ptx >= Some(*from));
                let severity = if taken { DiagnosticSeverity::Warning } else { DiagnosticSeverity::Error };
                let said = Diagnostic::new(severity, "isa/target-since", span(directive), message).with_page(TARGET);
                self.diagnostics.push(if taken { said.with_note(TAKEN) } else { said });
            }
            Some(_) => {}
        }
        Some(target)
    }
}

fn span(directive: &ModuleDirective<'_>) -> Range<usize> {
    directive.at..directive.at + directive.text.len()
}
