//! Special registers: which there are, and what it takes to have them. PTX ISA `special-registers`.

use rustc_hash::FxHashMap;

use super::raw::RawSpecial;
use crate::environment::{Target, Version};

/// A special register, or a component of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Special {
    /// Its type, such as `.u32`.
    pub of_type: String,
    /// 4 for a vector such as `%tid`, 1 otherwise.
    pub lanes: u8,
    /// The PTX version that brought it.
    pub ptx: Option<Version>,
    /// The target that it needs.
    pub target: Option<Target>,
}

/// What the special registers of a line need: the highest version and target among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpecialNeeds {
    /// The PTX version.
    pub ptx: Option<Version>,
    /// The target.
    pub target: Option<Target>,
}

/// The components of a vector, and its colours.
const COMPONENTS: [&str; 8] = ["x", "y", "z", "w", "r", "g", "b", "a"];

/// All special registers by name; a vector's components have names of their own, such as `%tid.x`.
pub(super) fn table(raw: &[RawSpecial]) -> FxHashMap<String, Special> {
    let mut table = FxHashMap::default();
    for of in raw {
        let needs = of.needs.as_ref();
        let special = Special {
            of_type: of.of_type.clone(),
            lanes: if of.vector { 4 } else { 1 },
            ptx: needs.and_then(|needs| needs.ptx),
            target: needs.and_then(|needs| needs.target.0.first().copied()),
        };
        for name in &of.names {
            if of.vector {
                for component in COMPONENTS {
                    table.insert(format!("{name}.{component}"), Special { lanes: 1, ..special.clone() });
                }
            }
            table.insert(name.clone(), special.clone());
        }
    }
    table
}
