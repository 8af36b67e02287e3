//! The names of a body: registers by their slots, variables by their addresses.

use ptx_spec::ptx::split_component;
use rustc_hash::FxHashMap;

use crate::object::Space;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamedThing {
    /// A register or a vector of them: the first slot, the size of each in bits, and how many there are.
    Register { slot: u32, bits: u32, lanes: u32 },
    /// A variable at an address in its space.
    Variable(Space, u64),
    /// A variable of the frame: its offset, and its size in bytes.
    Local(u64, u64),
    /// The parameter of a function that is as large as its argument.
    Open,
    /// A function, by its position.
    Function(usize),
}

/// The names of one block.
#[derive(Clone, Debug, Default)]
pub(super) struct NameScope<'a> {
    names: FxHashMap<&'a str, NamedThing>,
    /// `.reg .b32 %r<9>;`: by prefix, how many there are, and the first.
    families: FxHashMap<&'a str, (u32, NamedThing)>,
    /// Labels of lists, with the names that each has.
    lists: FxHashMap<&'a str, Vec<&'a str>>,
    /// The number of the block.
    pub(super) block: usize,
}

impl<'a> NameScope<'a> {
    /// The scope of a block without names.
    pub(super) fn of_block(block: usize) -> Self {
        Self { block, ..Self::default() }
    }

    /// Adds a name.
    pub(super) fn insert(&mut self, name: &'a str, of: NamedThing) {
        self.names.insert(name, of);
    }

    /// Adds a list of names.
    pub(super) fn insert_list(&mut self, label: &'a str, names: Vec<&'a str>) {
        self.lists.insert(label, names);
    }

    /// Adds a family of registers.
    pub(super) fn insert_family(&mut self, prefix: &'a str, count: u32, first: NamedThing) {
        self.families.insert(prefix, (count, first));
    }

    /// The meaning of a name in this scope.
    pub(super) fn get(&self, name: &str) -> Option<NamedThing> {
        if let Some(of) = self.names.get(name) {
            return Some(*of);
        }
        if self.families.is_empty() {
            return None;
        }
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[prefix.len()..];
        if digits.is_empty() || (digits.starts_with('0') && digits != "0") {
            return None;
        }
        let (count, first) = *self.families.get(prefix)?;
        let number: u32 = digits.parse().ok().filter(|number| *number < count)?;
        match first {
            NamedThing::Register { slot, bits, lanes } => {
                Some(NamedThing::Register { slot: slot + number * lanes, bits, lanes })
            }
            other => Some(other),
        }
    }
}

/// The scopes around a line, the innermost last.
#[derive(Clone, Debug)]
pub(super) struct NameScopes<'m, 'a> {
    module: &'m NameScope<'a>,
    blocks: Vec<NameScope<'a>>,
}

impl<'m, 'a> NameScopes<'m, 'a> {
    /// The scope of a body inside of that of its module.
    pub(super) fn new(module: &'m NameScope<'a>, body: NameScope<'a>) -> Self {
        Self { module, blocks: vec![body] }
    }

    /// Opens a block.
    pub(super) fn open(&mut self, block: usize) {
        self.blocks.push(NameScope::of_block(block));
    }

    /// Closes the innermost block, and returns false if it is the body.
    pub(super) fn close(&mut self) -> bool {
        let inner = self.blocks.len() > 1;
        if inner {
            self.blocks.pop();
        }
        inner
    }

    /// The innermost scope, to add names.
    pub(super) fn innermost(&mut self) -> Option<&mut NameScope<'a>> {
        self.blocks.last_mut()
    }

    /// The number of the innermost block.
    pub(super) fn block(&self) -> usize {
        self.blocks.last().map_or(0, |scope| scope.block)
    }

    /// The names in the list with this label.
    pub(super) fn list(&self, label: &str) -> Option<&[&'a str]> {
        self.blocks.iter().rev().find_map(|scope| scope.lists.get(label)).map(Vec::as_slice)
    }

    /// The meaning of a name: a component (`v.x`) is a register of its own.
    pub(super) fn get(&self, name: &str) -> Option<NamedThing> {
        if let Some(of) = self.whole(name) {
            return Some(of);
        }
        let (vector, component) = split_component(name)?;
        let lane =
            u32::try_from(["x", "y", "z", "w", "r", "g", "b", "a"].iter().position(|known| *known == component)?);
        let lane = lane.ok()? % 4;
        match self.whole(vector)? {
            NamedThing::Register { slot, bits, lanes } if lane < lanes => {
                Some(NamedThing::Register { slot: slot + lane, bits, lanes: 1 })
            }
            _ => None,
        }
    }

    fn whole(&self, name: &str) -> Option<NamedThing> {
        self.blocks.iter().rev().find_map(|scope| scope.get(name)).or_else(|| self.module.get(name))
    }
}
