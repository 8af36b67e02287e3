//! Errors in specification files: where, what, and how to fix it.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::FilePosition;

/// An error in a specification file.
#[derive(Clone, Debug)]
pub struct Error {
    /// The file.
    pub file: String,
    /// The position in it.
    pub place: FilePosition,
    /// The sentence that says what is wrong.
    pub message: String,
    /// Advice on how to fix the error.
    pub help: Option<String>,
    text: String,
}

impl Error {
    /// An error in a file with this text.
    pub fn new(file: &str, text: &str, place: FilePosition, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), place, message: message.into(), help: None, text: text.to_owned() }
    }

    /// The error with a hint on how to fix it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The bytes of the text that the error is about: from its place to the end of the word.
    fn span(&self) -> std::ops::Range<usize> {
        let line_start: usize =
            self.text.split_inclusive('\n').take(self.place.line.saturating_sub(1)).map(str::len).sum();
        let line = self.text[line_start..].lines().next().unwrap_or("");
        let skipped: usize = line.chars().take(self.place.column.saturating_sub(1)).map(char::len_utf8).sum();
        let rest = &line[skipped..];
        let length = rest.find([',', ']', '}']).unwrap_or(rest.len());
        let start = line_start + skipped;
        start..start + length.max(1).min(self.text.len() - start)
    }

    /// The error with the lines of the file it is about, in the style of rustc.
    pub fn render(&self, color: bool) -> String {
        let title = Level::ERROR.primary_title(self.message.as_str());
        let mut group = if self.place.line == 0 || self.text.is_empty() {
            Group::with_title(title).element(Level::NOTE.message(format!("in {}", self.file)))
        } else {
            let annotation = AnnotationKind::Primary.span(self.span());
            title.element(Snippet::source(self.text.as_str()).path(self.file.as_str()).annotation(annotation))
        };
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.place.line, self.place.column, self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
