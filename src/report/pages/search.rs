//! The entries of the search as a script: what one can type, where it leads, and what it is.

use serde::Serialize;

use super::anchor;
use super::feature_view::FeatureView;
use super::instruction_view::InstructionView;
use crate::report::data::Report;

/// An entry: its words, its address, its kind, and a sentence about it.
#[derive(Serialize)]
struct SearchEntry<'r>(String, String, &'static str, &'r str);

/// Characters of a sentence that an entry shows.
const SENTENCE: usize = 110;

pub(super) fn script(instructions: &[InstructionView<'_>], features: &[FeatureView<'_>], report: &Report) -> String {
    let mut entries: Vec<SearchEntry<'_>> = Vec::new();
    for of in instructions {
        let page = format!("instructions/{}.html", of.name);
        entries.push(SearchEntry(of.name.to_owned(), page.clone(), "instruction", of.summary));
        for slot in of.slots.iter().filter(|_| features.is_empty()) {
            for value in &slot.values {
                let address = format!("{page}#modifier-{}-{}", anchor(slot.name), anchor(value));
                entries.push(SearchEntry(format!("{} {value}", of.name), address, "modifier", slot.name));
            }
        }
        for rule in &of.rules {
            entries.push(SearchEntry(
                rule.id.to_owned(),
                format!("{page}#{}", anchor(&rule.anchor)),
                "rule",
                shortened(rule.says),
            ));
        }
    }
    for of in features.iter().filter(|of| of.modifiers > 0) {
        let address = format!("instructions/{}.html#feature-{}", of.instruction, anchor(of.name));
        entries.push(SearchEntry(of.name.to_owned(), address, "support", &of.manual));
    }
    for of in &report.findings {
        let address = format!("findings/{}.html", of.fingerprint);
        entries.push(SearchEntry(format!("finding {}", of.fingerprint), address, "finding", shortened(&of.title)));
    }
    for of in &report.divergences {
        entries.push(SearchEntry(
            of.id.clone(),
            format!("known.html#{}", anchor(&of.id)),
            "known divergence",
            shortened(&of.because),
        ));
    }
    // JSON is a JavaScript expression. Lists of texts can always be written.
    let entries: Vec<String> = entries.iter().filter_map(|entry| serde_json::to_string(entry).ok()).collect();
    format!("window.ptxSearch=[\n{}\n];\n", entries.join(",\n"))
}

fn shortened(text: &str) -> &str {
    text.char_indices().nth(SENTENCE).map_or(text, |(at, _)| &text[..at])
}
