//! Two targets side by side, for reading.

use std::fmt::Write as _;

use ptx_conform::matrix::Contrast;
use ptx_conform::plural::counted;

use super::text::wrapped;

/// Columns of names.
const NAMES: usize = 44;

/// The text of both lists.
pub(super) fn shown(contrast: &Contrast) -> String {
    let mut text = String::new();
    for (has, lacks, features) in contrast.lists() {
        let count = counted(features.len(), "feature");
        // Writing to a String cannot fail.
        let _ = writeln!(text, "PTX {}: {has} has and {lacks} lacks {count}", contrast.targets.ptx);
        for feature in features {
            wrapped(&mut text, &format!("  {}", feature.name), NAMES, &contrast.since(feature, has));
            for (at, engine) in contrast.engines.iter().enumerate() {
                if let Some(says) = contrast.deviation(feature, at) {
                    wrapped(&mut text, &format!("    {engine}"), NAMES, &says);
                }
            }
        }
        text.push('\n');
    }
    text
}
