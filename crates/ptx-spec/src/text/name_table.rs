//! A map by name.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};

/// A map by name that is cheap to make and can grow at any time: one text of all names, with their positions in it.
#[derive(Clone, Debug)]
pub(super) struct NameTable<T> {
    text: String,
    entries: Vec<NamedEntry<T>>,
    /// The last entry with each hash; empty as long as there are few entries.
    last: FxHashMap<u64, usize>,
}

#[derive(Clone, Debug)]
struct NamedEntry<T> {
    hash: u64,
    name: Range<usize>,
    what: T,
    /// The entry before it with the same hash.
    previous: Option<usize>,
}

/// The number of entries that are searched one by one.
const FEW: usize = 16;

impl<T> Default for NameTable<T> {
    fn default() -> Self {
        Self { text: String::new(), entries: Vec::new(), last: FxHashMap::default() }
    }
}

/// The hash of a name, for lookups in several tables.
pub(super) fn hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish()
}

impl<T: Clone> NameTable<T> {
    /// Makes room for more entries, and for more text of their names.
    pub(super) fn reserve(&mut self, entries: usize, text: usize) {
        self.text.reserve(text);
        self.entries.reserve(entries);
    }

    /// True if there are no entries.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry, which hides those with the same name.
    pub(super) fn insert(&mut self, name: &str, what: T) {
        let (start, hash, at) = (self.text.len(), hash(name), self.entries.len());
        self.text.push_str(name);
        self.entries.push(NamedEntry { hash, name: start..self.text.len(), what, previous: None });
        if at == FEW {
            for at in 0..FEW {
                self.index(at);
            }
        }
        if at >= FEW {
            self.index(at);
        }
    }

    fn index(&mut self, at: usize) {
        let entry = &mut self.entries[at];
        entry.previous = self.last.insert(entry.hash, at);
    }

    /// The names of all entries.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &self.text[entry.name.clone()])
    }

    /// The last entry with this name.
    pub(super) fn get(&self, name: &str, hash: u64) -> Option<T> {
        let is = |entry: &&NamedEntry<T>| entry.hash == hash && self.text[entry.name.clone()] == *name;
        if self.last.is_empty() {
            return self.entries.iter().rev().find(is).map(|entry| entry.what.clone());
        }
        let mut next = self.last.get(&hash).copied();
        while let Some(entry) = next.map(|at| &self.entries[at]) {
            if is(&entry) {
                return Some(entry.what.clone());
            }
            next = entry.previous;
        }
        None
    }
}
