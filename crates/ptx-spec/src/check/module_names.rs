//! What the declarations of a module say of one another: names that are declared again, and what all of them take together.

use rustc_hash::{FxHashMap, FxHashSet};

use super::diagnostic::{Diagnostic, DiagnosticSeverity, OBSERVED};
use crate::spec::Isa;
use crate::text::{
    CallSignature, Declaration, Declarator, Header, Lexer, Module, ModuleDirective, Statement, natural, range,
};

/// The rule of names whose declarations do not go together.
pub(super) const AGAIN: &str = "isa/declared-again";
/// The page on functions.
const FUNCTIONS: &str = "function-declarations-and-definitions";
/// The page on constants, which says how many bytes there are.
const CONSTANTS: &str = "constant-state-space";
/// The bytes that all constants of a module may take.
const CONSTANT_BYTES: u64 = 65536;

/// A name of a module, as it was declared first.
enum DeclaredName<'m, 'a> {
    Variable { declaration: &'m Declaration<'a>, elements: Option<u64>, defined: bool },
    Function { header: &'m Header<'a>, defined: bool },
}

/// Compares the declarations of a module.
pub(super) fn check<'a>(module: &Module<'a>, isa: &Isa) -> Vec<Diagnostic<'a>> {
    let mut checker = ModuleChecker { module, isa, names: FxHashMap::default(), found: Vec::new(), constants: 0 };
    let mut files = FxHashSet::default();
    let mut sections = false;
    for (_, statement) in &module.statements {
        match statement {
            Statement::Declaration(declaration) => {
                declaration.declarators().flatten().for_each(|name| checker.variable(declaration, &name));
            }
            Statement::Header(header) => checker.function(header),
            Statement::Directive(".alias", all) => checker.alias(all),
            Statement::Directive(".section" | "@@DWARF", _) => sections = true,
            Statement::Directive(".file", all) => {
                let index = all[".file".len()..].split_whitespace().next().and_then(natural);
                if let Some(index) = index.filter(|&index| !files.insert(index)) {
                    let message = format!("there is another file with the index {index}");
                    checker.say(all, "isa/file-twice", message, None);
                }
            }
            _ => {}
        }
    }
    let debugged = |target: &&ModuleDirective<'_>| target.argument.split(',').any(|option| option.trim() == "debug");
    if let Some(target) = module.targets.iter().find(debugged).filter(|_| !sections) {
        let message = "the module has no debugging section, which a target with `debug` demands".to_owned();
        checker.say(target.argument, "isa/debug-sections", message, None);
    }
    checker.found
}

struct ModuleChecker<'m, 'a> {
    module: &'m Module<'a>,
    isa: &'m Isa,
    names: FxHashMap<&'a str, DeclaredName<'m, 'a>>,
    found: Vec<Diagnostic<'a>>,
    /// The bytes of all constants so far.
    constants: u64,
}

/// The linkage of a declaration or header.
fn linkage(text: &str) -> &'static str {
    [".extern", ".visible", ".weak", ".common"]
        .into_iter()
        .find(|word| text.trim_start().starts_with(word))
        .unwrap_or("")
}

fn noreturn(header: &Header<'_>) -> bool {
    Lexer::new(header.text).any(|token| token.text == ".noreturn")
}

impl<'m, 'a> ModuleChecker<'m, 'a> {
    /// Says something about a part of the module; without a page it was observed.
    fn say(&mut self, part: &str, rule: &str, message: String, page: Option<&'static str>) {
        let at = range(self.module.text, part);
        let diagnostic = Diagnostic::new(DiagnosticSeverity::Error, rule, at, message);
        self.found.push(match page {
            Some(page) => diagnostic.with_page(page),
            None => diagnostic.with_note(OBSERVED),
        });
    }

    fn variable(&mut self, declaration: &'m Declaration<'a>, name: &Declarator<'a>) {
        if name.family.is_some() {
            return;
        }
        let defined = linkage(declaration.directives) != ".extern";
        if defined && declaration.space == ".const" {
            self.constant(declaration, name);
        }
        let elements = if name.array { name.elements } else { Some(1) };
        let again = self.names.get(name.name);
        let wrong = match again {
            None => None,
            Some(DeclaredName::Function { .. }) => Some("is a function already".to_owned()),
            // A second definition is said where all names are.
            Some(DeclaredName::Variable { defined: true, .. }) if defined => None,
            Some(DeclaredName::Variable { declaration: first, elements: known, .. }) => {
                let sizes = known.zip(elements).is_some_and(|(known, elements)| known != elements);
                if first.space != declaration.space {
                    None
                } else if first.of_type != declaration.of_type || first.lanes != declaration.lanes || sizes {
                    Some("is declared with another type before".to_owned())
                } else if defined && linkage(declaration.directives).is_empty() {
                    Some("is .extern before, and has no linkage here".to_owned())
                } else {
                    None
                }
            }
        };
        if let Some(why) = wrong {
            self.say(name.name, AGAIN, format!("`{}` {why}", name.name), None);
        }
        let known = DeclaredName::Variable { declaration, elements, defined };
        self.names.entry(name.name).or_insert(known);
    }

    /// Counts a constant.
    fn constant(&mut self, declaration: &Declaration<'a>, name: &Declarator<'a>) {
        let bits = self.isa.register_type(declaration.of_type).map_or(0, |of| u64::from(of.bits));
        let unit = bits / 8 * u64::from(declaration.lanes);
        let alignment = declaration.alignment.map_or(unit, |bytes| unit.max(u64::from(bytes))).max(1);
        let before = self.constants;
        let bytes = name.elements.unwrap_or(0).saturating_mul(unit);
        self.constants = before.div_ceil(alignment).saturating_mul(alignment).saturating_add(bytes);
        if before <= CONSTANT_BYTES && self.constants > CONSTANT_BYTES {
            let message = format!(
                "the constants of a module take at most {CONSTANT_BYTES} bytes, and with this {}",
                self.constants
            );
            self.say(name.name, "isa/constant-bytes", message, Some(CONSTANTS));
        }
    }

    fn function(&mut self, header: &'m Header<'a>) {
        let defined = !header.prototype;
        let why = match self.names.get(header.name) {
            None => None,
            Some(DeclaredName::Variable { .. }) => Some("is a variable already".to_owned()),
            // A second definition is said where all names are.
            Some(DeclaredName::Function { defined: true, .. }) if defined => None,
            Some(DeclaredName::Function { defined: true, .. }) => Some("is defined before".to_owned()),
            Some(DeclaredName::Function { header: first, .. }) => self.difference(first, header),
        };
        if let Some(why) = why {
            self.say(header.name, AGAIN, format!("`{}` {why}", header.name), Some(FUNCTIONS));
        }
        if linkage(header.text) == ".extern" && defined {
            let message = format!("`{}` is .extern, and has a body", header.name);
            self.say(header.name, "isa/extern-body", message, Some("linking-directives-extern"));
        }
        if let Some(DeclaredName::Function { defined: known, .. }) = self.names.get_mut(header.name) {
            *known |= defined;
        } else {
            self.names.insert(header.name, DeclaredName::Function { header, defined });
        }
    }

    /// The way in which two headers of one name differ, if they do.
    fn difference(&self, first: &Header<'_>, again: &Header<'_>) -> Option<String> {
        if first.function != again.function {
            return Some("is both an entry and a function".to_owned());
        }
        let (before, now) = (linkage(first.text), linkage(again.text));
        if before != now && !(now.is_empty() && matches!(before, ".visible" | ".weak")) {
            let word =
                |linkage: &str| if linkage.is_empty() { "without linkage".to_owned() } else { linkage.to_owned() };
            return Some(format!("is {} here, and {} before", word(now), word(before)));
        }
        if noreturn(first) != noreturn(again) {
            return Some("is .noreturn in only one of its declarations".to_owned());
        }
        self.signatures_differ(first, again).then(|| "has other parameters or results before".to_owned())
    }

    /// True if two headers are known to have different parameters or results.
    fn signatures_differ(&self, first: &Header<'_>, second: &Header<'_>) -> bool {
        let signatures = CallSignature::of_header(self.isa, first).zip(CallSignature::of_header(self.isa, second));
        signatures.is_some_and(|(first, second)| first != second)
    }

    /// Checks the two functions of an alias.
    fn alias(&mut self, all: &'a str) {
        let names = all[".alias".len()..].trim_end_matches(';').split_once(',');
        let Some((alias, aliasee)) = names.map(|(alias, aliasee)| (alias.trim(), aliasee.trim())) else { return };
        const PAGE: &str = "kernel-and-function-directives-alias";
        let of = |name: &str| match self.names.get(name) {
            Some(DeclaredName::Function { header, defined }) => Some((*header, *defined)),
            _ => None,
        };
        let Some(((first, body), (second, _))) = of(alias).zip(of(aliasee)) else { return };
        let why = if alias == aliasee {
            Some("a function is no alias of itself".to_owned())
        } else if body {
            Some(format!("`{alias}` has a body, and is no alias"))
        } else if linkage(second.text) == ".weak" {
            Some(format!("`{aliasee}` is .weak, and has no alias"))
        } else {
            let differ = self.signatures_differ(first, second) || noreturn(first) != noreturn(second);
            differ.then(|| format!("`{alias}` and `{aliasee}` have different prototypes"))
        };
        match why {
            Some(why) => self.say(alias, "isa/alias", why, Some(PAGE)),
            // The name has a body from here on.
            None => {
                if let Some(DeclaredName::Function { defined, .. }) = self.names.get_mut(alias) {
                    *defined = true;
                }
            }
        }
    }
}
