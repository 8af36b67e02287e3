//! The built-in specification: `specs/`, embedded, and the pages about defects.

use include_dir::{Dir, File, include_dir};

use crate::load::DIRECTIVES;
use crate::spec::{Isa, Spec};
use crate::yaml::Error;

static SPECS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/specs");
static DEFECTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/docs/defects");
const ISA: &str = "isa.yaml";

/// The built-in specification.
///
/// # Errors
/// As [`Spec::load`]; a test keeps the shipped files sound.
pub fn spec() -> Result<Spec, Vec<Error>> {
    let directives = SPECS.get_dir(DIRECTIVES).into_iter().flat_map(Dir::files);
    let files = SPECS.files().chain(directives).filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)));
    let (isa, mut instructions): (Vec<_>, Vec<_>) =
        files.filter(|(name, _)| name.ends_with(".yaml")).partition(|(name, _)| *name == ISA);
    instructions.sort_unstable();
    let named: Vec<(String, String)> =
        instructions.into_iter().map(|(name, text)| (format!("specs/{name}"), text.to_owned())).collect();
    Spec::from_texts(("specs/isa.yaml", isa.first().map_or("", |(_, text)| text)), &named)
}

/// Versions, targets and everything else in the built-in `isa.yaml`, for what needs no instruction: those take far longer
/// to load.
///
/// # Errors
/// As [`Spec::load`]; a test keeps the shipped files sound.
pub fn isa() -> Result<Isa, Vec<Error>> {
    let text = SPECS.get_file(ISA).and_then(|file| file.contents_utf8()).unwrap_or_default();
    Spec::from_texts(("specs/isa.yaml", text), &[]).map(|spec| spec.isa)
}

/// The pages about defects, each with its path, sorted.
pub(crate) fn defect_pages() -> Vec<(String, &'static str)> {
    let files = DEFECTS.files();
    let page =
        |file: &'static File<'static>| Some((format!("docs/defects/{}", file.path().to_str()?), file.contents_utf8()?));
    let mut pages: Vec<(String, &'static str)> = files.filter_map(page).collect();
    pages.sort_unstable();
    pages
}

/// Every file of a folder below `specs/`, with its name, sorted.
pub(crate) fn folder(folder: &str) -> Vec<(String, String)> {
    let files = SPECS.get_dir(folder).into_iter().flat_map(Dir::files);
    let mut texts: Vec<(String, String)> = files
        .filter_map(|file| Some((format!("specs/{}", file.path().to_str()?), file.contents_utf8()?.to_owned())))
        .collect();
    texts.sort();
    texts
}
