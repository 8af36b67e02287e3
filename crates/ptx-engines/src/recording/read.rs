//! Reads a recording: the usable parts, and the problems with the rest.

use std::fmt;

use super::format::{Heading, LineEntry, RecordedModule, RowEntry};
use super::{FORMAT, Provenance, Recording, bare};
use crate::Outcome;
use ptx_exec::line_case::{LineCase, Rows};
use ptx_spec::plural::counted;

/// Something in a recording that cannot be used, or only partly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingProblem {
    /// The number of the line, from 1; none if it does not come from a file.
    pub line: Option<usize>,
    /// The fault, in words.
    pub message: String,
    /// The lines of the file that are lost with it.
    pub lost: u64,
}

impl fmt::Display for RecordingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Recording {
    /// Reads the text of a file, and reports what cannot be used.
    ///
    /// # Errors
    /// If the first line is not the header of a recording in this format.
    pub fn read(text: &str) -> Result<(Self, Vec<RecordingProblem>), RecordingProblem> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (at, header) = lines.next().unwrap_or((1, ""));
        let wrong = |message: String| RecordingProblem { line: Some(at), message, lost: 1 };
        let provenance: Provenance = serde_json::from_str(header)
            .map_err(|error| wrong(format!("this is not the header of a recording: {error}")))?;
        if provenance.recording != FORMAT {
            let found = provenance.recording;
            return Err(wrong(format!("this is a recording of format {found}; only format {FORMAT} can be read")));
        }
        let mut reader = RecordingReader { recording: Self::new(provenance), problems: Vec::new(), under: None };
        for (at, line) in lines {
            if let Err(message) = reader.line(at, line) {
                reader.problems.push(RecordingProblem { line: Some(at), message, lost: 1 });
            }
        }
        reader.close();
        let RecordingReader { mut recording, problems, .. } = reader;
        recording.unread = problems.iter().map(|problem| problem.lost).sum();
        recording.first_unread = problems.first().map(ToString::to_string);
        Ok((recording, problems))
    }
}

/// The section that the current line belongs to.
enum Section {
    Case(Box<LineCase>),
    Judged(RecordedModule),
    /// A heading that could not be read: its line number, and how many lines follow it.
    Unread(usize, u64),
}

struct RecordingReader {
    recording: Recording,
    problems: Vec<RecordingProblem>,
    under: Option<Section>,
}

impl RecordingReader {
    fn line(&mut self, at: usize, line: &str) -> Result<(), String> {
        if line.starts_with('{') {
            self.close();
            self.under = Some(Section::Unread(at, 0));
            let heading = serde_json::from_str(line).map_err(|error| format!("this case cannot be read: {error}"))?;
            self.under = Some(match heading {
                Heading::Case(case) => {
                    let case = bare(&case);
                    case.surface.as_ref().map_or(Ok(()), |surface| surface.check())?;
                    self.recording.cases.entry(case.clone()).or_default();
                    Section::Case(Box::new(case))
                }
                Heading::Judged(surroundings) => Section::Judged(surroundings),
            });
            return Ok(());
        }
        match &mut self.under {
            None => Err("this comes before the first case".to_owned()),
            Some(Section::Unread(_, rows)) => {
                *rows += 1;
                Ok(())
            }
            Some(Section::Case(case)) => {
                let RowEntry(row, kept) =
                    serde_json::from_str(line).map_err(|error| format!("this row cannot be read: {error}"))?;
                if row.len() != case.inputs.len() {
                    return Err(format!(
                        "this row has {} values, but the case has {} inputs",
                        row.len(),
                        case.inputs.len()
                    ));
                }
                let answer = kept.answer(case)?;
                let mut rows = Rows::new(row.len());
                rows.push(&row);
                let added = self.recording.add(&case.with_rows(rows, Vec::new()), &[answer]);
                added.map_err(|_| "this row is already there, with another answer".to_owned())
            }
            Some(Section::Judged(surroundings)) => {
                let LineEntry(line, did) =
                    serde_json::from_str(line).map_err(|error| format!("this line cannot be read: {error}"))?;
                let outcome = Outcome::from(did);
                let kept = self.recording.lines.entry(surroundings.clone()).or_default();
                if *kept.entry(line).or_insert_with(|| outcome.clone()) == outcome {
                    Ok(())
                } else {
                    Err("this line is already there, with another outcome".to_owned())
                }
            }
        }
    }

    /// Reports how much was lost with a heading that could not be read.
    fn close(&mut self) {
        if let Some(Section::Unread(line, rows @ 1..)) = self.under.take() {
            let message = format!("lost with the lines above them: {}", counted(rows, "row"));
            self.problems.push(RecordingProblem { line: Some(line), message, lost: rows });
        }
    }
}
