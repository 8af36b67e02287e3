//! Chains as a kernel case: several entries in a module, and several chains in each. A thread executes all chains of an entry
//! for one row: loads that the assembler may not move to each other keep the chains apart.

use std::fmt::Write as _;

use ptx_exec::kernel_case::{KernelArgument, KernelBuffer, KernelCase, KernelLaunch};
use ptx_spec::environment::Environment;

use crate::chain_text::ChainText;
use crate::inputs::ChainRows;
use crate::register_kind::RegisterKind;

/// Chains of an entry: of more, each costs the assembler more.
const CHAINS: usize = 64;
/// The bytes of a value in a record.
const SLOT: usize = 8;

/// Chains, each with rows of inputs.
pub type ChainModule<'a> = [(&'a ChainText, &'a ChainRows)];

/// A kernel case of chains, and where their results are.
pub struct ChainKernels {
    /// The case: buffers `from` and `to`.
    pub case: KernelCase,
    /// For each chain, the bytes of `to` where the results of its first row begin, and from a row to the next.
    places: Vec<(usize, usize)>,
}

/// The names of the buffers.
const FROM: &str = "from";
const TO: &str = "to";

impl ChainKernels {
    /// The kernel case of chains, a thread for each row; a chain with fewer rows than others repeats its last.
    pub fn new(environment: &Environment, chains: &ChainModule<'_>) -> Self {
        let rows = chains.iter().map(|(_, rows)| rows.rows.len()).max().unwrap_or_default();
        let mut module = header(environment);
        let (mut from, mut to, mut places, mut launches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, of_entry) in chains.chunks(CHAINS).enumerate() {
            let read: usize = of_entry.iter().map(|(chain, _)| chain.inputs.len() * SLOT).sum();
            let written: usize = of_entry.iter().map(|(chain, _)| chain.outputs.len() * SLOT).sum();
            let begin = (from.len(), to.len());
            from.resize(begin.0 + read * rows, 0);
            to.resize(begin.1 + written * rows, 0);
            let entry = format!("chains_{number}");
            // Writing to a String cannot fail.
            let _ = writeln!(module, ".visible .entry {entry}(.param .u64 from, .param .u64 to)\n{{");
            module.push_str(PROLOGUE);
            for (pointer, begin, size) in [("from", begin.0, read), ("to", begin.1, written)] {
                let _ = writeln!(module, "add.u64 %{pointer}, %{pointer}, {begin};");
                let _ = writeln!(module, "mad.wide.u32 %{pointer}, %thread, {size}, %{pointer};");
            }
            let mut at = (0, 0);
            for (chain, values) in of_entry {
                chain_text(chain, at, &mut module);
                for row in 0..rows {
                    let Some(values) = values.rows.get(row).or(values.rows.last()) else { continue };
                    for (place, value) in values.iter().enumerate() {
                        let to = begin.0 + row * read + at.0 + place * SLOT;
                        from[to..to + SLOT].copy_from_slice(&value.to_le_bytes());
                    }
                }
                places.push((begin.1 + at.1, written));
                at = (at.0 + chain.inputs.len() * SLOT, at.1 + chain.outputs.len() * SLOT);
            }
            module.push_str("ret;\n}\n");
            launches.push(KernelLaunch {
                entry,
                grid: [1; 3],
                block: [u32::try_from(rows).unwrap_or(u32::MAX), 1, 1],
                arguments: [FROM, TO].map(|of| KernelArgument::Address(of.to_owned())).into(),
            });
        }
        let buffers = [(FROM, from), (TO, to)].map(|(name, data)| KernelBuffer { name: name.to_owned(), data });
        Self { case: KernelCase { module, buffers: buffers.into(), launches }, places }
    }

    /// The place of an output of a chain in the buffer of results, in a row: its first byte.
    pub fn place(&self, chain: usize, row: usize, output: usize) -> usize {
        let (begin, stride) = self.places[chain];
        begin + row * stride + output * SLOT
    }

    /// The value at a place of the buffer of results, in `bytes` of it or in what the case had before.
    pub fn value(&self, bytes: Option<&Vec<u8>>, place: usize) -> u64 {
        let bytes = bytes.unwrap_or(&self.case.buffers[1].data);
        bytes.get(place..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// The name of the buffer of results.
    pub fn results(&self) -> &'static str {
        TO
    }
}

fn header(environment: &Environment) -> String {
    format!(".version {}\n.target {}\n.address_size 64\n", environment.ptx, environment.target)
}

/// The beginning of an entry: where its buffers are, and the number of the thread.
const PROLOGUE: &str = ".reg .b64 %from, %to;
.reg .b32 %thread, %flag;
ld.param.u64 %from, [from];
ld.param.u64 %to, [to];
cvta.to.global.u64 %from, %from;
cvta.to.global.u64 %to, %to;
mov.u32 %thread, %tid.x;
";

/// A chain in an entry: loads of its inputs, its statements, stores of its outputs. `at` is where its values begin in the
/// records that are read and written.
fn chain_text(chain: &ChainText, at: (usize, usize), to: &mut String) {
    to.push_str("{\n");
    to.push_str(&RegisterKind::declarations(chain.registers.iter().copied()));
    for (number, register) in chain.inputs.iter().enumerate() {
        let place = at.0 + number * SLOT;
        // Writing to a String cannot fail.
        let _ = match chain.registers[*register] {
            RegisterKind::Pred => {
                writeln!(to, "ld.volatile.global.b32 %flag, [%from+{place}];\nsetp.ne.u32 %x{register}, %flag, 0;")
            }
            kind => writeln!(to, "ld.volatile.global.{} %x{register}, [%from+{place}];", kind.name()),
        };
    }
    for line in &chain.lines {
        let _ = writeln!(to, "{line}");
    }
    for (number, register) in chain.outputs.iter().enumerate() {
        let place = at.1 + number * SLOT;
        let _ = match chain.registers[*register] {
            RegisterKind::Pred => {
                writeln!(to, "selp.b32 %flag, 1, 0, %x{register};\nst.volatile.global.b32 [%to+{place}], %flag;")
            }
            kind => writeln!(to, "st.volatile.global.{} [%to+{place}], %x{register};", kind.name()),
        };
    }
    to.push_str("}\n");
}
