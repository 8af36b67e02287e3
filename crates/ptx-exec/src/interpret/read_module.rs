//! Modules: their environment, the names at module scope, and their bodies.

use ptx_spec::environment::{AddressSize, Environment, Target};
use ptx_spec::judge::Judge;
use ptx_spec::ptx::{Module, ProblemKind};
use ptx_spec::spec::Spec;

use super::code::CodeBody;
use super::computations::Computations;
use super::names::{NameScope, NamedThing};
use super::read_body::{BodyReader, ReadContext};

/// A module that was read.
pub(super) struct InterpretedModule {
    /// The bodies of its entries and functions, in order.
    pub(super) bodies: Vec<CodeBody>,
    /// For each body, whether it is an entry.
    entries: Vec<bool>,
}

impl InterpretedModule {
    /// Reads a module.
    ///
    /// # Errors
    /// The reason why the module is not executed.
    pub(super) fn read(spec: &Spec, text: &str, computations: &Computations) -> Result<Self, String> {
        let module = Module::read(text, &spec.isa);
        if let Some(problem) = module.problems.first() {
            let line = 1 + text[..problem.at.start].bytes().filter(|byte| *byte == b'\n').count();
            let why = match problem.kind {
                ProblemKind::Syntax(why) => why.to_owned(),
                ProblemKind::Directive(name) => format!("`{name}` is not a directive of PTX"),
                ProblemKind::Twice(name) => format!("`{name}` is declared twice"),
            };
            return Err(format!("the module cannot be read: line {line}: {why}"));
        }
        let environment = environment(&module)?;
        let judge = Judge::new(spec, &environment).map_err(|why| why.to_string())?;
        let context = ReadContext { spec, judge, computations };
        let mut names = NameScope::default();
        for (at, body) in module.bodies.iter().enumerate() {
            if let Some(header) = body.header.as_ref().filter(|header| header.function) {
                names.insert(header.name, NamedThing::Function(at));
            }
        }
        let entries = module.bodies.iter().map(|body| body.header.as_ref().is_some_and(|header| !header.function));
        let read = module.bodies.iter().map(|body| BodyReader::read(&context, &module, body, &names));
        Ok(Self { entries: entries.collect(), bodies: read.collect::<Result<_, _>>()? })
    }

    /// The position of an entry.
    pub(super) fn entry(&self, name: &str) -> Option<usize> {
        self.bodies.iter().zip(&self.entries).position(|(body, entry)| *entry && body.name == name)
    }
}

/// The environment that a module says it is made for.
fn environment(module: &Module<'_>) -> Result<Environment, String> {
    let [ptx] = module.versions.as_slice() else { return Err("the module has no `.version`, or several".to_owned()) };
    let [target] = module.targets.as_slice() else { return Err("the module has no `.target`, or several".to_owned()) };
    let first = target.argument.split(',').next().unwrap_or_default().trim();
    let target: Target = first.parse().map_err(|why| format!("`.target {first}`: {why}"))?;
    let size = module.address_sizes.first().map_or("32", |size| size.argument);
    let address_size: AddressSize = size.parse().map_err(|why| format!("`.address_size {size}`: {why}"))?;
    if address_size == AddressSize::Bits32 {
        return Err("modules with addresses of 32 bits are not executed: add `.address_size 64`".to_owned());
    }
    let ptx = ptx.argument.parse().map_err(|why| format!("`.version {}`: {why}", ptx.argument))?;
    Ok(Environment { ptx, target, address_size })
}
