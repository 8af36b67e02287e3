//! docs/defects names every crash of `ptxas` that is listed, and nothing that is not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::defect_pages::{Section, Version, files, names, sections};

/// A file of specs/divergences, without what does not matter here.
#[derive(serde::Deserialize)]
struct Family {
    engine: String,
    divergences: Vec<Listed>,
}

#[derive(serde::Deserialize)]
struct Listed {
    id: String,
    does: String,
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    versions: Vec<String>,
    #[serde(default)]
    engines: Vec<String>,
    shows: Option<Shown>,
    #[serde(default)]
    because: String,
}

/// A chain of lines that shows a divergence.
#[derive(serde::Deserialize)]
struct Shown {
    registers: Vec<String>,
    inputs: Vec<usize>,
    lines: Vec<String>,
    outputs: Vec<usize>,
    row: Vec<String>,
}

impl Listed {
    /// The first and the last version of each range; none where it is open.
    fn ranges(&self) -> Vec<[Option<Version>; 2]> {
        let bound = |text: &str| Some(Version::of(text).expect("a version"));
        if self.versions.is_empty() {
            return vec![[&self.from, &self.to].map(|text| text.as_deref().and_then(bound))];
        }
        let range =
            |text: &String| match (text.strip_prefix("from "), text.strip_prefix("up to "), text.split_once(" to ")) {
                (Some(from), ..) => [bound(from), None],
                (_, Some(to), _) => [None, bound(to)],
                (.., Some((from, to))) => [bound(from), bound(to)],
                _ => [bound(text), bound(text)],
            };
        self.versions.iter().map(range).collect()
    }

    fn includes(&self, version: Version) -> bool {
        let is_in = |[from, to]: [Option<Version>; 2]| {
            from.is_none_or(|from| from <= version) && to.is_none_or(|to| version <= to)
        };
        self.ranges().into_iter().any(is_in)
    }

    /// The versions in words.
    fn version_words(&self) -> String {
        match (&self.from, &self.to) {
            _ if !self.versions.is_empty() => self.versions.join(", "),
            (None, None) => "all versions, up to the newest".to_owned(),
            (Some(from), None) => format!("{from} up to the newest"),
            (None, Some(to)) => format!("up to {to}"),
            (Some(from), Some(to)) if from == to => from.clone(),
            (Some(from), Some(to)) => format!("{from} to {to}"),
        }
    }

    /// The targets and levels in words.
    fn target_words(&self) -> String {
        if self.engines.is_empty() {
            return "all targets and levels".to_owned();
        }
        let level = |name: &String| if name.ends_with("-O0") { "-O0" } else { "-O3" };
        let target = |name: &String| match name.trim_end_matches("-O0").strip_prefix("sass-") {
            Some(target) => target.to_owned(),
            None => "sm_90".to_owned(),
        };
        let of_level = |wanted: &str| -> Option<String> {
            let targets: Vec<String> = self.engines.iter().filter(|name| level(name) == wanted).map(target).collect();
            match targets.len() {
                0 => None,
                TARGETS => Some(format!("{wanted} for all targets")),
                _ => Some(format!("{wanted} for {}", targets.join(", "))),
            }
        };
        [of_level("-O3"), of_level("-O0")].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// The targets whose machine code is executed.
const TARGETS: usize = 7;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every divergence, by its id, with the family of its engine.
fn listed() -> BTreeMap<String, (String, Listed)> {
    let mut listed = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("specs/divergences")).expect("divergences") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let family: Family = serde_yaml::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        for divergence in family.divergences {
            listed.insert(divergence.id.clone(), (family.engine.clone(), divergence));
        }
    }
    listed
}

#[test]
fn every_crash_is_named_and_every_name_is_listed() {
    let listed = listed();
    let mut named = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in files() {
        for name in names(&std::fs::read_to_string(&file).expect("a page")) {
            if !listed.contains_key(&name) {
                wrong.push(format!("{}: no divergence is called [{name}]", file.display()));
            }
            named.insert(name);
        }
    }
    let crashes = listed.values().filter(|(engine, divergence)| engine == "ptxas" && divergence.does == "crashes");
    let unnamed = crashes.filter(|(_, crash)| !named.contains(&crash.id));
    wrong.extend(unnamed.map(|(_, crash)| format!("{}: no page of docs/defects names it in brackets", crash.id)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first and the last version of what a section says are versions of a divergence that it names.
#[test]
fn sections_and_divergences_are_about_the_same_versions() {
    let listed = listed();
    for section in sections() {
        let entries: Vec<&Listed> = section.entries.iter().filter_map(|id| Some(&listed.get(id)?.1)).collect();
        let claims = section.modules.iter().flat_map(|module| &module.claims);
        for version in claims.flat_map(|claim| claim.versions).filter(|_| !entries.is_empty()) {
            let included = entries.iter().any(|entry| entry.includes(version));
            assert!(included, "{}: {}: the divergences are not about {version}", section.page, section.title);
        }
    }
}

/// The command of a module is about its target: `-arch sm_90` or `compute_90` for `.target sm_90`.
#[test]
fn modules_are_for_what_their_commands_say() {
    for section in sections() {
        for module in &section.modules {
            let target = module.text.lines().find_map(|line| line.strip_prefix(".target sm_"));
            let target = target.and_then(|target| target.split(',').next()).expect("a target");
            for claim in &module.claims {
                let (_, arch) = claim.arch.split_once('_').expect("an architecture");
                assert_eq!(arch, target, "{}: {}", section.page, section.title);
                assert!(claim.versions[0] <= claim.versions[1], "{}: {}", section.page, section.title);
            }
        }
    }
}

/// The tables of front-end.md are made from the sections, and chains.md from the listed chains. `BLESS=1` writes them.
#[test]
fn the_generated_parts_are_those_of_the_sections_and_chains() {
    for (name, generated) in [("front-end.md", tables(&sections())), ("chains.md", chains(&listed()))] {
        let path = root().join("docs/defects").join(name);
        let page = std::fs::read_to_string(&path).expect("the page");
        let (head, _) = page.split_once("<!-- generated -->").expect("where the generated part begins");
        let expected = format!("{head}<!-- generated -->\n{generated}");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, expected).expect("it can be written");
        } else {
            assert!(page == expected, "docs/defects/{name} is old; BLESS=1 writes it");
        }
    }
}

/// A section for each listed chain: those of the newest version first, and of these the simplest.
fn chains(listed: &BTreeMap<String, (String, Listed)>) -> String {
    let mut of_chains: Vec<&Listed> =
        listed.values().map(|(_, listed)| listed).filter(|listed| listed.shows.is_some()).collect();
    let last = |of: &Listed| of.ranges().last().and_then(|[_, to]| *to).map(std::cmp::Reverse);
    let lines = |of: &Listed| of.shows.as_ref().map_or(0, |shows| shows.lines.len());
    of_chains.sort_by_key(|of| (last(of), lines(of), of.id.clone()));
    of_chains.into_iter().filter_map(|of| Some(section_of_chain(of, of.shows.as_ref()?))).collect()
}

fn section_of_chain(of: &Listed, shows: &Shown) -> String {
    let mut section = format!(
        "\n## {} [{}]\n\n{}; {}.\n\n```\n",
        of.id.replace('-', " "),
        of.id,
        of.version_words(),
        of.target_words()
    );
    for (number, register) in shows.registers.iter().enumerate() {
        let input = shows.inputs.iter().position(|input| *input == number);
        let value =
            input.and_then(|input| shows.row.get(input)).map_or(String::new(), |value| format!(" // 0x{value}"));
        let _ = writeln!(section, ".reg .{register} %x{number};{value}");
    }
    shows.lines.iter().for_each(|line| section.extend([line, "\n"]));
    let outputs: Vec<String> = shows.outputs.iter().map(|output| format!("%x{output}")).collect();
    let does = if of.does == "crashes" { "ptxas dies" } else { "wrong" };
    let _ = write!(section, "{}: {does}\n```\n\n{}\n", outputs.join(", "), of.because.trim());
    section
}

fn tables(sections: &[Section]) -> String {
    let mut tables = String::new();
    let mut page = "";
    for section in sections {
        if page != section.page {
            page = &section.page;
            let _ =
                write!(tables, "\n[{page}]({page})\n\n| what | versions: what happens | divergence |\n|---|---|---|\n");
        }
        let entry = match &section.entries[..] {
            [] => String::new(),
            [one] => format!("[{one}]"),
            [first, more @ ..] => format!("[{first}] and {} more", more.len()),
        };
        let _ = writeln!(tables, "| {} | {} | {entry} |", section.title, outcomes(section));
    }
    tables
}

/// `11.7 to 12.6: signal 11; 13.1: (C7907) Internal compiler error`, each once.
fn outcomes(section: &Section) -> String {
    let mut outcomes = Vec::new();
    for claim in section.modules.iter().flat_map(|module| &module.claims) {
        let [first, last] = claim.versions;
        let versions = if first == last { first.to_string() } else { format!("{first} to {last}") };
        let outcome = format!("{versions}: {}{}", claim.does, if claim.sometimes { " in some runs" } else { "" });
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }
    outcomes.join("; ")
}
