//! What can be checked of every page without a browser: addresses, ids, sizes and characters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use libtest_mimic::Trial;

use crate::reports::Written;
use crate::{Tested, World, nothing_of};

/// The maximum size of a page in bytes.
const LARGEST: usize = 2_000_000;

/// What is wrong with the files of a report.
type FileCheck = fn(&Written) -> Vec<String>;

pub(crate) fn trials(world: &Arc<World>) -> Vec<Trial> {
    let tests: [(&str, FileCheck); 4] = [
        ("every_address_leads_somewhere", addresses),
        ("ids_are_unique", ids),
        ("no_page_is_large", sizes),
        ("nothing_on_a_page_can_act", acting),
    ];
    let trial = |(name, test): (&str, fn(&Written) -> Vec<String>)| {
        let world = Arc::clone(world);
        Trial::test(name, move || -> Tested {
            let mut wrong = test(world.all());
            wrong.extend(test(world.hostile()).into_iter().map(|wrong| format!("of the hostile report: {wrong}")));
            nothing_of(wrong)
        })
    };
    tests.into_iter().map(trial).collect()
}

/// An opening tag of HTML.
struct Tag<'t> {
    name: &'t str,
    attributes: Vec<(&'t str, String)>,
    /// What follows, up to the next tag.
    text: &'t str,
}

impl Tag<'_> {
    fn value(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

/// The opening tags of a page. In our pages `<` is nothing else, as every text is escaped.
fn tags(page: &str) -> Vec<Tag<'_>> {
    let opening = page.split('<').skip(1).filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    opening
        .map(|rest| {
            let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())];
            let mut tag = Tag { name, attributes: Vec::new(), text: "" };
            let mut rest = &rest[name.len()..];
            // Values are between double quotes, so a `>` in a value does not end the tag.
            while let Some(end) = rest.find(['"', '>']).filter(|end| rest[*end..].starts_with('"')) {
                let Some(close) = rest[end + 1..].find('"') else { break };
                let key = rest[..end].trim().trim_end_matches('=');
                let key = key.rsplit(char::is_whitespace).next().unwrap_or_default();
                tag.attributes.push((key, unescaped(&rest[end + 1..end + 1 + close])));
                rest = &rest[end + close + 2..];
            }
            tag.text = rest.split_once('>').map_or("", |(_, text)| text);
            tag
        })
        .collect()
}

/// A text of HTML without its references to characters.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split('&');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (reference, rest) = part.split_once(';').unwrap_or((part, ""));
        let number = reference.strip_prefix("#x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
        plain.push(match reference {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            _ => number.and_then(char::from_u32).unwrap_or('\u{fffd}'),
        });
        plain.push_str(rest);
    }
    plain
}

/// The text of each page.
fn texts(written: &Written) -> BTreeMap<String, String> {
    let text = |page: &String| {
        let bytes = std::fs::read(written.folder().join(page)).expect("a page");
        String::from_utf8(bytes).expect("pages are UTF-8")
    };
    written
        .pages()
        .into_iter()
        .map(|page| {
            let text = text(&page);
            (page, text)
        })
        .collect()
}

/// The pages that show how wide each kind of element becomes, by its name and classes: that on which it has its longest
/// word, as a page is as wide as its words are long.
pub(crate) fn with_the_longest_words(written: &Written) -> BTreeSet<String> {
    let pages = texts(written);
    let mut longest: BTreeMap<(&str, String), (usize, &str)> = BTreeMap::new();
    for (page, text) in &pages {
        for tag in tags(text) {
            let word =
                tag.text.split_whitespace().map(|word| unescaped(word).chars().count()).max().unwrap_or_default();
            let kind = (tag.name, tag.value("class").unwrap_or_default().to_owned());
            let known = longest.entry(kind).or_insert((word, page));
            if word > known.0 {
                *known = (word, page);
            }
        }
    }
    longest.into_values().map(|(_, page)| page.to_owned()).collect()
}

fn all_ids(page: &str) -> Vec<String> {
    tags(page).iter().filter_map(|tag| tag.value("id").map(str::to_owned)).collect()
}

fn addresses(written: &Written) -> Vec<String> {
    let pages = texts(written);
    let ids: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|(page, text)| (page.as_str(), all_ids(text).into_iter().collect())).collect();
    let mut wrong = BTreeSet::new();
    let mut check = |page: &str, address: &str| {
        if address.starts_with("https://") || address.starts_with("data:") {
            return;
        }
        let (file, fragment) = address.split_once('#').unwrap_or((address, ""));
        let mut path: Vec<&str> = page.split('/').collect();
        path.pop();
        for part in file.split('/') {
            match part {
                ".." => drop(path.pop()),
                "." | "" => {}
                part => path.push(part),
            }
        }
        let target = if file.is_empty() { page.to_owned() } else { path.join("/") };
        if !written.folder().join(&target).is_file() {
            wrong.insert(format!("{page}: no file is at {address}"));
        } else if !fragment.is_empty() && !ids.get(target.as_str()).is_some_and(|ids| ids.contains(fragment)) {
            wrong.insert(format!("{page}: {address} leads to no place of the page"));
        }
    };
    for (page, text) in &pages {
        for tag in tags(text) {
            ["href", "src"].iter().filter_map(|key| tag.value(key)).for_each(|address| check(page, address));
        }
    }
    let script = std::fs::read_to_string(written.folder().join("search.js")).expect("the entries of the search");
    let list = script.trim().trim_start_matches("window.ptxSearch=").trim_end_matches(';').to_owned();
    let entries: Vec<Vec<String>> = serde_json::from_str(&list).expect("lists of texts");
    assert!(entries.len() > 50, "{} entries", entries.len());
    entries.iter().for_each(|entry| check("index.html", &entry[1]));
    wrong.into_iter().collect()
}

fn ids(written: &Written) -> Vec<String> {
    let mut wrong = Vec::new();
    for (page, text) in texts(written) {
        let mut seen = BTreeSet::new();
        let twice = all_ids(&text).into_iter().filter(|id| !seen.insert(id.clone()));
        wrong.extend(twice.map(|id| format!("{page}: two places are called {id}")));
    }
    wrong
}

fn sizes(written: &Written) -> Vec<String> {
    let large = texts(written).into_iter().filter(|(_, text)| text.len() > LARGEST);
    large.map(|(page, text)| format!("{page} has {} bytes", text.len())).collect()
}

/// No inline scripts, handlers, or addresses that are scripts, and no characters that act on those around them.
fn acting(written: &Written) -> Vec<String> {
    let mut wrong = Vec::new();
    let acts = |c: char| {
        let is_bidi = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        is_bidi || (c.is_control() && c != '\n')
    };
    for (page, text) in texts(written) {
        if let Some(found) = text.chars().find(|c| acts(*c)) {
            wrong.push(format!("{page} has the character {}", found.escape_unicode()));
        }
        for tag in tags(&text) {
            if tag.name == "script" && tag.value("src").is_none() {
                wrong.push(format!("{page} has a script"));
            }
            for (key, value) in &tag.attributes {
                let script = value.trim().to_ascii_lowercase().starts_with("javascript:");
                if key.starts_with("on") || (script && ["href", "src"].contains(key)) {
                    wrong.push(format!("{page}: {key} of <{}> is {value}", tag.name));
                }
            }
        }
    }
    wrong
}
