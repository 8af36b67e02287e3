//! Every page of the manual that describes an instruction is in the specification, or is listed with the reason.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// `tests/house/pages.yaml`, by the anchors of pages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pages {
    /// The pages of edition 9.1.
    families: BTreeMap<String, Vec<String>>,
    /// Those that later editions added.
    later: Vec<String>,
    /// Those without a specification, each with the reason.
    without: BTreeMap<String, String>,
}

#[test]
fn every_page_has_a_specification_or_a_reason() {
    let pages: Pages = serde_yaml::from_str(include_str!("pages.yaml")).expect("a list of pages");
    let spec = ptx_conform::shipped::spec().expect("the specification is sound");
    assert!(spec.complete, "specs/isa.yaml says that it has every instruction");
    let forms = spec.instructions.iter().flat_map(|instruction| &instruction.forms);
    let described: BTreeSet<&str> = forms.map(|form| form.manual.as_str()).collect();
    let mut wrong = Vec::new();
    for page in pages.families.values().flatten().chain(&pages.later) {
        match (described.contains(page.as_str()), pages.without.get(page)) {
            (false, None) => wrong.push(format!("{page} has no specification: add one, or a reason under `without`")),
            (true, Some(_)) => wrong.push(format!("{page} has a specification: remove it from `without`")),
            (true, None) | (false, Some(_)) => {}
        }
    }
    let listed: BTreeSet<&str> = pages.families.values().flatten().chain(&pages.later).map(String::as_str).collect();
    let unlisted = described.iter().filter(|page| !listed.contains(**page));
    wrong.extend(unlisted.map(|page| format!("{page} is not a page of the manual that tests/house/pages.yaml lists")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let of_families = pages.families.values().map(Vec::len).sum::<usize>();
    let (later, without) = (pages.later.len(), pages.without.len());
    println!("{of_families} pages of edition 9.1, and {later} later ones; {without} have no forms of their own");
}
