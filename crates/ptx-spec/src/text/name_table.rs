//! A map by name.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

/// A map by name that is cheap to make: one text of all names, with their positions in it, sorted by hash
/// at the end.
#[derive(Clone, Debug)]
pub(super) struct NameTable<T> {
    text: String,
    entries: Vec<NamedEntry<T>>,
}

#[derive(Clone, Debug)]
struct NamedEntry<T> {
    hash: u64,
    name: Range<usize>,
    what: T,
}

impl<T> Default for NameTable<T> {
    fn default() -> Self {
        Self { text: String::new(), entries: Vec::new() }
    }
}

impl<T: Copy> NameTable<T> {
    /// Makes room for more entries, and for more text of their names.
    pub(super) fn reserve(&mut self, entries: usize, text: usize) {
        self.text.reserve(text);
        self.entries.reserve(entries);
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn hash(name: &str) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        hasher.finish()
    }

    /// Adds an entry.
    pub(super) fn insert(&mut self, name: &str, what: T) {
        let start = self.text.len();
        self.text.push_str(name);
        self.entries.push(NamedEntry { hash: Self::hash(name), name: start..self.text.len(), what });
    }

    /// Forgets all but the first entries.
    pub(super) fn truncate(&mut self, entries: usize) {
        self.entries.truncate(entries);
    }

    /// Makes the entries ready to be found.
    pub(super) fn sort(&mut self) {
        // If a name occurs twice, the last one counts, so the sort must be stable.
        self.entries.sort_by_key(|entry| entry.hash);
    }

    /// The last entry with this name.
    pub(super) fn get(&self, name: &str) -> Option<T> {
        if self.entries.is_empty() {
            return None;
        }
        let hash = Self::hash(name);
        let end = self.entries.partition_point(|entry| entry.hash <= hash);
        let same = self.entries[..end].iter().rev().take_while(|entry| entry.hash == hash);
        same.into_iter().find(|entry| self.text[entry.name.clone()] == *name).map(|entry| entry.what)
    }
}
