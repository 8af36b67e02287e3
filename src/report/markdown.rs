//! The report as Markdown, for the summary of a job and for pull requests.
//!
//! Texts are encoded so that they are shown as they are: character references are never read as markup, and what would
//! become a mention or a link is broken up.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::data::{News, Report, RunVerdict};
use super::engines::EngineReport;
use super::support::SupportReport;
use crate::campaign::Agreement;
use crate::causes::Finding;
use crate::engine::words::{cut, visible};
use crate::plural::counted;

/// The bytes of the whole text.
const ALL: usize = 60_000;
/// The bytes after which the list of findings ends; the other lists share the rest.
const FINDINGS: usize = 36_000;
/// The bytes after which a list of something else ends.
const LISTS: usize = 52_000;
/// The bytes of a cell.
const CELL: usize = 400;
/// The entries of a list of what was not judged.
const ENTRIES: usize = 20;

/// The reasons for skipping that an engine shows.
const REASONS: usize = 4;

/// The text.
pub(super) fn render(report: &Report) -> String {
    let mut page = MarkdownPage::default();
    page.line(&format!("# ptx-conform: {}", report.verdict.words()));
    page.line(&format!("{}.", sums(report)));
    if let Some(news) = &report.news {
        page.line(&format!("{}.", plain(&capital(&news.words()))));
    }
    findings(report, &mut page);
    not_judged(report, &mut page);
    attention(report, &mut page);
    engines(report, &mut page);
    if let Some(support) = &report.support {
        page.line(&format!("{}.", plain(&capital(&support.words()))));
    }
    let day = report.date.as_ref().map_or_else(String::new, |date| format!(", {}", plain(date)));
    page.line(&format!(
        "Specification {}, ptx-conform {}{day}; {}.",
        code(&report.specification),
        plain(&report.tool),
        plain(&format!("seed {}, {}", report.options.seed, report.options.words()))
    ));
    page.text
}

/// A text that grows up to a limit.
#[derive(Default)]
struct MarkdownPage {
    text: String,
}

impl MarkdownPage {
    /// A paragraph; nothing if the page is full.
    fn line(&mut self, line: &str) {
        if self.text.len() + line.len() + 2 <= ALL {
            self.text.push_str(line);
            self.text.push_str("\n\n");
        }
    }

    /// A table or list: what does not fit is counted.
    fn rows(&mut self, heading: &str, until: usize, rows: impl ExactSizeIterator<Item = String>) {
        let (count, mut shown) = (rows.len(), 0);
        self.text.push_str(heading);
        for row in rows {
            if self.text.len() + row.len() + 1 > until {
                break;
            }
            self.text.push_str(&row);
            self.text.push('\n');
            shown += 1;
        }
        self.text.push('\n');
        if shown < count {
            self.line(&format!("And {} more, listed in `report.json`.", count - shown));
        }
    }
}

fn sums(report: &Report) -> String {
    let lines: u64 = report.engines.iter().map(|engine| engine.cases).sum();
    let rows: u64 = report.engines.iter().map(|engine| engine.row_counts()[0]).sum();
    let known: u64 = report.engines.iter().map(|engine| engine.listed).sum();
    let new: u64 = report.engines.iter().map(|engine| engine.unlisted).sum();
    let known = counted(known, "known mismatch");
    format!("{new} new and {known} in {} and {}", counted(lines, "line"), counted(rows, "row"))
}

fn findings(report: &Report, page: &mut MarkdownPage) {
    let news = report.news.as_ref();
    if report.findings.is_empty() {
        page.line("There are no findings.");
    } else {
        let is_new = |finding: &Finding| news.is_some_and(|news| news.appeared.contains(&finding.fingerprint));
        let mut all: Vec<&Finding> = report.findings.iter().collect();
        all.sort_by_key(|finding| !is_new(finding));
        page.line(&format!("## Findings: {}", all.len()));
        let heading = "| finding | what | where | known since | simplest line |\n|---|---|---|---|---|\n";
        page.rows(heading, FINDINGS, all.into_iter().map(|finding| row(finding, news)));
    }
    let Some(news) = news else { return };
    for (heading, gone) in
        [("## Gone", &news.vanished), ("## Not seen again, but not everything was judged", &news.unseen)]
    {
        if !gone.is_empty() {
            page.line(heading);
            let entry = |known: &super::KnownFinding| format!("- {} {}", code(&known.fingerprint), cell(&known.title));
            page.rows("", FINDINGS + 6_000, gone.iter().map(entry));
        }
    }
}

fn row(finding: &Finding, news: Option<&News>) -> String {
    let since = news.map_or_else(|| "-".to_owned(), |news| plain(&news.known_since(&finding.fingerprint)));
    format!(
        "| {} | {} | {} | {since} | {} |",
        code(&finding.fingerprint),
        cell(&finding.title),
        cell(&finding.versions),
        code(&finding.case.line)
    )
}

/// Everything that was lost, left out or skipped.
fn not_judged(report: &Report, page: &mut MarkdownPage) {
    let mut entries: Vec<String> = Vec::new();
    if report.verdict == RunVerdict::Interrupted {
        entries.push("the run was stopped before its end".to_owned());
    }
    let mut some = |what: &str, lines: &[String]| {
        entries.extend(lines.iter().take(ENTRIES).map(|line| format!("{what}: {}", cell(line))));
        let more = lines.len().saturating_sub(ENTRIES);
        entries.extend((more > 0).then(|| format!("{what}: {more} more")));
    };
    some("internal error, a bug of ptx-conform", &report.internal_errors);
    some("could not judge", &report.lost);
    some("note", &report.notes);
    some("not reproduced", &report.not_reproduced);
    some("mismatches that were not analysed", &report.not_analysed);
    let missing = report.support.iter().filter_map(SupportReport::missing);
    entries.extend(missing.map(|words| format!("support matrix: {words}")));
    for engine in &report.engines {
        let name = code(&engine.name);
        entries.extend(engine.gave_up.iter().map(|why| format!("{name}: abandoned: {}", cell(why))));
        entries.extend(skipped(&name, "line", &engine.skipped));
        entries.extend(skipped(&name, "row", &engine.skipped_rows));
        let left_out: u64 = engine.left_out.values().sum();
        if left_out > 0 {
            entries.push(format!("{name}: {} beyond the budget of an instruction", counted(left_out, "random line")));
        }
        let not_asked = engine.not_asked.iter();
        entries.extend(
            not_asked.map(|(why, ids)| format!("{name}: {}: {}", counted(ids.len(), "listed divergence"), cell(why))),
        );
    }
    entries.extend(
        report.absent.iter().map(|absent| format!("not asked: {}: {}", code(&absent.engine), cell(&absent.why))),
    );
    entries.extend(report.deeper.iter().map(|deeper| plain(&deeper.words())));
    if !entries.is_empty() {
        page.line("## Not judged");
        page.rows("", LISTS - 4_000, entries.iter().map(|entry| format!("- {entry}")));
    }
}

/// The skipped questions of an engine by reason, the most frequent first; the other reasons are counted.
fn skipped(engine: &str, what: &str, reasons: &BTreeMap<String, u64>) -> Vec<String> {
    let mut all: Vec<(&String, u64)> = reasons.iter().map(|(why, count)| (why, *count)).collect();
    all.sort_by_key(|(_, count)| Reverse(*count));
    let others = all.split_off(all.len().min(REASONS));
    let mut entries: Vec<String> =
        all.iter().map(|(why, count)| format!("{engine}: skipped {}: {}", counted(*count, what), cell(why))).collect();
    if !others.is_empty() {
        let count: u64 = others.iter().map(|(_, count)| count).sum();
        entries.push(format!(
            "{engine}: skipped {} for {}",
            counted(count, what),
            counted(others.len(), "other reason")
        ));
    }
    entries
}

/// Lines that kill an engine only together, divergences that need attention, unexpected answers to examples, and new differences in the support matrix.
fn attention(report: &Report, page: &mut MarkdownPage) {
    let stale = report.divergences.iter().flat_map(|known| {
        known.stale.iter().map(move |(engine, problem)| {
            format!("- divergence {} {} ({})", code(&known.id), problem.words(), code(engine))
        })
    });
    let unexpected = report.examples.iter().flat_map(|example| {
        let answers = example.engines.iter().filter(|(_, answer)| answer.agreement == Agreement::Unexpected);
        answers.map(move |(engine, answer)| {
            format!("- example {}: {} {}", code(&example.line), code(engine), cell(&answer.did))
        })
    });
    let unlisted = report.support.iter().flat_map(|support| &support.unlisted);
    let unlisted = unlisted.map(|name| format!("- support matrix: {} is not as the manual", code(name)));
    let deaths = report.deaths.iter().filter(|death| death.divergence.is_none());
    let deaths = deaths.map(|death| format!("- {}: {}", code(&death.engine), cell(&death.title)));
    let chains = report.chain_findings();
    let chains = chains.iter().map(|of| format!("- {}: {}", code(&of.engines_in_short()), cell(&of.finding.title)));
    let all: Vec<String> = deaths.chain(chains).chain(stale).chain(unexpected).chain(unlisted).collect();
    if !all.is_empty() {
        page.line("## Not as listed");
        page.rows("", LISTS, all.into_iter());
    }
}

fn engines(report: &Report, page: &mut MarkdownPage) {
    page.line("## Engines");
    let heading = "| engine | lines | valid accepted | breaches rejected | rows passed | known | new |\n|---|---|---|---|---|---|---|\n";
    let row = |engine: &EngineReport| {
        let [rows, passed, _] = engine.row_counts();
        let [[valid, accepted], [breaches, rejected]] = [engine.valid, engine.breaches];
        format!(
            "| {} | {} | {accepted} of {valid} | {rejected} of {breaches} | {passed} of {rows} | {} | {} |",
            code(&engine.name),
            engine.cases,
            engine.listed,
            engine.unlisted
        )
    };
    page.rows(heading, ALL - 2_000, report.engines.iter().map(row));
}

/// A text as part of a line, of limited length.
fn cell(text: &str) -> String {
    plain(&cut(text, CELL))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A text that is shown as it is.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    let chars: Vec<char> = visible(text).chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map_or(' ', |at| chars[at].to_ascii_lowercase());
        match c {
            // What would become a mention, an issue, a link or an address is broken up.
            '@' | '#' => shown.push_str(&format!("&#{};&#8203;", u32::from(c))),
            '/' if before(1) == ':' => shown.push_str("&#8203;/"),
            '.' if before(1) == 'w' => shown.push_str("&#8203;."),
            '-' if (before(2), before(1)) == ('g', 'h') => shown.push_str("&#8203;-"),
            '\n' | '\t' => shown.push(' '),
            _ if is_inert(c) => shown.push(c),
            _ => shown.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    shown
}

/// True if a character is never markup within a line.
fn is_inert(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_alphanumeric() || " ,;.:()'\"=%?/-".contains(c)
}

/// A text as code, of limited length, in a form that can stand in a table.
fn code(text: &str) -> String {
    let text = visible(&cut(text, CELL)).replace(['\n', '\t'], " ");
    if !text.trim().is_empty() && !text.contains(['`', '|', '\\']) {
        return format!("`{text}`");
    }
    let mut shown = String::from("<code>");
    for c in text.chars() {
        match c {
            '@' => shown.push_str("&#64;&#8203;"),
            _ if c.is_ascii_alphanumeric() || c == ' ' || !c.is_ascii() => shown.push(c),
            _ => shown.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    shown + "</code>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_not_markup() {
        for (text, shown) in [
            ("suld in ptxas 13.5, not 11.8", "suld in ptxas 13.5, not 11.8"),
            ("a | b\n# c", "a &#124; b &#35;&#8203; c"),
            ("@user GH-1 #2", "&#64;&#8203;user GH&#8203;-1 &#35;&#8203;2"),
            ("https://x www.y", "https:&#8203;//x www&#8203;.y"),
            ("<b>*_`[x](y)", "&#60;b&#62;&#42;&#95;&#96;&#91;x&#93;(y)"),
            ("\u{1b}\u{202e}", "&#92;u&#123;1b&#125;&#92;u&#123;202e&#125;"),
        ] {
            assert_eq!(plain(text), shown);
        }
        assert_eq!(code("a|`b@c"), "<code>a&#124;&#96;b&#64;&#8203;c</code>");
        assert_eq!(code("ptxas@13.5 *a*"), "`ptxas@13.5 *a*`");
        assert!(code(&"x".repeat(1 << 20)).len() < 500);
    }
}
