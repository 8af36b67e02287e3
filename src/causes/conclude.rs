//! Makes findings from causes: title, fingerprint, simplest case, and YAML.

mod blame;
pub(super) mod listed;
mod merge;
mod naming;
mod votes;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::cause::{Cause, short};
use super::finding::{Evidence, Finding, Findings, Mark, MinimalCase, Vote};
use super::inquiry::Inquiry;
use super::rows::row_words;
use crate::campaign::{Mismatch, WordLine};
use crate::case::{self, DirectiveLine, InternalError, command, first_message};
use crate::divergences::{Does, EngineVersion, Proposal};
use crate::engine::{Depth, LineJudge};
use crate::explain::{Passage, passages};
use crate::must::Must as _;
use crate::space::{Values, environment};
use crate::spec::{Instruction, Rule};
use blame::FindingFacts;
use votes::Poll;

/// Adds the findings that causes make, those with the most mismatches first.
pub(super) fn add(
    causes: Vec<Cause<'_>>,
    inquiries: &[Inquiry<'_>],
    findings: &mut Findings,
) -> Result<(), InternalError> {
    let merged = merge::merge(causes);
    for poll in votes::poll(&merged, inquiries)? {
        findings.all.push(poll.finding(inquiries)?);
    }
    findings.all.sort_by(|a, b| (b.mismatches, &a.fingerprint).cmp(&(a.mismatches, &b.fingerprint)));
    Ok(())
}

/// The reason why the engine of a cause of lines is a judge.
const JUDGED: &str = "only an engine that judges has causes of lines";

/// Words, each once, in order.
fn unique(words: impl Iterator<Item = String>) -> Vec<String> {
    words.collect::<BTreeSet<String>>().into_iter().collect()
}

impl<'s> Poll<'_, 's> {
    fn causes(&self) -> impl Iterator<Item = &Cause<'s>> {
        self.merged.causes.iter()
    }

    /// The causes with the rule that each breaks.
    fn of_rules(&self) -> impl Iterator<Item = (&Cause<'s>, &'s Rule)> {
        self.causes().filter_map(|cause| Some((cause, &cause.form().rules[cause.rule?])))
    }

    /// The finding.
    pub(crate) fn finding(&self, inquiries: &[Inquiry<'_>]) -> Result<Finding, InternalError> {
        let shown = self.shown;
        let name = |engine: usize| inquiries[engine].name();
        let family = inquiries[shown.engine].family().to_owned();
        let mut engines: BTreeMap<String, Vote> = BTreeMap::new();
        for (at, inquiry) in inquiries.iter().enumerate() {
            // If there are several recordings of one engine, one that shows it is enough.
            if let Some(vote) = self.vote(at, inquiry)
                && engines.get(&name(at)) != Some(&Vote::Shows)
            {
                engines.insert(name(at), vote);
            }
        }
        let inferred = self.inferred();
        let facts = FindingFacts {
            does: shown.mismatch.does,
            contradicts: shown.mismatch.contradicts(),
            sources: self.of_rules().map(|(_, rule)| rule.source).collect(),
            votes: engines.values().collect(),
            inferred: &inferred,
        };
        let blame = facts.blame();
        let mut finding = Finding {
            fingerprint: String::new(),
            title: String::new(),
            versions: versions(&family, &engines),
            listed_family: inquiries[shown.engine].divergences.family(&family).to_owned(),
            family,
            does: shown.mismatch.does,
            rules: unique(self.causes().flat_map(|cause| &cause.mismatch.rules).map(|rule| short(rule).to_owned())),
            valid: self.causes().any(|cause| cause.mismatch.rules.is_empty()),
            says: unique(self.of_rules().map(|(_, rule)| rule.says.clone())),
            manual: self.pages(),
            code_generation: shown.mismatch.depth == Depth::Generate,
            contradicts: shown.mismatch.contradicts().map(str::to_owned),
            forms: unique(self.causes().map(|cause| cause.form().id.clone())),
            when: naming::condition(&self.merged.causes, &self.merged.conditions),
            sometimes: shown.sometimes,
            inputs: shown.inputs().to_owned(),
            slots: unique(self.causes().filter_map(|cause| cause.words.as_ref()).flat_map(|of| of.slots.clone())),
            evidence: self.causes().map(|cause| evidence(cause, name(cause.engine))).collect(),
            engines,
            mismatches: self.mismatches(),
            inferred,
            blame,
            case: self.minimal(inquiries)?,
            yaml: String::new(),
        };
        finding.fingerprint = finding.fingerprint(&self.message());
        finding.title = finding.title(&self.message());
        let instructions: Vec<&Instruction> = self.causes().map(|cause| cause.instruction).collect();
        finding.yaml = finding.yaml(&instructions);
        Ok(finding)
    }

    /// How rows fail that cannot be run at all, or that were recorded.
    fn message(&self) -> String {
        let shown = self.shown;
        match &shown.rows {
            Some(_) if !shown.mismatch.message.is_empty() => shown.mismatch.message.clone(),
            Some(rows) if shown.fails.is_empty() => row_words::kind(&rows.shown.result).to_owned(),
            _ => String::new(),
        }
    }

    /// The inferences that every failing row depends on.
    fn inferred(&self) -> Vec<String> {
        let all: Vec<&Vec<String>> = self.causes().filter_map(|cause| Some(&cause.rows.as_ref()?.inferred)).collect();
        if all.iter().any(|names| names.is_empty()) {
            return Vec::new();
        }
        unique(all.into_iter().flatten().cloned())
    }

    /// The manual's pages, with the headings of the rules.
    fn pages(&self) -> Vec<String> {
        let heading = |(cause, rule): (&Cause<'_>, &Rule)| {
            let section = rule.section.as_deref().unwrap_or("the page as a whole");
            format!("{}: {section}", cause.form().page())
        };
        let pages = unique(self.of_rules().map(heading));
        if !pages.is_empty() {
            return pages;
        }
        let section = if self.shown.rows.is_some() { "Description" } else { "Syntax" };
        unique(self.causes().map(|cause| format!("{}: {section}", cause.form().page())))
    }

    /// The mismatches of the groups that its causes were found in.
    fn mismatches(&self) -> u64 {
        let groups: BTreeSet<(usize, &str, &Mismatch, u64)> = self
            .causes()
            .map(|cause| (cause.engine, cause.form().id.as_str(), &cause.mismatch, cause.mismatches))
            .collect();
        groups.iter().map(|(.., count)| count).sum()
    }

    fn minimal(&self, inquiries: &[Inquiry<'_>]) -> Result<MinimalCase, InternalError> {
        let shown = self.shown;
        if let Some(rows) = &shown.rows {
            let inquiry = &inquiries[shown.engine];
            let listing = inquiry.listing(&rows.shown.program);
            let form = &rows.executed.rows.forms[rows.form];
            return Ok(row_words::minimal(form, &rows.shown, &inquiry.name(), listing));
        }
        let judge = inquiries[shown.engine].subject.judge;
        if let Some(words) = &shown.words {
            return Ok(minimal_word(&words.shown, judge));
        }
        let values = shown.fails.first().cloned().must("a cause of lines has a line that fails");
        let case = shown.case(&values);
        let environment = case.environment();
        let depth = shown.mismatch.depth;
        let (module, number) = case.module(depth);
        let is_directive = shown.form().template.is_some();
        let outcome = self.answers.get(shown.engine).and_then(Option::as_ref).and_then(|result| result.outcome());
        let line = case.line();
        let conditional: Vec<usize> = shown.cube.sets().iter().map(|(axis, _)| *axis).collect();
        let rule = shown.rule.map(|rule| &shown.form().rules[rule]);
        Ok(MinimalCase {
            id: case::id(&module),
            marks: marks(passages(&line, shown.form(), &values, rule, &conditional)),
            line,
            ptx: environment.ptx.to_string(),
            target: environment.target.to_string(),
            address_size: environment.address_size.bits(),
            // After a stop there is no answer, and a judge may give no reason.
            message: outcome.map(first_message).unwrap_or_default(),
            command: judge.map(|judge| command(judge, &module, &environment, depth)).must(JUDGED),
            module,
            directive: is_directive.then(|| DirectiveLine { form: shown.form().id.clone(), line: number }),
            neighbours_without: shown.passing_neighbours,
            row: None,
            values,
        })
    }
}

/// A line with a word as the simplest case.
fn minimal_word(shown: &WordLine, judge: Option<&dyn LineJudge>) -> MinimalCase {
    let environment = shown.environment;
    let module = shown.scaffold.module(&environment, "k", &[&shown.line]).0;
    MinimalCase {
        id: case::id(&module),
        line: shown.line.clone(),
        marks: marks(shown.line.match_indices(&shown.word).map(|(at, word)| (at..at + word.len(), word.to_owned()))),
        ptx: environment.ptx.to_string(),
        target: environment.target.to_string(),
        address_size: environment.address_size.bits(),
        message: shown.message.clone(),
        command: judge.map(|judge| command(judge, &module, &environment, Depth::Check)).must(JUDGED),
        module,
        directive: None,
        neighbours_without: 0,
        row: None,
        values: Values::new(),
    }
}

fn marks(passages: impl IntoIterator<Item = Passage>) -> Vec<Mark> {
    passages.into_iter().map(|(range, says)| Mark { from: range.start, to: range.end, says }).collect()
}

fn evidence(cause: &Cause<'_>, engine: String) -> Evidence {
    let environment = match &cause.words {
        Some(words) => Some(words.shown.environment),
        None => cause.fails.first().map(|values| environment(cause.form(), values)),
    };
    Evidence {
        form: cause.form().id.clone(),
        engine,
        environment: environment.map_or_else(|| "as recorded".to_owned(), |environment| environment.to_string()),
        variants: cause.size.to_string(),
        rules: cause.mismatch.rules.clone(),
        asked: cause.asked,
        failed: cause.failed,
    }
}

/// `ptxas 12.9 to 13.5, not 11.8`: the versions that show it, and those that do not.
pub(crate) fn versions(family: &str, engines: &BTreeMap<String, Vote>) -> String {
    let known = by_version(family, engines);
    let showing: Vec<String> = known.iter().filter(|(_, shows)| *shows).map(|(version, _)| version.short()).collect();
    let others: Vec<String> = known.iter().filter(|(_, shows)| !*shows).map(|(version, _)| version.short()).collect();
    let mut text = match showing.as_slice() {
        [] => family.to_owned(),
        [one] => format!("{family} {one}"),
        [first, .., last] => format!("{family} {first} to {last}"),
    };
    if !others.is_empty() {
        let _ = write!(text, ", not {}", others.join(", "));
    }
    text
}

impl Finding {
    /// Its fingerprint, which is stable as long as the cause is the same. It depends on the engine's family
    /// but not on versions; `message` says how rows fail if their condition is unknown.
    fn fingerprint(&self, message: &str) -> String {
        let depth = if self.code_generation { "generate" } else { "check" };
        let does = if self.sometimes { &format!("sometimes {}", self.does.word()) } else { self.does.word() };
        let words = [
            self.family.as_str(),
            does,
            depth,
            self.contradicts.as_deref().unwrap_or_default(),
            if self.valid { "valid" } else { "" },
            &self.rules.join(","),
            &self.forms.join(","),
            &self.when.to_string(),
            &self.inputs,
            message,
        ];
        blake3::hash(words.join("|").as_bytes()).to_hex()[..12].to_owned()
    }

    fn title(&self, message: &str) -> String {
        let depth = if self.code_generation { " in code generation" } else { "" };
        let what = match (self.valid, self.rules.as_slice()) {
            _ if self.does == Does::Computes => "wrong results",
            (true, []) => "valid lines",
            (true, rules) => &format!("valid lines, or lines that break {}", rules.join(" or ")),
            (false, rules) => &format!("lines that break {}", rules.join(" or ")),
        };
        let mut when = if self.when.is_empty() { String::new() } else { format!(" when {}", self.when) };
        if !self.inputs.is_empty() {
            let _ = write!(when, "{} {}", if when.is_empty() { " when" } else { " and" }, self.inputs);
        }
        let message = if message.is_empty() { String::new() } else { format!(": {message}") };
        let does = match self.does {
            Does::Accepts => "accepts",
            Does::Rejects => "rejects",
            Does::Crashes => "crashes on",
            Does::Computes => "computes",
        };
        let does = if self.sometimes { format!("sometimes {does}") } else { does.to_owned() };
        let listed = self.contradicts.as_ref().map_or(String::new(), |id| format!(", but `{id}` lists otherwise"));
        format!("{} {does} {what} in {}{when}{depth}{message}{listed}", self.family, self.forms.join(", "))
    }

    /// The YAML that would list it; none if fewer than half of the points asked about show it, or if it was
    /// recorded, so that its condition is unknown.
    fn yaml(&self, instructions: &[&Instruction]) -> String {
        if let Some(id) = &self.contradicts {
            return format!(
                "# {id} no longer happens {}: remove it, end it with `to`, or narrow its `when`\n",
                self.versions
            );
        }
        let sum = |of: fn(&Evidence) -> usize| self.evidence.iter().map(of).sum::<usize>();
        let (asked, failed) = (sum(|evidence| evidence.asked), sum(|evidence| evidence.failed));
        if self.does == Does::Computes && (asked == 0 || failed * 2 < asked) {
            return String::new();
        }
        let shows = self.engines.iter().filter(|(_, vote)| **vote == Vote::Shows);
        let shows: BTreeSet<&str> = shows.filter_map(|(name, _)| Some(name.split_once('@')?.0)).collect();
        let own = |name: &&str| self.family != self.listed_family && name.starts_with(&self.listed_family);
        let engines: Vec<&str> = shows.into_iter().filter(own).collect();
        let proposal = Proposal {
            engines: &engines,
            suffix: &self.fingerprint[..6],
            does: self.does,
            rules: &self.rules,
            valid: self.valid,
            forms: &self.forms,
            instructions,
            when: &self.when,
            versions: range(&self.family, &self.engines),
            depth: if self.code_generation { Depth::Generate } else { Depth::Check },
            sometimes: self.sometimes,
            because: format!("{}; finding {}", self.blame.because, self.fingerprint),
        };
        if self.slots.is_empty() {
            return proposal.yaml();
        }
        // A divergence can only name words that are choices of the specification.
        let entry = proposal.yaml();
        let entry = entry.lines().map(|line| format!("  # {}\n", line.strip_prefix("  ").unwrap_or(line)));
        format!("  # first add the words to a family of isa.yaml\n{}", entry.collect::<String>())
    }
}

/// The engines of a family ordered by version, and whether each shows it.
fn by_version(family: &str, engines: &BTreeMap<String, Vote>) -> Vec<(EngineVersion, bool)> {
    let known = |(name, vote): (&String, &Vote)| Some((EngineVersion::parse(name).ok()?, *vote == Vote::Shows));
    let mut known: Vec<(EngineVersion, bool)> = engines.iter().filter_map(known).collect();
    known.retain(|(version, _)| version.family == family);
    known.sort();
    known
}

/// The first version that shows it if earlier ones do not, and the last one if later ones do not.
fn range(family: &str, engines: &BTreeMap<String, Vote>) -> (Option<String>, Option<String>) {
    let known = by_version(family, engines);
    let first = known.iter().position(|(_, shows)| *shows);
    let last = known.iter().rposition(|(_, shows)| *shows);
    let from = first.filter(|at| *at > 0).map(|at| known[at].0.short());
    let until = last.filter(|at| at + 1 < known.len()).map(|at| known[at].0.short());
    (from, until)
}
