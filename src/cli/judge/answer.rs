//! Answers: the verdict on a line, or on each of several statements.

use serde::Serialize;

use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::judge::{Judge, Needs, NoInstruction, Reading, needs};
use ptx_conform::must::Must;
use ptx_conform::ptx::{Declarations, Line, Module, ProblemKind, SyntaxError, TextProblem, Walk, WalkStep};
use ptx_conform::spec::{Form, Spec, Verdict};

/// The word for an engine that does one or the other.
const EITHER: &str = "either";
/// The rule that is broken by text that is not a statement.
pub(crate) const SYNTAX: &str = "isa/syntax";

/// An engine and its divergences, by which it is predicted.
pub(super) type Predicted = (EngineVersion, Divergences);

#[derive(Serialize)]
pub(super) struct LineAnswer<'s> {
    verdict: Verdict,
    rules: BrokenRules<'s>,
    /// The rules by which the manual leaves the line undefined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undefined: Vec<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<Needs>,
    /// Other smallest environments, farther from that of the line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needs_or: Vec<Needs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divergence: Option<&'s str>,
    /// The name that no instruction has, and the nearest one that some has.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<UnknownName<'s>>,
    /// If `line` has several statements, the answer on each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    statements: Vec<StatementAnswer<'s>>,
}

/// One of several statements.
#[derive(Serialize)]
struct StatementAnswer<'s> {
    line: String,
    #[serde(flatten)]
    answer: LineAnswer<'s>,
}

/// The name of no instruction.
#[derive(Serialize)]
struct UnknownName<'s> {
    /// The opcode, with its first modifier if that is what no instruction has.
    name: String,
    /// Where what is wrong begins in the line, in bytes.
    at: usize,
    /// The instruction that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<&'s str>,
}

/// The rules broken.
enum BrokenRules<'s> {
    None,
    One(&'static str),
    Of(&'s Form, Reading),
    Named(Vec<String>),
}

impl BrokenRules<'_> {
    /// Their names.
    fn names(&self) -> impl Iterator<Item = &str> {
        let (one, of, named): (Option<&str>, _, &[String]) = match self {
            Self::None => (None, None, &[]),
            Self::One(rule) => (Some(rule), None, &[]),
            Self::Of(form, reading) => (None, Some((form, &reading.broken)), &[]),
            Self::Named(names) => (None, None, names),
        };
        let broken = of.into_iter().flat_map(|(form, broken)| broken.iter().map(|&rule| form.rules[rule].id.as_str()));
        one.into_iter().chain(broken).chain(named.iter().map(String::as_str))
    }
}

impl Serialize for BrokenRules<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.names())
    }
}

impl<'s> LineAnswer<'s> {
    fn bare(verdict: Verdict, rules: BrokenRules<'s>) -> Self {
        LineAnswer {
            verdict,
            rules,
            undefined: Vec::new(),
            needs: None,
            needs_or: Vec::new(),
            expected: None,
            divergence: None,
            unknown: None,
            statements: Vec::new(),
        }
    }
}

/// The judge of one environment, with what it answers beside the verdict.
#[derive(Clone, Copy)]
pub(super) struct TextJudge<'s> {
    pub(super) spec: &'s Spec,
    pub(super) judge: &'s Judge<'s>,
    pub(super) engine: Option<&'s Predicted>,
}

impl<'s> TextJudge<'s> {
    /// The answer on the text of a request.
    pub(super) fn answer(self, text: &str, declarations: &Declarations) -> Result<LineAnswer<'s>, String> {
        match Line::parse(text) {
            Ok(line) => Ok(self.line(text, &line, declarations)),
            Err(error) if error.surplus() => self.several(text, declarations),
            Err(error) => self.unreadable(text, &error),
        }
    }

    /// The answer on text that is not a statement.
    fn unreadable(self, text: &str, error: &SyntaxError) -> Result<LineAnswer<'s>, String> {
        let Some(opcode) = Line::opcode_of(text) else {
            return Err(format!("`line` is not an instruction: {error} at byte {}", error.at));
        };
        // What an extension of PTX may write after its own opcodes is not known.
        if !self.spec.complete && self.spec.instruction(opcode).is_none() {
            return Ok(LineAnswer::bare(Verdict::Unknown, BrokenRules::None));
        }
        let expected = self.engine.map(|_| Does::Rejects.word());
        Ok(LineAnswer { expected, ..LineAnswer::bare(Verdict::Invalid, BrokenRules::One(SYNTAX)) })
    }

    /// The answer on one instruction.
    fn line(self, text: &str, line: &Line<'_>, declarations: &Declarations) -> LineAnswer<'s> {
        let Some((instruction, reading)) = self.judge.read(line, declarations) else {
            let none = self.spec.no_instruction(line).must("a line that is not read is of no instruction");
            return self.without_instruction(text, &none);
        };
        let form = &instruction.forms[reading.form];
        let undefined: Vec<&str> = reading.undefined(instruction).map(|rule| rule.id.as_str()).collect();
        let expected = self.engine.map(|(engine, known)| known.foretell(engine, instruction, &reading));
        // If the line is undefined, either outcome is right, unless a divergence says what was seen.
        let unclear = !undefined.is_empty() && reading.valid();
        let expected = expected.filter(|expected| !unclear || expected.divergence.is_some());
        let mut needs = needs(&self.spec.isa, form, &reading).into_iter();
        LineAnswer {
            undefined,
            verdict: if reading.valid() { Verdict::Valid } else { Verdict::Invalid },
            needs: needs.next(),
            needs_or: needs.collect(),
            rules: BrokenRules::Of(form, reading),
            expected: expected.map(|expected| expected.outcome.map_or(EITHER, Does::word)),
            divergence: expected.and_then(|expected| expected.divergence),
            unknown: None,
            statements: Vec::new(),
        }
    }

    /// The answer on a line of no instruction.
    fn without_instruction(self, text: &str, none: &NoInstruction<'s, '_>) -> LineAnswer<'s> {
        let Some(rule) = none.rule() else { return LineAnswer::bare(Verdict::Unknown, BrokenRules::None) };
        let unknown = Some(UnknownName { name: none.name(), at: none.at(text).start, nearest: none.nearest() });
        let expected = self.engine.filter(|_| !none.is_elsewhere()).map(|_| Does::Rejects.word());
        LineAnswer { expected, unknown, ..LineAnswer::bare(Verdict::Invalid, BrokenRules::One(rule)) }
    }

    /// The answer on a text of several statements: the answer on its only instruction, or one on each and one
    /// on all together.
    fn several(self, text: &str, declarations: &Declarations) -> Result<LineAnswer<'s>, String> {
        let unread = |at: usize, why: &str| format!("`line` cannot be read: {why} at byte {at}");
        let module = Module::read_inside(text, &self.spec.isa, declarations);
        let mut problems: Vec<TextProblem<'_>> = module.problems.clone();
        let mut statements = Vec::new();
        for body in &module.bodies {
            let mut walk = Walk::new(&module, &self.spec.isa, body);
            while let Some(step) = walk.next_step() {
                match step {
                    WalkStep::TextProblem(problem) => problems.push(problem),
                    WalkStep::Instruction(line, at) => {
                        let answer = self.line(text, &line, walk.declarations());
                        statements.push(StatementAnswer { line: text[at].to_owned(), answer });
                    }
                    _ => {}
                }
            }
        }
        let why = problems.into_iter().find_map(|problem| match problem.kind {
            ProblemKind::Syntax(why) => Some(unread(problem.at.start, why)),
            ProblemKind::Directive(name) => {
                Some(unread(problem.at.start, &format!("`{name}` is not a directive of PTX")))
            }
            ProblemKind::Twice(_) => None,
        });
        if let Some(why) = why {
            return Err(why);
        }
        if statements.len() < 2 {
            let only = statements.pop().map(|statement| statement.answer);
            return only.ok_or_else(|| "there is no instruction in `line`".to_owned());
        }
        Ok(together(statements))
    }
}

/// The answer on several statements together.
fn together(statements: Vec<StatementAnswer<'_>>) -> LineAnswer<'_> {
    let any = |verdict: Verdict| statements.iter().any(|statement| statement.answer.verdict == verdict);
    let verdict = [Verdict::Invalid, Verdict::Unknown].into_iter().find(|&verdict| any(verdict));
    let mut rules: Vec<String> = Vec::new();
    for rule in statements.iter().flat_map(|statement| statement.answer.rules.names()) {
        if !rules.iter().any(|known| known == rule) {
            rules.push(rule.to_owned());
        }
    }
    let expects = |word: &str| statements.iter().any(|statement| statement.answer.expected == Some(word));
    let words = [Does::Crashes.word(), Does::Rejects.word(), EITHER, Does::Accepts.word()];
    let expected = words.into_iter().find(|word| expects(word));
    // A text is valid if each of its statements is.
    let verdict = verdict.unwrap_or(Verdict::Valid);
    LineAnswer { expected, statements, ..LineAnswer::bare(verdict, BrokenRules::Named(rules)) }
}
