//! The executed cases of `corpus/executed/`: what each row is expected to give, by the manual.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use ptx_conform::environment::{Target, Version};
use ptx_conform::line_case::{Answer, Holds, Input, LineCase, Output, Rows};
use ptx_conform::model;
use ptx_conform::object::{Surface, Variable};
use ptx_conform::ptx::{Declarations, Symbol};
use ptx_conform::spec::Spec;

/// A case, ready to be executed.
pub(crate) struct Case {
    pub(crate) instruction: String,
    pub(crate) name: String,
    /// Whether the expected answers rest on an inference.
    pub(crate) inferred: bool,
    pub(crate) program: LineCase,
    /// One for each row.
    pub(crate) expected: Vec<Expected>,
}

/// The expected answer to a row.
#[derive(Debug)]
pub(crate) enum Expected {
    /// These registers, each at least and at most such a number, and bytes of the surface where the row can change it; `None` is
    /// any byte.
    Returned {
        registers: Vec<RangeInclusive<u128>>,
        surface: Option<Vec<Option<u8>>>,
        variables: BTreeMap<String, Vec<Option<u8>>>,
        /// Contents that the surface must not have, although its `None` bytes allow them.
        never: Vec<Vec<Option<u8>>>,
    },
    /// A trap.
    Traps,
    /// Any answer, and why.
    Undefined(String),
}

impl Expected {
    /// Whether an answer is the expected one.
    ///
    /// # Errors
    /// What is expected instead.
    pub(crate) fn check(&self, answer: &Answer, program: &LineCase) -> Result<(), String> {
        let shown = match self {
            Self::Undefined(_) => return Ok(()),
            Self::Traps if matches!(answer, Answer::Trapped(_)) => return Ok(()),
            Self::Traps => "a trap".to_owned(),
            Self::Returned { registers, surface, variables, never } => {
                if let Answer::Returned(returned) = answer {
                    let before = program.surface.as_ref().map(|surface| &surface.data);
                    let after = returned.surface.as_ref().or(before);
                    let same = match (surface, after) {
                        (None, _) => returned.surface.is_none(),
                        (Some(bytes), Some(after)) => {
                            matches(bytes, after) && !never.iter().any(|other| matches(other, after))
                        }
                        (Some(_), None) => false,
                    };
                    let held = |(name, expected): (&String, &Vec<Option<u8>>)| {
                        let before = program.variable(name).map(|variable| &variable.data);
                        returned.variables.get(name).or(before).is_some_and(|after| matches(expected, after))
                    };
                    let others = returned.variables.keys().all(|name| variables.contains_key(name));
                    let same = same && others && variables.iter().all(held);
                    let count = returned.registers.len() == registers.len();
                    let mut each = registers.iter().zip(&returned.registers);
                    if same && count && each.all(|(allowed, register)| allowed.contains(register)) {
                        return Ok(());
                    }
                }
                let byte = |byte: &Option<u8>| byte.map_or("??".to_owned(), |byte| format!("{byte:02x}"));
                let surface = surface.as_ref().map(|bytes| bytes.iter().map(byte).collect::<String>());
                let variables: BTreeMap<&String, String> =
                    variables.iter().map(|(name, bytes)| (name, bytes.iter().map(byte).collect())).collect();
                let surface = surface.as_deref().unwrap_or("unchanged");
                let never: Vec<String> = never.iter().map(|bytes| bytes.iter().map(byte).collect()).collect();
                format!("registers {registers:x?}, surface {surface}, never {never:?}, variables {variables:?}")
            }
        };
        Err(format!("{answer:x?}, expected {shown}"))
    }
}

/// Whether bytes are the expected ones.
fn matches(expected: &[Option<u8>], after: &[u8]) -> bool {
    expected.len() == after.len() && expected.iter().zip(after).all(|(one, byte)| one.is_none_or(|one| one == *byte))
}

/// A case as the file has it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    name: String,
    says: String,
    #[serde(default)]
    inferred: bool,
    line: String,
    declarations: String,
    ptx: Version,
    target: Target,
    #[serde(default)]
    surface: Option<Surface>,
    #[serde(default)]
    variables: Vec<Variable>,
    rows: Vec<RawRow>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRow {
    #[serde(default, rename = "in")]
    inputs: BTreeMap<String, Value>,
    #[serde(default, rename = "out")]
    outputs: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    surface: Option<String>,
    #[serde(default)]
    never: Vec<String>,
    #[serde(default)]
    surface_unchanged: bool,
    #[serde(default)]
    variables: Option<BTreeMap<String, String>>,
    #[serde(default)]
    traps: bool,
    #[serde(default)]
    undefined: Option<String>,
}

/// What a register holds.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Value {
    Integer(i64),
    Unsigned(u64),
    /// Hexadecimal, `0x` first.
    Text(String),
    Surface(Handle),
    Address(AddressOf),
    Between(Bounds),
}

/// The least and the most bits of an approximation that is not negative.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    least: Box<Value>,
    most: Box<Value>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Handle {
    surface: bool,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AddressOf {
    address_of: String,
    #[serde(default)]
    generic: bool,
    #[serde(default)]
    plus: i64,
}

impl Value {
    /// What it is, and its bits in a register of this size.
    fn read(&self, bits: u16) -> anyhow::Result<(Holds, u128)> {
        let most = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
        Ok(match self {
            Self::Integer(number) => {
                let number = i128::from(*number);
                let low = if bits >= 128 { i128::MIN } else { -(1 << (bits - 1)) };
                ensure!(number >= low && (number < 0 || number.cast_unsigned() <= most), "{number} needs more bits");
                (Holds::Bits, number.cast_unsigned() & most)
            }
            Self::Unsigned(number) => {
                ensure!(u128::from(*number) <= most, "{number} needs more bits");
                (Holds::Bits, (*number).into())
            }
            Self::Text(text) => {
                let digits = text.strip_prefix("0x").with_context(|| format!("`{text}` does not begin with 0x"))?;
                let number = u128::from_str_radix(&digits.replace('_', ""), 16)?;
                ensure!(number <= most, "{text} needs more bits");
                (Holds::Bits, number)
            }
            Self::Surface(handle) => {
                ensure!(handle.surface, "a handle is `surface: true`");
                (Holds::Surface, 0)
            }
            Self::Address(AddressOf { address_of, generic, plus }) => {
                let holds = Holds::Address { of: address_of.clone(), generic: *generic };
                (holds, u128::from(plus.cast_unsigned()))
            }
            Self::Between(_) => bail!("an input is one number"),
        })
    }

    /// The numbers that it allows for a register of this size.
    fn allowed(&self, bits: u16) -> anyhow::Result<RangeInclusive<u128>> {
        let (least, most) = match self {
            Self::Between(Bounds { least, most }) => (least.as_ref(), most.as_ref()),
            one => (one, one),
        };
        Ok(least.read(bits)?.1..=most.read(bits)?.1)
    }
}

/// Every case of `corpus/executed/`, in the order of the files: each instruction with semantics has a file.
pub(crate) fn all(spec: &Spec) -> anyhow::Result<Vec<Case>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/executed");
    let mut cases = Vec::new();
    for instruction in spec.instructions.iter().filter(|of| model::models(&of.name)) {
        let path = directory.join(format!("{}.yaml", instruction.name));
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let raw: Vec<Raw> = serde_yaml::from_str(&text).with_context(|| path.display().to_string())?;
        let mut names = BTreeSet::new();
        for raw in raw {
            let name = raw.name.clone();
            ensure!(names.insert(name.clone()), "{}: `{name}` appears twice", path.display());
            ensure!(!raw.says.is_empty(), "{}: `{name}` has no explanation in `says`", path.display());
            let case = case(spec, &instruction.name, raw).with_context(|| format!("{}: `{name}`", path.display()))?;
            cases.push(case);
        }
    }
    Ok(cases)
}

fn case(spec: &Spec, instruction: &str, raw: Raw) -> anyhow::Result<Case> {
    let declarations = Declarations::parse(&raw.declarations, &spec.isa)?;
    let size = |name: &str| match declarations.symbol(name) {
        Some(Symbol::Register(Some(of), 1)) => Ok(spec.isa.types[of].bits),
        _ => bail!("`{name}` is not a register"),
    };
    if let Some(surface) = &raw.surface {
        surface.check().map_err(anyhow::Error::msg)?;
    }
    let inputs: BTreeSet<&String> = raw.rows.iter().flat_map(|row| row.inputs.keys()).collect();
    let outputs: BTreeSet<&String> =
        raw.rows.iter().filter_map(|row| row.outputs.as_ref()).flatten().map(|(name, _)| name).collect();
    let mut program = LineCase {
        ptx: raw.ptx,
        target: raw.target,
        declarations: raw.declarations.clone(),
        line: raw.line,
        surface: raw.surface,
        variables: raw.variables,
        inputs: Vec::new(),
        outputs: Vec::new(),
        rows: Rows::new(inputs.len()),
        writes: None,
        own_launches: Vec::new(),
    };
    for register in inputs {
        program.inputs.push(Input { register: register.clone(), bits: size(register)?, holds: Holds::Bits });
    }
    for register in outputs {
        program.outputs.push(Output { register: register.clone(), bits: size(register)? });
    }
    let mut expected = Vec::new();
    for (at, row) in raw.rows.iter().enumerate() {
        let mut values = Vec::new();
        for input in &mut program.inputs {
            let value = row.inputs.get(&input.register);
            let value = value.with_context(|| format!("row {at} has no value for {}", input.register))?;
            let (holds, bits) = value.read(input.bits)?;
            ensure!(at == 0 || holds == input.holds, "row {at} has another kind of value in {}", input.register);
            input.holds = holds;
            values.push(bits);
        }
        program.rows.push(&values);
        let row = expect(row, &program).with_context(|| format!("row {at}"))?;
        if !matches!(row, Expected::Returned { .. }) {
            program.own_launches.push(at);
        }
        expected.push(row);
    }
    Ok(Case { instruction: instruction.to_owned(), name: raw.name, inferred: raw.inferred, program, expected })
}

fn expect(row: &RawRow, program: &LineCase) -> anyhow::Result<Expected> {
    let kinds = [
        row.outputs.is_some() || row.surface.is_some() || row.surface_unchanged || row.variables.is_some(),
        row.traps,
        row.undefined.is_some(),
    ];
    ensure!(kinds.iter().filter(|&&one| one).count() == 1, "a row has either results, or `traps`, or `undefined`");
    if row.traps {
        return Ok(Expected::Traps);
    }
    if let Some(why) = &row.undefined {
        return Ok(Expected::Undefined(why.clone()));
    }
    let mut registers = Vec::new();
    for output in &program.outputs {
        let value = row.outputs.as_ref().and_then(|outputs| outputs.get(&output.register));
        let value = value.with_context(|| format!("it has no value for the output {}", output.register))?;
        registers.push(value.allowed(output.bits)?);
    }
    let surface = match &row.surface {
        None => None,
        Some(text) => {
            let surface = pattern(text)?;
            let before = program.surface.as_ref().context("there is no surface")?;
            ensure!(surface.len() == before.data.len(), "the surface has another size");
            let same = surface.iter().zip(&before.data).all(|(after, before)| *after == Some(*before));
            ensure!(!same, "the surface is not changed: write surface_unchanged");
            Some(surface)
        }
    };
    let mut variables = BTreeMap::new();
    for (name, text) in row.variables.iter().flatten() {
        let bytes = pattern(text)?;
        let before = program.variable(name).with_context(|| format!("there is no variable {name}"))?;
        ensure!(bytes.len() == before.data.len(), "{name} has another size");
        variables.insert(name.clone(), bytes);
    }
    let never: Vec<Vec<Option<u8>>> = row.never.iter().map(|text| pattern(text)).collect::<anyhow::Result<_>>()?;
    let sizes = never.iter().all(|other| surface.as_ref().is_some_and(|bytes| bytes.len() == other.len()));
    ensure!(sizes, "`never` has another size than the surface");
    Ok(Expected::Returned { registers, surface, variables, never })
}

/// Bytes in hexadecimal; `??` is any byte.
fn pattern(text: &str) -> anyhow::Result<Vec<Option<u8>>> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    ensure!(digits.len().is_multiple_of(2), "a digit is missing");
    let byte = |pair: &[char]| match pair {
        ['?', '?'] => Ok(None),
        _ => Ok(Some(u8::from_str_radix(&pair.iter().collect::<String>(), 16)?)),
    };
    digits.chunks(2).map(byte).collect()
}
