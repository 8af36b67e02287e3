//! What docs/defects/front-end-*.md say: sections about lines that kill `ptxas`, each with modules that show it.

use std::fmt;
use std::path::{Path, PathBuf};

/// A section: its title, the divergences that it is about in brackets, and modules.
pub(crate) struct Section {
    /// The page's file name.
    pub page: String,
    pub title: String,
    /// The ids of divergences.
    pub entries: Vec<String>,
    pub modules: Vec<Module>,
}

/// What one process is given, and the lines before it, such as
/// `` `ptxas -arch sm_90 x.ptx -o /dev/null`, 11.8 to 13.1: signal 11 ``.
pub(crate) struct Module {
    pub text: String,
    /// Further modules of the same process: those that follow without such a line.
    pub more: Vec<String>,
    pub claims: Vec<Claim>,
}

/// What some versions do with a module.
pub(crate) struct Claim {
    pub arch: String,
    /// The first version that does it, and the last one.
    pub versions: [Version; 2],
    /// `signal 11`, or a part of the message.
    pub does: String,
    /// Whether they do it in some runs only.
    pub sometimes: bool,
}

/// Major and minor version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32);

impl Version {
    /// Of `13.5` or `13.5.37`.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(str::parse);
        Some(Self(parts.next()?.ok()?, parts.next()?.ok()?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// The Markdown files of docs/defects, sorted.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/defects");
    let entries = std::fs::read_dir(folder).expect("docs/defects").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    files.sort();
    files
}

/// The sections of all pages, in order.
pub(crate) fn sections() -> Vec<Section> {
    let mut sections = Vec::new();
    for file in files() {
        let page = file.file_name().expect("a name").to_string_lossy().into_owned();
        if !page.starts_with("front-end-") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a page");
        let of_page = text.split("\n## ").skip(1);
        sections.extend(of_page.map(|text| section(&page, text).unwrap_or_else(|| panic!("{page}: {text}"))));
    }
    sections
}

/// `None` if it has another form.
fn section(page: &str, text: &str) -> Option<Section> {
    let (mut modules, mut claims) = (Vec::new(), Vec::new());
    let mut lines = text.lines();
    let title = lines.next()?.to_owned();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("`ptxas -arch ") {
            claims.push(claim(rest)?);
        } else if line == "```ptx" {
            let text = lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            match modules.last_mut().filter(|_| claims.is_empty()) {
                Some(Module { more, .. }) => more.push(text),
                None => modules.push(Module { text, more: Vec::new(), claims: std::mem::take(&mut claims) }),
            }
        }
    }
    let whole = claims.is_empty() && !modules.is_empty() && modules.iter().all(|module| !module.claims.is_empty());
    whole.then(|| Section { page: page.to_owned(), title, entries: names(text), modules })
}

/// Of `` sm_90 x.ptx -o /dev/null`, 11.8 to 13.1: signal 11 in some runs ``.
fn claim(text: &str) -> Option<Claim> {
    let (arch, rest) = text.split_once(' ')?;
    let (versions, does) = rest.split_once("`, ")?.1.split_once(": ")?;
    let (first, last) = versions.split_once(" to ").unwrap_or((versions, versions));
    let always = does.strip_suffix(" in some runs");
    Some(Claim {
        arch: arch.to_owned(),
        versions: [Version::of(first)?, Version::of(last)?],
        does: always.unwrap_or(does).to_owned(),
        sometimes: always.is_some(),
    })
}

/// The names in brackets outside of code: `[a, b]` has two. A link has none.
pub(crate) fn names(markdown: &str) -> Vec<String> {
    // Parts at odd positions are code: of blocks first, then of lines.
    let prose = markdown.split("```").step_by(2).flat_map(|part| part.split('`').step_by(2));
    let mut names = Vec::new();
    for bracket in prose.flat_map(|part| part.split('[').skip(1)) {
        if let Some((inside, after)) = bracket.split_once(']')
            && !after.starts_with('(')
        {
            names.extend(inside.split(',').map(|name| name.trim().to_owned()));
        }
    }
    names
}
