//! A finding in words: what, where, since when, how to see it, and the YAML that would list it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use super::blame::Facts;
use super::group::{Cause, Group, short};
use super::search::Seen;
use super::{Evidence, Finding, Inquiry, Minimal, Vote};
use crate::case::{Asked, Case, Confused, command};
use crate::divergence::{Does, EngineVersion};
use crate::engine::Depth;
use crate::run::first_message;
use crate::space::{Values as Choices, distance, environment};
use crate::spec::{Form, Instruction};

/// The values of an axis, or all but these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// Whether the values are left out.
    pub not: bool,
    /// The values.
    pub values: Vec<String>,
}

/// For each axis that matters, its values: a combination of choices by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition(pub Vec<(String, Values)>);

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.not.then_some("not").into_iter().chain(self.values.iter().map(String::as_str)))
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(axis, values)| (axis, values)))
    }
}

/// As it stands in YAML.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{ ")?;
        for (at, (axis, values)) in self.0.iter().enumerate() {
            let words: Vec<String> = values.values.iter().map(|value| scalar(value)).collect();
            write!(f, "{}{axis}: ", if at == 0 { "" } else { ", " })?;
            match (values.not, words.as_slice()) {
                (false, [one]) => f.write_str(one)?,
                (not, words) => write!(f, "[{}{}]", if not { "not, " } else { "" }, words.join(", "))?,
            }
        }
        f.write_str(" }")
    }
}

/// A text as YAML would read it again.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let number = text.starts_with(|c: char| c.is_ascii_digit());
    if !number && text.chars().all(plain) && !text.is_empty() { text.to_owned() } else { format!("\"{text}\"") }
}

impl Condition {
    /// The condition of cubes that mean the same in several forms.
    fn new(causes: &[Cause<'_>], conditions: &super::group::Conditions) -> Self {
        let mut named = Vec::new();
        let mut axes: Vec<&String> = conditions.keys().collect();
        let form = causes[0].form();
        axes.sort_by_key(|axis| form.axis(axis));
        for axis in axes {
            let inside = &conditions[axis];
            let mut outside: BTreeSet<String> = BTreeSet::new();
            let mut order: Vec<&String> = Vec::new();
            let mut claimed = true;
            for cause in causes {
                let Some(at) = cause.form().axis(axis) else { continue };
                let of = &cause.form().axes[at];
                order.extend(&of.values);
                for value in cause.occurring(at).iter() {
                    let name = &of.values[usize::from(value)];
                    if inside.contains(name) {
                        // `not` only means values that are claimed right somewhere.
                        claimed &= of.claimed.contains(value);
                    } else {
                        outside.insert(name.clone());
                    }
                }
            }
            named.push((axis.clone(), Values::shortest(inside, &outside, &order, claimed)));
        }
        named.extend(Self::environments(causes));
        Self(named)
    }

    /// The choices of the environment, of all causes together.
    fn environments(causes: &[Cause<'_>]) -> Vec<(String, Values)> {
        let mut named = Vec::new();
        let form = causes[0].form();
        for axis in 0..3 {
            let (mut inside, mut outside) = (BTreeSet::new(), BTreeSet::new());
            for cause in causes {
                let name = |value: u8| form.axes[axis].values[usize::from(value)].clone();
                let extent = cause.extent.sets().iter().find(|(named, _)| *named == axis);
                for value in cause.occurring(axis).iter() {
                    let shows = extent.is_none_or(|(_, set)| set.contains(value));
                    if shows {
                        inside.insert(name(value))
                    } else {
                        outside.insert(name(value))
                    };
                }
            }
            outside.retain(|value| !inside.contains(value));
            if !outside.is_empty() {
                let order: Vec<&String> = form.axes[axis].values.iter().collect();
                named.push((form.axes[axis].name.clone(), Values::shortest(&inside, &outside, &order, true)));
            }
        }
        named
    }
}

impl Values {
    pub(super) fn shortest(
        inside: &BTreeSet<String>,
        outside: &BTreeSet<String>,
        order: &[&String],
        negatable: bool,
    ) -> Self {
        let not = negatable && !outside.is_empty() && outside.len() < inside.len();
        let chosen = if not { outside } else { inside };
        let mut values: Vec<String> = Vec::new();
        for value in order {
            if chosen.contains(*value) && !values.contains(value) {
                values.push((*value).clone());
            }
        }
        Self { not, values }
    }
}

/// What all engines do with the simplest case of a group, or one like it in an environment that
/// they take.
pub(super) struct Poll<'g, 's> {
    group: &'g Group<'s>,
    /// The cause whose simplest variant is shown.
    shown: &'g Cause<'s>,
    /// By engine.
    answers: Vec<Option<Asked>>,
}

/// Asks every engine about every group.
pub(super) fn poll<'g, 's>(groups: &'g [Group<'s>], inquiries: &[Inquiry<'_>]) -> Result<Vec<Poll<'g, 's>>, Confused> {
    let mut polls: Vec<Poll<'g, 's>> = groups
        .iter()
        .filter_map(|group| {
            let simplest = |cause: &&Cause<'_>| cause.fails.first().map(|values| (distance(values), values.clone()));
            let shown = group.causes.iter().min_by_key(simplest)?;
            Some(Poll { group, shown, answers: Vec::new() })
        })
        .collect();
    for (engine, inquiry) in inquiries.iter().enumerate() {
        let mut answers: Vec<Option<Asked>> = vec![None; polls.len()];
        for depth in [Depth::Check, Depth::Generate] {
            let mut rows: Vec<(usize, &Cause<'_>, Choices)> = Vec::new();
            for (at, poll) in polls.iter().enumerate().filter(|(_, poll)| poll.shown.kind.depth == depth) {
                // Where it shows itself, its own simplest variant is asked about.
                let own = poll.group.causes.iter().find(|cause| cause.engine == engine);
                let cause = own.unwrap_or(poll.shown);
                let cause = if poll.shown.engine == engine { poll.shown } else { cause };
                rows.extend(inquiry.adapted(cause).map(|values| (at, cause, values)));
            }
            let cases: Vec<Case<'_>> = rows.iter().map(|(_, cause, values)| cause.case(values)).collect();
            for ((at, ..), asked) in rows.iter().zip(inquiry.ask(depth, &cases)?) {
                answers[*at] = Some(asked);
            }
        }
        polls.iter_mut().zip(answers).for_each(|(poll, answer)| poll.answers.push(answer));
    }
    Ok(polls)
}

impl Inquiry<'_> {
    /// The simplest variant of a cause, in its environment or one near it that the engine takes.
    fn adapted(&self, cause: &Cause<'_>) -> Option<Choices> {
        let values = cause.fails.first()?;
        let form = cause.form();
        let fits = |values: &Choices| {
            form.broken(values).iter().copied().eq(cause.rule) && self.supports(form, values, cause.kind.depth)
        };
        let with = |axis: usize| {
            (0..=u8::MAX).take(form.axes[axis].values.len()).map(move |value| {
                let mut other = values.clone();
                other[axis] = value;
                other
            })
        };
        if fits(values) {
            return Some(values.clone());
        }
        let both = with(2).flat_map(|values| {
            (0..=u8::MAX).take(form.axes[1].values.len()).map(move |target| {
                let mut other = values.clone();
                other[1] = target;
                other
            })
        });
        with(2).chain(with(1)).chain(both).find(|other| cause.extent.contains(other) && fits(other))
    }
}

impl Poll<'_, '_> {
    fn vote(&self, engine: usize, inquiry: &Inquiry<'_>) -> Option<Vote> {
        let asked = self.answers.get(engine)?.as_ref()?;
        let own = self.group.causes.iter().any(|cause| cause.engine == engine);
        let cause = self.shown;
        Some(match inquiry.seen(&cause.kind, cause.instruction, asked) {
            _ if own => Vote::Shows,
            Seen::Fails => Vote::Shows,
            Seen::Passes => Vote::DoesNot,
            // Other words for the same thing are the same vote.
            Seen::Masked if Does::of(&asked.outcome) == Some(cause.kind.does) => Vote::Shows,
            Seen::Masked => Vote::Other(format!("{}: {}", asked.outcome.word(), first_message(&asked.outcome))),
        })
    }

    /// The finding.
    pub(super) fn finding(&self, inquiries: &[Inquiry<'_>]) -> Result<Finding, Confused> {
        let (group, shown) = (self.group, self.shown);
        let name = |engine: usize| inquiries[engine].engine().id();
        let family = name(shown.engine).family().to_owned();
        let engines: BTreeMap<String, Vote> = inquiries
            .iter()
            .enumerate()
            .filter_map(|(at, inquiry)| Some((name(at).to_string(), self.vote(at, inquiry)?)))
            .collect();
        let when = Condition::new(&group.causes, &group.conditions);
        let valid = group.causes.iter().any(|cause| cause.kind.rules.is_empty());
        let unique = |words: &mut dyn Iterator<Item = String>| {
            words.collect::<BTreeSet<String>>().into_iter().collect::<Vec<String>>()
        };
        let causes = || group.causes.iter();
        let rules = unique(&mut causes().flat_map(|cause| &cause.kind.rules).map(|rule| short(rule).to_owned()));
        let of_rules = || causes().filter_map(|cause| Some((cause, &cause.form().rules[cause.rule?])));
        let facts = Facts {
            does: shown.kind.does,
            contradicts: shown.kind.contradicts.as_deref(),
            sources: of_rules().map(|(_, rule)| rule.source).collect(),
            votes: engines.values().collect(),
        };
        let blame = facts.blame();
        let manual = |(cause, rule): (&Cause<'_>, &crate::spec::Rule)| {
            let section = rule.section.as_deref().unwrap_or("the page as a whole");
            format!("{}: {section}", cause.form().page())
        };
        let mut pages = unique(&mut of_rules().map(manual));
        if pages.is_empty() {
            pages = unique(&mut causes().map(|cause| format!("{}: Syntax", cause.form().page())));
        }
        let forms = unique(&mut causes().map(|cause| cause.form().id.clone()));
        let heaps: BTreeSet<(usize, &str, &super::Kind, u64)> =
            causes().map(|cause| (cause.engine, cause.form().id.as_str(), &cause.kind, cause.mismatches)).collect();
        let mut finding = Finding {
            fingerprint: String::new(),
            title: String::new(),
            versions: versions(&family, &engines),
            family,
            does: shown.kind.does,
            rules,
            valid,
            says: unique(&mut of_rules().map(|(_, rule)| rule.says.clone())),
            manual: pages,
            code_generation: shown.kind.depth == Depth::Generate,
            contradicts: shown.kind.contradicts.clone(),
            forms,
            when,
            evidence: causes().map(|cause| evidence(cause, name(cause.engine).to_string())).collect(),
            engines,
            mismatches: heaps.iter().map(|(.., count)| count).sum(),
            blame,
            case: self.minimal(inquiries)?,
            yaml: String::new(),
        };
        finding.fingerprint = finding.fingerprint();
        finding.title = finding.title();
        finding.yaml = finding.yaml(&group.causes.iter().map(|cause| cause.instruction).collect::<Vec<_>>());
        Ok(finding)
    }

    fn minimal(&self, inquiries: &[Inquiry<'_>]) -> Result<Minimal, Confused> {
        let shown = self.shown;
        let values = shown.fails.first().cloned().unwrap_or_default();
        let case = shown.case(&values);
        let environment = case.environment()?;
        let module = case.module(shown.kind.depth)?;
        let asked = self.answers.get(shown.engine).and_then(Option::as_ref);
        Ok(Minimal {
            id: crate::case::id(&module),
            line: case.line(),
            ptx: environment.ptx.to_string(),
            target: environment.target.to_string(),
            address_size: environment.address_size.bits(),
            message: asked.map(|asked| first_message(&asked.outcome)).unwrap_or_default(),
            command: command(inquiries[shown.engine].engine(), &module, &environment, shown.kind.depth),
            module,
            neighbours_without: shown.passing_neighbours,
            values,
        })
    }
}

fn evidence(cause: &Cause<'_>, engine: String) -> Evidence {
    let first = cause.fails.first();
    let environment = first.and_then(|values| environment(cause.form(), values));
    Evidence {
        form: cause.form().id.clone(),
        engine,
        environment: environment.map(|environment| environment.to_string()).unwrap_or_default(),
        variants: cause.size.to_string(),
        asked: cause.asked,
        failed: cause.fails.len(),
    }
}

/// `ptxas 12.9 to 13.5, not 11.8`: the versions that show it, and those that do not.
fn versions(family: &str, engines: &BTreeMap<String, Vote>) -> String {
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
    /// What it is known by: stable as long as the cause is the same.
    fn fingerprint(&self) -> String {
        let depth = if self.code_generation { "generate" } else { "check" };
        let words = format!(
            "{}|{:?}|{depth}|{:?}|{}|{}|{}|{}",
            self.family,
            self.does,
            self.contradicts,
            self.valid,
            self.rules.join(","),
            self.forms.join(","),
            self.when
        );
        blake3::hash(words.as_bytes()).to_hex()[..12].to_owned()
    }

    fn title(&self) -> String {
        let depth = if self.code_generation { " in code generation" } else { "" };
        let what = match (self.valid, self.rules.as_slice()) {
            (true, []) => "what is claimed valid".to_owned(),
            (true, rules) => format!("what is claimed valid, or breaks {}", rules.join(" or ")),
            (false, rules) => format!("what breaks {}", rules.join(" or ")),
        };
        let when = if self.when.0.is_empty() { String::new() } else { format!(" when {}", self.when) };
        let does = match self.does {
            Does::Accepts => "accepts",
            Does::Rejects => "rejects",
            Does::Crashes => "dies on",
            Does::Computes => "computes otherwise",
        };
        let listed = self.contradicts.as_ref().map_or(String::new(), |id| format!(", though `{id}` lists otherwise"));
        format!("{} {does} {what} in {}{when}{depth}{listed}", self.family, self.forms.join(", "))
    }

    /// The name that its divergence would have.
    fn id(&self) -> String {
        let first = self.forms.first().map_or("", |form| form.split('.').next().unwrap_or(form));
        let rule = self.rules.first().map_or("valid", |rule| rule.rsplit('/').next().unwrap_or(rule));
        format!("{first}-{}-{rule}-{}", format!("{:?}", self.does).to_lowercase(), &self.fingerprint[..6])
    }

    fn yaml(&self, instructions: &[&Instruction]) -> String {
        if let Some(id) = &self.contradicts {
            return format!(
                "# {id} no longer happens {}: remove it, or give it `to` or a narrower `when`\n",
                self.versions
            );
        }
        let mut text = String::new();
        // Lines that are valid, and lines that break a rule, are listed apart.
        let halves = [self.valid.then_some(&[][..]), (!self.rules.is_empty()).then_some(self.rules.as_slice())];
        for (at, rules) in halves.into_iter().flatten().enumerate() {
            let suffix = if at == 0 { "" } else { "-broken" };
            let _ = self.entry(&format!("{}{suffix}", self.id()), rules, instructions, &mut text);
        }
        text
    }

    fn entry(&self, id: &str, rules: &[String], instructions: &[&Instruction], to: &mut String) -> fmt::Result {
        let names: BTreeSet<&str> = instructions.iter().map(|instruction| instruction.name.as_str()).collect();
        let list = |words: &mut dyn Iterator<Item = &str>| words.collect::<Vec<_>>().join(", ");
        writeln!(to, "  - id: {id}")?;
        writeln!(to, "    instructions: [{}]", list(&mut names.iter().copied()))?;
        let every = |form: &Form| self.forms.contains(&form.id);
        if !instructions.iter().all(|instruction| instruction.forms.iter().all(every)) {
            let short: BTreeSet<&str> =
                self.forms.iter().map(|form| form.split_once('.').map_or(form.as_str(), |(_, id)| id)).collect();
            writeln!(to, "    forms: [{}]", list(&mut short.iter().copied()))?;
        }
        let (from, until) = range(&self.family, &self.engines);
        from.map_or(Ok(()), |from| writeln!(to, "    from: \"{from}\""))?;
        until.map_or(Ok(()), |until| writeln!(to, "    to: \"{until}\""))?;
        writeln!(to, "    does: {}", format!("{:?}", self.does).to_lowercase())?;
        if !rules.is_empty() {
            writeln!(to, "    rules: [{}]", list(&mut rules.iter().map(String::as_str)))?;
        }
        if !self.when.0.is_empty() {
            writeln!(to, "    when: {}", self.when)?;
        }
        if self.code_generation {
            writeln!(to, "    depth: generate")?;
        }
        writeln!(to, "    because: Not explained yet ({}; finding {}).", self.blame.because, self.fingerprint)
    }
}

/// The engines of a family in the order of their versions, and whether each shows it.
fn by_version(family: &str, engines: &BTreeMap<String, Vote>) -> Vec<(EngineVersion, bool)> {
    let known = |(name, vote): (&String, &Vote)| Some((EngineVersion::parse(name).ok()?, *vote == Vote::Shows));
    let mut known: Vec<(EngineVersion, bool)> = engines.iter().filter_map(known).collect();
    known.retain(|(version, _)| version.family == family);
    known.sort();
    known
}

/// The first and the last version that show it, where others before and behind do not.
fn range(family: &str, engines: &BTreeMap<String, Vote>) -> (Option<String>, Option<String>) {
    let known = by_version(family, engines);
    let first = known.iter().position(|(_, shows)| *shows);
    let last = known.iter().rposition(|(_, shows)| *shows);
    let from = first.filter(|at| *at > 0).map(|at| known[at].0.short());
    let until = last.filter(|at| at + 1 < known.len()).map(|at| known[at].0.short());
    (from, until)
}
