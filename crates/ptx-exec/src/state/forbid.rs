//! Which choices are no state: what is about nothing there stands at its first value, and names of
//! places that do not exist are left out.

use super::{
    ADDRESS, CONTENTS, DATA, DEPTH, FORMAT, GEOMETRY, HEIGHT, LAYER, LAYERS, LENGTH, POINTS, PREDICATE, WIDTH, X, Y, Z,
    access, data, samples,
};
use crate::execution::{Component, Format};
use ptx_spec::spec::{Cube, Form, Isa, Role, ValueSet};

/// The combinations of choices that are no state of an executed form.
pub(super) fn forbid(isa: &Isa, form: &Form) -> Vec<Cube> {
    let mut rules = Rules { isa, form, cubes: Vec::new() };
    rules.guard();
    rules.surface();
    rules.coordinates();
    rules.data();
    rules.address();
    rules.cubes
}

/// Values of an axis.
type Values = (usize, ValueSet);
/// The size of an access in bytes, its type, and its vector modifier where the form has one.
type Access = (u32, Values, Option<Values>);

struct Rules<'a> {
    isa: &'a Isa,
    form: &'a Form,
    cubes: Vec<Cube>,
}

impl Rules<'_> {
    /// The values of an axis for which `keep` holds; none where the form has no such axis.
    fn set(&self, axis: &str, keep: impl FnMut(&str) -> bool) -> Option<Values> {
        let axis = self.form.axis(axis)?;
        Some((axis, self.form.axes[axis].select(keep)))
    }

    /// Forbids a combination, where the form has all of its axes.
    fn never<const N: usize>(&mut self, sets: [Option<Values>; N]) {
        if sets.iter().all(Option::is_some) {
            self.cubes.push(Cube::new(sets.into_iter().flatten()));
        }
    }

    /// Where a condition holds, an axis has its first value.
    fn idle(&mut self, when: Option<Values>, axis: &str) {
        let Some(first) = self.form.axis(axis).map(|axis| self.form.axes[axis].values[0].clone()) else { return };
        self.never([when, self.set(axis, |value| value != first)]);
    }

    fn guard(&mut self) {
        self.idle(self.set("guard", |guard| guard == "none"), PREDICATE);
    }

    fn geometries(&self, known: &[&str]) -> Option<Values> {
        let is = |value: &str| known.contains(&value.trim_start_matches('.'));
        self.set("geom", is).or_else(|| self.set(GEOMETRY, is))
    }

    fn surface(&mut self) {
        for operand in self.form.operands.iter().filter(|operand| operand.role == Role::Surface) {
            // The driver has no way to bind such a parameter.
            let parameter = self.set(&format!("{}.type", operand.name), |of| of == "surfref-parameter");
            self.never([parameter]);
        }
        for (axes, geometries) in [
            ([HEIGHT, Y], &["1d", "a1d"][..]),
            ([DEPTH, Z], &["1d", "2d", "a1d", "a2d"]),
            ([LAYERS, LAYER], &["1d", "2d", "3d"]),
        ] {
            for axis in axes {
                self.idle(self.geometries(geometries), axis);
            }
        }
        for (extent, axis) in [(HEIGHT, Y), (DEPTH, Z), (LAYERS, LAYER)] {
            self.never([self.set(extent, |extent| extent == "1"), self.set(axis, |at| at == "inside" || at == "last")]);
            self.never([self.set(extent, |extent| extent == "2"), self.set(axis, |at| at == "inside")]);
        }
    }

    /// Each type and vector modifier, with the size in bytes of the access.
    fn accesses(&self, of: &str) -> Vec<Access> {
        let mut accesses = Vec::new();
        let Some(axis) = self.form.axis(of) else { return accesses };
        let vec = self.form.axis("vec");
        let one = |axis: usize, value: usize| (axis, ValueSet::of(ValueSet::CAPACITY - 1, |at| at == value));
        for (at, value) in self.form.axes[axis].values.iter().enumerate() {
            match vec {
                None => accesses.push((access(self.isa, value, ""), one(axis, at), None)),
                Some(vec) => {
                    for (lanes, modifier) in self.form.axes[vec].values.iter().enumerate() {
                        let size = access(self.isa, value, modifier);
                        accesses.push((size, one(axis, at), Some(one(vec, lanes))));
                    }
                }
            }
        }
        accesses
    }

    /// Forbids with each access size a combination of two axes.
    fn with_access(&mut self, of: &str, mut sets: impl FnMut(&Self, u32) -> Vec<[Option<Values>; 2]>) {
        for (size, of, vec) in self.accesses(of) {
            for [first, second] in sets(self, size) {
                match vec {
                    None => self.never([Some(of), first, second]),
                    Some(vec) => self.never([Some(of), Some(vec), first, second]),
                }
            }
        }
    }

    fn coordinates(&mut self) {
        if self.form.axis(X).is_none() {
            return;
        }
        for axis in [X, Y, Z, LAYER] {
            self.idle(self.set("b.type", |of| of == "integer"), axis);
        }
        let of = if self.form.axis("dtype").is_some() { "dtype" } else { "ctype" };
        let formats: Vec<Format> = Format::all().collect();
        let format = |keep: &dyn Fn(&Format) -> bool| ValueSet::of(formats.len(), |at| keep(&formats[at]));
        let Some(axis) = self.form.axis(FORMAT) else { return };
        let within = |rules: &Self, places: &dyn Fn(&Format) -> u32| {
            let few = |least: u32| Some((axis, format(&|format| places(format) < least)));
            let place = |known: &'static [&'static str]| rules.set(X, move |at| known.contains(&at));
            [[few(2), place(&["last"])], [few(3), place(&["inside"])]]
        };
        if samples(self.form) {
            self.never([self.set(X, |at| at == "misaligned")]);
            self.never([self.set(WIDTH, |width| width == "1"), self.set(X, |at| at == "inside" || at == "last")]);
            // One format of each size that nothing is promised for is enough.
            self.with_access(of, |_, size| {
                let integer = |format: &Format| {
                    let whole = matches!(format.component, Component::Unsigned(32) | Component::Signed(32));
                    let one = format.component == Component::Float(32);
                    !(whole || one) || format.bytes() != size
                };
                vec![[Some((axis, format(&integer))), Some((axis, format(&integer)))]]
            });
            return;
        }
        self.with_access(of, |rules, size| {
            // Accesses wider than a sample are promised nothing: one format of each size is enough.
            let simplest = |format: &Format| matches!(format.component, Component::Unsigned(_));
            let narrow = format(&|format| format.bytes() < size && !simplest(format));
            let mut cubes = vec![[Some((axis, narrow)); 2]];
            if size == 1 {
                let misaligned = rules.set(X, |at| at == "misaligned");
                cubes.push([misaligned; 2]);
            }
            cubes
        });
        for width in ["1", "5", "8"] {
            let number: u32 = width.parse().unwrap_or(1);
            for (size, of, vec) in self.accesses(of) {
                for [few, place] in within(self, &|format| number * format.bytes() / size.max(1)) {
                    let width = self.set(WIDTH, |value| value == width);
                    match vec {
                        None => self.never([Some(of), width, few, place]),
                        Some(vec) => self.never([Some(of), Some(vec), width, few, place]),
                    }
                }
            }
        }
    }

    fn data(&mut self) {
        let Some(operand) = data(self.form) else { return };
        let immediate = self.set(&format!("{}.type", operand.name), |of| !of.starts_with('.'));
        self.idle(immediate, DATA);
    }

    fn address(&mut self) {
        let Some(operand) = self.form.operands.iter().find(|operand| operand.role == Role::Address) else { return };
        let axis = |what: &str| format!("{}.{what}", operand.name);
        let variable = self.set(&axis("base"), |base| base != "register");
        let register = self.set(&axis("base"), |base| base == "register");
        // An assembler for 64-bit addresses refuses narrower ones, the memory before a variable is
        // nobody's, and unified variables take more than one device.
        let not_wide = |of: &str| of.ends_with("32");
        self.never([register, self.set(&axis("type"), not_wide)]);
        self.never([variable, self.set(&axis("offset"), |offset| offset == "negative")]);
        self.never([self.set(&axis("base"), |base| base == "unified")]);
        self.never([self.set("unified", |suffix| suffix != "none")]);
        // A function cannot be given the address of a kernel's parameter, and that of its own is in
        // local memory once a register holds it.
        let parameter = self.set("ss", |space| space.starts_with(".param"));
        self.never([self.set("context", |context| context == "function"), parameter, register]);
        // A policy that `createpolicy` did not make has no defined effect.
        self.never([self.set("cache-policy.type", |of| of == "integer")]);
        self.idle(variable, ADDRESS);
        self.idle(self.set(&axis("base"), |base| base == "integer"), CONTENTS);
        self.idle(variable, POINTS);
        self.idle(self.set("ss", |space| space != "none"), POINTS);
        for modifier in
            ["level1::eviction_priority", "level2::eviction_priority", "level::cache_hint", "level::prefetch_size"]
        {
            self.idle(self.set(modifier, |value| value != "none"), POINTS);
        }
        let spaces: &[&str] = match self.form.id.as_str() {
            "ld.mmio" => &["global"],
            "ld.relaxed" | "ld.acquire" => &["global", "shared"],
            "ld.volatile" => &["global", "shared", "local"],
            _ => &["global", "shared", "local", "const"],
        };
        self.never([self.set(POINTS, |space| !spaces.contains(&space))]);
        self.with_access("type", |rules, size| {
            let address = |known: &'static str| rules.set(ADDRESS, move |at| at == known);
            let mut cubes = Vec::new();
            if size >= LENGTH / 2 {
                cubes.extend([[address("inside"); 2], [rules.set(POINTS, |space| space != "global"); 2]]);
            }
            if size == 1 {
                cubes.push([address("misaligned"); 2]);
            }
            cubes
        });
    }
}
