//! Modifiers that stand for many words: `.b{0-7}{0-7}` is any of `.b00` to `.b77`.

/// A modifier some characters of which are any of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModifierPattern {
    /// As the file has it.
    pub(crate) name: String,
    /// Its characters, each with the last of its range.
    characters: Vec<(char, char)>,
}

impl ModifierPattern {
    /// The pattern that a value of a slot is; none if it is a plain word.
    ///
    /// # Errors
    /// If a range is malformed.
    pub(crate) fn parse(name: &str) -> Result<Option<Self>, String> {
        if !name.contains('{') {
            return Ok(None);
        }
        let mut characters = Vec::new();
        let mut rest = name.chars();
        while let Some(c) = rest.next() {
            if c != '{' {
                characters.push((c, c));
                continue;
            }
            let range: String = rest.by_ref().take_while(|c| *c != '}').collect();
            match range.chars().collect::<Vec<_>>()[..] {
                [first, '-', last] if first <= last => characters.push((first, last)),
                _ => return Err(format!("`{{{range}}}` in `{name}` is not a range of characters such as `{{0-7}}`")),
            }
        }
        Ok(Some(Self { name: name.to_owned(), characters }))
    }

    /// True if a word is one of those that the pattern stands for.
    pub(crate) fn matches(&self, word: &str) -> bool {
        word.chars().count() == self.characters.len()
            && word.chars().zip(&self.characters).all(|(c, (first, last))| (*first..=*last).contains(&c))
    }

    /// The first of those words.
    pub(crate) fn first(name: &str) -> String {
        let mut first = String::new();
        let mut rest = name.chars();
        while let Some(c) = rest.next() {
            if c == '{' {
                first.extend(rest.next());
                rest.by_ref().find(|c| *c == '}');
            } else {
                first.push(c);
            }
        }
        first
    }
}

/// True if a value of a slot is a pattern, such as `.b{0-7}{0-7}`, and stands for this word among others.
pub fn pattern_matches(value: &str, word: &str) -> bool {
    ModifierPattern::parse(value).ok().flatten().is_some_and(|pattern| pattern.matches(word))
}
