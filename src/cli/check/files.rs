//! The files that are checked.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ptx_conform::inline::{SUFFIXES, SourceLanguage};
use ptx_conform::ptx::Module;
use ptx_conform::spec::Isa;
use rayon::prelude::*;

/// The characters that make a path a pattern.
const WILD: [char; 3] = ['*', '?', '['];
/// The path that stands for stdin.
const STDIN: &str = "-";

/// The files that paths name, in order, and the paths that name no file, with the reason. Of a directory these are its PTX files, or, with
/// `sources`, all sources in it and below it.
pub(super) fn find(paths: &[PathBuf], sources: bool) -> (Vec<PathBuf>, Vec<(String, String)>) {
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    for path in paths {
        let text = path.to_string_lossy();
        let pattern = match () {
            () if path.is_dir() => {
                let files = if sources { "**/*.*" } else { "*.ptx" };
                Some(format!("{}/{files}", glob::Pattern::escape(text.trim_end_matches('/'))))
            }
            () if !path.exists() && text.contains(WILD) => Some(text.clone().into_owned()),
            () => None,
        };
        let Some(pattern) = pattern else {
            files.push(path.clone());
            continue;
        };
        match glob::glob(&pattern) {
            Err(why) => missing.push((text.into_owned(), format!("the pattern cannot be read: {why}"))),
            Ok(found) => {
                // A folder that cannot be read holds no file that can.
                let found: Vec<PathBuf> = found.flatten().filter(|path| path.is_file()).collect();
                let found: Vec<PathBuf> = match sources && path.is_dir() {
                    true => found.into_iter().filter(|file| language(file).is_some()).collect(),
                    false => found,
                };
                if found.is_empty() {
                    missing.push((text.into_owned(), "no file matches".to_owned()));
                }
                files.extend(found);
            }
        }
    }
    (files, missing)
}

/// The language of a source by its suffix, and C for stdin.
pub(super) fn language(path: &Path) -> Option<SourceLanguage> {
    if path == Path::new(STDIN) {
        return Some(SourceLanguage::C);
    }
    SourceLanguage::of_suffix(path.extension()?.to_str()?)
}

/// The reason why a file is no source.
pub(super) fn no_source() -> String {
    let known: Vec<&str> = SUFFIXES.iter().map(|(suffix, _)| *suffix).collect();
    format!(
        "not a source, by its suffix: --inline reads {}; what else is CUDA, C or C++ can be piped into `check --inline -`",
        known.join(" ")
    )
}

/// The name of a file in what is printed.
pub(super) fn name(path: &Path) -> String {
    if path == Path::new(STDIN) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// The text of a file, or the reason why it cannot be read.
pub(super) type LoadedText = Result<String, String>;

/// The texts of some files, in order.
pub(super) fn load_all(paths: &[PathBuf]) -> Vec<LoadedText> {
    paths.par_iter().map(|path| load(path)).collect()
}

/// The modules of some texts; none of those that cannot be read.
pub(super) fn modules<'t>(texts: &'t [LoadedText], isa: &Isa) -> Vec<Option<Module<'t>>> {
    let module = |text: &'t LoadedText| text.as_ref().ok().map(|text| Module::read(text, isa));
    texts.par_iter().map(module).collect()
}

/// The text of a file.
///
/// # Errors
/// If it cannot be read, or is not text; says why.
fn load(path: &Path) -> LoadedText {
    let bytes = read(path).map_err(|why| why.to_string())?;
    text(&bytes).map(Cow::into_owned)
}

/// The content of a file.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path != Path::new(STDIN) {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file. Bytes that are not UTF-8, as in comments of other encodings, are replaced.
///
/// # Errors
/// If it is not text, with what it is instead.
fn text(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    if begins(b"\x7fELF") {
        return Err("it is an ELF file, such as a cubin or a program, and not PTX text".to_owned());
    }
    if begins(b"\xff\xfe") || begins(b"\xfe\xff") {
        return Err("it is UTF-16 text: PTX is ASCII".to_owned());
    }
    let text = String::from_utf8_lossy(bytes);
    // Programs write the end of their strings to files, which ptxas takes for white space.
    match text.trim_end_matches(|c: char| c == '\0' || c.is_ascii_whitespace()).find('\0') {
        Some(at) => Err(format!("it is not text: byte {at} is NUL")),
        None => Ok(text),
    }
}
