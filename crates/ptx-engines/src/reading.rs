//! Reading the lines of a batch by the specification: instructions, and directives where lines are ones.

use super::Batch;
use ptx_spec::directive::DirectiveJudge;
use ptx_spec::judge::{Judge, Reading};
use ptx_spec::ptx::{Declarations, Lexer, Line, Module, Scaffold, TokenKind};
use ptx_spec::spec::{Instruction, Spec};

/// Reads the lines of one batch.
#[derive(Debug)]
pub struct BatchReader<'s, 'b> {
    batch: &'b Batch<'b>,
    spec: &'s Spec,
    judge: Judge<'s>,
    directives: Option<DirectiveJudge<'s>>,
    declarations: Declarations,
}

/// The reason why a line has no reading.
#[derive(Clone, Debug)]
pub enum Unread<'t> {
    /// The line is not written as PTX wants it, with the reason.
    Text(String),
    /// The line is of no instruction.
    NoInstruction(Line<'t>),
}

impl<'s, 'b> BatchReader<'s, 'b> {
    /// A reader of a batch.
    ///
    /// # Errors
    /// If the specification does not know the environment, or the batch's declarations cannot be read; says which.
    pub fn new(spec: &'s Spec, batch: &'b Batch<'b>) -> Result<Self, String> {
        let judge = Judge::new(spec, &batch.environment).map_err(|why| why.to_string())?;
        let directives = DirectiveJudge::new(spec, &batch.environment);
        let declarations = match of_directives(&batch.scaffold) {
            true => Declarations::default(),
            false => Declarations::parse(&batch.scaffold.declarations(), &spec.isa).map_err(|why| why.to_string())?,
        };
        Ok(Self { batch, spec, judge, directives, declarations })
    }

    /// Reads a line. Of an instruction and several directives in one line, the first that breaks a rule is read, or else the
    /// first.
    ///
    /// # Errors
    /// If the line is neither an instruction nor a directive.
    pub fn read<'t>(&self, line: &'t str) -> Result<(&'s Instruction, Reading), Unread<'t>> {
        if of_directives(&self.batch.scaffold) {
            return self.directive(line)?.ok_or_else(|| Unread::Text("it is no directive".to_owned()));
        }
        let parsed = match Line::parse(line) {
            Ok(parsed) => parsed,
            Err(why) => return self.directive(line)?.ok_or_else(|| Unread::Text(why.to_string())),
        };
        let read = self.judge.read(&parsed, &self.declarations).ok_or(Unread::NoInstruction(parsed))?;
        if read.1.valid() && has_directive(line) {
            let directive = self.directive(line)?.filter(|(_, reading)| !reading.valid());
            return Ok(directive.unwrap_or(read));
        }
        Ok(read)
    }

    /// The reading of a line that is a directive; `None` for any other line.
    fn directive(&self, line: &str) -> Result<Option<(&'s Instruction, Reading)>, Unread<'static>> {
        let Some(directives) = &self.directives else { return Ok(None) };
        let (module, first) = self.batch.scaffold.module(&self.batch.environment, "k", &[line]);
        let start = Scaffold::line_start(&module, first);
        let own = start..start + line.len();
        let mut found = None;
        for read in directives.read_module(&Module::read(&module, &self.spec.isa)) {
            match read {
                Err(problem) if own.contains(&problem.at) => return Err(Unread::Text(problem.message)),
                Ok(read) if own.contains(&read.at.start) => {
                    let is_valid = read.reading.valid();
                    let read = (read.directive, read.reading);
                    if !is_valid {
                        return Ok(Some(read));
                    }
                    found = found.or(Some(read));
                }
                Err(_) | Ok(_) => {}
            }
        }
        Ok(found)
    }
}

/// True if only directives are asked about so: those outside of bodies, and those that name objects of the module.
fn of_directives(scaffold: &Scaffold) -> bool {
    scaffold.context.outside() || scaffold.alone
}

/// True if one of the statements of a line is a directive.
fn has_directive(line: &str) -> bool {
    let mut starts = true;
    Lexer::new(line).any(|token| {
        let began = std::mem::replace(&mut starts, matches!(token.text, ";" | ":" | "{" | "}"));
        began && token.kind == TokenKind::Directive
    })
}
