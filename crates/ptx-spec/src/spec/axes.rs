//! From a syntax line and its slots and operands to axes and the rules that they imply.

use super::raw::{Kind, Order, RawForm, RawInstruction, RawIsa, RawOperand, Role, Source};
use super::syntax::{Modifier, ModifierName, Syntax};
use super::{Axis, Choice, Cube, Form, Isa, Operand, RegisterType, Rule, RuleKind, Slot, ValueSet, Writing};
use crate::environment::AddressSize;

/// A modifier no instruction has.
pub(crate) const UNKNOWN_MODIFIER: &str = ".bogus";
/// The value of a slot or operand that is left out, and of no sinks.
pub(crate) const NONE: &str = "none";
/// What stands in an operand and is none of the other values.
pub(crate) const OTHER: &str = "other";
/// An integer immediate.
pub(crate) const INTEGER: &str = "integer";
/// A floating-point immediate of 32 bits, `0f3F800000`.
pub(crate) const FLOAT: &str = "float";
/// A floating-point immediate of 64 bits: any but `0f...`.
pub(crate) const DOUBLE: &str = "double";
/// A `_` in place of a whole operand.
pub(crate) const SINK: &str = "sink";
/// A variable that is no surface.
pub(crate) const VARIABLE: &str = "variable";
/// A `.surfref` at module scope.
pub(crate) const SURFREF: &str = "surfref";
/// A `.surfref` among the parameters of the entry.
pub(crate) const SURFREF_PARAMETER: &str = "surfref-parameter";
/// An address in a register.
pub(crate) const REGISTER: &str = "register";
/// The variables an address can start from.
pub(crate) const BASES: [&str; 8] =
    ["global", "const", "shared", "local", "entry-parameter", "function-parameter", "local-parameter", "unified"];
/// The shapes of a value operand: lanes in braces, or a variable of a vector type.
pub(crate) const SHAPES: [&str; 8] = ["scalar", "tuple1", "tuple2", "tuple3", "tuple4", "tuple8", "vector2", "vector4"];

/// What can stand in an operand and is no register type.
pub(crate) const PSEUDO: [&str; 7] = [INTEGER, FLOAT, DOUBLE, SINK, VARIABLE, SURFREF, SURFREF_PARAMETER];

/// The number of lanes of a shape.
pub(crate) fn lanes(shape: &str) -> usize {
    shape.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(1)
}

/// The values that a slot of a form claims.
#[derive(Clone, Debug)]
pub(crate) struct SlotClaims {
    pub(crate) name: String,
    pub(crate) optional: bool,
    pub(crate) literal: bool,
    /// Without `none`.
    pub(crate) values: Vec<String>,
}

/// The slots of a syntax line with their claims.
///
/// # Errors
/// The alternatives of the line that no slot has.
pub(crate) fn claims(instruction: &RawInstruction, form: &RawForm, syntax: &Syntax) -> Result<Vec<SlotClaims>, String> {
    let listed = |name: &str| {
        let named = |(key, _): &&(_, _)| -> bool {
            let key: &super::raw::At<String> = key;
            key.value == name
        };
        let values = form.modifiers.0.iter().find(named).or_else(|| instruction.modifiers.0.iter().find(named));
        values.map(|(_, values)| values.iter().map(|value| value.value.clone()).collect::<Vec<_>>())
    };
    let claim = |modifier: &Modifier| {
        let (name, mut values, literal) = match &modifier.name {
            ModifierName::Word(name) => match listed(name) {
                Some(values) => (name.clone(), values, false),
                None => (name.clone(), vec![format!(".{name}")], true),
            },
            ModifierName::Listed(values) => {
                let holds = |(_, of): &&(_, Vec<super::raw::At<String>>)| {
                    values.iter().all(|value| of.iter().any(|known| known.value == *value))
                };
                let (name, _) = instruction
                    .modifiers
                    .0
                    .iter()
                    .find(holds)
                    .ok_or_else(|| format!("no slot under `modifiers` has all of {}", values.join(", ")))?;
                (name.value.clone(), values.clone(), false)
            }
        };
        let optional = modifier.optional || values.iter().any(|value| value == NONE);
        values.retain(|value| value != NONE);
        Ok(SlotClaims { name, optional, literal, values })
    };
    syntax.modifiers.iter().map(claim).collect()
}

/// Whether some line of these slots could also be read as a line of those.
fn overlap(these: &[SlotClaims], those: &[SlotClaims]) -> bool {
    let meets = |slot: &SlotClaims, slots: &[SlotClaims]| {
        slot.optional || slots.iter().any(|other| other.values.iter().any(|value| slot.values.contains(value)))
    };
    these.iter().all(|slot| meets(slot, those)) && those.iter().all(|slot| meets(slot, these))
}

/// The slots but one.
fn without(slots: &[SlotClaims], left_out: usize) -> Vec<SlotClaims> {
    slots.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, slot)| slot.clone()).collect()
}

/// Builds one form. The rules of the YAML are added by the caller.
pub(crate) struct Builder<'a> {
    pub(crate) isa: &'a Isa,
    pub(crate) raw_isa: &'a RawIsa,
    pub(crate) instruction: &'a RawInstruction,
    pub(crate) form: &'a RawForm,
    pub(crate) syntax: &'a Syntax,
    pub(crate) slots: &'a [SlotClaims],
    /// The slots of the instruction's other forms.
    pub(crate) others: &'a [&'a [SlotClaims]],
    /// How many of the other forms stand before this one.
    pub(crate) earlier: usize,
    pub(crate) axes: Vec<Axis>,
    pub(crate) rules: Vec<Rule>,
}

impl Builder<'_> {
    /// The form, without the rules of the YAML.
    pub(crate) fn build(mut self) -> Form {
        self.environment();
        let has_address = self.syntax.operands.iter().any(|(name, _)| self.raw(name).role == Role::Address);
        if has_address {
            self.axis("context", Choice::Context, ["entry", "function"].map(str::to_owned).to_vec(), |_| true);
        }
        let slots: Vec<Slot> = (0..self.slots.len()).map(|slot| self.slot(slot)).collect();
        let operands: Vec<Operand> = (0..self.syntax.operands.len()).map(|at| self.operand(at, &slots)).collect();
        let suffixes: Vec<(usize, usize)> =
            self.syntax.suffixes.iter().map(|(operand, suffix)| (*operand, self.suffix(*operand, suffix))).collect();
        let writings = self.writing(&slots, &operands);
        Form {
            id: format!("{}.{}", self.instruction.instruction.value, self.form.id.value),
            syntax: self.form.syntax.value.split_whitespace().collect::<Vec<_>>().join(" "),
            manual: self.form.manual.as_ref().unwrap_or(&self.instruction.manual).clone(),
            axes: self.axes,
            slots,
            operands,
            pattern: self.syntax.pattern.clone(),
            suffixes,
            writings,
            rules: self.rules,
            states: 0,
            tables: super::tables::Tables::default(),
        }
    }

    fn raw(&self, operand: &str) -> &RawOperand {
        let named = |(name, _): &&(super::raw::At<String>, RawOperand)| name.value == operand;
        let found = self.form.operands.0.iter().find(named).or_else(|| self.instruction.operands.0.iter().find(named));
        &found.expect("build checks that every operand of a syntax line is described").1
    }

    fn axis(&mut self, name: &str, choice: Choice, values: Vec<String>, claimed: impl FnMut(&str) -> bool) -> usize {
        let mut axis = Axis::new(name, choice, values);
        axis.claimed = axis.select(claimed);
        self.axes.push(axis);
        self.axes.len() - 1
    }

    fn rule(&mut self, kind: RuleKind, id: &str, says: impl Into<String>, forbids: Vec<Cube>) {
        let forbids: Vec<Cube> = forbids.into_iter().filter(|cube| !cube.is_empty()).collect();
        if forbids.is_empty() {
            return;
        }
        let id = if id.contains('/') { id.to_owned() } else { format!("{}/{id}", self.instruction.instruction.value) };
        let source = Source::Manual;
        self.rules.push(Rule { id, kind, source, section: None, says: says.into(), forbids });
    }

    fn constraint(&mut self, id: &str, says: impl Into<String>, forbids: Vec<Cube>) {
        self.rule(RuleKind::Constraint, id, says, forbids);
    }

    fn canonical(&mut self, id: &str, forbids: Vec<Cube>) {
        self.rule(RuleKind::Canonical, id, "keeps one spelling of each variant", forbids);
    }

    fn environment(&mut self) {
        let sizes = vec![AddressSize::Bits64.to_string(), AddressSize::Bits32.to_string()];
        let size = self.axis("address_size", Choice::AddressSize, sizes, |_| true);
        let targets = self.isa.targets.iter().rev().map(|(target, _)| target.to_string()).collect();
        let target = self.axis("target", Choice::Target, targets, |_| true);
        let versions = self.isa.versions.iter().rev().map(ToString::to_string).collect();
        let ptx = self.axis("ptx", Choice::Ptx, versions, |_| true);
        let before = |since| ValueSet::of(self.isa.versions.len(), |at| self.version(at) < since);
        let newer: Vec<Cube> = (0..self.isa.targets.len())
            .map(|at| {
                let (_, since) = self.isa.targets[self.isa.targets.len() - 1 - at];
                let this = ValueSet::of(self.isa.targets.len(), |value| value == at);
                Cube::new([(target, this), (ptx, before(since))])
            })
            .collect();
        let wide = ValueSet::of(2, |value| value == 0);
        let unsized_wide = vec![Cube::new([(size, wide), (ptx, before(AddressSize::SINCE))])];
        self.rule(RuleKind::Given, "isa/target-since", "a target needs the PTX version that brought it", newer);
        let says = format!("`.address_size 64` needs PTX {}", AddressSize::SINCE);
        self.rule(RuleKind::Given, "isa/address-size-since", says, unsized_wide);
        let guards = [NONE, "@p", "@!p"].map(str::to_owned).to_vec();
        self.axis("guard", Choice::Guard, guards, |_| true);
    }

    /// The version at a position of the `ptx` axis, which has the newest first.
    fn version(&self, at: usize) -> crate::environment::Version {
        self.isa.versions[self.isa.versions.len() - 1 - at]
    }

    fn slot(&mut self, at: usize) -> Slot {
        let claims = &self.slots[at];
        let mut values = claims.values.clone();
        values.insert(if claims.optional { 0 } else { values.len() }, NONE.to_owned());
        values.extend(self.probes(at));
        let claimed = |value: &str| claims.values.iter().any(|v| v == value) || (claims.optional && value == NONE);
        let axis = self.axis(&claims.name, Choice::Modifier, values, claimed);
        let of = &self.axes[axis];
        let missing = Cube::new([(axis, of.select(|value| value == NONE && !claims.optional))]);
        let wrong = Cube::new([(axis, of.select(|value| value != NONE && !claimed(value)))]);
        let name = claims.name.clone();
        let listed = claims.values.join(" ");
        // A line that lacks it may be a line of another form, and no breach of this one.
        let kind = if self.missing_is_another_form(at) { RuleKind::Given } else { RuleKind::Constraint };
        self.rule(kind, &format!("{name}-required"), format!("one of {listed} must be there"), vec![missing]);
        self.constraint(&format!("{name}-value"), format!("only {listed} may stand there"), vec![wrong]);
        let elsewhere = |slot: &SlotClaims| !slot.literal && slot.values.iter().any(|v| claims.values.contains(v));
        let telling = claims.literal && !self.others.iter().any(|other| other.iter().any(elsewhere));
        Slot { axis, optional: claims.optional, telling }
    }

    /// The values of the slot's families that it does not claim and that no other form takes.
    fn probes(&self, at: usize) -> Vec<String> {
        let claims = &self.slots[at];
        let mut probes = Vec::new();
        for (_, family) in &self.raw_isa.families.0 {
            if !family.iter().any(|value| claims.values.contains(&value.value)) {
                continue;
            }
            for value in family {
                let value = &value.value;
                if !claims.values.contains(value) && !probes.contains(value) && !self.is_another_form(at, Some(value)) {
                    probes.push(value.clone());
                }
            }
        }
        // A modifier that two slots knew could not be read back as a probe of either.
        let taken = |value: &String| {
            self.slots.iter().any(|slot| slot.values.contains(value))
                || self.axes.iter().any(|axis| axis.choice == Choice::Modifier && axis.values.contains(value))
        };
        probes.retain(|value| !taken(value));
        probes
    }

    fn missing_is_another_form(&self, at: usize) -> bool {
        !self.slots[at].optional && self.is_another_form(at, None)
    }

    /// Whether a line with this value in a slot (or without one) can be a line of another form.
    fn is_another_form(&self, at: usize, value: Option<&String>) -> bool {
        let mut changed = self.slots.to_vec();
        match value {
            Some(value) => {
                changed[at].values = vec![value.clone()];
                changed[at].optional = false;
            }
            None => {
                changed.remove(at);
            }
        }
        if self.others.iter().any(|other| overlap(&changed, other)) {
            return true;
        }
        // A line of another form with one of this form's literals as a surplus modifier.
        let surplus = |literal: usize| {
            let rest = without(&changed, literal);
            changed[literal].literal && self.others.iter().any(|other| overlap(&rest, other))
        };
        if value.is_some() && (0..changed.len()).any(|literal| literal != at && surplus(literal)) {
            return true;
        }
        // A literal that is wrong or missing leaves open which literal was meant: such lines belong
        // to the first form that they could be of.
        let rest: Vec<SlotClaims> = without(self.slots, at);
        if self.slots[at].literal && self.others.iter().any(|other| overlap(&rest, other)) {
            return true;
        }
        let same_rest = |other: &[SlotClaims]| {
            (0..other.len()).any(|literal| other[literal].literal && overlap(&rest, &without(other, literal)))
        };
        let meant = |value: &String| {
            self.others.iter().any(|other| other.iter().any(|slot| slot.literal && slot.values.contains(value)))
        };
        self.slots[at].literal
            && (value.is_some_and(meant) || self.others[..self.earlier].iter().any(|other| same_rest(other)))
    }

    fn operand(&mut self, at: usize, slots: &[Slot]) -> Operand {
        let (name, optional) = self.syntax.operands[at].clone();
        let raw = self.raw(&name).clone();
        let mut operand = Operand {
            name,
            role: raw.role,
            optional,
            shape: None,
            of_type: None,
            sinks: None,
            base: None,
            offset: None,
        };
        match raw.role {
            Role::Destination | Role::Source => self.value(&mut operand, at, &raw, slots),
            Role::Surface => self.surface(&mut operand, at, &raw),
            Role::Address => self.address(&mut operand, at, &raw),
        }
        operand
    }

    /// Whether a register of this type may stand where an instruction has that type.
    fn suits(&self, register: &RegisterType, instruction: &RegisterType) -> bool {
        let kinds = |table: &super::raw::Ordered<Vec<Kind>>| {
            let name = format!("{:?}", instruction.kind).to_lowercase();
            let row = table.0.iter().find(|(key, _)| key.value == name);
            row.is_some_and(|(_, kinds)| kinds.contains(&register.kind))
        };
        match register.bits.cmp(&instruction.bits) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => kinds(&self.raw_isa.registers.same_size),
            std::cmp::Ordering::Greater => kinds(&self.raw_isa.registers.wider),
        }
    }

    /// A register, a vector or an immediate: shape, type and sinks.
    fn value(&mut self, operand: &mut Operand, at: usize, raw: &RawOperand, slots: &[Slot]) {
        let name = operand.name.clone();
        let vec = raw.lanes.as_ref().and_then(|slot| self.slots.iter().position(|s| s.name == slot.value));
        let fitting = |value: &str| -> Vec<String> {
            let row = self.raw_isa.lanes.0.iter().find(|(key, _)| key.value == value);
            row.map(|(_, shapes)| shapes.iter().map(|shape| shape.value.clone()).collect()).unwrap_or_default()
        };
        let claimed_shapes: Vec<String> = match (&raw.shapes, vec) {
            (Some(shapes), _) => shapes.iter().map(|shape| shape.value.clone()).collect(),
            (None, Some(vec)) => {
                let none = self.slots[vec].optional.then(|| NONE.to_owned());
                none.iter().chain(&self.slots[vec].values).flat_map(|value| fitting(value)).collect()
            }
            (None, None) => fitting(NONE),
        };
        let by_lanes: Vec<(u8, Vec<String>)> = match vec {
            Some(vec) => {
                let axis = &self.axes[slots[vec].axis];
                axis.claimed.iter().map(|value| (value, fitting(&axis.values[usize::from(value)]))).collect()
            }
            None => Vec::new(),
        };
        let shapes = SHAPES.iter().map(|&s| s.to_owned()).chain([OTHER.to_owned()]).collect();
        let shape = self.axis(&format!("{name}.shape"), Choice::Shape(at), shapes, |s| {
            claimed_shapes.iter().any(|claimed| claimed == s)
        });
        operand.shape = Some(shape);
        let of = &self.axes[shape];
        let unlisted = Cube::new([(shape, of.claimed.complement(of.values.len()))]);
        let mismatched: Vec<Cube> = by_lanes
            .iter()
            .map(|(value, shapes)| {
                let vec = slots[vec.unwrap_or(0)].axis;
                let wrong = of.select(|s| !shapes.iter().any(|shape| shape == s)).and(&of.claimed);
                Cube::new([(vec, ValueSet::of(ValueSet::CAPACITY, |v| v == usize::from(*value))), (shape, wrong)])
            })
            .collect();
        let not_generated = Cube::new([(shape, of.select(|s| s == OTHER))]);
        self.constraint(
            &format!("{name}-shape"),
            format!("`{name}` is {}", claimed_shapes.join(" or ")),
            vec![unlisted],
        );
        self.constraint(
            &format!("{name}-lanes"),
            format!("`{name}` has as many lanes as the vector modifier says"),
            mismatched,
        );
        self.canonical(&format!("{name}-shape-generated"), vec![not_generated]);
        self.value_type(operand, at, raw, slots);
        if raw.sinks {
            self.sinks(operand, at, &claimed_shapes);
        }
    }

    fn value_type(&mut self, operand: &mut Operand, at: usize, raw: &RawOperand, slots: &[Slot]) {
        let name = operand.name.clone();
        let accepts: Vec<String> = raw.accepts.iter().flatten().map(|value| value.value.clone()).collect();
        let slot = raw.matches.as_ref().and_then(|of| self.slots.iter().position(|s| s.name == of.value));
        // The instruction types the operand must suit: those of a slot, or a literal one.
        let instruction_types: Vec<&RegisterType> = match (&raw.matches, slot) {
            (_, Some(slot)) => self.slots[slot].values.iter().filter_map(|v| self.isa.register_type(v)).collect(),
            (Some(literal), None) => self.isa.register_type(&literal.value).into_iter().collect(),
            (None, None) => Vec::new(),
        };
        let suiting = |value: &str, of: &RegisterType| {
            accepts.iter().any(|v| v == value) || self.isa.register_type(value).is_some_and(|reg| self.suits(reg, of))
        };
        let claimed =
            |value: &str| accepts.iter().any(|v| v == value) || instruction_types.iter().any(|of| suiting(value, of));
        let mut values = if operand.optional { vec![NONE.to_owned()] } else { Vec::new() };
        let pseudo: &[&str] = match raw.role {
            Role::Destination => &[INTEGER, SINK, OTHER],
            _ => &[INTEGER, FLOAT, DOUBLE, SINK, OTHER],
        };
        let rest = self.isa.types.iter().map(|t| t.name.clone()).chain(pseudo.iter().map(|&p| p.to_owned()));
        let rest: Vec<String> = rest.collect();
        values.extend(accepts.iter().filter(|v| !values.contains(v)).cloned().collect::<Vec<_>>());
        values.extend(rest.iter().filter(|v| claimed(v) && !accepts.contains(v)).cloned());
        values.extend(rest.iter().filter(|v| !claimed(v)).cloned());
        let per_type: Vec<(String, Vec<String>)> = instruction_types
            .iter()
            .map(|of| (of.name.clone(), values.iter().filter(|v| suiting(v, of)).cloned().collect()))
            .collect();
        let is_claimed: Vec<bool> = values.iter().map(|v| claimed(v) || (operand.optional && v == NONE)).collect();
        let of_type = self.axis(&format!("{name}.type"), Choice::Type(at), values, |_| false);
        operand.of_type = Some(of_type);
        let axis = &mut self.axes[of_type];
        axis.claimed = ValueSet::of(axis.values.len(), |value| is_claimed[value]);
        let axis = &self.axes[of_type];
        let unlisted = Cube::new([(of_type, axis.claimed.complement(axis.values.len()))]);
        let mismatched: Vec<Cube> = per_type
            .iter()
            .filter_map(|(instruction, suiting)| {
                let wrong = axis.select(|v| v != NONE && !suiting.iter().any(|s| s == v)).and(&axis.claimed);
                let when = slot.map(|slot| {
                    let axis = slots[slot].axis;
                    (axis, self.axes[axis].select(|value| value == instruction))
                });
                (slot.is_some()).then(|| Cube::new(when.into_iter().chain([(of_type, wrong)])))
            })
            .collect();
        self.constraint(&format!("{name}-type"), format!("what may stand in `{name}`"), vec![unlisted]);
        self.constraint(
            &format!("{name}-register"),
            format!("the registers of `{name}` suit the instruction's type"),
            mismatched,
        );
        self.declarable(of_type);
        self.generated(&name, of_type, operand.shape, raw.role);
    }

    /// What cannot be declared, or is not generated: it may still be read.
    fn generated(&mut self, name: &str, of_type: usize, shape: Option<usize>, role: Role) {
        let axis = &self.axes[of_type];
        let mut cubes = vec![Cube::new([(of_type, axis.select(|v| v == OTHER))])];
        if let Some(shape) = shape {
            let shapes = &self.axes[shape];
            let immediates = role == Role::Source;
            let in_lanes = |v: &str| v.starts_with('.') || (immediates && [INTEGER, FLOAT, DOUBLE].contains(&v));
            let alone = axis.select(|v| !in_lanes(v));
            cubes.push(Cube::new([(of_type, alone), (shape, shapes.select(|s| s != "scalar"))]));
            let fits = |v: &str, lanes: u16| {
                let of = self.isa.register_type(v);
                of.is_some_and(|of| of.bits * lanes <= 128 && of.bits < 128 && of.kind != Kind::Predicate)
            };
            for vector in ["vector2", "vector4"] {
                let lanes = if vector == "vector2" { 2 } else { 4 };
                let unfit = axis.select(|v| !fits(v, lanes));
                cubes.push(Cube::new([(of_type, unfit), (shape, shapes.select(|s| s == vector))]));
            }
        }
        self.canonical(&format!("{name}-type-generated"), cubes);
    }

    /// Registers of some types, and some variables, can only be declared from a version and target
    /// on.
    fn declarable(&mut self, at: usize) {
        let axis = &self.axes[at];
        let (target, ptx) = (self.named("target"), self.named("ptx"));
        let types = self.raw_isa.types.0.iter().filter_map(|(name, of)| Some((name, of.needs.as_ref()?)));
        let variables = self.raw_isa.variables.0.iter().map(|(name, needs)| (name, needs));
        let mut cubes = Vec::new();
        for (name, needs) in types.chain(variables) {
            let this = axis.select(|v| v == name.value);
            if let Some(since) = needs.ptx {
                let before = ValueSet::of(self.isa.versions.len(), |at| self.version(at) < since);
                cubes.push(Cube::new([(ptx, before), (at, this)]));
            }
            if let Some(needed) = needs.target.0.first() {
                let targets = &self.isa.targets;
                let unmet = ValueSet::of(targets.len(), |at| !needed.met_by(targets[targets.len() - 1 - at].0));
                cubes.push(Cube::new([(target, unmet), (at, this)]));
            }
        }
        let id = format!("{}-declared", self.axes[at].name);
        let says = "the PTX version and the target have such registers and variables";
        self.rule(RuleKind::Given, &id, says, cubes);
    }

    fn named(&self, axis: &str) -> usize {
        self.axes.iter().position(|a| a.name == axis).expect("every form has the axes of the environment")
    }

    fn sinks(&mut self, operand: &mut Operand, at: usize, claimed_shapes: &[String]) {
        let widest = claimed_shapes.iter().filter(|s| s.starts_with("tuple")).map(|s| lanes(s)).max().unwrap_or(1);
        // The position of a value is its bit mask; all eight lanes would not leave room for UNREAD.
        let masks = (1_usize << widest).min(ValueSet::CAPACITY - 1);
        let label = |mask: usize| {
            let lanes: Vec<String> = (0..widest).filter(|lane| mask >> lane & 1 == 1).map(|l| l.to_string()).collect();
            if mask == 0 { NONE.to_owned() } else { lanes.join("+") }
        };
        let name = format!("{}.sinks", operand.name);
        let sinks = self.axis(&name, Choice::Sinks(at), (0..masks).map(label).collect(), |_| true);
        operand.sinks = Some(sinks);
        let shape = operand.shape.unwrap_or_default();
        let shapes = &self.axes[shape];
        let cubes = SHAPES.iter().map(|&of| {
            let lanes = if of.starts_with("tuple") { lanes(of) } else { 0 };
            // Generated are one sink and one register: sinks alone have no type, and what lies
            // between would make up most of the space and show nothing more.
            let other = ValueSet::of(masks, |mask| {
                let count = usize::try_from(mask.count_ones()).unwrap_or(0);
                mask > 0 && (mask >= 1 << lanes || count == lanes || (count != 1 && count + 1 != lanes))
            });
            Cube::new([(shape, shapes.select(|s| s == of)), (sinks, other)])
        });
        let cubes = cubes.collect();
        self.canonical(&format!("{name}-fit"), cubes);
    }

    fn accepted(raw: &RawOperand) -> Vec<String> {
        raw.accepts.iter().flatten().map(|value| value.value.clone()).collect()
    }

    /// The accepted values, then the probes among these.
    fn ordered(accepts: &[String], all: Vec<String>) -> Vec<String> {
        let probes = all.into_iter().filter(|value| !accepts.contains(value));
        accepts.iter().cloned().chain(probes).collect()
    }

    fn surface(&mut self, operand: &mut Operand, at: usize, raw: &RawOperand) {
        let accepts = Self::accepted(raw);
        let pseudo = [SURFREF, SURFREF_PARAMETER, VARIABLE, INTEGER, OTHER].map(str::to_owned);
        let types = self.isa.types.iter().map(|t| t.name.clone());
        let values = Self::ordered(&accepts, types.chain(pseudo).collect());
        let name = operand.name.clone();
        let of_type = self.axis(&format!("{name}.type"), Choice::Type(at), values, |v| accepts.iter().any(|a| a == v));
        operand.of_type = Some(of_type);
        let axis = &self.axes[of_type];
        let unlisted = Cube::new([(of_type, axis.claimed.complement(axis.values.len()))]);
        self.constraint(&format!("{name}-type"), format!("`{name}` is {}", accepts.join(" or ")), vec![unlisted]);
        self.declarable(of_type);
        self.generated(&name, of_type, None, raw.role);
    }

    fn address(&mut self, operand: &mut Operand, at: usize, raw: &RawOperand) {
        let name = operand.name.clone();
        let bases = [REGISTER].iter().chain(&BASES).chain(&[INTEGER, OTHER]).map(|&b| b.to_owned()).collect();
        let base = self.axis(&format!("{name}.base"), Choice::Base(at), bases, |b| b != OTHER);
        let accepts = Self::accepted(raw);
        let types = self.isa.types.iter().map(|t| t.name.clone()).collect();
        let values = Self::ordered(&accepts, types);
        let of_type = self.axis(&format!("{name}.type"), Choice::Type(at), values, |v| accepts.iter().any(|a| a == v));
        let offsets = [NONE, "positive", "negative"].map(str::to_owned).to_vec();
        let offset = self.axis(&format!("{name}.offset"), Choice::Offset(at), offsets, |_| true);
        (operand.base, operand.of_type, operand.offset) = (Some(base), Some(of_type), Some(offset));
        let (bases, types, offsets) = (&self.axes[base], &self.axes[of_type], &self.axes[offset]);
        let context = self.named("context");
        let contexts = &self.axes[context];
        let is = |axis: &Axis, value: &str| axis.select(|v| v == value);
        let unreadable = Cube::new([(base, is(bases, OTHER))]);
        let unlisted =
            Cube::new([(base, is(bases, REGISTER)), (of_type, types.claimed.complement(types.values.len()))]);
        let canonical = vec![
            unreadable.clone(),
            Cube::new([
                (base, bases.select(|b| b != REGISTER)),
                (of_type, ValueSet::of(types.values.len(), |v| v != 0)),
            ]),
            Cube::new([(base, is(bases, INTEGER)), (offset, offsets.select(|o| o != NONE))]),
            Cube::new([(base, is(bases, "entry-parameter")), (context, is(contexts, "function"))]),
            Cube::new([(base, is(bases, "function-parameter")), (context, is(contexts, "entry"))]),
        ];
        self.rule(RuleKind::Given, &format!("{name}-address"), format!("`{name}` is an address"), vec![unreadable]);
        let says = format!("a register with an address is {}", accepts.join(" or "));
        self.constraint(&format!("{name}-type"), says, vec![unlisted]);
        self.canonical(&format!("{name}-base-generated"), canonical);
        self.declarable(of_type);
        self.declarable(base);
    }

    fn suffix(&mut self, operand: usize, suffix: &str) -> usize {
        let name = suffix.trim_start_matches('.').to_owned();
        self.axis(&name, Choice::Suffix(operand), vec![NONE.to_owned(), suffix.to_owned()], |_| true)
    }

    /// The axis of how the line is written, with the syntax faults.
    fn writing(&mut self, slots: &[Slot], operands: &[Operand]) -> Vec<Writing> {
        let mut writings = vec![Writing::Plain];
        let last = slots.len().saturating_sub(1);
        writings.extend((0..last).map(Writing::Moved));
        if slots.len() > 1 {
            writings.push(Writing::Reordered);
        }
        writings.extend((0..slots.len()).map(Writing::Duplicate));
        let extras = self.extras();
        writings.extend(extras.iter().map(|(value, _)| Writing::Extra(value.clone())));
        let mandatory = operands.iter().enumerate().filter(|(_, operand)| !operand.optional);
        writings.extend(mandatory.map(|(at, _)| Writing::Without(at)));
        if !operands.iter().any(|operand| operand.optional) {
            writings.push(Writing::ExtraOperand);
        }
        if self.syntax.pattern.iter().any(|part| matches!(part, super::Pattern::Bracket(_))) {
            writings.push(Writing::Unbracketed);
        }
        writings.extend(self.foreign_suffixes());
        let leading = slots.first().is_some_and(|slot| slot.telling && !slot.optional);
        let label = |writing: &Writing| match writing {
            Writing::Plain => "plain".to_owned(),
            Writing::Moved(0) if leading => format!("{} not first", self.slots[0].name),
            Writing::Moved(slot) => format!("{} moved to the end", self.slots[*slot].name),
            Writing::Reordered => "reordered".to_owned(),
            Writing::Duplicate(slot) => format!("{} twice", self.slots[*slot].name),
            Writing::Extra(value) => format!("with {value}"),
            Writing::Without(operand) => format!("without {}", operands[*operand].name),
            Writing::ExtraOperand => "with one operand more".to_owned(),
            Writing::Unbracketed => "without brackets".to_owned(),
            Writing::Suffixed(operand, suffix) => format!("with {suffix} behind {}", operands[*operand].name),
        };
        let labels = writings.iter().map(label).collect();
        let axis = self.axis("writing", Choice::Writing, labels, |_| true);
        self.writing_rules(axis, slots, &writings, &extras);
        writings
    }

    fn writing_rules(&mut self, axis: usize, slots: &[Slot], writings: &[Writing], extras: &[(String, Vec<Cube>)]) {
        let of = |keep: &dyn Fn(&Writing) -> bool| ValueSet::of(writings.len(), |at| keep(&writings[at]));
        let order = of(&|w| matches!(w, Writing::Moved(_) | Writing::Reordered));
        if self.form.order == Order::Fixed {
            self.constraint(
                "modifier-order",
                "modifiers stand in the order of the syntax line",
                vec![Cube::new([(axis, order)])],
            );
        }
        let twice = of(&|w| matches!(w, Writing::Duplicate(_)));
        self.constraint("duplicate-modifier", "no modifier stands twice", vec![Cube::new([(axis, twice)])]);
        let extra = of(&|w| matches!(w, Writing::Extra(_)));
        self.constraint(
            "unknown-modifier",
            "no modifier stands there that the syntax line does not have",
            vec![Cube::new([(axis, extra)])],
        );
        let count = of(&|w| matches!(w, Writing::Without(_) | Writing::ExtraOperand | Writing::Unbracketed));
        self.constraint("operands", "the operands are those of the syntax line", vec![Cube::new([(axis, count)])]);
        let suffixed = of(&|w| matches!(w, Writing::Suffixed(..)));
        let says = "no suffix stands there that the syntax line does not have";
        self.constraint("unknown-suffix", says, vec![Cube::new([(axis, suffixed)])]);

        let none = |slot: &Slot| (slot.axis, self.axes[slot.axis].select(|value| value == NONE));
        let mut cubes = vec![Cube::new([(axis, of(&|w| *w == Writing::Reordered))])];
        for (at, slot) in slots.iter().enumerate() {
            let about = of(&|w| *w == Writing::Duplicate(at) || *w == Writing::Moved(at));
            cubes.push(Cube::new([(axis, about), none(slot)]));
            let moved = of(&|w| *w == Writing::Moved(at));
            cubes.push(Cube::new([(axis, moved)].into_iter().chain(slots[at + 1..].iter().map(none))));
        }
        for (value, elsewhere) in extras {
            let this = of(&|w| matches!(w, Writing::Extra(extra) if extra == value));
            cubes.extend(elsewhere.iter().map(|cube| cube.clone().with(axis, this)));
        }
        self.canonical("writing-generated", cubes);
    }

    /// The suffixes that other forms have behind an operand of this one, which has none there.
    fn foreign_suffixes(&self) -> Vec<Writing> {
        let mut foreign: Vec<Writing> = Vec::new();
        // The lines were read before; one that cannot be read never gets here.
        for syntax in self.instruction.forms.iter().filter_map(|form| Syntax::parse(&form.syntax.value).ok()) {
            for (operand, suffix) in &syntax.suffixes {
                let name = &syntax.operands[*operand].0;
                let at = self.syntax.operands.iter().position(|(own, _)| own == name);
                let Some(at) = at.filter(|at| !self.syntax.suffixes.iter().any(|(own, _)| own == at)) else { continue };
                let writing = Writing::Suffixed(at, suffix.clone());
                if !foreign.contains(&writing) {
                    foreign.push(writing);
                }
            }
        }
        foreign
    }

    /// Modifiers that the form has no slot for, with the combinations in which another form has one.
    fn extras(&self) -> Vec<(String, Vec<Cube>)> {
        let known = |value: &String| self.axes.iter().any(|a| a.choice == Choice::Modifier && a.values.contains(value));
        let mut extras = vec![(UNKNOWN_MODIFIER.to_owned(), Vec::new())];
        let mut add = |value: &String| {
            if !known(value) && !extras.iter().any(|(extra, _)| extra == value) {
                extras
                    .push((value.clone(), self.others.iter().flat_map(|other| self.elsewhere(value, other)).collect()));
            }
        };
        self.others.iter().flat_map(|slots| slots.iter()).for_each(|slot| slot.values.iter().for_each(&mut add));
        for (_, family) in &self.raw_isa.families.0 {
            if !family.iter().any(|value| known(&value.value)) {
                family.iter().take(1).for_each(|value| add(&value.value));
            }
        }
        self.raw_isa.surplus.iter().for_each(|value| add(&value.value));
        extras
    }

    /// The combinations of this form that, with the modifier added, are lines of another form, or
    /// of one that lacks one modifier.
    fn elsewhere(&self, extra: &String, other: &[SlotClaims]) -> Vec<Cube> {
        let needed = (0..other.len()).filter(|&at| !other[at].optional);
        let lacking = needed.map(|at| without(other, at));
        [other.to_vec()].into_iter().chain(lacking).filter_map(|other| self.line_of(extra, &other)).collect()
    }

    /// The combinations of this form that, with the modifier added, have the slots of another.
    fn line_of(&self, extra: &String, other: &[SlotClaims]) -> Option<Cube> {
        let claimed = |value: &str| other.iter().any(|slot| slot.values.iter().any(|v| v == value));
        if !claimed(extra) {
            return None;
        }
        let possible = other.iter().all(|slot| {
            slot.optional
                || slot.values.contains(extra)
                || slot.values.iter().any(|v| self.slots.iter().any(|own| own.values.contains(v)))
        });
        let sets = self.slots.iter().map(|slot| {
            let axis = self.named(&slot.name);
            (axis, self.axes[axis].select(|value| value == NONE || claimed(value)))
        });
        let cube = Cube::new(sets);
        (possible && !cube.is_empty()).then_some(cube)
    }
}
