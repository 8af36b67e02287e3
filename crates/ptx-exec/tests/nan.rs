//! An engine that stores an infinity, or another number, where the result must be a NaN, disagrees. A NaN of any sign and
//! payload agrees.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use ptx_exec::line_case::{Answer, Holds, Input, LineCase, Output, Returned, Rows, UndefinedBits};
use ptx_exec::model::{self, Difference, ResultPart, RowVerdict};
use ptx_exec::object::{Geometry, Space, Surface, Variable};
use ptx_spec::spec::Spec;

static SPEC: LazyLock<Spec> = LazyLock::new(|| {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"));
    Spec::load(folder).unwrap_or_else(|errors| panic!("{errors:?}"))
});

/// A row of `atom.add` on global memory that holds an infinity, to which the opposite infinity is added.
fn sum(of: &str, infinities: &[u8], added: u128) -> LineCase {
    let bits = u16::try_from(infinities.len() * 8).expect("a register");
    let rounding = if of == "f32" || of == "f64" { "" } else { ".noftz" };
    let mut rows = Rows::new(1);
    rows.push(&[added]);
    LineCase {
        ptx: "9.0".parse().expect("a version"),
        target: "sm_90".parse().expect("a target"),
        declarations: format!(".global .align 16 .b8 g[{}]; .entry k() {{ .reg .b{bits} %x<9>;", infinities.len() + 1),
        line: format!("atom.global.add{rounding}.{of} %x0, [g], %x1;"),
        surface: None,
        variables: vec![Variable {
            name: "g".to_owned(),
            space: Space::Global,
            data: infinities.iter().copied().chain([0x55]).collect(),
        }],
        inputs: vec![Input { register: "%x1".to_owned(), bits, holds: Holds::Bits }],
        outputs: vec![Output { register: "%x0".to_owned(), bits }],
        rows,
        writes: None,
        own_launches: Vec::new(),
    }
}

/// The verdict on an answer that leaves these bytes in memory.
fn verdict(case: &LineCase, bytes: &[u8], undefined: Option<&[u8]>) -> RowVerdict {
    let prepared = model::prepare(&SPEC, case).expect("a case of the model");
    let old = case.variables[0].data.iter().rev().skip(1).fold(0, |old, byte| old << 8 | u128::from(*byte));
    let named = |bytes: &[u8], last: u8| [("g".to_owned(), [bytes, &[last]].concat())].into();
    let undefined = undefined
        .map(|bits| Box::new(UndefinedBits { variables: named(bits, 0), registers: Vec::new(), surface: None }));
    let returned = Returned { registers: vec![old], surface: None, variables: named(bytes, 0x55), undefined };
    prepared.expect(case.rows.row(0)).check(case, &Answer::Returned(returned))
}

/// A type, the bytes of an infinity, and those of NaNs.
type Numbers = (&'static str, &'static [u8], [&'static [u8]; 3]);

/// Each format.
const FORMATS: [Numbers; 4] = [
    ("f16", &[0x00, 0x7c], [&[0x00, 0x7e], &[0x01, 0xfc], &[0xff, 0x7f]]),
    ("bf16", &[0x80, 0x7f], [&[0xc0, 0x7f], &[0x81, 0xff], &[0xff, 0x7f]]),
    ("f32", &[0, 0, 0x80, 0x7f], [&[0, 0, 0xc0, 0x7f], &[1, 0, 0x80, 0xff], &[0xff, 0xff, 0xff, 0x7f]]),
    (
        "f64",
        &[0, 0, 0, 0, 0, 0, 0xf0, 0x7f],
        [
            &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
            &[1, 0, 0, 0, 0, 0, 0xf0, 0xff],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ],
    ),
];

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte))
}

fn negated(infinity: &[u8]) -> Vec<u8> {
    let (last, rest) = infinity.split_last().expect("bytes");
    [rest, &[last | 0x80]].concat()
}

fn wrong_at(byte: usize) -> RowVerdict {
    RowVerdict::Differs(Difference::Wrong(ResultPart::Variable(0, byte)))
}

#[test]
fn an_infinity_is_not_the_sum_of_opposite_infinities() {
    for (of, infinity, nans) in FORMATS {
        let minus = negated(infinity);
        let case = sum(of, infinity, number(&minus));
        for nan in nans {
            assert!(matches!(verdict(&case, nan, None), RowVerdict::Agrees(Some(_))), "{of}: {nan:x?}");
        }
        assert_eq!(verdict(&case, infinity, None), wrong_at(0), "{of}");
        assert_eq!(verdict(&case, &minus, None), wrong_at(0), "{of}");
        assert!(matches!(verdict(&case, &vec![0; infinity.len()], None), RowVerdict::Differs(_)), "{of}: zero");
    }
}

#[test]
fn each_half_of_a_pair_is_checked() {
    for (of, infinity, nans) in &FORMATS[..2] {
        let minus = negated(infinity);
        let case = sum(&format!("{of}x2"), &[*infinity, *infinity].concat(), number(&[&minus[..], &minus].concat()));
        let halves = |low: &[u8], high: &[u8]| verdict(&case, &[low, high].concat(), None);
        assert!(matches!(halves(nans[0], nans[1]), RowVerdict::Agrees(Some(_))), "{of}");
        assert_eq!(halves(nans[0], infinity), wrong_at(2), "{of}");
        assert_eq!(halves(&minus, nans[1]), wrong_at(0), "{of}");
    }
}

/// The highest bit of a quiet NaN's fraction is all that tells it from an infinity.
#[test]
fn a_nan_whose_fraction_is_undefined_is_right_by_chance() {
    let (of, infinity, nans) = FORMATS[2];
    let case = sum(of, infinity, number(&negated(infinity)));
    let chance = RowVerdict::Differs(Difference::Undefined(ResultPart::Variable(0, 2)));
    assert_eq!(verdict(&case, nans[0], Some(&[0, 0, 0x40, 0])), chance);
    assert!(matches!(verdict(&case, nans[0], Some(&[0xff, 0xff, 0x3f, 0x80])), RowVerdict::Agrees(_)));
}

#[test]
fn a_formatted_store_of_a_nan_stores_a_nan() {
    for (format, infinity, nan) in
        [("f16", vec![0x00, 0x7c], vec![0x01, 0x7c]), ("f32", vec![0, 0, 0x80, 0x7f], vec![1, 0, 0x80, 0xff])]
    {
        let mut rows = Rows::new(1);
        rows.push(&[0x7fc0_0000]);
        let case = LineCase {
            ptx: "9.0".parse().expect("a version"),
            target: "sm_90".parse().expect("a target"),
            declarations: ".global .surfref s; .entry k() { .reg .b32 %r<9>;".to_owned(),
            line: "sust.p.1d.b32.trap [s, {0}], %r1;".to_owned(),
            surface: Some(Surface {
                geometry: Geometry::D1,
                format: format.parse().expect("a format"),
                width: 1,
                height: 0,
                depth: 0,
                layers: 0,
                data: vec![0; infinity.len()],
            }),
            variables: Vec::new(),
            inputs: vec![Input { register: "%r1".to_owned(), bits: 32, holds: Holds::Bits }],
            outputs: Vec::new(),
            rows,
            writes: None,
            own_launches: Vec::new(),
        };
        let expectation = model::prepare(&SPEC, &case).expect("a case of the model").expect(case.rows.row(0));
        let verdict = |stored: &[u8]| {
            let returned = Returned {
                registers: Vec::new(),
                surface: Some(stored.to_vec()),
                variables: BTreeMap::new(),
                undefined: None,
            };
            expectation.check(&case, &Answer::Returned(returned))
        };
        assert!(matches!(verdict(&nan), RowVerdict::Agrees(Some(_))), "{format}");
        let wrong = RowVerdict::Differs(Difference::Wrong(ResultPart::Surface(0)));
        assert_eq!(verdict(&infinity), wrong, "{format}");
    }
}
