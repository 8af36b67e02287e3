//! Modules: their environment, the names at module scope, and their bodies.

use std::ops::Range;

use ptx_spec::environment::{AddressSize, Environment, Target};
use ptx_spec::judge::Judge;
use ptx_spec::ptx::{Declaration, Module};
use ptx_spec::spec::Spec;

use super::code::{CodeBody, CodeLine, CodeOperation};
use super::computations::Computations;
use super::declared::{DeclaredVariable, PlacedVariables};
use super::initial::contents;
use super::names::{NameScope, NamedThing};
use super::read_body::{BodyReader, ReadContext, unreadable};
use super::windows;
use crate::object::Space;
use crate::value::MemoryRegion;

/// A module that was read.
pub(super) struct InterpretedModule {
    /// The bodies of its entries and functions, in order.
    pub(super) bodies: Vec<CodeBody>,
    /// For each body, whether it is an entry.
    pub(super) entries: Vec<bool>,
    /// The variables of the module before the first launch, in the order of their addresses, each with its space.
    pub(super) regions: Vec<(Space, MemoryRegion)>,
}

impl InterpretedModule {
    /// Reads a module whose variables may take up to this many bytes.
    ///
    /// # Errors
    /// The reason why the module is not executed.
    pub(super) fn read(spec: &Spec, text: &str, computations: &Computations, memory: u64) -> Result<Self, String> {
        let module = Module::read(text, &spec.isa);
        if let Some(problem) = module.problems.first() {
            return Err(unreadable(text, problem));
        }
        let environment = environment_of(&module)?;
        let judge = Judge::new(spec, &environment).map_err(|why| why.to_string())?;
        let context = ReadContext { spec, judge, computations };
        let (mut names, mut placed) = (NameScope::default(), PlacedVariables::new(memory));
        for declaration in &module.variables {
            place(spec, declaration, &mut names, &mut placed)?;
        }
        for (at, body) in module.bodies.iter().enumerate() {
            if let Some(header) = body.header.as_ref().filter(|header| header.function) {
                names.insert(header.name, NamedThing::Function(at));
            }
        }
        let entries = module.bodies.iter().map(|body| body.header.as_ref().is_some_and(|header| !header.function));
        let mut bodies = Vec::new();
        for body in &module.bodies {
            bodies.push(BodyReader::read(&context, &module, body, (&names, &mut placed))?);
        }
        Ok(Self { entries: entries.collect(), bodies, regions: regions(&placed, &names)? })
    }

    /// The lines without semantics, in the order of the bodies: where each is, and why.
    pub(super) fn unmodelled(&self) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
        let why = |line: &CodeLine| match &line.operation {
            CodeOperation::Unmodelled(why) => Some((line.at.clone(), why.clone())),
            _ => None,
        };
        self.bodies.iter().flat_map(|body| &body.lines).filter_map(why)
    }

    /// The position of an entry.
    pub(super) fn entry(&self, name: &str) -> Option<usize> {
        self.bodies.iter().zip(&self.entries).position(|(body, entry)| *entry && body.name == name)
    }
}

/// Places the variables of a declaration outside of all bodies. What another module defines has no place here; shared memory
/// whose size is left to the launch has no bytes.
fn place<'a>(
    spec: &Spec,
    declaration: &Declaration<'a>,
    names: &mut NameScope<'a>,
    placed: &mut PlacedVariables<'a>,
) -> Result<(), String> {
    let Some(space) = PlacedVariables::space(declaration) else { return Ok(()) };
    if declaration.directives.starts_with(".extern") && space != Space::Shared {
        return Ok(());
    }
    for variable in DeclaredVariable::of(&spec.isa, declaration)? {
        let name = variable.name;
        names.insert(name, NamedThing::Variable(space, placed.place(space, variable)?));
    }
    Ok(())
}

/// The variables of a module as regions of memory.
fn regions(placed: &PlacedVariables<'_>, names: &NameScope<'_>) -> Result<Vec<(Space, MemoryRegion)>, String> {
    let mut found = Vec::new();
    for of in [Space::Global, Space::Const, Space::Shared] {
        for variable in placed.all.iter().filter(|variable| variable.space == of) {
            let wrong = || variable.variable.wrong("there is no room for it");
            let start = windows::to_generic(of, variable.address).ok_or_else(wrong)?;
            let region = match of {
                Space::Shared => MemoryRegion::undefined(start, usize::try_from(variable.size).map_err(|_| wrong())?),
                _ => MemoryRegion::new(start, contents(variable, names)?, of == Space::Global),
            };
            found.push((of, region));
        }
    }
    Ok(found)
}

/// The environment that a module says it is made for. PTX ISA `directives`.
///
/// # Errors
/// If its directives do not name one that modules are executed in.
pub fn environment_of(module: &Module<'_>) -> Result<Environment, String> {
    let [ptx] = module.versions.as_slice() else { return Err("the module has no `.version`, or several".to_owned()) };
    let [target] = module.targets.as_slice() else { return Err("the module has no `.target`, or several".to_owned()) };
    let first = target.argument.split(',').next().unwrap_or_default().trim();
    let target: Target = first.replace("compute_", "sm_").parse().map_err(|why| format!("`.target {first}`: {why}"))?;
    let size = module.address_sizes.first().map_or("32", |size| size.argument);
    let address_size: AddressSize = size.parse().map_err(|why| format!("`.address_size {size}`: {why}"))?;
    if address_size == AddressSize::Bits32 {
        return Err("modules with addresses of 32 bits are not executed: add `.address_size 64`".to_owned());
    }
    let ptx = ptx.argument.parse().map_err(|why| format!("`.version {}`: {why}", ptx.argument))?;
    Ok(Environment { ptx, target, address_size })
}
