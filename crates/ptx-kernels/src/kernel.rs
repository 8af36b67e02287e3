//! Chains as kernel cases: several entries in a module, and several chains in each. A thread executes all chains of an entry
//! for one row: loads that the assembler may not move to each other keep the chains apart.

use std::fmt::Write as _;
use std::sync::Arc;

use ptx_exec::kernel_case::{KernelArgument, KernelBuffer, KernelCase, KernelLaunch, KernelResult};
use ptx_spec::environment::Environment;

use crate::chain_text::ChainText;
use crate::inputs::ChainRows;
use crate::memory::ChainMemory;
use crate::register_kind::RegisterKind;

/// The bytes of a value in a record.
const SLOT: usize = 8;

/// Chains of an entry, each with rows of inputs.
pub type ChainEntry<'a> = [(&'a ChainText, &'a ChainRows)];

/// A module of chains: a kernel case for each of its entries, and where their results are.
pub struct ChainKernels {
    /// The cases, which have the same module: each launches an entry and has buffers `from` and `to` of its own.
    pub cases: Vec<KernelCase>,
    /// For each entry, where its results are.
    places: Vec<ResultPlaces>,
}

/// The places of the results of an entry in its buffer `to`.
struct ResultPlaces {
    /// For each chain, where the results of its first row begin.
    begins: Vec<usize>,
    /// From a row to the next, in bytes.
    stride: usize,
}

/// The names of the buffers.
const FROM: &str = "from";
const TO: &str = "to";

impl ChainKernels {
    /// The kernel cases of chains by entries, with a thread for each row; a chain with fewer rows than others of its entry
    /// repeats its last.
    pub fn new(environment: &Environment, entries: &[&ChainEntry<'_>]) -> Self {
        let mut module = header(environment);
        let (mut cases, mut places) = (Vec::new(), Vec::new());
        for (number, chains) in entries.iter().enumerate() {
            let name = format!("chains_{number}");
            places.push(entry_text(&name, chains, &mut module));
            cases.push(case(name, chains));
        }
        let module: Arc<str> = module.into();
        cases.iter_mut().for_each(|case| case.module = Arc::clone(&module));
        Self { cases, places }
    }

    /// The value of an output of a chain of an entry in a row, and the bits of it that are undefined, in a result of its case.
    pub fn value(&self, [entry, chain]: [usize; 2], row: usize, output: usize, result: &KernelResult) -> (u64, u64) {
        let ResultPlaces { begins, stride } = &self.places[entry];
        let place = begins[chain] + row * stride + output * SLOT;
        let bits =
            |bytes: &[u8]| bytes.get(place..).and_then(<[u8]>::first_chunk).map_or(0, |of| u64::from_le_bytes(*of));
        // A result has only the buffers that changed.
        let before = &self.cases[entry].buffers[1].data;
        let value = bits(result.buffers.get(TO).unwrap_or(before));
        (value, result.undefined.get(TO).map_or(0, |undefined| bits(undefined)))
    }
}

/// The case of an entry, without its module.
fn case(entry: String, chains: &ChainEntry<'_>) -> KernelCase {
    let rows = chains.iter().map(|(_, rows)| rows.rows.len()).max().unwrap_or_default();
    let mut from: Vec<u8> = Vec::new();
    for row in 0..rows {
        for values in chains.iter().filter_map(|(_, values)| values.rows.get(row).or(values.rows.last())) {
            from.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    let to = vec![0; chains.iter().map(|(chain, _)| chain.outputs.len() * SLOT).sum::<usize>() * rows];
    let buffers = [(FROM, from), (TO, to)].map(|(name, data)| KernelBuffer { name: name.to_owned(), data });
    let (shares, each_row) = (shares(chains), [u32::try_from(rows).unwrap_or(u32::MAX), 1, 1]);
    let launch = KernelLaunch {
        entry,
        grid: if shares { each_row } else { [1; 3] },
        block: if shares { [1; 3] } else { each_row },
        arguments: [FROM, TO].map(|of| KernelArgument::Address(of.to_owned())).into(),
    };
    KernelCase { module: "".into(), buffers: buffers.into(), launches: vec![launch] }
}

/// True if a chain of an entry has shared memory, so that each row needs a block.
fn shares(chains: &ChainEntry<'_>) -> bool {
    let declaration = ChainMemory::Shared.declaration();
    chains.iter().any(|(chain, _)| chain.lines.iter().any(|line| *line == declaration.trim_end()))
}

/// Writes an entry.
fn entry_text(name: &str, chains: &ChainEntry<'_>, module: &mut String) -> ResultPlaces {
    let read: usize = chains.iter().map(|(chain, _)| chain.inputs.len() * SLOT).sum();
    let written: usize = chains.iter().map(|(chain, _)| chain.outputs.len() * SLOT).sum();
    // Writing to a String cannot fail.
    let _ = writeln!(module, ".visible .entry {name}(.param .u64 from, .param .u64 to)\n{{");
    module.push_str(PROLOGUE);
    module.push_str(if shares(chains) { ROW_OF_BLOCK } else { ROW_OF_THREAD });
    for (pointer, size) in [(FROM, read), (TO, written)] {
        let _ = writeln!(module, "mad.wide.u32 %{pointer}, %row, {size}, %{pointer};");
    }
    let mut places = ResultPlaces { begins: Vec::new(), stride: written };
    let mut at = (0, 0);
    for (chain, _) in chains.iter() {
        chain_text(chain, at, module);
        places.begins.push(at.1);
        at = (at.0 + chain.inputs.len() * SLOT, at.1 + chain.outputs.len() * SLOT);
    }
    module.push_str("ret;\n}\n");
    places
}

fn header(environment: &Environment) -> String {
    format!(".version {}\n.target {}\n.address_size 64\n", environment.ptx, environment.target)
}

/// The beginning of an entry: where its buffers are.
const PROLOGUE: &str = ".reg .b64 %from, %to;
.reg .b32 %row, %flag;
ld.param.u64 %from, [from];
ld.param.u64 %to, [to];
cvta.to.global.u64 %from, %from;
cvta.to.global.u64 %to, %to;
";

/// The number of the row, if each is a thread.
const ROW_OF_THREAD: &str = "mov.u32 %row, %tid.x;
";

/// The number of the row, if each is a block. An assembler that knew that it is the same in all threads of a block would write other
/// code.
const ROW_OF_BLOCK: &str = ".reg .b32 %thread;
mov.u32 %row, %ctaid.x;
mov.u32 %thread, %tid.x;
add.u32 %row, %row, %thread;
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
