//! `ptx-conform judge`: JSON Lines in, verdicts out.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hasher;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use rustc_hash::{FxHashMap, FxHasher};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::environment::{AddressSize, Environment, Target, Version};
use ptx_conform::judge::{Judge, Needs, Reading, needs};
use ptx_conform::ptx::{
    DeclarationError, Declarations, Line, Module, ProblemKind, SyntaxError, TextProblem, Walk, WalkStep,
};
use ptx_conform::spec::{Form, Isa, Spec, Verdict};

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
/// `address_size` is 32 or 64 (default: 64). The verdict is `valid`, `invalid` (with the broken
/// rules), or `unknown` for an instruction without a specification. A line that begins with a known
/// opcode but is not a PTX statement breaks `isa/syntax`. Labels, braces, comments, .loc and .pragma
/// may surround the line. If there are several statements, the verdict covers them all, and
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
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let engine = match &self.engine {
            None => None,
            Some(name) => {
                let divergences = super::load::load_divergences(specs, &spec)?;
                Some((super::load::listed_engine(name, &divergences)?, divergences))
            }
        };
        let mut desk = Desk::new(&spec, engine);
        let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let from = BufReader::with_capacity(1 << 16, io::stdin().lock());
        super::output::until_closed(serve(from, out, |line, out| desk.answer(line, out)))
    }
}

/// The longest line that is read.
const LONGEST: u64 = 16 << 20;

/// Calls `answer` for each line that is not blank, with `None` if it is too long. Answers are flushed
/// before waiting for more input.
fn serve<R: Read, W: Write>(
    mut from: BufReader<R>,
    mut to: W,
    mut answer: impl FnMut(Option<&[u8]>, &mut W) -> io::Result<()>,
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
            answer(None, &mut to)?;
        } else if !line.trim_ascii().is_empty() {
            answer(Some(&line), &mut to)?;
        }
    }
}

/// Text that is borrowed from the input if it has no escapes; `null` is empty.
#[derive(Default)]
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Borrowed;
        impl<'de> Visitor<'de> for Borrowed {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }
            fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
            fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed("")))
            }
        }
        from.deserialize_any(Borrowed)
    }
}

#[derive(Deserialize)]
struct JudgeRequestLine<'a> {
    #[serde(borrow)]
    line: Text<'a>,
    #[serde(borrow)]
    ptx: Text<'a>,
    #[serde(borrow)]
    target: Text<'a>,
    #[serde(borrow, default)]
    declarations: Text<'a>,
    #[serde(default)]
    address_size: Option<u64>,
}

#[derive(Serialize)]
struct LineAnswer<'a> {
    verdict: Verdict,
    rules: BrokenRules<'a>,
    /// The rules by which the manual leaves the line undefined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undefined: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<Needs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Does>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divergence: Option<&'a str>,
    /// If `line` has several statements, the answer on each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    statements: Vec<StatementAnswer<'a>>,
}

/// One of several statements.
#[derive(Serialize)]
struct StatementAnswer<'a> {
    line: String,
    #[serde(flatten)]
    answer: LineAnswer<'a>,
}

/// The rules broken.
enum BrokenRules<'a> {
    None,
    Syntax,
    Of(&'a Form, Reading),
    Named(Vec<String>),
}

impl BrokenRules<'_> {
    /// Their names.
    fn names(&self) -> impl Iterator<Item = &str> {
        let (syntax, of, named): (Option<&str>, _, &[String]) = match self {
            Self::None => (None, None, &[]),
            Self::Syntax => (Some(SYNTAX), None, &[]),
            Self::Of(form, reading) => (None, Some((form, &reading.broken)), &[]),
            Self::Named(names) => (None, None, names),
        };
        let broken = of.into_iter().flat_map(|(form, broken)| broken.iter().map(|&rule| form.rules[rule].id.as_str()));
        syntax.into_iter().chain(broken).chain(named.iter().map(String::as_str))
    }
}

impl Serialize for BrokenRules<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.names())
    }
}

/// The rule that is broken by text that is not a statement.
pub(super) const SYNTAX: &str = "isa/syntax";

#[derive(Serialize)]
struct RefusedRequest<'a> {
    error: &'a str,
}

/// Answers requests, and remembers what they have in common.
struct Desk<'s> {
    spec: &'s Spec,
    engine: Option<(EngineVersion, Divergences)>,
    judges: FxHashMap<Environment, Judge<'s>>,
    declarations: Remembered,
}

/// A cache of parsed declarations. Each text has one slot, from which another text can evict it: a map
/// would have to be emptied now and then, which costs more than reading some texts again.
struct Remembered {
    places: Vec<Option<Declared>>,
    /// The approximate size of the cache in bytes.
    size: usize,
}

/// A text, and the declarations read from it.
struct Declared {
    text: Box<str>,
    declarations: Result<Declarations, DeclarationError>,
}

/// The number of slots of the cache.
const PLACES: u64 = 1 << 12;
/// The largest size of the cache in bytes.
const REMEMBERED: usize = 16 << 20;

impl Remembered {
    fn new() -> Self {
        Self { places: (0..PLACES).map(|_| None).collect(), size: 0 }
    }

    /// The size of one entry: mostly its symbols, which are longer than their names.
    fn size_of(text: &str) -> usize {
        8 * text.len() + 256
    }

    fn read(&mut self, text: &str, isa: &Isa) -> Result<&Declarations, String> {
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let place = usize::try_from(hasher.finish() % PLACES).unwrap_or(0);
        if self.places[place].as_ref().is_none_or(|known| *known.text != *text) {
            if self.size > REMEMBERED {
                *self = Self::new();
            }
            let left = self.places[place].take().map_or(0, |known| Self::size_of(&known.text));
            self.size = self.size + Self::size_of(text) - left;
            self.places[place] = Some(Declared { text: text.into(), declarations: Declarations::parse(text, isa) });
        }
        match &self.places[place] {
            Some(Declared { declarations, .. }) => declarations.as_ref().map_err(DeclarationError::to_string),
            None => Err("the declarations were not read".to_owned()),
        }
    }
}

impl<'s> Desk<'s> {
    fn new(spec: &'s Spec, engine: Option<(EngineVersion, Divergences)>) -> Self {
        Self { spec, engine, judges: FxHashMap::default(), declarations: Remembered::new() }
    }

    /// Answers one line.
    fn answer(&mut self, line: Option<&[u8]>, out: &mut impl Write) -> io::Result<()> {
        let judged = match line {
            Some(line) => self.judge(line, out)?,
            None => Err(format!("the line is longer than {LONGEST} bytes")),
        };
        if let Err(error) = judged {
            serde_json::to_writer(&mut *out, &RefusedRequest { error: &error })?;
        }
        out.write_all(b"\n")
    }

    /// Answers with a verdict, or with the reason why it has none.
    fn judge(&mut self, line: &[u8], out: &mut impl Write) -> io::Result<Result<(), String>> {
        let request = match request(line) {
            Ok(request) => request,
            Err(why) => return Ok(Err(why)),
        };
        let environment = match environment(&request) {
            Ok(environment) => environment,
            Err(why) => return Ok(Err(why)),
        };
        let judge = match self.judges.entry(environment) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => match Judge::new(self.spec, &environment) {
                Ok(judge) => place.insert(judge),
                Err(why) => return Ok(Err(why.to_string())),
            },
        };
        let declarations = match self.declarations.read(&request.declarations.0, &self.spec.isa) {
            Ok(declarations) => declarations,
            Err(why) => return Ok(Err(why)),
        };
        let text = &*request.line.0;
        let engine = self.engine.as_ref();
        match Line::parse(text) {
            Ok(line) => {
                let answer = answer(self.spec, judge, engine, &line, declarations);
                Ok(Ok(serde_json::to_writer(out, &answer)?))
            }
            Err(error) if error.surplus() => match several(self.spec, judge, engine, text, declarations) {
                Ok(answer) => Ok(Ok(serde_json::to_writer(out, &answer)?)),
                Err(why) => Ok(Err(why)),
            },
            Err(error) => match self.unreadable(text, &error) {
                Ok(answer) => Ok(Ok(serde_json::to_writer(out, &answer)?)),
                Err(why) => Ok(Err(why)),
            },
        }
    }

    /// The answer on text that is not a statement.
    fn unreadable(&self, line: &str, error: &SyntaxError) -> Result<LineAnswer<'static>, String> {
        let Some(opcode) = Line::opcode_of(line) else {
            return Err(format!("`line` is not an instruction: {error} at byte {}", error.at));
        };
        if self.spec.instruction(opcode).is_none() {
            return Ok(LineAnswer::bare(Verdict::Unknown, BrokenRules::None));
        }
        let expected = self.engine.as_ref().map(|_| Does::Rejects);
        Ok(LineAnswer { expected, ..LineAnswer::bare(Verdict::Invalid, BrokenRules::Syntax) })
    }
}

/// The answer on one instruction.
fn answer<'s>(
    spec: &'s Spec,
    judge: &Judge<'s>,
    engine: Option<&'s (EngineVersion, Divergences)>,
    line: &Line<'_>,
    declarations: &Declarations,
) -> LineAnswer<'s> {
    let Some((instruction, reading)) = judge.read(line, declarations) else {
        return LineAnswer::bare(Verdict::Unknown, BrokenRules::None);
    };
    let form = &instruction.forms[reading.form];
    let undefined: Vec<&str> = reading.undefined(instruction).map(|rule| rule.id.as_str()).collect();
    // If the line is undefined, either outcome is right.
    let engine = engine.filter(|_| undefined.is_empty() || !reading.valid());
    let expected = engine.map(|(engine, known)| known.expect(engine, instruction, &reading));
    LineAnswer {
        undefined,
        verdict: if reading.valid() { Verdict::Valid } else { Verdict::Invalid },
        needs: needs(&spec.isa, form, &reading),
        rules: BrokenRules::Of(form, reading),
        expected: expected.map(|expected| expected.outcome),
        divergence: expected.and_then(|expected| expected.divergence),
        statements: Vec::new(),
    }
}

/// The answer on a text of several statements: the answer on its only instruction, or one on each and one
/// on all together.
fn several<'s>(
    spec: &'s Spec,
    judge: &Judge<'s>,
    engine: Option<&'s (EngineVersion, Divergences)>,
    text: &'s str,
    declarations: &Declarations,
) -> Result<LineAnswer<'s>, String> {
    let unread = |at: usize, why: &str| format!("`line` cannot be read: {why} at byte {at}");
    let module = Module::read_inside(text, &spec.isa, declarations);
    let mut problems: Vec<TextProblem<'_>> = module.problems.clone();
    let mut statements = Vec::new();
    for body in &module.bodies {
        let mut walk = Walk::new(&module, &spec.isa, body);
        while let Some(step) = walk.next_step() {
            match step {
                WalkStep::TextProblem(problem) => problems.push(problem),
                WalkStep::Instruction(line, at) => {
                    let answer = answer(spec, judge, engine, &line, walk.declarations());
                    statements.push(StatementAnswer { line: text[at].to_owned(), answer });
                }
            }
        }
    }
    let why = problems.into_iter().find_map(|problem| match problem.kind {
        ProblemKind::Syntax(why) => Some(unread(problem.at.start, why)),
        ProblemKind::Directive(name) => Some(unread(problem.at.start, &format!("`{name}` is not a directive of PTX"))),
        ProblemKind::Twice(_) => None,
    });
    if let Some(why) = why {
        return Err(why);
    }
    if statements.len() < 2 {
        let only = statements.pop().map(|statement| statement.answer);
        return only.ok_or_else(|| "there is no instruction in `line`".to_owned());
    }
    let any = |verdict: Verdict| statements.iter().any(|statement| statement.answer.verdict == verdict);
    let verdict = [Verdict::Invalid, Verdict::Unknown].into_iter().find(|&verdict| any(verdict));
    let mut rules: Vec<String> = Vec::new();
    for rule in statements.iter().flat_map(|statement| statement.answer.rules.names()) {
        if !rules.iter().any(|known| known == rule) {
            rules.push(rule.to_owned());
        }
    }
    let expects = |does: Does| statements.iter().any(|statement| statement.answer.expected == Some(does));
    let expected = [Does::Crashes, Does::Rejects, Does::Accepts].into_iter().find(|&does| expects(does));
    Ok(LineAnswer {
        expected,
        statements,
        ..LineAnswer::bare(verdict.unwrap_or(Verdict::Valid), BrokenRules::Named(rules))
    })
}

impl LineAnswer<'_> {
    fn bare(verdict: Verdict, rules: BrokenRules<'static>) -> LineAnswer<'static> {
        LineAnswer {
            verdict,
            rules,
            undefined: Vec::new(),
            needs: None,
            expected: None,
            divergence: None,
            statements: Vec::new(),
        }
    }
}

fn request(line: &[u8]) -> Result<JudgeRequestLine<'_>, String> {
    const SHAPE: &str =
        r#"each input line is one object: {"line": "...", "ptx": "9.0", "target": "sm_90", "declarations": "..."}"#;
    // Serde would accept a list as an object.
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err(SHAPE.to_owned());
    }
    // Input that is valid text as a whole need not be checked string by string.
    let request = match str::from_utf8(line) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(line),
    };
    request.map_err(|error: serde_json::Error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        format!("{message}, at column {}; {SHAPE}", error.column())
    })
}

fn environment(request: &JudgeRequestLine<'_>) -> Result<Environment, String> {
    let ptx: Version = request.ptx.0.parse().map_err(|error| format!("{error}"))?;
    let target: Target = request.target.0.parse().map_err(|error| format!("{error}"))?;
    let address_size = match request.address_size {
        None | Some(64) => AddressSize::Bits64,
        Some(32) => AddressSize::Bits32,
        Some(other) => return Err(format!("`address_size` is {other}; it must be 32 or 64")),
    };
    Ok(Environment { ptx, target, address_size })
}
