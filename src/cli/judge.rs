//! `ptx-conform judge`: JSON Lines in, verdicts out.

mod answer;
mod answerer;
mod remembered;
mod request;

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use super::load::UnknownOpts;
pub(super) use answer::SYNTAX;
use answerer::Answerer;

/// Judge lines for other programs: JSON Lines in, verdicts out
///
/// Reads one object per line from stdin, and answers each in order. Blank lines and unknown fields
/// are ignored.
///
/// in:  {"line": "...", "ptx": "9.0", "target": "sm_90", "declarations": "...", "address_size": 64}
///
/// out: {"verdict": "valid", "rules": [], "needs": {"ptx": "2.0", "target": "sm_20"}}
///
/// `declarations` (default: none) is the PTX text between a module's directives and the line;
/// `address_size` is 32 or 64 (default: 64). The verdict is `valid` or `invalid` (with the broken
/// rules). `needs` is the smallest PTX version and target, that nearest to the ones asked about;
/// `needs_or` has the others, if there are any. A line that is not a PTX statement breaks `isa/syntax`. One of an instruction that PTX does
/// not have breaks `isa/unknown-opcode`, or is `unknown` with --allow-unknown; `unknown` in the answer
/// says which name that is, at which byte of the line, and the nearest one that PTX has. Labels,
/// braces, comments, .loc and .pragma may surround the line. If there are several statements, the verdict covers them all, and
/// `statements` has the verdict on each. Input that cannot be judged is answered with
/// {"error": "..."}.
///
/// Example: ptx-conform generate suld --format jsonl | ptx-conform judge --engine ptxas@13.5
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Opts {
    /// Also predict what this engine will do, by its known divergences: `ptxas@13.5`. It need not be
    /// installed.
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    #[command(flatten)]
    unknown: UnknownOpts,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = self.unknown.load_spec(specs)?;
        let engine = match &self.engine {
            None => None,
            Some(name) => {
                let divergences = super::load::load_divergences(specs, &spec)?;
                Some((super::load::listed_engine(name, &divergences)?, divergences))
            }
        };
        let mut answerer = Answerer::new(&spec, engine);
        let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let from = BufReader::with_capacity(1 << 16, io::stdin().lock());
        super::output::until_closed(serve(from, out, |line, out| answerer.answer(line, out)))
    }
}

/// The longest line that is read.
const LONGEST: u64 = 16 << 20;

/// Calls `answer` for each line that is not blank; if it is too long, with that as an error. Answers are flushed before
/// waiting for more input.
fn serve<R: Read, W: Write>(
    mut from: BufReader<R>,
    mut to: W,
    mut answer: impl FnMut(Result<&[u8], String>, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    let mut line = Vec::new();
    // How much of the buffer is known to be whole lines.
    let mut whole = 0_usize;
    loop {
        if whole == 0 {
            whole = from.buffer().iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        }
        if whole == 0 {
            to.flush()?;
        }
        line.clear();
        if from.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return to.flush();
        }
        whole = whole.saturating_sub(line.len());
        if u64::try_from(line.len()).is_ok_and(|length| length == LONGEST) && !line.ends_with(b"\n") {
            from.skip_until(b'\n')?;
            answer(Err(format!("the line is longer than {LONGEST} bytes")), &mut to)?;
        } else if !line.trim_ascii().is_empty() {
            answer(Ok(&line), &mut to)?;
        }
    }
}
