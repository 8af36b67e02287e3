//! The shape of the code: the direction of imports, the length of files and functions, and unique type names.
//!
//! The block `text order` in the docs of a crate's `lib.rs` lists its top-level modules; each imports only those before
//! it. `tests/house/known.txt` lists the known problems, one per line. That list only shrinks: the tests fail for a
//! problem that is not listed, and for a listed one that is gone. `BLESS=1` removes the lines that are gone.

#[path = "defects/pages.rs"]
mod defect_pages;
#[path = "house/defects.rs"]
mod defects;
#[path = "house/docs.rs"]
mod docs;
#[path = "house/pages.rs"]
mod pages;
#[path = "house/words.rs"]
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// The maximum number of lines of a file, without its unit tests.
const FILE: usize = 500;
/// The maximum number of lines of a function.
const FUNCTION: usize = 60;
/// The maximum of the median number of lines of a file.
const MEDIAN: usize = 180;
/// Names that several types may have: the options of a subcommand, and errors.
const SHARED_NAMES: [&str; 2] = ["Opts", "Error"];

/// A source file of a crate.
struct Source {
    /// Relative to the root of the repository.
    path: PathBuf,
    /// The path of the module: `["role", "address"]`; empty for `lib.rs`.
    module: Vec<String>,
    /// Lines before the unit tests.
    lines: usize,
    syntax: syn::File,
}

impl Source {
    /// The top-level module.
    fn top(&self) -> &str {
        self.module.first().map_or("", String::as_str)
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The source folder of every crate of the workspace.
fn crates() -> Vec<PathBuf> {
    let members = std::fs::read_dir(root().join("crates")).expect("crates/");
    let mut folders: Vec<PathBuf> = members.map(|entry| entry.expect("a crate").path().join("src")).collect();
    folders.push(root().join("src"));
    folders.sort();
    folders
}

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn sources(folder: &Path) -> Vec<Source> {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    paths.sort();
    paths.iter().map(|path| source(folder, path)).collect()
}

fn source(folder: &Path, path: &Path) -> Source {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let mut syntax = syn::parse_file(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let mut lines = text.lines().count();
    syntax.items.retain(|item| match item {
        syn::Item::Mod(module) if is_test(&module.attrs) => {
            lines -= module
                .content
                .as_ref()
                .map_or(0, |(braces, _)| braces.span.close().end().line - module.mod_token.span.start().line + 1);
            false
        }
        _ => true,
    });
    let relative = path.strip_prefix(folder).expect("it is below the folder").with_extension("");
    let mut module: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(module.last().map(String::as_str), Some("lib" | "main")) {
        module.pop();
    }
    Source { path: path.strip_prefix(root()).unwrap_or(path).to_owned(), module, lines, syntax }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|flag| flag == "test")
    })
}

/// Every path that a file names, from `use` and from expressions and types, as its segments.
#[derive(Default)]
struct Paths(BTreeSet<Vec<String>>);

impl Paths {
    fn of(file: &syn::File) -> BTreeSet<Vec<String>> {
        let mut paths = Self::default();
        paths.visit_file(file);
        paths.0
    }

    fn tree(&mut self, tree: &syn::UseTree, mut prefix: Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.tree(&path.tree, prefix);
            }
            syn::UseTree::Name(name) => {
                prefix.push(name.ident.to_string());
                self.0.insert(prefix);
            }
            syn::UseTree::Rename(name) => {
                prefix.push(name.ident.to_string());
                self.0.insert(prefix);
            }
            syn::UseTree::Glob(_) => {
                self.0.insert(prefix);
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.tree(item, prefix.clone()));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    /// Skips modules within a file: their `super` is the file.
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// A path as seen from the root of its crate; `None` for a path into another crate and for a local name.
fn absolute(source: &Source, path: &[String]) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|segment| *segment == "super").count();
    match path.first().map(String::as_str) {
        Some("crate") => Some(path[1..].to_vec()),
        Some("self") => Some([&source.module, &path[1..]].concat()),
        Some("super") => {
            let kept = source.module.len().checked_sub(supers)?;
            Some([&source.module[..kept], &path[supers..]].concat())
        }
        _ => None,
    }
}

/// The top-level modules in the order of the block `text order` of a crate's `lib.rs`.
fn order(library: &Source) -> Vec<String> {
    let docs = library.syntax.attrs.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let text: Vec<String> = docs.collect();
    let lines = text.iter().map(|line| line.trim());
    let block = lines.skip_while(|line| *line != "```text order").skip(1).take_while(|line| !line.starts_with("```"));
    block.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// Compares the problems that a test found with those that are known.
fn report(test: &str, problems: Vec<String>) {
    let path = root().join("tests/house/known.txt");
    let text = std::fs::read_to_string(&path).expect("the list of known problems");
    let prefix = format!("{test}: ");
    let known: BTreeSet<&str> = text.lines().filter_map(|line| line.strip_prefix(&prefix)).collect();
    let found: BTreeSet<&str> = problems.iter().map(String::as_str).collect();
    let new: Vec<&str> = found.difference(&known).copied().collect();
    assert!(new.is_empty(), "{} new problems:\n{}", new.len(), new.join("\n"));
    let gone: Vec<String> = known.difference(&found).map(|line| format!("{prefix}{line}")).collect();
    if std::env::var_os("BLESS").is_some() {
        // Tests run in parallel, so each removes only its own lines.
        static LIST: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _guard = LIST.lock().expect("no test panics while it holds the list");
        let text = std::fs::read_to_string(&path).expect("the list of known problems");
        let kept: String =
            text.lines().filter(|line| !gone.iter().any(|gone| gone == line)).map(|line| format!("{line}\n")).collect();
        return std::fs::write(&path, kept).expect("the list can be written");
    }
    assert!(gone.is_empty(), "gone, remove from tests/house/known.txt (BLESS=1 does it):\n{}", gone.join("\n"));
}

#[test]
fn modules_import_only_modules_before_them() {
    let mut problems = Vec::new();
    for folder in crates() {
        let sources = sources(&folder);
        let library = sources.iter().find(|source| source.path.ends_with("lib.rs")).expect("a lib.rs");
        let order = order(library);
        let position = |module: &str| order.iter().position(|known| known == module);
        for source in sources.iter().filter(|source| !source.module.is_empty() && source.top() != "cli") {
            let Some(own) = position(source.top()) else {
                problems.push(format!(
                    "{}: the module is not in the order of {}",
                    source.path.display(),
                    library.path.display()
                ));
                continue;
            };
            for path in Paths::of(&source.syntax) {
                let Some(target) = absolute(source, &path) else { continue };
                let later = target.first().and_then(|module| position(module)).is_some_and(|other| other > own);
                if later {
                    problems.push(format!(
                        "{} imports {}, which comes after it",
                        source.path.display(),
                        path.join("::")
                    ));
                }
            }
        }
    }
    report("modules_import_only_modules_before_them", problems);
}

/// Spellings of "the first three axes", without spaces. `EnvironmentValues` alone knows how many axes the environment has.
const AXES_AS_A_NUMBER: [&str; 14] = [
    "ENVIRONMENT:usize=3",
    "AXES:usize=3",
    "[u8;3]",
    "[..3]",
    "(..3)",
    "[3..]",
    "split_at(3",
    "skip(3)",
    "truncate(3)",
    "first_chunk::<3>",
    "(0..3)",
    "in0..3{",
    "[0,1,2]",
    "[values[0],values[1],values[2]]",
];

#[test]
fn only_the_environment_knows_how_many_axes_it_has() {
    let mut problems = Vec::new();
    let mut paths = Vec::new();
    ["src", "crates/ptx-spec/src", "crates/ptx-exec/src"].iter().for_each(|of| files(&root().join(of), &mut paths));
    paths.sort();
    for path in paths.iter().filter(|path| !path.ends_with("space/environments.rs")) {
        let text = std::fs::read_to_string(path).expect("a readable file");
        for (line, number) in text.lines().zip(1..) {
            let code: String = line.split("//").next().unwrap_or_default().split_whitespace().collect();
            let spelt = AXES_AS_A_NUMBER.iter().filter(|spelling| code.contains(**spelling));
            let path = path.strip_prefix(root()).unwrap_or(path).display();
            problems.extend(spelt.map(|spelling| format!("{path}:{number}: `{spelling}`, see `EnvironmentValues`")));
        }
    }
    report("only_the_environment_knows_how_many_axes_it_has", problems);
}

#[test]
fn no_parent_and_child_call_each_other() {
    let mut problems = Vec::new();
    for folder in crates() {
        let sources = sources(&folder);
        let modules: BTreeSet<&[String]> = sources.iter().map(|source| source.module.as_slice()).collect();
        let uses: BTreeMap<&[String], BTreeSet<Vec<String>>> =
            sources.iter().map(|source| (source.module.as_slice(), used_children(source))).collect();
        for source in sources.iter().filter(|source| source.module.len() > 1) {
            let (child, parent) = (source.module.last(), &source.module[..source.module.len() - 1]);
            let Some(used) = uses.get(parent) else { continue };
            if !child.is_some_and(|child| used.iter().any(|path| path.first() == Some(child))) {
                continue;
            }
            let functions = |path: &Vec<String>| {
                let target = absolute(source, path)?;
                let name = target.get(parent.len())?;
                let function = target.starts_with(parent)
                    && target.len() == parent.len() + 1
                    && !modules.contains(target.as_slice())
                    && name.starts_with(|letter: char| letter.is_ascii_lowercase());
                function.then(|| name.clone())
            };
            for name in Paths::of(&source.syntax).iter().filter_map(functions) {
                problems.push(format!(
                    "{} calls `{name}` of its parent, of which it may only use types",
                    source.path.display()
                ));
            }
        }
    }
    report("no_parent_and_child_call_each_other", problems);
}

/// The paths that a parent uses, without re-exports; `self::` is left out.
fn used_children(source: &Source) -> BTreeSet<Vec<String>> {
    let mut calls = Paths::default();
    for item in &source.syntax.items {
        if !matches!(item, syn::Item::Use(item) if !matches!(item.vis, syn::Visibility::Inherited)) {
            calls.visit_item(item);
        }
    }
    let own = |path: Vec<String>| match path.first().map(String::as_str) {
        Some("self") => path[1..].to_vec(),
        _ => path,
    };
    calls.0.into_iter().map(own).collect()
}

#[test]
fn siblings_form_no_cycle() {
    let mut problems = Vec::new();
    for folder in crates() {
        let sources = sources(&folder);
        let mut edges: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
        for source in &sources {
            for target in Paths::of(&source.syntax).iter().filter_map(|path| absolute(source, path)) {
                // The sibling that the path leads into, if it leads into one.
                let Some(depth) = source.module.len().checked_sub(1) else { continue };
                if target.len() > depth && target[..depth] == source.module[..depth] {
                    let sibling = target[..=depth].to_vec();
                    if sibling != source.module && sources.iter().any(|other| other.module == sibling) {
                        edges.entry(source.module.clone()).or_default().insert(sibling);
                    }
                }
            }
        }
        for (from, targets) in &edges {
            for to in targets.iter().filter(|to| from < to) {
                if reaches(&edges, to, from) {
                    problems.push(format!("{} and {} import each other", from.join("/"), to.join("/")));
                }
            }
        }
    }
    report("siblings_form_no_cycle", problems);
}

fn reaches(edges: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>, from: &[String], to: &[String]) -> bool {
    let mut seen: BTreeSet<&[String]> = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            open.extend(edges.get(at).into_iter().flatten().map(Vec::as_slice));
        }
    }
    false
}

#[test]
fn files_are_short() {
    let mut sizes = Vec::new();
    let mut problems = Vec::new();
    for source in crates().iter().flat_map(|folder| sources(folder)) {
        sizes.push(source.lines);
        if source.lines > FILE {
            problems.push(format!("{}: more than {FILE} lines", source.path.display()));
        }
    }
    sizes.sort_unstable();
    let median = sizes[sizes.len() / 2];
    if median > MEDIAN {
        problems.push(format!("half of the files have more than {MEDIAN} lines"));
    }
    report("files_are_short", problems);
}

/// The functions and methods of a file, and how many lines each has.
#[derive(Default)]
struct Functions(Vec<(String, usize)>);

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let end = block.brace_token.span.close().end().line;
        self.0.push((signature.ident.to_string(), end - signature.fn_token.span.start().line + 1));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}

#[test]
fn functions_are_short() {
    let mut problems = Vec::new();
    for source in crates().iter().flat_map(|folder| sources(folder)) {
        let mut functions = Functions::default();
        functions.visit_file(&source.syntax);
        let long = functions.0.into_iter().filter(|(_, lines)| *lines > FUNCTION);
        problems.extend(
            long.map(|(name, _)| format!("{}: `{name}` has more than {FUNCTION} lines", source.path.display())),
        );
    }
    report("functions_are_short", problems);
}

/// The types that a file defines.
#[derive(Default)]
struct Types(Vec<String>);

impl<'ast> Visit<'ast> for Types {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.0.push(item.ident.to_string());
    }
}

#[test]
fn a_type_name_means_one_thing() {
    let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in crates().iter().flat_map(|folder| sources(folder)) {
        let mut types = Types::default();
        types.visit_file(&source.syntax);
        for name in types.0.into_iter().filter(|name| !SHARED_NAMES.contains(&name.as_str())) {
            defined.entry(name).or_default().push(source.path.display().to_string());
        }
    }
    let twice = defined.into_iter().filter(|(_, files_with_it)| files_with_it.len() > 1);
    report(
        "a_type_name_means_one_thing",
        twice.map(|(name, files_with_it)| format!("`{name}` is defined in {}", files_with_it.join(", "))).collect(),
    );
}

/// Members that a bare `cargo test` leaves out are compiled by clippy and never run.
#[test]
fn cargo_test_tests_every_crate() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(root().join("Cargo.toml"))
        .output()
        .expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let listed = |field: &str| -> BTreeSet<String> {
        let ids = metadata[field].as_array().expect("a list of packages");
        ids.iter().map(|id| id.as_str().expect("an id").to_owned()).collect()
    };
    let left_out: Vec<String> =
        listed("workspace_members").difference(&listed("workspace_default_members")).cloned().collect();
    assert!(left_out.is_empty(), "a bare `cargo test` does not test {left_out:?}: add them to default-members");
    assert!(listed("workspace_members").len() > crates().len() - 1, "cargo knows fewer crates than crates/ has");
}

/// Words with which a doc comment does not name its subject: only its neighbours say what it is about.
const NAMELESS: [&str; 6] = ["That", "Those", "Whether", "None", "What", "Why"];

/// The doc comments of a file, each by the line on which it begins.
fn doc_comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let comment = |line: &'_ str| line.trim_start().strip_prefix("///").map(str::len);
    let starts = move |before: Option<&str>, line: &str| before.and_then(comment).is_none() && comment(line).is_some();
    let before = std::iter::once(None).chain(text.lines().map(Some));
    let lines = before.zip(text.lines()).enumerate().filter(move |(_, (before, line))| starts(*before, line));
    lines.map(|(at, (_, line))| (at + 1, line.trim_start().trim_start_matches('/').trim()))
}

#[test]
fn doc_comments_name_their_subject() {
    let mut problems = Vec::new();
    let mut count = 0;
    for folder in crates() {
        let mut paths = Vec::new();
        files(&folder, &mut paths);
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            for (line, words) in doc_comments(&text) {
                count += 1;
                let first = words.split(|c: char| !c.is_alphanumeric()).next();
                if first.is_some_and(|first| NAMELESS.contains(&first)) {
                    let path = path.strip_prefix(root()).unwrap_or(&path).display();
                    problems.push(format!("{path}:{line}: `{words}` does not name its subject"));
                }
            }
        }
    }
    assert!(count > 1_000, "{count} doc comments");
    report("doc_comments_name_their_subject", problems);
}
