//! Variables that declarations name: their sizes, and where those of a module are.

use ptx_spec::ptx::{Declaration, Declarator, initial_values};
use ptx_spec::spec::{Isa, Kind};

use super::windows;
use crate::object::Space;

/// A variable that is declared.
#[derive(Clone, Debug)]
pub(super) struct DeclaredVariable<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its size in bytes; none if it is an array that leaves it open.
    pub(super) size: Option<u64>,
    /// Its alignment in bytes.
    pub(super) alignment: u64,
    /// The kind and the size in bits of an element.
    pub(super) element: (Kind, u32),
    /// How many elements a vector has.
    pub(super) lanes: u8,
    /// All of it.
    pub(super) declarator: Declarator<'a>,
}

impl<'a> DeclaredVariable<'a> {
    /// The variables of a declaration; none if their type holds no data.
    ///
    /// # Errors
    /// If the declaration is malformed.
    pub(super) fn of(isa: &Isa, declaration: &Declaration<'a>) -> Result<Vec<Self>, String> {
        let Some(of) = isa.register_type(declaration.of_type) else { return Ok(Vec::new()) };
        let (lanes, bits) = (declaration.lanes, u32::from(of.bits));
        let unit = u64::from(bits / 8) * u64::from(lanes);
        let alignment = u64::from(declaration.alignment.unwrap_or(0)).max(unit);
        let variable = |declarator: Result<Declarator<'a>, ptx_spec::ptx::SyntaxError>| {
            let declarator = declarator.map_err(|why| why.to_string())?;
            let size = declarator.elements.and_then(|elements| elements.checked_mul(unit));
            let element = (of.kind, bits);
            Ok(Self { name: declarator.name, size, alignment, element, lanes, declarator })
        };
        declaration.declarators().map(variable).collect()
    }

    /// Its size in bytes, by its initial values if it is an array that leaves it open.
    pub(super) fn whole_size(&self) -> Result<u64, String> {
        if let Some(size) = self.size {
            return Ok(size);
        }
        let (_, count) = initial_values(&self.declarator, self.lanes).map_err(|why| self.wrong(&why.to_string()))?;
        let unit = u64::from(self.element.1 / 8);
        count.checked_mul(unit).ok_or_else(|| self.wrong("it is too large"))
    }

    /// The error that something is wrong with it.
    pub(super) fn wrong(&self, why: &str) -> String {
        format!("the variable `{}`: {why}", self.name)
    }
}

/// A variable of a module, with its place.
pub(super) struct PlacedVariable<'a> {
    /// Its declaration.
    pub(super) variable: DeclaredVariable<'a>,
    /// Its state space.
    pub(super) space: Space,
    /// Its address in that space.
    pub(super) address: u64,
    /// Its size in bytes.
    pub(super) size: u64,
}

/// The variables of a module, also those that bodies declare for all threads.
pub(super) struct PlacedVariables<'a> {
    /// The variables of each space, in the order of their addresses.
    pub(super) all: Vec<PlacedVariable<'a>>,
    /// Where the next ones go: in global, constant and shared memory.
    next: [u64; 3],
    /// How many bytes there may still be.
    left: u64,
}

impl<'a> PlacedVariables<'a> {
    /// No variables yet; all together may take up to this many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { all: Vec::new(), next: [windows::GLOBALS, windows::FIRST, windows::FIRST], left: limit }
    }

    /// The space of a declaration of variables that all threads have in common; none of another.
    pub(super) fn space(declaration: &Declaration<'a>) -> Option<Space> {
        match declaration.space {
            ".global" => Some(Space::Global),
            ".const" => Some(Space::Const),
            ".shared" => Some(Space::Shared),
            _ => None,
        }
    }

    /// Places a variable, and returns its address in its space.
    ///
    /// # Errors
    /// If its size is not known, or if there is no room.
    pub(super) fn place(&mut self, space: Space, variable: DeclaredVariable<'a>) -> Result<u64, String> {
        let size = variable.whole_size()?;
        let left = self.left.checked_sub(size).ok_or_else(|| variable.wrong("there is no room for it"))?;
        self.left = left;
        let next = match space {
            Space::Const => &mut self.next[1],
            Space::Shared => &mut self.next[2],
            _ => &mut self.next[0],
        };
        let address = windows::place(next, size, variable.alignment);
        self.all.push(PlacedVariable { variable, space, address, size });
        Ok(address)
    }
}
