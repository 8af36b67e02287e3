//! Different ways to write the same access give the same result in the reference model, over large random samples.

use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::line_case::{Answer, LineCase, Returned, Rows};
use ptx_conform::model::{self, Allowed, Ending, Expectation, ExpectedValue};
use ptx_conform::object::Component;
use ptx_conform::setup;
use ptx_conform::space::{Diagram, Draw, Values, environment_values};
use ptx_conform::spec::Form;

use crate::shipped::SPEC;

/// The number of setups drawn for each form.
const DRAWN: usize = 2000;

fn environment() -> Environment {
    Environment {
        ptx: "9.4".parse().expect("a version"),
        target: "sm_100".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    }
}

/// The expectation of a variant in a setup.
fn expect(form: &Form, values: &[u8]) -> Expectation {
    expect_of(&setup::line_case(&SPEC, form, &[values]).expect("a program"))
}

fn expect_of(program: &LineCase) -> Expectation {
    let prepared = model::prepare(&SPEC, program).unwrap_or_else(|why| panic!("{why}: {program:?}"));
    prepared.expect(program.rows.row(0))
}

/// Draws setups of each form of an instruction, and calls `check` with each.
fn drawn(opcode: &str, mut check: impl FnMut(&Form, &Diagram, &Values)) {
    let executed = setup::executed(&SPEC, SPEC.instruction(opcode).expect("an instruction"));
    for form in &executed.forms {
        let first = environment_values(form, &environment()).expect("a known environment");
        let diagram = Diagram::within(form, None, &first);
        let region = diagram.all().below(&first);
        let mut draw = Draw::named(&form.id, 7);
        for _ in 0..DRAWN {
            check(form, &diagram, &draw.variant(&region).expect("a setup"));
        }
    }
}

/// The other variants in the same setup that differ only on one axis, the simplest first.
fn others<'a>(
    form: &'a Form,
    diagram: &'a Diagram,
    values: &'a [u8],
    axis: &str,
) -> impl Iterator<Item = Values> + use<'a> {
    let axis = form.axis(axis);
    let count = axis.map_or(0, |axis| form.axes[axis].values.len());
    (0..count).filter_map(move |value| {
        let axis = axis?;
        let mut other = values.to_vec();
        other[axis] = u8::try_from(value).ok()?;
        let mut allowed = other != values;
        if allowed {
            allowed = diagram_contains(diagram, &other);
        }
        allowed.then_some(other)
    })
}

fn diagram_contains(diagram: &Diagram, values: &[u8]) -> bool {
    diagram.rank(values).is_some()
}

/// The result for one thread must not depend on caches, memory orders, scopes, hints, or how a surface is named.
#[test]
fn caches_orders_scopes_and_hints_do_not_change_results() {
    for (opcode, axes) in [
        ("suld", &["cop", "a.type"][..]),
        ("sust", &["cop", "a.type"]),
        ("sured", &["a.type"]),
        ("suq", &["a.type"]),
        (
            "ld",
            &[
                "weak",
                "cop",
                "scope",
                "level1::eviction_priority",
                "level2::eviction_priority",
                "level::prefetch_size",
                "cache-policy.type",
                "points-to",
            ],
        ),
        (
            "st",
            &["weak", "cop", "scope", "level1::eviction_priority", "level2::eviction_priority", "cache-policy.type"],
        ),
        ("atom", &["sem", "scope", "cache-policy.type"]),
    ] {
        let mut compared = 0;
        drawn(opcode, |form, diagram, values| {
            let own = expect(form, values);
            for axis in axes {
                for other in others(form, diagram, values, axis).take(3) {
                    assert_eq!(own, expect(form, &other), "{}: {axis} changes the result: {values:?}", form.id);
                    compared += 1;
                }
            }
        });
        assert!(compared > DRAWN, "{opcode}: {compared} compared");
    }
}

/// The returned registers, if all their bits are known.
fn registers(expectation: &Expectation) -> Option<Vec<u128>> {
    match &expectation.allowed {
        Allowed::Only(Ending::Returns(effect)) => effect.registers().iter().map(ExpectedValue::only).collect(),
        _ => None,
    }
}

/// A wider register holds the same value: its low bits are those of the narrow one, the others are sign or zero.
#[test]
fn wide_and_narrow_registers_hold_the_same_value() {
    for (opcode, of) in [("suld", "dtype"), ("ld", "type")] {
        let mut compared = 0;
        drawn(opcode, |form, diagram, values| {
            let (of, d) = (form.axis(of).expect("a type"), form.axis("d.type").expect("a register"));
            let (of, d) = (form.value(values, of), form.value(values, d));
            let bits = |name: &str| SPEC.isa.register_type(name).map_or(0, |of| u32::from(of.bits));
            let Some(own) = registers(&expect(form, values)) else { return };
            for other in others(form, diagram, values, "d.type") {
                let wider = form.value(&other, form.axis("d.type").expect("a register"));
                if bits(d) != bits(of) || bits(wider) <= bits(d) {
                    continue;
                }
                let wide = registers(&expect(form, &other)).expect("the same outcome");
                for (narrow, wide) in own.iter().zip(&wide) {
                    let low = u128::MAX >> (128 - bits(d));
                    let all = u128::MAX >> (128 - bits(wider));
                    let negative = of.starts_with(".s") && narrow >> (bits(d) - 1) & 1 == 1;
                    let high = if negative { all & !low } else { 0 };
                    assert_eq!(*wide, narrow | high, "{} {of} {d} {wider}", form.id);
                    compared += 1;
                }
            }
        });
        assert!(compared > 500, "{opcode}: {compared} compared");
    }
}

/// The same case with another line and only the first outputs.
fn with_line(program: &LineCase, line: &str, outputs: usize) -> LineCase {
    let mut other = program.clone();
    other.line = line.to_owned();
    other.outputs.truncate(outputs);
    other
}

/// The same case with another value in one input.
fn with_input(program: &LineCase, register: &str, value: u128) -> LineCase {
    let mut row = program.rows.row(0).to_vec();
    let at = program.input(register).expect("an input");
    row[at] = value;
    let mut rows = Rows::new(row.len());
    rows.push(&row);
    LineCase { rows, ..program.clone() }
}

/// A case of one row, from its JSON.
fn case(text: &str) -> LineCase {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn random(draw: &mut Draw, below: u64) -> u64 {
    draw.below(u128::from(below)).and_then(|drawn| u64::try_from(drawn).ok()).expect("a number")
}

/// A vector load gives the same as scalar loads of its lanes.
#[test]
fn a_vector_load_is_scalar_loads_of_its_lanes() {
    let mut draw = Draw::new(1);
    for _ in 0..DRAWN {
        let data: Vec<u8> = (0..64).map(|_| u8::try_from(random(&mut draw, 256)).expect("a byte")).collect();
        let (of, bytes) = [(".u8", 1), (".s16", 2), (".b32", 4)][usize::try_from(random(&mut draw, 3)).expect("small")];
        let at = random(&mut draw, 64 / (4 * bytes)) * 4 * bytes;
        let vector = case(&format!(
            r#"{{"ptx": "8.0", "target": "sm_80", "line": "ld.global.v4{of} {{%r0, %r1, %r2, %r3}}, [%a];",
            "declarations": ".global .align 32 .b8 g[64]; .entry k() {{ .reg .b32 %r<4>; .reg .b64 %a;",
            "variables": [{{"name": "g", "space": "global", "data": "{}"}}],
            "inputs": [{{"register": "%a", "bits": 64, "holds": "address", "of": "g", "generic": false}}],
            "outputs": [{{"register": "%r0", "bits": 32}}, {{"register": "%r1", "bits": 32}},
                        {{"register": "%r2", "bits": 32}}, {{"register": "%r3", "bits": 32}}],
            "rows": [["{at:x}"]]}}"#,
            hex(&data)
        ));
        let lanes = registers(&expect_of(&vector)).expect("a defined load");
        for (lane, bits) in (0..).zip(&lanes) {
            let scalar = with_line(&vector, &format!("ld.global{of} %r0, [%a];"), 1);
            let scalar = with_input(&scalar, "%a", u128::from(at + lane * bytes));
            assert_eq!(registers(&expect_of(&scalar)), Some(vec![*bits]));
        }
    }
}

/// A surface with samples of this format and size and random contents, as JSON; and the size of a sample.
fn surface(format: &str, sample: u64, draw: &mut Draw) -> (String, u64) {
    let data: Vec<u8> = (0..5 * 3 * sample).map(|_| u8::try_from(random(draw, 256)).expect("a byte")).collect();
    let json =
        format!(r#"{{"geometry": "2d", "format": "{format}", "width": 5, "height": 3, "data": "{}"}}"#, hex(&data));
    (json, sample)
}

/// A surface case of one row with coordinates `%x`, `%y` and data `%c`.
fn surface_case(surface: &str, line: &str, x: i64, y: i64, c: [u64; 2], outputs: &str) -> LineCase {
    let word = |number: i64| format!("{:x}", u32::try_from(number & 0xffff_ffff).expect("32 bits"));
    case(&format!(
        r#"{{"ptx": "8.1", "target": "sm_80", "line": "{line}", "surface": {surface},
        "declarations": ".global .surfref s; .entry k() {{ .reg .b32 %x, %y, %c, %c1; .reg .b64 %l; .reg .b32 %r<4>;",
        "inputs": [{{"register": "%x", "bits": 32, "holds": "bits"}}, {{"register": "%y", "bits": 32, "holds": "bits"}},
                   {{"register": "%c", "bits": 32, "holds": "bits"}}, {{"register": "%c1", "bits": 32, "holds": "bits"}},
                   {{"register": "%l", "bits": 64, "holds": "bits"}}],
        "outputs": [{outputs}],
        "rows": [["{}", "{}", "{:x}", "{:x}", "{:x}"]]}}"#,
        word(x),
        word(y),
        c[0],
        c[1],
        c[1] << 32 | c[0]
    ))
}

/// An answer that the model allows.
fn answer(program: &LineCase) -> Answer {
    expect_of(program).example(program)
}

/// Coordinates around and beyond the edges.
fn coordinate(draw: &mut Draw, extent: u64) -> i64 {
    i64::try_from(random(draw, extent + 4)).expect("small") - 2
}

/// The offset of a sample in bytes is its coordinate times its size.
#[test]
fn samples_and_bytes_address_the_same_memory() {
    let mut draw = Draw::new(2);
    for _ in 0..DRAWN {
        let (format, size, vec, c) = [("u32", 4, "", "%c"), ("s32x2", 8, ".v2", "{%c, %c1}")]
            [usize::try_from(random(&mut draw, 2)).expect("small")];
        let (surface, sample) = surface(format, size, &mut draw);
        let (x, y) = (coordinate(&mut draw, 5), coordinate(&mut draw, 3));
        let data = [random(&mut draw, 1 << 32), random(&mut draw, 1 << 32)];
        let clamp = [".clamp", ".zero", ".trap"][usize::try_from(random(&mut draw, 3)).expect("small")];
        let by_sample = format!("sust.p.2d{vec}.b32{clamp} [s, {{%x, %y}}], {c};");
        let by_byte = format!("sust.b.2d{vec}.b32{clamp} [s, {{%x, %y}}], {c};");
        let bytes = x * i64::try_from(sample).expect("small");
        assert_eq!(
            answer(&surface_case(&surface, &by_sample, x, y, data, "")),
            answer(&surface_case(&surface, &by_byte, bytes, y, data, "")),
            "{by_sample} at {x}, {y}"
        );
        if format == "u32" {
            let operation = ["min", "max", "add"][usize::try_from(random(&mut draw, 3)).expect("small")];
            let by_sample = format!("sured.p.{operation}.2d.b32{clamp} [s, {{%x, %y}}], %c;");
            let by_byte = format!("sured.b.{operation}.2d.u32{clamp} [s, {{%x, %y}}], %c;");
            assert_eq!(
                answer(&surface_case(&surface, &by_sample, x, y, data, "")),
                answer(&surface_case(&surface, &by_byte, bytes, y, data, "")),
                "{by_sample} at {x}, {y}"
            );
        }
    }
}

/// A load after a store returns the stored value.
#[test]
fn a_load_returns_what_was_stored() {
    let mut draw = Draw::new(3);
    let mut found = 0;
    for _ in 0..DRAWN {
        let (of, mask) = [(".b8", 0xff), (".b16", 0xffff), (".b32", 0xffff_ffff)]
            [usize::try_from(random(&mut draw, 3)).expect("small")];
        let (surface, _) = surface("f32x2", 8, &mut draw);
        let step = if of == ".b8" {
            1
        } else if of == ".b16" {
            2
        } else {
            4
        };
        let (x, y) = (coordinate(&mut draw, 40 / step) * i64::try_from(step).expect("small"), coordinate(&mut draw, 3));
        let data = [random(&mut draw, 1 << 32), 0];
        let store = surface_case(&surface, &format!("sust.b.2d{of}.clamp [s, {{%x, %y}}], %c;"), x, y, data, "");
        let Answer::Returned(Returned { surface: Some(after), .. }) = answer(&store) else { continue };
        let output = r#"{"register": "%r0", "bits": 32}"#;
        let mut load =
            surface_case(&surface, &format!("suld.b.2d{of}.clamp %r0, [s, {{%x, %y}}];"), x, y, data, output);
        load.surface.as_mut().expect("a surface").data = after;
        assert_eq!(registers(&expect_of(&load)), Some(vec![u128::from(data[0] & mask)]));
        found += 1;
    }
    assert!(found > DRAWN / 2, "only {found} stores changed the surface");
}

/// A formatted store keeps integers that its component can hold exactly.
#[test]
fn small_integers_survive_formatted_stores() {
    let mut draw = Draw::new(4);
    for component in Component::ALL {
        let (name, signed) = match component {
            Component::Unsigned(_) => ("u", false),
            Component::Signed(_) => ("s", true),
            _ => continue,
        };
        let bits = u32::from(component.bits());
        for _ in 0..200 {
            let (surface, _) = surface(&format!("{name}{bits}"), u64::from(bits / 8), &mut draw);
            let value = random(&mut draw, 1 << bits);
            let negative = signed && value >> (bits - 1) & 1 == 1;
            let wide = if negative { (value | !0 << bits) & 0xffff_ffff } else { value };
            let store = surface_case(&surface, "sust.p.2d.b32.trap [s, {%x, %y}], %c;", 2, 1, [wide, 0], "");
            let before = store.surface.as_ref().expect("a surface").data.clone();
            let Answer::Returned(returned) = answer(&store) else { panic!("a store within bounds returns") };
            let after = returned.surface.unwrap_or(before);
            let at = usize::try_from(bits / 8).expect("small") * 7;
            let mut stored = [0; 8];
            stored[..usize::try_from(bits / 8).expect("small")]
                .copy_from_slice(&after[at..at + usize::try_from(bits / 8).expect("small")]);
            assert_eq!(u64::from_le_bytes(stored), value, "{name}{bits}");
        }
    }
}
