//! The second executor is right without a bug, each of its bugs shows in a case of `corpus/executed/`, and the list of
//! bugs matches its code.

use std::collections::{BTreeMap, BTreeSet};

use crate::cases::{Case, Expected};
use crate::executor::{BUGS, Planted};
use ptx_conform::engine::{CaseExecutor as _, Engine as _};
use ptx_conform::line_case::{Answer, Holds, Input, LineCase, Output, Returned, Rows};
use ptx_conform::object::{Format, Geometry, Space, Surface, Variable};

fn corpus() -> Vec<Case> {
    let spec = ptx_conform::shipped::spec().unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    crate::cases::all(&spec).unwrap_or_else(|why| panic!("{why:#}"))
}

/// A program with registers of 32 bits and one row.
fn program(line: &str, inputs: &[(&str, u32)], outputs: &[&str], surface: Option<Surface>) -> LineCase {
    let mut rows = Rows::new(inputs.len());
    rows.push(&inputs.iter().map(|&(_, value)| value.into()).collect::<Vec<_>>());
    let input = |&(register, _): &(&str, u32)| Input { register: register.to_owned(), bits: 32, holds: Holds::Bits };
    LineCase {
        ptx: "9.0".parse().expect("a version"),
        target: "sm_90".parse().expect("a target"),
        declarations: ".global .surfref s; .entry k() { .reg .b32 %r<9>;".to_owned(),
        line: line.to_owned(),
        surface,
        variables: vec![Variable { name: "g".to_owned(), space: Space::Global, data: (0x80..0x90).collect() }],
        inputs: inputs.iter().map(input).collect(),
        outputs: outputs.iter().map(|&register| Output { register: register.to_owned(), bits: 32 }).collect(),
        rows,
        writes: None,
        own_launches: Vec::new(),
    }
}

/// 2 x 2 samples of 32 bits, byte 0 to 15.
fn square(format: &str) -> Option<Surface> {
    let format: Format = format.parse().expect("a format");
    Some(Surface { geometry: Geometry::D2, format, width: 2, height: 2, depth: 0, layers: 0, data: (0..16).collect() })
}

fn answer(case: &LineCase) -> Answer {
    Planted::right().answers(case).remove(0)
}

fn returned(registers: &[u128], surface: Option<&[u8]>) -> Answer {
    Answer::Returned(Returned {
        registers: registers.to_vec(),
        surface: surface.map(<[u8]>::to_vec),
        ..Returned::default()
    })
}

#[test]
fn loads_bytes_of_a_surface() {
    let at = |x, y| [("%r1", x), ("%r2", y)];
    let load = |clamp: &str, x, y| {
        let line = format!("suld.b.2d.v2.b16.{clamp} {{%r3, %r4}}, [s, {{%r1, %r2}}];");
        answer(&program(&line, &at(x, y), &["%r3", "%r4"], square("u32")))
    };
    assert_eq!(load("trap", 4, 1), returned(&[0x0d0c, 0x0f0e], None));
    assert_eq!(load("clamp", 8, u32::MAX), returned(&[0x0504, 0x0706], None));
    assert_eq!(load("zero", 8, 0), returned(&[0, 0], None));
    assert!(matches!(load("trap", 0, 2), Answer::Trapped(_)));
}

#[test]
fn stores_bytes_and_samples() {
    let store = |line: &str, format: &str| answer(&program(line, &[("%r1", 0x3f00_0000)], &[], square(format)));
    let bytes = store("sust.b.2d.b16.trap [s, {6, 0}], -2;", "u32");
    assert_eq!(bytes, returned(&[], Some(&[0, 1, 2, 3, 4, 5, 0xfe, 0xff, 8, 9, 10, 11, 12, 13, 14, 15])));
    let sample = store("sust.p.2d.v2.b32.trap [s, {0, 1}], {%r1, 0f3F800000};", "unorm16x2");
    assert_eq!(sample, returned(&[], Some(&[0, 1, 2, 3, 4, 5, 6, 7, 0, 0x80, 0xff, 0xff, 12, 13, 14, 15])));
}

#[test]
fn reduces_samples() {
    let line = "sured.p.max.2d.b32.clamp [s, {9, -9}], -1;";
    assert_eq!(answer(&program(line, &[], &[], square("s32"))), returned(&[], None));
    let unsigned = answer(&program(line, &[], &[], square("u32")));
    assert_eq!(unsigned, returned(&[], Some(&[0, 1, 2, 3, 255, 255, 255, 255, 8, 9, 10, 11, 12, 13, 14, 15])));
}

#[test]
fn queries_and_loads() {
    let query = program("suq.channel_order.b32 %r1, [s];", &[], &["%r1"], square("f16x2"));
    assert_eq!(answer(&query), returned(&[0x10b2], None));
    let load = program("ld.global.v2.s8 {%r1, %r2}, [g + 2];", &[], &["%r1", "%r2"], None);
    assert_eq!(answer(&load), returned(&[0xffff_ff82, 0xffff_ff83], None));
    let odd = program("ld.global.b32 %r1, [g+2];", &[], &["%r1"], None);
    assert_eq!(answer(&odd), Answer::Trapped("misaligned".to_owned()));
}

#[test]
fn skips_what_it_does_not_know() {
    let case = program("sub.u32 %r1, %r1, %r1;", &[("%r1", 1)], &["%r1"], None);
    assert!(matches!(answer(&case), Answer::Skipped(_)));
    let case = program("suld.b.1d.b32.trap %r1, [s, {0}];", &[], &["%r1"], square("u32"));
    assert!(matches!(answer(&case), Answer::Skipped(_)));
    let engine = Planted::right().engine();
    assert!(engine.as_judge().is_none());
    assert!(engine.executes(&case.environment()).is_ok());
}

/// Every bug shows in a row with a defined result, and only in cases of its instruction.
#[test]
fn every_bug_shows() {
    let corpus = corpus();
    let mut hidden = BTreeSet::new();
    for bug in BUGS {
        let engine = Planted::with(bug.name).engine();
        let mut shows = false;
        for case in &corpus {
            let answers = engine.execute(std::slice::from_ref(&case.program)).remove(0);
            let wrong = case.expected.iter().zip(&answers).any(|(expected, answer)| {
                !matches!(expected, Expected::Undefined(_)) && expected.check(answer, &case.program).is_err()
            });
            assert!(
                !wrong || case.instruction == bug.instruction(),
                "{} shows in {}, a case of another instruction",
                bug.name,
                case.name
            );
            shows |= wrong;
        }
        if !shows {
            hidden.insert(bug.name);
        }
    }
    assert!(hidden.is_empty(), "these bugs show in no case: {hidden:?}");
}

#[test]
fn the_list_of_bugs_matches_the_code() {
    let mut listed = BTreeMap::new();
    for bug in BUGS {
        assert!(!bug.says.is_empty() && !bug.when.is_empty(), "{} has no description", bug.name);
        assert!(listed.insert(bug.name, 0).is_none(), "{} is listed twice", bug.name);
    }
    let text = include_str!("../planted/executor.rs");
    for rest in text.split(".bug(\"").skip(1) {
        let name = rest.split('"').next().unwrap_or_default();
        *listed.get_mut(name).unwrap_or_else(|| panic!("{name} is not listed")) += 1;
    }
    let dead: Vec<_> = listed.iter().filter(|(_, uses)| **uses == 0).map(|(name, _)| name).collect();
    assert!(dead.is_empty(), "no code implements {dead:?}");
}
