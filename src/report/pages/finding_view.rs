//! A finding as a card: its line in marked and plain parts, objects with their wrong bytes, surfaces as pictures.

use serde::Serialize;

use super::engine_names::EngineNames;
use crate::borders::Borders;
use crate::causes::{ComparedObject, Finding, Mark, Vote};
use crate::divergences::Does;
use crate::object::Surface;
use crate::report::data::Report;

/// A finding, and what its card shows that is not in it.
#[derive(Debug, Serialize)]
pub(super) struct FindingView<'r> {
    pub(super) finding: &'r Finding,
    /// The kind of defect; the worst come first.
    pub(super) kind: FindingKind,
    /// The line in parts.
    line: Vec<LinePart<'r>>,
    /// The engines that show it, and those that do not, in words.
    shows: String,
    does_not: String,
    /// Engines that do something else: each and its words.
    others: Vec<(&'r str, &'r str)>,
    objects: Vec<ObjectView<'r>>,
    /// The texels of the surface, if it has a size that can be drawn.
    picture: Option<SurfacePicture>,
    /// Where it happens among the installed builds, in words.
    builds: Vec<String>,
    /// Since when it is known, in words; none without a history.
    known_since: Option<String>,
    /// True if the last run like this one did not have the finding.
    appeared: bool,
}

/// The kinds of findings, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FindingKind {
    /// A wrong result.
    WrongResult,
    /// The engine died.
    Crash,
    /// It rejects what is valid.
    Rejection,
    /// It accepts what breaks a rule.
    Leniency,
    /// It does what the specification says, but a divergence lists something else.
    Outdated,
}

impl FindingKind {
    /// The kind of what does this and should not.
    pub(super) fn of(does: Does) -> Self {
        match does {
            Does::Computes => Self::WrongResult,
            Does::Crashes => Self::Crash,
            Does::Rejects => Self::Rejection,
            Does::Accepts => Self::Leniency,
        }
    }
}

/// A part of a line; marked if something is said about it.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct LinePart<'r> {
    text: &'r str,
    says: Option<&'r str>,
}

/// A register or an object, as runs of bytes.
#[derive(Debug, Serialize)]
struct ObjectView<'r> {
    name: &'r str,
    expected: Vec<ByteRun<'r>>,
    actual: Vec<ByteRun<'r>>,
    /// The bytes that are left out because there are too many.
    left_out: usize,
}

/// Bytes of one kind, as digits.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct ByteRun<'r> {
    digits: &'r str,
    wrong: bool,
    undefined: bool,
}

/// A surface from above: one square a texel, slices below each other.
#[derive(Debug, Serialize)]
struct SurfacePicture {
    width: usize,
    height: usize,
    texels: Vec<Texel>,
}

/// A texel that is wrong or partly undefined.
#[derive(Debug, Serialize)]
struct Texel {
    x: usize,
    y: usize,
    wrong: bool,
    title: String,
}

/// Bytes of an object that a card shows.
const BYTES: usize = 512;
/// Texels that a picture shows.
const TEXELS: usize = 4096;

impl<'r> FindingView<'r> {
    pub(super) fn new(finding: &'r Finding, names: &EngineNames, report: &Report) -> Self {
        let news = report.news.as_ref();
        let of = |wanted: &Vote| -> Vec<&str> {
            finding.engines.iter().filter(|(_, vote)| *vote == wanted).map(|(name, _)| name.as_str()).collect()
        };
        let others = finding.engines.iter().filter_map(|(name, vote)| match vote {
            Vote::Other(words) => Some((name.as_str(), words.as_str())),
            _ => None,
        });
        let row = finding.case.row.as_ref();
        let objects = row.map(|row| row.compared.as_slice()).unwrap_or_default();
        let surface = row.and_then(|row| row.execution.surface.as_ref());
        let fingerprint = &finding.fingerprint;
        Self {
            finding,
            builds: report.borders.get(fingerprint).map(Borders::words).unwrap_or_default(),
            known_since: news.map(|news| news.known_since(fingerprint)),
            appeared: news.is_some_and(|news| news.appeared.contains(fingerprint)),
            kind: match (finding.does, finding.valid) {
                (Does::Accepts, true) | (Does::Rejects, false) => FindingKind::Outdated,
                _ => FindingKind::of(finding.does),
            },
            line: line_parts(&finding.case.line, &finding.case.marks),
            shows: names.words(&of(&Vote::Shows)),
            does_not: names.words(&of(&Vote::DoesNot)),
            others: others.collect(),
            objects: objects.iter().map(ObjectView::new).collect(),
            picture: surface.and_then(|surface| SurfacePicture::new(surface, objects)),
        }
    }
}

/// A line in marked and plain parts. A part that something is missing after gets an empty marked part.
fn line_parts<'r>(line: &'r str, marks: &'r [Mark]) -> Vec<LinePart<'r>> {
    let mut marks: Vec<&Mark> = marks.iter().collect();
    marks.sort_by_key(|mark| (mark.from, mark.to));
    let mut parts = Vec::new();
    let mut at = 0;
    for mark in marks {
        // Marks that overlap, or that are not of this line, are left out.
        let (Some(before), Some(text)) = (line.get(at..mark.from), line.get(mark.from..mark.to)) else { continue };
        if !before.is_empty() {
            parts.push(LinePart { text: before, says: None });
        }
        parts.push(LinePart { text, says: Some(&mark.says) });
        at = mark.to;
    }
    parts.extend(line.get(at..).filter(|rest| !rest.is_empty()).map(|text| LinePart { text, says: None }));
    parts
}

impl<'r> ObjectView<'r> {
    fn new(object: &'r ComparedObject) -> Self {
        let bytes = object.expected.len() / 2;
        // From a little before the first wrong byte on.
        let from = match object.wrong.first() {
            Some(&first) if bytes > BYTES => (first / 16 * 16).min(bytes - BYTES),
            _ => 0,
        };
        let to = bytes.min(from + BYTES);
        let runs = |digits: &'r str| -> Vec<ByteRun<'r>> {
            let kind = |at: usize| (object.wrong.contains(&at), object.undefined.contains(&at));
            let mut runs = Vec::new();
            let mut at = from;
            while at < to {
                let run = (at..to).take_while(|&next| kind(next) == kind(at)).count();
                let (wrong, undefined) = kind(at);
                let digits = digits.get(at * 2..digits.len().min((at + run) * 2)).unwrap_or_default();
                runs.push(ByteRun { digits, wrong, undefined });
                at += run;
            }
            runs
        };
        Self {
            name: &object.name,
            expected: runs(&object.expected),
            actual: runs(&object.actual),
            left_out: bytes - (to - from),
        }
    }
}

impl SurfacePicture {
    fn new(surface: &Surface, objects: &[ComparedObject]) -> Option<Self> {
        let size = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let object = objects.iter().find(|object| object.name == crate::line_case::SURFACE)?;
        let (width, rows) = (size(surface.width), size(surface.rows()));
        let bytes = size(surface.format.bytes()).max(1);
        let height = rows.checked_mul(size(surface.slices()))?;
        if width.checked_mul(height)? > TEXELS {
            return None;
        }
        let mut texels: Vec<Texel> = Vec::new();
        for (wrong, at) in object.wrong.iter().map(|at| (true, at)).chain(object.undefined.iter().map(|at| (false, at)))
        {
            let texel = at / bytes;
            let (x, y) = (texel % width.max(1), texel / width.max(1));
            if texels.iter().any(|known| (known.x, known.y) == (x, y)) {
                continue;
            }
            let digits =
                |text: &str| text.get(texel * bytes * 2..(texel + 1) * bytes * 2).unwrap_or("missing").to_owned();
            let title = format!(
                "x {x}, y {}{}: expected {}, actual {}",
                y % rows.max(1),
                if surface.slices() > 1 { format!(", slice {}", y / rows.max(1)) } else { String::new() },
                digits(&object.expected),
                digits(&object.actual)
            );
            texels.push(Texel { x, y, wrong, title });
        }
        Some(Self { width, height, texels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_its_marks() {
        let mark = |from, to, says: &str| Mark { from, to, says: says.to_owned() };
        for (marks, expected) in [
            (vec![], "ld.u32 a;"),
            (vec![mark(2, 6, "type")], "ld[.u32] a;"),
            (vec![mark(6, 6, "nothing here"), mark(2, 6, "type")], "ld[.u32][] a;"),
            (vec![mark(2, 6, "type"), mark(4, 7, "overlaps"), mark(50, 60, "elsewhere")], "ld[.u32] a;"),
        ] {
            let parts = line_parts("ld.u32 a;", &marks);
            let text = parts
                .iter()
                .map(|part| if part.says.is_some() { format!("[{}]", part.text) } else { part.text.to_owned() });
            assert_eq!(text.collect::<String>(), expected);
        }
    }

    #[test]
    fn a_large_object_is_shown_around_its_first_wrong_byte() {
        let mut object = ComparedObject {
            name: "v".to_owned(),
            number: false,
            expected: "00".repeat(2000),
            actual: "00".repeat(2000),
            wrong: vec![1000, 1001],
            undefined: Vec::new(),
        };
        object.actual.replace_range(2000..2004, "ffff");
        let view = ObjectView::new(&object);
        assert_eq!(view.left_out, 2000 - BYTES);
        let wrong: Vec<&str> = view.actual.iter().filter(|run| run.wrong).map(|run| run.digits).collect();
        assert_eq!(wrong, ["ffff"]);
    }
}
