//! Kernel cases: a module, launches of its kernels, the memory that they share, and the answer to all of it.
//!
//! They stand beside [line cases](crate::line_case): where those ask about one line, these ask about any text that can be
//! launched.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::hex;

/// A module and its launches, one after the other. All of it is one execution: a launch sees what those before it wrote.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelCase {
    /// The text of the module, with its directives; cases can share it.
    pub module: Arc<str>,
    /// The buffers in global memory before the first launch. Their contents after the last one are the result.
    pub buffers: Vec<KernelBuffer>,
    /// The launches, in order.
    pub launches: Vec<KernelLaunch>,
}

/// A buffer in global memory. It begins at a multiple of [`ALIGNMENT`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelBuffer {
    /// The name by which arguments and results name it.
    pub name: String,
    /// Its contents.
    #[serde(with = "hex")]
    pub data: Vec<u8>,
}

/// A launch of an entry of the module.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelLaunch {
    /// The name of the entry.
    pub entry: String,
    /// The number of blocks in each dimension.
    #[serde(default = "one")]
    pub grid: [u32; 3],
    /// The number of threads of a block in each dimension.
    #[serde(default = "one")]
    pub block: [u32; 3],
    /// An argument for each parameter of the entry.
    #[serde(default)]
    pub arguments: Vec<KernelArgument>,
}

/// One in each dimension.
fn one() -> [u32; 3] {
    [1; 3]
}

/// The value of a parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelArgument {
    /// The bytes of the parameter.
    Bytes(#[serde(with = "hex")] Vec<u8>),
    /// The generic address of a buffer.
    Address(String),
}

/// The alignment of buffers in bytes: that of memory which the driver allocates.
pub const ALIGNMENT: u64 = 256;
/// Where the first buffer begins for engines that choose addresses themselves.
const FIRST_BUFFER: u64 = 0x7c00_0000_0000;
/// The least distance from the end of a buffer to the next: an access beyond its end hits nothing.
const GAP: u64 = 1 << 20;

/// The answer to a kernel case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelAnswer {
    /// All launches ended.
    Returned(KernelResult),
    /// A launch ended in a trap or a fault; the engine's message.
    Trapped(String),
    /// The outcome depends on something undefined, so that no other answer can be wrong; says what and where.
    Undefined(String),
    /// The case was not executed; says why.
    Skipped(String),
    /// The engine failed on it (crashed, hung, or gave an invalid answer); says how.
    Failed(String),
}

/// The contents of memory after the last launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelResult {
    /// The contents of the buffers that changed, by name.
    #[serde(default, with = "hex::named", skip_serializing_if = "BTreeMap::is_empty")]
    pub buffers: BTreeMap<String, Vec<u8>>,
    /// The undefined bits of buffers that have any, by name: a 1 for each.
    #[serde(default, with = "hex::named", skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, Vec<u8>>,
}

impl KernelCase {
    /// The buffer of this name, and its position.
    pub fn buffer(&self, name: &str) -> Option<(usize, &KernelBuffer)> {
        self.buffers.iter().enumerate().find(|(_, buffer)| buffer.name == name)
    }

    /// The addresses of the buffers for engines that choose them, in order: the same for all, so that results that depend on
    /// addresses are comparable.
    pub fn addresses(&self) -> Vec<u64> {
        let mut next = FIRST_BUFFER;
        let place = |buffer: &KernelBuffer| {
            let at = next;
            next = (at + buffer.data.len() as u64 + GAP).next_multiple_of(ALIGNMENT);
            at
        };
        self.buffers.iter().map(place).collect()
    }

    /// The bytes of an argument, where the buffers are at these addresses.
    ///
    /// # Errors
    /// If it names a buffer that the case does not have.
    pub fn argument(&self, argument: &KernelArgument, addresses: &[u64]) -> Result<Vec<u8>, String> {
        match argument {
            KernelArgument::Bytes(bytes) => Ok(bytes.clone()),
            KernelArgument::Address(of) => {
                let address = self.buffer(of).and_then(|(at, _)| addresses.get(at));
                let address =
                    address.ok_or_else(|| format!("an argument is the address of `{of}`, which is no buffer"))?;
                Ok(address.to_le_bytes().to_vec())
            }
        }
    }

    /// The result of these contents of all buffers and their defined bits, in order: what changed, and what is undefined.
    pub fn result<'b>(&self, after: impl Iterator<Item = (&'b [u8], &'b [u8])>) -> KernelResult {
        let mut result = KernelResult::default();
        for (buffer, (data, defined)) in self.buffers.iter().zip(after) {
            if data != buffer.data {
                result.buffers.insert(buffer.name.clone(), data.to_vec());
            }
            if defined.iter().any(|bits| *bits != 0xff) {
                result.undefined.insert(buffer.name.clone(), defined.iter().map(|bits| !bits).collect());
            }
        }
        result
    }
}

impl KernelResult {
    /// Checks that it is a result of a case with these buffers.
    ///
    /// # Errors
    /// If a buffer of the result is not among them, or has another size; names the first.
    pub fn check(&self, buffers: &[KernelBuffer]) -> Result<(), String> {
        for (name, data) in self.buffers.iter().chain(&self.undefined) {
            let Some(buffer) = buffers.iter().find(|buffer| buffer.name == *name) else {
                return Err(format!("it returned a buffer `{name}`, which the case does not have"));
            };
            if buffer.data.len() != data.len() {
                let (given, asked) = (data.len(), buffer.data.len());
                return Err(format!("it returned {given} bytes of the buffer `{name}`, which has {asked}"));
            }
        }
        Ok(())
    }
}
