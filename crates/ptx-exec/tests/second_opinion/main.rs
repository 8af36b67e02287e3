//! A second opinion of the instructions that only compute, which shares nothing with the model: numbers are rows of bits, and
//! each instruction is computed as its page of the manual writes it. Both are compared with drawn variants and numbers, and
//! with all numbers where they are few.

mod asked;
mod choice;
mod conversions;
mod fields;
mod float;
mod floats;
mod integer;
mod movement;
mod number;
mod rows;
mod variant;
mod video;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use ptx_exec::semantics;
use ptx_spec::space::Draw;
use ptx_spec::spec::{Form, Spec};

use asked::{Asked, Open};
use number::Bits;
use rows::{Range, drawn_row, pairs, ranged, small};
use variant::Variant;

/// What an instruction computes from rows of 128 bits, of which it takes those of its sources' types.
type Opinion = fn(&Asked<'_>, &[Bits]) -> Result<Vec<Bits>, Open>;

/// The opinions, by chapters of the manual.
const OPINIONS: &[&[(&str, Opinion)]] = &[integer::TABLE, fields::TABLE, choice::TABLE, movement::TABLE, video::TABLE];

/// The opinions of forms of floats.
const FLOAT_OPINIONS: &[&[(&str, Opinion)]] = &[floats::TABLE, conversions::TABLE];

/// Variants of each form, and rows of each variant.
const TRIED: (usize, usize) = (80, 40);
/// Drawn variants of a form whose domain may be small, and the bits of a domain that is.
const SMALL: (usize, u32) = (60, 16);
/// Variants of a form that is tried with all pairs of bytes.
const PAIRED: usize = 2;

/// The opinion of a line: that of floats if what is computed depends on one.
fn opinion(asked: &Asked<'_>) -> Option<Opinion> {
    let opinions = if floats::are_computed(asked) { FLOAT_OPINIONS } else { OPINIONS };
    opinions.iter().copied().flatten().find(|(name, _)| *name == asked.opcode()).map(|(_, opinion)| *opinion)
}

/// The specification, which takes a while to load.
static SPEC: LazyLock<Spec> = LazyLock::new(|| {
    Spec::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"))).expect("the specification is sound")
});

/// The opcodes that are approximate in all of their forms: there are bounds, and no opinion.
const APPROXIMATE: [&str; 6] = ["cos", "ex2", "lg2", "rsqrt", "sin", "tanh"];

/// The opcodes of the model's tables of which there is an opinion.
fn opcodes() -> impl Iterator<Item = &'static str> {
    semantics::opcodes().filter(|opcode| !APPROXIMATE.contains(opcode))
}

/// The forms of the opcodes of the model's table.
fn forms(spec: &Spec) -> impl Iterator<Item = &Form> {
    opcodes().flat_map(|opcode| &spec.instruction(opcode).expect("the table has opcodes of the specification").forms)
}

/// The rows that were compared, of each form: those that are defined, those that are not, and the first difference.
#[derive(Default)]
struct Compared(BTreeMap<String, (usize, usize, Option<String>)>);

impl Compared {
    fn rows<'a>(&mut self, form: &Form, variant: &Variant<'_>, rows: impl IntoIterator<Item = &'a Vec<u128>>) {
        let (defined, open, different) = self.0.entry(form.id.clone()).or_default();
        for row in rows {
            match variant.compare(row) {
                Ok(true) => *defined += 1,
                Ok(false) => *open += 1,
                Err(why) => _ = different.get_or_insert(why),
            }
        }
    }

    /// Panics if there was a difference.
    fn judged(&self, about: &str) {
        let different: Vec<&str> = self.0.values().filter_map(|(.., why)| why.as_deref()).collect();
        let (defined, open) = self.0.values().fold((0, 0), |(defined, open), form| (defined + form.0, open + form.1));
        println!("{about}: {defined} defined and {open} undefined rows of {} forms", self.0.len());
        assert!(different.is_empty(), "{} forms differ:\n{}", different.len(), different.join("\n"));
    }
}

#[test]
fn there_is_one_opinion_of_each_opcode() {
    let names = |tables: &[&[(&'static str, Opinion)]]| -> Vec<&str> {
        tables.iter().copied().flatten().map(|(opcode, _)| *opcode).collect()
    };
    let (numbers, floats) = (names(OPINIONS), names(FLOAT_OPINIONS));
    let distinct = |names: &[&str]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    assert!(distinct(&numbers) && distinct(&floats));
    let opinions: BTreeSet<&str> = numbers.into_iter().chain(floats).collect();
    assert_eq!(opcodes().collect::<BTreeSet<_>>(), opinions);
}

#[test]
fn both_agree_about_drawn_numbers() {
    let spec = &*SPEC;
    let mut compared = Compared::default();
    for form in forms(spec) {
        let mut draw = Draw::named(&form.id, 1);
        for variant in Variant::several(spec, form, TRIED.0, &mut draw) {
            let rows: Vec<_> = (0..TRIED.1).map(|_| drawn_row(&mut draw, &variant.kinds())).collect();
            compared.rows(form, &variant, &rows);
        }
    }
    compared.judged("drawn numbers");
    for (form, (defined, open, _)) in &compared.0 {
        assert!(*defined > 400, "only {defined} rows of {form} have defined results, {open} have none");
    }
    for opcode in opcodes() {
        let of = |form: &String| form.rsplit_once('.').is_some_and(|(of, _)| of == opcode);
        assert!(compared.0.keys().any(of), "no form of {opcode} was compared");
    }
}

#[test]
fn both_agree_about_all_numbers_of_small_domains() {
    let spec = &*SPEC;
    let mut compared = Compared::default();
    for form in forms(spec) {
        let mut draw = Draw::named(&form.id, 2);
        let mut known = BTreeSet::new();
        for variant in Variant::several(spec, form, SMALL.0, &mut draw) {
            let sources = variant.computation.sources();
            let size: u32 = sources.iter().map(|of| of.size()).sum();
            let ranges: Vec<Range> = match small(form.opcode()) {
                Some(ranges) => ranges[..sources.len()].to_vec(),
                None if size <= SMALL.1 && !variant.computation.reads_carry() => {
                    sources.iter().map(|of| Range::Below(1 << of.size())).collect()
                }
                None => continue,
            };
            if known.insert(variant.words()) {
                compared.rows(form, &variant, &ranged(&ranges, &mut draw));
            }
        }
    }
    compared.judged("small domains");
    assert!(compared.0.len() > 20, "only {} forms have a small domain", compared.0.len());
}

#[test]
fn both_agree_about_all_pairs_of_bytes() {
    let spec = &*SPEC;
    let mut compared = Compared::default();
    for form in forms(spec) {
        let mut draw = Draw::named(&form.id, 3);
        let mut tried = 0;
        let mut known = BTreeSet::new();
        for drawn in Variant::several(spec, form, SMALL.0, &mut draw) {
            let sources = drawn.computation.sources();
            let bytes = form.opcode().starts_with('v') && form.opcode().ends_with('4')
                || sources.len() == 2 && sources.iter().all(|of| of.bits == 8 && of.elements == 4);
            if !bytes || tried == PAIRED {
                continue;
            }
            let variant = drawn.unselected(spec, &mut draw).expect("the same without suffixes");
            if known.insert(variant.words()) {
                compared.rows(form, &variant, &pairs(variant.sources() - 2, &mut draw));
                tried += 1;
            }
        }
    }
    compared.judged("pairs of bytes");
    assert!(compared.0.len() > 15, "only {} forms have pairs of bytes", compared.0.len());
}
