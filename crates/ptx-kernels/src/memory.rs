//! The memory of chains: a variable in each state space of which each row of a chain can have its own.

use ptx_spec::spec::{Form, Isa, Role};

/// The variable of a chain in a state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChainMemory {
    /// The variable in local memory, which each thread has for itself.
    Local,
    /// The variable in shared memory, which each block has for itself: a row has a block.
    Shared,
}

impl ChainMemory {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Local, Self::Shared];
    /// The size of each variable in bytes.
    pub const BYTES: u16 = 16;

    /// The name of its state space, which is also that of such a base of an address in the specification.
    pub fn space(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Shared => "shared",
        }
    }

    /// The memory that a line of a form accesses, and how many bytes of it. None if the line accesses none, or other memory.
    pub(crate) fn accessed(isa: &Isa, form: &Form, values: &[u8]) -> Option<(Self, u16)> {
        let mut addresses = form.operands.iter().filter_map(|operand| match operand.role {
            Role::Address { space, size } => Some((space?, size?)),
            _ => None,
        });
        let (space, size) = addresses.next()?;
        let modifier = form.value(values, space);
        let named = |memory: &Self| {
            let rest = modifier.strip_prefix('.').and_then(|rest| rest.strip_prefix(memory.space()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let memory = Self::ALL.into_iter().find(named)?;
        let bytes = u16::try_from(size.bytes(isa, form, values)).ok()?;
        (bytes <= Self::BYTES).then_some((memory, bytes))
    }

    /// The text of an access to the memory of all blocks as one to the memory of chains.
    pub(crate) fn standing_in(text: &str) -> String {
        text.replacen(".global", &format!(".{}", Self::Shared.space()), 1)
    }

    /// The name of the variable.
    pub fn variable(self) -> String {
        format!("m_{}", self.space())
    }

    /// The declaration of the variable.
    pub fn declaration(self) -> String {
        format!(".{} .align {} .b8 {}[{}];\n", self.space(), Self::BYTES, self.variable(), Self::BYTES)
    }
}
