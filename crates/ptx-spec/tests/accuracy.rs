//! What the manual promises of approximate results: as the shipped files say it, and what the loader refuses.

use std::path::Path;
use std::sync::LazyLock;

use ptx_spec::export::ExportedPromise;
use ptx_spec::spec::{Accuracy, ErrorBound, Form, Promise, Spec, SpecialResult};

const LEAST_F32: f64 = f32::MIN_POSITIVE as f64;

static SPEC: LazyLock<Spec> = LazyLock::new(|| {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    Spec::load(&specs).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)))
});

fn form(id: &str) -> &'static Form {
    let mut forms = SPEC.instructions.iter().flat_map(|instruction| &instruction.forms);
    forms.find(|form| form.id == id).unwrap_or_else(|| panic!("there is no form {id}"))
}

/// The promise for the lines of a form with these choices.
fn accuracy(id: &str, choices: &[(&str, &str)]) -> Option<&'static Accuracy> {
    let form = form(id);
    let mut values = vec![0; form.axes.len()];
    for (axis, value) in choices {
        let axis = form.axis(axis).expect("an axis of the form");
        values[axis] = form.axes[axis].position(value).expect("a value of the axis");
    }
    form.accuracy(&values)
}

/// The promise for an input of an instruction with one source, the second operand.
fn promise(id: &str, choices: &[(&str, &str)], input: f64) -> Option<Promise> {
    accuracy(id, choices).expect("the lines are approximate").promise(|_| input, LEAST_F32)
}

fn number(number: f64) -> Option<Promise> {
    Some(Promise::Exactly(SpecialResult::Number(number)))
}

const NAN: Option<Promise> = Some(Promise::Exactly(SpecialResult::Nan));

/// Every approximate form of the manual, with the cases of each of its promises.
const APPROXIMATE: &[(&str, &[usize])] = &[
    ("cos.single", &[7]),
    ("div.single", &[3, 1]),
    ("ex2.bfloat", &[8]),
    ("ex2.half", &[6]),
    ("ex2.single", &[6]),
    ("lg2.single", &[8]),
    ("rcp.approximate-double", &[7]),
    ("rcp.single", &[6]),
    ("rsqrt.double", &[6]),
    ("rsqrt.fast-double", &[7]),
    ("rsqrt.single", &[7]),
    ("sin.single", &[7]),
    ("sqrt.single", &[7]),
    ("tanh.half", &[6, 6]),
    ("tanh.single", &[7]),
];

#[test]
fn every_approximate_form_has_its_promises_and_no_other_form_has_any() {
    let forms = SPEC.all().flat_map(|instruction| &instruction.forms);
    let with = forms.filter(|form| !form.accuracies.is_empty());
    let found: Vec<(&str, Vec<usize>)> = with
        .map(|form| (form.id.as_str(), form.accuracies.iter().map(|accuracy| accuracy.cases.len()).collect()))
        .collect();
    let mut expected: Vec<_> = APPROXIMATE.iter().map(|(id, cases)| (*id, cases.to_vec())).collect();
    let mut sorted = found;
    sorted.sort();
    expected.sort();
    assert_eq!(sorted, expected);
}

#[test]
fn approximate_modifiers_have_a_promise_and_roundings_have_none() {
    for rounding in [".approx", "none"] {
        assert!(accuracy("rcp.single", &[("rnd", rounding)]).is_some(), "{rounding}");
    }
    for rounding in [".rn", ".rz", ".rm", ".rp"] {
        for form in ["div.single", "rcp.single", "sqrt.single"] {
            assert!(accuracy(form, &[("rnd", rounding)]).is_none(), "{form} with {rounding}");
        }
    }
    let full = accuracy("div.single", &[("rnd", ".full")]).expect("it is approximate");
    assert_eq!(full.promise(|_| f64::INFINITY, LEAST_F32), Some(Promise::Within(ErrorBound::Ulp(2.0))));
}

#[test]
fn intervals_have_their_ends_only_where_the_manual_says_so() {
    let absolute = |power: f64| Some(Promise::Within(ErrorBound::Absolute(power.exp2())));
    let two_pi = 2.0 * std::f64::consts::PI;
    for function in ["sin.single", "cos.single"] {
        assert_eq!(promise(function, &[], -two_pi), absolute(-20.5));
        assert_eq!(promise(function, &[], two_pi.next_up()), absolute(-14.7));
        assert_eq!(promise(function, &[], 50.0 * two_pi), absolute(-14.7));
        assert_eq!(promise(function, &[], -315.0), None, "only best effort");
    }
    let relative = Some(Promise::Within(ErrorBound::Relative((-22f64).exp2())));
    assert_eq!(promise("lg2.single", &[], 0.5), relative);
    assert_eq!(promise("lg2.single", &[], 0.5f64.next_up()), absolute(-22.0));
    assert_eq!(promise("lg2.single", &[], 2.0), relative);
    assert_eq!(promise("lg2.single", &[], -1.0), NAN);
    assert_eq!(
        promise("lg2.single", &[], -LEAST_F32 / 2.0),
        None,
        "the table has no row of negative subnormal numbers"
    );
}

#[test]
fn special_results_tell_signs_and_classes() {
    assert_eq!(promise("rcp.single", &[], -0.0), number(f64::NEG_INFINITY));
    assert_eq!(promise("rcp.single", &[], 0.0), number(f64::INFINITY));
    let zero = promise("rcp.single", &[], f64::NEG_INFINITY);
    let Some(Promise::Exactly(SpecialResult::Number(zero))) = zero else { panic!("{zero:?}") };
    assert!(zero == 0.0 && zero.is_sign_negative());
    assert_eq!(promise("cos.single", &[], -0.0), number(1.0));
    assert_eq!(promise("tanh.single", &[], f64::NEG_INFINITY), number(-1.0));
    assert_eq!(promise("tanh.single", &[], LEAST_F32 / 2.0), Some(Promise::Exactly(SpecialResult::Operand(1))));
    let fast = accuracy("rsqrt.fast-double", &[]).expect("it is approximate");
    let bits = SpecialResult::Bits(0x7fff_ffff_0000_0000);
    assert_eq!(fast.promise(|_| -f64::NAN, f64::MIN_POSITIVE), Some(Promise::Exactly(bits)));
    assert_eq!(fast.promise(|_| -f64::MIN_POSITIVE / 2.0, f64::MIN_POSITIVE), number(f64::NEG_INFINITY));
    assert_eq!(fast.promise(|_| 1.0, f64::MIN_POSITIVE), None);
    assert!(fast.because.is_some());
}

#[test]
fn a_quotient_depends_on_the_magnitude_of_its_divisor() {
    let div = accuracy("div.single", &[("rnd", ".approx")]).expect("it is approximate");
    let of = |a: f64, b: f64| div.promise(|operand| [0.0, a, b][operand], LEAST_F32);
    let bounded = Some(Promise::Within(ErrorBound::Ulp(2.0)));
    let (most, beyond) = (126f64.exp2(), 127f64.exp2());
    assert_eq!((of(1.0, -most), of(1.0, LEAST_F32)), (bounded, bounded));
    assert_eq!(of(1.0, -beyond), Some(Promise::Exactly(SpecialResult::SignedZero)));
    assert_eq!(of(f64::NEG_INFINITY, beyond), NAN);
    assert_eq!((of(1.0, LEAST_F32 / 2.0), of(1.0, f64::INFINITY), of(f64::NAN, beyond)), (None, None, None));
}

#[test]
fn types_of_half_precision_have_their_own_bounds() {
    let bound = |form: &str, of_type: &str| promise(form, &[("type", of_type)], 1.0);
    for of_type in [".f16", ".f16x2"] {
        assert_eq!(bound("ex2.half", of_type), Some(Promise::Within(ErrorBound::Relative((-9.9f64).exp2()))));
        assert_eq!(bound("tanh.half", of_type), Some(Promise::Within(ErrorBound::Absolute((-10.987f64).exp2()))));
    }
    for of_type in [".bf16", ".bf16x2"] {
        assert_eq!(bound("ex2.bfloat", of_type), Some(Promise::Within(ErrorBound::Relative((-7f64).exp2()))));
        assert_eq!(bound("tanh.half", of_type), Some(Promise::Within(ErrorBound::Absolute((-8f64).exp2()))));
    }
    let half = form("tanh.half").accuracies.iter().map(|accuracy| accuracy.manual.as_str());
    assert!(half.into_iter().all(|page| page == "half-precision-floating-point-instructions-tanh"));
}

#[test]
fn promises_are_exported_by_name() {
    let exported = SPEC.export(&[SPEC.instruction("div").expect("div")]);
    let single = exported.instructions[0].forms.iter().find(|form| form.id == "div.single").expect("a form");
    let approximate = &single.accuracy[0];
    assert!(approximate.page.ends_with("#floating-point-instructions-div"));
    assert_eq!(approximate.when["rnd"], ["none", ".approx"]);
    let [first, _, last] = approximate.cases.as_slice() else { panic!("three cases") };
    assert_eq!(first.promise, ExportedPromise::Ulp(2.0));
    let divisor = &first.inputs[0];
    assert_eq!(
        (divisor.operand.as_str(), divisor.magnitude, divisor.has_from, divisor.has_to),
        ("b", true, true, true)
    );
    assert_eq!((divisor.from, divisor.to), (Some((-126f64).exp2()), Some(126f64.exp2())));
    assert_eq!(last.promise, ExportedPromise::SignedZero);
    assert_eq!((last.inputs[0].from, last.inputs[0].to), (None, None));
    let all: Vec<_> = SPEC.instructions.iter().collect();
    let written = SPEC.export(&all);
    let read = serde_json::from_str(&serde_json::to_string(&written).expect("JSON")).expect("what was written");
    assert!(written == read, "a number is lost in JSON");
    let cosine = SPEC.export(&[SPEC.instruction("cos").expect("cos")]);
    let cases = &cosine.instructions[0].forms[0].accuracy[0].cases;
    assert_eq!(cases[1].inputs[0].class.as_deref(), Some("-0.0"));
    assert_eq!(cases[1].promise, ExportedPromise::Number("+1.0".to_owned()));
}

/// The messages on `rcp.yaml` with one text replaced.
fn messages(old: &str, new: &str) -> Vec<String> {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let read = |name: &str| std::fs::read_to_string(specs.join(name)).expect("a file of the specification");
    let rcp = read("rcp.yaml");
    assert!(rcp.contains(old), "rcp.yaml has no `{old}`");
    let changed = [("rcp.yaml".to_owned(), rcp.replacen(old, new, 1))];
    let errors = Spec::from_texts(("isa.yaml", &read("isa.yaml")), &changed).err().unwrap_or_default();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn mistakes_are_refused_at_their_place() {
    let case = "{ ulp: 1 }";
    for (old, new, place, message) in [
        (case, "{ ulp: 0 }", true, "`0` is not a bound: write it as 2, 0.5, 2^-22.9 or 2pi"),
        (case, "{ ulp: 2^x }", true, "`2^x` is not a bound: write it as 2, 0.5, 2^-22.9 or 2pi"),
        (case, "{ ulp: 1, relative: 1 }", true, "exactly one of `result`, `ulp`, `relative` and `absolute`"),
        (case, "{ for: { a: NaN } }", true, "exactly one of `result`, `ulp`, `relative` and `absolute`"),
        (case, "{ result: inf }", true, "`inf` is not a result; write a number, -Inf"),
        (case, "{ for: { c: NaN }, ulp: 1 }", true, "`c` is not an operand with the role `source`"),
        (case, "{ for: { d: NaN }, ulp: 1 }", true, "`d` is not an operand with the role `source`"),
        (
            case,
            "{ for: { a: \"[2, 1]\" }, ulp: 1 }",
            true,
            "`[2, 1]` is neither a class such as -normal nor an interval",
        ),
        (case, "{ for: { a: -NaN }, ulp: 1 }", true, "`-NaN` is neither a class"),
        (case, "{ for: { \"|a|\": -Inf }, ulp: 1 }", true, "a magnitude has no sign"),
        (case, "{ ulp: 1 }\n          - { ulp: 2 }", false, "an earlier case fits all inputs"),
        ("when: { rnd: [.approx, none] }", "when: { rnd: .aprox }", false, "`.aprox` is not a value of `rnd`"),
        ("when: { rnd: [.approx, none] }", "when: { ftz: [not, none, .ftz] }", false, "no line of `single` meets"),
        (
            "      - when: { rnd: [.approx, none] }",
            "      - cases: [{ ulp: 1 }]\n      - when: { rnd: .approx }",
            false,
            "two promises of `single` are about the same lines",
        ),
        (
            "gives no bound.",
            "gives no bound.\n      - { when: { rnd: .approx }, cases: [] }",
            false,
            "`cases` is empty",
        ),
        (
            "        because: The page calls",
            "        # The page calls",
            false,
            "no case has a bound: `because` must say why",
        ),
        (case, "{ ulp: 1 }\n        because: None.", false, "`because` is only for cases without a bound"),
    ] {
        let found = messages(old, new);
        assert!(found.iter().any(|line| line.contains(message)), "`{new}`: {found:#?}");
        // The case that was replaced is on this line.
        let at = |line: &String| line.starts_with("rcp.yaml:21:");
        assert!(!place || found.iter().any(at), "`{new}`: {found:#?}");
    }
}
