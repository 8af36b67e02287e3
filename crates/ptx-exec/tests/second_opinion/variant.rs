//! A drawn variant of a form, with what the model and the second opinion say of it.

use ptx_exec::semantics::{self, Computation};
use ptx_exec::value::ExpectedValue;
use ptx_spec::space::{Diagram, Draw};
use ptx_spec::spec::{Choice, Form, Operand, Spec};
use ptx_spec::text::{Argument, Line, OperandText};

use crate::asked::{Asked, Open};
use crate::float::FloatType;
use crate::number::{Bits, bits, value};
use crate::{Opinion, floats, opinion};

/// Drawn variants of a form until none that the model knows is expected, and until there are enough draws.
const DRAWN: (usize, usize) = (100, 1500);

/// A variant that the model knows.
pub(crate) struct Variant<'a> {
    form: &'a Form,
    values: Vec<u8>,
    /// The suffix of each operand where the choice stands for many, as the line has it.
    suffixes: Vec<String>,
    pub(crate) computation: Computation,
    opinion: Opinion,
}

/// The suffix of each operand where the choice stands for many: digits of the range that it names.
fn drawn_suffixes(form: &Form, values: &[u8], draw: &mut Draw) -> Vec<String> {
    let suffix = |operand: &Operand, draw: &mut Draw| {
        let chosen = form.axis_of_suffix(operand).map_or("", |axis| form.value(values, axis));
        let Some((start, _)) = chosen.split_once('{') else { return String::new() };
        let greatest = chosen.trim_end_matches('}').bytes().last().unwrap_or(b'0') - b'0';
        let digits = (0..chosen.matches('{').count())
            .map(|_| draw.below(u128::from(greatest) + 1).expect("a digit").to_string());
        format!("{start}{}", digits.collect::<String>())
    };
    form.operands.iter().map(|operand| suffix(operand, draw)).collect()
}

/// True if the model need not know a variant: it is of floats, or a vector of one element, or packs into a wider register.
fn is_left_out(form: &Form, values: &[u8]) -> bool {
    let register = form.axis("d.type").map_or("", |axis| form.value(values, axis));
    if form.opcode() == "cvt.pack" && ["64", "128"].iter().any(|wide| register.ends_with(wide)) {
        return true;
    }
    form.axes.iter().enumerate().any(|(at, axis)| match form.value(values, at) {
        "tuple1" => true,
        _ if axis.name.contains('.') => false,
        value => [".f16", ".f32", ".f64", ".bf16", ".tf32", ".e2m", ".e3m", ".e4m", ".e5m", ".ue", ".s2f6"]
            .iter()
            .any(|of| value.starts_with(of)),
    })
}

/// True if there is no second opinion of a variant: of scales, random bits, and formats without signs.
fn has_no_opinion(form: &Form, values: &[u8]) -> bool {
    let has = |word: &&str| (0..form.axes.len()).any(|axis| form.value(values, axis).contains(*word));
    ["scaled", ".ue8m0", ".ue5m3", ".rs", ".pzo"].iter().any(has)
}

impl<'a> Variant<'a> {
    /// The variant with these choices; none if the model does not know it.
    fn new(spec: &Spec, form: &'a Form, values: Vec<u8>, draw: &mut Draw) -> Option<Self> {
        if form.accuracy(&values).is_some() || has_no_opinion(form, &values) {
            return None;
        }
        let suffixes = drawn_suffixes(form, &values, draw);
        let operands = form.operands.iter().zip(&suffixes);
        let texts: Vec<String> = operands.map(|(operand, suffix)| format!("{}{suffix}", operand.name)).collect();
        let operand = |text| OperandText { argument: Argument::Name(text), suffix: None, text };
        let operands = texts.iter().map(|text| operand(text.as_str())).collect();
        let line = Line { guard: None, opcode: form.opcode(), modifiers: Vec::new(), operands };
        let written = suffixes.iter().any(|suffix| !suffix.is_empty()).then_some(&line);
        let computation = match semantics::computation(&spec.isa, form, &values, written)? {
            Ok(computation) => computation,
            Err(why) => {
                assert!(is_left_out(form, &values), "{}: {why}, but the second opinion knows it", form.id);
                return None;
            }
        };
        let opinion = opinion(&Asked::new(form, &values, &suffixes))
            .unwrap_or_else(|| panic!("there is no opinion of {}", form.id));
        Some(Self { form, values, suffixes, computation, opinion })
    }

    /// What each source is, a carry among them: the type of its floats, if it has any.
    pub(crate) fn kinds(&self) -> Vec<Option<FloatType>> {
        let asked = Asked::new(self.form, &self.values, &self.suffixes);
        let mut kinds = if floats::are_computed(&asked) { floats::sources(&asked) } else { Vec::new() };
        kinds.resize(self.sources(), None);
        kinds
    }

    /// Some variants that the model knows, none if it knows none of the form.
    pub(crate) fn several(spec: &Spec, form: &'a Form, most: usize, draw: &mut Draw) -> Vec<Self> {
        let diagram = Diagram::valid(form);
        let mut variants = Vec::new();
        for drawn in 0..DRAWN.1 {
            if variants.len() == most || drawn >= DRAWN.0 && variants.is_empty() {
                break;
            }
            let Some(values) = draw.variant(&diagram.all()) else { break };
            variants.extend(Self::new(spec, form, values.to_vec(), draw));
        }
        variants
    }

    /// The same variant without suffixes of operands, which select parts of them.
    pub(crate) fn unselected(&self, spec: &Spec, draw: &mut Draw) -> Option<Self> {
        let mut values = self.values.clone();
        for (at, axis) in self.form.axes.iter().enumerate() {
            if matches!(axis.choice, Choice::Suffix(_)) {
                values[at] = u8::try_from(axis.values.iter().position(|value| value == "none")?).ok()?;
            }
        }
        Self::new(spec, self.form, values, draw)
    }

    /// The number of sources, a carry among them.
    pub(crate) fn sources(&self) -> usize {
        self.computation.sources().len() + usize::from(self.computation.reads_carry())
    }

    /// What the second opinion is asked: the words of the line that matter for what it computes.
    pub(crate) fn words(&self) -> String {
        let other = ["address_size", "target", "ptx", "guard", "writing"];
        let axes = self.form.axes.iter().enumerate().map(|(at, axis)| (&axis.name, self.form.value(&self.values, at)));
        let chosen = axes.filter(|(name, value)| {
            *value != "none" && !other.contains(&name.as_str()) && (!name.contains('.') || name.ends_with("sign"))
        });
        let words: Vec<String> = chosen.map(|(name, value)| format!("{name}={value}")).collect();
        format!("{} {} {}", self.form.id, words.join(" "), self.suffixes.concat())
    }

    /// Compares the model and the second opinion of a row. True if the manual defines the results.
    pub(crate) fn compare(&self, row: &[u128]) -> Result<bool, String> {
        let asked = Asked::new(self.form, &self.values, &self.suffixes);
        let given: Vec<Bits> = row.iter().map(|number| bits(*number, 128)).collect();
        let opinion = |asked: &Asked<'_>| {
            (self.opinion)(asked, &given).map(|results| results.iter().map(|bits| value(bits)).collect::<Vec<_>>())
        };
        let first = opinion(&asked);
        let mut allowed = vec![first];
        if asked.is_open() {
            allowed.extend((1..Asked::ALLOWED).map(|which| opinion(&asked.another(which))));
        }
        let count = self.computation.results().len() + usize::from(self.computation.writes_carry());
        let mut results = vec![ExpectedValue::exact(0); count];
        let computed = self.computation.expect(row, &mut results);
        let agree = allowed.iter().all(|allowed| match (&computed, allowed) {
            (Ok(_), Ok(allowed)) => {
                allowed.len() == count
                    && results.iter().zip(allowed).all(|(result, allowed)| result.wrong(*allowed) == 0)
            }
            (Err(_), Err(Open)) => true,
            _ => false,
        });
        let free = |at: usize| match &allowed[0] {
            Ok(first) => allowed.iter().flatten().fold(0, |free, other| free | first[at] ^ other[at]),
            Err(Open) => 0,
        };
        if agree && (computed.is_err() || results.iter().enumerate().all(|(at, result)| !result.fixed() == free(at))) {
            return Ok(computed.is_ok());
        }
        let said = computed.map(|_| results);
        Err(format!("{}: {row:x?} is {allowed:x?}, the model says {said:x?}", self.words()))
    }
}
