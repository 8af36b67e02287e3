//! Rows of inputs of chains.

use ptx_spec::space::Draw;

use crate::chain::Chain;
use crate::constants::value;

/// The values of the inputs of a chain, for some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainRows {
    /// The values of each row, in the order of the chain's inputs.
    pub rows: Vec<Vec<u64>>,
}

impl ChainRows {
    /// Drawn rows: numbers at which optimizers fail come first, and any now and then.
    pub fn drawn(chain: &Chain, seed: u64, count: usize) -> Self {
        let mut draw = Draw::named("rows", seed);
        let sizes: Vec<u16> = chain.inputs.iter().map(|input| chain.registers[*input]).collect();
        let row = |_| sizes.iter().map(|bits| value(&mut draw, *bits)).collect();
        Self { rows: (0..count).map(row).collect() }
    }
}
