//! Declarations that were read before: a run of requests mostly has the same.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use ptx_conform::must::Must;
use ptx_conform::ptx::{DeclarationError, Declarations};
use ptx_conform::spec::Isa;

/// A cache of parsed declarations. Each text has one slot, from which another text can evict it: a map
/// would have to be emptied now and then, which costs more than reading some texts again.
pub(super) struct RememberedDeclarations {
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

impl RememberedDeclarations {
    pub(super) fn new() -> Self {
        Self { places: (0..PLACES).map(|_| None).collect(), size: 0 }
    }

    /// The size of one entry: mostly its symbols, which are longer than their names.
    fn size_of(text: &str) -> usize {
        8 * text.len() + 256
    }

    /// The declarations of a text.
    pub(super) fn read(&mut self, text: &str, isa: &Isa) -> Result<&Declarations, String> {
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let place = usize::try_from(hasher.finish() % PLACES).must("a remainder is less than the divisor");
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
            None => unreachable!("the place was filled above"),
        }
    }
}
