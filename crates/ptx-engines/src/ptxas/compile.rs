//! Compiles a module to machine code.

use std::io;
use std::time::Instant;

use super::answer::{death, join, refusal};
use super::{Ptxas, diagnostics};
use crate::Outcome;
use crate::child::End;

/// The name of the file with the machine code.
const CODE: &str = "code.cubin";
/// The part of the usual time (its divisor) that a module with one entry has: 5 s, a thousand times what it takes.
const ONE_ENTRY: u32 = 6;

impl Ptxas {
    /// The machine code of a module: an ELF file. `options` are those of the assembler: `-arch sm_90 -O3`. A module with
    /// `one_entry` takes milliseconds, so it has only a part of the usual time: a run often meets several that never end.
    ///
    /// # Errors
    /// The outcome of the module if there is no machine code: rejected, crashed, or out of time; skipped if the
    /// assembler could not be asked.
    pub(crate) fn compile(&self, text: &str, options: &[&str], one_entry: bool) -> Result<Vec<u8>, Outcome> {
        self.try_compile(text, options, one_entry)
            .unwrap_or_else(|error| Err(Outcome::Skipped(format!("{} could not be run: {error}", self.id))))
    }

    fn try_compile(&self, text: &str, options: &[&str], one_entry: bool) -> io::Result<Result<Vec<u8>, Outcome>> {
        if let Some(why) = self.code_health.given_up() {
            return Err(io::Error::other(why));
        }
        let directory = self.binary.directory()?;
        let source = diagnostics::file_name(0);
        std::fs::write(directory.path().join(&source), text)?;
        let arguments = [options, &[&source, "-o", CODE]].concat();
        let started = Instant::now();
        let time = if one_entry { self.binary.limits.time / ONE_ENTRY } else { self.binary.limits.time };
        let (end, printed) = self.binary.run_within(time, directory.path(), &arguments, text.lines().count())?;
        if matches!(end, End::Exited(_)) {
            self.code_health.answered(started.elapsed());
        }
        let messages = diagnostics::errors(&printed);
        Ok(match (end, death(&self.binary.limits, end)) {
            (End::Exited(0), _) => Ok(std::fs::read(directory.path().join(CODE))?),
            (End::Interrupted, _) => return Err(io::Error::other("it was interrupted")),
            (End::OutOfTime, _) => {
                self.code_health.hung(started.elapsed(), self.binary.limits.patience);
                Err(Outcome::TimedOut)
            }
            (_, Some(how)) => Err(Outcome::Crashed(how)),
            (_, None) => Err(refusal(join(messages.iter().map(|message| message.text.as_str())))),
        })
    }
}
